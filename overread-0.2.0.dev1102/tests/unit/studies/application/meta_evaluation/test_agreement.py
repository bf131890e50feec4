"""Agreement with people: the right number, turned the right way, over the pairs that have it."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from overread.application.statistics.tabulation import Forest, Scatter
from overread.domain.results.annotation import Target
from overread.studies.application.meta_evaluation.agreement import agreement

from .invented import TOTAL, annotated, benchmark, by_row, column, counted, meta, scores


def test_a_metric_that_counts_as_people_do_agrees_fully_whichever_way_it_runs() -> None:
    """All three correlations are 1 for a count of errors and for a score that falls with them; reversed ones are -1."""
    told = meta(
        counted(0, 1, 2, 3),
        scores("errors", 0, 1, 2, 3),
        scores("quality", 1, 0.8, 0.6, 0.4, higher_is_better=True),
        scores("reversed", 3, 2, 1, 0),
    )
    [table] = agreement(told).tables
    for measure in ("kendall", "spearman", "pearson"):
        assert by_row(table, measure) == pytest.approx({"errors": 1, "quality": 1, "reversed": -1})


def test_a_rating_of_which_more_is_better_is_turned_too() -> None:
    """A quality score agrees with a grade."""
    grade = Target("rating", higher_is_better=True)
    pairs = [annotated(number, {"rating": (value,)}) for number, value in enumerate((1, 2, 3, 5))]
    [table] = agreement(
        meta(benchmark(pairs, grade), scores("quality", 0.1, 0.2, 0.3, 0.4, higher_is_better=True))
    ).tables
    assert by_row(table, "kendall") == {"quality": 1.0}


def test_figures_are_scipys() -> None:
    """With ties, tau-b, Spearman's and Pearson's correlation are those of scipy on the same numbers."""
    people, said = (0, 2, 2, 1, 5, 3), (0.1, 1.7, 0.3, 0.3, 2.0, 4.0)
    [table] = agreement(meta(counted(*people), scores("errors", *said))).tables
    assert by_row(table, "kendall")["errors"] == pytest.approx(stats.kendalltau(said, people).statistic)
    assert by_row(table, "spearman")["errors"] == pytest.approx(stats.spearmanr(said, people).statistic)
    assert by_row(table, "pearson")["errors"] == pytest.approx(stats.pearsonr(said, people).statistic)


def test_a_constant_score_is_a_dash_and_the_note_says_why() -> None:
    """There is no correlation with a constant: no figure, no interval, no row in the forest."""
    part = agreement(meta(counted(0, 1, 2), scores("constant", 1, 1, 1), scores("errors", 0, 1, 2)))
    [table] = part.tables
    assert by_row(table, "kendall")["constant"] is None
    assert "dash" in table.note
    [forest] = [plot for plot in part.plots if isinstance(plot, Forest)]
    assert [row.label for row in forest.rows] == ["errors"]


def test_unscored_and_unrated_pairs_are_counted_and_left_out() -> None:
    """The figure is that of the pairs with both numbers; nothing is put in their place."""
    told = meta(counted(0, 1, math.nan, 2, 3), scores("errors", 0, 1, 0, None, 3))
    [table] = agreement(told).tables
    assert by_row(table, "kendall") == {"errors": 1.0}
    assert by_row(table, "pairs") == {"errors": 3}
    assert by_row(table, "unscored") == {"errors": 1}
    assert "without a rating, left out: 1" in table.note


def test_a_subscore_named_as_the_target_speaks_for_it() -> None:
    """And runs in the target's direction, whatever the score's; a metric without one is judged by its score."""
    told = meta(
        counted(0, 1, 2),
        scores("notes", 0.5, 0.1, 0.9, higher_is_better=True, subscores={"total": column(0, 1, 2)}),
        scores("errors", 2, 1, 0),
    )
    [table] = agreement(told).tables
    assert by_row(table, "number") == {"notes": "total", "errors": "score"}
    assert by_row(table, "kendall") == {"notes": 1.0, "errors": -1.0}


def test_a_subscore_named_as_a_grade_does_not_speak_for_it() -> None:
    """It need not be about the same thing, nor run the same way."""
    pairs = [annotated(number, {"fluency": (number,)}) for number in range(3)]
    made = benchmark(pairs, Target("fluency", higher_is_better=True))
    judged = scores("notes", 0.1, 0.2, 0.3, higher_is_better=True, subscores={"fluency": column(2, 1, 0)})
    [table] = agreement(meta(made, judged)).tables
    assert by_row(table, "kendall") == {"notes": 1.0}


def test_raters_stand_below_the_metrics_for_scale() -> None:
    """Two raters who agree fully have 1; each is held against the mean of the others."""
    pairs = [annotated(number, {"total": (number, 2 * number)}) for number in range(4)]
    [table] = agreement(meta(benchmark(pairs, TOTAL, raters=("a", "b")), scores("errors", 3, 2, 1, 0))).tables
    assert by_row(table, "kendall") == {"errors": -1.0, "raters": 1.0}


def test_the_mean_rater_is_over_those_who_rated() -> None:
    """A pair that one of two rated has that rating."""
    said = [(0, 0), (4, math.nan), (1, 2)]
    pairs = [annotated(number, {"total": values}) for number, values in enumerate(said)]
    told = meta(benchmark(pairs, TOTAL, raters=("a", "b")), scores("errors", 0, 4, 1.5))
    assert told.people(TOTAL).tolist() == [0, 4, 1.5]


def test_a_scatter_shows_scores_and_ratings_as_they_were_given() -> None:
    """Axes are not turned; its caption has the correlations of what is turned."""
    part = agreement(meta(counted(0, 1, 2), scores("quality", 0.9, 0.5, 0.1, higher_is_better=True)))
    [scatter] = [plot for plot in part.plots if isinstance(plot, Scatter)]
    assert scatter.points == ((0, 0.9, "p0"), (1, 0.5, "p1"), (2, 0.1, "p2"))
    assert "Kendall tau-b 1.000" in scatter.caption


def test_a_target_of_yes_or_no_has_no_correlation() -> None:
    """Corrupted or not is screened for."""
    pairs = [annotated(number, {"corrupted": (number % 2,)}) for number in range(4)]
    told = meta(benchmark(pairs, Target("corrupted", higher_is_better=False)), scores("errors", 0, 1, 0, 1))
    assert agreement(told).tables == ()
