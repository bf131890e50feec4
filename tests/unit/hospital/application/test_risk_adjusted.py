"""The risk-adjusted CUSUM beside worked numbers, the CUSUM of one rate, and simulated runs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from overread.exceptions import InputError
from overread.hospital.application.cusum import design_cusum, shifted_rate
from overread.hospital.application.risk_adjusted import AdjustedDesign, CaseShare, design_adjusted, weigh

_MIX = (CaseShare(expected=0.02, share=0.6), CaseShare(expected=0.10, share=0.4))


@pytest.mark.parametrize(
    ("expected", "odds", "with_event", "without"),
    [
        (0.02, 2.0, 0.673345, -0.019803),
        (0.50, 2.0, 0.287682, -0.405465),
        (0.10, 0.5, -0.641854, 0.051293),
    ],
)
def test_weights_are_those_of_steiner(expected: float, odds: float, with_event: float, without: float) -> None:
    """By hand of equation 2.2 of Steiner et al., Biostatistics 1 (2000), with R0 = 1.

    For odds twice as high: the logarithms of 2 / 1.02 and 1 / 1.02, and of 2 / 1.5 and 1 / 1.5; for half the odds those
    of 0.5 / 0.95 and 1 / 0.95.
    """
    assert weigh(expected, odds, event=True) == pytest.approx(with_event, abs=1e-6)
    assert weigh(expected, odds, event=False) == pytest.approx(without, abs=1e-6)


def test_an_expected_probability_of_a_logistic_model() -> None:
    """A surgeon's patient of Parsonnet score 0 in Steiner et al. (2000): logit p = -3.68, so p = 0.0246."""
    expected = 1 / (1 + math.exp(3.68))
    assert expected == pytest.approx(0.0246, abs=5e-5)
    assert weigh(expected, 2.0, event=False) == pytest.approx(-math.log(1 + expected))


@pytest.mark.parametrize("odds", [2.0, 0.5, 3.0])
def test_of_one_kind_of_case_it_is_the_cusum_of_one_rate(odds: float) -> None:
    """The log-likelihood ratios are the same, and so are limit and run lengths but for the rounding of steps."""
    adjusted = design_adjusted((CaseShare(expected=0.1, share=1.0),), odds, 1000.0)
    plain = design_cusum(0.1, shifted_rate(0.1, odds), 1000.0)
    assert weigh(0.1, odds, event=True) == pytest.approx(math.log(shifted_rate(0.1, odds) / 0.1))
    assert adjusted.limit == pytest.approx(plain.limit * plain.step, rel=0.03)
    assert adjusted.run_length == pytest.approx(plain.run_length, rel=0.02)
    assert adjusted.delay == pytest.approx(plain.delay, rel=0.03)


@pytest.mark.parametrize("odds", [2.0, 0.5])
@pytest.mark.parametrize("state", ["in control", "changed"])
def test_simulated_runs_are_as_long_as_reported(state: str, odds: float) -> None:
    """Of 4,000 simulated runs of a mix the mean length is that of the chain, within four standard errors and 2 %."""
    design = design_adjusted(_MIX, odds, 300.0)
    lengths = _simulate(design, odds if state == "changed" else 1.0, runs=4000)
    expected = design.delay if state == "changed" else design.run_length
    assert lengths.mean() == pytest.approx(expected, abs=4 * lengths.std() / 63.2 + 0.02 * expected)


def _simulate(design: AdjustedDesign, factor: float, *, runs: int) -> NDArray[np.float64]:
    """Pairs until the signal in each run, once all odds are so many times as high."""
    source = np.random.default_rng(5)
    weights = np.array(
        [[weigh(each.expected, design.odds, event=event) for event in (False, True)] for each in design.mix]
    )
    rates = np.array([shifted_rate(each.expected, factor) for each in design.mix])
    sums, lengths, rows = np.zeros(runs), np.zeros(runs), 0
    while not lengths.all():
        rows += 1
        kinds = source.choice(len(design.mix), runs, p=[each.share for each in design.mix])
        events = (source.random(runs) < rates[kinds]).astype(int)
        sums = np.maximum(sums + weights[kinds, events], 0)
        lengths[(lengths == 0) & (sums >= design.limit)] = rows
    return lengths


def test_the_run_length_of_another_rate_is_between_both() -> None:
    """At the rates of both designs it is theirs; between them it falls."""
    design = design_adjusted(_MIX, 2.0, 1000.0)
    assert design.base == pytest.approx(0.6 * 0.02 + 0.4 * 0.10)
    assert design.run_length_at(design.base) == pytest.approx(design.run_length, rel=1e-6)
    assert design.run_length_at(design.shifted) == pytest.approx(design.delay, rel=1e-6)
    assert design.delay < design.run_length_at(0.06) < design.run_length
    assert 1000.0 <= design.run_length < 1050.0


@pytest.mark.parametrize(("expected", "odds"), [(0.0, 2.0), (1.0, 2.0), (0.1, 1.0), (0.1, 0.0)])
def test_what_cannot_be_charted_is_refused(expected: float, odds: float) -> None:
    """What is certain or impossible, and odds that do not change."""
    with pytest.raises(InputError):
        design_adjusted((CaseShare(expected=expected, share=1.0),), odds, 100.0)
