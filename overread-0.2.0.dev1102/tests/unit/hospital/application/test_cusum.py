"""CUSUM charts: their limits against published tables and formulas, their chain against simulated runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import norm

from overread.exceptions import InputError
from overread.hospital.application.cusum import Excursion, average_run_length, design_cusum, shifted_rate, trace


def _normal(reference: float, limit: float, mean: float, states: int = 80) -> float:
    """Run length of a one-sided CUSUM of normal values, cut into steps as Brook and Evans do."""
    width = 2 * limit / (2 * states - 1)
    reach = math.ceil((limit + 6) / width)
    edges = (np.arange(-reach, reach + 2) - 0.5) * width + reference - mean
    probabilities = np.diff(norm.cdf(edges))
    return average_run_length(dict(zip(range(-reach, reach + 1), probabilities, strict=True)), states)


@pytest.mark.parametrize(
    ("limit", "mean", "published"),
    [
        (4.0, 0.0, 2 * 168.0),
        (5.0, 0.0, 2 * 465.0),
        (4.0, 1.0, 8.38),
        (5.0, 1.0, 10.4),
        (4.0, 2.0, 3.34),
        (5.0, 2.0, 4.01),
        (4.0, 3.0, 2.19),
        (5.0, 3.0, 2.57),
    ],
)
def test_the_chain_has_the_run_lengths_of_published_tables(limit: float, mean: float, published: float) -> None:
    """Lucas and Crosier, Technometrics 24 (1982), k = 1/2, as in Montgomery's table 9.3.

    In control the two-sided chart of the table gives an alarm twice as often as one side of it.
    """
    assert _normal(0.5, limit, mean) == pytest.approx(published, rel=0.005)


@pytest.mark.parametrize(
    ("reference", "limit"), [(0.25, 8.01), (0.5, 4.77), (0.75, 3.34), (1.0, 2.52), (1.25, 1.99), (1.5, 1.61)]
)
def test_published_limits_give_their_run_length(reference: float, limit: float) -> None:
    """Hawkins, Quality Engineering 5 (1993), table of k and h for a two-sided run length of 370; h has two decimals."""
    assert _normal(reference, limit, 0.0) / 2 == pytest.approx(370, rel=0.02)


def _diffusion(base: float, shifted: float, limit: float) -> float:
    """Run length in control by the corrected diffusion of Reynolds and Stoumbos (1999), equations 8 to 10."""
    low = -math.log((1 - shifted) / (1 - base))
    high = math.log(shifted * (1 - base) / (base * (1 - shifted)))
    logarithm = math.log(base)
    if base < 0.01:
        excess = (math.sqrt((1 - base) / base) - math.sqrt(base / (1 - base))) / 3
    else:
        powers = {1: -0.0842, 3: -0.0391, 4: -0.00376, 7: -0.000008}
        excess = 0.410 + sum(factor * logarithm**power for power, factor in powers.items())
    adjusted = limit + excess * math.sqrt(base * (1 - base))
    return (math.exp(high * adjusted) - high * adjusted - 1) / abs(high * base - low)


@pytest.mark.parametrize(("base", "shifted"), [(0.005, 0.01), (0.01, 0.025), (0.013, 0.026), (0.02, 0.04)])
def test_bernoulli_run_lengths_agree_with_the_published_approximation(base: float, shifted: float) -> None:
    """Reynolds and Stoumbos, Journal of Quality Technology 31 (1999); for p0 = 0.01 and p1 = 0.025 m is 61."""
    design = design_cusum(base, shifted, 6000.0)
    assert _diffusion(base, shifted, design.limit / (design.rise + design.fall)) == pytest.approx(
        design.run_length, rel=0.04
    )
    if base == 0.01:
        assert (design.rise, design.fall) == (60, 1)


def test_one_event_above_the_limit_is_a_geometric_wait() -> None:
    """Where the first event gives the alarm, 1 / p rows pass; where two in a row must, 1 / p + 1 / p^2."""
    assert average_run_length({3: 0.2, -1: 0.8}, 3) == pytest.approx(5.0)
    assert average_run_length({1: 0.2, -2: 0.8}, 2) == pytest.approx(30.0)


@pytest.mark.parametrize("state", ["in control", "shifted"])
def test_simulated_runs_are_as_long_as_reported(state: str) -> None:
    """Of 4,000 simulated runs the mean length is that of the chain, within four standard errors."""
    design = design_cusum(0.1, 0.2, 300.0)
    rates = {"in control": (design.base, design.run_length), "shifted": (design.shifted, design.delay)}
    rate, expected = rates[state]
    source = np.random.default_rng(5)
    runs = 4000
    sums, lengths, rows = np.zeros(runs), np.zeros(runs), 0
    while not lengths.all():
        rows += 1
        sums = np.maximum(sums + np.where(source.random(runs) < rate, design.rise, -design.fall), 0)
        lengths[(lengths == 0) & (sums >= design.limit)] = rows
    assert lengths.mean() == pytest.approx(expected, abs=4 * lengths.std() / math.sqrt(runs))


def test_the_limit_is_the_lowest_that_is_rare_enough() -> None:
    """One step less gives false alarms more often than asked for."""
    design = design_cusum(0.05, 0.1, 2000.0)
    steps = {design.rise: 0.05, -design.fall: 0.95}
    assert design.run_length >= 2000.0 > average_run_length(steps, design.limit - 1)
    assert design.delay < design.run_length / 10
    assert design.run_length_at(0.07) < design.run_length


def test_an_alarm_tells_since_when_and_the_sum_starts_again() -> None:
    """The change is put at the first event after the last zero; after the alarm another one takes as long again."""
    design = design_cusum(0.1, 0.2, 300.0)
    needed = math.ceil(design.limit / design.rise)
    events = [False, True, *[False] * 40, *[True] * needed, *[True] * needed]
    path = trace(design, events)
    assert path.alarms == (
        Excursion(start=42, crossing=41 + needed),
        Excursion(start=42 + needed, crossing=41 + 2 * needed),
    )
    assert path.sums[:3] == (0, design.rise, design.rise - design.fall)
    assert (min(path.sums), len(path.sums)) == (0, len(events))


@pytest.mark.parametrize(
    ("base", "shifted", "run_length"), [(0.0, 0.1, 100.0), (0.2, 0.1, 100.0), (0.2, 1.0, 100.0), (0.1, 0.2, 1e9)]
)
def test_what_cannot_be_charted_is_refused(base: float, shifted: float, run_length: float) -> None:
    """Rates that do not rise between 0 and 1, and run lengths that nobody waits for."""
    with pytest.raises(InputError):
        design_cusum(base, shifted, run_length)


def test_odds_are_multiplied() -> None:
    """Odds of 1 to 9 doubled are 2 to 9."""
    assert shifted_rate(0.1, 2.0) == pytest.approx(2 / 11)
