"""One sentence into clinical units, placed relative to the sentence's first character."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from overread.adapters.lexicon import Knowledge
from overread.adapters.lexicon.words import Words
from overread.adapters.reader.medspacy._administrative import Statements
from overread.adapters.reader.medspacy._advice import AdviceReader
from overread.adapters.reader.medspacy._attachment import attach, inherit, taken_for
from overread.adapters.reader.medspacy._coverage import ContentReader
from overread.adapters.reader.medspacy._headings import OrganHeadings
from overread.adapters.reader.medspacy._matching import (
    FOCUS,
    MEANINGS,
    AttributeMatch,
    ContextMatch,
    Matchers,
    SentenceMatches,
    TargetMatch,
)
from overread.adapters.reader.medspacy._regions import Regions
from overread.adapters.reader.medspacy._scope import CHANGES
from overread.adapters.reader.medspacy._sharing import share
from overread.adapters.reader.medspacy._subjects import PairedSubjects
from overread.adapters.reader.medspacy.sizes import Size, SizeReader, change_of, measurements, present
from overread.application.ports import Assertion
from overread.domain.differences.remark import TECHNIQUE
from overread.domain.differences.unread import SentenceContent
from overread.domain.findings.advice import ADVICE, COMMUNICATION
from overread.domain.findings.unit import (
    FALLBACK_CONFIDENCE,
    UNCHANGED,
    Certainty,
    Change,
    ClinicalUnit,
    Experiencer,
    Measurement,
    Polarity,
    Temporality,
    largest,
    severity_ordinal,
)
from overread.domain.results.result import Unscored
from overread.domain.vocabulary.anatomy import Place
from overread.domain.vocabulary.severity import Importance

__all__ = ["SentenceReader", "SentenceReading"]

_OPEN: Final = frozenset({"HYPOTHETICAL", "LIMITATION"})
"""Categories of cues by which a finding is neither asserted nor denied."""


@frozen
class SentenceReading:
    """The units of a sentence and what they account for, both placed relative to its first character.

    Attributes:
        regions: the regions of the body that it names.
        side: the side that it names last, "" where it names none or both at once.
        part: the paired part that it is about, "kidney" in "the right kidney is small"; "" for none.
        refers: whether it means a side or a part by one that it does not name.
        level: labels of the disc level that it begins with: "L4-L5: no herniation".
    """

    units: tuple[ClinicalUnit, ...]
    content: SentenceContent
    regions: frozenset[str] = frozenset()
    side: str = ""
    part: str = ""
    refers: bool = False
    level: frozenset[str] = frozenset()


@frozen
class _Said:
    """A target and all that the sentence says of it."""

    target: TargetMatch
    attributes: Sequence[AttributeMatch]
    sizes: Sequence[Size]
    region: str
    quantities: tuple[Measurement, ...] = ()

    @property
    def within(self) -> list[AttributeMatch]:
        """Attributes among the target's own words."""
        return [a for a in self.attributes if self.target.start <= a.start < self.target.end]

    @property
    def beside(self) -> list[AttributeMatch]:
        """Attributes apart from the target's own words."""
        return [a for a in self.attributes if not self.target.start <= a.start < self.target.end]

    @property
    def change(self) -> Change | None:
        """The change word nearest to the target: "stable cardiomegaly with new effusion" has one for each."""
        cues = [cue for cue in self.target.cues if cue.category in CHANGES]
        if not cues:
            return None
        nearest = min(cues, key=lambda cue: max(cue.start - self.target.end, self.target.start - cue.end))
        return Change(nearest.category.lower())

    @property
    def cues(self) -> set[str]:
        """Categories of the cues; what another finding's "resolved" reaches is not gone with it."""
        return {cue.category for cue in self.target.cues} - (
            {"RESOLVED"} if self.change is not Change.RESOLVED else set()
        )


class SentenceReader:
    """Reads sentences as clinical units."""

    def __init__(self, knowledge: Knowledge, regions: Regions | None = None, *, own_scopes: bool = False) -> None:
        self._regions = regions or Regions.of(knowledge)
        self._normaliser = knowledge.normaliser
        self._organs = OrganHeadings.of(knowledge)
        self._subjects = PairedSubjects.of(knowledge.grammar.references, knowledge.grammar.ellipsis)
        self._matchers = Matchers(knowledge, own_scopes=own_scopes)
        self._lexicon = knowledge.lexicon
        self._grammar = knowledge.grammar
        self._advice = AdviceReader(knowledge.grammar.advice)
        self._statements = Statements(knowledge.grammar.statements, self._advice)
        self._sizes = SizeReader(knowledge.grammar.sizes)
        self._contents = ContentReader(knowledge.grammar.coverage)
        self._ages = self._lexicon.qualities.recent | self._lexicon.qualities.lasting
        self._milder: dict[str, tuple[str, ...]] = {}
        for kinds in self._lexicon.qualities.kinds:
            for word in kinds.graver:
                self._milder[word] = (*self._milder.get(word, ()), *sorted(kinds.milder))
        carrying = knowledge.grammar.carrying
        self._pronouns = {word for phrase in carrying.one | carrying.several for word in phrase.split()[:1]} - {
            "the",
            "all",
        }
        # Findings that may lie on one side, and say by themselves on neither which.
        self._sided = {
            concept
            for concept, finding in self._lexicon.findings.items()
            if finding.category in knowledge.grammar.attachment.sided and not Place.of(frozenset(finding.anatomy)).side
        }
        names = knowledge.grammar.ellipsis.size_names
        self._size_names = {(name,) for name in names}
        self._size_states = {
            finding for made in knowledge.compositions if names & set(made.terms) for finding in made.places.values()
        }

    def read(self, sentence: str, region: str = "", side: str = "", part: str = "") -> SentenceReading:
        """One sentence; without any finding it is one unit with confidence 0.50.

        Args:
            sentence: its text.
            region: the region of the body that the report speaks of there, where the sentence names none.
            side: the side that the report named last before it, "left" or "right", or "" for none.
            part: the paired part that the sentence before it is about, "" for none.
        """
        words = self._normaliser.words(sentence)
        if not any(word[0].isalpha() for word in words.words):
            return SentenceReading((), SentenceContent(len(sentence)))
        words = self._organs.opened(words)
        lacks = self._subjects.lacks(words.words)
        words = self._subjects.complete_sides(words, part)
        matches = self._statements.without_codes(sentence, words, self._matchers.match(words.words, side=side))
        reading = self._reading(sentence, words, matches, region)
        level = _leading_level(words.words, matches.attributes)
        return evolve(reading, part=self._subjects.named(words.words), refers=reading.refers or lacks, level=level)

    def read_marked(self, sentence: str, start: int, end: int) -> Assertion | Unscored:
        """Read what a sentence says of the phrase at ``[start, end)``, taken as a finding whatever it is."""
        words = self._normaliser.words(sentence)
        places = [i for i in range(len(words.words)) if words.starts[i] < end and start < words.ends[i]]
        if not places:
            return Unscored("nothing to read", "the marked phrase holds no word")
        matches = self._matchers.match(words.words, (places[0], places[-1] + 1))
        units = self._reading(sentence, words, matches).units
        unit = next((unit for unit in units if unit.canonical_finding == FOCUS), None)
        if unit is None:
            return Unscored("nothing to read", "the reader does not read the marked phrase as a statement")
        cues = frozenset(kind for cue in matches.cues for kind in MEANINGS.get(cue.category, (cue.category,)))
        return Assertion(evolve(unit, canonical_finding=""), cues)

    def read_aside(self, sentence: str, kind: str) -> ClinicalUnit:
        """A sentence under a heading of administrative statements, as one of them; its findings are not read."""
        words = self._normaliser.words(sentence)
        matches = self._matchers.match(words.words) if words.words else SentenceMatches((), (), ())
        unit = ClinicalUnit(
            span_text=sentence,
            start=0,
            end=len(sentence),
            administrative=kind,
            anatomy=_sides_of(kind, matches),
            modalities=matches.modalities,
        )
        about = frozenset(target.concept for target in matches.targets if target.concept in self._lexicon.findings)
        return evolve(self._advice.described(unit, sentence, words.words, matches), about=about)

    def _reading(self, text: str, words: Words, found: SentenceMatches, region: str = "") -> SentenceReading:
        matches = evolve(found, attributes=tuple(_without_degrees_of_change(words.words, found)))
        matches = evolve(matches, attributes=tuple(self._with_denied_kinds(words.words, matches)))
        matches = share(self._grammar.sharing, words.words, _without_recipients(matches))
        matches = evolve(matches, targets=self._without_mistaken(words.words, matches))
        owned: list[list[AttributeMatch]] = []
        if not matches.targets:
            units: tuple[ClinicalUnit, ...] = (self._whole(text, words.words, matches),)
        else:
            owned = attach(self._grammar.attachment, words.words, matches.targets, matches.attributes)
            takes = [i for i, target in enumerate(matches.targets) if target.concept in self._sided]
            inherit(self._grammar.attachment, words.words, matches.targets, matches.attributes, owned, takes)
            matches = evolve(matches, targets=self._in_doubt(text, words, matches, owned))
            units = self._units(text, words, matches, owned, region)
        # A degree of a change is no attribute of a finding, and yet it was read.
        degrees = [attribute for attribute in found.attributes if attribute.kind == "severity"]
        content = self._contents.content(text, words, matches, [degrees, *owned], units)
        regions = self._regions.told(_labels(found.attributes, "zone", "organ"), units)
        return SentenceReading(units, content, regions, found.side, refers=found.refers)

    def _without_mistaken(self, words: Sequence[str], matches: SentenceMatches) -> tuple[TargetMatch, ...]:
        attachment = self._grammar.attachment
        return taken_for(attachment, words, matches.targets, matches.attributes, self._explains_away)

    def _with_denied_kinds(self, words: Sequence[str], matches: SentenceMatches) -> Iterator[AttributeMatch]:
        """Attributes with the milder kind where the graver is denied: "appendicitis without abscess or perforation"."""
        denials = [cue.end for cue in matches.cues if cue.category == "NEGATED"]
        stops = self._grammar.attachment.clause_ends | self._grammar.attachment.forward_stops
        for attribute in matches.attributes:
            milder = self._milder.get(attribute.labels[0]) if attribute.kind == "modifier" else None
            start = max((end for end in denials if end <= attribute.start), default=None)
            if milder is None or start is None or not stops.isdisjoint(words[start : attribute.start]):
                yield attribute
            else:
                yield evolve(attribute, labels=milder)

    def _explains_away(self, seen: str, meant: str) -> bool:
        finding = self._lexicon.findings.get(meant)
        if finding is None or finding.importance is not Importance.EXPECTED:
            return False
        return finding.category in self._grammar.attachment.harmless and self._lexicon.are_confusable(seen, meant)

    def _in_doubt(
        self, text: str, words: Words, matches: SentenceMatches, owned: Sequence[Sequence[AttributeMatch]]
    ) -> tuple[TargetMatch, ...]:
        """The findings with the doubt that the sentence as a whole casts on them, or takes from them.

        What a question asks is open, and what a recommendation takes as known is there.
        """
        if words.words[-1] == "?" and words.words[0] in self._grammar.clauses.asking:
            asked = ContextMatch("HYPOTHETICAL", 0, 1)
            return tuple(evolve(target, cues=(*target.cues, asked)) for target in matches.targets)
        targets = self._without_limitations(text, words, matches.targets, owned)
        if all(statement.kind != ADVICE for statement in matches.statements):
            return targets
        return self._advice.referred(text, words, targets, owned)

    def _without_limitations(
        self, text: str, words: Words, targets: Sequence[TargetMatch], owned: Sequence[Sequence[AttributeMatch]]
    ) -> tuple[TargetMatch, ...]:
        """The findings without the limitation of what the sentence knows: "the fracture is hard to see"."""
        return tuple(
            evolve(target, cues=tuple(cue for cue in target.cues if cue.category != "LIMITATION"))
            if any(cue.category == "LIMITATION" for cue in target.cues)
            and (target.administrative or self._advice.is_definite(text, words, target, own))
            else target
            for target, own in zip(targets, owned, strict=True)
        )

    def _units(
        self, text: str, words: Words, matches: SentenceMatches, owned: Sequence[Sequence[AttributeMatch]], region: str
    ) -> tuple[ClinicalUnit, ...]:
        everywhere = _labels(matches.attributes, "zone", "organ")
        regions = [
            self._regions.at(_labels(own, "zone", "organ"), everywhere, otherwise=region)
            if self._regions.decides(target.concept, words.words[target.start : target.end])
            else ""
            for target, own in zip(matches.targets, owned, strict=True)
        ]
        sizes = self._sizes.by_target(text, words, matches.targets, self._devices(matches.targets))
        spans = _with_sizes([(words.starts[s], words.ends[e - 1]) for s, e in _hulls(matches, owned)], sizes)
        limits = [self._lexicon.limit(target.concept) for target in matches.targets]
        units_of = [limit.unit if limit is not None else "" for limit in limits]
        quantities = self._sizes.quantities_of(text, words, matches.targets, units_of)
        statements = map(_Said, matches.targets, owned, sizes, regions, quantities)
        units = tuple(
            self._unit(text, words, one, span, matches.modalities) for one, span in zip(statements, spans, strict=True)
        )
        return self._statements.with_clause(text, words, matches, units)

    def _devices(self, targets: Sequence[TargetMatch]) -> list[int]:
        concepts = [self._lexicon.findings.get(target.concept) for target in targets]
        return [index for index, finding in enumerate(concepts) if finding is not None and finding.device]

    def _whole(self, text: str, words: Sequence[str], matches: SentenceMatches) -> ClinicalUnit:
        """The one unit of a sentence without a finding: administrative, or unread."""
        if kind := self._statements.kind(words, matches):
            unit = ClinicalUnit(
                span_text=text,
                start=0,
                end=len(text),
                administrative=kind,
                anatomy=_sides_of(kind, matches),
                modalities=matches.modalities,
            )
            return self._advice.described(unit, text, words, matches)
        if self._speaks_of_all(words, matches):
            return ClinicalUnit(
                span_text=text,
                start=0,
                end=len(text),
                canonical_finding=UNCHANGED,
                surface_finding=text,
                change=Change.STABLE,
                modifiers=_labels(matches.attributes, "modifier"),
                modalities=matches.modalities,
            )
        cues = {cue.category for cue in matches.cues}
        return ClinicalUnit(
            span_text=text,
            start=0,
            end=len(text),
            polarity=Polarity.ABSENT if "NEGATED" in cues else Polarity.PRESENT,
            certainty=_certainty(cues),
            change=_change(cues),
            temporality=_temporality(cues),
            experiencer=_experiencer(cues),
            severity=_severity(matches.attributes),
            anatomy=_labels(matches.attributes, "side", "zone", "organ"),
            modifiers=_labels(matches.attributes, "modifier"),
            measurements=tuple(measurement for measurement, _ in measurements(text)),
            modalities=matches.modalities,
            confidence=FALLBACK_CONFIDENCE,
        )

    def _speaks_of_all(self, words: Sequence[str], matches: SentenceMatches) -> bool:
        """Return whether a sentence says that the examination as a whole is unchanged, or shows nothing new."""
        cues = {cue.category for cue in matches.cues}
        if UNCHANGED not in self._lexicon.findings or ("STABLE" not in cues and not {"NEGATED", "NEW"} <= cues):
            return False
        if cues - {"STABLE", "NEGATED", "NEW", "DEFINITE"} or not self._pronouns.isdisjoint(words):
            return False
        indices = {i for cue in matches.cues for i in range(cue.start, cue.end)}
        indices |= {i for a in matches.attributes if a.kind == "modifier" for i in range(a.start, a.end)}
        known = self._grammar.carrying.examination | self._grammar.coverage.empty
        return all(i in indices or not word[0].isalpha() or word in known for i, word in enumerate(words))

    def _unit(
        self, text: str, words: Words, said: _Said, span: tuple[int, int], modalities: frozenset[str]
    ) -> ClinicalUnit:
        target, cues, sizes = said.target, said.cues, present(said.sizes)
        concept = self._concept_of(said)
        finding, normal = self._lexicon.findings.get(concept), self._lexicon.normals.get(concept)
        # A modifier among the finding's own words is part of its name ("the heart is enlarged"), but for age and kind.
        modifiers = _labels(said.beside, "modifier") | self._labels_of_kind(concept, said)
        modifiers |= _labels(said.within, "modifier") & self._ages
        is_device = finding is not None and finding.device
        implied = finding or normal
        return ClinicalUnit(
            span_text=text[slice(*span)],
            start=span[0],
            end=span[1],
            canonical_finding=concept,
            surface_finding=text[words.starts[target.start] : words.ends[target.end - 1]],
            polarity=_polarity(cues, is_normal=normal is not None),
            certainty=_certainty(cues),
            change=said.change or change_of(said.sizes),
            device=concept if is_device else None,
            device_status=self._lexicon.qualities.device_state(modifiers) if is_device else None,
            severity=_severity(a for a in said.attributes if not self._names_size(words, said, a)),
            anatomy=_labels(said.attributes, "side", "zone", "organ").union(implied.anatomy if implied else ()),
            modifiers=modifiers,
            measurements=(*sizes, *said.quantities),
            denies=frozenset(normal.denies) if normal is not None and "NEGATED" not in cues else frozenset(),
            administrative=target.administrative,
            modalities=modalities,
            temporality=self._time(said, finding.category if finding is not None else ""),
            experiencer=_experiencer(cues),
        )

    def _concept_of(self, said: _Said) -> str:
        """The target's finding, or what it is at the place, with the words and of the size that it is given.

        One that is named with its place stays there: "lung cancer with mediastinal nodes".
        """
        own = _labels(said.within, "organ")
        labels = (own if self._regions.named(own) else _labels(said.attributes, "zone", "organ")) | _labels(
            said.beside, "modifier"
        )
        labels |= self._labels_of_kind(said.target.concept, said)
        size = largest(present(said.sizes))
        millimetres = 0.0 if size is None else size.millimetres
        return self._lexicon.described(said.target.concept, labels, millimetres, said.region)

    def _labels_of_kind(self, concept: str, said: _Said) -> frozenset[str]:
        """Words of kind among the target's own: "perforated appendicitis"."""
        words = (kinds.graver | kinds.milder for kinds in self._lexicon.kinds(concept))
        return _labels(said.within, "modifier").intersection(frozenset().union(*words))

    def _time(self, said: _Said, category: str) -> Temporality:
        # What is measured now as well as then is there now: "12 mm (7 mm two years ago)".
        is_now = self._is_sign_of_the_past(said) or change_of(said.sizes) is not None
        past = {"HISTORICAL"} if is_now else set()
        return _temporality(said.cues - past, leaves_a_mark=category in self._lexicon.qualities.marks_of_operation)

    def _is_sign_of_the_past(self, said: _Said) -> bool:
        """Return whether a finding said to be "prior" is a trace of the past: "after prior infection", "calcified"."""
        cues = said.target.cues
        if any(cue.category == "HISTORICAL" and cue.end - cue.start > 1 for cue in cues):
            return False
        is_inferred = any(cue.category in {"PROBABLE", "POSSIBLE", "DEFINITE"} for cue in cues)
        return is_inferred or not self._lexicon.qualities.residual.isdisjoint(_labels(said.attributes, "modifier"))

    def _names_size(self, words: Words, said: _Said, attribute: AttributeMatch) -> bool:
        """Return whether a size word is the finding's own name: "the heart is big" says only that it is enlarged.

        A target of only sides, zones and degrees takes up an earlier finding: "effusions, small left and large right".
        """
        if words.words[attribute.start : attribute.end] not in self._size_names:
            return False
        if said.target.concept in self._size_states and said.target.end - said.target.start == 1:
            return True
        own = range(said.target.start, said.target.end)
        described = {i for a in said.attributes if a.kind != "organ" for i in range(a.start, a.end)}
        described |= {i for i in own if words.words[i] in self._grammar.ellipsis.taken_up}
        return attribute.start in own and attribute.end - 1 in own and not described.issuperset(own)


def _leading_level(words: Sequence[str], attributes: Iterable[AttributeMatch]) -> frozenset[str]:
    """Labels of the disc level that a sentence begins with, none where it names several."""
    named = [frozenset(a.labels) for a in attributes if Place.of(frozenset(a.labels)).discs]
    first = min((a.start for a in attributes if frozenset(a.labels) in named), default=0)
    return named[0] if len(named) == 1 and all(word in _LEADING for word in words[:first]) else frozenset()


_LEADING: Final = frozenset({"at", "level", "of", "disc", "c", "t", "l"})
"""Words before the level that a sentence is about: "At the level of L4-L5"."""


def _without_degrees_of_change(words: Sequence[str], matches: SentenceMatches) -> Iterator[AttributeMatch]:
    """Attributes but for degrees of a change: "slightly larger" and "mild interval increase" are no mild findings."""
    named = {i for target in matches.targets for i in range(target.start, target.end)}
    changes = [c for c in matches.cues if c.category in CHANGES and named.isdisjoint(range(c.start, c.end))]
    for attribute in matches.attributes:
        inside = any(cue.start <= attribute.start and attribute.end <= cue.end for cue in changes)
        adverb = words[attribute.end - 1].endswith("ly") and any(cue.start == attribute.end for cue in changes)
        if attribute.kind != "severity" or not (inside or adverb):
            yield attribute


def _without_recipients(matches: SentenceMatches) -> SentenceMatches:
    """The matches but for attributes of those who were told of the findings: "the surgical team was informed"."""
    messages = [statement for statement in matches.statements if statement.kind == COMMUNICATION]
    first = min((target.start for target in matches.targets), default=0)
    end = max((statement.end for statement in messages if statement.end <= first), default=0)
    if not end:
        return matches
    return evolve(matches, attributes=tuple(a for a in matches.attributes if a.start >= end))


def _hulls(matches: SentenceMatches, owned: Sequence[Sequence[AttributeMatch]]) -> list[tuple[int, int]]:
    """The words of each unit; a word that bears on two ("atelectasis or pneumonia") goes to the first."""
    hulls: list[tuple[int, int]] = []
    for index, attributes in enumerate(owned):
        start, end = _hull(matches, index, attributes)
        hulls.append((max(start, hulls[-1][1]) if hulls else start, end))
    return hulls


def _hull(matches: SentenceMatches, index: int, attributes: Iterable[AttributeMatch]) -> tuple[int, int]:
    """Words from the first to the last that bear on a target, without reaching over another target or over advice."""
    targets = matches.targets
    target = targets[index]
    walls = [s for s in matches.statements if s.kind in {ADVICE, COMMUNICATION}]
    floor = max([targets[index - 1].end if index else 0, *(s.end for s in walls if s.end <= target.start)])
    ceiling = min(
        [
            targets[index + 1].start if index + 1 < len(targets) else sys.maxsize,
            *(s.start for s in walls if s.start >= target.end),
        ]
    )
    negated = any(cue.category == "NEGATED" for cue in target.cues)
    apart = {"HYPOTHETICAL", "LIMITATION", "POSSIBLE"} if negated else {"HYPOTHETICAL", "LIMITATION"}
    cues = (cue for cue in target.cues if cue.category not in apart)
    parts = [(a.start, a.end) for a in attributes] + [(c.start, c.end) for c in cues]
    inside = [(s, e) for s, e in parts if s >= floor and e <= ceiling]
    return (
        min([target.start, *(s for s, _ in inside)]),
        max([target.end, *(e for _, e in inside)]),
    )


def _polarity(cues: set[str], *, is_normal: bool) -> Polarity:
    if is_normal:
        return Polarity.PRESENT if "NEGATED" in cues else Polarity.ABSENT
    if "NEGATED" in cues or "RESOLVED" in cues:
        return Polarity.ABSENT
    return Polarity.UNCERTAIN if "POSSIBLE" in cues else Polarity.PRESENT


def _certainty(cues: set[str]) -> Certainty | None:
    if "NEGATED" in cues:
        return None
    if "POSSIBLE" in cues:
        return Certainty.POSSIBLE
    if "PROBABLE" in cues:
        return Certainty.PROBABLE
    return Certainty.DEFINITE if "DEFINITE" in cues else None


def _change(cues: set[str]) -> Change | None:
    if {"IMPROVED", "WORSENED"} <= cues:
        return None
    return next((Change(c.lower()) for c in ("RESOLVED", "WORSENED", "IMPROVED", "NEW", "STABLE") if c in cues), None)


def _temporality(cues: set[str], *, leaves_a_mark: bool = False) -> Temporality:
    """A comparison speaks of this examination: "previously seen effusion has increased".

    So does an operation the patient is "status post": its mark is on the picture.
    """
    if not cues.isdisjoint(_OPEN):
        return Temporality.HYPOTHETICAL
    past = "HISTORICAL" in cues or ("STATUS_POST" in cues and not leaves_a_mark)
    return Temporality.HISTORICAL if past and CHANGES.isdisjoint(cues) else Temporality.CURRENT


def _severity(attributes: Iterable[AttributeMatch]) -> str | None:
    """The severest word: "small to moderate" is read as one term, so two words are two statements."""
    levels = [label for a in attributes if a.kind == "severity" for label in a.labels]
    return max(levels, key=severity_ordinal, default=None)


def _labels(attributes: Iterable[AttributeMatch], *kinds: str) -> frozenset[str]:
    return frozenset(label for a in attributes if a.kind in kinds for label in a.labels)


def _sides_of(kind: str, matches: SentenceMatches) -> frozenset[str]:
    """The sides that a statement about the examination names."""
    return _labels(matches.attributes, "side") if kind == TECHNIQUE else frozenset()


def _with_sizes(spans: Sequence[tuple[int, int]], sizes: Sequence[Sequence[Size]]) -> list[tuple[int, int]]:
    """Each unit's characters with its sizes, where no other unit stands between."""
    widened: list[tuple[int, int]] = []
    for index, (start, end) in enumerate(spans):
        floor = widened[-1][1] if widened else 0
        ceiling = spans[index + 1][0] if index + 1 < len(spans) else sys.maxsize
        inside = [size for size in sizes[index] if size.start >= floor and size.end <= ceiling]
        widened.append((min([start, *(s.start for s in inside)]), max([end, *(s.end for s in inside)])))
    return widened


def _experiencer(cues: set[str]) -> Experiencer:
    return Experiencer.FAMILY if "FAMILY" in cues else Experiencer.PATIENT
