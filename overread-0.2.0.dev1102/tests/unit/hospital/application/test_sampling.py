"""Samples: whoever is drawn, the rates that come of them are unbiased."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable
from statistics import fmean, pstdev

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st

from overread.exceptions import ConfigurationError
from overread.hospital.application.grouping import Grouping, drawables_of
from overread.hospital.application.ports import Sampled
from overread.hospital.application.rates import rates_of
from overread.hospital.application.requests import WorklistRow
from overread.hospital.application.sampling import SampleAllocation, SampleMethod, SamplePlan, allocate_sample, draw

from .rows import row

SITES = ("north", "south", "west")
PLANS = [
    SamplePlan(size=12),
    SamplePlan(size=12, method=SampleMethod.RISK),
    SamplePlan(size=12, method=SampleMethod.RISK, floor=0.05),
    SamplePlan(size=12, method=SampleMethod.STRATIFIED),
    SamplePlan(size=12, method=SampleMethod.STRATIFIED, allocation=SampleAllocation.PROPORTIONAL),
]


def _population(count: int) -> list[WorklistRow]:
    """Pairs of sites of different size; the riskier, the oftener discordant."""
    source = random.Random(3)  # noqa: S311 - a simulation
    rows = []
    for pair in range(count):
        risk = source.random() ** 3
        site = source.choices(SITES, (10, 4, 1))[0]
        rows.append(row(pair, site=site, risk=risk, significant=int(source.random() < 0.05 + 0.7 * risk)))
    return rows


def _drawn(rows: Iterable[WorklistRow], plan: SamplePlan) -> tuple[Sampled, ...]:
    return draw(list(drawables_of(rows, plan.by)), plan)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.words)
def test_each_pair_is_drawn_as_often_as_its_weight_says(plan: SamplePlan) -> None:
    """Over 4,000 seeds every frequency is within 4.5 standard errors of one over the weight, which never changes."""
    rows, draws = _population(40), 4000
    times: Counter[int] = Counter()
    weights: dict[int, float] = {}
    for seed in range(draws):
        for sampled in _drawn(rows, evolve(plan, seed=seed)):
            times[sampled.pair] += 1
            assert weights.setdefault(sampled.pair, sampled.weight) == sampled.weight
    assert len(weights) == len(rows)
    for pair, weight in weights.items():
        chance = 1 / weight
        assert abs(times[pair] / draws - chance) <= 4.5 * math.sqrt(chance * (1 - chance) / draws)
    assert sum(1 / weight for weight in weights.values()) == pytest.approx(plan.size)


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.words)
def test_totals_are_unbiased(plan: SamplePlan) -> None:
    """The mean over seeds of the weighted number of discordant pairs is the true number, within 4 standard errors."""
    rows = _population(200)
    found = []
    for seed in range(1500):
        discordant = {each.pair for each in rows if each.significant}
        found.append(sum(each.weight for each in _drawn(rows, evolve(plan, seed=seed)) if each.pair in discordant))
    assert abs(fmean(found) - len(discordant)) <= 4 * pstdev(found) / math.sqrt(len(found))


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.words)
def test_rates_of_a_sample_are_those_of_all_pairs(plan: SamplePlan) -> None:
    """60 of 600 pairs, drawn anew 400 times: no bias worth two points; 94 of 100 intervals hold the true rate."""
    rows = _population(600)
    truth = rates_of(rows).overall.concordant.value
    assert truth is not None
    values, covered = [], 0
    for seed in range(400):
        drawn = _drawn(rows, evolve(plan, size=60, seed=seed))
        estimate = rates_of([evolve(rows[each.pair], weight=each.weight) for each in drawn]).overall.concordant
        assert estimate.value is not None
        assert estimate.low is not None
        assert estimate.high is not None
        values.append(estimate.value)
        covered += estimate.low <= truth <= estimate.high
    assert abs(fmean(values) - truth) < 0.02
    assert covered >= 376


def test_without_weights_a_sample_by_risk_would_mislead() -> None:
    """What the weights are for: unweighted, the rate of such a sample is some points too low."""
    rows = _population(600)
    truth = rates_of(rows).overall.concordant.value or 0.0
    plan = SamplePlan(size=60, method=SampleMethod.RISK, floor=0.05)
    drawn = [rates_of([rows[each.pair] for each in _drawn(rows, evolve(plan, seed=seed))]) for seed in range(200)]
    assert fmean(rates.overall.concordant.value or 0.0 for rates in drawn) < truth - 0.05


@given(
    st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=60),
    st.integers(1, 70),
    st.sampled_from([SampleMethod.RANDOM, SampleMethod.RISK]),
    st.integers(0, 2**32),
)
def test_a_sample_has_the_size_asked_for(risks: list[float | None], size: int, method: SampleMethod, seed: int) -> None:
    """No pair comes twice, all come where there are no more, and the same seed draws the same."""
    rows = [row(pair, risk=risk) for pair, risk in enumerate(risks)]
    plan = SamplePlan(size=size, method=method, seed=seed)
    drawn = _drawn(rows, plan)
    assert len({each.pair for each in drawn}) == len(drawn) == min(size, len(rows))
    assert all(each.weight >= 1.0 for each in drawn)
    assert drawn == _drawn(rows, plan)
    if size >= len(rows):
        assert {each.weight for each in drawn} == {1.0}


def test_chances_follow_floor_plus_risk() -> None:
    """With a floor of 0.2 a pair of risk 1 has six times the chance of one of risk 0; one without a risk the mean."""
    rows = [row(0, risk=0.0), row(1, risk=1.0), row(2, risk=None)] + [row(3 + n, risk=0.5) for n in range(50)]
    weights = {
        each.pair: each.weight
        for seed in range(300)
        for each in _drawn(rows, SamplePlan(size=5, method=SampleMethod.RISK, seed=seed))
    }
    assert weights[0] / weights[1] == pytest.approx(6.0)
    assert weights[2] == pytest.approx(weights[3])


def test_parts_of_a_stratified_sample() -> None:
    """Equal as far as groups have pairs; in proportion with one of each at least; the total is as wanted."""
    counts = {"a": 80, "b": 15, "c": 2}
    assert allocate_sample(counts, 20, SampleAllocation.EQUAL) == {"a": 9, "b": 9, "c": 2}
    assert allocate_sample(counts, 20, SampleAllocation.PROPORTIONAL) == {"a": 16, "b": 3, "c": 1}
    assert allocate_sample(counts, 500, SampleAllocation.EQUAL) == counts


def test_a_sample_that_cannot_have_a_pair_of_each_group_is_refused() -> None:
    """A group without a pair would be in no rate, and the rates of all would be wrong."""
    plan = SamplePlan(size=2, method=SampleMethod.STRATIFIED)
    rows = [row(number, site=site) for number, site in enumerate(SITES)]
    with pytest.raises(ConfigurationError, match="a pair of each of 3 groups"):
        _drawn(rows, plan)


def test_strata_are_drawn_by_what_was_asked_for() -> None:
    """By model, three of each of two models and of those without one; each stands for a third of its group."""
    rows = [row(number, model=("", "m1", "m2")[number % 3]) for number in range(27)]
    drawn = _drawn(rows, SamplePlan(size=9, method=SampleMethod.STRATIFIED, by=Grouping.MODEL, seed=5))
    assert Counter(rows[each.pair].model for each in drawn) == {"": 3, "m1": 3, "m2": 3}
    assert {each.weight for each in drawn} == {3.0}


@pytest.mark.parametrize("wrong", [{"size": 0}, {"size": 10_001}, {"size": 5, "floor": 0.0}])
def test_plans_that_cannot_be_drawn_are_refused(wrong: dict[str, float]) -> None:
    """No pair, more than people could review, or a floor under which a pair has no chance."""
    with pytest.raises(ValueError, match="must be"):
        SamplePlan(**wrong)  # type: ignore[arg-type]
