"""Paired comparisons: signs, tests and who is compared with whom."""

from __future__ import annotations

import pytest

from overread.application.statistics.tabulation import HeatMap
from overread.domain.results.scores import DISTRIBUTED
from overread.studies.application.meta_evaluation.primary import paired_primary

from .invented import by_row, cells, counted, meta, scores

PEOPLE = tuple(range(12))
BACK = tuple(reversed(PEOPLE))


def test_the_difference_is_of_correlations_and_above_zero_where_the_first_is_better() -> None:
    """1 less -1 is 2, clear in both tests; the heat map shows it from both sides."""
    told = meta(counted(*PEOPLE), scores("good", *PEOPLE), scores("bad", *BACK), draws=2000)
    part = paired_primary(told)
    [table], [heat_map] = part.tables, part.plots
    assert cells(table, "difference") == pytest.approx([2.0])
    assert cells(table, "bootstrap_p")[0] < 0.01  # type: ignore[operator]
    assert cells(table, "holm_p")[0] < 0.01  # type: ignore[operator]
    assert isinstance(heat_map, HeatMap)
    assert heat_map.values == ((None, 1.0), (-1.0, None))
    assert heat_map.words == (("", "+2.000*"), ("-2.000*", ""))


def test_equal_metrics_do_not_differ() -> None:
    """The difference is 0 and both p values are 1."""
    told = meta(counted(*PEOPLE), scores("one", *PEOPLE), scores("same", *PEOPLE))
    [table] = paired_primary(told).tables
    assert cells(table, "difference") == [0.0]
    assert cells(table, "bootstrap_p") == cells(table, "randomisation_p") == cells(table, "holm_p") == [1.0]


def test_only_pairs_that_both_scored_count() -> None:
    """What one of them lacks is left out of both, and the table says how many are left."""
    first, second = (None, *PEOPLE[1:]), (*PEOPLE[:-1], None)
    [table] = paired_primary(meta(counted(*PEOPLE), scores("a", *first), scores("b", *second))).tables
    assert cells(table, "pairs") == [10]


def test_p_values_are_corrected_over_the_table() -> None:
    """Holm's correction never lowers a p value, and the least is multiplied by the number of tests."""
    noisy = (1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10)
    told = meta(counted(*PEOPLE), scores("a", *PEOPLE), scores("b", *BACK), scores("c", *noisy), draws=500)
    [table] = paired_primary(told).tables
    plain, corrected = cells(table, "randomisation_p"), cells(table, "holm_p")
    assert len(plain) == 3
    assert min(corrected) == pytest.approx(min(1, 3 * min(plain)))  # type: ignore[type-var, operator]
    assert all(one <= other for one, other in zip(plain, corrected, strict=True))  # type: ignore[operator]


def test_scores_that_come_with_a_set_are_not_compared_with_one_another() -> None:
    """Unless there are no others."""
    given = [scores(name, *PEOPLE, source=DISTRIBUTED) for name in ("x", "y")]
    [table] = paired_primary(meta(counted(*PEOPLE), scores("mine", *BACK), *given)).tables
    assert [row[:2] for row in table.rows] == [("mine", "x"), ("mine", "y")]
    [table] = paired_primary(meta(counted(*PEOPLE), *given)).tables
    assert by_row(table, "second") == {"x": "y"}


def test_one_metric_is_compared_with_nobody() -> None:
    """No table."""
    assert paired_primary(meta(counted(*PEOPLE), scores("a", *PEOPLE))).tables == ()
