"""Pages of peer learning: what a pair teaches, conferences, open actions, and authors with their own reports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

import pytest
from attrs import define
from starlette.testclient import TestClient

from overread.hospital.application.configuration import HospitalConfiguration, ScoreMode
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.domain.audit_trail import Role
from overread.hospital.domain.learning import ActionState, LearningKind
from overread.hospital.domain.reading import ProtocolReader
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.http.pages import Vocabulary, pages_router

from ....application.hospital import SUBMITTER, hospital, version
from ..quick import ROOT, Doors, token_in

_HTML: Final = {"accept": "text/html"}
_PACS: Final = "https://pacs.example/?accession={accession}&at={site}"


@define
class _Desk:
    doors: Doors

    def signed_in(self, role: Role) -> TestClient:
        """A browser of a role."""
        client = self.doors.browser(headers=_HTML)
        client.follow_redirects = True
        form = {"csrf_token": token_in(client.get("/login").text), "key": self.doors.secrets[role], "next": "/help"}
        assert client.post("/login", data=form).url.path == "/help"
        return client

    def post(self, role: Role, address: str, **form: str) -> Any:
        """The answer to a form."""
        client = self.signed_in(role)
        return client.post(address, data={"csrf_token": token_in(client.get("/help").text), **form})


def _desk(**settings: Any) -> _Desk:
    configuration = HospitalConfiguration(authors={f"a {Role.AUTHOR}": ("r.one",)}, **settings)
    service = hospital(configuration=configuration)
    for accession, first in (("A/1 & 2", "r.one"), ("A1002", "r.two")):
        for status, text, reader in (
            (ReportStatus.PRELIMINARY, "clear", first),
            (ReportStatus.FINAL, "clear pneumothorax", "r.three"),
        ):
            service.ingest([version(status, text, accession=accession, patient=accession, reader=reader)], by=SUBMITTER)
    while service.work(worker="w"):
        pass
    return _Desk(Doors(service=service, routers=(pages_router(Vocabulary({}, str)),)))


@pytest.fixture
def desk() -> Iterator[_Desk]:
    made = _desk(pacs_link=_PACS)
    with made.doors.client:
        yield made


def test_what_a_pair_teaches_is_noted_on_its_page(desk: _Desk) -> None:
    """And nominated there; the conference shows it without names, and a lead marks it as presented."""
    shown = desk.post(
        Role.REVIEWER, "/pairs/1/learning", kind="learning point", category="B", text="Look twice.", nominated="yes"
    )
    assert (shown.status_code, shown.url.path) == (200, "/pairs/1")
    assert "Look twice." in shown.text
    [point] = desk.doors.hospital.learning_points(1, by=ROOT).points
    assert (point.kind, point.category, point.nominated) == (LearningKind.LEARNING_POINT, "B", True)
    page = desk.signed_in(Role.REVIEWER).get("/conference").text
    assert "Look twice." in page
    assert "Mark as presented" not in page
    main = page.partition("<main")[2].partition("<footer")[0]
    assert [name for name in ("r.one", "r.three", "A/1", "reviewer</", "north") if name in main] == []
    assert "Presented on" in desk.post(Role.LEAD, "/conference/1").text
    again = desk.post(Role.REVIEWER, f"/learning/{point.number}/nomination", nominated="yes")
    assert "Nominated for a conference" in again.text
    gone = desk.post(Role.REVIEWER, f"/learning/{point.number}/nomination", nominated="no")
    assert "Withdraw the nomination" not in gone.text
    assert "No pairs are nominated." in desk.signed_in(Role.REVIEWER).get("/conference").text


@pytest.mark.parametrize(
    ("address", "form", "field", "words"),
    [
        ("/pairs/1/learning", {"kind": "learning point", "text": " "}, "point-text", "Say in your words"),
        ("/pairs/1/learning", {"kind": "nonsense", "text": "Look."}, "point-kind", "Choose one"),
        ("/pairs/1/learning", {"kind": "good call", "text": "Look.", "category": "Z"}, "point-category", "Choose one"),
        (
            "/pairs/1/learning",
            {"kind": "good call", "text": "Look.", "finding": "nonesuch"},
            "point-finding",
            "no such",
        ),
        ("/pairs/1/learning", {"kind": "good call", "text": "x" * 4001}, "point-text", "4,000 characters"),
        ("/pairs/1/learning", {"kind": "good call", "text": "Look.\0"}, "point-text", "NUL"),
        ("/pairs/1/actions", {"kind": "addendum made", "state": "open", "due": "30.11.26"}, "action-due", "2026-11-30"),
        ("/pairs/1/actions", {"kind": "addendum made", "state": "lost"}, "action-state", "Choose one"),
    ],
)
def test_a_form_that_cannot_be_kept_says_why_beside_the_field(
    desk: _Desk, address: str, form: dict[str, str], field: str, words: str
) -> None:
    """On the page of the pair, with all that was filled in; nothing is kept."""
    answer = desk.post(Role.REVIEWER, address, nominated="yes", **form)
    assert answer.status_code == 422
    assert f'aria-describedby="{field}-amiss"' in answer.text
    assert words in answer.text.partition(f'id="{field}-amiss">')[2].partition("</p>")[0]
    assert f'href="#{field}"' in answer.text
    for value in (form["kind"], form.get("state", ""), form.get("category", "")):
        assert f'value="{value}" selected' in answer.text or value in {"", "nonsense", "lost", "Z"}
    for value in (form.get("finding", ""), form.get("due", ""), form.get("text", "")[:4].strip()):
        assert value in answer.text
    record = desk.doors.hospital.learning_points(1, by=ROOT)
    assert (record.points, record.actions) == ((), ())


def test_noting_something_keeps_the_list_that_the_pair_was_reached_from(desk: _Desk) -> None:
    """So that the next pair of it stays one key away."""
    noted = desk.post(Role.REVIEWER, "/pairs/1/learning?order=newest&at=0", kind="good call", text="Seen at once.")
    assert 'rel="' in noted.text
    assert noted.url.query == b"order=newest&at=0"


def test_what_is_marked_as_done_in_the_list_leads_back_to_the_list(desk: _Desk) -> None:
    """With those that are left; one that is overdue says so."""
    for kind in ("follow-up booked", "clinician told"):
        desk.post(Role.REVIEWER, "/pairs/1/actions", kind=kind, state="open", due="2020-11-09")
    answer = desk.post(Role.LEAD, "/actions/1", state="done", back="list")
    assert answer.url.path == "/actions"
    assert "Noted as done." in answer.text
    assert 'Clinician told</b>, open, <b class="wrong">overdue</b> since 9 Nov 2020' in answer.text
    assert "Follow-up booked" not in answer.text
    assert desk.post(Role.LEAD, "/actions/2", state="lost").status_code == 422


def test_dates_of_a_conference_that_are_none_are_ignored_with_a_note(desk: _Desk) -> None:
    """As filters of other lists are."""
    page = desk.signed_in(Role.REVIEWER).get("/conference?since=yesterday&until=2026-11-30").text
    assert "yesterday is no date such as 2026-11-30" in page
    assert 'name="until" type="date" value="2026-11-30"' in page


def test_what_is_to_be_done_is_listed_until_it_is(desk: _Desk) -> None:
    """With its due date, and a button at the pair and in the list."""
    form = {"kind": "follow-up booked", "state": "open", "due": "2126-11-09"}
    assert "Follow-up booked</b>: open, due 9 Nov 2126" in desk.post(Role.REVIEWER, "/pairs/1/actions", **form).text
    assert 'href="/pairs/1"' in desk.signed_in(Role.LEAD).get("/actions").text
    assert "Follow-up booked</b>: done" in desk.post(Role.LEAD, "/actions/1", state="done").text
    assert "Nothing is to be done." in desk.signed_in(Role.LEAD).get("/actions").text
    [action] = desk.doors.hospital.learning_points(1, by=ROOT).actions
    assert action.state is ActionState.DONE


def test_authors_begin_at_their_reports(desk: _Desk) -> None:
    """They see what differs and what can be learnt, say so, and see nobody's name and no other pair."""
    desk.post(Role.REVIEWER, "/pairs/1/learning", kind="good call", text="Seen at once.")
    author = desk.signed_in(Role.AUTHOR)
    mine = author.get("/")
    assert (mine.url.path, 'class="badge">new' in mine.text) == ("/own", True)
    assert "A1002" not in mine.text
    assert "pneumothorax: 1 significant" in mine.text
    page = author.get("/own/1").text
    assert "Seen at once." in page
    assert "pneumothorax" in page
    main = page.partition("<main")[2].partition("<footer")[0]
    assert [name for name in ("a reviewer", "r.one", "r.three", "pacs.example") if name in main] == []
    assert "I have seen this" not in desk.post(Role.AUTHOR, "/own/1/acknowledgement").text
    assert "Nothing is new." in author.get("/own?news=true").text
    assert "On the lateral view." in desk.post(Role.AUTHOR, "/own/1/answer", text="On the lateral view.").text
    assert "On the lateral view." in desk.signed_in(Role.REVIEWER).get("/pairs/1").text
    for address in ("/own/2", "/own/99"):
        assert author.get(address).status_code == 404
    assert author.get("/pairs/1").status_code == 403


def test_a_blinded_reader_sees_nothing_of_it(desk: _Desk) -> None:
    """Neither on the pair's page, nor by its forms."""
    desk.post(Role.REVIEWER, "/pairs/1/learning", kind="learning point", text="SAID BEFORE", nominated="yes")
    plan = ProtocolPlan(name="s", readers=[ProtocolReader(name=f"a {Role.REVIEWER}")], per_pair=1, pairs=[1])
    desk.doors.hospital.create_protocol(plan, by=ROOT)
    page = desk.signed_in(Role.REVIEWER).get("/pairs/1").text
    assert "SAID BEFORE" not in page
    assert "What can be learnt" not in page
    assert "No pairs are nominated." in desk.signed_in(Role.LEAD).get("/conference").text
    assert desk.post(Role.REVIEWER, "/pairs/1/learning", kind="good call", text="x").status_code == 422
    assert desk.signed_in(Role.AUTHOR).get("/own/1").status_code == 404


def test_a_link_leads_to_the_images(desk: _Desk) -> None:
    """From the pair's page alone; what it holds of the examination is encoded."""
    client = desk.signed_in(Role.REVIEWER)
    assert 'href="https://pacs.example/?accession=A%2F1%20%26%202&amp;at=north"' in client.get("/pairs/1").text
    for address in ("/worklist", "/pairs/1/examinations/1", "/conference"):
        assert "pacs.example" not in client.get(address).text


@pytest.mark.parametrize("scores", ScoreMode)
def test_a_score_is_asked_for_by_choice(scores: ScoreMode) -> None:
    """The form has no RADPEER unless the settings ask for it, and takes none from an old form."""
    desk = _desk(scores=scores)
    is_asked = scores is ScoreMode.RADPEER
    with desk.doors.client:
        page = desk.signed_in(Role.REVIEWER).get("/pairs/1").text
        assert ('name="radpeer"' in page) is is_asked
        assert "pacs.example" not in page
        told = desk.signed_in(Role.REVIEWER).get("/help").text
        assert ("Then give a RADPEER score." in told) is is_asked
        assert ("a review enters no confirmed rate" in told) is not is_asked
        signature = re.search(r'name="signature" value="([^"]+)"', page)
        assert signature is not None
        form = {"signature": signature[1].replace("&#34;", '"').replace("&amp;", "&"), "radpeer": "2b"}
        empty = desk.post(Role.REVIEWER, "/pairs/1/review", **form)
        assert ("There is nothing to confirm: judge a discrepancy, or write a comment." in empty.text) is not is_asked
        desk.post(Role.REVIEWER, "/pairs/1/review", comment="Discussed.", **form)
    [*_, review] = desk.doors.hospital.pair(1, by=ROOT).reviews
    assert (review.comment, review.radpeer) == ("Discussed.", "2b" if is_asked else None)


def test_an_answer_that_cannot_be_kept_stays_in_its_field(desk: _Desk) -> None:
    """And says why; one that is kept says so."""
    for text, words in (("", "Write your answer"), ("On the lateral\0 view.", "NUL")):
        answer = desk.post(Role.AUTHOR, "/own/1/answer", text=text)
        assert answer.status_code == 422
        assert words in answer.text.partition('id="text-amiss">')[2].partition("</p>")[0]
        assert text.partition("\0")[0] in answer.text.partition("<textarea")[2]
    assert "What you said is kept." in desk.post(Role.AUTHOR, "/own/1/answer", text="On the lateral view.").text
