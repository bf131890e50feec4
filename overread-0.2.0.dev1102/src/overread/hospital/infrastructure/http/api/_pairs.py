"""Pairs: found, looked at, explained, reviewed, scored again and taken out."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Final

from fastapi import Depends, Path, Query
from starlette.responses import Response, StreamingResponse

from overread.hospital.application.requests import ExaminationRecord, PairRecord, Search, WorklistPage
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.review import Radpeer, Review, Verdict, VerdictKind
from overread.hospital.infrastructure.exchange.registry import registry_csv, registry_jsonl
from overread.hospital.infrastructure.http._access import Admin, Reviewer, current_actor
from overread.hospital.infrastructure.http._openapi import document_route
from overread.hospital.infrastructure.http._records import answer, body_of
from overread.hospital.infrastructure.http._state import Hospital
from overread.hospital.infrastructure.http.api._messages import Count, NewReview
from overread.hospital.infrastructure.http.api._queries import LARGEST, Searched
from overread.hospital.infrastructure.http.api._router import part_of_api

__all__ = ["pair_router"]

pair_router: Final = part_of_api("pairs")

PairNumber = Annotated[int, Path(ge=1, le=LARGEST)]
Named = Annotated[str, Query(min_length=1, max_length=200, pattern=r"^[^\x00]*$")]
Looker = Annotated[Actor, Depends(current_actor(Role.SUBMITTER, Role.REVIEWER, Role.LEAD))]

_LINES: Final = 200
_REVIEW: Final = NewReview(
    signature="notation|...",
    verdicts=(Verdict(discrepancy=0, kind=VerdictKind.DISAGREE, reason="Told in the impression."),),
    radpeer=Radpeer.UNDERSTANDABLE_INSIGNIFICANT,
)


@pair_router.get("/pairs", **document_route("Search pairs", WorklistPage))
def search(by: Reviewer, hospital: Hospital, search: Searched) -> Response:
    """A page of the worklist, without text; all that is asked for must hold. Its ``next`` goes on as ``after``."""
    return answer(hospital.search(search, by=by))


@pair_router.get("/pairs/{number}", **document_route("One pair", PairRecord))
def pair(by: Looker, hospital: Hospital, number: PairNumber) -> Response:
    """All that is known of a pair, its texts as long as they are kept.

    A submitter sees the pairs it gave in batches; pairs of reports come of several senders and are for reviewers.
    """
    return answer(hospital.pair(number, by=by))


@pair_router.get("/pairs/{number}/explanation", **document_route("Evidence for a pair's results", PairRecord))
def explanation(by: Looker, hospital: Hospital, number: PairNumber) -> Response:
    """The pair, scored anew so that its present results carry their evidence."""
    return answer(hospital.pair(number, by=by, explain=True), explain=True)


@pair_router.post(
    "/pairs/{number}/reviews", **document_route("Review a pair", Review, status=201, body=NewReview, example=_REVIEW)
)
def review(
    by: Reviewer, hospital: Hospital, number: PairNumber, said: Annotated[NewReview, Depends(body_of(NewReview))]
) -> Response:
    """Keeps what a person says of a pair's result; earlier reviews stay."""
    new_review = hospital.review(
        number, by=by, signature=said.signature, verdicts=said.verdicts, radpeer=said.radpeer, comment=said.comment
    )
    return answer(new_review, status=201)


@pair_router.get("/examinations", **document_route("Versions of an examination", ExaminationRecord))
def examination(by: Reviewer, hospital: Hospital, site: Named, accession: Named) -> Response:
    """Every version of its reports as it arrived, and the pairs made of them."""
    return answer(hospital.examination(ExaminationKey(site, accession), by=by))


@pair_router.post("/rescorings", **document_route("Score pairs again", Count, status=202, body=Search))
def rescore(by: Admin, hospital: Hospital, search: Annotated[Search, Depends(body_of(Search))]) -> Response:
    """Queues the pairs found that have no result under the present signatures; earlier results stay beside the new."""
    return answer(Count(pairs=hospital.rescore(search, by=by)), status=202)


@pair_router.get("/export.csv", **document_route("Export rows as CSV", media_type="text/csv"))
def export_csv(by: Admin, hospital: Hospital, search: Searched) -> Response:
    """Every row that a search finds, whatever its limit, without text; for a registry or a spreadsheet."""
    return _file(registry_csv(hospital.export(search, by=by)), "text/csv; charset=utf-8", "overread.csv")


@pair_router.get("/export.jsonl", **document_route("Export rows as JSON lines", media_type="application/jsonl"))
def export_lines(by: Admin, hospital: Hospital, search: Searched) -> Response:
    """The same, a JSON object a line."""
    return _file(registry_jsonl(hospital.export(search, by=by)), "application/jsonl", "overread.jsonl")


def _file(lines: Iterator[str], media_type: str, name: str) -> Response:
    """Many lines at a time: each piece is fetched by a thread, which takes longer than to write a line."""
    pieces = iter(lambda: "".join(islice(lines, _LINES)), "")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return StreamingResponse(pieces, media_type=media_type, headers=headers)
