"""RaTEScore's formulas, against the paper's example, a slow oracle, and what must hold of any table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from attrs import frozen
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.entities.affinity import TABLES, TYPES, AffinityTable, Orientation, PenaltyRule
from overread.domain.entities.entity import EntityType
from overread.domain.results.ratescore import directed_similarity, harmonic_mean, ratescore
from overread.domain.results.result import EntityMatch

Array = npt.NDArray[np.float64]

ABNORMAL, ANATOMY, DISEASE, NORMAL, NO_DISEASE = TYPES
LONG = TABLES["release-0.6-long"].read_as()


def weights(**cells: float) -> tuple[tuple[float, ...], ...]:
    """W that is 1 but in cells named by their types' initials, ROW_COLUMN."""
    names = {"AB": ABNORMAL, "AN": ANATOMY, "DI": DISEASE, "NA": NORMAL, "ND": NO_DISEASE}
    rows = [[1.0] * len(TYPES) for _ in TYPES]
    for name, weight in cells.items():
        row, column = (TYPES.index(names[part]) for part in name.split("_"))
        rows[row][column] = weight
    return tuple(map(tuple, rows))


def table(p: float = 0.5, **cells: float) -> AffinityTable:
    return AffinityTable(name="test", weights=weights(**cells), p=p)


def test_the_papers_example() -> None:
    """Example A.1: both directed similarities come out as printed, 0.644 and 0.666.

    The example writes p as 0.37 in its text and as 0.36 in its formulas; only 0.36 gives the printed values. The
    harmonic mean of the two is 0.654; the 0.676 that is printed is no mean of any kind of them, being above both.
    """
    paper = AffinityTable(
        name="A.1",
        weights=weights(AN_AN=0.91, NA_AB=0.94, AB_NA=0.83),
        p=0.36,
        orientation=Orientation.PAPER,
        penalty=PenaltyRule.ANY_MISMATCH,
    )
    cosines = np.array([[1.0, 0.1], [0.2, 0.83]])
    result = ratescore([ANATOMY, NORMAL], [ANATOMY, ABNORMAL], cosines, paper.read_as())
    assert result.precision == pytest.approx(0.644, abs=1e-3)
    assert result.precision == pytest.approx((0.91 + 0.94 * 0.83 * 0.36) / (0.91 + 0.94))
    assert result.recall == pytest.approx(0.666, abs=1e-3)
    assert result.recall == pytest.approx((0.91 + 0.83 * 0.83 * 0.36) / (0.91 + 0.83))
    assert round(result.score, 3) == 0.654


def test_the_release_reads_the_same_example_the_other_way_round() -> None:
    """W[scored, match] instead of W[match, scored]: the two directions take each other's weight."""
    learned = table(0.36, AN_AN=0.91, NA_AB=0.94, AB_NA=0.83)
    cosines = np.array([[1.0, 0.1], [0.2, 0.83]])
    types = [ANATOMY, NORMAL], [ANATOMY, ABNORMAL]
    paper = ratescore(*types, cosines, learned.read_as(Orientation.PAPER))
    release = ratescore(*types, cosines, learned.read_as(Orientation.RELEASE))
    assert (release.precision, release.recall) == pytest.approx((paper.recall, paper.precision))


def test_precision_is_over_the_candidates_entities_and_recall_over_the_references() -> None:
    """A candidate that says one right thing of two is all precision and half recall."""
    result = ratescore([DISEASE, DISEASE], [DISEASE], np.array([[1.0], [0.0]]), LONG)
    assert (result.precision, result.recall) == pytest.approx((1.0, 0.5))
    assert result.score == pytest.approx(2 / 3)


def test_the_evidence_of_a_match() -> None:
    """Each entity's match, cosine, weight and penalty; two entities may share a match."""
    affinity = table(0.3, AB_ND=0.7, AN_ND=0.2).read_as()
    result = ratescore([ABNORMAL, ANATOMY], [NO_DISEASE], np.array([[0.8], [-0.4]]), affinity)
    assert result.reference_matches == (EntityMatch(0, 0, 0.8, 0.7, 0.3), EntityMatch(1, 0, -0.4, 0.2, 1.0))
    assert result.candidate_matches == (EntityMatch(0, 0, 0.8, 1.0, 0.3),)


def test_the_name_decides_the_match_and_of_equal_names_the_type() -> None:
    """Of two equal names the one of the same type is taken; of two of neither type, the first."""
    both = np.array([[0.9, 0.9]])
    value, matches = directed_similarity(both, [ABNORMAL], [NORMAL, ABNORMAL], table().read_as())
    assert [match.match for match in matches] == [1]
    assert value == pytest.approx(0.9)
    _, matches = directed_similarity(both, [ABNORMAL], [NORMAL, DISEASE], table().read_as())
    assert matches == (EntityMatch(0, 0, 0.9, 1.0, 0.5),)
    _, matches = directed_similarity(np.array([[0.91, 0.9]]), [ABNORMAL], [NORMAL, ABNORMAL], table().read_as())
    assert [match.match for match in matches] == [0]


def test_a_penalty_lowers_the_numerator_only() -> None:
    """A penalised match weighs as much as any other in the denominator."""
    value, _ = directed_similarity(np.array([[1.0, 0.0]]), [DISEASE], [NO_DISEASE, DISEASE], table(0.25).read_as())
    assert value == 0.25


def test_weights_that_add_up_to_nothing_give_zero() -> None:
    """Nothing is divided by nought."""
    nothing = table(AB_AB=0.0).read_as()
    assert directed_similarity(np.array([[1.0]]), [ABNORMAL], [ABNORMAL], nothing)[0] == 0.0


def test_duplicated_entities_count_each() -> None:
    """A finding named twice weighs twice."""
    result = ratescore([DISEASE] * 2, [DISEASE] * 3, np.ones((2, 3)), LONG)
    assert len(result.reference_matches) == 2
    assert len(result.candidate_matches) == 3
    assert result.score == pytest.approx(1.0)


@pytest.mark.parametrize(("reference", "candidate"), [(0, 0), (0, 2), (2, 0)])
def test_a_side_without_entities_has_no_similarity(reference: int, candidate: int) -> None:
    """Neither report can then match the other."""
    result = ratescore([DISEASE] * reference, [DISEASE] * candidate, np.zeros((reference, candidate)), LONG)
    assert (result.score, result.precision, result.recall) == (0.0, 0.0, 0.0)
    assert (result.reference_matches, result.candidate_matches) == ((), ())


def test_negative_cosines_count_and_a_negative_direction_makes_the_score_zero() -> None:
    """The paper's mean of .3 and -.299 would be -179: outside its own range, so here it is 0."""
    result = ratescore([DISEASE], [DISEASE, ANATOMY], np.array([[0.5, -0.9]]), table().read_as())
    assert (result.precision, result.recall) == pytest.approx((-0.2, 0.5))
    assert result.score == 0.0
    assert harmonic_mean(0.3, -0.299) == 0.0


def test_similarities_of_another_shape_are_refused() -> None:
    """Rows are the reference's and columns the candidate's."""
    with pytest.raises(ValueError, match="must be 1 x 2"):
        ratescore([DISEASE], [DISEASE, ANATOMY], np.zeros((2, 1)), LONG)


@frozen
class Case:
    """Any pair under any table."""

    reference: list[EntityType]
    candidate: list[EntityType]
    similarities: Array
    table: AffinityTable
    orientation: Orientation
    penalty: PenaltyRule


@st.composite
def cases(draw: st.DrawFn) -> Case:
    types = st.lists(st.sampled_from(TYPES), max_size=5)
    reference, candidate = draw(types), draw(types)
    cosine = st.floats(-1, 1) | st.sampled_from([-1.0, 0.0, 0.5, 1.0])
    size = len(reference) * len(candidate)
    cosines = draw(st.lists(cosine, min_size=size, max_size=size))
    # One weight is always positive; others may well be 0.
    cells = draw(st.lists(st.sampled_from([0.0, 1.0]) | st.floats(0.001, 1), min_size=24, max_size=24))
    square = np.array([1.0, *cells]).reshape(5, 5)
    return Case(
        reference,
        candidate,
        np.array(cosines).reshape(len(reference), len(candidate)),
        AffinityTable(name="any", weights=square.tolist(), p=draw(st.floats(0, 1))),
        draw(st.sampled_from(Orientation)),
        draw(st.sampled_from(PenaltyRule)),
    )


def slow_direction(case: Case, scored: Sequence[EntityType], others: Sequence[EntityType], cosines: Array) -> float:
    """Equations 3 to 5 in plain loops, with the table's cells looked up by type."""
    present, denied = {ABNORMAL, DISEASE}, {NORMAL, NO_DISEASE}
    numerator = denominator = 0.0
    for j, mine in enumerate(scored):
        if not others:
            return 0.0
        nearest = max(float(cosines[j, i]) for i in range(len(others)))
        equal = [i for i in range(len(others)) if cosines[j, i] >= nearest - 1e-5]
        best = min(equal, key=lambda i: (others[i] != mine, i))
        its, highest = others[best], float(cosines[j, best])
        row, column = (its, mine) if case.orientation == "paper" else (mine, its)
        weight = case.table.by_type[row][column]
        opposed = (mine in present and its in denied) or (mine in denied and its in present)
        at_odds = mine != its if case.penalty == "any-mismatch" else opposed
        numerator += weight * (case.table.p * highest if at_odds else highest)
        denominator += weight
    return numerator / denominator if denominator else 0.0


@given(cases())
def test_any_pair_scores_as_the_equations_say(case: Case) -> None:
    """The array code agrees with loops over the paper's formulas."""
    result = ratescore(
        case.reference, case.candidate, case.similarities, case.table.read_as(case.orientation, case.penalty)
    )
    precision = slow_direction(case, case.candidate, case.reference, case.similarities.T)
    recall = slow_direction(case, case.reference, case.candidate, case.similarities)
    expected = 2 * precision * recall / (precision + recall) if precision > 0 and recall > 0 else 0.0
    assert (result.precision, result.recall) == pytest.approx((precision, recall), abs=1e-12)
    assert result.score == pytest.approx(expected, abs=1e-9)


@given(cases())
def test_scores_and_directions_keep_their_range(case: Case) -> None:
    """Cosines may be negative, a score may not."""
    result = ratescore(
        case.reference, case.candidate, case.similarities, case.table.read_as(case.orientation, case.penalty)
    )
    assert 0.0 <= result.score <= 1.0 + 1e-12
    assert min(result.precision, result.recall) >= -1.0 - 1e-12
    assert max(result.precision, result.recall) <= 1.0 + 1e-12


@given(cases())
def test_swapping_the_reports_swaps_the_directions_and_keeps_the_score(case: Case) -> None:
    """The harmonic mean knows no order."""
    affinity = case.table.read_as(case.orientation, case.penalty)
    one = ratescore(case.reference, case.candidate, case.similarities, affinity)
    other = ratescore(case.candidate, case.reference, case.similarities.T, affinity)
    assert (other.precision, other.recall) == pytest.approx((one.recall, one.precision), abs=1e-12)
    assert other.score == pytest.approx(one.score, abs=1e-12)


@given(
    st.lists(st.sampled_from(TYPES), min_size=1, max_size=6),
    st.sampled_from(list(TABLES.values())),
    st.sampled_from(Orientation),
    st.sampled_from(PenaltyRule),
    st.integers(0, 2**32 - 1),
)
def test_a_report_against_itself_scores_one(
    types: list[EntityType], known: AffinityTable, orientation: Orientation, penalty: PenaltyRule, seed: int
) -> None:
    """Also where one name is there under several types."""
    names = np.random.default_rng(seed).normal(size=(3, 16))[np.arange(len(types)) % 3]
    names /= np.linalg.norm(names, axis=1, keepdims=True)
    result = ratescore(types, types, names @ names.T, known.read_as(orientation, penalty))
    assert result.score == pytest.approx(1.0)
    assert all(types[match.match] is types[match.entity] for match in result.reference_matches)
