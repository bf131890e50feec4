"""Hard facts: differences that both reports state, which a second reader may not argue away.

A second reader judges wording. Where sentences in nearly the same words give another side, number or course, the
difference is no matter of wording: it is never taken for doubtful. Where the first reading finds that one report
asserts what the other denies by name, it may have misread either: a second reader that is sure of that has its way,
one that is in doubt has not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from overread.domain.differences.unread import (
    LEAST_SIMILARITY,
    Coverage,
    DetailKind,
    ReadSentence,
    comparable,
    likeness,
)
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import denies, is_uncertain
from overread.domain.findings.unit import ClinicalUnit, Experiencer, Polarity, Temporality
from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.matching import likest_pairs
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory

__all__ = [
    "LEAST_OF_AN_ASSERTION",
    "LEAST_OF_A_FACT",
    "SURE_OF_A_MISREADING",
    "HardFact",
    "bound_probability",
    "hard_facts",
]

Units = Sequence[ClinicalUnit]
Ends = tuple[Units, Units]
Sentences = tuple[ReadSentence, ReadSentence]
Places = tuple[Sequence[Span], Sequence[Span]]
Stated = Mapping["HardFact", frozenset[object]]

LEAST_OF_A_FACT: Final = 0.9
"""Least probability of a side, size, level or course that differs in sentences otherwise alike: as much of its weight
adds to the risk, and its severity stays."""

LEAST_OF_AN_ASSERTION: Final = 0.7
"""Least probability of a hard fact that hangs on how an assertion or a denial was read."""

SURE_OF_A_MISREADING: Final = 0.25
"""Probability below which a second reader is sure that an assertion or a denial was misread. Of 275 such facts in the
gold corpus's parts ``select``, 3 of the 47 below it hold, and 193 of the 228 above."""

_OF_EQUALLY_ALIKE: Final = 0.001
"""Likeness that a side or a measurement in common adds: it decides between sentences that share as many words."""

_BOTH: Final = frozenset({"left", "right"})
_WORD: Final = re.compile(r"[^\W_]+")


class HardFact(StrEnum):
    """Reason why a discrepancy cannot be argued away."""

    DENIED = "denied"
    """One report asserts a finding, and the other denies it by name."""

    CONTRADICTION = "contradiction"
    """The candidate asserts a finding and denies it by name, or calls it better and worse."""

    ASIDE = "aside"
    """The candidate has an omitted finding as history, as a relative's or as to be ruled out, and in no other way."""

    SIDE = "side"
    """Sentences otherwise alike name different sides."""

    SIZE = "size"
    """Sentences otherwise alike give different measurements."""

    LEVEL = "level"
    """Sentences otherwise alike name different vertebrae or ribs."""

    CHANGE = "change"
    """Sentences otherwise alike tell different courses."""


_OF_ASSERTION: Final = frozenset({HardFact.DENIED, HardFact.CONTRADICTION, HardFact.ASIDE})


def bound_probability(probability: float, fact: HardFact | None) -> float:
    """A second reader's probability, for a hard fact no less than its bound.

    What hangs on how an assertion or a denial was read is left to a second reader that is sure of a misreading.

    >>> bound_probability(0.04, HardFact.SIDE), bound_probability(0.95, HardFact.SIDE), bound_probability(0.04, None)
    (0.9, 0.95, 0.04)
    >>> bound_probability(0.4, HardFact.DENIED), bound_probability(0.04, HardFact.DENIED)
    (0.7, 0.04)
    """
    if fact is None:
        return probability
    if fact not in _OF_ASSERTION:
        return max(probability, LEAST_OF_A_FACT)
    return probability if probability < SURE_OF_A_MISREADING else max(probability, LEAST_OF_AN_ASSERTION)


def hard_facts(
    discrepancies: Iterable[Discrepancy],
    reference: Units,
    candidate: Units,
    coverage: tuple[Coverage, Coverage] | None,
    lexicon: Lexicon,
) -> list[HardFact | None]:
    """Reason that makes each discrepancy of a pair a hard fact; None for one that may be a matter of wording.

    Args:
        discrepancies: as notation finds them.
        reference: units of the reference.
        candidate: those of the candidate.
        coverage: sentences of both reports; where they are not known, none are assumed to be alike.
        lexicon: defines what denials mean.
    """
    alike = [] if coverage is None else _alike(*coverage)
    ends = (reference, candidate)
    return [
        _find_contradiction(discrepancy, candidate, lexicon)
        or _find_denial(discrepancy, ends, lexicon)
        or _told_aside(discrepancy, candidate)
        or _differing(discrepancy, ends, alike)
        for discrepancy in discrepancies
    ]


# --- asserted and denied ---------------------------------------------------------------------------------------------


def _find_contradiction(discrepancy: Discrepancy, candidate: Units, lexicon: Lexicon) -> HardFact | None:
    if discrepancy.aspect is not ErrorAspect.CONTRADICTION:
        return None
    # What points into the reference too is a course: better and worse.
    spans = discrepancy.candidate_spans
    by_name = discrepancy.reference_spans or _is_denied(candidate, candidate, spans, lexicon)
    return HardFact.CONTRADICTION if by_name else None


def _find_denial(discrepancy: Discrepancy, ends: Ends, lexicon: Lexicon) -> HardFact | None:
    if discrepancy.aspect is not ErrorAspect.NEGATION:
        return None
    reference, candidate = ends
    by_name = _is_denied(reference, candidate, discrepancy.reference_spans, lexicon) or _is_denied(
        candidate, reference, discrepancy.candidate_spans, lexicon
    )
    return HardFact.DENIED if by_name else None


def _told_aside(discrepancy: Discrepancy, candidate: Units) -> HardFact | None:
    if discrepancy.category is not ErrorCategory.OMITTED_FINDING or not discrepancy.finding:
        return None
    mentions = [unit for unit in candidate if unit.canonical_finding == discrepancy.finding]
    aside = [
        unit
        for unit in mentions
        if unit.polarity is Polarity.PRESENT
        and (unit.temporality is not Temporality.CURRENT or unit.experiencer is not Experiencer.PATIENT)
    ]
    return HardFact.ASIDE if aside and not any(unit.asserts_finding for unit in mentions) else None


def _is_denied(asserting: Units, denying: Units, spans: Sequence[Span], lexicon: Lexicon) -> bool:
    """Return whether some unit denies by name what a unit at one of the places asserts for certain."""
    return any(
        _names(denial, finding) and denies(denial, finding, lexicon)
        for finding in asserting
        if finding.asserts_finding and not is_uncertain(finding) and finding.span in spans
        for denial in denying
        if denial.denies_finding
    )


def _names(denial: ClinicalUnit, finding: ClinicalUnit) -> bool:
    """Return whether a denial names the finding: "no fracture" for a wrist fracture, "normal heart" for a large one.

    A normal statement that means several findings names none of them.
    """
    if denial.denies:
        return denial.denies == {finding.canonical_finding}
    if denial.canonical_finding == finding.canonical_finding:
        return True
    name = _words(denial.surface_finding)
    return bool(name) and name <= _words(finding.words)


def _words(text: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in _WORD.findall(text.lower()))


# --- sentences otherwise alike ---------------------------------------------------------------------------------------


def _alike(reference: Coverage, candidate: Coverage) -> list[Sentences]:
    """Sentences of both reports that share most words; the likest take each other first."""
    left, right = reference.sentences, candidate.sentences
    scored_pairs = (
        (shared + _OF_EQUALLY_ALIKE * _in_common(r, c), i, j)
        for i, r in enumerate(left)
        for j, c in enumerate(right)
        if (shared := likeness(r.content, c.content)) >= LEAST_SIMILARITY and comparable(reference, i, candidate, j)
    )
    return [(left[i], right[j]) for i, j in likest_pairs(scored_pairs)]


def _in_common(r: ReadSentence, c: ReadSentence) -> int:
    here, there = ({(d.kind, d.value, d.number) for d in one.content.details} for one in (r, c))
    return len(here & there)


def _differing(discrepancy: Discrepancy, ends: Ends, alike: Iterable[Sentences]) -> HardFact | None:
    places = _places(discrepancy, ends)
    concerned = _possible_facts(discrepancy, places)
    for sentences in alike if concerned else ():
        if all(not spans or _lies_in(one, spans) for one, spans in zip(sentences, places, strict=True)):
            here, there = (
                _stated_facts(discrepancy.finding, one, units, spans)
                for one, units, spans in zip(sentences, ends, places, strict=True)
            )
            for fact in concerned:
                if here[fact] and there[fact] and here[fact].isdisjoint(there[fact]):
                    return fact
    return None


def _places(discrepancy: Discrepancy, ends: Ends) -> Places:
    """Places that a discrepancy points at; for a finding that is denied somewhere, those where it is asserted."""
    places = (discrepancy.reference_spans, discrepancy.candidate_spans)
    if discrepancy.aspect is not ErrorAspect.NEGATION:
        return places
    here, there = (
        tuple(span for span in spans if any(unit.span == span and unit.asserts_finding for unit in units))
        for spans, units in zip(places, ends, strict=True)
    )
    return here, there


def _possible_facts(discrepancy: Discrepancy, places: Places) -> Sequence[HardFact]:
    """Hard facts that may explain a discrepancy where sentences are otherwise alike.

    Where a report has several findings, one on another side or of another size is both left out and made up.
    """
    reference, candidate = places
    if bool(reference) == bool(candidate):
        return _BY_ASPECT.get(discrepancy.aspect, ())
    is_finding = discrepancy.aspect in _OF_A_FINDING and discrepancy.finding
    return (HardFact.SIDE, HardFact.LEVEL, HardFact.SIZE) if is_finding else ()


_OF_A_FINDING: Final = frozenset({ErrorAspect.DESCRIPTION, ErrorAspect.NEGATION})
_BY_ASPECT: Final[Mapping[ErrorAspect, Sequence[HardFact]]] = {
    ErrorAspect.LOCATION: (HardFact.SIDE, HardFact.LEVEL),
    ErrorAspect.SIZE: (HardFact.SIZE,),
    ErrorAspect.COMPARISON: (HardFact.CHANGE,),
}


def _stated_facts(finding: str, sentence: ReadSentence, units: Units, spans: Sequence[Span]) -> Stated:
    """Sides, measurements, levels and courses that a sentence gives of a finding; of none all that is in it.

    Of a report that the discrepancy points into, what it points at counts.
    """
    inside = [unit for unit in units if sentence.span.meets(unit.span)]
    about = [unit for unit in inside if (unit.span in spans if spans else unit.canonical_finding == finding)]
    stated: Stated = {
        HardFact.SIDE: frozenset(side for unit in about for side in unit.place.sides),
        HardFact.SIZE: frozenset(
            size.millimetres if size.is_length else (size.value, size.unit)
            for unit in about
            for size in unit.measurements
        ),
        HardFact.LEVEL: frozenset(level for unit in about for level in unit.place.levels),
        HardFact.CHANGE: frozenset(unit.change for unit in about if unit.change is not None),
    }
    return stated if finding else {**stated, **_details(sentence)}


def _details(sentence: ReadSentence) -> Stated:
    """Sides and measurements of a sentence, whether any rule reads them or not."""
    details = sentence.content.details
    sides = frozenset(detail.value for detail in details if detail.kind is DetailKind.SIDE)
    return {
        HardFact.SIDE: _BOTH if "both" in sides else sides,
        HardFact.SIZE: frozenset((d.number, d.value) for d in details if d.kind is DetailKind.NUMBER),
    }


def _lies_in(sentence: ReadSentence, spans: Iterable[Span]) -> bool:
    return any(sentence.span.meets(span) for span in spans)
