"""How two units bear on each other."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import (
    Relation,
    denial_holds,
    denials_agree,
    denies,
    is_uncertain,
    kinship,
    relation,
    sites,
)
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Experiencer, Polarity, Temporality
from overread.domain.reports.report import ClinicalContext

from ..clinical import LEXICON, no, normal, sentence, unit, units

PAST: dict[str, Any] = {"temporality": Temporality.HISTORICAL}


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("effusion", "effusion", Relation.SAME),
        ("unheard_of", "unheard_of", Relation.SAME),
        ("consolidation", "opacity", Relation.NARROWER),
        ("lobar_consolidation", "opacity", Relation.NARROWER),
        ("opacity", "lobar_consolidation", Relation.BROADER),
        ("hydropneumothorax", "effusion", Relation.NARROWER),
        ("pneumothorax", "hydropneumothorax", Relation.BROADER),
        ("atelectasis", "consolidation", Relation.CONFUSABLE),
        ("consolidation", "atelectasis", Relation.CONFUSABLE),
        ("heart_failure", "congestion", Relation.SIGN),
        ("congestion", "heart_failure", Relation.SIGN),
        ("atelectasis", "lobar_consolidation", Relation.UNRELATED),
        ("effusion", "nodule", Relation.UNRELATED),
        ("effusion", "", Relation.UNRELATED),
        ("", "", Relation.UNRELATED),
    ],
)
def test_the_kinship_of_what_two_units_name(a: str, b: str, expected: Relation) -> None:
    """It is the findings' own, whatever is said of them; sentences without a finding have none, not even together."""
    assert kinship(unit(a), unit(b), LEXICON) is expected
    assert kinship(no(a), unit(b), LEXICON) is expected
    assert relation(unit(a), unit(b), LEXICON) is expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (no("effusion"), unit("effusion"), Relation.DENIES),
        (normal("clear_lungs"), unit("lobar_consolidation"), Relation.DENIES),
        (no("consolidation"), unit("opacity"), Relation.UNRELATED),
        (no("atelectasis"), unit("consolidation"), Relation.UNRELATED),
        (no("effusion", "left"), unit("effusion", "right"), Relation.UNRELATED),
        (no("effusion"), no("effusion"), Relation.AGREES),
        (normal("clear_lungs"), no("consolidation"), Relation.AGREES),
        (normal("clear_lungs"), normal("normal_pleura"), Relation.UNRELATED),
        (no("atelectasis"), no("consolidation"), Relation.UNRELATED),
        (unit("effusion", **PAST), unit("effusion"), Relation.UNRELATED),
        (unit("effusion", **PAST), no("effusion"), Relation.UNRELATED),
        (unit("effusion", **PAST), unit("effusion", **PAST), Relation.UNRELATED),
        (no("effusion", **PAST), unit("effusion"), Relation.UNRELATED),
        (unit("effusion", polarity=Polarity.UNCERTAIN), unit("effusion"), Relation.SAME),
        (unit("effusion", polarity=Polarity.UNCERTAIN), no("effusion"), Relation.DENIES),
    ],
)
def test_denials_deny_agree_or_do_not_bear(a: ClinicalUnit, b: ClinicalUnit, expected: Relation) -> None:
    """What is not said of this patient now bears on nothing, and what is left open is still asserted."""
    assert relation(a, b, LEXICON) is relation(b, a, LEXICON) is expected


TURNED = {Relation.NARROWER: Relation.BROADER, Relation.BROADER: Relation.NARROWER}


@given(units(), units())
def test_only_broader_and_narrower_have_a_direction(a: ClinicalUnit, b: ClinicalUnit) -> None:
    """Every other relation, conflict of sides and agreement of denials read the same from either end."""
    for bearing in (relation, kinship):
        forth = bearing(a, b, LEXICON)
        assert bearing(b, a, LEXICON) is TURNED.get(forth, forth)
    assert a.place.is_across_from(b.place) == b.place.is_across_from(a.place)
    assert denials_agree(a, b, LEXICON) == denials_agree(b, a, LEXICON)


@pytest.mark.parametrize("bearing", Relation)
def test_kin_assert_one_finding(bearing: Relation) -> None:
    """A broader or a narrower term is kin; what is taken for another finding is not."""
    assert bearing.is_kin == (bearing in {"same", "narrower", "broader"})


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


def _so(*words: str) -> dict[str, Any]:
    return {"modifiers": frozenset(words)}


@pytest.mark.parametrize(
    ("denial", "statement", "expected"),
    [
        # a change: "no new effusion" leaves open what was there before
        (no("effusion", change=Change.NEW), unit("effusion"), False),
        (no("effusion", change=Change.NEW), unit("effusion", change=Change.STABLE), False),
        (no("effusion", change=Change.NEW), unit("effusion", change=Change.NEW), True),
        (no("effusion", change=Change.WORSENED), unit("effusion", change=Change.NEW), False),
        (no("effusion", change=Change.RESOLVED), unit("effusion"), True),
        # an age: "no acute fracture" leaves open what is said to be old
        (no("fracture", **_so("acute")), unit("fracture", **_so("old")), False),
        (no("fracture", **_so("acute")), unit("fracture", **_so("healing")), False),
        (no("fracture", **_so("acute")), unit("fracture", **_so("acute")), True),
        (no("fracture", **_so("acute")), unit("fracture"), True),
        (no("fracture", **_so("old")), unit("fracture", **_so("acute")), False),
        (no("fracture"), unit("fracture", **_so("old")), True),
        # an extent: "no focal opacity" leaves open a diffuse one
        (no("opacity", **_so("focal")), unit("opacity", **_so("diffuse")), False),
        (no("opacity", **_so("focal")), unit("opacity", "base", **_so("linear")), False),
        (no("opacity", **_so("focal")), unit("opacity"), True),
        (no("opacity", **_so("focal")), unit("consolidation", "base"), True),
        (no("opacity", **_so("diffuse")), unit("opacity", **_so("focal")), True),
        # a kind: "no displaced fracture" leaves open one that is not said to be displaced
        (no("fracture", **_so("displaced")), unit("fracture"), False),
        (no("fracture", **_so("displaced")), unit("fracture", **_so("displaced", "acute")), True),
        (no("fracture"), unit("fracture", **_so("displaced")), True),
        (no("nodule", **_so("suspicious")), unit("nodule", **_so("calcified")), False),
        (no("pneumothorax", **_so("tension")), unit("pneumothorax", "left"), False),
    ],
)
def test_what_a_qualified_denial_leaves_open(denial: ClinicalUnit, statement: ClinicalUnit, *, expected: bool) -> None:
    """A word that narrows leaves open whatever lacks it, any other only what is said to be the opposite."""
    assert denies(denial, statement, LEXICON) is expected


@pytest.mark.parametrize(
    ("broad", "narrow", "expected"),
    [
        (no("effusion"), no("effusion"), True),
        (no("opacity"), no("consolidation"), True),
        (no("consolidation"), no("opacity"), False),
        (normal("clear_lungs"), no("nodule"), True),
        (no("nodule"), normal("clear_lungs"), False),
        (normal("normal_pleura"), normal("normal_pleura"), True),
        (normal("normal_pleura"), no("hydropneumothorax"), True),
        (no("pneumothorax"), no("effusion"), False),
        # sides
        (no("effusion"), no("effusion", "left"), True),
        (no("effusion", "left"), no("effusion"), False),
        (no("effusion", "left"), no("effusion", "right"), False),
        (no("effusion", "left", "right"), no("effusion", "right"), True),
        (no("effusion", "right"), no("effusion", "left", "right"), False),
    ],
)
def test_a_denial_holds_what_it_says_too(broad: ClinicalUnit, narrow: ClinicalUnit, *, expected: bool) -> None:
    """All that the one denies is denied by the other, on no fewer sides."""
    assert denial_holds(broad, narrow, LEXICON) is expected


@given(units(), units())
def test_a_denial_that_holds_another_agrees_with_it(a: ClinicalUnit, b: ClinicalUnit) -> None:
    """To say all that another says is to overlap with it; each denial holds itself."""
    for broad, narrow in ((a, b), (a, a)):
        if broad.denies_finding and narrow.denies_finding:
            held = denial_holds(broad, narrow, LEXICON)
            assert held or broad is not narrow
            assert denials_agree(broad, narrow, LEXICON) or not held


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


def test_units_about_other_examinations_do_not_bear_on_each_other() -> None:
    """In parts of joined reports: they are one where they share an examination, or where it is not told."""
    here, there, both = (frozenset(numbers) for numbers in ({0}, {1}, {0, 1}))
    for other, related in ((there, False), (here, True), (both, True), (frozenset[int](), True)):
        finding = unit("edema", examinations=here)
        assert (kinship(finding, unit("edema", examinations=other), LEXICON) is Relation.SAME) is related
        assert denies(no("edema", examinations=other), finding, LEXICON) is related
        assert denials_agree(no("edema", examinations=here), no("edema", examinations=other), LEXICON) is related


FINDINGS = st.sampled_from(sorted(LEXICON.findings))


@given(st.lists(st.tuples(FINDINGS, FINDINGS), min_size=1, max_size=20))
def test_what_is_remembered_is_what_is_worked_out(pairs: list[tuple[str, str]]) -> None:
    """A lexicon that was asked before answers as one that was not, also for another patient."""
    for first, second in pairs:
        fresh = Lexicon(LEXICON.findings, LEXICON.normals)
        used = LEXICON.for_patient(ClinicalContext(age=70.0))
        a, b = unit(first), unit(second)
        assert kinship(a, b, used) is kinship(a, b, fresh)
        assert denials_agree(no(first), no(second), used) is denials_agree(no(first), no(second), fresh)


def test_patients_share_what_is_remembered() -> None:
    """Relations do not depend on the patient."""
    kinship(unit("consolidation"), unit("opacity"), LEXICON)
    assert LEXICON.for_patient(ClinicalContext(age=70.0)).memory is LEXICON.memory
    assert LEXICON.memory["consolidation", "opacity"] is Relation.NARROWER
