"""Signing in at an OpenID provider that others wrote: oidc-provider-mock, over HTTP on this machine."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from urllib.parse import urlsplit

import httpx2
import pytest

from overread.hospital.domain.audit_trail import Role
from overread.hospital.infrastructure.http import OidcConfiguration

from .quick import Doors

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import oidc_provider_mock as others

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the provider's own code


@pytest.fixture
def issuer() -> Iterator[str]:
    anna = others.User(sub="anna", claims={"groups": ["quality", "canteen"]})
    with others.run_server_in_thread(user_claims=[anna]) as server:
        yield f"http://localhost:{server.server_port}"


def _doors(issuer: str) -> Doors:
    return Doors(
        oidc=OidcConfiguration(
            issuer=issuer,
            client_id="overread",
            client_secret="very secret",  # noqa: S106 - invented
            public_url="http://localhost",
            roles_claim="groups",
            roles={"quality": Role.REVIEWER, "overread-admins": Role.ADMIN},
        )
    )


def _visit(address: str, person: str) -> str:
    """Path that a browser is sent back to once somebody has chosen who they are at the provider."""
    answer = httpx2.post(address, data={"sub": person})
    assert answer.status_code == 302
    back = urlsplit(answer.headers["location"])
    return f"{back.path}?{back.query}"


def test_somebody_signs_in_and_loses_a_role_there(issuer: str) -> None:
    """Roles are those of the provider's groups; after some minutes they are what the groups have become."""
    with (doors := _doors(issuer)).client as client:
        begun = client.get("/login/oidc?next=/api/v1/me")
        assert client.get(_visit(begun.headers["location"], "anna")).headers["location"] == "/api/v1/me"
        assert client.get("/api/v1/me").json() == {"name": "oidc:anna", "roles": ["reviewer"]}
        httpx2.put(f"{issuer}/users/anna", json={"groups": ["canteen"]})
        doors.app.state.doorkeeper.sessions.clock = lambda: time.time() + 400
        assert client.get("/api/v1/me").status_code == 401
        again = client.get("/login/oidc?silent=1&next=/api/v1/me")
        assert client.get(_visit(again.headers["location"], "anna")).headers["location"] == "/login?problem=oidc"
        assert client.get("/api/v1/me").status_code == 401


def test_a_stranger_to_our_roles_is_not_let_in(issuer: str) -> None:
    """Whoever has no group that means something here is nobody."""
    with _doors(issuer).client as client:
        begun = client.get("/login/oidc")
        assert client.get(_visit(begun.headers["location"], "bert")).headers["location"] == "/login?problem=oidc"
        assert client.get("/api/v1/me").status_code == 401
