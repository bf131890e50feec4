"""Calibration of a second reader's answers: the line, reliability, and what is told of too few."""

from __future__ import annotations

import math
import random

import pytest

from overread.adapters.bert.second_reader._calibration import measure_answers


def answers(count: int, slope: float, intercept: float) -> tuple[list[float], list[float]]:
    """Answers whose true log odds lie on a line of those told."""
    draw = random.Random(5)  # noqa: S311 - nothing is secret
    true = [draw.uniform(-3, 3) for _ in range(count)]
    return [(odds - intercept) / slope for odds in true], [
        float(draw.random() < 1 / (1 + math.exp(-odds))) for odds in true
    ]


@pytest.mark.parametrize(("slope", "intercept"), [(2.0, 0.0), (1.0, 0.0), (0.4, -0.5), (0.7, 1.0)])
def test_the_line_leads_from_told_odds_to_true_ones(slope: float, intercept: float) -> None:
    """Along it, told chances hold in every fifth."""
    found = measure_answers(*answers(20_000, slope, intercept))
    assert found.line == pytest.approx((slope, intercept), rel=0.08, abs=0.05)
    assert found.error < 0.02
    assert all(each.told == pytest.approx(each.held, abs=0.03) for each in found.reliability)
    assert sum(each.count for each in found.reliability) == found.count == 20_000


def test_answers_that_are_wrong_the_more_likely_are_not_turned_round() -> None:
    """The line is flat then: whatever is told, it holds as often as any."""
    odds, holds = answers(2_000, 1.0, 0.0)
    found = measure_answers([-each for each in odds], holds)
    assert found.line[0] == 0.0


def test_figures_of_a_few_answers_worked_by_hand() -> None:
    """Chances 0.9, 0.8 and 0.2 of which the first and last hold: Brier (0.01 + 0.64 + 0.64) / 3."""
    odds = [math.log(p / (1 - p)) for p in (0.9, 0.8001, 0.2001)]
    found = measure_answers(odds, [1.0, 0.0, 1.0])
    assert found.line == (1.0, 0.0)
    assert found.brier == pytest.approx(1.29 / 3, abs=1e-3)
    assert [(each.count, each.held) for each in found.reliability] == [(1, 1.0), (2, 0.5)]
    assert found.auc == 0.5
    assert found.error == pytest.approx((abs(0.2 - 1.0) + 2 * abs(0.85 - 0.5)) / 3, abs=1e-3)


def test_nothing_tried_tells_nothing() -> None:
    """No study was kept apart."""
    found = measure_answers([], [])
    assert (found.count, found.reliability, found.error) == (0, (), 0.0)
    assert math.isnan(found.auc)
    assert math.isnan(found.brier)
