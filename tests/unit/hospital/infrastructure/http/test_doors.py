"""What stands around every route: who comes in, forged forms, hosts, headers, bounds."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from attrs import evolve
from fastapi import APIRouter, Form, Request
from starlette.testclient import TestClient

from overread.exceptions import MissingKeyError, StoreError
from overread.hospital.application.access import AccessControl
from overread.hospital.domain.access import AccessKey
from overread.hospital.domain.audit_trail import Role
from overread.hospital.infrastructure.http import HttpConfiguration, create_app
from overread.hospital.infrastructure.http._access import Admin, Anyone, Reviewer, csrf_token

from .quick import ROOT, Doors, FakeHasher

_CANARY = "XYLOPHONE-7713"
_LIMITS = HttpConfiguration(session_secret=b"s" * 32, longest_body=1000, failed_logins=3)

pages = APIRouter()


@pages.get("/login")
async def login_page(request: Request) -> str:
    return csrf_token(request)


@pages.get("/who")
async def who(by: Anyone) -> dict[str, Any]:
    return {"name": by.name, "roles": sorted(by.roles)}


@pages.post("/change")
async def change(by: Reviewer, request: Request) -> str:
    return f"{by.name} {len(await request.body())}"


@pages.post("/form")
async def form(by: Reviewer, comment: Annotated[str, Form()]) -> str:
    return f"{by.name} {comment}"


@pages.get("/all-keys")
async def keys(by: Admin) -> str:
    return by.name


@pages.get("/breaks")
async def breaks(_: Anyone) -> str:
    raise RuntimeError(_CANARY)


@pages.get("/no-store")
async def no_store(_: Anyone) -> str:
    raise StoreError(_CANARY)


@pages.get("/no-key")
async def no_key(_: Anyone) -> str:
    raise MissingKeyError(_CANARY)


@pages.get("/takes/{number}")
async def takes(number: int, _: Anyone, since: int = 0) -> int:
    return number + since


def _doors(limits: HttpConfiguration = _LIMITS) -> Doors:
    return Doors(limits, routers=(pages,))


def _sign_in(doors: Doors, role: Role, wanted: str = "/who") -> Any:
    token = doors.client.get("/login").json()
    return doors.client.post("/login", data={"key": doors.secrets[role], "csrf_token": token, "next": wanted})


@pytest.fixture
def doors() -> Iterator[Doors]:
    made = _doors()
    with made.client:
        yield made


def test_a_key_says_who_asks(doors: Doors) -> None:
    """Its name and roles are those of the actor."""
    answer = doors.client.get("/who", headers=doors.bearer(Role.REVIEWER))
    assert answer.json() == {"name": "a reviewer", "roles": ["reviewer"]}


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Bearer orv_x",
        "Basic YTpi",
        "orv_a",
        "Bearer  a b",
        "bearer Ω".encode("latin1", "replace").decode(),
    ],
)
def test_who_has_no_key_is_told_so(doors: Doors, header: str) -> None:
    """401 with a challenge, and the header is not repeated."""
    answer = doors.client.get("/who", headers={"Authorization": header})
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.headers["content-type"] == "application/problem+json"
    assert doors.client.get("/who").status_code == 401


def test_roles_are_needed(doors: Doors) -> None:
    """An administrator may do everything, others their own; the answer says which role may."""
    assert doors.client.post("/change", headers=doors.bearer(Role.ADMIN)).status_code == 200
    assert doors.client.post("/change", headers=doors.bearer(Role.REVIEWER)).status_code == 200
    refused = doors.client.post("/change", headers=doors.bearer(Role.SUBMITTER))
    assert (refused.status_code, refused.json()["detail"]) == (403, "this needs the role lead or reviewer")
    assert doors.client.get("/all-keys", headers=doors.bearer(Role.REVIEWER)).status_code == 403


def test_a_key_that_is_revoked_is_out_at_once(doors: Doors) -> None:
    """Its bearers and the sessions that were begun with it."""
    _sign_in(doors, Role.REVIEWER)
    assert doors.client.get("/who").status_code == 200
    doors.access.revoke("a reviewer", by=ROOT)
    assert doors.client.get("/who").status_code == 401
    assert doors.client.get("/who", headers=doors.bearer(Role.REVIEWER)).status_code == 401


def test_signing_in_begins_a_new_session(doors: Doors) -> None:
    """Its cookie is for HTTP alone, differs from the one before, and leads where one wanted to go."""
    doors.client.get("/login")
    before = doors.client.cookies["overread"]
    answer = _sign_in(doors, Role.REVIEWER, "/who")
    assert (answer.status_code, answer.headers["location"]) == (303, "/who")
    assert answer.headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Lax")
    assert doors.client.get("/who").json()["name"] == "a reviewer"
    assert doors.browser(cookies={"overread": before}).get("/who").status_code == 401
    assert [event.action for event in doors.trail()][-1] == "login"


@pytest.mark.parametrize("other", ['told={"a": 1}', "name=M\u00fcller", "blank", 'half="open', "a[b]=1", "a b=1"])
def test_cookies_of_others_keep_nobody_out(doors: Doors, other: str) -> None:
    """A browser sends those of every service of the host along, in whatever shape they are, and often first."""
    _sign_in(doors, Role.REVIEWER)
    own = f"overread={doors.client.cookies['overread']}"
    for cookies in (f"{other}; {own}", f"{own}; {other}"):
        assert doors.browser(headers={"cookie": cookies.encode()}).get("/who").status_code == 200


def test_over_tls_cookies_are_of_this_host_and_secure() -> None:
    """A cookie of that prefix is taken from the host itself, over TLS, and browsers ask for TLS from then on."""
    with (doors := _doors(evolve(_LIMITS, https=True))).client:
        answer = _sign_in(doors, Role.REVIEWER)
        assert answer.headers["set-cookie"].startswith("__Host-overread=")
        assert answer.headers["set-cookie"].endswith("; Path=/; HttpOnly; SameSite=Lax; Secure")
        assert "max-age" in answer.headers["strict-transport-security"]


def _other_process(doors: Doors, access: AccessControl | None = None, **more: Any) -> TestClient:
    """Another application on the same store."""
    access = access or AccessControl(doors.hospital.store, FakeHasher())
    return TestClient(create_app(doors.hospital, access, doors.limits, routers=(pages,)), "http://localhost", **more)


def test_signing_out_ends_the_session_in_every_process(doors: Doors) -> None:
    """Also for who kept its cookie; doing it again with that adds nothing to the trail."""
    _sign_in(doors, Role.REVIEWER)
    kept = {"overread": doors.client.cookies["overread"]}
    token = doors.client.get("/login").json()
    assert _other_process(doors, cookies=kept).get("/who").status_code == 200
    assert doors.client.post("/logout", data={"csrf_token": token}).headers["location"] == "/login"
    assert doors.browser(cookies=kept).get("/who").status_code == 401
    assert _other_process(doors, cookies=kept).get("/who").status_code == 401
    events = len(doors.trail())
    doors.browser(cookies=kept).post("/logout", data={"csrf_token": token})
    assert [event.action for event in doors.trail()[events - 1 :]] == ["logout"]


def test_nobody_signs_out_without_the_store_taking_note(doors: Doors) -> None:
    """Anybody may begin to sign in and leave it at that, as often as they like; there is nothing to be ended."""
    sessions = doors.app.state.doorkeeper.sessions
    begun = sessions.new(note="begun")
    with doors.browser(cookies={sessions.cookie: sessions.seal(begun)}) as client:
        assert client.post("/logout", data={"csrf_token": sessions.csrf_token(begun)}).status_code == 303
    assert not doors.access.is_signed_out([begun.id], until=sessions.end_of(begun.started))


def test_signing_in_anew_ends_the_session_before(doors: Doors) -> None:
    """Whose cookie opens nothing any more."""
    _sign_in(doors, Role.ADMIN)
    kept = {"overread": doors.client.cookies["overread"]}
    _sign_in(doors, Role.REVIEWER)
    assert doors.client.get("/who").json()["name"] == "a reviewer"
    assert _other_process(doors, cookies=kept).get("/who").status_code == 401
    told = [(event.actor, event.action) for event in doors.trail()[-3:]]
    assert told == [("a admin", "login"), ("a admin", "logout"), ("a reviewer", "login")]


def test_a_session_has_the_roles_that_its_key_has_now(doors: Doors) -> None:
    """A role that was taken from the key is gone from the sessions that were begun with it."""

    class Narrowed(AccessControl):
        def standing(self, prefix: str) -> AccessKey | None:
            key = super().standing(prefix)
            return key and evolve(key, roles={Role.SUBMITTER})

    _sign_in(doors, Role.ADMIN)
    kept = {"overread": doors.client.cookies["overread"]}
    narrowed = _other_process(doors, Narrowed(doors.hospital.store, FakeHasher()), cookies=kept)
    assert narrowed.get("/who").json() == {"name": "a admin", "roles": ["submitter"]}


@pytest.mark.parametrize(
    "wanted", ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:x", "/a\r\nX: y"]
)
def test_signing_in_leads_nowhere_else(doors: Doors, wanted: str) -> None:
    """Only to paths of this service."""
    assert _sign_in(doors, Role.REVIEWER, wanted).headers["location"] == "/"


def test_a_wrong_key_leads_back_to_the_page(doors: Doors) -> None:
    """With word of it, and with no session of anybody."""
    token = doors.client.get("/login").json()
    answer = doors.client.post("/login", data={"key": "orv_wrong", "csrf_token": token})
    assert answer.headers["location"] == "/login?problem=key&next=%2F"
    assert doors.client.get("/who").status_code == 401


def test_wrong_keys_are_limited(doors: Doors) -> None:
    """After so many of an address the next must wait; a key that is known to be right comes in all the same."""
    assert doors.client.get("/who", headers=doors.bearer(Role.REVIEWER)).status_code == 200
    wrong = {"Authorization": f"Bearer orv_{'a' * 12}_{'x' * 43}"}
    assert [doors.client.get("/who", headers=wrong).status_code for _ in range(4)] == [401, 401, 401, 429]
    limited = doors.client.get("/who", headers=wrong)
    assert int(limited.headers["retry-after"]) >= 1
    token = doors.client.get("/login").json()
    assert doors.client.post("/login", data={"key": "orv_wrong", "csrf_token": token}).status_code == 429
    assert doors.client.get("/who", headers=doors.bearer(Role.REVIEWER)).status_code == 200


def test_a_form_without_its_token_changes_nothing(doors: Doors) -> None:
    """Neither of nobody's session, nor of another's, nor across sites; with it, by field or header, it does."""
    _sign_in(doors, Role.REVIEWER)
    token = doors.client.get("/login").json()
    cross = {"X-CSRF-Token": token, "Sec-Fetch-Site": "cross-site"}
    attempts = [
        doors.client.post("/change"),
        doors.client.post("/change", data={"csrf_token": "x" + token}),
        doors.client.post("/change", headers={"X-CSRF-Token": "x"}),
        doors.client.post("/change", headers=cross),
    ]
    assert [attempt.status_code for attempt in attempts] == [403] * 4
    assert doors.client.post("/change", headers={"X-CSRF-Token": token}).status_code == 200
    sent = doors.client.post("/form", data={"csrf_token": token, "comment": "good"})
    assert sent.json() == "a reviewer good"
    fresh = doors.browser()
    assert fresh.post("/login", data={"key": doors.secrets[Role.ADMIN], "csrf_token": token}).status_code == 403


def test_browsers_are_sent_to_the_login_page(doors: Doors) -> None:
    """With where they wanted to go; htmx is told by its header; programs are told in JSON."""
    html = {"Accept": "text/html"}
    assert doors.client.get("/who?a=1&b=2", headers=html).headers["location"] == "/login?next=%2Fwho%3Fa%3D1%26b%3D2"
    swapped = doors.client.get("/who", headers={**html, "HX-Request": "true"})
    assert (swapped.status_code, swapped.headers["hx-redirect"]) == (401, "/login?next=%2Fwho")


def test_every_answer_has_the_security_headers(doors: Doors) -> None:
    """Refusals too; nothing is cached, framed, sniffed or loaded from elsewhere; no origin is let in."""
    for answer in (
        doors.client.get("/who", headers=doors.bearer(Role.REVIEWER)),
        doors.client.get("/nothing", headers={"Origin": "https://evil.example"}),
        doors.client.get("/breaks", headers=doors.bearer(Role.REVIEWER)),
        doors.client.get("/who", headers={"Host": "evil.example"}),
    ):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in answer.headers
        assert answer.headers["x-request-id"]


def test_an_error_is_told_by_its_place_alone(doors: Doors, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the answer nor the log has its message, and the log has the id that the answer has."""
    caplog.set_level(logging.DEBUG)
    with doors.browser() as client:
        answer = client.get("/breaks", headers=doors.bearer(Role.REVIEWER))
    assert (answer.status_code, answer.json()["type"]) == (500, "urn:overread:problem:internal-error")
    assert _CANARY not in answer.text + caplog.text
    assert "RuntimeError" in caplog.text
    assert answer.json()["request_id"] in caplog.text


def test_a_fault_of_the_store_is_to_be_tried_again(doors: Doors) -> None:
    """503 with Retry-After."""
    answer = doors.client.get("/no-store", headers=doors.bearer(Role.REVIEWER))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert _CANARY not in answer.text


def test_a_key_that_is_missing_is_told_as_such(doors: Doors, caplog: pytest.LogCaptureFixture) -> None:
    """Trying again is of no use: the answer names the remedy, and the log has the fault and the request."""
    answer = doors.client.get("/no-key", headers=doors.bearer(Role.REVIEWER))
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:overread:problem:missing-key")
    assert "retry-after" not in answer.headers
    assert "restarts the service" in answer.json()["remedy"]
    assert "MissingKeyError" in caplog.text
    assert answer.json()["request_id"] in caplog.text
    assert _CANARY not in answer.text + caplog.text


def test_what_is_not_valid_is_not_repeated(doors: Doors) -> None:
    """The places are told, and what is wrong there."""
    answer = doors.client.get(f"/takes/{_CANARY}?since={_CANARY}", headers=doors.bearer(Role.REVIEWER))
    assert answer.status_code == 422
    assert answer.json()["problems"] == [
        {"where": "path.number", "what": "is not a whole number"},
        {"where": "query.since", "what": "is not a whole number"},
    ]
    assert _CANARY not in answer.text


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "", "[::2]"])
def test_other_hosts_are_refused(doors: Doors, host: str) -> None:
    """A name that the service was not told is its own is none: pages of others cannot reach it by their names."""
    assert doors.client.get("/login", headers={"Host": host}).status_code == 400


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:80", "[::1]:9"])
def test_its_own_hosts_are_answered(doors: Doors, host: str) -> None:
    """With and without port."""
    assert doors.client.get("/login", headers={"Host": host}).status_code == 200


def test_a_long_body_is_refused(doors: Doors) -> None:
    """By its length if that is told, else while it arrives."""
    headers = doors.bearer(Role.REVIEWER)
    assert doors.client.post("/change", headers=headers, content=b"a" * 1000).text == '"a reviewer 1000"'
    assert doors.client.post("/change", headers=headers, content=b"a" * 1001).status_code == 413
    chunks = (b"a" * 100 for _ in range(20))
    chunked = doors.client.post("/change", headers=headers, content=chunks)
    assert chunked.status_code == 413
    assert chunked.headers["connection"] == "close"


def test_encoded_bodies_are_refused(doors: Doors) -> None:
    """What is small and becomes large never becomes large here."""
    headers = {**doors.bearer(Role.REVIEWER), "Content-Encoding": "gzip"}
    assert doors.client.post("/change", headers=headers, content=b"\x1f\x8b").status_code == 415


@pytest.mark.parametrize("given", ["", "0123456789abcdef0123456789abcdef", "MRN-0012345", "a b"])
def test_a_request_has_an_id_of_its_own(doors: Doors, caplog: pytest.LogCaptureFixture, given: str) -> None:
    """Whatever id the client names is neither answered nor logged: it may be another request's, or a patient's."""
    caplog.set_level(logging.DEBUG, logger="overread")
    answers = [doors.client.get("/healthz", headers={"X-Request-ID": given}) for _ in range(2)]
    ids = {answer.headers["x-request-id"] for answer in answers}
    assert len(ids - {given}) == 2
    assert all(each in caplog.text for each in ids)
    assert not given or given not in caplog.text


def test_a_key_may_ask_so_often() -> None:
    """Beyond its burst it must wait, while others need not."""
    with (doors := _doors(evolve(_LIMITS, rate=0.001, burst=2))).client:
        codes = [doors.client.get("/who", headers=doors.bearer(Role.REVIEWER)).status_code for _ in range(3)]
        assert codes == [200, 200, 429]
        assert doors.client.get("/who", headers=doors.bearer(Role.ADMIN)).status_code == 200
