"""Labels: the errors of a candidate draft against its reference draft, from their meaning alone.

The rules are those of `overread.domain.findings.extents`, with the grammar's significance of the finding in
place of its importance. "As the finding" below means significant where the grammar says so of the finding.

- A false finding, B omission: as the finding, and significant for a device that lies where it should not. A finding
  that the other report names more broadly or more narrowly is neither; the two are compared.
- C location: another or a lost side as the finding, an added side insignificant. Else another zone: neighbouring
  levels insignificant, upper against lower as the finding; the tip or lead of a device elsewhere significant; any
  other place insignificant. A zone that only one report states is no error, nor are two zones of one level.
- D severity: two steps apart as the finding, one step insignificant unless the finding is urgent; a grade only one
  report states insignificant unless it is the severest, then as the finding. Sizes: a millimetre is nothing, within
  the spread between readers insignificant, beyond it or across 30 mm as the finding; one lost or added insignificant.
- E comparison added or contradicted, F comparison removed: as the finding where "new" or "worsened" is involved,
  else insignificant.
- A once more where the candidate denies what both reports assert, C once more where its impression has another side
  than its body: as the finding.
- G hedge added, H hedge removed: as the finding between an open hedge ("possible") and none, else insignificant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Final

from attrs import evolve, field, frozen

from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.studies.application.synthesis.invented.drafts import Assertion, Coherence, Contradiction, Draft, Mention
from overread.studies.application.synthesis.invented.grammar import CHANGES, HEDGES

__all__ = ["Counts", "Mistake", "count", "differences", "mistakes", "same_level", "same_size"]

Counts = Mapping[ErrorCategory, tuple[int, int]]
"""Significant and insignificant errors in each of the eight categories."""

_LEVEL: Final = {
    "upper lobe": 2,
    "apical": 2,
    "mid lung": 1,
    "perihilar": 1,
    "lower lobe": 0,
    "basal": 0,
    "basilar": 0,
}
_STEP: Final = {"mild": 0, "small": 0, "moderate": 1, "severe": 2, "large": 2, "marked": 2}
_PATTERNS: Final = frozenset({"interstitial", "alveolar", "diffuse"})
"""Values of the zone slot that say how a finding is spread rather than where it lies."""

_OPENNESS: Final = {"": 0, "leaning": 1, "open": 2}
_DIGITS: Final = re.compile(r"\d+")

_NEGLIGIBLE_MM: Final = 1.0
_SMALL_MM: Final = 6.0
_MASS_MM: Final = 30.0


@frozen
class Mistake:
    """One error of a candidate, and the finding it is about."""

    category: ErrorCategory
    significant: bool
    finding: str = field(default="", eq=False)


def mistakes(reference: Draft, candidate: Draft, coherence: Coherence) -> list[Mistake]:
    """Every error of a candidate against its reference."""
    grammar, paired = coherence.grammar, dict(_pair_findings(reference, candidate, coherence))
    all_mistakes: list[Mistake] = []
    for r, c in paired.items():
        forms = grammar.findings[r]
        wrong = differences(
            reference.findings[r], candidate.findings[c], significant=forms.is_significant, urgent=forms.is_urgent
        )
        all_mistakes += [evolve(mistake, finding=r) for mistake in wrong]
    all_mistakes += [
        Mistake(
            compared if grammar.findings[finding].comparison else category,
            coherence.matters(here.findings[finding]),
            finding,
        )
        for category, compared, here, there in (
            (ErrorCategory.OMITTED_FINDING, ErrorCategory.OMITTED_COMPARISON, reference, candidate),
            (ErrorCategory.FALSE_FINDING, ErrorCategory.COMPARISON_NOT_IN_REFERENCE, candidate, reference),
        )
        for finding in _alone(here, there, coherence)
    ]
    all_mistakes += [
        Mistake(category, coherence.matters(reference.findings[finding]), finding)
        for category, finding in _contradictions(candidate)
        if finding in reference.findings and finding in candidate.findings
    ]
    return all_mistakes


def count(found: Iterable[Mistake]) -> Counts:
    """Significant and insignificant errors by category, zeros included."""
    counts = {category: [0, 0] for category in ErrorCategory}
    for mistake in found:
        counts[mistake.category][not mistake.significant] += 1
    return {category: (significant, rest) for category, (significant, rest) in counts.items()}


def differences(
    reference: Assertion, candidate: Assertion, *, significant: bool, urgent: bool = False
) -> list[Mistake]:
    """Errors in the slots of one finding; ``significant`` and ``urgent`` are what the finding itself is.

    >>> wrong = differences(Assertion(finding="x", side="left"), Assertion(finding="x", side="right"), significant=True)
    >>> [(mistake.category.value, mistake.significant) for mistake in wrong]
    [('C', True)]
    """
    rules = (_location, partial(_degree, urgent=urgent), _size, _comparison, _uncertainty)
    return [
        Mistake(category, matters and (significant or always))
        for rule in rules
        for category, matters, always in rule(reference, candidate)
    ]


_Verdict = tuple[ErrorCategory, bool, bool]
"""Category, whether the difference can matter, and whether it then does for every finding."""


def _pair_findings(reference: Draft, candidate: Draft, coherence: Coherence) -> Iterator[tuple[str, str]]:
    """Findings of both reports one to one: the same first, then kinds of each other."""
    same = [f for f in reference.findings if f in candidate.findings]
    yield from ((f, f) for f in same)
    free = [c for c in candidate.findings if c not in same]
    for r in reference.findings:
        match = next((c for c in free if r not in same and coherence.related(r, c)), None)
        if match is not None:
            free.remove(match)
            yield r, match


def _alone(here: Draft, there: Draft, coherence: Coherence) -> list[str]:
    return [f for f in here.findings if not any(coherence.related(f, other) for other in there.findings)]


def _location(r: Assertion, c: Assertion) -> Iterator[_Verdict]:
    side_r, side_c = _sides(r), _sides(c)
    if side_r != side_c:
        yield ErrorCategory.LOCATION, bool(side_r - side_c), False
    elif r.zone != c.zone and r.zone and c.zone:
        yield from _zone(r.zone, c.zone)


def _sides(assertion: Assertion) -> frozenset[str]:
    words = assertion.zone.split() if assertion.zone.startswith("to the ") else [assertion.side]
    return frozenset({"left", "right"} if "bilateral" in words else {"left", "right"} & set(words))


def _zone(r: str, c: str) -> Iterator[_Verdict]:
    if r in _LEVEL and c in _LEVEL:
        if distance := abs(_LEVEL[r] - _LEVEL[c]):
            yield ErrorCategory.LOCATION, distance > 1, False
    elif _is_device_position(r) and _is_device_position(c):
        if _DIGITS.sub("", r) != _DIGITS.sub("", c):
            yield ErrorCategory.LOCATION, True, True
    elif not {r, c} & _PATTERNS and r not in _LEVEL and c not in _LEVEL:
        yield ErrorCategory.LOCATION, False, False


def _is_device_position(zone: str) -> bool:
    return zone.startswith(("with ", "coiled "))


def _degree(r: Assertion, c: Assertion, *, urgent: bool) -> Iterator[_Verdict]:
    if r.grade and c.grade:
        if distance := abs(_STEP[r.grade] - _STEP[c.grade]):
            yield ErrorCategory.SEVERITY, distance > 1 or urgent, False
    elif (stated := r.grade or c.grade) and not (r.size or c.size):
        yield ErrorCategory.SEVERITY, _STEP[stated] == max(_STEP.values()), False


def _size(r: Assertion, c: Assertion) -> Iterator[_Verdict]:
    if bool(r.size) != bool(c.size):
        if not (r.grade or c.grade):
            yield ErrorCategory.SEVERITY, False, False
    elif r.size and not same_size(r.size, c.size):
        a, b = _millimetres(r.size), _millimetres(c.size)
        # Of the reference's size and not of the smaller one, as `judge_size` has it: shipped readouts were fitted so.
        margin = 2.0 if a < _SMALL_MM else 4.0 if a < _MASS_MM else 0.2 * a
        yield ErrorCategory.SEVERITY, abs(a - b) > margin or (a < _MASS_MM) != (b < _MASS_MM), False


def same_size(a: str, b: str) -> bool:
    """Returns whether two sizes differ by at most a millimetre, on the same side of 30 mm.

    >>> same_size("8 mm", "0.9 cm"), same_size("8 mm", "10 mm")
    (True, False)
    """
    first, second = _millimetres(a), _millimetres(b)
    return round(abs(first - second), 1) <= _NEGLIGIBLE_MM and (first < _MASS_MM) == (second < _MASS_MM)


def _millimetres(size: str) -> float:
    number, unit = size.split()
    return round(float(number) * (10 if unit == "cm" else 1), 1)


def same_level(a: str, b: str) -> bool:
    """Returns whether two zones are names of the same level of the lungs."""
    return a in _LEVEL and b in _LEVEL and _LEVEL[a] == _LEVEL[b]


def _contradictions(candidate: Draft) -> Iterator[tuple[ErrorCategory, str]]:
    for statement in candidate.body:
        if isinstance(statement, Contradiction):
            yield ErrorCategory.FALSE_FINDING, statement.finding
    for item in candidate.impression:
        if isinstance(item, Mention) and item.side:
            yield ErrorCategory.LOCATION, item.finding


def _comparison(r: Assertion, c: Assertion) -> Iterator[_Verdict]:
    change_r, change_c = CHANGES.get(r.change, ""), CHANGES.get(c.change, "")
    if change_r != change_c:
        added = ErrorCategory.COMPARISON_NOT_IN_REFERENCE
        category = added if change_c else ErrorCategory.OMITTED_COMPARISON
        yield category, bool({change_r, change_c} & {"new", "worsened"}), False


def _uncertainty(r: Assertion, c: Assertion) -> Iterator[_Verdict]:
    step = _OPENNESS[HEDGES.get(c.hedge, "")] - _OPENNESS[HEDGES.get(r.hedge, "")]
    if step:
        category = ErrorCategory.UNSUPPORTED_UNCERTAINTY if step > 0 else ErrorCategory.OMITTED_UNCERTAINTY
        yield category, abs(step) > 1, False
