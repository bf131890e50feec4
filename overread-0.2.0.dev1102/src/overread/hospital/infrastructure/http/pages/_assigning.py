"""Routes of readers and adjudicators: their assignments, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from attrs import define
from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.permissions import leads
from overread.hospital.application.protocols import AssignmentRecord, AssignmentRow
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.reading import AssignmentState, ReadingTask
from overread.hospital.infrastructure.http._access import Lead, Reviewer
from overread.hospital.infrastructure.http._state import served_of
from overread.hospital.infrastructure.http.pages._answers import as_sentence, filled_in, new_nonce, page, see
from overread.hospital.infrastructure.http.pages.assignments import (
    ASSIGNMENTS,
    lines,
    pair_text,
    peer_views,
    progress_of,
    state_tabs,
)
from overread.hospital.infrastructure.http.pages.pair_values import pair_values
from overread.hospital.infrastructure.http.pages.pairs import reviewed_pair
from overread.hospital.infrastructure.http.pages.reading_form import (
    SEE_RESULT,
    TAKE_OVER,
    ReadingDraft,
    given_reading,
    reading_form,
    taken_over,
)
from overread.hospital.infrastructure.http.pages.review_form import review_form
from overread.hospital.infrastructure.http.pages.reviewing import ANOTHER, Problem, draft_of
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.hospital.infrastructure.http.pages.worklist import WORKLIST, Neighbours

__all__ = ["AssignmentPages"]

_LARGEST: Final = 2**63 - 1
_MOST: Final = 500
"""Assignments of a state that are read for their numbers."""

_ROWS: Final = 50
_UNDONE: Final = (AssignmentState.OVERDUE, AssignmentState.CLAIMED, AssignmentState.OPEN)
"""States of what is to be done, in the order in which it is."""

Number = Annotated[int, Path(ge=1, le=_LARGEST)]
Kept = Annotated[int | None, Query(ge=1, le=_LARGEST)]
"""Number of the assignment whose reading was kept right before."""

Form = Annotated[dict[str, str], Depends(filled_in)]


@define(eq=False)
class AssignmentPages:
    """Answers with somebody's own assignments, and with the page of each."""

    vocabulary: Vocabulary

    def assignments(
        self,
        request: Request,
        actor: Reviewer,
        *,
        state: AssignmentState | None = None,
        after: Annotated[int, Query(ge=0, le=_LARGEST)] = 0,
        kept: Kept = None,
    ) -> Response:
        """Assignments that somebody is to do, and how far they are."""
        hospital = served_of(request).hospital
        by_state = {each: _own(hospital, actor, each) for each in AssignmentState}
        following = None
        if state is None:
            undone = [row for each in _UNDONE for row in by_state[each]]
            rows, more = undone[:_ROWS], max(len(undone) - _ROWS, 0)
        else:
            part = hospital.assignments(by=actor, reader=actor.name, state=state, after=after, limit=_ROWS)
            rows, more, following = list(part.rows), 0, part.next
        every = [row for several in by_state.values() for row in several]
        return page(
            request,
            "assignments.html.j2",
            actor,
            title="My assignments",
            place=ASSIGNMENTS,
            tabs=state_tabs(by_state, _MOST, state or ""),
            state=state,
            readings=lines(row for row in rows if row.task is ReadingTask.READING),
            adjudications=lines(row for row in rows if row.task is ReadingTask.ADJUDICATION),
            has={
                task.value: any(row.task is task for each in _UNDONE for row in by_state[each]) for task in ReadingTask
            },
            progress=progress_of(every, actor.name),
            is_new=not every,
            more=more,
            following=following,
            kept=kept,
        )

    def take_next(self, request: Request, actor: Reviewer, form: Form) -> Response:
        """Claims what is to be done next and leads there; to the list where nothing is left."""
        return see(_next_address(served_of(request).hospital, actor, _task(form.get("task", ""))))

    def assignment(
        self,
        request: Request,
        actor: Reviewer,
        number: Number,
        *,
        explain: Annotated[bool, Query()] = False,
        kept: Kept = None,
    ) -> Response:
        """Both texts of a pair with the form of a reading; once it is done, all that others see of the pair too."""
        record = served_of(request).hospital.assignment(number, by=actor)
        if record.assignment.state is AssignmentState.DONE:
            return self._done_page(request, actor, record, explain=explain)
        return self._page(request, actor, record, _draft({}, record), kept=kept)

    def review(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Keeps a reading and opens the next one, or tells what is amiss with it and keeps what was filled in."""
        hospital = served_of(request).hospital
        record = hospital.assignment(number, by=actor)
        if record.assignment.state is AssignmentState.DONE:  # sent twice, or from a page that was left open
            return see(f"{ASSIGNMENTS}/{number}")
        draft, action = _draft(form, record), form.get("action", "")
        if action.startswith(TAKE_OVER):
            return self._page(request, actor, record, self._taken_over(record, draft, action))
        if action == ANOTHER:
            return self._page(request, actor, record, draft, has_room=True)
        given = given_reading(draft, self.vocabulary, asks_radpeer=record.asks_radpeer)
        signature = form.get("signature", "")
        problems = list(given.problems)
        if not problems and signature not in {"", *(str(each.signature) for each in record.record.current.values())}:
            problems = [Problem("ask-title", "The pair has been scored again in the meantime: look at it again.")]
        if not problems:
            try:
                hospital.review_assignment(
                    number,
                    by=actor,
                    verdicts=given.verdicts,
                    no_discrepancy=draft.states_none,
                    radpeer=given.radpeer,
                    comment=given.comment,
                    signature=signature,
                )
            except InputError as error:
                problems = [Problem("ask-title", as_sentence(error.problem))]
            else:
                if action == SEE_RESULT:
                    return see(f"{ASSIGNMENTS}/{number}")
                return see(f"{_next_address(hospital, actor, record.assignment.task)}?kept={number}")
        return self._page(request, actor, record, draft, problems)

    def claim(self, request: Request, actor: Reviewer, number: Number) -> Response:
        """Claims an assignment that is nobody's."""
        served_of(request).hospital.claim_assignment(number, by=actor)
        return see(f"{ASSIGNMENTS}/{number}")

    def release(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Gives an assignment back, for others of the protocol."""
        row = served_of(request).hospital.release_assignment(number, by=actor)
        back = leads(actor) and form.get("back") == "protocol"
        return see(f"/protocols/{row.protocol}?changed={number}#assignments" if back else ASSIGNMENTS)

    def reassign(self, request: Request, actor: Lead, number: Number, form: Form) -> Response:
        """Hands an assignment to another of the protocol's people."""
        row = served_of(request).hospital.reassign(number, reader=form.get("reader", ""), by=actor)
        return see(f"/protocols/{row.protocol}?changed={number}#assignments")

    def _taken_over(self, record: AssignmentRecord, draft: ReadingDraft, action: str) -> ReadingDraft:
        place = action.removeprefix(TAKE_OVER)
        known = {str(index): reading for index, reading in enumerate(record.readings, 1)}
        return taken_over(known[place], draft, self.vocabulary) if place in known else draft

    def _page(
        self,
        request: Request,
        actor: Actor,
        record: AssignmentRecord,
        draft: ReadingDraft,
        problems: Sequence[Problem] = (),
        *,
        has_room: bool = False,
        kept: int | None = None,
    ) -> Response:
        row, shown, nonce = record.assignment, record.record, new_nonce()
        is_own = actor.name in {row.reader, row.claimant}
        view = None if shown.blinded else reviewed_pair(shown, self.vocabulary, None, nonce=nonce)
        form = reading_form(record, draft, problems, has_room=has_room) if is_own else None
        return page(
            request,
            "reading.html.j2",
            actor,
            title=f"{'Adjudication' if row.task is ReadingTask.ADJUDICATION else 'Reading'} of pair {row.pair}",
            place=ASSIGNMENTS,
            status=422 if problems else 200,
            nonce="" if shown.blinded else nonce,
            row=lines([row])[0],
            record=shown,
            view=view,
            pair=view.pair if view else None,
            text=pair_text(shown, row),
            readings=peer_views(record.readings, shown, self.vocabulary),
            form=form,
            can_claim=not row.reader and not row.claimant,
            kept=kept,
        )

    def _done_page(self, request: Request, actor: Actor, record: AssignmentRecord, *, explain: bool) -> Response:
        row, shown, nonce = record.assignment, record.record, new_nonce()
        hospital = served_of(request).hospital
        if explain:
            shown = hospital.pair(row.pair, by=actor, explain=True)
        form = review_form(
            shown,
            draft_of({}, len(shown.discrepancies)),
            action=f"/pairs/{row.pair}/review?",
            asks_radpeer=hospital.configuration.asks_radpeer,
        )
        return page(
            request,
            "reading_done.html.j2",
            actor,
            title=f"Pair {row.pair}",
            place=ASSIGNMENTS,
            row=lines([row])[0],
            is_own=row.reader == actor.name,
            beside=Neighbours("", ""),
            kept=None,
            list_query="",
            back=WORKLIST,
            explain_query="explain=true",
            **pair_values(hospital, actor, shown, self.vocabulary, form, nonce=nonce, explained=explain),
        )


def _draft(form: dict[str, str], record: AssignmentRecord) -> ReadingDraft:
    return ReadingDraft(review=draft_of(form, len(record.record.discrepancies)), states_none="none" in form)


def _task(value: str) -> ReadingTask:
    return ReadingTask.ADJUDICATION if value == ReadingTask.ADJUDICATION else ReadingTask.READING


def _own(hospital: HospitalService, actor: Actor, state: AssignmentState) -> Sequence[AssignmentRow]:
    return hospital.assignments(by=actor, reader=actor.name, state=state, limit=_MOST).rows


def _next_address(hospital: HospitalService, actor: Actor, task: ReadingTask) -> str:
    """Address of what is to be done next, which is claimed by this; of the list where nothing is left.

    One's own comes before what anybody may take.
    """
    for state in _UNDONE:
        rows = [row for row in _own(hospital, actor, state) if row.task is task and row.claimant in {"", actor.name}]
        for row in sorted(rows, key=lambda row: actor.name not in {row.reader, row.claimant}):
            try:
                hospital.claim_assignment(row.number, by=actor)
            except (InputError, NotFoundError):  # somebody else was quicker
                continue
            return f"{ASSIGNMENTS}/{row.number}"
    return ASSIGNMENTS
