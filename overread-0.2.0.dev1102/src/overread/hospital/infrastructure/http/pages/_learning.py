"""Routes of peer learning: what a pair teaches, conferences, open actions, and authors with their own reports."""

from __future__ import annotations

from typing import Annotated, Any, Final

from attrs import define
from fastapi import Depends, Path, Query, Request
from starlette.responses import Response

from overread.hospital.application.learning import OwnPair
from overread.hospital.application.worklist import DISCREPANCIES_OF
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.learning import ActionState
from overread.hospital.infrastructure.http._access import Author, Lead, Reviewer
from overread.hospital.infrastructure.http._state import served_of
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages._answers import filled_in, new_nonce, page, see
from overread.hospital.infrastructure.http.pages.learning import (
    action_view,
    case_view,
    day_of,
    own_row_view,
    point_view,
    read_action,
    read_choice,
    read_point,
    response_view,
)
from overread.hospital.infrastructure.http.pages.pairs import surroundings_of
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.infrastructure.views.web.pair_view import pair_view
from overread.infrastructure.views.wording import one_line

__all__ = ["ACTIONS", "CONFERENCE", "OWN", "LearningPages"]

OWN: Final = "/own"
CONFERENCE: Final = "/conference"
ACTIONS: Final = "/actions"

_LARGEST: Final = 2**63 - 1

Number = Annotated[int, Path(ge=1, le=_LARGEST)]
Before = Annotated[int | None, Query(ge=1, le=_LARGEST)]
After = Annotated[int, Query(ge=0, le=_LARGEST)]
Form = Annotated[dict[str, str], Depends(filled_in)]


@define(eq=False)
class LearningPages:
    """Answers with what people learn from each other."""

    vocabulary: Vocabulary

    def add_point(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Keeps a learning point, and leads back to the pair."""
        given: dict[str, Any] = read_point(form, self.vocabulary)
        served_of(request).hospital.add_learning_point(number, by=actor, **given)
        return see(f"/pairs/{number}#learning")

    def nominate(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Nominates a learning point for a conference, or takes that back."""
        point = served_of(request).hospital.nominate(number, by=actor, nominated=form.get("nominated") == "yes")
        return see(f"/pairs/{point.pair}#learning")

    def add_action(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Keeps an action about a pair, and leads back to it."""
        kind, state, due = read_action(form)
        served_of(request).hospital.add_action(number, by=actor, kind=kind, state=state, due=due)
        return see(f"/pairs/{number}#done")

    def change_action(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Notes how far an action is, and leads back to its pair."""
        state = read_choice(ActionState, form.get("state", ""))
        action = served_of(request).hospital.change_action(number, by=actor, state=state)
        return see(f"/pairs/{action.pair}#done")

    def open_actions(self, request: Request, actor: Reviewer, after: After = 0) -> Response:
        """Actions that are not done."""
        found = served_of(request).hospital.open_actions(by=actor, after=after)
        actions = list(map(action_view, found.actions))
        return page(
            request,
            "actions.html.j2",
            actor,
            title="Open actions",
            place=ACTIONS,
            actions=actions,
            following=found.next,
        )

    def conference(
        self, request: Request, actor: Reviewer, since: str = "", until: str = "", after: After = 0
    ) -> Response:
        """Nominated pairs of a period, without anybody's name."""
        found = served_of(request).hospital.conference(by=actor, since=day_of(since), until=day_of(until), after=after)
        return page(
            request,
            "conference.html.j2",
            actor,
            title="Conference",
            place=CONFERENCE,
            cases=[case_view(case, self.vocabulary) for case in found.cases],
            since=since,
            until=until,
            following=found.next,
            presents=bool({Role.LEAD, Role.ADMIN} & actor.roles),
        )

    def present(self, request: Request, actor: Lead, number: Number) -> Response:
        """Marks a pair as presented."""
        served_of(request).hospital.mark_presented(number, by=actor)
        return see(CONFERENCE)

    def own(self, request: Request, actor: Author, *, news: bool = False, before: Before = None) -> Response:
        """Pairs of which who asks wrote a report."""
        found = served_of(request).hospital.own_pairs(by=actor, news=news, before=before)
        return page(
            request,
            "own.html.j2",
            actor,
            title="My reports",
            place=OWN,
            rows=list(map(own_row_view, found.rows)),
            news=news,
            following=found.next,
        )

    def own_pair(self, request: Request, actor: Author, number: Number) -> Response:
        """A pair of which who asks wrote a report: texts, discrepancies, and what can be learnt."""
        return self._own_page(request, actor, served_of(request).hospital.own_pair(number, by=actor))

    def acknowledge(self, request: Request, actor: Author, number: Number) -> Response:
        """Notes that an author has seen a pair."""
        served_of(request).hospital.acknowledge(number, by=actor)
        return see(f"{OWN}/{number}")

    def answer(self, request: Request, actor: Author, number: Number, form: Form) -> Response:
        """Keeps what an author says to a pair."""
        text = form.get("text", "").replace("\r\n", "\n").strip()
        served_of(request).hospital.answer(number, by=actor, text=text)
        return see(f"{OWN}/{number}")

    def _own_page(self, request: Request, actor: Actor, record: OwnPair) -> Response:
        nonce, row = new_nonce(), record.row
        results = {} if record.result is None else {DISCREPANCIES_OF: record.result}
        title = f"{words.examination_words(row.examination)}, {one_line(row.examination.accession)}"
        shown = pair_view(
            record.report_pair,
            results,
            self.vocabulary.finding_name,
            signs=self.vocabulary.signs,
            title=title,
            around=surroundings_of(row.kind, nonce=nonce),
        )
        return page(
            request,
            "own_pair.html.j2",
            actor,
            title=f"My reports: pair {row.pair}",
            place=OWN,
            nonce=nonce,
            pair=shown,
            number=row.pair,
            is_new=row.is_new,
            points=[point_view(point, self.vocabulary) for point in record.points],
            responses=list(map(response_view, record.responses)),
        )
