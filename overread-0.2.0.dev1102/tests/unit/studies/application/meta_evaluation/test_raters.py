"""Agreement between raters."""

from __future__ import annotations

import math

import pytest

from overread.application.statistics.tabulation import HeatMap
from overread.studies.application.meta_evaluation.evaluation import raters_heard
from overread.studies.application.meta_evaluation.raters import raters

from .invented import TOTAL, annotated, benchmark, cells, counted, meta, scores


def test_every_two_raters_and_each_against_the_others() -> None:
    """Two agree fully and the third says the reverse; a pair that one did not rate is left out for him."""
    said = [(0, 0, 3), (1, 1, 2), (2, 2, 1), (3, math.nan, 0)]
    pairs = [annotated(number, {"total": values}) for number, values in enumerate(said)]
    part = raters(meta(benchmark(pairs, TOTAL, raters="abc"), scores("m", 0, 1, 2, 3)))
    [table], [heat_map] = part.tables, part.plots
    assert cells(table, "rater-a") == pytest.approx([None, 1.0, -1.0])
    assert cells(table, "rater-c") == pytest.approx([-1.0, -1.0, None])
    assert cells(table, "others")[2] == pytest.approx(-1.0)
    assert isinstance(heat_map, HeatMap)
    assert heat_map.columns == ("a", "b", "c", "mean of others")
    assert heat_map.words[0][:3] == ("", "1.00", "-1.00")


def test_who_rated_nothing_is_no_rater() -> None:
    """One who compared pairs, but rated none, is left out."""
    pairs = [annotated(number, {"total": (number, math.nan, number)}) for number in range(3)]
    told = meta(benchmark(pairs, TOTAL, raters="abc"), scores("m", 0, 1, 2))
    [table], [heat_map] = (part := raters(told)).tables, part.plots
    assert [row[0] for row in table.rows] == ["a", "c"]
    assert [column.name for column in table.columns] == ["rater", "rater-a", "rater-c", "others"]
    assert isinstance(heat_map, HeatMap)
    assert heat_map.rows == ("a", "c")
    assert raters_heard(told.benchmark) == 2


def test_one_rater_agrees_with_nobody() -> None:
    """No table."""
    assert raters(meta(counted(0, 1), scores("m", 0, 1))).tables == ()
