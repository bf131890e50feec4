"""Routes of the pages."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Final
from urllib.parse import urlencode

from attrs import define
from fastapi import APIRouter, Query, Request
from starlette.responses import HTMLResponse, Response

from overread.exceptions import NotFoundError
from overread.hospital.application.permissions import sees_all
from overread.hospital.domain.access import AccessKey
from overread.hospital.domain.audit_trail import Role
from overread.hospital.infrastructure.http._access import (
    LOGIN_PAGE,
    OIDC_LOGIN,
    Admin,
    Anyone,
    Reviewer,
    doorkeeper_of,
    session_of,
)
from overread.hospital.infrastructure.http._login import local_path
from overread.hospital.infrastructure.http._numbers import MaybeNumber, Number
from overread.hospital.infrastructure.http._state import served_of
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages._answers import Form, PageRoute, page, see
from overread.hospital.infrastructure.http.pages._assigning import AssignmentPages
from overread.hospital.infrastructure.http.pages._charting import CASES, CHARTS, FLAGS, MONTH, ChartingPages
from overread.hospital.infrastructure.http.pages._counting import RATES, SAMPLES, CountingPages
from overread.hospital.infrastructure.http.pages._covering import COVERAGE, coverage_page
from overread.hospital.infrastructure.http.pages._learning import ACTIONS, CONFERENCE, OWN, LearningPages
from overread.hospital.infrastructure.http.pages._pair_page import Shown, list_query, neighbours_of, pair_page
from overread.hospital.infrastructure.http.pages._protocols import PROTOCOLS, ProtocolPages
from overread.hospital.infrastructure.http.pages.assignments import ASSIGNMENTS
from overread.hospital.infrastructure.http.pages.filters import Asked, read_search
from overread.hospital.infrastructure.http.pages.reviewing import (
    ANOTHER,
    NEXT,
    Problem,
    draft_of,
    given_of,
)
from overread.hospital.infrastructure.http.pages.templating import ASSETS, asset, render
from overread.hospital.infrastructure.http.pages.versions import version_views
from overread.hospital.infrastructure.http.pages.vocabulary import Vocabulary
from overread.hospital.infrastructure.http.pages.worklist import (
    WORKLIST,
    row_views,
    worklist_view,
)
from overread.infrastructure.views.wording import one_line

__all__ = ["router_of"]

_REFUSALS: Final = 100
_FOR_GOOD: Final = "public, max-age=31536000, immutable"


def router_of(vocabulary: Vocabulary) -> APIRouter:
    """See `overread.hospital.infrastructure.http.pages.pages_router`."""
    pages, counting, charting = _Pages(vocabulary), CountingPages(vocabulary), ChartingPages(vocabulary)
    learning = LearningPages(vocabulary)
    router = APIRouter(route_class=PageRoute, include_in_schema=False)
    for path, answer in (
        ("/", pages.front),
        (WORKLIST, pages.worklist),
        ("/findings", pages.findings),
        ("/pairs/{number}", pages.pair),
        ("/pairs/{number}/examinations/{place}", pages.examination),
        ("/refusals", pages.refusals),
        (RATES, counting.rates),
        (f"{RATES}.csv", counting.rates_csv),
        (SAMPLES, counting.samples),
        (CHARTS, charting.charts),
        (CASES, charting.cases),
        (FLAGS, charting.flags),
        (MONTH, charting.month),
        (COVERAGE, coverage_page),
        (CONFERENCE, learning.conference),
        (ACTIONS, learning.open_actions),
        (OWN, learning.own),
        (f"{OWN}/{{number}}", learning.own_pair),
        ("/keys", pages.keys),
        ("/help", pages.help),
        (LOGIN_PAGE, pages.login),
        (ASSETS + "/{name}", pages.asset),
    ):
        router.add_api_route(path, answer, methods=["GET"])
    for path, take in (
        ("/pairs/{number}/review", pages.review),
        (SAMPLES, counting.draw),
        (CASES, charting.open_cases),
        (f"{CASES}/{{number}}/close", charting.close_case),
        ("/pairs/{number}/learning", learning.add_point),
        ("/learning/{number}/nomination", learning.nominate),
        ("/pairs/{number}/actions", learning.add_action),
        (f"{ACTIONS}/{{number}}", learning.change_action),
        (f"{CONFERENCE}/{{number}}", learning.present),
        (f"{OWN}/{{number}}/acknowledgement", learning.acknowledge),
        (f"{OWN}/{{number}}/answer", learning.answer),
    ):
        router.add_api_route(path, take, methods=["POST"])
    _add_readings(router, vocabulary)
    return router


def _add_readings(router: APIRouter, vocabulary: Vocabulary) -> None:
    """Adds the pages of reading protocols and assignments."""
    own, lead = AssignmentPages(vocabulary), ProtocolPages(vocabulary)
    one, protocol = ASSIGNMENTS + "/{number}", PROTOCOLS + "/{number}"
    for method, path, answer in (
        ("GET", ASSIGNMENTS, own.assignments),
        ("POST", f"{ASSIGNMENTS}/next", own.take_next),
        ("GET", one, own.assignment),
        ("POST", f"{one}/review", own.review),
        ("POST", f"{one}/claim", own.claim),
        ("POST", f"{one}/release", own.release),
        ("POST", f"{one}/reassign", own.reassign),
        ("GET", PROTOCOLS, lead.protocols),
        ("POST", PROTOCOLS, lead.create),
        ("GET", f"{PROTOCOLS}/new", lead.new),
        ("GET", protocol, lead.protocol),
        ("POST", f"{protocol}/close", lead.close),
        ("GET", f"{protocol}/agreement", lead.agreement),
        ("GET", f"{protocol}/agreement.csv", lead.agreement_csv),
    ):
        router.add_api_route(path, answer, methods=[method])


@define(eq=False)
class _Pages:
    """Answers with pages; whatever they tell comes from the hospital service."""

    vocabulary: Vocabulary

    def front(self, actor: Anyone) -> Response:
        """Leads to where work begins: reviewers to the worklist, authors to their reports, others to the help."""
        if sees_all(actor):
            return see(WORKLIST)
        return see(OWN if Role.AUTHOR in actor.roles else "/help")

    def worklist(self, request: Request, actor: Reviewer, *, kept: MaybeNumber = None) -> Response:
        """Pairs by importance, or as asked."""
        wanted = self._read_query(request)
        result = served_of(request).hospital.search(wanted.search, by=actor)
        view = worklist_view(result, wanted, self.vocabulary)
        return page(
            request,
            "worklist.html.j2",
            actor,
            title="Worklist",
            place=WORKLIST,
            view=view,
            limit=wanted.search.limit,
            kept=kept,
        )

    def findings(self, request: Request, _: Reviewer) -> Response:
        """Names of findings that hold what was typed, whichever field it was typed in."""
        typed = next(iter(request.query_params.values()), "").strip()[:100]
        return HTMLResponse(render("findings.html.j2", names=self.vocabulary.near(typed) if typed else []))

    def pair(
        self,
        request: Request,
        actor: Reviewer,
        number: Number,
        *,
        explain: Annotated[bool, Query()] = False,
        kept: MaybeNumber = None,
    ) -> Response:
        """Both reports, what differs, and the form of a review."""
        record = served_of(request).hospital.pair(number, by=actor, explain=explain)
        draft = draft_of({}, len(record.discrepancies))
        return pair_page(request, actor, record, self.vocabulary, Shown(draft=draft, explain=explain, kept=kept))

    def review(self, request: Request, actor: Reviewer, number: Number, form: Form) -> Response:
        """Keeps a review, or tells what is amiss with it and keeps what was filled in."""
        hospital = served_of(request).hospital
        record = hospital.pair(number, by=actor)
        draft = draft_of(form, len(record.discrepancies))
        if form.get("action") == ANOTHER:
            return pair_page(request, actor, record, self.vocabulary, Shown(draft=draft))
        given = given_of(draft, self.vocabulary, asks_radpeer=hospital.configuration.asks_radpeer)
        signature = form.get("signature", "")
        problems = given.problems
        if not problems and signature not in {str(result.signature) for result in record.current.values()}:
            problems = (
                Problem("ask-title", "The pair has been scored again in the meantime: look at it again, then confirm."),
            )
        if problems:
            return pair_page(request, actor, record, self.vocabulary, Shown(draft=draft, problems=problems))
        hospital.review(
            number, by=actor, signature=signature, verdicts=given.verdicts, radpeer=given.radpeer, comment=given.comment
        )
        beside = neighbours_of(request, actor, number, self.vocabulary) if form.get("action") == NEXT else None
        if beside is not None and beside.following:
            return see(f"{beside.following}&kept={number}")
        return see(f"/pairs/{number}?{list_query(request, self.vocabulary, kept=str(number))}")

    def examination(self, request: Request, actor: Reviewer, number: Number, place: Number) -> Response:
        """The versions of an examination in time; it is named by a pair, so that addresses hold no accession number."""
        hospital = served_of(request).hospital
        known = hospital.pair(number, by=actor).examinations
        if place > len(known):
            raise NotFoundError(f"pair {number} reports on {len(known)} examinations")
        record = hospital.examination(known[place - 1].key, by=actor)
        about = record.examination
        facts = [("Accession", about.accession), ("Site", about.site), ("Device", about.device)]
        facts += [("Performed", words.moment(about.performed))] if about.performed else []
        return page(
            request,
            "examination.html.j2",
            actor,
            title="Versions in time",
            place=WORKLIST,
            number=number,
            heading=f"{words.examination_words(about)}, {one_line(about.accession)}",
            facts=[(name, one_line(value)) for name, value in facts if value],
            rows=row_views(record.pairs, read_search({}, self.vocabulary).search, self.vocabulary),
            versions=version_views(record.versions, record.doubts, record.withdrawn),
            blinded=record.blinded,
        )

    def refusals(self, request: Request, actor: Reviewer) -> Response:
        """Messages that were not taken."""
        entries = served_of(request).hospital.refusals(by=actor, limit=_REFUSALS)
        return page(
            request,
            "refusals.html.j2",
            actor,
            title="Refused messages",
            place="/refusals",
            refusals=entries,
            limit=_REFUSALS,
        )

    def keys(self, request: Request, actor: Admin) -> Response:
        """The keys that were issued, without their secrets."""
        now = datetime.now(UTC)
        issued = [(key, _state(key, now)) for key in doorkeeper_of(request).access.every(by=actor)]
        return page(request, "keys.html.j2", actor, title="Keys", place="/keys", keys=issued)

    def help(self, request: Request, actor: Anyone) -> Response:
        """Explains the words on the pages."""
        asks_radpeer = served_of(request).hospital.configuration.asks_radpeer
        return page(request, "help.html.j2", actor, title="Help", place="/help", asks_radpeer=asks_radpeer)

    def login(self, request: Request, problem: str = "", wanted: Annotated[str, Query(alias="next")] = "/") -> Response:
        """The form by which a key opens a session."""
        session = session_of(request)
        return page(
            request,
            "login.html.j2",
            None if session is None else session.actor,
            title="Sign in",
            problem=_LOGIN_PROBLEMS.get(problem, ""),
            wanted=local_path(wanted),
            provider=_provider(request, wanted),
        )

    def asset(self, name: str) -> Response:
        """A style sheet or script; its address changes with its content."""
        file = asset(name)
        if file is None:
            raise NotFoundError("there is no such file")
        return Response(file.content, media_type=file.kind, headers={"Cache-Control": _FOR_GOOD})

    def _read_query(self, request: Request) -> Asked:
        return read_search(request.query_params, self.vocabulary)


def _provider(request: Request, wanted: str) -> str:
    """Address for signing in at the provider that vouches for people; "" where there is none."""
    known = any(getattr(route, "path", "") == OIDC_LOGIN for route in request.app.routes)
    return f"{OIDC_LOGIN}?{urlencode({'next': local_path(wanted)})}" if known else ""


def _state(key: AccessKey, now: datetime) -> str:
    if key.revoked is not None:
        return f"revoked on {words.moment(key.revoked)}"
    if key.expires is None:
        return "never expires"
    return f"{'expired' if key.expires <= now else 'expires'} on {words.moment(key.expires)}"


_LOGIN_PROBLEMS: Final = {
    "key": "This key is not valid: it is mistyped, has expired or was revoked.",
    "oidc": "Signing in with your organisation\u2019s account did not work. Try again, or use a key.",
}
