"""The page of a pair, whichever form of it was sent."""

from __future__ import annotations

from typing import Final

from attrs import field, frozen
from fastapi import Request
from starlette.responses import Response

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.requests import PairRecord
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.infrastructure.http._state import served_of
from overread.hospital.infrastructure.http.pages._answers import new_nonce, page
from overread.hospital.infrastructure.http.pages.filters import query_of, read_search
from overread.hospital.infrastructure.http.pages.learning_forms import LearningForms
from overread.hospital.infrastructure.http.pages.pair_values import pair_values
from overread.hospital.infrastructure.http.pages.review_form import review_form
from overread.hospital.infrastructure.http.pages.reviewing import Problem, ReviewDraft
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.hospital.infrastructure.http.pages.worklist import WORKLIST, Neighbours, neighbours

__all__ = ["Shown", "list_query", "neighbours_of", "pair_page"]

_LONGEST_PLACE: Final = 6
"""Digits of a place in a list."""


@frozen(kw_only=True)
class Shown:
    """Contents of a pair's page besides the pair.

    Attributes:
        draft: what stands in the form of the review.
        problems: what is amiss with it.
        notes: what stands in the forms of learning points and actions.
        explain: whether the scores carry their evidence.
        kept: number of the pair whose review was kept right before.
    """

    draft: ReviewDraft
    problems: tuple[Problem, ...] = field(default=(), converter=in_tuple)
    notes: LearningForms = field(factory=LearningForms)
    explain: bool = False
    kept: int | None = None


def pair_page(request: Request, actor: Actor, record: PairRecord, vocabulary: Vocabulary, shown: Shown) -> Response:
    """The page of a pair, with the forms as they were filled in."""
    hospital = served_of(request).hospital
    beside = neighbours_of(request, actor, record.number, vocabulary)
    nonce, query = new_nonce(), list_query(request, vocabulary)
    form = review_form(
        record,
        shown.draft,
        shown.problems,
        action=f"/pairs/{record.number}/review?{query}",
        has_next=bool(beside.following),
        asks_radpeer=hospital.configuration.asks_radpeer,
    )
    return page(
        request,
        "pair.html.j2",
        actor,
        title=f"Pair {record.number}",
        place=WORKLIST,
        status=422 if shown.problems or shown.notes.problems else 200,
        beside=beside,
        kept=shown.kept,
        list_query=query,
        back=f"{WORKLIST}?{query_of(read_search(request.query_params, vocabulary).search, vocabulary)}",
        explain_query=list_query(request, vocabulary, explain="true"),
        **pair_values(
            hospital, actor, record, vocabulary, form, nonce=nonce, explained=shown.explain, notes=shown.notes
        ),
    )


def list_query(request: Request, vocabulary: Vocabulary, **more: str) -> str:
    """The list that a pair was reached from, as its address tells it."""
    at = _place(request)
    parameters = {} if at is None else {"at": str(at)}
    return query_of(read_search(request.query_params, vocabulary).search, vocabulary, **parameters, **more)


def neighbours_of(request: Request, actor: Actor, number: int, vocabulary: Vocabulary) -> Neighbours:
    """The pairs beside one in its list; of a pair that was not reached from a list none are known."""
    at = _place(request)
    if at is None:
        return Neighbours("", "")
    search = read_search(request.query_params, vocabulary).search
    result = served_of(request).hospital.search(search, by=actor)
    return neighbours(result, search, number, at, vocabulary)


def _place(request: Request) -> int | None:
    """Position of a pair in its list, as the address tells it; None where that isn't such a number."""
    at = request.query_params.get("at", "")
    return int(at) if at.isascii() and at.isdigit() and len(at) <= _LONGEST_PLACE else None
