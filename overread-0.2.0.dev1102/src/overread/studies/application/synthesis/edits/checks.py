"""Checks of an edited report: whether it is a report still, and whether it reads as it was meant to.

What matters is decided by `overread.domain.findings.extents` and the lexicon, on what the extractor reads; the
alignment and the list of discrepancies that `notation` makes have no part in it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import evolve, frozen

from overread.domain.findings import extents
from overread.domain.findings.contradiction import contradictions
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import (
    is_uncertain,
    kinship,
)
from overread.domain.findings.unit import Certainty, ClinicalUnit, largest
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.studies.application.synthesis.edits.categories import Category, Subset
from overread.studies.application.synthesis.edits.edit import LabelledSpan
from overread.studies.application.synthesis.edits.reading import Reading, sentence_spans
from overread.studies.application.synthesis.edits.sentences import number_broken

__all__ = ["DOES_NOT_MATTER", "fault_of_reading", "fault_of_text"]

Units = Sequence[ClinicalUnit]

_Modalities = Mapping[str, frozenset[str]]
"""Modalities that the statements of each administrative kind name, "" for clinical ones."""

DOES_NOT_MATTER: Final = "does not matter"

_LENGTHS: Final = (0.8, 1.2)
_BLEMISHES: Final = tuple(
    re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    for pattern in (
        r" {2,}",
        r" [.,;:](?=\s|$)",
        r"\(\s*\)",
        r"\b(?:a|an) (?:a|an|the|no)\b",
        r"\b(\w+) \1\b",
        r"\.\.",
        r",\s*\.",
        r"(?:\A|[.:\n])[ \t]*,",
        r":\s*\.",
        r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]*$",
        r"^[A-Z][A-Za-z ]{2,30}:[ \t]*(?=\n\s*[A-Z][A-Za-z ]{2,30}:|\s*\Z)",
    )
)
"""What a careless edit leaves behind: doubled spaces and words, punctuation, bullets and headings that stand alone."""

_ATTRIBUTES: Final[dict[ErrorAspect, dict[str, Any]]] = {
    ErrorAspect.LOCATION: {"anatomy": frozenset(), "device_status": None},
    ErrorAspect.SEVERITY: {"severity": None, "measurements": ()},
    ErrorAspect.SIZE: {"measurements": ()},
    ErrorAspect.COMPARISON: {"change": None},
    ErrorAspect.UNCERTAINTY: {"polarity": "", "certainty": None, "modifiers": frozenset()},
}
"""What an edit of an aspect may change of a finding; everything else must stay."""

_DENIALS_KEPT: Final = frozenset(
    {ErrorAspect.NEGATION, ErrorAspect.UNCERTAINTY, ErrorAspect.NOISE, ErrorAspect.STYLE, ErrorAspect.TERMINOLOGY}
)


def fault_of_text(reference: str, candidate: str, spans: Iterable[LabelledSpan], *, slips: bool = False) -> str:
    """Fault of an edited report as a text; "" if there is none.

    Its length may differ by a fifth (Beyond Scalar Scores, section 4.3 and appendix I) or by one sentence.

    Args:
        reference: the report as it was.
        candidate: the edited one.
        spans: its labels.
        slips: whether it is meant to have slips.
    """
    if candidate == reference or not candidate.strip():
        return "nothing changed"
    least, most = _LENGTHS
    sentences = [len(sentence_spans(text)) for text in (reference, candidate)]
    if not least <= len(candidate) / max(1, len(reference)) <= most and abs(sentences[0] - sentences[1]) > 1:
        return "length"
    stand = all(
        (s.reference is None or s.reference.of(reference))
        and (s.candidate is None or s.candidate.of(candidate) == s.text)
        for s in spans
    )
    if not stand:
        return "span"
    if not slips and any(len(p.findall(candidate)) > len(p.findall(reference)) for p in _BLEMISHES):
        return "blemish"
    if not slips and number_broken(candidate) > number_broken(reference):
        return "broken sentence"
    return ""


def fault_of_reading(before: Reading, after: Units, category: Category, subset: Subset) -> str:
    """Reason why an edited report does not read as meant; "" if it does.

    A discrimination pair must differ in what its category is about and in nothing else, and that must matter. A
    robustness pair must assert the same findings, and no difference may matter.
    """
    change = _Difference.between(before.units, after, before.lexicon)
    if subset is Subset.DISCRIMINATION:
        if not change.is_of(category):
            return "reads otherwise"
        return "" if change.matters(category.aspect) else DOES_NOT_MATTER
    if change.contradicts or change.matters(category.aspect):
        return "matters"
    return "" if change.is_harmless(category) else "reads otherwise"


@frozen
class _Difference:
    """Difference of two reports: what is no longer said, what is said instead, and the findings asserted as before."""

    lost: Units
    gained: Units
    kept: Units
    contradicts: bool
    modalities: tuple[_Modalities, _Modalities]
    lexicon: Lexicon

    @classmethod
    def between(cls, before: Units, after: Units, lexicon: Lexicon) -> _Difference:
        old, new = Counter(map(_statement, _clinical(before))), Counter(map(_statement, _clinical(after)))
        return cls(
            list((old - new).elements()),
            list((new - old).elements()),
            _findings(list(old & new)),
            any(contradictions(before, after, lexicon)),
            (_modalities(before), _modalities(after)),
            lexicon,
        )

    def is_of(self, category: Category) -> bool:
        """Returns whether the difference is of a category and of no other."""
        if category.aspect is ErrorAspect.MODALITY:
            return self._speaks_of_nothing_else and self.modalities[0] != self.modalities[1]
        if category.aspect in _ATTRIBUTES:
            return bool(_findings(self.lost)) and self._same_but_for(category.aspect)
        if category.aspect is ErrorAspect.CONTRADICTION:
            return self.contradicts and not _findings(self.lost)
        return not self.contradicts and self._is_of_findings(category)

    def _is_of_findings(self, category: Category) -> bool:
        """Decides `is_of` for categories that change which findings are there."""
        lost, gained = _findings(self.lost), _findings(self.gained)
        match category:
            case Category(type=ErrorType.OMISSION):
                return bool(lost) and not self.gained
            case Category(type=ErrorType.FABRICATION):
                return bool(gained) and not self.lost
            case Category(aspect=ErrorAspect.NEGATION):
                denied = any(_denies(unit, finding) for finding in lost for unit in self.gained)
                return denied != any(_denies(unit, finding) for finding in gained for unit in self.lost)
            case Category(aspect=ErrorAspect.TERMINOLOGY | ErrorAspect.DESCRIPTION):
                return bool(lost) and len(lost) == len(gained)
        return bool(lost or gained)

    @property
    def _speaks_of_nothing_else(self) -> bool:
        return not (_findings(self.lost) or _findings(self.gained))

    def is_harmless(self, category: Category) -> bool:
        """Returns whether the same findings are asserted, with nothing changed except what the category is about."""
        if category.aspect is ErrorAspect.MODALITY and self.modalities[0] != self.modalities[1]:
            return False
        if category.aspect is ErrorAspect.DESCRIPTION and category.type is not ErrorType.INACCURACY:
            return not (_findings(self.gained) if category.type is ErrorType.FABRICATION else self.gained)
        if category.aspect in _DENIALS_KEPT and {u.canonical_finding for u in _denied_units(self.lost)} != {
            u.canonical_finding for u in _denied_units(self.gained)
        }:
            return False
        return self._same_but_for(category.aspect)

    def matters(self, aspect: ErrorAspect) -> bool:
        """Returns whether any difference is significant."""
        if aspect is ErrorAspect.MODALITY:
            old, new = self.modalities
            return any(new.get(kind) and not named & new[kind] for kind, named in old.items())
        if self.contradicts:
            return True
        lost, gained = _findings(self.lost), _findings(self.gained)
        for unit in list(lost):
            twin = next((g for g in gained if kinship(unit, g, self.lexicon).is_kin), None)
            if twin is not None:
                lost.remove(unit)
                gained.remove(twin)
                if any(j.severity.counts_as_significant for j in _judge_differences(unit, twin, self.lexicon)):
                    return True
        return any(extents.judge_presence(u, self.lexicon).severity.counts_as_significant for u in [*lost, *gained])

    def _same_but_for(self, aspect: ErrorAspect) -> bool:
        blank = _ATTRIBUTES.get(aspect, {"modifiers": frozenset()})
        old, new = (Counter(evolve(u, **blank) for u in _findings(units)) for units in (self.lost, self.gained))
        return old == new


def _judge_differences(r: ClinicalUnit, c: ClinicalUnit, lexicon: Lexicon) -> Iterator[extents.Judgement]:
    """Judgements of everything in which two mentions of one finding differ."""
    yield from _judged_place(r, c, lexicon)
    if r.severity != c.severity:
        yield extents.judge_degree(r, c, lexicon)
    if (a := largest(r.measurements)) and (b := largest(c.measurements)) and (judged := extents.judge_size(a, b)):
        yield judged
    if r.change is not c.change:
        yield extents.judge_change(r, r.change, c.change, lexicon)
    if abs(_doubt(r) - _doubt(c)) > 1:
        yield extents.judge_uncertainty(r, (), lexicon, open_side="reference" if is_uncertain(r) else "candidate")
    if age := extents.judge_age(r, c, lexicon):
        yield age
    if worded := extents.judge_appearance(r, c, r.modifiers, c.modifiers, lexicon):
        yield worded[1]
    if r.canonical_finding != c.canonical_finding:
        broader = lexicon.is_kind_of(r.canonical_finding, c.canonical_finding)
        yield extents.judge_term(r, c, lexicon, broader=broader)


def _judged_place(r: ClinicalUnit, c: ClinicalUnit, lexicon: Lexicon) -> Iterator[extents.Judgement]:
    here, there = r.place, c.place
    lost, added = here.sides - there.sides, there.sides - here.sides
    if lost or added:
        yield extents.judge_side(r, lexicon, contradicts=bool(added and here.sides), omitted=bool(lost))
    elif distance := here.heights_apart(there):
        yield extents.judge_zone(r, lexicon, distance)
    elif here.levels and here.levels != there.levels:
        yield extents.judge_level(here.levels_beside(there), there.levels_beside(here), r, lexicon)[1]
    elif parts := extents.judge_parts(here.labels, there.labels, r, lexicon):
        yield parts
    if state := extents.judge_device(r, c, lexicon):
        yield state


def _doubt(unit: ClinicalUnit) -> int:
    return 2 if is_uncertain(unit) else int(unit.certainty is Certainty.PROBABLE)


def _clinical(units: Units) -> Iterator[ClinicalUnit]:
    return (unit for unit in units if unit.canonical_finding)


def _statement(unit: ClinicalUnit) -> ClinicalUnit:
    """The unit without its position and wording: only what it says."""
    return evolve(unit, span_text="", start=0, end=0, section="", sentence_index=0, surface_finding="", confidence=1.0)


def _findings(units: Units) -> list[ClinicalUnit]:
    return [unit for unit in units if unit.asserts_finding]


def _denied_units(units: Units) -> list[ClinicalUnit]:
    return [unit for unit in units if unit.denies_finding]


def _denies(denial: ClinicalUnit, unit: ClinicalUnit) -> bool:
    return denial.denies_finding and unit.canonical_finding in {denial.canonical_finding, *denial.denies}


def _modalities(units: Units) -> _Modalities:
    kinds = {unit.administrative for unit in units if unit.modalities}
    return {
        kind: frozenset[str]().union(*(unit.modalities for unit in units if unit.administrative == kind))
        for kind in sorted(kinds)
    }
