"""The application: routes, and what stands around them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.middleware.trustedhost import TrustedHostMiddleware

from overread.hospital.application.access import AccessControl
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.feeds import Feed
from overread.hospital.infrastructure.exchange.fhir.fetching import FhirFetcher
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.servers import FhirServer
from overread.hospital.infrastructure.http._access import Doorkeeper, LoginNeededError, answer_login_needed
from overread.hospital.infrastructure.http._guards import Bounds, Envelope
from overread.hospital.infrastructure.http._health import health_router
from overread.hospital.infrastructure.http._joining import Joiner
from overread.hospital.infrastructure.http._login import signing_router
from overread.hospital.infrastructure.http._metrics import Instruments
from overread.hospital.infrastructure.http._problems import add_problem_handlers
from overread.hospital.infrastructure.http._sessions import SessionCookies, Sessions
from overread.hospital.infrastructure.http._state import Served
from overread.hospital.infrastructure.http._streams import Streams
from overread.hospital.infrastructure.http.api import API_ROUTERS, DESCRIPTION
from overread.hospital.infrastructure.http.configuration import HttpConfiguration, OidcConfiguration

__all__ = ["build_app"]


def build_app(
    hospital: HospitalService,
    access: AccessControl,
    configuration: HttpConfiguration,
    *,
    oidc: OidcConfiguration | None,
    routers: Sequence[APIRouter],
    parts: Callable[[], Mapping[str, bool]],
    plugins: Callable[[], Mapping[str, Any]],
    fhir: FhirOptions | None,
    fhir_server: FhirServer | None,
    fhir_output: FhirOutput | None,
    stopping: Callable[[], bool],
    feeds: Sequence[Feed],
) -> FastAPI:
    """See `overread.hospital.infrastructure.http.create_app`."""
    sessions, instruments = Sessions(configuration), Instruments()
    provider, signing = None, [signing_router]
    if oidc is not None:
        from overread.hospital.infrastructure.http._oidc import OidcProvider  # noqa: PLC0415 - slow to import, and rarely needed
        from overread.hospital.infrastructure.http._oidc_login import oidc_router  # noqa: PLC0415 - as above

        provider = OidcProvider(oidc)
        signing.append(oidc_router(provider))
    joiner = Joiner(hospital, tell=instruments.joined)

    @asynccontextmanager
    async def living(_: FastAPI) -> AsyncIterator[None]:
        yield
        await joiner.close()

    app = FastAPI(
        title="overread",
        version="1",
        description=DESCRIPTION,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        lifespan=living,
    )
    app.state.doorkeeper = doorkeeper = Doorkeeper(access, configuration, sessions, provider)
    app.state.served = Served(
        hospital=hospital,
        joiner=joiner,
        instruments=instruments,
        streams=Streams(configuration.most_streams),
        parts=parts,
        plugins=plugins,
        fhir=fhir,
        fhir_fetcher=FhirFetcher(fhir_server) if fhir_server is not None else None,
        fhir_output=fhir_output or FhirOutput(),
        stopping=stopping,
        feeds=feeds,
    )
    add_problem_handlers(app)
    app.add_exception_handler(LoginNeededError, answer_login_needed)
    for router in (health_router, *signing, *API_ROUTERS, *routers):
        app.router.routes.extend(router.routes)  # flat, so that each says its whole path
    # The last that is added is the first that a request meets.
    app.add_middleware(Bounds, configuration=configuration, is_known=doorkeeper.knows)
    app.add_middleware(SessionCookies, sessions=sessions)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(configuration.hosts), www_redirect=False)
    app.add_middleware(Envelope, https=configuration.https, answered=instruments.answered)
    return app
