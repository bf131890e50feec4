"""The lexicon: what is a kind of what, what denies what, and what is wrong with a lexicon."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.findings.lexicon import Finding, Lexicon, NormalStatement
from overread.domain.reports.report import ClinicalContext
from overread.domain.vocabulary.severity import Importance

from ..clinical import LEXICON, finding

ANY = Importance.ACTIONABLE


@pytest.mark.parametrize(
    ("narrow", "broad", "expected"),
    [
        ("effusion", "effusion", True),
        ("consolidation", "opacity", True),
        ("lobar_consolidation", "opacity", True),
        ("opacity", "consolidation", False),
        ("consolidation", "nodule", False),
        ("unheard_of", "unheard_of", True),
        ("unheard_of", "opacity", False),
    ],
)
def test_kinds_reach_through_all_generations(narrow: str, broad: str, *, expected: bool) -> None:
    """A finding is a kind of itself and of everything above it, and of nothing else."""
    assert LEXICON.is_kind_of(narrow, broad) is expected


def test_ancestors_come_nearest_first() -> None:
    """The parent stands before the grandparent; an unknown finding has neither."""
    assert LEXICON.ancestors("lobar_consolidation") == ("consolidation", "opacity")
    assert LEXICON.ancestors("opacity") == LEXICON.ancestors("unheard_of") == ()


def test_a_finding_of_several_parents_is_a_kind_of_each() -> None:
    """All parents come before all grandparents, and what two branches share comes once."""
    lexicon = Lexicon.of(
        [
            finding("top", ANY),
            finding("left", ANY, "top"),
            finding("right", ANY, "top"),
            finding("child", ANY, "left", "right"),
            finding("grandchild", ANY, "child", "right"),
        ],
        [],
    )
    assert lexicon.ancestors("child") == ("left", "right", "top")
    assert lexicon.ancestors("grandchild") == ("child", "right", "left", "top")
    assert all(lexicon.is_kind_of("child", broad) for broad in ("left", "right", "top"))
    assert not lexicon.is_kind_of("left", "right")
    assert lexicon.denies(["right"], "child")
    assert not lexicon.denies(["child"], "left")


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("atelectasis", "consolidation", True),
        ("atelectasis", "opacity", False),
        ("atelectasis", "lobar_consolidation", False),
        ("atelectasis", "atelectasis", False),
        ("atelectasis", "unheard_of", False),
        ("unheard_of", "unheard_of", False),
    ],
)
def test_findings_are_confusable_both_ways_but_not_through_kinds(a: str, b: str, *, expected: bool) -> None:
    """One of the two need name the other; its kinds and its parents are not meant."""
    assert LEXICON.are_confusable(a, b) is LEXICON.are_confusable(b, a) is expected


@pytest.mark.parametrize(
    ("denied", "concept", "expected"),
    [
        (["opacity"], "consolidation", True),
        (["nodule", "opacity"], "lobar_consolidation", True),
        (["consolidation"], "opacity", False),
        (["effusion"], "pneumothorax", False),
        ([], "opacity", False),
    ],
)
def test_denying_the_broad_denies_the_narrow(denied: list[str], concept: str, *, expected: bool) -> None:
    """No opacity means no consolidation; no consolidation leaves other opacities open."""
    assert LEXICON.denies(denied, concept) is expected


@pytest.mark.parametrize(
    ("concept", "name"),
    [
        ("tension_pneumothorax", "tension pneumothorax"),
        ("clear_lungs", "clear lungs"),
        ("never_heard_of", "never heard of"),
    ],
)
def test_every_concept_has_a_name_to_show(concept: str, name: str) -> None:
    """Findings and normal statements show their own name, an unknown one its id in words."""
    assert LEXICON.name(concept) == name


def test_an_unknown_finding_is_taken_for_actionable() -> None:
    """Where the lexicon is silent the cautious reading holds."""
    assert LEXICON.importance("unheard_of") is Importance.ACTIONABLE
    assert LEXICON.importance("scar") is Importance.INCIDENTAL


SIGNS = Lexicon.of(
    [
        finding("failure", ANY, signs=("congestion",)),
        finding("left_failure", ANY, "failure", signs=("edema",)),
        finding("congestion", ANY),
        finding("cephalization", ANY, "congestion"),
        finding("edema", ANY),
    ],
    [],
)


@pytest.mark.parametrize(
    ("sign", "cause", "expected"),
    [
        ("congestion", "failure", True),
        ("cephalization", "failure", False),
        ("congestion", "left_failure", True),
        ("edema", "left_failure", True),
        ("edema", "failure", False),
        ("failure", "congestion", False),
        ("failure", "failure", False),
        ("unheard_of", "failure", False),
        ("edema", "unheard_of", False),
    ],
)
def test_a_finding_has_its_own_signs_and_those_of_what_it_is_a_kind_of(
    sign: str, cause: str, *, expected: bool
) -> None:
    """Only what is named is a sign, not its kinds; a cause is none of its own."""
    assert SIGNS.is_sign_of(sign, cause) is expected


SITED = Lexicon.of(
    [
        finding(
            "mass", ANY, sited={"mediastinum": "mediastinal_mass", "pleura": "pleural_mass", "chest": "chest_mass"}
        ),
        finding("chest_mass", ANY),
        finding("mediastinal_mass", ANY),
        finding("pleural_mass", ANY),
    ],
    [],
)


@pytest.mark.parametrize(
    ("concept", "places", "expected"),
    [
        ("mass", ["mediastinum"], "mediastinal_mass"),
        ("mass", ["left", "pleura"], "pleural_mass"),
        ("mass", ["pleura", "mediastinum"], "mediastinal_mass"),
        ("mass", ["mediastinum", "pleura"], "mediastinal_mass"),
        ("mass", ["lung"], "mass"),
        ("mass", [], "mass"),
        ("pleural_mass", ["mediastinum"], "pleural_mass"),
        ("unheard_of", ["pleura"], "unheard_of"),
    ],
)
def test_what_a_finding_is_at_a_place(concept: str, places: list[str], expected: str) -> None:
    """The finding that the first listed place which fits makes of it; elsewhere itself."""
    assert SITED.described(concept, places) == expected


@pytest.mark.parametrize(
    ("places", "region", "expected"),
    [([], "chest", "chest_mass"), (["pleura"], "chest", "pleural_mass"), (["lung"], "limb", "mass"), ([], "", "mass")],
)
def test_what_a_finding_is_in_a_region(places: list[str], region: str, expected: str) -> None:
    """The region counts where no place does."""
    assert SITED.described("mass", places, region=region) == expected


def test_a_lexicon_for_a_patient_leaves_the_lexicon_as_it_was() -> None:
    """It is the same in all but the patient, of whom its representation says nothing."""
    young, old = ClinicalContext(age=25, indication="pain"), ClinicalContext(age=82)
    own = LEXICON.for_patient(young)
    assert LEXICON.importance("aortic_calcification") == "expected"
    assert own.importance("aortic_calcification") == "actionable"
    assert own.for_patient(old).importance("aortic_calcification") == "expected"
    assert own.for_patient(ClinicalContext()).importance("aortic_calcification") == "expected"
    assert own.for_patient(young) is own
    assert LEXICON.for_patient(ClinicalContext()) is LEXICON
    assert own.version == LEXICON.version
    assert own.ancestors("lobar_consolidation") == LEXICON.ancestors("lobar_consolidation")
    assert "pain" not in repr(own)


def _normal(identifier: str, *denies: str) -> NormalStatement:
    return NormalStatement(id=identifier, name=identifier, denies=denies)


@pytest.mark.parametrize(
    ("findings", "normals", "problem"),
    [
        ([finding("a", ANY), finding("a", ANY)], [], "'a' is defined twice"),
        ([finding("a", ANY)], [_normal("a")], "'a' is defined twice"),
        ([], [_normal("n"), _normal("n")], "'n' is defined twice"),
        ([finding("a", ANY, "ghost")], [], "'a' has unknown parent 'ghost'"),
        ([finding("b", ANY), finding("a", ANY, "b", "ghost")], [], "'a' has unknown parent 'ghost'"),
        ([finding("a", ANY, sited={"lung": "ghost"})], [], "'a' is unknown 'ghost' at 'lung'"),
        ([finding("a", ANY, signs=("ghost",))], [], "'a' has unknown sign 'ghost'"),
        ([finding("a", ANY, confused_with=("ghost",))], [], "'a' is confused with unknown 'ghost'"),
        ([finding("a", ANY)], [_normal("n", "a", "ghost")], "'n' denies unknown 'ghost'"),
        ([finding("a", ANY)], [_normal("m"), _normal("n", "m")], "'n' denies unknown 'm'"),
        ([finding("a", ANY, "a")], [], "'a' is its own ancestor"),
        ([finding("b", ANY), finding("a", ANY, "b", "a")], [], "'a' is its own ancestor"),
        ([finding("a", ANY, "b"), finding("b", ANY, "a")], [], "'a' is its own ancestor; 'b' is its own ancestor"),
    ],
)
def test_a_faulty_lexicon_is_refused_with_its_fault(
    findings: list[Finding], normals: list[NormalStatement], problem: str
) -> None:
    """Repeated ids, dangling references and circles are named."""
    with pytest.raises(ValueError, match=f"^lexicon: {problem}$"):
        Lexicon.of(findings, normals)


def test_all_faults_are_told_at_once() -> None:
    """Someone who edits the files sees every fault of a kind in one go."""
    with pytest.raises(ValueError, match="'a' is defined twice; 'a' has unknown parent 'x'; 'n' denies unknown 'y'"):
        Lexicon.of([finding("a", ANY, "x"), finding("a", ANY, "x")], [_normal("n", "y")])


def test_what_hangs_below_a_circle_is_no_part_of_it() -> None:
    """Only the findings that form the circle are named."""
    with pytest.raises(ValueError, match=r"^lexicon: 'a' is its own ancestor; 'b' is its own ancestor$"):
        Lexicon.of([finding("c", ANY, "a"), finding("a", ANY, "b"), finding("b", ANY, "a")], [])


@given(st.lists(st.lists(st.integers(0, 20), max_size=3), min_size=1, max_size=20))
def test_kinds_are_an_order(parents: list[list[int]]) -> None:
    """Being a kind of is transitive, whatever parents findings share, and two are never kinds of each other."""
    names = [f"f{index}" for index in range(len(parents))]
    lexicon = Lexicon.of(
        [
            finding(name, ANY, *dict.fromkeys(names[parent % i] for parent in own if i))
            for i, (name, own) in enumerate(zip(names, parents, strict=True))
        ],
        [],
    )
    for narrow in names:
        above = lexicon.ancestors(narrow)
        assert len(above) == len(set(above))
        assert set(lexicon.findings[narrow].parents) <= set(above)
        for broad in above:
            assert not lexicon.is_kind_of(broad, narrow)
            assert set(lexicon.ancestors(broad)) <= set(above)
