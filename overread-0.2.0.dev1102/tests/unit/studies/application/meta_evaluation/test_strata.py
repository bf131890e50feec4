"""Strata, generators, the size of the reference, and calibration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from overread.application.statistics.tabulation import Curves, Table
from overread.domain.results.annotation import Target
from overread.studies.application.meta_evaluation.strata import strata

from .invented import TOTAL, annotated, benchmark, by_row, cells, column, counted, meta, scores


def named(tables: tuple[Table, ...], name: str) -> Table:
    return next(table for table in tables if table.name == name)


def test_each_stratum_has_its_own_correlation() -> None:
    """A metric may agree in one and contradict in the other."""
    pairs = [annotated(n, {"total": (n % 3,)}, strata={"level": "ab"[n // 3]}) for n in range(6)]
    table = named(strata(meta(benchmark(pairs, TOTAL), scores("m", 0, 1, 2, 2, 1, 0))).tables, "by-level")
    assert cells(table, "stratum") == ["a", "b"]
    assert cells(table, "spearman") == pytest.approx([1.0, -1.0])
    assert cells(table, "pairs") == [3, 3]


def test_a_target_of_yes_or_no_has_the_auroc_of_each_stratum_alone() -> None:
    """In one the metric tells both kinds apart, in the other it says the reverse."""
    corrupted = Target("corrupted", higher_is_better=False)
    pairs = [annotated(n, {"corrupted": (n % 2,)}, strata={"kind": "ab"[n // 4]}) for n in range(8)]
    [table] = strata(meta(benchmark(pairs, corrupted), scores("m", 0, 1, 0, 1, 1, 0, 1, 0))).tables
    assert cells(table, "auroc") == [1.0, 0.0]


def test_a_stratum_of_one_value_is_not_shown() -> None:
    """It is the whole set."""
    pairs = [annotated(n, {"total": (n,)}, strata={"level": "a"}) for n in range(3)]
    assert not any(t.name == "by-level" for t in strata(meta(benchmark(pairs, TOTAL), scores("m", 0, 1, 2))).tables)


def test_ranking_systems_is_not_ranking_their_reports() -> None:
    """Within both generators the metric is reversed, though over all pairs it agrees."""
    said = [(0, "x"), (1, "x"), (10, "y"), (11, "y")]
    pairs = [annotated(n, {"total": (total,)}, generator=name) for n, (total, name) in enumerate(said)]
    table = named(strata(meta(benchmark(pairs, TOTAL), scores("m", 1, 0, 11, 10))).tables, "within-generator")
    assert cells(table, "all") == pytest.approx([0.6])
    assert cells(table, "mean") == cells(table, "generator-x") == cells(table, "generator-y") == pytest.approx([-1.0])


def test_references_of_one_size_leave_nothing_to_control_for() -> None:
    """A dash, and a note that says why."""
    told = meta(counted(0, 1, 2), scores("m", 0, 1, 2, reference_units=column(4, 4, 4)))
    table = named(strata(told).tables, "controlled")
    assert by_row(table, "partial") == {"m": None, "size alone": None}
    assert "of one size" in table.note


def test_what_size_explains_is_taken_out() -> None:
    """The partial correlation is that of residuals of ranks, here by numpy's least squares."""
    rng = np.random.default_rng(3)
    size = rng.permutation(20).astype(float)
    people, said = size + rng.normal(0, 5, 20), size + rng.normal(0, 5, 20)
    told = meta(counted(*people), scores("m", *said, reference_units=column(*size)))
    table = named(strata(told).tables, "controlled")
    ranks = [stats.rankdata(values) for values in (said, people, size)]
    line = np.stack([ranks[2], np.ones(20)], axis=1)
    left = [rank - line @ np.linalg.lstsq(line, rank, rcond=None)[0] for rank in ranks[:2]]
    assert by_row(table, "partial")["m"] == pytest.approx(np.corrcoef(*left)[0, 1])
    assert by_row(table, "plain")["size alone"] == pytest.approx(stats.spearmanr(size, people).statistic)
    assert "clinical units" in table.note


def test_without_units_words_are_the_size_and_the_note_says_so() -> None:
    """The references of these pairs grow by two words each: they explain the count wholly."""
    table = named(strata(meta(counted(0, 1, 2, 3), scores("m", 0, 1, 3, 2))).tables, "controlled")
    assert by_row(table, "plain")["size alone"] == pytest.approx(1.0)
    assert by_row(table, "partial")["m"] is None
    assert "words" in table.note


def test_fifths_of_risk_go_from_the_best_reports_to_the_worst() -> None:
    """Two pairs in each, and the mean of what people counted, whichever way the metric runs."""
    told = meta(counted(*range(10)), scores("quality", *range(10, 0, -1), higher_is_better=True))
    table = named(strata(told).tables, "calibration")
    assert [cells(table, f"fifth-{number}")[0] for number in range(1, 6)] == [0.5, 2.5, 4.5, 6.5, 8.5]
    assert cells(table, "pairs") == ["2 2 2 2 2"]


def test_equal_scores_stay_in_one_fifth() -> None:
    """A metric that says the same of all has the middle one, and dashes."""
    table = named(strata(meta(counted(*range(10)), scores("flat", *[1] * 10))).tables, "calibration")
    assert cells(table, "pairs") == ["0 0 10 0 0"]
    assert [cells(table, f"fifth-{number}")[0] for number in range(1, 6)] == [None, None, 4.5, None, None]


def test_the_curve_of_risk_has_its_points_over_their_own_fifths() -> None:
    """Seven of ten scores are 0: they are the second fifth, and the worst are the fourth and the fifth."""
    [curves] = strata(meta(counted(*range(10)), scores("m", *[0] * 7, 1, 2, 3))).plots
    assert isinstance(curves, Curves)
    assert [curve.points for curve in curves.curves] == [((2.0, 3.0), (4.0, 7.0), (5.0, 8.5))]
