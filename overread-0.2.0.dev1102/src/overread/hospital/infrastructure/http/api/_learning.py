"""Peer learning: points, conferences, actions about pairs, and authors with their own reports."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import Depends, Path, Query
from starlette.responses import Response

from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.application.learning import ActionPage, Conference, OwnPage, OwnPair, PairLearning
from overread.hospital.domain.learning import ActionKind, LearningKind, LearningPoint, PairAction
from overread.hospital.infrastructure.http._access import Author, Lead, Reviewer
from overread.hospital.infrastructure.http._openapi import document_route
from overread.hospital.infrastructure.http._records import answer, body_of
from overread.hospital.infrastructure.http._state import Hospital
from overread.hospital.infrastructure.http.api._messages import (
    ActionChange,
    AuthorAnswer,
    NewAction,
    NewLearningPoint,
    Nomination,
    Presented,
)
from overread.hospital.infrastructure.http.api._queries import LARGEST, Limit, Moment
from overread.hospital.infrastructure.http.api._router import part_of_api

__all__ = ["learning_router"]

learning_router: Final = part_of_api("learning")

PathNumber = Annotated[int, Path(ge=1, le=LARGEST)]
After = Annotated[int, Query(ge=0, le=LARGEST)]
Before = Annotated[int | None, Query(ge=1, le=LARGEST)]

_POINT: Final = NewLearningPoint(
    kind=LearningKind.LEARNING_POINT,
    category=ErrorCategory.OMITTED_FINDING,
    finding="pneumothorax",
    text="On supine films, look for the deep sulcus.",
    nominated=True,
)
_ANSWER: Final = AuthorAnswer(text="It is plain on the lateral view, which I had not opened.")


@learning_router.get("/pairs/{number}/learning", **document_route("Learning from a pair", PairLearning))
def learning_points(by: Reviewer, hospital: Hospital, number: PathNumber) -> Response:
    """Learning points, what was done, and what authors say; nothing of it while the caller reads the pair blinded."""
    return answer(hospital.learning_points(number, by=by))


@learning_router.post(
    "/pairs/{number}/learning",
    **document_route("Add a learning point", LearningPoint, status=201, body=NewLearningPoint, example=_POINT),
)
def add_learning_point(
    by: Reviewer,
    hospital: Hospital,
    number: PathNumber,
    said: Annotated[NewLearningPoint, Depends(body_of(NewLearningPoint))],
) -> Response:
    """Keeps what a pair teaches; the authors of its reports see it, without who wrote it."""
    point = hospital.add_learning_point(
        number,
        by=by,
        kind=said.kind,
        text=said.text,
        category=said.category,
        finding=said.finding,
        nominated=said.nominated,
    )
    return answer(point, status=201)


@learning_router.post(
    "/learning/{number}/nominations",
    **document_route("Nominate a learning point", LearningPoint, body=Nomination, example=Nomination()),
)
def nominate(
    by: Reviewer, hospital: Hospital, number: PathNumber, asked: Annotated[Nomination, Depends(body_of(Nomination))]
) -> Response:
    """Notes whether it is to be shown at a conference; one that was presented can be nominated again."""
    return answer(hospital.nominate(number, by=by, nominated=asked.nominated))


@learning_router.post(
    "/pairs/{number}/actions",
    **document_route(
        "Note an action",
        PairAction,
        status=201,
        body=NewAction,
        example=NewAction(kind=ActionKind.CLINICIAN_TOLD),
    ),
)
def add_action(
    by: Reviewer, hospital: Hospital, number: PathNumber, asked: Annotated[NewAction, Depends(body_of(NewAction))]
) -> Response:
    """Keeps what is to be done about a pair, or was."""
    return answer(hospital.add_action(number, by=by, kind=asked.kind, state=asked.state, due=asked.due), status=201)


@learning_router.get("/actions", **document_route("Actions that are not done", ActionPage))
def open_actions(by: Reviewer, hospital: Hospital, after: After = 0, limit: Limit = 50) -> Response:
    """Proposed and open ones of all pairs, but those that the caller reads blinded."""
    return answer(hospital.open_actions(by=by, after=after, limit=limit))


@learning_router.post("/actions/{number}/changes", **document_route("Change an action", PairAction, body=ActionChange))
def change_action(
    by: Reviewer, hospital: Hospital, number: PathNumber, asked: Annotated[ActionChange, Depends(body_of(ActionChange))]
) -> Response:
    """Notes how far it is; the audit trail has what it was before."""
    return answer(hospital.change_action(number, by=by, state=asked.state, due=asked.due))


@learning_router.get("/conference", **document_route("Pairs for a conference", Conference))
def conference(
    by: Reviewer,
    hospital: Hospital,
    since: Moment = None,
    until: Moment = None,
    presented: Annotated[bool | None, Query()] = None,
    after: After = 0,
    limit: Limit = 50,
) -> Response:
    """Pairs with points nominated in a period, without names of authors, reviewers or patients.

    Known names are replaced in the texts; reports may hold others. Pairs of an active blinded protocol are left out.
    """
    return answer(hospital.conference(by=by, since=since, until=until, presented=presented, after=after, limit=limit))


@learning_router.post("/conference/{number}/presentations", **document_route("Mark a pair as presented", Presented))
def mark_presented(by: Lead, hospital: Hospital, number: PathNumber) -> Response:
    """Its nominated learning points have been shown."""
    return answer(Presented(points=hospital.mark_presented(number, by=by)))


@learning_router.get("/own/pairs", **document_route("One's own pairs", OwnPage))
def own_pairs(
    by: Author, hospital: Hospital, *, news: bool = False, before: Before = None, limit: Limit = 50
) -> Response:
    """Pairs of which the caller wrote a report, the newest first; with ``news``, those with something new alone."""
    return answer(hospital.own_pairs(by=by, news=news, before=before, limit=limit))


@learning_router.get("/own/pairs/{number}", **document_route("One of one's own pairs", OwnPair))
def own_pair(by: Author, hospital: Hospital, number: PathNumber) -> Response:
    """Texts, discrepancies and learning points; neither who reviewed it nor who else wrote."""
    return answer(hospital.own_pair(number, by=by))


@learning_router.post(
    "/own/pairs/{number}/acknowledgements", **document_route("Acknowledge a pair", OwnPair, status=201)
)
def acknowledge(by: Author, hospital: Hospital, number: PathNumber) -> Response:
    """Notes that the caller has seen it as it is now."""
    return answer(hospital.acknowledge(number, by=by), status=201)


@learning_router.post(
    "/own/pairs/{number}/answers",
    **document_route("Answer to a pair", OwnPair, status=201, body=AuthorAnswer, example=_ANSWER),
)
def answer_pair(
    by: Author, hospital: Hospital, number: PathNumber, said: Annotated[AuthorAnswer, Depends(body_of(AuthorAnswer))]
) -> Response:
    """Keeps what the caller says; reviewers see it with the caller's name."""
    return answer(hospital.answer(number, by=by, text=said.text), status=201)
