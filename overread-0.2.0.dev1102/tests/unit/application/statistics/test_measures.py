"""Measures: a resampled figure is that of the expanded rows, whatever the ties and the draws."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overread.application.statistics import Resampling, correlations
from overread.application.statistics.correlations import zero_where_undefined
from overread.application.statistics.measures import MEASURES

Vector = npt.NDArray[np.float64]

SCREENING = ("auroc", "auprc", "sensitivity_at_80", "sensitivity_at_90", "sensitivity_at_95", "enrichment_20")


@st.composite
def weighted(draw: st.DrawFn, *, binary: bool) -> tuple[Vector, Vector, npt.NDArray[np.float32]]:
    """Rows with many ties, and draws that leave rows out, take some often, or take nothing at all."""
    rows = draw(st.integers(1, 12))
    number = st.sampled_from([-1.5, 0.0, 0.1, 0.3, 2.0, 7.0])
    people = st.sampled_from([0.0, 1.0]) if binary else st.integers(0, 4).map(float)
    scores = draw(st.lists(number, min_size=rows, max_size=rows))
    told = draw(st.lists(people, min_size=rows, max_size=rows))
    taken = draw(st.lists(st.lists(st.integers(0, 3), min_size=rows, max_size=rows), min_size=1, max_size=4))
    return np.array(scores), np.array(told), np.array(taken, dtype=np.float32)


def expect_expanded(name: str, scores: Vector, people: Vector, weights: npt.NDArray[np.float32]) -> None:
    measure = MEASURES[name]
    drawn = measure.resample(scores, people, weights)
    for figure, draw in zip(drawn, weights.astype(int), strict=True):
        expected = measure.value(np.repeat(scores, draw), np.repeat(people, draw))
        assert figure == pytest.approx(expected, abs=1e-9, nan_ok=True)


@pytest.mark.parametrize("name", [name for name in MEASURES if name not in SCREENING])
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_draw_is_the_measure_of_the_rows_it_takes(name: str, data: st.DataObject) -> None:
    """`value` is scipy's and scikit-learn's, so that the weighted forms are held to them."""
    expect_expanded(name, *data.draw(weighted(binary=False)))


@pytest.mark.parametrize("name", SCREENING)
@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_a_draw_screens_as_the_rows_it_takes_do(name: str, data: st.DataObject) -> None:
    """Measures of screening, as areas and sensitivities, count repeated rows as often as drawn."""
    expect_expanded(name, *data.draw(weighted(binary=True)))


@pytest.mark.parametrize("rows", [2, 3, 7, 64, 100])
def test_many_rows_are_counted_by_merging_with_the_same_result(rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to Kendall's tau-b count whole numbers, and so agree exactly."""
    random = np.random.default_rng(rows)
    scores, people = random.integers(0, rows, rows).astype(float), random.poisson(2, rows).astype(float)
    draws = Resampling.by_study([str(row) for row in range(rows)], draws=50, seed=rows)
    weights = np.concatenate(list(draws.weights()))
    squared = MEASURES["kendall"].resample(scores, people, weights)
    monkeypatch.setattr(correlations, "_MOST_SQUARED", 0)
    np.testing.assert_array_equal(MEASURES["kendall"].resample(scores, people, weights), squared)
    expect_expanded("kendall", scores, people, weights)


@pytest.mark.parametrize("name", MEASURES)
def test_without_rows_nothing_is_defined(name: str) -> None:
    """No draw of no rows has a figure."""
    none = np.array([])
    assert np.isnan(MEASURES[name].value(none, none))
    assert np.isnan(MEASURES[name].resample(none, none, np.zeros((3, 0), dtype=np.float32))).all()


@pytest.mark.parametrize("name", ["kendall", "spearman", "pearson"])
def test_a_constant_has_no_correlation(name: str) -> None:
    """Nor has a draw in which one of the two happens to be constant."""
    assert np.isnan(MEASURES[name].value(np.array([1.0, 1.0, 1.0]), np.array([1.0, 2.0, 3.0])))
    weights = np.array([[2, 0, 1], [1, 1, 1]], dtype=np.float32)
    drawn = MEASURES[name].resample(np.array([0.1, 0.2, 0.1]), np.array([1.0, 2.0, 3.0]), weights)
    assert np.isnan(drawn[0])
    assert np.isfinite(drawn[1])


@pytest.mark.parametrize(
    ("name", "scores", "people", "expected"),
    [
        # Six pairs: four concordant, one tied in scores, one in people; 4 / sqrt(5 * 5).
        ("kendall", [1, 2, 2, 3], [1, 2, 3, 3], 0.8),
        # Midranks 1, 2.5, 2.5, 4 and 1, 2, 3.5, 3.5: products about the mean sum to 3.75, squares to 4.5 each.
        ("spearman", [1, 2, 2, 3], [1, 2, 3, 3], 3.75 / 4.5),
        ("pearson", [0, 1, 2], [0, 2, 1], 0.5),
        ("mae", [1, 2, 4], [1, 3, 1], 4 / 3),
        ("rmse", [1, 2, 4], [1, 3, 1], np.sqrt(10 / 3)),
        ("accuracy", [1, 2, 4, 0], [1, 3, 4, 0], 0.75),
        # Of four pairs of one to be found and one other: two right, one tied, one wrong.
        ("auroc", [3, 1, 1, 0], [1, 1, 0, 0], 0.875),
        # Found at 1 of 1, then, tied with another, at 2 of 3: (1 + 2/3) / 2.
        ("auprc", [3, 1, 1, 0], [1, 1, 0, 0], 5 / 6),
        # Five others, one may be called at 80 %: it lies above the third to be found, whose threshold is taken.
        ("sensitivity_at_80", [9, 8, 6, 3, 7, 5, 2, 1, 0], [1, 1, 1, 1, 0, 0, 0, 0, 0], 0.75),
        # None may be called at 90 % of five.
        ("sensitivity_at_90", [9, 8, 6, 3, 7, 5, 2, 1, 0], [1, 1, 1, 1, 0, 0, 0, 0, 0], 0.5),
        # of 21 others one may be taken for what is sought: two of three lie above the second of them
        ("sensitivity_at_95", [30, 29, 28, *range(21)], [0, 1, 1, *[0] * 10, 1, *[0] * 10], 2 / 3),
        # The top fifth of ten is two rows: the first, and one of three tied of which one is to be found.
        ("enrichment_20", [9, 5, 5, 5, 1, 1, 1, 1, 1, 1], [1, 1, 0, 0, 0, 0, 0, 0, 0, 0], (4 / 3 / 2) / 0.2),
    ],
)
def test_hand_worked(name: str, scores: list[float], people: list[float], expected: float) -> None:
    """Each measure against arithmetic that is written beside it."""
    value = MEASURES[name].value(np.array(scores, dtype=float), np.array(people, dtype=float))
    assert value == pytest.approx(expected)


def test_enrichment_is_that_of_the_paper() -> None:
    """RadOT-Eval Table IV, of 100 pairs: 62 with a significant error, 18 of them among the 20 highest, is 1.452."""
    people = np.array([1.0] * 18 + [0.0] * 2 + [1.0] * 44 + [0.0] * 36)
    assert round(MEASURES["enrichment_20"].value(-np.arange(100.0), people), 3) == 1.452


def test_screening_needs_a_yes_or_no() -> None:
    """Counts, or means of raters, are refused rather than cut somewhere."""
    with pytest.raises(ValueError, match="must be 1"):
        MEASURES["auroc"].value(np.array([0.1, 0.2]), np.array([0.5, 0.0]))


def test_names_are_the_keys() -> None:
    """A measure is found by the name that tables show."""
    assert all(measure.name == name for name, measure in MEASURES.items())


@pytest.mark.parametrize(("name", "expected"), [("kendall", 4 / 6), ("spearman", 0.8), ("pearson", 0.7071067811865475)])
def test_each_correlation_is_the_one_it_is_named_after(name: str, expected: float) -> None:
    """Four ranks with two neighbours swapped; by value the outlier matters."""
    values = np.array([1.0, 2.0, 4.0, 3.0])
    by_value = np.array([0.0, 0.0, 1.0, 1.0])
    other = by_value if name == "pearson" else np.array([1.0, 2.0, 3.0, 4.0])
    first = np.array([1.0, 0.0, 1.0, 2.0]) if name == "pearson" else values
    assert MEASURES[name].value(first, other) == pytest.approx(expected)


@pytest.mark.parametrize("name", ["kendall", "pearson", "spearman"])
def test_what_is_constant_agrees_with_nothing_where_a_number_is_needed(name: str) -> None:
    """A search that maximises needs a number everywhere."""
    rising = np.arange(5.0)
    assert zero_where_undefined(MEASURES[name], np.ones(5), rising) == 0.0
    assert zero_where_undefined(MEASURES[name], rising, np.ones(5)) == 0.0
    assert zero_where_undefined(MEASURES[name], rising, -rising) == pytest.approx(-1.0)
