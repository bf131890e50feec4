"""Labels: the errors of a candidate draft against its reference draft, from their meaning alone.

The rules are those of `overread.domain.significance`, with the grammar's significance of the finding in place of its
actionability. "As the finding" below means significant where the grammar says so of the finding.

- A false finding, B omission: as the finding. A finding that the other report names more broadly or more narrowly
  is neither; the two are compared.
- C location: another or a lost side as the finding, an added side insignificant. Else another zone: neighbouring
  levels insignificant, upper against lower as the finding; the tip or lead of a device elsewhere significant; any
  other place insignificant. A zone that only one report states is no error, nor are two zones of one level.
- D severity: two steps apart as the finding, one step insignificant; a grade only one report states insignificant
  unless it is the severest, then as the finding.
- E comparison added or contradicted, F comparison removed: as the finding where "new" or "worsened" is involved,
  else insignificant.
- G hedge added, H hedge removed: as the finding between an open hedge ("possible") and none, else insignificant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from attrs import frozen

from overread.adapters.synthetic._draft import Assertion, Coherence, Draft
from overread.adapters.synthetic._grammar import CHANGES, HEDGES
from overread.domain.taxonomy import ErrorCategory

__all__ = ["Counts", "Mistake", "count", "differences", "mistakes"]

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


@frozen
class Mistake:
    """One error of a candidate."""

    category: ErrorCategory
    significant: bool


def mistakes(reference: Draft, candidate: Draft, coherence: Coherence) -> list[Mistake]:
    """Every error of a candidate against its reference."""
    found: list[Mistake] = []
    paired = dict(_paired(reference, candidate, coherence))
    for r, c in paired.items():
        matters = coherence.grammar.findings[r].is_significant
        found += differences(reference.findings[r], candidate.findings[c], significant=matters)
    alone = _alone(reference, candidate, coherence)
    found += [Mistake(ErrorCategory.OMITTED_FINDING, coherence.grammar.findings[f].is_significant) for f in alone]
    alone = _alone(candidate, reference, coherence)
    found += [Mistake(ErrorCategory.FALSE_FINDING, coherence.grammar.findings[f].is_significant) for f in alone]
    return found


def count(found: Iterable[Mistake]) -> Counts:
    """Significant and insignificant errors by category, zeros included."""
    counts = {category: [0, 0] for category in ErrorCategory}
    for mistake in found:
        counts[mistake.category][not mistake.significant] += 1
    return {category: (significant, rest) for category, (significant, rest) in counts.items()}


def differences(reference: Assertion, candidate: Assertion, *, significant: bool) -> list[Mistake]:
    """Errors in the slots of one finding; ``significant`` is the finding's own significance.

    >>> wrong = differences(Assertion(finding="x", side="left"), Assertion(finding="x", side="right"), significant=True)
    >>> [(mistake.category.value, mistake.significant) for mistake in wrong]
    [('C', True)]
    """
    rules = (_location, _degree, _comparison, _uncertainty)
    return [
        Mistake(category, matters and (significant or always))
        for rule in rules
        for category, matters, always in rule(reference, candidate)
    ]


_Verdict = tuple[ErrorCategory, bool, bool]
"""Category, whether the difference can matter, and whether it then does for every finding."""


def _paired(reference: Draft, candidate: Draft, coherence: Coherence) -> Iterator[tuple[str, str]]:
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


def _degree(r: Assertion, c: Assertion) -> Iterator[_Verdict]:
    if r.grade and c.grade:
        if distance := abs(_STEP[r.grade] - _STEP[c.grade]):
            yield ErrorCategory.SEVERITY, distance > 1, False
    elif stated := r.grade or c.grade:
        yield ErrorCategory.SEVERITY, _STEP[stated] == max(_STEP.values()), False


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
