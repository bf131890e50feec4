"""Signing in at an OpenID provider, and bearer tokens of its making, against a real provider on this machine."""

from __future__ import annotations

import base64
import hashlib
import hmac
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import APIRouter
from joserfc.jwk import RSAKey
from starlette.testclient import TestClient

from overread.exceptions import ConfigurationError
from overread.hospital.domain.audit_trail import Role
from overread.hospital.infrastructure.http import OidcConfiguration
from overread.hospital.infrastructure.http._access import Reviewer

from .provider import Provider, provider
from .quick import Doors

_ROLES = {"reviewer": Role.REVIEWER, "boss": Role.ADMIN}
_PAGES = APIRouter()


@_PAGES.get("/page")
async def _page(actor: Reviewer) -> str:
    return actor.name


@pytest.fixture
def issuer() -> Iterator[Provider]:
    with provider() as made:
        yield made


def _doors(made: Provider, **more: Any) -> Doors:
    told: dict[str, Any] = {
        "issuer": made.url,
        "client_id": "overread",
        "client_secret": "very secret",
        "public_url": "http://localhost",
        "audience": "overread-api",
        "roles": _ROLES,
    }
    return Doors(oidc=OidcConfiguration(**{**told, **more}), routers=(_PAGES,))


def _sign_in(client: TestClient, issuer: Provider, wanted: str = "/api/v1/me") -> Any:
    begun = client.get(f"/login/oidc?next={wanted}")
    return client.get(issuer.grant(begun.headers["location"]))


def _packed(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


def _who(client: TestClient, token: str = "") -> Any:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    return client.get("/api/v1/me", headers=headers)


def test_somebody_signs_in(issuer: Provider) -> None:
    """By code and PKCE, with a session of their own afterwards, and an event of the trail."""
    with (doors := _doors(issuer)).client as client:
        answer = _sign_in(client, issuer)
        assert (answer.status_code, answer.headers["location"]) == (303, "/api/v1/me")
        assert _who(client).json() == {"name": "oidc:anna", "roles": ["reviewer"]}
        assert [(event.actor, event.action) for event in doors.trail()][-1] == ("oidc:anna", "login")


def test_what_comes_back_must_be_of_the_same_browser(issuer: Provider) -> None:
    """A stranger's browser, another state, or a second time: nobody is signed in."""
    with (doors := _doors(issuer)).client as client:
        begun = client.get("/login/oidc")
        back = issuer.grant(begun.headers["location"])
        stranger = doors.browser()
        assert stranger.get(back).headers["location"] == "/login?problem=oidc"
        assert client.get(back + "x").headers["location"] == "/login?problem=oidc"
        assert client.get(back).headers["location"] == "/"
        assert client.get(back).headers["location"] == "/login?problem=oidc"
        assert _who(stranger).status_code == 401


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"exp": 1_000_000_000},
        {"nonce": "another"},
        {"roles": ["nothing known"]},
        {"roles": None},
        {"sub": ""},
        {"sub": "a\nb"},
        {"azp": "another"},
    ],
    ids=str,
)
def test_a_token_that_does_not_hold_signs_nobody_in(issuer: Provider, claims: dict[str, Any]) -> None:
    """Of another issuer, for another, expired, replayed, without a role or a name."""
    issuer.claims = claims
    with _doors(issuer).client as client:
        assert _sign_in(client, issuer).headers["location"] == "/login?problem=oidc"
        assert _who(client).status_code == 401


def test_a_bearer_token_opens_what_its_roles_open(issuer: Provider) -> None:
    """For the API's audience alone: one that tells who signed in opens nothing."""
    with _doors(issuer).client as client:
        assert _who(client, issuer.token(aud="overread-api")).json() == {"name": "oidc:anna", "roles": ["reviewer"]}
        assert _who(client, issuer.token(aud="overread-api", roles="boss other")).json()["roles"] == ["admin"]
        assert _who(client, issuer.token()).status_code == 401
        assert _who(client, issuer.token(aud="overread-api") + "x").status_code == 401
        assert _who(client, "not.a.token").status_code == 401
    with _doors(issuer, audience="").client as client:
        assert _who(client, issuer.token(aud="")).status_code == 401


def test_a_token_that_is_nested_without_end_is_refused(issuer: Provider) -> None:
    """In its header or its claims: it is no token, and no fault of the service."""
    plain, deep = _packed(b'{"alg": "RS256"}'), _packed(b'{"alg": "RS256", "kid": ' + b"[" * 20_000)
    with (doors := _doors(issuer)).client as client:
        assert _who(client, issuer.token(aud="overread-api")).status_code == 200
        doors.app.state.doorkeeper.tokens.clock = lambda: time.monotonic() + 60
        for token in (f"{deep}.e30.e30", f"{plain}.{deep}.e30"):
            assert _who(client, token).status_code == 401


def test_a_token_signed_by_another_or_by_nobody_is_refused(issuer: Provider) -> None:
    """Neither no signature, nor one by a secret made of the public key, nor one by a key that is not shown."""
    _, body, _ = issuer.token(aud="overread-api").split(".")
    shared = _packed(b'{"alg": "HS256", "kid": "one"}')
    signed = f"{shared}.{body}"
    mac = hmac.new(issuer.key.as_pem(private=False), signed.encode(), hashlib.sha256)
    nothing = _packed(b'{"alg": "none"}')
    by_secret, by_nobody = f"{signed}.{_packed(mac.digest())}", f"{nothing}.{body}."
    issuer.rotate()
    issuer.shown.pop()
    with _doors(issuer).client as client:
        for token in (by_secret, by_nobody, issuer.token(aud="overread-api")):
            assert _who(client, token).status_code == 401


def test_new_keys_of_the_provider_are_fetched(issuer: Provider) -> None:
    """A token that names a key which is not known has them fetched again, but not by every token of a flood."""
    with (doors := _doors(issuer)).client as client:
        assert _who(client, issuer.token(aud="overread-api")).status_code == 200
        issuer.rotate()
        tokens = doors.app.state.doorkeeper.tokens
        tokens.clock = lambda: time.monotonic() + 60
        assert _who(client, issuer.token(aud="overread-api")).status_code == 200
        issuer.key = RSAKey.generate_key(2048, {"kid": "three"})
        for _ in range(3):
            _who(client, issuer.token(aud="overread-api"))
        assert issuer.asked.count("/keys") == 2


@pytest.mark.parametrize(
    "document",
    [{"issuer": "https://evil.example"}, {"token_endpoint": "http://evil.example/"}, {"jwks_uri": None}],
    ids=str,
)
def test_a_provider_that_is_not_what_it_should_be_is_not_used(issuer: Provider, document: dict[str, Any]) -> None:
    """Neither one that names another issuer, nor one that sends secrets over a plain network."""
    issuer.document = document
    with _doors(issuer).client as client:
        answer = client.get("/login/oidc")
        assert answer.headers["location"] == "/login?problem=oidc"


def test_a_provider_that_cannot_be_reached_lets_keys_work(issuer: Provider) -> None:
    """Signing in there fails with word of it; who has a key comes in."""
    doors = _doors(issuer, issuer="http://127.0.0.1:9")
    with doors.client as client:
        assert client.get("/login/oidc").headers["location"] == "/login?problem=oidc"
        assert client.get("/api/v1/me", headers=doors.bearer(Role.ADMIN)).status_code == 200


def test_a_provider_that_trickles_is_given_up(issuer: Provider) -> None:
    """The time is for the whole answer: each byte comes soon enough, and the last never."""
    issuer.trickles = True
    with (doors := _doors(issuer)).client as client:
        doors.app.state.doorkeeper.tokens.seconds = 0.2
        assert _who(client, issuer.token(aud="overread-api")).status_code == 401


def test_a_provider_whose_authorities_are_gone_is_not_trusted(issuer: Provider, tmp_path: Path) -> None:
    """Signing in fails with word of it, as where the provider cannot be reached."""
    url = issuer.url.replace("http:", "https:")
    with _doors(issuer, issuer=url, authorities=tmp_path / "gone.pem").client as client:
        assert client.get("/login/oidc").headers["location"] == "/login?problem=oidc"


def test_what_talks_to_a_provider_is_imported_for_one_alone() -> None:
    """An application without one knows neither authlib nor joserfc."""
    names = "[name for name in ('authlib', 'joserfc') if name in sys.modules]"
    code = (
        f"import sys, overread.hospital.bootstrap.serving, overread.hospital.infrastructure.http._app; print({names})"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_a_configuration_that_cannot_be_safe_is_refused() -> None:
    """Plain http to another machine, an audience that tokens of signing in have, and what is missing; all together."""
    with pytest.raises(ConfigurationError) as caught:
        OidcConfiguration(issuer="http://idp.example", client_id="a", audience="a", public_url="", scopes=("profile",))
    assert len(caught.value.problems) == 4


def _log_out(client: TestClient, token: str) -> int:
    return client.post("/login/oidc/logout", data={"logout_token": token}).status_code


def _later(doors: Doors, seconds: float) -> None:
    doors.app.state.doorkeeper.sessions.clock = lambda: time.time() + seconds


@pytest.mark.parametrize("named", [{}, {"sid": "s1"}, {"sid": "s1", "sub": None}], ids=["person", "both", "session"])
def test_who_signs_out_at_the_provider_is_signed_out_here(issuer: Provider, named: dict[str, Any]) -> None:
    """At once and with every copy of the cookie; whoever signs in afterwards is let in."""
    issuer.claims = {"sid": "s1"}
    with (doors := _doors(issuer)).client as client:
        _sign_in(client, issuer)
        kept = {"overread": client.cookies["overread"]}
        assert _who(client).status_code == 200
        assert _log_out(doors.browser(), issuer.logout_token(**named)) == 200
        assert _who(client).status_code == 401
        assert _who(doors.browser(cookies=kept)).status_code == 401
        assert (doors.trail()[-1].actor, doors.trail()[-1].action) == ("oidc", "logout")
        assert "anna" not in doors.trail()[-1].subject
        issuer.claims = {"sid": "s2"}
        _later(doors, 60)
        _sign_in(client, issuer)
        assert _who(client).status_code == 200


def test_signing_out_of_one_visit_leaves_the_others(issuer: Provider) -> None:
    """Where the provider names the visit, and of somebody else always."""
    with (doors := _doors(issuer)).client as client:
        issuer.claims = {"sid": "s1"}
        _sign_in(client, issuer)
        issuer.claims = {}
        assert _log_out(client, issuer.logout_token(sid="s2")) == 200
        assert _log_out(client, issuer.logout_token(sub="bert")) == 200
        assert _who(client).status_code == 200
        assert doors.trail()[-1].subject.startswith("oidc-sub:")


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"events": {}},
        {"events": None},
        {"nonce": "one"},
        {"iat": 1_000_000_000},
        {"iat": 10_000_000_000},
        {"iat": None},
        {"sub": None},
    ],
    ids=str,
)
def test_what_is_no_logout_token_signs_nobody_out(issuer: Provider, claims: dict[str, Any]) -> None:
    """Of another provider, for another service, of another kind, an old one, or one that names nobody."""
    with _doors(issuer).client as client:
        _sign_in(client, issuer)
        assert _log_out(client, issuer.logout_token(**claims)) == 400
        assert _who(client).status_code == 200


def test_other_tokens_sign_nobody_out_and_a_logout_token_nobody_in(issuer: Provider) -> None:
    """An identity token, one signed by another, or none; and many of them are turned away."""
    with _doors(issuer).client as client:
        _sign_in(client, issuer)
        logout = issuer.logout_token()
        issuer.rotate()
        issuer.shown.pop()
        assert [_log_out(client, token) for token in (issuer.token(), issuer.logout_token(), "", "x" * 20_000)] == [
            400
        ] * 4
        assert _who(client, logout).status_code == 401
        assert 429 in [_log_out(client, "x.y.z") for _ in range(20)]


def test_the_provider_vouches_again_for_who_has_signed_in(issuer: Provider) -> None:
    """After some minutes, before a page is shown, without asking; a withdrawn role is gone in the same session."""
    issuer.claims = {"roles": ["reviewer", "boss"]}
    with (doors := _doors(issuer)).client as client:
        _sign_in(client, issuer)
        _later(doors, 400)
        issuer.claims = {"roles": ["reviewer"]}
        due = client.get("/page?kind=given", headers={"Accept": "text/html"})
        assert due.headers["location"] == "/login/oidc?silent=1&next=%2Fpage%3Fkind%3Dgiven"
        begun = client.get(due.headers["location"])
        assert "prompt=none" in begun.headers["location"]
        back = client.get(issuer.grant(begun.headers["location"]))
        assert back.headers["location"] == "/page?kind=given"
        assert _who(client).json() == {"name": "oidc:anna", "roles": ["reviewer"]}
        assert [event.action for event in doors.trail()][-2:] == ["login", "roles"]
        assert client.get("/page", headers={"Accept": "text/html"}).json() == "oidc:anna"


def test_whom_the_provider_no_longer_knows_is_signed_out(issuer: Provider) -> None:
    """As it says when it is asked silently; that a stranger makes a browser say so ends nothing."""
    with (doors := _doors(issuer)).client as client:
        _sign_in(client, issuer)
        kept = {"overread": client.cookies["overread"]}
        client.get("/login/oidc/callback?state=x&error=login_required")
        assert _who(client).status_code == 200
        _later(doors, 400)
        begun = client.get("/login/oidc?silent=1&next=/page").headers["location"]
        state = dict(part.split("=") for part in begun.partition("?")[2].split("&"))["state"]
        refused = client.get(f"/login/oidc/callback?state={state}&error=login_required")
        assert refused.headers["location"] == "/login?problem=oidc"
        _later(doors, 0)
        assert _who(client).status_code == 401
        assert _who(doors.browser(cookies=kept)).status_code == 401


def test_a_form_may_take_longer_than_the_provider_vouches_for(issuer: Provider) -> None:
    """Half an hour, so that what somebody typed is not lost; a key is vouched for by nobody."""
    with (doors := _doors(issuer)).client as client:
        _sign_in(client, issuer)
        session = doors.app.state.doorkeeper.sessions.opened(client.cookies["overread"])
        headers = {"X-CSRF-Token": doors.app.state.doorkeeper.sessions.csrf_token(session)}
        _later(doors, 1000)
        assert _who(client).status_code == 401
        assert client.post("/api/v1/samples", json={}, headers=headers).status_code == 422
        _later(doors, 2000)
        assert client.post("/api/v1/samples", json={}, headers=headers).status_code == 401
        assert _who(doors.browser(), doors.secrets[Role.REVIEWER]).status_code == 200
