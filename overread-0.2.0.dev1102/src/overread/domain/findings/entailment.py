"""Entailment of a statement by a report, which may also contradict it or leave it open (RadFact's three labels)."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import (
    denial_holds,
    denies,
    is_uncertain,
    kinship,
)
from overread.domain.findings.unit import Change, ClinicalUnit, severity_ordinal

__all__ = ["Entailment", "entails"]

Units = Sequence[ClinicalUnit]

_ONE_STEP = 0.5
"""Ordinal distances of degree above this are two steps."""

_OPPOSED = ({Change.IMPROVED, Change.WORSENED}, {Change.NEW, Change.STABLE}, {Change.NEW, Change.IMPROVED})

_FAR = 2
"""Zones this many levels apart are no longer one place."""


class Entailment(StrEnum):
    """Verdict of a report on a statement."""

    ENTAILED = "entailment"
    CONTRADICTED = "contradiction"
    NEUTRAL = "neutral"


def entails(statement: Units, report: Units, lexicon: Lexicon) -> Entailment:
    """Return whether a report's units entail the units of one statement, contradict them or leave them open.

    A statement is contradicted if any of its units is, and entailed if all of its findings and denials are. An
    asserted finding is entailed by the same one, in a broader or a narrower term, at the same place, as certain
    and not of another degree, and contradicted by its denial. A denial is entailed by one that says all it says, and
    contradicted by what it denies.
    """
    clinical = [unit for unit in statement if not unit.administrative and not unit.is_unread]
    labels = [_label(unit, report, lexicon) for unit in clinical if unit.asserts_finding or unit.denies_finding]
    if Entailment.CONTRADICTED in labels:
        return Entailment.CONTRADICTED
    if labels and all(label is Entailment.ENTAILED for label in labels):
        return Entailment.ENTAILED
    return Entailment.NEUTRAL


def _label(unit: ClinicalUnit, report: Units, lexicon: Lexicon) -> Entailment:
    if unit.denies_finding:
        return _denial(unit, report, lexicon)
    kin = [other for other in report if other.asserts_finding and kinship(unit, other, lexicon).is_kin]
    if any(_holds(other, unit) for other in kin):
        return Entailment.ENTAILED
    contradicted = any(denies(other, unit, lexicon) for other in report) or any(
        _is_opposed(unit, other) for other in kin
    )
    return Entailment.CONTRADICTED if contradicted else Entailment.NEUTRAL


def _denial(unit: ClinicalUnit, report: Units, lexicon: Lexicon) -> Entailment:
    if any(other.asserts_finding and denies(unit, other, lexicon) for other in report):
        return Entailment.CONTRADICTED
    held = any(other.denies_finding and denial_holds(other, unit, lexicon) for other in report)
    return Entailment.ENTAILED if held else Entailment.NEUTRAL


def _holds(other: ClinicalUnit, unit: ClinicalUnit) -> bool:
    """Return whether ``other`` says at least what ``unit`` says."""
    return (
        unit.place.sides <= other.place.sides
        and unit.place.heights_apart(other.place) < _FAR
        and (unit.severity is None or other.severity is None or unit.severity == other.severity)
        and unit.change in (None, other.change)
        and (is_uncertain(unit) or not is_uncertain(other))
        and not _is_opposed(unit, other)
    )


def _is_opposed(unit: ClinicalUnit, other: ClinicalUnit) -> bool:
    """Return whether two units of one finding at one place exclude each other by two steps of degree or by course."""
    if unit.place.is_across_from(other.place):
        return False
    degrees = [severity_ordinal(u.severity) for u in (unit, other) if u.severity is not None]
    if degrees and max(degrees) - min(degrees) > _ONE_STEP:
        return True
    courses = {unit.change, other.change}
    return courses in _OPPOSED or (not is_uncertain(unit) and courses == {Change.STABLE, Change.WORSENED})
