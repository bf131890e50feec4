"""Preferences: whether a metric sides with most raters."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from overread.domain.results.annotation import HumanBenchmark, Preference
from overread.studies.application.meta_evaluation.preference import preferences

from .invented import annotated, benchmark, by_row, cells, counted, meta, scores


def asked(*votes: Sequence[float], confidence: Sequence[Sequence[float]] = ()) -> HumanBenchmark:
    """A comparison of p0 with p1, of p2 with p3, and so on, each a study."""
    pairs = [annotated(number, {}, study=f"s{number // 2}") for number in range(2 * len(votes))]
    made = [
        Preference(
            id=f"c{place}",
            study=f"s{place}",
            first=f"p{2 * place}",
            second=f"p{2 * place + 1}",
            votes=tuple(map(float, said)),
            confidence=tuple(map(float, confidence[place])) if confidence else (),
        )
        for place, said in enumerate(votes)
    ]
    return benchmark(pairs, raters=[f"r{number}" for number in range(len(votes[0]))], preferences=made)


def test_a_metric_sides_with_people_where_it_finds_the_preferred_better() -> None:
    """Right, wrong, and a tie that counts one half: 1.5 of 3, whichever way the metric runs."""
    made = asked((1,), (1,), (-1,))
    told = meta(
        made,
        scores("errors", 0, 1, 1, 0, 2, 2),
        scores("quality", 1, 0, 0, 1, 0.5, 0.5, higher_is_better=True),
    )
    table = preferences(told).tables[0]
    assert by_row(table, "accuracy") == pytest.approx({"errors": 0.5, "quality": 0.5})
    assert by_row(table, "won") == pytest.approx({"errors": 1 / 3, "quality": 1 / 3})
    assert by_row(table, "ties") == {"errors": 1, "quality": 1}
    assert by_row(table, "comparisons") == {"errors": 3, "quality": 3}


def test_divided_raters_and_unscored_candidates_are_counted_and_left_out() -> None:
    """One comparison is left, and the metric is right in it."""
    made = asked((1, 1), (1, -1), (-1, math.nan))
    table = preferences(meta(made, scores("errors", 0, 1, 0, 1, None, 0))).tables[0]
    assert by_row(table, "accuracy") == {"errors": 1.0}
    assert [by_row(table, name)["errors"] for name in ("comparisons", "undecided", "unscored")] == [1, 1, 1]


def test_accuracy_rises_with_confidence_where_sure_raters_are_right() -> None:
    """Sure of two comparisons of four: both are right, of all half are."""
    made = asked((1,), (1,), (1,), (1,), confidence=((1,), (1,), (2,), (2,)))
    told = meta(made, scores("errors", 1, 0, 1, 0, 0, 1, 0, 1))
    table = next(table for table in preferences(told).tables if table.name == "preferences-by-confidence")
    assert cells(table, "least") == [1.0, 2.0]
    assert cells(table, "accuracy") == [0.5, 1.0]
    assert cells(table, "comparisons") == [4, 2]


def test_metrics_are_compared_over_the_comparisons_that_both_can_tell() -> None:
    """1 less 0."""
    told = meta(asked(*[(1,)] * 8), scores("good", *[0, 1] * 8), scores("bad", *[1, 0] * 8))
    table = next(table for table in preferences(told).tables if table.name == "paired-preferences")
    assert cells(table, "difference") == [1.0]
    assert cells(table, "randomisation_p")[0] < 0.02  # type: ignore[operator]


def test_a_set_without_preferences_asks_nothing() -> None:
    """No table."""
    assert preferences(meta(counted(0, 1), scores("errors", 0, 1))).tables == ()
