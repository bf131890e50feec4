"""Rates of concordance, samples by which they stay unbiased, charts over time, and what a flag is worth."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated, Any, Final

from attrs import evolve
from fastapi import Depends, Path, Query
from starlette.responses import Response

from overread.hospital.application.cases import Case, CaseOutcome, CaseState
from overread.hospital.application.charts import Charts
from overread.hospital.application.coverage import Coverage
from overread.hospital.application.flags import FlagsWorth, FlagTarget
from overread.hospital.application.monthly import MonthlyReport
from overread.hospital.application.rates import Rates
from overread.hospital.application.requests import Search
from overread.hospital.application.sampling import DrawnSample, SampleMethod, SamplePlan
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.exchange.registry import radpeer_csv
from overread.hospital.infrastructure.http._access import Reviewer
from overread.hospital.infrastructure.http._openapi import document_route
from overread.hospital.infrastructure.http._records import answer, body_of
from overread.hospital.infrastructure.http._state import Hospital
from overread.hospital.infrastructure.http.api._messages import CaseClosing, CaseList, NewSample, RadpeerGroups
from overread.hospital.infrastructure.http.api._pairs import PairNumber
from overread.hospital.infrastructure.http.api._queries import Groups, Moment, Number, Searched
from overread.hospital.infrastructure.http.api._router import part_of_api

__all__ = ["figure_router"]

figure_router: Final = part_of_api("figures")

_OpenHours = Annotated[
    int, Query(ge=0, le=2208, description="Hours after which a preliminary report without a final one is counted.")
]
_SAMPLE: Final = NewSample(
    search=Search(kind=PairKind.PRELIMINARY_FINAL, site="north"),
    plan=SamplePlan(size=40, method=SampleMethod.RISK, seed=7),
)

_CLOSING: Final = CaseClosing(outcome=CaseOutcome.CHANGE, why="A new dictation template since Monday.")


@figure_router.get("/rates", **document_route("Rates of concordance", Rates))
def rates(by: Reviewer, hospital: Hospital, search: Searched, group: Groups = None) -> Response:
    """Shares of pairs without a significant discrepancy, with 95 % intervals; of a sample, unbiased for all pairs."""
    return answer(hospital.rates(search, by=by, groupings=group or ()))


@figure_router.get("/radpeer", **document_route("RADPEER scores by group", RadpeerGroups))
def radpeer(by: Reviewer, hospital: Hospital, search: Searched) -> Response:
    """Reviewed pairs by RADPEER score, for each month of examinations, site and modality."""
    return answer(RadpeerGroups(groups=hospital.radpeer_counts(search, by=by)))


@figure_router.get("/radpeer.csv", **document_route("RADPEER scores by group as CSV", media_type="text/csv"))
def radpeer_file(by: Reviewer, hospital: Hospital, search: Searched) -> Response:
    """The same as a file, a line a group."""
    headers = {"Content-Disposition": 'attachment; filename="overread-radpeer.csv"'}
    lines = "".join(radpeer_csv(hospital.radpeer_counts(search, by=by)))
    return Response(lines, media_type="text/csv; charset=utf-8", headers=headers)


@figure_router.get("/charts", **document_route("Control charts", Charts))
def charts(
    by: Reviewer,
    hospital: Hospital,
    search: Searched,
    reference_since: Moment = None,
    reference_until: Moment = None,
    odds: Annotated[float | None, Query(gt=1, le=100, allow_inf_nan=False)] = None,
    run_length: Annotated[float | None, Query(ge=10, le=1e7, allow_inf_nan=False)] = None,
) -> Response:
    """CUSUM charts and funnel plots by site and model; what is left out of the plan is as in the settings."""
    given: dict[str, Any] = {
        "reference_since": reference_since,
        "reference_until": reference_until,
        "odds": odds,
        "run_length": run_length,
    }
    plan = evolve(
        hospital.configuration.chart_plan, **{name: value for name, value in given.items() if value is not None}
    )
    return answer(hospital.charts(search, by=by, plan=plan))


@figure_router.post("/alarms", **document_route("Open cases for alarms", CaseList, status=201))
def alarms(by: Reviewer, hospital: Hospital) -> Response:
    """Opens a case for each alarm that has none, of the charts of all pairs by the settings; the new cases."""
    return answer(CaseList(cases=hospital.alarms(by=by)), status=201)


@figure_router.get("/cases", **document_route("Cases", CaseList))
def cases(by: Reviewer, hospital: Hospital, state: CaseState | None = None) -> Response:
    """Cases that alarms opened, the newest first."""
    return answer(CaseList(cases=hospital.cases(by=by, state=state)))


@figure_router.post(
    "/cases/{number}/closing", **document_route("Close a case", Case, body=CaseClosing, example=_CLOSING)
)
def closing(
    by: Reviewer,
    hospital: Hospital,
    number: PairNumber,
    said: Annotated[CaseClosing, Depends(body_of(CaseClosing))],
) -> Response:
    """Closes an open case with what its alarm was due to."""
    return answer(hospital.close_case(number, by=by, outcome=said.outcome, why=said.why))


@figure_router.get("/flags", **document_route("Value of a flag", FlagsWorth))
def flags(
    by: Reviewer,
    hospital: Hospital,
    search: Searched,
    target: FlagTarget = FlagTarget.DISCORDANT,
    pairs_a_day: Annotated[float | None, Query(gt=0, le=1_000_000, allow_inf_nan=False)] = None,
) -> Response:
    """Sensitivity, specificity, predictive values and review load of each threshold, from a reviewed ``sample``."""
    return answer(hospital.flag_worth(search, by=by, target=target, pairs_a_day=pairs_a_day))


@figure_router.get("/months/{month}", **document_route("Report of a month", MonthlyReport))
def month(
    by: Reviewer,
    hospital: Hospital,
    month: Annotated[str, Path(pattern=r"^\d{4}-(0[1-9]|1[0-2])$")],
    sample: Number = None,
) -> Response:
    """Rates of a month of examinations, with charts to its end, cases, and what a flag is worth by a ``sample``."""
    return answer(hospital.monthly_report(month, by=by, sample=sample))


@figure_router.get("/coverage", **document_route("What came, and what seems to be missing", Coverage))
def coverage(
    by: Reviewer, hospital: Hospital, since: Moment = None, until: Moment = None, open_hours: _OpenHours = 72
) -> Response:
    """Messages, versions and pairs by door, site and hour; refusals by reason; examinations that lack a counterpart.

    The window is the last seven days unless given, and 92 days at most.
    """
    answered = hospital.coverage(by=by, since=since, until=until, open_after=timedelta(hours=open_hours))
    return answer(answered)


@figure_router.post(
    "/samples", **document_route("Draw a sample", DrawnSample, status=201, body=NewSample, example=_SAMPLE)
)
def sample(by: Reviewer, hospital: Hospital, asked: Annotated[NewSample, Depends(body_of(NewSample))]) -> Response:
    """Draws pairs for review and keeps them, each with the number of pairs that it stands for.

    ``GET /pairs?sample=NUMBER`` lists them, ``GET /rates?sample=NUMBER`` estimates the rates of all pairs from them.
    """
    return answer(hospital.draw_sample(asked.search, asked.plan, by=by), status=201)
