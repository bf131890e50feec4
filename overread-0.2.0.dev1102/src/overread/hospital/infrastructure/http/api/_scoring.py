"""Pairs of texts: scored now, or submitted as a batch that is followed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import Depends, Header, Path, Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.hospital.application.requests import BatchState
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.infrastructure.http._access import Submitter, current_actor
from overread.hospital.infrastructure.http._openapi import document_route
from overread.hospital.infrastructure.http._records import answer, body_of
from overread.hospital.infrastructure.http._state import Hospital, Served, ServedHere
from overread.hospital.infrastructure.http.api._messages import Batch, BatchRecords, Evaluated, Pairs
from overread.hospital.infrastructure.http.api._queries import LARGEST, Limit
from overread.hospital.infrastructure.http.api._router import part_of_api
from overread.hospital.infrastructure.serialise import hospital_record

__all__ = ["scoring_router"]

scoring_router: Final = part_of_api("scoring")

BatchNumber = Annotated[int, Path(ge=1, le=LARGEST)]
Follower = Annotated[Actor, Depends(current_actor(Role.SUBMITTER, Role.REVIEWER, Role.LEAD))]

_LOOK_S: Final = 0.5
_LONGEST_S: Final = 3600
_ALIVE: Final = 30
"""Looks without news after which a comment says that the stream still lives: proxies end silent ones."""

_PAIR: Final = ReportPair(
    id="ct-1042",
    reference="Small left pneumothorax. No pleural effusion.",
    candidate="No pneumothorax. No pleural effusion.",
    context=ClinicalContext(age=66, sex="F", indication="Fall from a ladder."),
)


@scoring_router.post(
    "/evaluate",
    **document_route("Score pairs now", Evaluated, body=Pairs, example=Pairs(pairs=(_PAIR,))),
)
async def evaluate(by: Submitter, served: ServedHere, asked: Annotated[Pairs, Depends(body_of(Pairs))]) -> Response:
    """Results of each pair by metric, in the order asked for. Nothing of it is kept."""
    results = await served.joiner.evaluate(asked.pairs, by)
    return await run_in_threadpool(answer, Evaluated(results=tuple(results)))


@scoring_router.post(
    "/batches",
    **document_route(
        "Submit a batch", BatchState, status=202, body=Batch, example=Batch(name="night shift", pairs=(_PAIR,))
    ),
)
def submit(
    by: Submitter,
    hospital: Hospital,
    asked: Annotated[Batch, Depends(body_of(Batch))],
    key: Annotated[str, Header(alias="Idempotency-Key", max_length=200, pattern=r"^[\x21-\x7e]*$")] = "",
) -> Response:
    """Accepts pairs to be scored. What was answered with 202 is scored, whatever happens to the process.

    The same Idempotency-Key is the same batch: sent again after a broken connection, nothing is submitted twice.
    """
    state = hospital.submit(asked.pairs, by=by, name=asked.name, key=key)
    return answer(state, status=202, headers={"Location": f"/api/v1/batches/{state.number}"})


@scoring_router.get("/batches/{number}", **document_route("State of a batch", BatchState))
def batch(by: Follower, hospital: Hospital, number: BatchNumber) -> Response:
    """Numbers of the batch's pairs by state; of one's own batches, or of all for a reviewer."""
    return answer(hospital.batch(number, by=by))


@scoring_router.get("/batches/{number}/results", **document_route("Results of a batch", BatchRecords))
def batch_results(
    by: Follower,
    hospital: Hospital,
    number: BatchNumber,
    after: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    limit: Limit = 100,
) -> Response:
    """Records of its pairs in the order submitted, page by page; those that wait have no result yet."""
    records = tuple(hospital.batch_results(number, by=by, after=after, limit=limit))
    return answer(BatchRecords(pairs=records, next=after + limit if len(records) == limit else None))


@scoring_router.get("/batches/{number}/events", **document_route("Progress of a batch", media_type="text/event-stream"))
async def events(by: Follower, served: ServedHere, number: BatchNumber) -> Response:
    """Server-sent events: ``progress`` with a `BatchState` whenever it changes, and at the end one ``done``."""
    first = await run_in_threadpool(served.hospital.batch, number, by=by)
    return served.streams.begin(by.name, _events(served, first, by))


async def _events(served: Served, first: BatchState, by: Actor) -> AsyncIterator[str]:
    state, silent, looks = first, 0, 0
    yield _event(state)
    while not state.is_done and not served.stopping() and looks * _LOOK_S < _LONGEST_S:
        await asyncio.sleep(_LOOK_S)
        looks += 1
        seen = await run_in_threadpool(served.hospital.batch, state.number, by=by)
        silent = silent + 1 if seen == state else 0
        if seen != state:
            yield _event(seen)
        elif silent % _ALIVE == 0:
            yield ": still waiting\n\n"
        state = seen


def _event(state: BatchState) -> str:
    kind = "done" if state.is_done else "progress"
    return f"event: {kind}\ndata: {json.dumps(hospital_record(state))}\n\n"
