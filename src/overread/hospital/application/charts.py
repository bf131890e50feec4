"""Control charts over time and funnel plots over groups: is a site or a model different, beyond chance?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final, Protocol

from attrs import field, frozen

from overread.application.statistics.estimating import Estimate
from overread.application.statistics.proportions import wilson
from overread.application.statistics.tabulation import Column, Curve, Curves, Table, Tabulation
from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import InputError
from overread.hospital.application.case_mix import LEAST_EVENTS, LEAST_REFERENCE, CaseMix
from overread.hospital.application.cusum import CusumPath, design_cusum, follow_sum, shifted_rate, trace
from overread.hospital.application.funnels import FUNNEL_LIMITS, Funnel, draw_funnel
from overread.hospital.application.observations import Observation, is_major
from overread.hospital.application.requests import PairState
from overread.hospital.application.risk_adjusted import design_adjusted, weigh
from overread.hospital.domain.audit_signal import SIGNAL

__all__ = [
    "Alarm",
    "ChartMeasure",
    "ChartPlan",
    "ChartScope",
    "Charts",
    "ControlChart",
    "FallingSum",
    "GroupFunnel",
    "Uncharted",
    "alarm_table",
    "charts_of",
    "fall_table",
    "model_version",
    "plan_problems",
]

_RUN_LENGTHS: Final = (10, 10_000_000)
"""Pairs between false alarms that can be asked for: the most are more than any department reports."""

_POINTS: Final = 400
"""Points of a chart that are kept: as many as a screen shows."""

_ROUNDED: Final = 0.001
"""By which a sum of a kept point may be too low."""

_VERSION: Final = re.compile(r"(?P<name>.*?\S)[\s/_:@-]+v?(?P<version>\d[\w.+-]*)")

_LONGEST_MODEL: Final = 200
"""Characters of a model's name in which a version is looked for, which takes time that grows with their square."""


class ChartMeasure(StrEnum):
    """Events whose rate is charted."""

    DISCORDANCE = "discordance"
    """A scored pair has a significant discrepancy."""

    MAJOR = "major"
    """The gravest one is urgent or actionable."""

    COVERAGE = "coverage"
    """A pair has no score: nobody is told of it."""

    @property
    def words(self) -> str:
        """The rate as people say it."""
        return _MEASURES[self]

    def has(self, each: Observation) -> bool:
        """Return whether a pair is an event."""
        match self:
            case ChartMeasure.DISCORDANCE:
                return not each.concordant
            case ChartMeasure.MAJOR:
                return is_major(each.importance)
            case ChartMeasure.COVERAGE:
                return not each.is_scored

    def counts(self, each: Observation) -> bool:
        """Return whether a pair is one of those that the rate is of; one that waits never is."""
        return each.is_scored or (self is ChartMeasure.COVERAGE and each.state is PairState.UNSCORED)


_MEASURES: Final[Mapping[ChartMeasure, str]] = {
    ChartMeasure.DISCORDANCE: "discordant pairs",
    ChartMeasure.MAJOR: "pairs with major discordance",
    ChartMeasure.COVERAGE: "pairs without a score",
}


class ChartScope(StrEnum):
    """Groups that have charts of their own. There is none of readers."""

    SITE = "site"
    MODEL = "model"
    """Name and version of the candidate's model; a new version is compared with the one before."""

    def group(self, each: Observation) -> str:
        """Return the group of a pair; "" for none."""
        return each.site if self is ChartScope.SITE else each.model


@frozen(kw_only=True)
class ChartPlan:
    """Limits of charts, and what they are drawn against.

    Attributes:
        reference_since, reference_until: period of examinations whose rates are those in control; half-open. Without an
            end, only new versions of models have charts.
        odds: odds ratio of the rise that shall be noticed, above 1; of a fall it is the reciprocal.
        run_length: pairs between false alarms of a chart, on average, 10 to 10 million.
        adjusted: whether a pair counts for what it says beyond what is expected of its site and modality.

    Raises:
        InputError: if the odds do not rise, or the run length is out of bounds.
    """

    reference_since: datetime | None = None
    reference_until: datetime | None = None
    odds: float = 2.0
    run_length: float = 10_000.0
    adjusted: bool = False

    def __attrs_post_init__(self) -> None:
        for problem in plan_problems(odds=self.odds, run_length=self.run_length):
            raise InputError("chart", problem)

    def is_reference(self, moment: datetime) -> bool:
        """Return whether a moment is in the period of reference."""
        until = self.reference_until
        return until is not None and moment < until and (self.reference_since is None or moment >= self.reference_since)

    def is_monitored(self, moment: datetime) -> bool:
        """Return whether a moment is after the period of reference."""
        return self.reference_until is not None and moment >= self.reference_until


def plan_problems(*, odds: float, run_length: float) -> Iterator[str]:
    """Yield what is wrong with the limits of a plan, each beginning with the name of its value."""
    if not 1 < odds < math.inf:
        yield "odds must be above 1"
    least, most = _RUN_LENGTHS
    if not least <= run_length <= most:
        yield f"run_length must be {least:,} to {most:,} pairs"


@frozen(kw_only=True)
class Alarm:
    """A chart's sum reached its limit.

    Attributes:
        chart: name of the chart.
        pair: number of the pair at which it did.
        at: when that pair's examination was performed, or its reference arrived.
        change: the same of the first pair after the sum's last zero: the estimated time of the change.
        pairs: numbers of all pairs from there to the alarm, in order.
        events: of these the ones that are events.
    """

    chart: str
    pair: int
    at: datetime
    change: datetime
    pairs: tuple[int, ...] = field(converter=in_tuple)
    events: tuple[int, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class FallingSum:
    """The other side of a chart: a sum that looks for a fall of the rate. It tells, and opens no case.

    Attributes:
        shifted: rate that shall be noticed, below the one in control.
        run_length: pairs until a fall is told though there is none, as `ControlChart.run_length`.
        delay: pairs until a fall is told on average, once the rate is ``shifted``.
        limit: of the sum, as a log-likelihood ratio.
        path: as `ControlChart.path`.
        falls: in order; each as an alarm, of which ``pairs`` are those since the sum's last zero.
    """

    shifted: float
    run_length: Estimate
    delay: float
    limit: float
    path: tuple[tuple[int, float], ...] = field(converter=in_tuple, repr=False)
    falls: tuple[Alarm, ...] = field(converter=in_tuple)


@frozen(kw_only=True)
class ControlChart:
    """A CUSUM of a rate in one group.

    Attributes:
        name: measure, scope and group, joined by slashes.
        measure, scope, group: of the chart.
        against: what the rate in control is from, in words.
        reference_pairs: that it is from.
        kinds: of cases by site and modality that have different expectations; 1 if the chart is not adjusted.
        expected: events that are expected in the charted pairs if nothing changed.
        base: rate in control, with its 95 % interval.
        shifted: rate that shall be noticed.
        run_length: pairs between false alarms on average, while the rate is ``base``; the ends are for the ends of its
            interval, since the true rate may be either.
        delay: pairs until an alarm on average, once the rate is ``shifted``.
        pairs, events: that are charted.
        limit: of the sum, as a log-likelihood ratio.
        path: number of the pair in order and the sum there, at most 400; of several pairs the highest sum.
        alarms: in order.
        fall: the sum that looks for a fall.
    """

    name: str
    measure: ChartMeasure
    scope: ChartScope
    group: str
    against: str
    reference_pairs: int
    kinds: int
    expected: float
    base: Estimate
    shifted: float
    run_length: Estimate
    delay: float
    pairs: int
    events: int
    limit: float
    path: tuple[tuple[int, float], ...] = field(converter=in_tuple, repr=False)
    alarms: tuple[Alarm, ...] = field(converter=in_tuple)
    fall: FallingSum

    @property
    def title(self) -> str:
        """Name of the chart for people."""
        return f"{self.group}: {self.measure.words}"


@frozen(kw_only=True)
class Uncharted:
    """A group that has no chart, and why."""

    name: str
    reason: str


@frozen(kw_only=True)
class GroupFunnel:
    """A funnel plot of all groups of a scope."""

    measure: ChartMeasure
    scope: ChartScope
    funnel: Funnel


@frozen(kw_only=True)
class Charts:
    """Charts of all groups.

    Attributes:
        plan: that they were drawn by.
        charts: by name.
        uncharted: groups without a chart.
        funnels: over all pairs that were found, reference and later.
    """

    plan: ChartPlan
    charts: tuple[ControlChart, ...] = field(converter=in_tuple)
    uncharted: tuple[Uncharted, ...] = field(converter=in_tuple)
    funnels: tuple[GroupFunnel, ...] = field(converter=in_tuple)

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """Alarms of all charts, the latest first."""
        return _latest_first(alarm for chart in self.charts for alarm in chart.alarms)

    @property
    def falls(self) -> tuple[Alarm, ...]:
        """Falls of all charts, the latest first."""
        return _latest_first(fall for chart in self.charts for fall in chart.fall.falls)

    @property
    def false_alarms(self) -> float:
        """False alarms to be expected in the pairs that were charted, if no rate changed."""
        return sum(chart.pairs / chart.run_length.value for chart in self.charts if chart.run_length.value)

    def tabulation(self) -> Tabulation:
        """Tables and plots that every view can show; no text of a report is in them."""
        uncharted = (_uncharted_table(self.uncharted),) if self.uncharted else ()
        return Tabulation(
            name="charts",
            title="Control charts",
            tables=(
                _chart_table(self.charts),
                alarm_table(self, self.alarms),
                fall_table(self, self.falls),
                *map(_funnel_table, self.funnels),
                *uncharted,
            ),
            plots=(
                *map(_chart_plot, self.charts),
                *(_funnel_plot(each) for each in self.funnels if each.funnel.points and each.funnel.target),
            ),
            facts={"charts": len(self.charts), "alarms": len(self.alarms), "falls": len(self.falls)},
            notes=_notes(self),
        )


def charts_of(observations: Iterable[Observation], plan: ChartPlan) -> Charts:
    """Control charts and funnel plots of every measure, by site and by model.

    Args:
        observations: of all pairs; their order does not matter.
        plan: of the charts.
    """
    ordered = sorted(observations, key=lambda each: (each.at, each.pair))
    charts: list[ControlChart] = []
    uncharted: list[Uncharted] = []
    funnels: list[GroupFunnel] = []
    for measure in ChartMeasure:
        counted = [each for each in ordered if measure.counts(each)]
        for scope in ChartScope:
            groups = _groups(counted, scope)
            counts = {name: (len(of), sum(map(measure.has, of))) for name, of in groups.items()}
            funnels.append(GroupFunnel(measure=measure, scope=scope, funnel=draw_funnel(counts)))
            for name in groups:
                made = _chart(measure, scope, name, groups, plan)
                if isinstance(made, ControlChart):
                    charts.append(made)
                else:
                    uncharted.append(made)
    return Charts(plan=plan, charts=charts, uncharted=uncharted, funnels=funnels)


def model_version(model: str) -> tuple[str, str]:
    """Name and version of a model, "" where it has none.

    >>> model_version("triage 0.9"), model_version("chest-reader-v2.1"), model_version("drafter")
    (('triage', '0.9'), ('chest-reader', '2.1'), ('drafter', ''))
    """
    match = _VERSION.fullmatch(model) if len(model) <= _LONGEST_MODEL else None
    return (match["name"], match["version"]) if match else (model, "")


def _groups(ordered: Sequence[Observation], scope: ChartScope) -> dict[str, list[Observation]]:
    """Pairs by group, groups in the order of their first pair; those of no group are left out."""
    groups: dict[str, list[Observation]] = {}
    for each in ordered:
        if name := scope.group(each):
            groups.setdefault(name, []).append(each)
    return groups


def _chart(
    measure: ChartMeasure,
    scope: ChartScope,
    group: str,
    groups: Mapping[str, Sequence[Observation]],
    plan: ChartPlan,
) -> ControlChart | Uncharted:
    name = f"{measure.value}/{scope.value}/{group}"
    earlier = _earlier_version(group, groups) if scope is ChartScope.MODEL else None
    if earlier is None and plan.reference_until is None:
        return Uncharted(name=name, reason="no period of reference is set")
    if earlier is not None:
        reference, charted, against = groups[earlier], groups[group], f"version {model_version(earlier)[1] or earlier}"
    else:
        reference = [each for each in groups[group] if plan.is_reference(each.at)]
        charted = [each for each in groups[group] if plan.is_monitored(each.at)]
        against = "the period of reference"
    events = sum(map(measure.has, reference))
    if len(reference) < LEAST_REFERENCE or events < LEAST_EVENTS:
        reason = f"the reference has {events} events in {len(reference)} pairs"
        return Uncharted(name=name, reason=f"{reason}; {LEAST_EVENTS} in {LEAST_REFERENCE} are needed")
    share = events / len(reference)
    if share >= 1:
        return Uncharted(name=name, reason="every pair of the reference is an event: the rate cannot rise")
    if not charted:
        return Uncharted(name=name, reason="no examination is later than the reference")
    mix = CaseMix.of(reference, measure.has) if plan.adjusted else None
    happened = [measure.has(each) for each in charted]
    expected = [mix.expected(each) if mix is not None else share for each in charted]
    rise = _side(share, mix, plan, happened, expected, odds=plan.odds)
    fall = _side(share, mix, plan, happened, expected, odds=1 / plan.odds)
    interval = wilson(share, len(reference))
    return ControlChart(
        name=name,
        measure=measure,
        scope=scope,
        group=group,
        against=against,
        reference_pairs=len(reference),
        kinds=len(mix.shares) if mix is not None else 1,
        expected=sum(expected) if mix is not None else share * len(charted),
        base=Estimate(share, *interval),
        shifted=rise.design.shifted,
        run_length=rise.run_length(interval),
        delay=rise.design.delay,
        pairs=len(charted),
        events=sum(happened),
        limit=rise.limit,
        path=rise.points(),
        alarms=list(_alarms(name, rise.path, charted, measure)),
        fall=FallingSum(
            shifted=fall.design.shifted,
            run_length=fall.run_length(interval),
            delay=fall.design.delay,
            limit=fall.limit,
            path=fall.points(),
            falls=list(_alarms(name, fall.path, charted, measure)),
        ),
    )


class _Design(Protocol):
    """Limits of a sum, adjusted or not."""

    @property
    def shifted(self) -> float: ...

    @property
    def run_length(self) -> float: ...

    @property
    def delay(self) -> float: ...

    def run_length_at(self, rate: float) -> float: ...


@frozen(kw_only=True)
class _Side:
    """One of the two sums of a chart; ``step`` is the log-likelihood ratio of 1 in its path."""

    design: _Design
    path: CusumPath
    step: float
    limit: float

    def run_length(self, interval: tuple[float, float]) -> Estimate:
        """Pairs to a false signal; the ends are for the ends of the rate's interval."""
        ends = sorted(self.design.run_length_at(rate) for rate in interval)
        return Estimate(self.design.run_length, *ends)

    def points(self) -> list[tuple[int, float]]:
        """The highest sum of each stretch, so that no alarm is lost."""
        size = max(1, -(-len(self.path.sums) // _POINTS))
        points = []
        for start in range(0, len(self.path.sums), size):
            stretch = self.path.sums[start : start + size]
            place = max(range(len(stretch)), key=stretch.__getitem__)
            points.append((start + place + 1, round(stretch[place] * self.step, 3)))
        return points


def _side(
    share: float,
    mix: CaseMix | None,
    plan: ChartPlan,
    happened: Sequence[bool],
    expected: Sequence[float],
    *,
    odds: float,
) -> _Side:
    if mix is None:
        design = design_cusum(share, shifted_rate(share, odds), plan.run_length)
        path = trace(design, happened)
        return _Side(design=design, path=path, step=design.step, limit=design.limit * design.step)
    adjusted = design_adjusted(mix.shares, odds, plan.run_length)
    weights = (weigh(rate, odds, event=event) for rate, event in zip(expected, happened, strict=True))
    return _Side(design=adjusted, path=follow_sum(weights, adjusted.limit), step=1.0, limit=adjusted.limit)


def _latest_first(alarms: Iterable[Alarm]) -> tuple[Alarm, ...]:
    return tuple(sorted(alarms, key=lambda alarm: alarm.at, reverse=True))


def _earlier_version(group: str, groups: Mapping[str, Sequence[Observation]]) -> str | None:
    """The version of the same model that came just before, None for its first."""
    name, before = model_version(group)[0], None
    for other in groups:
        if other == group:
            return before
        if model_version(other)[0] == name:
            before = other
    return before


def _alarms(name: str, path: CusumPath, charted: Sequence[Observation], measure: ChartMeasure) -> Iterator[Alarm]:
    for excursion in path.alarms:
        behind = charted[excursion.start : excursion.crossing + 1]
        yield Alarm(
            chart=name,
            pair=behind[-1].pair,
            at=behind[-1].at,
            change=behind[0].at,
            pairs=[each.pair for each in behind],
            events=[each.pair for each in behind if measure.has(each)],
        )


def _notes(charts: Charts) -> tuple[str, ...]:
    expected = f"{charts.false_alarms:.1f}"
    adjusted = (
        "The charts are adjusted for case mix: of a pair as many events are expected as those of its site and modality "
        "had in the reference."
        if charts.plan.adjusted
        else "The charts are not adjusted for case mix: other cases give alarms, too."
    )
    return (
        f"A {SIGNAL}.",
        (
            f"Each chart gives a false alarm once in {charts.plan.run_length:,.0f} pairs or more rarely, on average, "
            f"while its rate is that of the reference; over the {len(charts.charts)} charts and the pairs in them "
            f"{expected} false alarms are to be expected. The rates are those as read by the program."
        ),
        (
            "After an alarm a sum starts again at 0. A rate that differs from the reference from the first pair on "
            "gives an alarm too: whether it is due to reports or to ways of dictating is for people to find out. "
            f"{adjusted}"
        ),
        (
            "A fall is told by chance as rarely as an alarm is given. It opens no case: fewer events are good news if "
            "reports are better, and bad news if less is read, sent or found."
        ),
        (
            "Funnel plots: limits of chance at 95 % and 99.8 % around the share of all groups. Where groups vary more "
            "than chance explains, the limits are widened by the root of that dispersion."
        ),
    )


def _chart_table(charts: Sequence[ControlChart]) -> Table:
    return Table(
        name="charts",
        title="CUSUM charts",
        columns=(
            Column(name="chart", title="Chart"),
            Column(name="against", title="Against"),
            Column(name="base", title="In control", digits=3, percent=True),
            Column(name="shifted", title="To be noticed", digits=3, percent=True),
            Column(name="rate", title="Charted", digits=3, percent=True),
            Column(name="pairs", title="Pairs"),
            Column(name="events", title="Events"),
            Column(name="expected", title="Expected", digits=1),
            Column(name="run_length", title="Pairs to a false alarm", digits=0),
            Column(name="delay", title="Pairs to an alarm", digits=0),
            Column(name="alarms", title="Alarms"),
            Column(name="falls", title="Falls"),
        ),
        rows=tuple(
            (
                chart.title,
                chart.against,
                chart.base,
                chart.shifted,
                chart.events / chart.pairs if chart.pairs else None,
                chart.pairs,
                chart.events,
                chart.expected,
                chart.run_length,
                chart.delay,
                len(chart.alarms),
                len(chart.fall.falls),
            )
            for chart in charts
        ),
        note="Pairs to a false alarm: on average, while the rate is in control; the interval is for the ends of that "
        "rate's. Pairs to an alarm: on average, once the rate is the one to be noticed. Expected: events in the "
        "charted pairs if nothing changed.",
    )


def alarm_table(charts: Charts, alarms: Sequence[Alarm]) -> Table:
    """Table of alarms of some charts, in the order given."""
    return _signal_table(charts, alarms, name="alarms", title="Alarms", when="Alarm")


def fall_table(charts: Charts, falls: Sequence[Alarm]) -> Table:
    """Table of falls on some charts, in the order given."""
    return _signal_table(charts, falls, name="falls", title="Falls", when="Told at")


def _signal_table(charts: Charts, signals: Sequence[Alarm], *, name: str, title: str, when: str) -> Table:
    titles = {chart.name: chart.title for chart in charts.charts}
    return Table(
        name=name,
        title=title,
        columns=(
            Column(name="chart", title="Chart"),
            Column(name="at", title=when),
            Column(name="change", title="Change estimated"),
            Column(name="pair", title="At pair"),
            Column(name="pairs", title="Pairs since"),
            Column(name="events", title="Events in them"),
        ),
        rows=tuple(
            (
                titles[signal.chart],
                _day(signal.at),
                _day(signal.change),
                signal.pair,
                len(signal.pairs),
                len(signal.events),
            )
            for signal in signals
        ),
        note="Days of examinations, in UTC. The change is put at the first pair after the sum was last 0.",
    )


def _day(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d}"


def _funnel_title(each: GroupFunnel) -> str:
    return f"{each.measure.words.capitalize()} by {each.scope.value}"


def _funnel_table(each: GroupFunnel) -> Table:
    funnel = each.funnel
    dispersion = f" Dispersion {funnel.dispersion:.1f}" if funnel.dispersion is not None else ""
    widened = ", by which the limits are widened." if funnel.widened else "." if dispersion else ""
    return Table(
        name=f"funnel-{each.measure.value}-{each.scope.value}",
        title=_funnel_title(each),
        columns=(
            Column(name="group", title=each.scope.value.capitalize()),
            Column(name="pairs", title="Pairs"),
            Column(name="events", title="Events"),
            Column(name="share", title="Share", digits=3, percent=True),
            Column(name="limits_95", title="95 % limits", digits=3, percent=True),
            Column(name="limits_998", title="99.8 % limits", digits=3, percent=True),
            Column(name="outside", title="Outside"),
        ),
        rows=tuple(
            (
                point.name,
                point.rows,
                point.events,
                point.share,
                *(Estimate(funnel.target, *ends) for ends in point.limits),
                f"{100 * point.outside:g} %" if point.outside else None,
            )
            for point in funnel.points
        ),
        note=f"Limits of chance for a group of that size around the share of all.{dispersion}{widened}",
    )


def _uncharted_table(uncharted: Sequence[Uncharted]) -> Table:
    return Table(
        name="uncharted",
        title="Without a chart",
        columns=(Column(name="chart", title="Chart"), Column(name="reason", title="Reason")),
        rows=tuple((each.name, each.reason) for each in uncharted),
    )


def _chart_plot(chart: ControlChart) -> Curves:
    last = max(chart.pairs, 1)
    fall = chart.fall
    falls = [_counted(len(fall.falls), "fall")] if fall.falls else []
    return Curves(
        name=f"chart-{chart.name}",
        title=", ".join([chart.title, _counted(len(chart.alarms), "alarm"), *falls]),
        x_title="pairs in order of their examinations",
        y_title="sum",
        curves=(
            Curve(label="sum", points=((0.0, 0.0), *((float(at), value) for at, value in chart.path))),
            Curve(label="limit", points=((0.0, chart.limit), (float(last), chart.limit))),
            *_spots("alarm", chart.path, chart.limit, sign=1),
            Curve(label="fall", points=((0.0, 0.0), *((float(at), -value) for at, value in fall.path))),
            Curve(label="limit of falls", points=((0.0, -fall.limit), (float(last), -fall.limit))),
            *_spots("fall told", fall.path, fall.limit, sign=-1),
        ),
    )


def _counted(number: int, what: str) -> str:
    return {0: f"no {what}", 1: f"1 {what}"}.get(number, f"{number} {what}s")


def _spots(label: str, path: Sequence[tuple[int, float]], limit: float, *, sign: int) -> Iterator[Curve]:
    spots = tuple((float(at), sign * value) for at, value in path if value >= limit - _ROUNDED)
    if spots:
        yield Curve(label=label, points=spots, is_line=False)


def _funnel_plot(each: GroupFunnel) -> Curves:
    funnel = each.funnel
    most = max(point.rows for point in funnel.points)
    sizes = sorted({max(5, round(most * 1.05 * step / 60)) for step in range(1, 61)})
    groups = [
        Curve(
            label="inside",
            points=tuple(_spot(point.rows, point.share) for point in funnel.points if not point.outside),
            is_line=False,
        ),
        *(
            Curve(label=f"{point.name}, outside {100 * point.outside:g} %", points=(_spot(point.rows, point.share),))
            for point in funnel.points
            if point.outside
        ),
    ]
    limits = [
        Curve(
            label=f"{100 * inside:g} % limits",
            points=(
                *(_spot(size, funnel.limits(size, inside)[0]) for size in sizes),
                *(_spot(size, funnel.limits(size, inside)[1]) for size in reversed(sizes)),
            ),
        )
        for inside in FUNNEL_LIMITS
    ]
    return Curves(
        name=f"funnel-{each.measure.value}-{each.scope.value}",
        title=_funnel_title(each),
        x_title="pairs",
        y_title="share",
        curves=tuple(curve for curve in (*limits, *groups) if curve.points),
    )


def _spot(rows: int, share: float) -> tuple[float, float]:
    return float(rows), share
