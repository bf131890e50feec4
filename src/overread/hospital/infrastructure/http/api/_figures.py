"""Rates of concordance, and samples by which they stay unbiased."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends
from starlette.responses import Response

from overread.hospital.application.rates import Rates
from overread.hospital.application.requests import Search
from overread.hospital.application.sampling import DrawnSample, SampleMethod, SamplePlan
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.http._access import Reviewer
from overread.hospital.infrastructure.http._openapi import documented
from overread.hospital.infrastructure.http._records import answer, body_of
from overread.hospital.infrastructure.http._state import Hospital
from overread.hospital.infrastructure.http.api._messages import NewSample
from overread.hospital.infrastructure.http.api._queries import Groups, Searched
from overread.hospital.infrastructure.http.api._router import part_of_api

__all__ = ["figure_router"]

figure_router: Final = part_of_api("figures")

_SAMPLE: Final = NewSample(
    search=Search(kind=PairKind.PRELIMINARY_FINAL, site="north"),
    plan=SamplePlan(size=40, method=SampleMethod.RISK, seed=7),
)


@figure_router.get("/rates", **documented("Rates of concordance", Rates))
def rates(by: Reviewer, hospital: Hospital, search: Searched, group: Groups = None) -> Response:
    """Shares of pairs without a significant discrepancy, with 95 % intervals; of a sample, unbiased for all pairs."""
    return answer(hospital.rates(search, by=by, groupings=group or ()))


@figure_router.post("/samples", **documented("Draw a sample", DrawnSample, status=201, body=NewSample, example=_SAMPLE))
def sample(by: Reviewer, hospital: Hospital, asked: Annotated[NewSample, Depends(body_of(NewSample))]) -> Response:
    """Draws pairs for review and keeps them, each with the number of pairs that it stands for.

    ``GET /pairs?sample=NUMBER`` lists them, ``GET /rates?sample=NUMBER`` estimates the rates of all pairs from them.
    """
    return answer(hospital.draw_sample(asked.search, asked.plan, by=by), status=201)
