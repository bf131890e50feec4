"""Routes of peer learning: what a pair teaches, conferences, open actions, and authors with their own reports."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from attrs import define
from fastapi import Request
from starlette.responses import Response

from overread.exceptions import InputError
from overread.hospital.application.learning import OwnPair
from overread.hospital.application.worklist import DISCREPANCIES_OF
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.learning import ActionState
from overread.hospital.infrastructure.http._access import Author, Lead, Reviewer
from overread.hospital.infrastructure.http._numbers import After, Before, MaybeNumber, Number
from overread.hospital.infrastructure.http._state import served_of
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages._answers import Form, as_sentence, new_nonce, page, see
from overread.hospital.infrastructure.http.pages._pair_page import Shown, list_query, pair_page
from overread.hospital.infrastructure.http.pages.learning import (
    action_view,
    case_view,
    own_row_view,
    point_view,
    response_view,
)
from overread.hospital.infrastructure.http.pages.learning_forms import ActionDraft, LearningForms, PointDraft, date_of
from overread.hospital.infrastructure.http.pages.pairs import surroundings_of
from overread.hospital.infrastructure.http.pages.reviewing import Problem, draft_of
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.infrastructure.views.web.pair_view import pair_view
from overread.infrastructure.views.wording import one_line

__all__ = ["ACTIONS", "CONFERENCE", "OWN", "LearningPages"]

OWN: Final = "/own"
CONFERENCE: Final = "/conference"
ACTIONS: Final = "/actions"


@define(eq=False)
class LearningPages:
    """Answers with what people learn from each other."""

    vocabulary: Vocabulary

    def add_point(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Keeps a learning point and leads back to the pair, or tells what is amiss and keeps what was filled in."""
        draft = PointDraft.of(form)
        given, problems = draft.read(self.vocabulary)
        if not problems:
            try:
                served_of(request).hospital.add_learning_point(number, by=actor, **given)
            except InputError as error:
                problems = [Problem("point-text", as_sentence(error.problem))]
            else:
                return see(self._pair(request, number, "learning"))
        return self._amiss(request, actor, number, LearningForms(point=draft, problems=problems))

    def nominate(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Nominates a learning point for a conference, or takes that back."""
        point = served_of(request).hospital.nominate(number, by=actor, nominated=form.get("nominated") == "yes")
        return see(self._pair(request, point.pair, "learning"))

    def add_action(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Keeps an action about a pair and leads back to it, or tells what is amiss and keeps what was filled in."""
        draft = ActionDraft.of(form)
        given, problems = draft.read()
        if not problems:
            try:
                served_of(request).hospital.add_action(number, by=actor, **given)
            except InputError as error:
                problems = [Problem("action-kind", as_sentence(error.problem))]
            else:
                return see(self._pair(request, number, "done"))
        return self._amiss(request, actor, number, LearningForms(action=draft, problems=problems))

    def change_action(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Notes how far an action is, and leads back to where it stood: the list of open ones, or its pair."""
        state = next((each for each in ActionState if each.value == form.get("state")), None)
        if state is None:
            raise InputError("form", "choose one of what the form offers")
        action = served_of(request).hospital.change_action(number, by=actor, state=state)
        if form.get("back") == "list":
            return see(f"{ACTIONS}?changed={action.number}")
        return see(self._pair(request, action.pair, "done"))

    def open_actions(
        self, request: Request, actor: Reviewer, after: After = 0, changed: MaybeNumber = None
    ) -> Response:
        """Actions that are not done."""
        found = served_of(request).hospital.open_actions(by=actor, after=after)
        now = datetime.now(UTC)
        actions = [action_view(action, now) for action in found.actions]
        return page(
            request,
            "actions.html.j2",
            actor,
            title="Open actions",
            place=ACTIONS,
            actions=actions,
            changed=changed,
            following=found.next,
        )

    def conference(
        self, request: Request, actor: Reviewer, since: str = "", until: str = "", after: After = 0
    ) -> Response:
        """Nominated pairs of a period, without anybody's name."""
        first, end = date_of(since), date_of(until)
        found = served_of(request).hospital.conference(by=actor, since=first, until=end, after=after)
        return page(
            request,
            "conference.html.j2",
            actor,
            title="Conference",
            place=CONFERENCE,
            cases=[case_view(case, self.vocabulary) for case in found.cases],
            since=since if first else "",
            until=until if end else "",
            ignored=[given for given, day in ((since, first), (until, end)) if given and day is None],
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
            rows=[own_row_view(row, self.vocabulary) for row in found.rows],
            news=news,
            following=found.next,
        )

    def own_pair(self, request: Request, actor: Author, number: Number, kept: MaybeNumber = None) -> Response:
        """A pair of which who asks wrote a report: texts, discrepancies, and what can be learnt."""
        return self._own_page(request, actor, served_of(request).hospital.own_pair(number, by=actor), kept=kept)

    def acknowledge(self, request: Request, actor: Author, number: Number) -> Response:
        """Notes that an author has seen a pair."""
        served_of(request).hospital.acknowledge(number, by=actor)
        return see(f"{OWN}/{number}?kept={number}#mine")

    def answer(self, request: Request, actor: Author, number: Number, form: Form) -> Response:
        """Keeps what an author says to a pair, or tells what is amiss and keeps what was written."""
        text = form.get("text", "").replace("\r\n", "\n").strip()
        hospital = served_of(request).hospital
        try:
            hospital.answer(number, by=actor, text=text)
        except InputError as error:
            amiss = as_sentence(error.problem) if text else "Write your answer, or say that you have seen it."
            return self._own_page(request, actor, hospital.own_pair(number, by=actor), text=text, amiss=amiss)
        return see(f"{OWN}/{number}?kept={number}#mine")

    def _own_page(
        self,
        request: Request,
        actor: Actor,
        record: OwnPair,
        *,
        text: str = "",
        amiss: str = "",
        kept: int | None = None,
    ) -> Response:
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
            status=422 if amiss else 200,
            text=text,
            form={"amiss": {"text": amiss} if amiss else {}},
            kept=kept,
            nonce=nonce,
            pair=shown,
            number=row.pair,
            is_new=row.is_new,
            points=[point_view(point, self.vocabulary) for point in record.points],
            responses=list(map(response_view, record.responses)),
        )

    def _pair(self, request: Request, number: int, place: str) -> str:
        """Address of a place on a pair's page, in the list that it was reached from."""
        query = list_query(request, self.vocabulary)
        return f"/pairs/{number}{f'?{query}' if query else ''}#{place}"

    def _amiss(self, request: Request, actor: Actor, number: int, notes: LearningForms) -> Response:
        """The page of a pair with a form that could not be kept, as it was filled in."""
        record = served_of(request).hospital.pair(number, by=actor)
        if record.blinded:
            raise InputError("learning", "you read this pair blinded: nothing can be noted until your review is kept")
        draft = draft_of({}, len(record.discrepancies))
        return pair_page(request, actor, record, self.vocabulary, Shown(draft=draft, notes=notes))
