"""Control charts of pairs: what they are drawn against, what an alarm names, and which groups have none."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from attrs import evolve

from overread.domain.vocabulary.severity import Importance
from overread.exceptions import InputError
from overread.hospital.application.cases import Case, CaseState, new_alarms
from overread.hospital.application.charts import ChartMeasure, ChartPlan, charts_of, model_version
from overread.hospital.application.observations import Observation
from overread.hospital.application.requests import PairState
from overread.infrastructure.views.tabulations import tabulation_record
from overread.infrastructure.views.web.plots import draw

_START = datetime(2026, 1, 1, tzinfo=UTC)
_UNTIL = _START + timedelta(days=10)
_PLAN = ChartPlan(reference_until=_UNTIL, odds=3.0, run_length=500.0)


def pairs(pattern: str, *, start: datetime = _START, first: int = 1, **more: Any) -> list[Observation]:
    """A pair an hour: "." concordant, "d" discordant, "M" with major discordance, "u" unscored, "w" waiting."""
    kinds: dict[str, dict[str, Any]] = {
        ".": {"concordant": True},
        "d": {"concordant": False, "importance": Importance.FOLLOW_UP},
        "M": {"concordant": False, "importance": Importance.URGENT},
        "u": {"concordant": True, "state": PairState.UNSCORED},
        "w": {"concordant": True, "state": PairState.WAITING},
    }
    facts: dict[str, Any] = {"site": "north", "modality": "CT", "reader": "", "model": "", "state": PairState.SCORED}
    return [
        Observation(pair=number, performed=at, arrived=at + timedelta(days=2), **(facts | more | kinds[letter]))
        for number, letter, at in zip(
            count(first), pattern, (start + hours * timedelta(hours=1) for hours in count()), strict=False
        )
    ]


def _by_name(observations: list[Observation], plan: ChartPlan = _PLAN) -> dict[str, Any]:
    charts = charts_of(observations, plan)
    return {chart.name: chart for chart in charts.charts} | {each.name: each.reason for each in charts.uncharted}


def test_an_alarm_names_the_pairs_behind_it() -> None:
    """Of a reference of one in ten: concordant pairs, then a run of discordant ones that no chance explains."""
    reference = pairs(("." * 9 + "d") * 20)
    later = pairs("." * 30 + "d" * 9, start=_UNTIL, first=500)
    chart = _by_name([*reversed(later), *reference])["discordance/site/north"]
    assert (chart.reference_pairs, chart.base.value, chart.pairs, chart.events) == (200, 0.1, 39, 9)
    assert chart.shifted == pytest.approx(0.25)
    [alarm] = chart.alarms[:1]
    assert alarm.pairs == alarm.events
    assert alarm.pairs[0] == 530
    assert alarm.change == _UNTIL + timedelta(hours=30)
    assert alarm.pair == alarm.pairs[-1]
    assert alarm.at == _UNTIL + timedelta(hours=alarm.pair - 500)
    assert max(value for _, value in chart.path) >= chart.limit - 0.001
    assert chart.run_length.low < 500 <= chart.run_length.value < chart.run_length.high


def test_each_measure_counts_its_own_events() -> None:
    """Coverage counts pairs without a score, the others scored pairs alone; what waits counts nowhere."""
    reference = pairs("." * 85 + "dM" * 5 + "u" * 5 + "w" * 20)
    charts = _by_name([*reference, *pairs("Mdu.w", start=_UNTIL, first=500)], ChartPlan(reference_until=_UNTIL))
    rates = {
        measure: (charts[f"{measure.value}/site/north"].events, charts[f"{measure.value}/site/north"].pairs)
        for measure in ChartMeasure
        if not isinstance(charts[f"{measure.value}/site/north"], str)
    }
    assert "events in 95 pairs" in charts["discordance/site/north"]
    assert rates == {ChartMeasure.COVERAGE: (1, 4)}
    more = pairs("." * 10, start=_START + timedelta(days=6), first=300)
    charts = _by_name([*reference, *more, *pairs("Mdu.w", start=_UNTIL, first=500)])
    assert (charts["discordance/site/north"].events, charts["discordance/site/north"].pairs) == (2, 3)
    assert (charts["major/site/north"].events, charts["major/site/north"].pairs) == (1, 3)


def test_a_new_version_of_a_model_is_charted_against_the_one_before() -> None:
    """Whatever the period of reference; the first version is charted against that period, if there is one."""
    old = pairs(("." * 9 + "d") * 20, model="triage 0.9")
    new = pairs("ddd" * 10, start=_START + timedelta(days=4), first=500, model="triage 1.0")
    other = pairs("." * 10, start=_START + timedelta(days=4), first=900, model="drafter")
    charts = _by_name([*old, *new, *other], ChartPlan(odds=3.0, run_length=500.0))
    chart = charts["discordance/model/triage 1.0"]
    assert (chart.against, chart.reference_pairs, chart.pairs) == ("version 0.9", 200, 30)
    assert len(chart.alarms) > 1
    for name in ("discordance/model/triage 0.9", "discordance/model/drafter", "discordance/site/north"):
        assert charts[name] == "no period of reference is set"


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        ("GPT-4", ("GPT", "4")),
        ("chest-xr 2.1.0-rc1", ("chest-xr", "2.1.0-rc1")),
        ("r2d2", ("r2d2", "")),
        ("", ("", "")),
    ],
)
def test_a_models_version_stands_at_the_end(model: str, parts: tuple[str, str]) -> None:
    """After a space or a sign, and beginning with a digit."""
    assert model_version(model) == parts


def test_a_reference_of_few_pairs_or_events_is_none() -> None:
    """The reason says how many there are, and how many are needed."""
    few = _by_name(pairs(("." * 9 + "d") * 9))["discordance/site/north"]
    assert few == "the reference has 9 events in 90 pairs; 5 in 100 are needed"
    rare = _by_name(pairs("." * 150 + "d" * 4))["discordance/site/north"]
    assert rare == "the reference has 4 events in 154 pairs; 5 in 100 are needed"
    every = _by_name(pairs("d" * 150))["discordance/site/north"]
    assert "cannot rise" in every


def test_groups_stand_in_a_funnel_of_their_scope() -> None:
    """Sites are compared with all sites, models with all models; a pair of no model is in no group of them."""
    charts = charts_of(
        [*pairs("d" * 40 + "." * 60, site="a"), *pairs("d" * 10 + "." * 290, site="b", first=200)], _PLAN
    )
    funnel = next(each.funnel for each in charts.funnels if (each.measure, each.scope.value) == ("discordance", "site"))
    assert funnel.target == pytest.approx(50 / 400)
    assert {point.name: point.outside for point in funnel.points} == {"a": 0.998, "b": 0.998}
    assert all(not each.funnel.points for each in charts.funnels if each.scope.value == "model")


def test_charts_are_shown_as_any_study_is() -> None:
    """Every chart and alarm is a row, and every plot can be drawn."""
    charts = charts_of([*pairs(("." * 9 + "d") * 20), *pairs("d" * 12, start=_UNTIL, first=500)], _PLAN)
    tabulation = charts.tabulation()
    record = tabulation_record(tabulation)
    assert record["tables"]["charts"]["rows"][0]["chart"] == "north: discordant pairs"
    assert record["tables"]["alarms"]["rows"][-1]["change"] == "2026-01-11"
    assert len(record["tables"]["alarms"]["rows"]) == len(charts.alarms) == 3
    assert charts.false_alarms == pytest.approx(sum(12 / (chart.run_length.value or 0.0) for chart in charts.charts))
    drawings = [draw(plot) for plot in tabulation.plots]
    assert any(line.label == "alarm" and line.spots and not line.path for line in drawings[0].lines)  # type: ignore[attr-defined]


def test_an_alarm_that_a_late_pair_moved_is_no_new_one() -> None:
    """One that shares a pair with a case of its chart is that case's; another chart's is not."""
    charts = charts_of([*pairs(("." * 9 + "d") * 20), *pairs("d" * 12, start=_UNTIL, first=500)], _PLAN)
    first = charts.alarms[-1]
    case = Case(number=1, alarm=first, opened=_START)
    late = charts_of(
        [
            *pairs(("." * 9 + "d") * 20),
            *pairs("d" * 12, start=_UNTIL, first=500),
            *pairs(".", start=_UNTIL + timedelta(minutes=90), first=900),
        ],
        _PLAN,
    )
    moved = late.alarms[-1]
    assert moved.pairs != first.pairs
    closed = evolve(case, state=CaseState.CLOSED, closed=_START)
    assert list(new_alarms([moved], [closed])) == []
    assert list(new_alarms([moved], [])) == [moved]


def test_a_change_that_goes_on_opens_one_case() -> None:
    """Of each chart the first alarm; none while its case is open, and after it was closed one of later examinations."""
    charts = charts_of([*pairs(("." * 9 + "d") * 20), *pairs("d" * 40, start=_UNTIL, first=500)], _PLAN)
    alarms = charts.alarms[::-1]
    first, second, third = alarms[:3]
    assert list(new_alarms(alarms, [])) == [first]
    case = Case(number=1, alarm=first, opened=_START)
    assert list(new_alarms(alarms, [case])) == []
    closed = evolve(case, state=CaseState.CLOSED, closed=second.at)
    assert list(new_alarms(alarms, [closed])) == [third]


def test_a_fall_is_no_rise() -> None:
    """The odds ratio must be above 1."""
    with pytest.raises(InputError):
        ChartPlan(odds=0.5)
