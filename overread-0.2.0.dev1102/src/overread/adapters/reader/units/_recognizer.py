"""The recognizer over clinical units: what the reader read, named and typed as RaTE-NER does.

The rules, overread's own, after the types of Zhao et al. 2024 (section 2.2) and the example of appendix A.1:

- A finding is one entity: its words with those right before it that describe it, tell its side or its change. It is an
  ABNORMALITY or DISEASE where it is asserted, however surely, and a NON-ABNORMALITY or NON-DISEASE where it is denied.
  Words that describe it elsewhere are a (NON-)ABNORMALITY of their own, unless the entity's name has them already.
- A statement about anatomy is parted: "heart size | is | normal" is an ANATOMY and a NON-ABNORMALITY.
- Other words of anatomy in a statement are ANATOMY, sides included. What a finding's own words hold stays in them:
  "pleural effusion" is one entity.
- A device is ANATOMY, as the Foley catheter of the example, and where it lies a (NON-)ABNORMALITY; a device that is
  absent or removed is a NON-ABNORMALITY.
- What is said of the past, of other people, of what may yet come or of the examination itself gives no entity, nor does
  a sentence nothing was read from.

Entities stand in reading order and never overlap; where two would, the one of the earlier unit stays.

An entity's offsets are those of the report's words; its name is the lexicon's. "Small left effusion" and "there is a
left pleural effusion, which is small" are both "mild left pleural effusion", so that the encoder need not know synonyms
that the reader knows. The name of a finding holds its change, its degree and, unless a place tells it, its side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from attrs import evolve, field, frozen

from overread.adapters.lexicon import Knowledge
from overread.adapters.lexicon.words import Words
from overread.adapters.reader.units import VERSION
from overread.adapters.reader.units._marks import Mark, Marker, MarkKind
from overread.adapters.reader.units._phrases import Phrasing, Range, apart, led, runs
from overread.adapters.reader.units._scheme import Scheme, load_scheme
from overread.application.ports import UnitExtractor
from overread.application.traits import RecognizerTraits
from overread.domain.entities.entity import Entity, EntityType
from overread.domain.findings.meaning import Meaning
from overread.domain.findings.unit import ClinicalUnit, Experiencer, Polarity, Temporality
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored

__all__ = ["UnitEntityRecognizer"]

_SIDES: Final = frozenset({"left", "right", "bilateral"})
_PLACES: Final = frozenset({MarkKind.SIDE, MarkKind.PLACE})
_LEADING: Final = frozenset({MarkKind.SEVERITY, MarkKind.DESCRIPTION, MarkKind.CHANGE, MarkKind.SIDE})
_SENTENCE_END: Final = re.compile(r"[;?!]|\.(?!\d)|\n\s*\n")
_CACHE_SIZE: Final = 16_000

_NORMAL: Final = "normal"

_AFFINITY: Final = "generated-2026.11"
"""RaTEScore's table that was learned for these entities."""

_Labels = frozenset[str]
_UNLABELLED: Final = _Labels()


@frozen
class _Phrase:
    """Words that name an entity.

    Attributes:
        unit: what is said.
        name: the entity's, "" for the words themselves.
        labels: of the place or appearance that the words name of the unit, empty for words without a label; None where
            they name the unit itself.
    """

    span: Range
    type: EntityType
    unit: ClinicalUnit
    name: str = field(default="", repr=False)
    labels: _Labels | None = None


@frozen
class _Passage:
    """A unit at the start of the text that holds its words and what its sentence says of it further on.

    Attributes:
        stop: where the unit's own words end in ``text``.
    """

    unit: ClinicalUnit
    text: str = field(repr=False)
    stop: int


class UnitEntityRecognizer:
    """Turns the units of an extractor into entities of RaTEScore's five types.

    What the extractor leaves unscored is passed on; a blank report has no entities.
    """

    def __init__(self, extractor: UnitExtractor, knowledge: Knowledge, scheme: Scheme | None = None) -> None:
        self._extractor = extractor
        self._digest = knowledge.digest
        self._lexicon = knowledge.lexicon
        self._normaliser = knowledge.normaliser
        self._scheme = scheme or load_scheme()
        self._marker = Marker(knowledge, self._scheme)
        self._phrasing = Phrasing(knowledge.grammar.naming)
        # A sentence read once need not be named twice: reports repeat one another.
        self._named = lru_cache(maxsize=_CACHE_SIZE)(self._name)

    @property
    def traits(self) -> RecognizerTraits:
        """RaTEScore's table that was learned for these entities, and the lexicon that relates what they mean."""
        return RecognizerTraits(name="units", affinity=_AFFINITY, meaning_lexicon=self._lexicon)

    @property
    def identity(self) -> str:
        """Version, extractor, the digest of the scheme, and that of the lexicon unless the extractor names it."""
        extractor, lexicon = self._extractor.identity, f"lexicon={self._digest}"
        named = extractor if lexicon in extractor else f"{extractor},{lexicon}"
        return f"units@{VERSION},{named},diseases={self._scheme.digest}"

    @property
    def note(self) -> str:
        """Note on what it stands in for."""
        return "entities from overread's reader stand in for the published RaTE-NER-DeBERTa"

    def recognize(self, reports: Sequence[Report]) -> list[tuple[Entity, ...] | Unscored]:
        """Entities of each report in reading order, or why it cannot be read."""
        extractions = self._extractor.extract(reports)
        return [
            units if isinstance(units, Unscored) else self._entities(report.text, units)
            for report, units in zip(reports, extractions, strict=True)
        ]

    def _entities(self, text: str, units: Sequence[ClinicalUnit]) -> tuple[Entity, ...]:
        entities: list[Entity] = []
        for index, unit in enumerate(units):
            if not _tells(unit):
                continue
            following = units[index + 1].start if index + 1 < len(units) else len(text)
            passage = _passage(text, unit, following)
            for entity in self._named(passage):
                moved = evolve(entity, start=entity.start + unit.start, end=entity.end + unit.start)
                if apart((moved.start, moved.end), ((other.start, other.end) for other in entities)):
                    entities.append(moved)
        return tuple(sorted(entities, key=lambda entity: entity.start))

    def _name(self, passage: _Passage) -> tuple[Entity, ...]:
        """The entities of a passage, placed relative to it."""
        words = self._normaliser.words(passage.text)
        limit = sum(start < passage.stop for start in words.starts)
        core = _core(passage, words)
        if core is None:
            return ()
        marks = self._marker.marks(words.words[:limit])
        phrases = list(self._phrases(passage.unit, words.words, marks, core))
        taken = [phrase.span for phrase in phrases]
        phrases += [
            _place(passage.unit, marks, span, span)
            for span in runs(marks, _PLACES, taken)
            if not (_is_named(passage.unit) and _kinds(marks, span) == {MarkKind.SIDE})
        ]
        return tuple(self._entity(passage, words, phrase) for phrase in phrases)

    def _entity(self, passage: _Passage, words: Words, phrase: _Phrase) -> Entity:
        start, end = words.starts[phrase.span[0]], words.ends[phrase.span[1] - 1]
        text = phrase.name or " ".join(passage.text[start:end].split())
        if phrase.labels is None:
            labels, bare = None, self._lexicon.name(phrase.unit.device or phrase.unit.canonical_finding)
        else:
            # Words without a label are the same as the same words.
            labels = phrase.labels or frozenset({text.lower()})
            bare = " ".join(sorted(label.replace("_", " ") for label in labels - _SIDES))
        return Entity(text, start, end, phrase.type, Meaning.of(phrase.unit, bare or text, labels))

    def _phrases(
        self, unit: ClinicalUnit, words: Sequence[str], marks: Sequence[Mark], core: Range
    ) -> Iterator[_Phrase]:
        """Yield phrases for what the unit itself names, apart from its places."""
        concept = unit.canonical_finding
        is_statement = concept in self._lexicon.normals
        denied = unit.polarity is Polarity.ABSENT
        type_ = self._scheme.type_of(concept, self._lexicon, denied=denied)
        parts = (
            self._phrasing.clause(words, marks, core)
            if is_statement or self._is_clause(unit, words, marks, core)
            else None
        )
        if parts is not None:
            subjects, predicate = parts
            for subject in subjects:
                yield _place(unit, marks, led(marks, subject, kinds=_PLACES), subject)
            predicate_type = EntityType.NON_ABNORMALITY if unit.device is not None else type_
            if is_statement and denied:
                yield _Phrase(self._phrasing.strip_denial(words, predicate), predicate_type, unit, _NORMAL)
            else:
                yield _Phrase(predicate, predicate_type, unit, labels=_UNLABELLED if unit.device is not None else None)
        elif is_statement:
            name = self._phrasing.strip_denial(words, core) if denied else core
            yield _Phrase(name, type_, unit, self._lexicon.name(concept))
        elif unit.device is not None:
            yield from self._device(unit, words, marks, core)
        else:
            name = led(marks, core, kinds=_LEADING)
            yield _Phrase(name, type_, unit, self._named_as(unit, marks, name))
            apart_type = EntityType.ABNORMALITY if type_.polarity > 0 else EntityType.NON_ABNORMALITY
            for span in runs(marks, frozenset({MarkKind.DESCRIPTION}), [name]):
                yield _Phrase(span, apart_type, unit, labels=_labels_of(marks, span))

    def _named_as(self, unit: ClinicalUnit, marks: Sequence[Mark], name: Range) -> str:
        """A finding's name with its change, degree and, unless a place tells it, side: "stable mild left effusion"."""
        places = [span for span in runs(marks, _PLACES, [name]) if _kinds(marks, span) != {MarkKind.SIDE}]
        sides = sorted(_SIDES & unit.anatomy) if not places else []
        change = unit.change.value if unit.change is not None else ""
        parts = (change, unit.severity or "", *sides, self._lexicon.name(unit.canonical_finding))
        return " ".join(part for part in parts if part)

    def _is_clause(self, unit: ClinicalUnit, words: Sequence[str], marks: Sequence[Mark], core: Range) -> bool:
        """Return whether a finding or device is stated as a clause: "aorta is tortuous", "tube is kinked"."""
        verb = self._phrasing.verb_of(words, core)
        if verb is None:
            return False
        if unit.device is not None:
            return unit.polarity is not Polarity.ABSENT
        about_place = any(mark.kind is MarkKind.PLACE and core[0] <= mark.start < verb for mark in marks)
        malpositions = self._lexicon.qualities.malpositions
        return about_place or any(self._lexicon.is_kind_of(unit.canonical_finding, kind) for kind in malpositions)

    def _device(
        self, unit: ClinicalUnit, words: Sequence[str], marks: Sequence[Mark], core: Range
    ) -> Iterator[_Phrase]:
        name = led(marks, core, kinds=_PLACES)
        called = self._lexicon.name(unit.device or unit.canonical_finding)
        if unit.polarity is Polarity.ABSENT:
            yield _Phrase(name, EntityType.NON_ABNORMALITY, unit, called)
            return
        yield _Phrase(name, EntityType.ANATOMY, unit, called)
        for position in self._marker.positions(words[core[1] :]):
            is_amiss = position.kind is MarkKind.OUT_OF_PLACE
            span = (position.start + core[1], position.end + core[1])
            yield _Phrase(
                span, EntityType.ABNORMALITY if is_amiss else EntityType.NON_ABNORMALITY, self._lying(is_amiss=is_amiss)
            )

    def _lying(self, *, is_amiss: bool) -> ClinicalUnit:
        """A unit stating that a device lies amiss, or that none does."""
        malposition = min(self._lexicon.qualities.malpositions, default="")
        polarity = Polarity.PRESENT if is_amiss else Polarity.ABSENT
        return ClinicalUnit(span_text="", start=0, end=0, canonical_finding=malposition, polarity=polarity)


def _is_named(unit: ClinicalUnit) -> bool:
    """Return whether the unit's name tells its side: a finding's does."""
    return unit.device is None and not unit.denies


def _kinds(marks: Sequence[Mark], span: Range) -> set[MarkKind]:
    return {mark.kind for mark in marks if span[0] <= mark.start and mark.end <= span[1]}


def _place(unit: ClinicalUnit, marks: Sequence[Mark], span: Range, named: Range) -> _Phrase:
    """Words of anatomy; those that name no more than a device's side, or the device, stand for the device."""
    labels = _labels_of(marks, span)
    of_device = unit.device is not None and labels <= _SIDES
    return _Phrase(span, EntityType.ANATOMY, unit, _join_labels(marks, named), None if of_device else labels)


def _labels_of(marks: Sequence[Mark], span: Range) -> _Labels:
    return frozenset(label for mark in marks if span[0] <= mark.start and mark.end <= span[1] for label in mark.labels)


def _join_labels(marks: Sequence[Mark], span: Range) -> str:
    """The lexicon's labels for words of anatomy, sides first; "" where it has none."""
    within = [mark for mark in marks if span[0] <= mark.start and mark.end <= span[1] and mark.kind in _PLACES]
    within.sort(key=lambda mark: mark.kind is not MarkKind.SIDE)
    return " ".join(dict.fromkeys(label.replace("_", " ") for mark in within for label in mark.labels))


def _tells(unit: ClinicalUnit) -> bool:
    """Return whether a unit says something about this patient now."""
    return (
        bool(unit.canonical_finding)
        and not unit.administrative
        and unit.temporality is Temporality.CURRENT
        and unit.experiencer is Experiencer.PATIENT
    )


def _passage(text: str, unit: ClinicalUnit, following: int) -> _Passage:
    """The unit with the rest of its clause, if it is about a device: where that lies is told behind it."""
    stop = unit.end - unit.start
    end = unit.end
    if unit.device is not None and following > end:
        close = _SENTENCE_END.search(text, end, following)
        end = close.start() if close else following
    unplaced = unit.moved(-unit.start, section="", sentence_index=0)
    return _Passage(unplaced, text[unit.start : end], stop)


def _core(passage: _Passage, words: Words) -> Range | None:
    """The words of the finding itself, all of the unit's where it does not tell; None where the unit lacks them."""
    # The unit's text, not the report's: the reader may have read another line end or mark as a space.
    text = passage.unit.span_text
    surface = passage.unit.surface_finding or text
    begin = next((start for start in words.starts if text.startswith(surface, start)), None)
    if begin is None:
        return None
    own = [i for i, start in enumerate(words.starts) if begin <= start < begin + len(surface)]
    return own[0], own[-1] + 1
