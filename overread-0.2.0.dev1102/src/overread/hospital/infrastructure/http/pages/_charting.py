"""Routes of charts, cases, the value of flags and the report of a month."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Final

from attrs import define, evolve
from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from overread.application.statistics.tabulation import Tabulation
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.cases import Case, CaseOutcome
from overread.hospital.application.charts import Charts, alarm_table
from overread.hospital.application.flags import FlagTarget
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.monthly import MonthlyReport
from overread.hospital.application.requests import Search
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.infrastructure.http._access import Reviewer
from overread.hospital.infrastructure.http._state import served_of
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages._answers import as_sentence, filled_in, page, see
from overread.hospital.infrastructure.http.pages.counting import (
    Picture,
    pictures,
    rates_parts,
    tabulation_parts,
)
from overread.hospital.infrastructure.http.pages.filters import chips, read_search
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary

__all__ = ["CASES", "CHARTS", "FLAGS", "MONTH", "ChartingPages"]

CHARTS: Final = "/charts"
CASES: Final = "/cases"
FLAGS: Final = "/flags"
MONTH: Final = "/month"

_SHOWN: Final = 24
"""Charts that a page draws; those with an alarm come first."""

_ALARMS: Final = 20
"""Alarms that a page lists, the latest first."""

_LARGEST: Final = 2**63 - 1
_OUTCOMES: Final = (
    (CaseOutcome.CHANGE, "a change: reports differ more than before"),
    (CaseOutcome.CASES, "other cases or ways of dictating"),
    (CaseOutcome.DATA, "a fault of an interface, settings or the program"),
    (CaseOutcome.CHANCE, "chance: a false alarm"),
)
_TARGETS: Final = (
    (FlagTarget.DISCORDANT, "discordant pairs (RADPEER 2b, 3a, 3b)"),
    (FlagTarget.MAJOR, "major discordance (RADPEER 2b, 3b)"),
)
_Form = Annotated[dict[str, str], Depends(filled_in)]
_Count = Annotated[int | None, Query(ge=0, le=_LARGEST)]
_Sample = Annotated[str, Query(pattern=r"^[0-9]{0,18}$")]


@define(eq=False)
class ChartingPages:
    """Answers with what changes over time, and what it was due to."""

    vocabulary: Vocabulary

    def charts(self, request: Request, actor: Reviewer) -> Response:
        """Control charts and funnel plots, drawn and in figures."""
        given = read_search(request.query_params, self.vocabulary)
        problems = list(given.problems)
        search = evolve(given.search, after=None, withdrawn=None, sample=None)
        if given.search.sample is not None or given.search.withdrawn is not None:
            problems.append("A chart is of all pairs that stand: the filters of sample and withdrawal are ignored.")
        charts = served_of(request).hospital.charts(search, by=actor)
        tabulation = charts.tabulation()
        drawn, hidden = _chart_pictures(charts, tabulation)
        parts = tabulation_parts(tabulation)
        return page(
            request,
            "charts.html.j2",
            actor,
            title=tabulation.title,
            place=CHARTS,
            problems=problems,
            tabulation=tabulation,
            parts=[evolve(part, rows=part.rows[:_ALARMS]) if part.name == "alarms" else part for part in parts],
            earlier=max(0, len(charts.alarms) - _ALARMS),
            charts=drawn,
            hidden=hidden,
            funnels=pictures(plot for plot in tabulation.plots if plot.name.startswith("funnel")),
            chips=chips(search, self.vocabulary, CHARTS),
        )

    def cases(self, request: Request, actor: Reviewer, *, opened: _Count = None) -> Response:
        """The cases, the newest first, open ones with a form by which they are closed."""
        return self._cases(request, actor, opened=opened)

    def open_cases(self, request: Request, actor: Reviewer, form: _Form) -> Response:
        """Opens a case for each new alarm, and leads to them."""
        _ = form
        return see(f"{CASES}?opened={len(served_of(request).hospital.alarms(by=actor))}")

    def close_case(
        self, request: Request, actor: Reviewer, number: Annotated[int, Path(ge=1, le=_LARGEST)], form: _Form
    ) -> Response:
        """Closes a case, or tells why it cannot be closed."""
        outcome = form.get("outcome", "")
        if outcome not in set(CaseOutcome):
            return self._cases(request, actor, problems=[f"Case {number}: choose what the alarm was due to."])
        try:
            served_of(request).hospital.close_case(
                number, by=actor, outcome=CaseOutcome(outcome), why=form.get("why", "").strip()
            )
        except InputError as error:
            return self._cases(request, actor, problems=[as_sentence(error.problem)])
        return see(f"{CASES}#case-{number}")

    def flags(
        self, request: Request, actor: Reviewer, sample: _Sample = "", target: FlagTarget = FlagTarget.DISCORDANT
    ) -> Response:
        """Value of a flag by a reviewed sample, or why that cannot be told."""
        problems: list[str] = []
        worth = None
        if sample:
            try:
                worth = served_of(request).hospital.flag_worth(Search(sample=int(sample)), by=actor, target=target)
            except (InputError, NotFoundError) as error:
                problems = [as_sentence(str(error))]
        tabulation = worth.tabulation() if worth is not None else None
        return page(
            request,
            "flags.html.j2",
            actor,
            title="Value of a flag here",
            place=CHARTS,
            problems=problems,
            sample=sample,
            target=target,
            targets=_TARGETS,
            tabulation=tabulation,
            parts=tabulation_parts(tabulation) if tabulation is not None else (),
            plots=pictures(tabulation.plots) if tabulation is not None else (),
        )

    def month(self, request: Request, actor: Reviewer, month: str = "", sample: _Sample = "") -> Response:
        """The report of a month of examinations, to be read or printed; this month's where none is named."""
        now = datetime.now(UTC)
        month = month or f"{now:%Y-%m}"
        problems: list[str] = []
        report = None
        try:
            report = served_of(request).hospital.monthly_report(month, by=actor, sample=int(sample) if sample else None)
        except (InputError, NotFoundError) as error:
            problems, month = [as_sentence(str(error))], f"{now:%Y-%m}"
        return page(
            request,
            "month.html.j2",
            actor,
            title=f"Report of {month}",
            place=MONTH,
            problems=problems,
            month=month,
            sample=sample,
            report=report,
            written=words.moment(now),
            **(_month_values(report) if report is not None else {}),
        )

    def _cases(
        self, request: Request, actor: Actor, *, opened: int | None = None, problems: list[str] | None = None
    ) -> Response:
        cases = served_of(request).hospital.cases(by=actor)
        return page(
            request,
            "cases.html.j2",
            actor,
            title="Cases",
            place=CASES,
            status=422 if problems else 200,
            cases=[_case_values(case) for case in cases],
            outcomes=_OUTCOMES,
            opened=opened,
            problems=problems or [],
        )


def _chart_pictures(charts: Charts, tabulation: Tabulation) -> tuple[list[Picture], int]:
    """Charts as a page draws them, those with alarms first, and how many are left out."""
    plots = [plot for plot in tabulation.plots if plot.name.startswith("chart-")]
    ranked = sorted(zip(charts.charts, plots, strict=True), key=lambda each: not each[0].alarms)
    return pictures(plot for _, plot in ranked[:_SHOWN]), max(0, len(ranked) - _SHOWN)


def _case_values(case: Case) -> Mapping[str, Any]:
    measure, _, group = case.alarm.chart.partition("/")
    return {
        "number": case.number,
        "chart": f"{measure} by {group.replace('/', ' ', 1)}",
        "state": case.state.value,
        "at": words.moment(case.alarm.at),
        "change": words.moment(case.alarm.change),
        "pairs": len(case.alarm.pairs),
        "events": case.alarm.events,
        "outcome": dict(_OUTCOMES)[case.outcome] if case.outcome is not None else "",
        "closed": words.moment(case.closed) if case.closed is not None else "",
        "closed_by": case.closed_by,
        "why": case.why,
    }


def _month_values(report: MonthlyReport) -> dict[str, Any]:
    charts = report.charts.tabulation()
    by_month = (*report.rates.groups, (Grouping.EXAMINATION_MONTH, report.trend))
    rates = evolve(report.rates, groups=by_month).tabulation()
    flags = report.flags.tabulation() if report.flags is not None else None
    alarms = evolve(charts, tables=(alarm_table(report.charts, report.alarms),))
    drawn, _hidden = _chart_pictures(report.charts, charts)
    notes = [*rates.notes, *charts.notes, *(flags.notes if flags is not None else ())]
    return {
        "overall": report.rates.overall,
        "rates": [part for part in rates_parts(rates) if part.rows],
        "alarms": next(iter(tabulation_parts(alarms)), None),
        "charts": drawn,
        "chart_parts": [part for part in tabulation_parts(charts) if part.name != "alarms"],
        "cases": [_case_values(case) for case in report.cases],
        "flag_parts": tabulation_parts(flags) if flags is not None else [],
        "notes": list(dict.fromkeys(notes)),
    }
