"""The lexicon: what is a kind of what, what denies what, and what is wrong with a lexicon."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.lexicon import Finding, Lexicon, NormalStatement
from overread.domain.severity import Actionability

from .clinical import LEXICON, finding

ANY = Actionability.ACTIONABLE


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
    assert LEXICON.actionability("unheard_of") is Actionability.ACTIONABLE
    assert LEXICON.actionability("scar") is Actionability.NON_ACTIONABLE


def _normal(identifier: str, *denies: str) -> NormalStatement:
    return NormalStatement(id=identifier, name=identifier, denies=denies)


@pytest.mark.parametrize(
    ("findings", "normals", "problem"),
    [
        ([finding("a", ANY), finding("a", ANY)], [], "'a' is defined twice"),
        ([finding("a", ANY)], [_normal("a")], "'a' is defined twice"),
        ([], [_normal("n"), _normal("n")], "'n' is defined twice"),
        ([finding("a", ANY, "ghost")], [], "'a' has unknown parent 'ghost'"),
        ([finding("a", ANY)], [_normal("n", "a", "ghost")], "'n' denies unknown 'ghost'"),
        ([finding("a", ANY)], [_normal("m"), _normal("n", "m")], "'n' denies unknown 'm'"),
        ([finding("a", ANY, "a")], [], "'a' is its own ancestor"),
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


@given(st.lists(st.integers(0, 20), min_size=1, max_size=20))
def test_kinds_are_an_order(parents: list[int]) -> None:
    """In any forest of findings, being a kind of is transitive, and two findings are never kinds of each other."""
    names = [f"f{index}" for index in range(len(parents))]
    lexicon = Lexicon.of(
        [
            finding(name, ANY, names[parent % i] if i else "")
            for i, (name, parent) in enumerate(zip(names, parents, strict=True))
        ],
        [],
    )
    for narrow in names:
        for broad in lexicon.ancestors(narrow):
            assert not lexicon.is_kind_of(broad, narrow)
            assert set(lexicon.ancestors(broad)) <= set(lexicon.ancestors(narrow))
