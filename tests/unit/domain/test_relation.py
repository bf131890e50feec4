"""How two units bear on each other."""

from __future__ import annotations

import pytest
from hypothesis import given

from overread.domain.relation import (
    Relation,
    denials_agree,
    denies,
    is_uncertain,
    relation,
    side_name,
    sides,
    sides_conflict,
    sites,
    zone_distance,
    zone_levels,
)
from overread.domain.unit import Certainty, ClinicalUnit, Experiencer, Polarity, Temporality

from .clinical import LEXICON, no, normal, sentence, unit, units


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("effusion", "effusion", Relation.SAME),
        ("consolidation", "opacity", Relation.KIND_OF),
        ("opacity", "lobar_consolidation", Relation.KIND_OF),
        ("effusion", "nodule", Relation.UNRELATED),
        ("effusion", "", Relation.UNRELATED),
        ("", "", Relation.UNRELATED),
        ("unheard_of", "unheard_of", Relation.SAME),
    ],
)
def test_findings_are_the_same_kinds_of_each_other_or_unrelated(a: str, b: str, expected: Relation) -> None:
    """Sentences without a finding are related to nothing, not even to each other."""
    assert relation(unit(a), unit(b), LEXICON) is expected


@given(units(), units())
def test_relations_have_no_direction(a: ClinicalUnit, b: ClinicalUnit) -> None:
    """Relation, conflict of sides and agreement of denials read the same from either end."""
    assert relation(a, b, LEXICON) is relation(b, a, LEXICON)
    assert sides_conflict(a, b) == sides_conflict(b, a)
    assert denials_agree(a, b, LEXICON) == denials_agree(b, a, LEXICON)


@pytest.mark.parametrize(
    ("denial", "statement", "expected"),
    [
        (no("effusion"), unit("effusion"), True),
        (no("effusion"), unit("effusion", "left"), True),
        (no("opacity"), unit("consolidation"), True),
        (no("consolidation"), unit("opacity"), False),
        (no("effusion"), unit("nodule"), False),
        (unit("effusion"), unit("effusion"), False),
        (no("effusion"), sentence("Fluid."), False),
        # normal statements
        (normal("clear_lungs"), unit("lobar_consolidation"), True),
        (normal("clear_lungs"), unit("effusion"), False),
        (normal("normal_pleura"), unit("pneumothorax"), True),
        # sides
        (no("effusion", "left"), unit("effusion", "left"), True),
        (no("effusion", "left"), unit("effusion", "right"), False),
        (no("effusion", "left"), unit("effusion"), False),
        (no("effusion", "left"), unit("effusion", "left", "right"), True),
        (no("effusion", "left", "right"), unit("effusion", "right"), True),
        # zones
        (no("consolidation", "lower_lobe"), unit("consolidation", "base"), True),
        (no("consolidation", "right", "lower_lobe"), unit("consolidation", "right", "upper_lobe"), False),
        (no("consolidation", "lower_lobe"), unit("consolidation"), True),
        (no("consolidation"), unit("consolidation", "upper_lobe"), True),
        # degrees and qualifiers narrow a denial
        (no("effusion", severity="severe"), unit("effusion", severity="mild"), False),
        (no("effusion", severity="severe"), unit("effusion", severity="severe"), True),
        (no("effusion", severity="severe"), unit("effusion"), False),
        (no("fracture", modifiers=frozenset({"acute"})), unit("fracture"), False),
        (no("fracture", modifiers=frozenset({"acute"})), unit("fracture", modifiers=frozenset({"acute"})), True),
        (no("opacity", modifiers=frozenset({"patchy"})), unit("opacity"), True),
        # not about this patient now
        (no("effusion", temporality=Temporality.HISTORICAL), unit("effusion"), False),
        (no("effusion", experiencer=Experiencer.FAMILY), unit("effusion"), False),
    ],
)
def test_what_a_denial_rules_out(denial: ClinicalUnit, statement: ClinicalUnit, *, expected: bool) -> None:
    """A denial rules out what it names and its kinds, within the side, zone, degree and qualifier it names."""
    assert denies(denial, statement, LEXICON) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (no("effusion"), no("effusion"), True),
        (no("effusion"), normal("normal_pleura"), True),
        (no("consolidation"), normal("clear_lungs"), True),
        (no("opacity"), no("lobar_consolidation"), True),
        (no("effusion"), no("pneumothorax"), False),
        (normal("clear_lungs"), normal("intact_bones"), False),
        (no("effusion", "left"), no("effusion", "right"), False),
        (no("effusion", "left"), no("effusion", "left", "right"), True),
        (no("effusion", "left"), no("effusion"), True),
    ],
)
def test_denials_agree_where_they_overlap(a: ClinicalUnit, b: ClinicalUnit, *, expected: bool) -> None:
    """Two denials agree if one rules out what the other does, or a kind of it, and no side parts them."""
    assert denials_agree(a, b, LEXICON) is expected


@pytest.mark.parametrize(
    ("anatomy", "name"),
    [([], ""), (["base"], ""), (["left", "base"], "left"), (["right"], "right"), (["left", "right"], "both")],
)
def test_the_side_a_unit_names(anatomy: list[str], name: str) -> None:
    """Left, right, both, or none."""
    assert side_name(unit("effusion", *anatomy)) == name


def test_sides_are_gathered_over_units() -> None:
    """The sides of several units are those any of them names."""
    assert sides([unit("effusion", "left", "base"), unit("effusion", "right"), unit("effusion")]) == {"left", "right"}
    assert sides([]) == frozenset()


@pytest.mark.parametrize(
    ("a", "b", "conflict"),
    [
        (["left"], ["right"], True),
        (["left"], ["left"], False),
        (["left"], [], False),
        ([], [], False),
        (["left"], ["left", "right"], False),
    ],
)
def test_sides_conflict_only_if_both_are_named(a: list[str], b: list[str], *, conflict: bool) -> None:
    """A side left open conflicts with none, and both sides hold either."""
    assert sides_conflict(unit("effusion", *a), unit("effusion", *b)) is conflict


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [
        ({"upper_lobe"}, {"apex"}, 0),
        ({"upper_lobe"}, {"mid_zone"}, 1),
        ({"apex"}, {"base"}, 2),
        ({"upper_lobe", "lower_lobe"}, {"base"}, 0),
        ({"lower_lobe"}, {"left"}, 0),
        (set(), set(), 0),
    ],
)
def test_zones_lie_as_far_apart_as_their_levels(a: set[str], b: set[str], distance: int) -> None:
    """The nearest two zones count, and a place that is no zone is near everything."""
    levels_a, levels_b = zone_levels([unit("opacity", *a)]), zone_levels([unit("opacity", *b)])
    assert zone_distance(levels_a, levels_b) == zone_distance(levels_b, levels_a) == distance


def test_sites_are_what_the_finding_does_not_imply() -> None:
    """Sides, zones and what every such finding has are no sites of their own."""
    tube = unit("feeding_tube", "left", "base", "esophagus", "stomach")
    assert sites(tube, LEXICON) == {"stomach"}
    assert sites(unit("unheard_of", "esophagus"), LEXICON) == {"esophagus"}


@pytest.mark.parametrize(
    ("polarity", "certainty", "is_open"),
    [
        (Polarity.PRESENT, None, False),
        (Polarity.PRESENT, Certainty.DEFINITE, False),
        (Polarity.PRESENT, Certainty.PROBABLE, False),
        (Polarity.PRESENT, Certainty.POSSIBLE, True),
        (Polarity.UNCERTAIN, None, True),
        (Polarity.UNCERTAIN, Certainty.POSSIBLE, True),
    ],
)
def test_what_is_possible_is_left_open(polarity: Polarity, certainty: Certainty | None, *, is_open: bool) -> None:
    """Either attribute tells that a finding is left open; a probable one is asserted."""
    assert is_uncertain(unit("edema", polarity=polarity, certainty=certainty)) is is_open
