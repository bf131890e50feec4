"""How far long work is: what is told, and to whom."""

from __future__ import annotations

import numpy as np
import pytest

from overread.application.statistics import Resampling, estimate_mean
from overread.application.telling import listening, run_draws, tell, telling

Told = list[tuple[str, int, int | None]]


def _study(draws: int) -> tuple[float | None, ...]:
    """Two intervals, of many rows and of few."""
    found: list[float | None] = []
    for rows in (300, 3):
        values = np.random.default_rng(rows).normal(size=rows)
        estimate = estimate_mean(values, Resampling.by_row(rows, draws=draws))
        found += [estimate.value, estimate.low, estimate.high]
    return tuple(found)


def test_nobody_needs_to_listen() -> None:
    """Then nothing is told, and a study is made once."""
    made: list[int] = []
    tell("reading", 1, 2)
    run_draws(made.append, 1000)
    assert made == [1000]


def test_the_innermost_listener_is_told_until_its_end() -> None:
    """And the one before it afterwards."""
    outer: Told = []
    inner: Told = []
    with listening(lambda *step: outer.append(step)):
        with listening(lambda *step: inner.append(step)):
            tell("reading", 1, 9)
        tell("reading", 2)
    tell("reading", 3)
    assert (inner, outer) == ([("reading", 1, 9)], [("reading", 2, None)])


def test_a_callback_tells_and_calls() -> None:
    """Work that counts for a caller counts for a listener as well."""
    heard: Told = []
    called: list[int] = []
    with listening(lambda *step: heard.append(step)):
        telling("scoring", 7, called.append)(3)
    assert (heard, called) == ([("scoring", 3, 7)], [3])


@pytest.mark.parametrize("draws", [1, 7, 50, 1000])
def test_a_study_tells_of_its_draws_and_comes_out_the_same(draws: int) -> None:
    """What is told only rises, and reaches the end; the figures are those of a study that nobody watches."""
    heard: Told = []
    with listening(lambda *step: heard.append(step)):
        watched = run_draws(_study, draws)
    assert watched == _study(draws)
    assert heard[0] == ("computing", 0, None)
    parts = [done for _, done, total in heard if total is not None]
    assert parts == sorted(parts)
    assert parts[-1] == 1000
    assert {total for _, _, total in heard[1:]} == {1000}
