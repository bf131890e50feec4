"""The pages over HTTP as a browser without scripts sees them: who may see what, and what a review does."""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import Final
from urllib.parse import urlsplit

import pytest
from attrs import frozen
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.severity import Severity
from overread.exceptions import MissingKeyError, StoreError
from overread.hospital.application.access import AccessControl
from overread.hospital.application.charts import Alarm
from overread.hospital.application.requests import Search
from overread.hospital.domain.audit_signal import SIGNAL
from overread.hospital.domain.audit_trail import Role
from overread.hospital.domain.review import Radpeer, VerdictKind
from overread.hospital.infrastructure.http import HttpConfiguration, create_app
from overread.hospital.infrastructure.http._access import OIDC_LOGIN
from overread.hospital.infrastructure.http.configuration import OidcConfiguration
from overread.hospital.infrastructure.http.pages import Vocabulary, pages_router
from overread.hospital.infrastructure.http.pages.words import SIGNIFICANCES

from ......ward import ADMIN, MORNING, SUBMITTER, Ward, vocabulary, ward
from .....infrastructure.views.reading import Markup
from ..quick import FakeHasher, token_in

_HTML: Final = {"accept": "text/html"}


@frozen(eq=False)
class _Desk:
    """The pages of a ward, and keys to them by role."""

    ward: Ward
    app: TestClient
    keys: dict[Role, str]

    def signed_in(self, role: Role = Role.REVIEWER) -> TestClient:
        client = TestClient(self.app.app, base_url="http://localhost", headers=_HTML)
        form = {"csrf_token": token_in(client.get("/login").text), "key": self.keys[role], "next": "/help"}
        assert client.post("/login", data=form).url.path == "/help"
        return client

    def pair(self, accession: str) -> int:
        found = self.ward.hospital.search(Search(accession=accession), by=ADMIN)
        return min(row.pair for row in found.rows)


@pytest.fixture(scope="module")
def desk() -> _Desk:
    """A ward of few pairs."""
    made = ward(6)
    access = AccessControl(made.store, FakeHasher())
    keys = {role: access.issue(role.value, [role], by=ADMIN).secret for role in Role}
    limits = HttpConfiguration(session_secret=b"s" * 32)
    app = create_app(made.hospital, access, limits, routers=[pages_router(vocabulary())])
    return _Desk(made, TestClient(app, base_url="http://localhost"), keys)


def _field(html: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', html)
    assert found is not None
    return found[1].replace("&#39;", "'").replace("&amp;", "&")


_NO_PAGES: Final = {"/", "/findings", "/login", "/rates.csv"}
"""Addresses that lead on, give a part of a page or a file, or open without signing in."""


def _routes() -> list[tuple[str, str]]:
    routes = [route for route in pages_router(Vocabulary({}, str)).routes if isinstance(route, APIRoute)]
    return [(method, route.path) for route in routes for method in sorted(route.methods or ())]


def _addresses(desk: _Desk) -> list[str]:
    numbers = [desk.pair(accession) for accession in ("A0000", "A9001", "A9002", "A9003")]
    pairs = [
        f"/pairs/{number}{more}" for number in numbers for more in ("", "?at=0", "?explain=true", "/examinations/1")
    ]
    lists = ["/worklist", "/worklist?importance=urgent&site=north&finding=nonesuch", "/worklist?site=nowhere"]
    counted = ["/rates", "/rates?site=north&importance=grave", "/samples", "/samples?kind=nonsense"]
    counted += ["/charts?site=north&sample=1", "/flags?sample=999", "/month?month=2026-11"]
    counted += ["/coverage?days=28&open_days=0"]
    plain = [path for method, path in _routes() if method == "GET" and "{" not in path and path not in _NO_PAGES]
    counted += ["/assignments?state=done", "/protocols/new?site=north"]
    counted += ["/conference?since=2026-11-01&until=2026-11-30", "/own?news=true"]
    counted += [f"/own/{number}" for number in numbers[:2]]
    return list(dict.fromkeys([*lists, *pairs, *counted, *plain]))


def test_every_page_is_whole_and_can_be_read_otherwise(desk: _Desk) -> None:
    """Tags nest, ids are unique, headings go down step by step, and what is asked for has a label."""
    client = desk.signed_in(Role.ADMIN)
    for address in _addresses(desk):
        answer = client.get(address)
        assert (address, answer.status_code) == (address, 200)
        markup = Markup(
            re.sub(r"<(meta|link|input|col)\b([^>]*)>", r"<\1\2/>", answer.text.replace("<!DOCTYPE html>", ""))
        )
        assert markup.headings[0] == 1, address
        assert all(after <= before + 1 for before, after in pairwise(markup.headings)), address
        labels = set(markup.values("for"))
        asked = [each for tag in ("input", "select", "textarea") for each in markup.of(tag)]
        plain = [each for each in asked if each.get("type") not in {"hidden", "radio", "checkbox"}]
        assert {each.get("id", "") for each in plain} <= labels, address


def test_nothing_is_inline_but_the_style_that_the_policy_names(desk: _Desk) -> None:
    """No element runs a script or bears a style, and every nonce is the answer's own."""
    client = desk.signed_in(Role.ADMIN)
    seen: set[str] = set()
    for address in _addresses(desk):
        answer = client.get(address)
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        nonces = set(re.findall(r"<style nonce=\"([^\"]+)\">", answer.text))
        assert len(re.findall(r"<style", answer.text)) == len(nonces)
        assert all(f"'nonce-{nonce}'" in policy for nonce in nonces)
        assert not nonces & seen
        seen |= nonces
        assert not re.search(r"\sstyle=|\son\w+=|javascript:|<script(?! src=\"/assets/)", answer.text)
        assert not re.search(r"(src|href|action)=\"(https?:)?//", answer.text)


def test_a_score_stands_nowhere_without_saying_what_it_is(desk: _Desk) -> None:
    """Above each list and each pair, whatever the state of the pair."""
    client = desk.signed_in(Role.ADMIN)
    excused = set()
    for address in _addresses(desk):
        above = client.get(address).text.partition('<footer class="bottom"')[0]
        if SIGNAL not in above:
            excused.add(urlsplit(address).path)
    assert excused == _WITHOUT_SCORES


_WITHOUT_SCORES: Final = {"/refusals", "/coverage", "/keys", "/assignments", "/protocols", "/protocols/new"}


_OPEN: Final = {"/login", "/assets/{name}"}
_ANYONES: Final = {"/", "/help"}
_ADMINS: Final = {"/keys"}
_LEADS: Final = {
    "/protocols",
    "/protocols/new",
    "/protocols/{number}",
    "/protocols/{number}/close",
    "/protocols/{number}/agreement",
    "/protocols/{number}/agreement.csv",
    "/assignments/{number}/reassign",
    "/conference/{number}",
}
_READERS: Final = {Role.REVIEWER, Role.LEAD}


def _roles_of(path: str) -> set[Role]:
    """Roles beside an administrator's."""
    if path.startswith("/own"):
        return {Role.AUTHOR}
    return {Role.LEAD} if path in _LEADS else set() if path in _ADMINS else _READERS


@pytest.mark.parametrize(("method", "path"), _routes())
def test_each_page_opens_to_its_roles_alone(desk: _Desk, method: str, path: str) -> None:
    """Every page for every role: nobody is led to the login page, who lacks the role is told so, all others come in."""
    address = path.format(number=desk.pair("A0000"), place=1, name="pages.css")
    clients = {role: desk.signed_in(role) for role in Role}
    nobody = TestClient(desk.app.app, base_url="http://localhost", headers=_HTML)
    answer = nobody.request(method, address, follow_redirects=False)
    assert (answer.status_code == 200) is (path in _OPEN)
    if path not in _OPEN:
        assert answer.status_code == 303
        assert answer.headers["location"].startswith("/login")
    roles = set(Role) if path in _ANYONES | _OPEN else {Role.ADMIN} | _roles_of(path)
    for role, client in clients.items():
        token = token_in(client.get("/help").text)
        answer = client.request(method, address, data={"csrf_token": token} if method == "POST" else None)
        refused = answer.status_code == 403
        assert refused is (role not in roles), role
        if refused:
            assert "<h1>You are not allowed to do this</h1>" in answer.text


def test_a_submitter_is_told_on_a_page_that_it_may_not_see_the_worklist(desk: _Desk) -> None:
    """In words, with what to do, and not as a program's document."""
    answer = desk.signed_in(Role.SUBMITTER).get("/worklist")
    assert answer.status_code == 403
    assert "<h1>You are not allowed to do this</h1>" in answer.text
    assert "reviewer" in answer.text


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/pairs/999999", 404),
        ("/pairs/0", 422),
        ("/pairs/nonsense", 422),
        ("/pairs/99999999999999999999999", 422),
        ("/pairs/2/examinations/9", 404),
        ("/worklist?after=nonsense", 422),
        ("/assets/../_routes.py", 404),
        ("/assets/pages.css.j2", 404),
    ],
)
def test_what_is_not_there_is_told_on_a_page(desk: _Desk, address: str, status: int) -> None:
    """An address that somebody mistyped is answered in plain words."""
    answer = desk.signed_in().get(address)
    assert answer.status_code == status
    if not address.startswith("/assets/.."):
        assert "<h1>" in answer.text


def test_an_error_that_nobody_foresaw_is_told_without_its_message(desk: _Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its message may quote a report; the page names the request, by which the log has the place."""
    client = desk.signed_in()
    hospital = desk.ward.hospital

    def failing(error: Exception, *_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(hospital, "search", partial(failing, RuntimeError("CANARY")))
    answer = client.get("/worklist")
    assert (answer.status_code, "CANARY" in answer.text) == (500, False)
    assert answer.headers["x-request-id"] in answer.text
    monkeypatch.setattr(hospital, "search", partial(failing, StoreError("CANARY")))
    answer = client.get("/worklist")
    assert (answer.status_code, "CANARY" in answer.text) == (503, False)
    assert "The store cannot be reached" in answer.text
    monkeypatch.setattr(hospital, "search", partial(failing, MissingKeyError("CANARY")))
    answer = client.get("/worklist")
    assert (answer.status_code, "CANARY" in answer.text) == (503, False)
    assert "The texts cannot be opened" in answer.text
    assert "restarts the service" in answer.text


def test_the_worklist_keeps_its_filters_in_its_address(desk: _Desk) -> None:
    """What is asked for stands in the form again, can be taken off, and goes along to each pair."""
    html = desk.signed_in().get("/worklist?importance=actionable&finding=appendicitis&order=risk").text
    assert '<option value="actionable" selected>' in html
    assert (
        'name="finding" type="text" maxlength="200" autocomplete="off" list="finding-names" value="appendicitis"'
        in html
    )
    assert "remove filter" in html
    assert re.search(r'href="/pairs/\d+\?importance=actionable&amp;order=risk&amp;finding=appendicitis&amp;at=0"', html)


def test_findings_are_suggested_as_one_types(desk: _Desk) -> None:
    """Whichever field it is typed in; nothing is suggested for nothing."""
    client = desk.signed_in()
    assert '<option value="pneumothorax">' in client.get("/findings?listed-0-finding=pneumoth").text
    assert client.get("/findings?finding=").text.strip() == ""


@pytest.mark.parametrize("at", ["\u00b2", "\u0663", "9" * 7, "9" * 5000, "-1"])
def test_a_place_that_is_none_is_left_out(desk: _Desk, at: str) -> None:
    """The pair is shown as one that was reached from no list."""
    answer = desk.signed_in().get(f"/pairs/{desk.pair('A0004')}", params={"at": at})
    assert answer.status_code == 200
    assert "at=" not in answer.text


def test_a_review_is_kept_as_it_was_given(desk: _Desk) -> None:
    """Verdicts, score and comment; the program's proposal beside them, and the page says that it was kept."""
    client, number = desk.signed_in(), desk.pair("A0004")
    address = f"/pairs/{number}?importance=urgent&at=0"
    html = client.get(address).text
    form = {
        "csrf_token": token_in(html),
        "signature": _field(html, "signature"),
        "listed-0-kind": "disagree",
        "listed-0-reason": "said in the phone call",
        "radpeer": "2b",
        "comment": "Discussed.",
        "action": "confirm",
    }
    answer = client.post(f"/pairs/{number}/review?importance=urgent&at=0", data=form)
    assert answer.url.query == f"importance=urgent&at=0&kept={number}".encode()
    assert "Your review is kept." in answer.text
    assert "said in the phone call" in answer.text
    [review] = desk.ward.hospital.pair(number, by=ADMIN).reviews
    assert (review.reviewer, review.radpeer, review.comment) == ("reviewer", Radpeer("2b"), "Discussed.")
    assert [verdict.kind for verdict in review.verdicts] == [VerdictKind.DISAGREE]
    assert review.proposed is not None


def test_confirming_can_open_the_next_pair(desk: _Desk) -> None:
    """Of the list that the pair was reached from, even where the review takes it off; at the end, its own page."""
    client = desk.signed_in()
    query = "review=open&kind=preliminary-final&importance=urgent"
    first, second, *_ = re.findall(r'href="/pairs/(\d+)\?', client.get(f"/worklist?{query}").text)
    query += "&at=0"
    html = client.get(f"/pairs/{first}?{query}").text
    form = {"csrf_token": token_in(html), "signature": _field(html, "signature"), "radpeer": "1", "action": "next"}
    answer = client.post(f"/pairs/{first}/review?{query}", data=form)
    assert (answer.url.path, answer.url.params["kept"]) == (f"/pairs/{second}", first)
    assert f'Your review of <a href="/pairs/{first}?' in answer.text
    alone = client.get(f"/pairs/{second}").text
    assert 'value="next"' not in alone
    form |= {"signature": _field(alone, "signature")}
    answer = client.post(f"/pairs/{second}/review", data=form)
    assert (answer.url.path, answer.url.params["kept"]) == (f"/pairs/{second}", second)
    assert "Your review is kept." in answer.text


def test_a_form_says_that_it_holds_what_is_not_kept(desk: _Desk) -> None:
    """Given back for what is amiss, or with more room, it is as unsaved as one that is being filled in."""
    client, number = desk.signed_in(), desk.pair("A0002")
    html = client.get(f"/pairs/{number}").text
    common = {"csrf_token": token_in(html), "signature": _field(html, "signature")}
    amiss = client.post(f"/pairs/{number}/review", data={**common, "listed-0-kind": "disagree"}).text
    room = client.post(f"/pairs/{number}/review", data={**common, "comment": "so far", "action": "another"}).text
    empty = client.post(f"/pairs/{number}/review", data={**common, "action": "another"}).text
    assert [" data-unsaved>" in each for each in (html, amiss, room, empty)] == [False, True, True, False]


def test_a_score_is_proposed_and_never_chosen(desk: _Desk) -> None:
    """Whoever confirms without choosing gives no score."""
    html = desk.signed_in().get(f"/pairs/{desk.pair('A0000')}").text
    assert "Proposed: 3b" in html
    assert re.findall(r'name="radpeer" value="([^"]*)" checked', html) == [""]


def test_how_the_scores_came_about_is_open_to_whoever_asked_for_it(desk: _Desk) -> None:
    """Who follows the link sees what it promised without another click; to others it is one line."""
    client, number = desk.signed_in(), desk.pair("A0000")
    assert '<details class="rest" id="pair-rest" open>' in client.get(f"/pairs/{number}?explain=true").text
    assert '<details class="rest" id="pair-rest">' in client.get(f"/pairs/{number}").text


def test_a_pair_names_its_reports_as_a_department_does(desk: _Desk) -> None:
    """Beside each quotation, and once what reasons call candidate and reference; ages are whole, times in UTC."""
    html = desk.signed_in().get(f"/pairs/{desk.pair('A0000')}").text
    assert "<dt>Final</dt>" in html
    assert "<dt>Preliminary</dt>" in html
    assert "<dt>Candidate</dt>" not in html
    assert "In what was found, the candidate is the preliminary report, the reference the final report." in html
    assert "40 years" in html
    assert "Times are in UTC." in html


def test_a_review_that_lacks_something_is_given_back_as_it_was_filled_in(desk: _Desk) -> None:
    """Nothing is kept, nothing is lost, and what is amiss leads to its field."""
    client, number = desk.signed_in(), desk.pair("A0002")
    html = client.get(f"/pairs/{number}").text
    common = {"csrf_token": token_in(html), "signature": _field(html, "signature")}
    answer = client.post(f"/pairs/{number}/review", data={**common, "added-0-finding": "nonesuch", "comment": "so far"})
    assert answer.status_code == 422
    assert "Nothing has been saved yet" in answer.text
    assert '<a href="#added-0-reason">Discrepancy to add: Give a reason.</a>' in answer.text
    assert 'value="nonesuch"' in answer.text
    assert ">so far</textarea>" in answer.text
    more = client.post(f"/pairs/{number}/review", data={**common, "added-0-reason": "a", "action": "another"})
    assert more.status_code == 200
    assert 'name="added-1-reason"' in more.text
    assert desk.ward.hospital.pair(number, by=ADMIN).reviews == ()


def test_a_missing_reason_is_told_with_the_number_that_the_page_gives(desk: _Desk) -> None:
    """The summary stands far from the discrepancies: each of its lines says which one it is about."""
    client, number = desk.signed_in(), desk.pair("A0004")
    html = client.get(f"/pairs/{number}").text
    shown = dict(re.findall(r'id="(listed-\d+)-kind" data-number="(\d+)"', html))
    form = {"csrf_token": token_in(html), "signature": _field(html, "signature")}
    form |= {f"{key}-kind": "disagree" for key in shown}
    answer = client.post(f"/pairs/{number}/review", data=form)
    told = dict(re.findall(r'<a href="#(listed-\d+)-reason">Number (\d+): Give a reason.</a>', answer.text))
    assert told == shown != {}


def test_the_note_on_patient_data_stands_under_the_reports_that_it_is_about(desk: _Desk) -> None:
    """Not under what is folded up below them."""
    html = desk.signed_in().get(f"/pairs/{desk.pair('A0004')}").text
    assert html.index("holds the full text of both reports") < html.index('<details class="rest"')


def test_a_review_of_a_result_that_is_no_longer_shown_is_not_kept(desk: _Desk) -> None:
    """Numbers of discrepancies mean nothing under another signature."""
    client, number = desk.signed_in(), desk.pair("A0003")
    form = {"csrf_token": token_in(client.get("/worklist").text), "signature": "notation|old", "radpeer": "1"}
    answer = client.post(f"/pairs/{number}/review", data=form)
    assert answer.status_code == 422
    assert "scored again" in answer.text
    assert desk.ward.hospital.pair(number, by=ADMIN).reviews == ()


def test_a_review_without_the_sessions_token_is_not_kept(desk: _Desk) -> None:
    """A form that another site made is refused, on a page."""
    client, number = desk.signed_in(), desk.pair("A0003")
    answer = client.post(f"/pairs/{number}/review", data={"csrf_token": "forged", "radpeer": "1"})
    assert answer.status_code == 403
    assert "<h1>" in answer.text


def test_a_pair_without_text_can_be_reviewed_by_what_was_found(desk: _Desk) -> None:
    """It says that the text is not kept, lists what was found and counts, and asks for verdicts all the same."""
    html = desk.signed_in().get(f"/pairs/{desk.pair(desk.ward.textless)}").text
    assert "no longer kept" in html
    assert "pneumothorax" in html
    assert 'name="listed-0-kind"' in html
    assert 'data-label="Weight"' in html
    assert "apical" not in html
    assert "scored again" not in html


def test_a_pair_that_waits_has_no_form_and_one_without_a_score_has(desk: _Desk) -> None:
    """There is nothing yet to be said of the one, and both reports of the other can be read."""
    client = desk.signed_in()
    assert 'id="review"' not in client.get(f"/pairs/{desk.pair(desk.ward.waiting)}").text
    assert 'id="review"' in client.get(f"/pairs/{desk.pair(desk.ward.unscored)}").text


def test_a_pair_that_a_program_submitted_is_reviewed_as_any_other(desk: _Desk) -> None:
    """It has two texts and no versions, and its row and page say so instead of leaving holes."""
    given = ReportPair(id="77", reference="Left pneumothorax.", candidate="No pneumothorax.")
    batch = desk.ward.hospital.submit([given], by=SUBMITTER, name="night")
    while desk.ward.hospital.work(worker="test"):
        pass
    client = desk.signed_in()
    listed = client.get(f"/worklist?batch={batch.number}").text
    found = re.search(r'href="(/pairs/\d+)[^"]*">77</a>', listed)
    assert found is not None
    assert "given as a pair" in listed
    html = client.get(found[1]).text
    assert "Candidate report read against the reference report" in html
    assert 'name="listed-0-kind"' in html
    assert "Versions in time" not in html


def test_an_examination_shows_what_each_version_changed(desk: _Desk) -> None:
    """Preliminary, final and corrected, the changes marked, and the pairs that were made of them."""
    html = desk.signed_in().get(f"/pairs/{desk.pair('A0000')}/examinations/1").text
    assert re.findall(r"<h3>(\w+) report", html) == ["Preliminary", "Final", "Corrected"]
    assert "<ins>" in html
    assert "<del>" in html
    assert "final → corrected" in html


def test_a_pair_that_is_reached_from_its_examination_stands_in_no_list(desk: _Desk) -> None:
    """Its page offers no next pair: whatever stood there would be one of a list that nobody looked at."""
    client, number = desk.signed_in(), desk.pair("A0000")
    listed = client.get(f"/pairs/{number}/examinations/1").text.partition('<ul class="pairs">')[2]
    found = re.search(r'href="(/pairs/\d+[^"]*)"', listed)
    assert found is not None
    html = client.get(found[1]).text
    assert 'rel="next"' not in html
    assert 'rel="prev"' not in html


def test_what_is_counted_is_what_was_asked_for_or_it_says_so(desk: _Desk) -> None:
    """A filter that cannot be understood is told beside rates and samples; a file, which could not tell, is refused."""
    client = desk.signed_in()
    told = "\u201cImportance\u201d is not one of the choices; it is ignored."
    for address in ("/rates?importance=grave", "/samples?importance=grave"):
        answer = client.get(address)
        assert (answer.status_code, told in answer.text) == (200, True)
    assert client.get("/rates.csv?importance=grave").status_code == 422
    assert client.get("/rates.csv?importance=urgent").status_code == 200


def test_the_help_tells_what_each_degree_of_significance_means(desk: _Desk) -> None:
    """The word stands on every pair, so it is explained where people look for it."""
    html = desk.signed_in().get("/help").text
    for severity in Severity:
        assert f"<dt>{severity.value}</dt><dd>{SIGNIFICANCES[severity]}</dd>" in html


def test_a_chart_of_rates_tells_intervals_as_the_table_does(desk: _Desk) -> None:
    """Each interval of the chart is in the table, and nothing in words could be taken for a drawn sample."""
    html = desk.signed_in().get("/rates").text
    intervals = set(re.findall(r'<td class="n">[^<\[]*(\[[^\]]*\])</td>', html))
    assert intervals
    assert intervals <= set(re.findall(r'<span class="soft interval">(.*?)</span>', html))
    assert ", drawn<" not in html


def test_an_account_of_ones_own_is_offered_where_a_provider_vouches_for_people(desk: _Desk) -> None:
    """The link keeps in mind where somebody wanted to go; without a provider there is none."""
    assert OIDC_LOGIN not in desk.app.get("/login").text
    provider = OidcConfiguration(issuer="http://localhost:1", client_id="pages", public_url="http://localhost")
    access = AccessControl(desk.ward.store, FakeHasher())
    limits = HttpConfiguration(session_secret=b"s" * 32)
    app = create_app(desk.ward.hospital, access, limits, oidc=provider, routers=[pages_router(vocabulary())])
    html = TestClient(app, base_url="http://localhost").get("/login?next=/rates").text
    assert f'href="{OIDC_LOGIN}?next=%2Frates"' in html


def test_assets_may_be_kept_for_good(desk: _Desk) -> None:
    """Their address names their content; pages themselves are kept nowhere."""
    client = TestClient(desk.app.app, base_url="http://localhost")
    html = client.get("/login").text
    addresses = re.findall(r'(?:src|href)="(/assets/[^"]+)"', html)
    assert len(addresses) == 3
    for address in addresses:
        answer = client.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
    assert client.get("/login").headers["cache-control"] == "no-store"


def test_the_login_page_says_what_was_wrong_and_leads_nowhere_else(desk: _Desk) -> None:
    """Words for a wrong key, none for what an address makes up; and a foreign address is not followed."""
    client = TestClient(desk.app.app, base_url="http://localhost")
    assert "This key is not valid" in client.get("/login?problem=key").text
    assert "evil" not in client.get("/login?problem=evil&next=https://evil.example").text


def test_reports_cannot_write_into_the_page(desk: _Desk) -> None:
    """What a report or a sender says is text, whatever it looks like."""
    client = desk.signed_in()
    html = client.get('/worklist?site=<script>alert("x")</script>').text
    assert "<script>alert" not in html
    assert "&lt;script&gt;" in html


def test_a_case_is_closed_with_a_reason_that_is_chosen(desk: _Desk) -> None:
    """Opened by a button, closed by a form; without a choice nothing is closed, and the page says what is amiss."""
    alarm = Alarm(chart="major/site/north", pair=1, at=MORNING, change=MORNING, pairs=[1], events=[1])
    with desk.ward.store.transaction() as unit:
        [number] = unit.cases.add([alarm], opened=MORNING)
    client = desk.signed_in()
    html = client.get("/cases").text
    assert f"Case {number}: major by site north" in html
    form = {"csrf_token": token_in(html), "outcome": "", "why": "none"}
    refused = client.post(f"/cases/{number}/close", data=form)
    assert (refused.status_code, f"Case {number}: choose what" in refused.text) == (422, True)
    assert ">none</textarea>" in refused.text
    closed = client.post(f"/cases/{number}/close", data={**form, "outcome": "chance", "why": "A <false> alarm."})
    assert "chance: a false alarm" in closed.text
    assert "A &lt;false&gt; alarm." in closed.text
    again = client.post(f"/cases/{number}/close", data={**form, "outcome": "chance"})
    assert f"Case {number} is closed." in again.text
    assert "0 cases were opened." in client.post("/cases", data={"csrf_token": form["csrf_token"]}).text


def test_a_near_copy_shows_its_edits_and_its_words(desk: _Desk) -> None:
    """The type beside each discrepancy, and both texts as one below the reports, folded without a script."""
    page = desk.signed_in().get(f"/pairs/{desk.pair('A0000')}").text
    assert re.search(r'<span class="edit">Edit: (correction|addition|removal|clarification)</span>', page)
    assert "Word difference, Preliminary to Final" in page
    assert "<ins>" in page


def test_coverage_tells_what_came(desk: _Desk) -> None:
    """By door and site; for reviewers alone."""
    page = desk.signed_in().get("/coverage?days=92").text
    assert "<h1>Coverage</h1>" in page
    assert "Keys that nearly match" in page
    assert desk.signed_in(Role.SUBMITTER).get("/coverage").status_code == 403
    assert desk.signed_in().get("/coverage?days=93").status_code == 422
