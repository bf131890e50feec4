"""Reading protocols, and the assignments by which people read."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends, Path, Query
from starlette.responses import Response

from overread.application.statistics.resampling import DRAWS
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.agreement import Agreement
from overread.hospital.application.protocols import (
    AssignmentPage,
    AssignmentRecord,
    AssignmentRow,
    ProtocolPlan,
    ProtocolRecord,
)
from overread.hospital.application.requests import Search
from overread.hospital.domain.reading import AssignmentState, ProtocolReader, ReadingProtocol
from overread.hospital.domain.review import Review, Verdict, VerdictKind
from overread.hospital.infrastructure.http._access import Lead, Reviewer
from overread.hospital.infrastructure.http._openapi import document_route
from overread.hospital.infrastructure.http._records import answer, body_of
from overread.hospital.infrastructure.http._state import Hospital
from overread.hospital.infrastructure.http.api._messages import NewAssignee, NewReading, Protocols
from overread.hospital.infrastructure.http.api._queries import LARGEST, Limit, Number, Word
from overread.hospital.infrastructure.http.api._router import part_of_api

__all__ = ["reading_router"]

reading_router: Final = part_of_api("readings")

ProtocolNumber = Annotated[int, Path(ge=1, le=LARGEST)]
AssignmentNumber = Annotated[int, Path(ge=1, le=LARGEST)]
After = Annotated[int, Query(ge=0, le=LARGEST)]

_PLAN: Final = ProtocolPlan(
    name="Night readings, November",
    readers=(
        ProtocolReader(name="a.kim", known_as=("4711",)),
        ProtocolReader(name="b.lang"),
        ProtocolReader(name="c.mori"),
    ),
    per_pair=2,
    adjudicators=(ProtocolReader(name="d.novak"),),
    search=Search(site="north", importance=Importance.ACTIONABLE),
    seed=7,
)
_READING: Final = NewReading(
    verdicts=(
        Verdict(
            discrepancy=None,
            kind=VerdictKind.AMEND,
            category=ErrorCategory.OMITTED_FINDING,
            severity=Severity.SIGNIFICANT,
            finding="pneumothorax",
            reason="The first report does not mention it.",
        ),
    ),
)


@reading_router.post(
    "/protocols",
    **document_route("Make a reading protocol", ProtocolRecord, status=201, body=ProtocolPlan, example=_PLAN),
)
def create_protocol(
    by: Lead, hospital: Hospital, plan: Annotated[ProtocolPlan, Depends(body_of(ProtocolPlan))]
) -> Response:
    """Chooses pairs once, and shares them out among readers in equal parts, without conflicts of interest.

    Give one of ``sample``, ``search`` and ``pairs``. In a blinded protocol its people see nothing of its pairs but the
    reports, by no address, until they have kept their review.
    """
    return answer(hospital.create_protocol(plan, by=by), status=201)


@reading_router.get("/protocols", **document_route("Reading protocols", Protocols))
def protocols(by: Lead, hospital: Hospital, after: After = 0, limit: Limit = 50) -> Response:
    """All of them, those that are closed included."""
    found = tuple(hospital.protocols(by=by, after=after, limit=limit))
    return answer(Protocols(protocols=found, next=found[-1].number if len(found) == limit else None))


@reading_router.get("/protocols/{number}", **document_route("One reading protocol", ProtocolRecord))
def protocol(by: Lead, hospital: Hospital, number: ProtocolNumber) -> Response:
    """Progress of its pairs, the load of each reader, and the pairs that have fewer readers than wanted."""
    return answer(hospital.protocol(number, by=by))


@reading_router.post("/protocols/{number}/closings", **document_route("Close a reading protocol", ReadingProtocol))
def close_protocol(by: Lead, hospital: Hospital, number: ProtocolNumber) -> Response:
    """Ends it: what is not done is dropped, and nobody is blinded by it any more."""
    return answer(hospital.close_protocol(number, by=by))


@reading_router.get("/protocols/{number}/agreement", **document_route("Agreement of readers", Agreement))
def agreement(
    by: Lead,
    hospital: Hospital,
    number: ProtocolNumber,
    draws: Annotated[int, Query(ge=1, le=DRAWS, description="Draws of the intervals.")] = DRAWS,
    seed: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
) -> Response:
    """Kappas and alpha with 95 % intervals over pairs: of readers with each other, with the verdict, and the program.

    Not for those who read for a blinded protocol, until it is closed.
    """
    return answer(hospital.agreement(number, by=by, draws=draws, seed=seed))


@reading_router.get("/assignments", **document_route("Assignments", AssignmentPage))
def assignments(
    by: Reviewer,
    hospital: Hospital,
    reader: Word = None,
    protocol: Number = None,
    state: AssignmentState | None = None,
    after: After = 0,
    limit: Limit = 50,
) -> Response:
    """The caller's assignments, with those of nobody that they may claim; a lead's are those of all readers.

    Their order tells nothing of the pairs. What is past its due date is overdue, whether it is claimed or not.
    """
    return answer(hospital.assignments(by=by, reader=reader, protocol=protocol, state=state, after=after, limit=limit))


@reading_router.get("/assignments/{number}", **document_route("One assignment", AssignmentRecord))
def assignment(by: Reviewer, hospital: Hospital, number: AssignmentNumber) -> Response:
    """Its pair as the reader may see it now, and for whoever adjudicates what the readers said, without their names."""
    return answer(hospital.assignment(number, by=by))


@reading_router.post("/assignments/{number}/claims", **document_route("Claim an assignment", AssignmentRow, status=201))
def claim_assignment(by: Reviewer, hospital: Hospital, number: AssignmentNumber) -> Response:
    """Keeps others away until the claim ends, which the answer tells; the same caller may prolong it."""
    return answer(hospital.claim_assignment(number, by=by), status=201)


@reading_router.delete("/assignments/{number}/claims", **document_route("Give an assignment back", AssignmentRow))
def release_assignment(by: Reviewer, hospital: Hospital, number: AssignmentNumber) -> Response:
    """It is nobody's from then on, for others of the protocol to claim."""
    return answer(hospital.release_assignment(number, by=by))


@reading_router.post(
    "/assignments/{number}/reassignments",
    **document_route("Hand an assignment on", AssignmentRow, body=NewAssignee, example=NewAssignee(reader="b.lang")),
)
def reassign(
    by: Lead, hospital: Hospital, number: AssignmentNumber, asked: Annotated[NewAssignee, Depends(body_of(NewAssignee))]
) -> Response:
    """Gives it to another of the protocol's people, if they may do it."""
    return answer(hospital.reassign(number, reader=asked.reader, by=by))


@reading_router.post(
    "/assignments/{number}/reviews",
    **document_route("Review the pair of an assignment", Review, status=201, body=NewReading, example=_READING),
)
def review_assignment(
    by: Reviewer,
    hospital: Hospital,
    number: AssignmentNumber,
    said: Annotated[NewReading, Depends(body_of(NewReading))],
) -> Response:
    """Keeps the review; the assignment is done. A pair whose readers differ then goes to the adjudicators."""
    new_review = hospital.review_assignment(
        number,
        by=by,
        verdicts=said.verdicts,
        no_discrepancy=said.no_discrepancy,
        radpeer=said.radpeer,
        comment=said.comment,
        signature=said.signature,
    )
    return answer(new_review, status=201)
