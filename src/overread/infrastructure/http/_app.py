"""The application: routes, and what stands around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from fastapi import APIRouter, FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware

from overread.application.hospital.access import AccessControl
from overread.application.hospital.service import HospitalService
from overread.infrastructure.http._access import BearerTokens, Doorkeeper, LoginNeededError, answer_login_needed
from overread.infrastructure.http._guards import Bounds, Envelope
from overread.infrastructure.http._problems import add_problem_handlers
from overread.infrastructure.http._sessions import SessionCookies, Sessions
from overread.infrastructure.http._signing import signing_router
from overread.infrastructure.http.configuration import HttpConfiguration

__all__ = ["build_app"]

_DESCRIPTION: Final = """Preliminary reports against final ones: what differs, where, and how much it matters.

A score is a rank-oriented audit signal, not an autonomous clinical decision tool."""


def build_app(
    hospital: HospitalService,
    access: AccessControl,
    configuration: HttpConfiguration,
    *,
    tokens: BearerTokens | None = None,
    routers: Sequence[APIRouter] = (),
) -> FastAPI:
    """See `overread.infrastructure.http.create_app`."""
    sessions = Sessions(configuration)
    app = FastAPI(
        title="overread", version="1", description=_DESCRIPTION, openapi_url=None, docs_url=None, redoc_url=None
    )
    app.state.hospital = hospital
    app.state.doorkeeper = Doorkeeper(access, configuration, sessions, tokens)
    add_problem_handlers(app)
    app.add_exception_handler(LoginNeededError, answer_login_needed)
    for router in (signing_router, *routers):
        app.include_router(router)
    # The last that is added is the first that a request meets.
    app.add_middleware(SessionCookies, sessions=sessions)
    app.add_middleware(Bounds, configuration=configuration)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(configuration.hosts), www_redirect=False)
    app.add_middleware(Envelope, https=configuration.https)
    return app
