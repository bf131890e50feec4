"""Errors by category: predicted counts against the mean rater."""

from __future__ import annotations

import math

import pytest

from overread.domain.results.annotation import HumanBenchmark, Target
from overread.studies.application.meta_evaluation.categories import categories

from .invented import TOTAL, annotated, benchmark, cells, column, meta, scores

TARGETS = (
    TOTAL,
    Target("significant.A", higher_is_better=False),
    Target("insignificant.A", higher_is_better=False),
)


def counted(*said: tuple[tuple[float, ...], tuple[float, ...]], raters: str = "a") -> HumanBenchmark:
    """A set with significant and insignificant errors of category A, by rater."""
    pairs = [
        annotated(number, {"significant.A": significant, "insignificant.A": insignificant})
        for number, (significant, insignificant) in enumerate(said)
    ]
    return benchmark(pairs, *TARGETS, raters=raters)


def test_errors_of_a_category_are_those_of_both_grades() -> None:
    """Predicted 1, 1, 3 against 0, 3, 3: mean absolute error 1, root mean square sqrt(5/3)."""
    made = counted(((0,), (0,)), ((1,), (2,)), ((3,), (0,)))
    [table] = categories(meta(made, scores("m", 0, 0, 0, subscores={"A": column(1, 1, 3)}))).tables
    assert table.name == "categories-total"
    assert cells(table, "category") == ["A false finding"]
    assert cells(table, "mae") == pytest.approx([1.0])
    assert cells(table, "rmse") == pytest.approx([math.sqrt(5 / 3)])
    assert cells(table, "people") == pytest.approx([2.0])
    assert cells(table, "predicted") == pytest.approx([5 / 3])


def test_each_grade_is_compared_where_a_metric_tells_them_apart() -> None:
    """Significant counts with significant ones, of the mean rater."""
    made = counted(((0, 0), (0, 0)), ((1, 2), (0, 0)), raters="ab")
    counts = {"A": column(0, 1), "insignificant_A": column(0, 2)}
    _, significant, insignificant = categories(meta(made, scores("m", 0, 0, subscores=counts))).tables
    assert (significant.name, insignificant.name) == ("categories-significant", "categories-insignificant")
    assert cells(significant, "mae") == pytest.approx([0.25])
    assert cells(insignificant, "mae") == pytest.approx([1.0])


def test_a_category_that_nobody_found_has_errors_of_counts_but_no_correlation() -> None:
    """The correlation with zeros is a dash."""
    made = counted(((0,), (0,)), ((0,), (0,)))
    [table] = categories(meta(made, scores("m", 0, 0, subscores={"A": column(1, 0)}))).tables
    assert cells(table, "kendall") == [None]
    assert cells(table, "mae") == [0.5]


def test_metrics_that_count_nothing_have_no_row() -> None:
    """No table without rows."""
    assert categories(meta(counted(((0,), (0,)), ((1,), (0,))), scores("m", 0, 1))).tables == ()
