"""A parser's names in the lexicon's terms, so that the relations of findings hold for its units too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from attrs import evolve

from overread.adapters.lexicon import Knowledge, load_knowledge
from overread.adapters.lexicon.describe import entry_named
from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.medspacy.options import MedspacyOptions
from overread.adapters.reader.medspacy.sizes import measurements
from overread.adapters.reader.unit_parser._answer import ParsedUnit
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Polarity, largest
from overread.domain.reports.report import Report, Span
from overread.domain.results.result import Unscored

__all__ = ["Naming"]

_WORD: Final = re.compile(r"[^\W_]+")
_REMEMBERED: Final = 16_000
_DENIALS: Final = ("no ", "no_", "without ")
_BILATERAL: Final = frozenset({"bilateral", "both"})
_NO_DEGREE: Final = frozenset({"normal", "no", "absent"})
"""Degrees that say of a finding that there is none, which is its polarity."""


class Naming:
    """Turns parsed units into clinical units.

    A label is what the rules read it as: "clear lungs" is the normal statement of the lungs, "right lower lobe" two
    labels of anatomy, "moderate-to-large" a degree. A name that the lexicon does not know stays, in lower case with
    underscores; a degree it does not know stays as written.
    """

    def __init__(self, folder: str | None = None) -> None:
        self.folder = folder
        self.knowledge: Knowledge = load_knowledge(folder)
        self._rules = MedspacyUnitExtractor.create(MedspacyOptions(lexicon=folder))
        self._read = lru_cache(maxsize=_REMEMBERED)(self._reading)

    def statements(self, words: str) -> tuple[ClinicalUnit, ...]:
        """Units that the rules read in some words, placed relative to them."""
        return self._read(words)

    def has_words(self, sentence: str) -> bool:
        """Return whether a sentence holds a word, marks of de-identification aside."""
        return any(word[0].isalpha() for word in self.knowledge.normaliser.words(sentence).words)

    def units(self, parsed: ParsedUnit, text: str, span: Span) -> tuple[ClinicalUnit, ...]:
        """The clinical units of a parsed one: its own and, after a device, what is said of how it lies.

        The lexicon has a good or bad position as a statement of its own, so that one of a device in its modifiers
        becomes one, too. Takes the same as `unit`.
        """
        unit = self.unit(parsed, text, span)
        states = (
            {label: self._position(unit.device, label) for label in sorted(parsed.modifiers)} if unit.device else {}
        )
        positions = {label: state for label, state in states.items() if state is not None}
        if not positions:
            return (unit,)
        modifiers = unit.modifiers - self._labels(positions, lambda read: read.modifiers)
        status = self.knowledge.lexicon.qualities.device_state(modifiers)
        apart = {state.canonical_finding: _beside(unit, state, label) for label, state in positions.items()}
        return (evolve(unit, modifiers=modifiers, device_status=status), *apart.values())

    def unit(self, parsed: ParsedUnit, text: str, span: Span) -> ClinicalUnit:
        """The clinical unit of a parsed one.

        A normal statement is one of absence, whichever polarity it is given, unless the words themselves turn it round
        ("the lungs are not clear"). A label that holds its own denial ("no effusion") is absent, and so is what has
        resolved. What is merely possible is uncertain and the other way round; "definite" stands where the words say
        so, since parsers give it to every plain statement.

        Args:
            parsed: the unit.
            text: of the report.
            span: where it stands in it.
        """
        words = span.of(text)
        named = self._find_entry(parsed, words)
        sizes = tuple(size for size, _ in measurements(words))
        anatomy = self._labels(parsed.anatomy, lambda unit: unit.anatomy)
        modifiers = self._labels(parsed.modifiers, lambda unit: unit.modifiers)
        polarity, denies = self._assertion(parsed, named, words)
        certainty = None if polarity is Polarity.ABSENT else self._certainty(parsed, words)
        if not denies and certainty is Certainty.POSSIBLE:
            polarity = Polarity.UNCERTAIN
        device = self._concept(parsed.device) if parsed.device else None
        severity = self._severity(parsed.severity)
        if severity is not None and severity in self.knowledge.lexicon.qualities.borderline:
            modifiers |= {severity}
            severity = None
        concept = _slug(parsed.label)
        if named is not None:
            biggest = largest(sizes)
            size = 0.0 if biggest is None else biggest.millimetres
            concept = self.knowledge.lexicon.described(named.canonical_finding, anatomy | modifiers, size)
            anatomy |= named.anatomy
            modifiers |= named.modifiers
            device = device or named.device
            severity = severity or named.severity
        return ClinicalUnit(
            span_text=words,
            start=span.start,
            end=span.end,
            canonical_finding=concept,
            surface_finding=parsed.surface_finding,
            polarity=polarity,
            certainty=certainty,
            change=parsed.comparison,
            device=device,
            device_status=self.knowledge.lexicon.qualities.device_state(modifiers) if device else None,
            severity=severity,
            anatomy=anatomy,
            modifiers=modifiers,
            measurements=sizes,
            denies=denies,
            administrative=self.knowledge.technical.get(concept, ""),
            confidence=parsed.confidence,
        )

    def _find_entry(self, parsed: ParsedUnit, words: str) -> ClinicalUnit | None:
        """The lexicon's finding or normal statement that a unit is about, None where it knows none.

        Words that make one normal statement and nothing else are that statement, where the label names none ("heart
        size") or denies something of the same part ("cardiomegaly", absent). To deny what a normal statement denies by
        name is to make it: "acute cardiopulmonary process", absent.
        """
        known = self._finding(parsed.label)
        read = self._read(words)
        if len(read) == 1 and read[0].denies and self._makes(parsed, known, read[0]):
            return read[0]
        if parsed.polarity is Polarity.ABSENT and (known is None or not known.denies):
            normal = self._finding(f"no {parsed.label}")
            if normal is not None and normal.denies and (known is None or known.canonical_finding in normal.denies):
                return normal
        return self._finding(parsed.device) if known is None and parsed.device else known

    def _makes(self, parsed: ParsedUnit, known: ClinicalUnit | None, normal: ClinicalUnit) -> bool:
        """Return whether a unit with the words of a normal statement is that statement."""
        if known is None:
            return parsed.device is None
        if known.denies:
            return known.canonical_finding == normal.canonical_finding and parsed.polarity is not Polarity.UNCERTAIN
        if parsed.polarity is not Polarity.ABSENT:
            return False
        return known.canonical_finding in normal.denies or bool(known.anatomy & normal.anatomy)

    def _certainty(self, parsed: ParsedUnit, words: str) -> Certainty | None:
        if parsed.uncertainty is Certainty.DEFINITE:
            is_said = any(unit.certainty is Certainty.DEFINITE for unit in self._read(words))
            return Certainty.DEFINITE if is_said else None
        if parsed.polarity is Polarity.UNCERTAIN:
            return Certainty.POSSIBLE
        return parsed.uncertainty

    def _position(self, device: str | None, label: str) -> ClinicalUnit | None:
        """The statement that a device lies well or badly, which the rules read in a label about it; None for others."""
        name = self.knowledge.lexicon.name(device or "").replace("_", " ")
        read = [unit for unit in self._read(f"{name} is {label.replace('_', ' ')}") if unit.canonical_finding]
        others = [unit for unit in read if unit.canonical_finding != device]
        return others[0] if len(read) == 2 and len(others) == 1 else None  # noqa: PLR2004 - the device and its state

    def _finding(self, label: str) -> ClinicalUnit | None:
        """The entry of this name, or else the one finding that the rules read in a label."""
        findings = [unit for unit in self._read(label.replace("_", " ")) if unit.canonical_finding]
        only = findings[0] if len(findings) == 1 else None
        entry = entry_named(self.knowledge.lexicon, label)
        if entry is None or (only is not None and only.canonical_finding == entry):
            return only
        return self._entry(entry)

    def _entry(self, concept: str) -> ClinicalUnit:
        """A finding or normal statement by its id."""
        lexicon = self.knowledge.lexicon
        finding, normal = lexicon.findings.get(concept), lexicon.normals.get(concept)
        anatomy = finding.anatomy if finding else normal.anatomy if normal else ()
        return ClinicalUnit(
            span_text="",
            start=0,
            end=0,
            canonical_finding=concept,
            polarity=Polarity.ABSENT if normal else Polarity.PRESENT,
            device=concept if finding and finding.device else None,
            anatomy=frozenset(anatomy),
            denies=frozenset(normal.denies) if normal else frozenset(),
        )

    def _assertion(self, parsed: ParsedUnit, named: ClinicalUnit | None, words: str) -> tuple[Polarity, frozenset[str]]:
        """Polarity of a unit and what it denies as a normal statement."""
        if named is not None and named.canonical_finding in self.knowledge.lexicon.normals:
            if not named.denies or self._is_turned_round(parsed, named, words):
                return Polarity.PRESENT, frozenset()
            return Polarity.ABSENT, named.denies
        denied = named is not None and named.polarity is Polarity.ABSENT and parsed.polarity is Polarity.PRESENT
        if denied or parsed.comparison is Change.RESOLVED:
            return Polarity.ABSENT, frozenset()
        return parsed.polarity, frozenset()

    def _is_turned_round(self, parsed: ParsedUnit, named: ClinicalUnit, words: str) -> bool:
        """Return whether a normal statement called absent is denied: the rules read a finding or bare "not" in it.

        Parsers also call "no acute process" or "normal heart size" absent for lack of a finding.
        """
        is_denial = named != self._finding(parsed.label) or parsed.label.lower().startswith(_DENIALS)
        if parsed.polarity is not Polarity.ABSENT or is_denial:
            return False
        read = self._read(words)
        turned = any(u.asserts_finding or (u.is_unread and u.polarity is Polarity.ABSENT) for u in read)
        return turned and not any(unit.denies_finding for unit in read)

    def _concept(self, label: str) -> str:
        known = self._finding(label)
        return _slug(label) if known is None else known.canonical_finding

    def _labels(self, labels: Iterable[str], of: Callable[[ClinicalUnit], frozenset[str]]) -> frozenset[str]:
        """The lexicon's labels of a kind for each of a parser's; one that the rules cannot read stays as it is."""
        result: set[str] = set()
        for label in (part for given in labels for part in _sides(given)):
            read = {known for unit in self._read(label.replace("_", " ")) for known in of(unit)}
            result |= read or {_slug(label)} - {""}
        return frozenset(result)

    def _severity(self, word: str | None) -> str | None:
        if word is None or word.strip().lower() in _NO_DEGREE:
            return None
        return next((unit.severity for unit in self._read(word) if unit.severity), word.lower())

    def _reading(self, words: str) -> tuple[ClinicalUnit, ...]:
        (extraction,) = self._rules.extract([Report(words)])
        return () if isinstance(extraction, Unscored) else extraction


def _beside(unit: ClinicalUnit, state: ClinicalUnit, label: str) -> ClinicalUnit:
    """A statement about a device, placed where the device is told."""
    return evolve(
        state,
        span_text=unit.span_text,
        start=unit.start,
        end=unit.end,
        surface_finding=label,
        confidence=unit.confidence,
    )


def _sides(label: str) -> tuple[str, ...]:
    """A label, or both sides for one that stands for them."""
    return ("left", "right") if label.strip().lower() in _BILATERAL else (label,)


def _slug(label: str) -> str:
    return "_".join(_WORD.findall(label.lower()))
