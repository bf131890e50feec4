"""How two clinical units bear on each other: the same finding, a kind of it, its denial, a place apart."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from overread.domain.lexicon import Lexicon
from overread.domain.unit import Certainty, ClinicalUnit, Polarity

__all__ = [
    "SIDES",
    "ZONE_LEVEL",
    "Relation",
    "denials_agree",
    "denies",
    "is_uncertain",
    "relation",
    "side_name",
    "sides",
    "sides_conflict",
    "sites",
    "zone_distance",
    "zone_levels",
]


class Relation(IntEnum):
    """Relation of two findings, closest first."""

    SAME = 0
    KIND_OF = 1
    UNRELATED = 2


SIDES: Final = frozenset({"left", "right"})

ZONE_LEVEL: Final = {
    # Height in the chest: 2 upper, 1 middle, 0 lower. Zones of one level say the same, neighbours nearly so.
    "apex": 2,
    "upper_lobe": 2,
    "upper_zone": 2,
    "middle_lobe": 1,
    "lingula": 1,
    "mid_zone": 1,
    "perihilar": 1,
    "lower_lobe": 0,
    "lower_zone": 0,
    "base": 0,
    "retrocardiac": 0,
    "costophrenic_angle": 0,
}

_QUALIFIERS: Final = frozenset(
    {"acute", "subacute", "chronic", "old", "healed", "focal", "displaced", "nondisplaced", "confluent", "tension"}
    | {"suspicious", "calcified", "lobar", "loculated", "segmental", "discrete", "overt", "alveolar"}
)
"""Modifiers that narrow a denial: "no displaced fracture" leaves room for an undisplaced one."""


def relation(a: ClinicalUnit, b: ClinicalUnit, lexicon: Lexicon) -> Relation:
    """Relation of the findings of two units, whatever their polarity."""
    if not a.canonical_finding or not b.canonical_finding:
        return Relation.UNRELATED
    if a.canonical_finding == b.canonical_finding:
        return Relation.SAME
    if lexicon.is_kind_of(a.canonical_finding, b.canonical_finding):
        return Relation.KIND_OF
    if lexicon.is_kind_of(b.canonical_finding, a.canonical_finding):
        return Relation.KIND_OF
    return Relation.UNRELATED


def denies(denial: ClinicalUnit, finding: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Whether ``denial`` says that what ``finding`` asserts is not there.

    A denial of one side leaves the other open, one of a zone leaves other zones open, and one that is narrowed by a
    degree or a qualifier ("no large effusion", "no acute fracture") leaves open what lacks it.
    """
    if not denial.denies_finding or not finding.canonical_finding:
        return False
    denied = denial.denies or {denial.canonical_finding}
    if not lexicon.denies(denied, finding.canonical_finding):
        return False
    denied_sides = denial.anatomy & SIDES
    if denied_sides and not finding.anatomy & denied_sides:
        return False
    if zone_distance(zone_levels([denial]), zone_levels([finding])):
        return False
    if denial.severity is not None and denial.severity != finding.severity:
        return False
    return not ((denial.modifiers & _QUALIFIERS) - finding.modifiers)


def denials_agree(a: ClinicalUnit, b: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Whether two denials overlap: what one denies, or a kind of it, is denied by the other, on no other side."""
    if sides_conflict(a, b):
        return False
    denied_a = a.denies or {a.canonical_finding}
    denied_b = b.denies or {b.canonical_finding}
    return any(lexicon.denies(denied_b, x) for x in denied_a) or any(lexicon.denies(denied_a, x) for x in denied_b)


def sides(units: Iterable[ClinicalUnit]) -> frozenset[str]:
    """Sides named by any of the units."""
    return frozenset().union(*(unit.anatomy & SIDES for unit in units))


def side_name(unit: ClinicalUnit) -> str:
    """Side the unit names: "left", "right" or "both", or "" where it names none."""
    named = unit.anatomy & SIDES
    return "both" if named == SIDES else next(iter(named), "")


def sides_conflict(a: ClinicalUnit, b: ClinicalUnit) -> bool:
    """Whether both name a side and none in common."""
    side_a, side_b = a.anatomy & SIDES, b.anatomy & SIDES
    return bool(side_a and side_b and not side_a & side_b)


def zone_levels(units: Iterable[ClinicalUnit]) -> frozenset[int]:
    """Zone levels named by any of the units."""
    return frozenset(ZONE_LEVEL[label] for unit in units for label in unit.anatomy if label in ZONE_LEVEL)


def zone_distance(a: frozenset[int], b: frozenset[int]) -> int:
    """Smallest difference of level between two sets of zones; 0 where either is empty."""
    return min((abs(x - y) for x in a for y in b), default=0)


def sites(unit: ClinicalUnit, lexicon: Lexicon) -> frozenset[str]:
    """Places other than sides and zones that the unit adds to those its finding implies."""
    finding = lexicon.findings.get(unit.canonical_finding)
    implied = set(finding.anatomy) if finding else set()
    return unit.anatomy - SIDES - ZONE_LEVEL.keys() - implied


def is_uncertain(unit: ClinicalUnit) -> bool:
    """Whether the unit leaves its finding open, by its polarity or by calling it possible."""
    return unit.polarity is Polarity.UNCERTAIN or unit.certainty is Certainty.POSSIBLE
