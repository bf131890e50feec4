"""Signing in at an OpenID provider."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import RedirectResponse, Response

from overread.hospital.infrastructure.http._access import LOGIN_PAGE, doorkeeper_of
from overread.hospital.infrastructure.http._login import LONGEST_PATH, OIDC_LOGIN, local_path
from overread.hospital.infrastructure.http._oidc import CALLBACK, OidcError, OidcProvider
from overread.infrastructure.logs import get_logger

__all__ = ["oidc_router"]

_log = get_logger("http")


def oidc_router(provider: OidcProvider) -> APIRouter:
    """Signing in at an OpenID provider, by authorization code with PKCE.

    Args:
        provider: that vouches for people.
    """
    router = APIRouter(include_in_schema=False)

    @router.get(OIDC_LOGIN)
    async def begin(
        request: Request, wanted: Annotated[str, Query(alias="next", max_length=LONGEST_PATH)] = "/"
    ) -> Response:
        """Sends a browser to the provider."""
        try:
            begun = await provider.begin(local_path(wanted))
        except OidcError as error:
            return _failure_response(error)
        request.state.session = doorkeeper_of(request).sessions.new(note=begun.note)
        return RedirectResponse(begun.url, 303)

    @router.get(CALLBACK)
    async def complete(
        request: Request,
        state: Annotated[str, Query(max_length=LONGEST_PATH)] = "",
        code: Annotated[str, Query(max_length=LONGEST_PATH)] = "",
    ) -> Response:
        """Begins the session of whoever the provider sends back."""
        doorkeeper = doorkeeper_of(request)
        try:
            actor, wanted = await provider.complete(await doorkeeper.note(request), state, code)
        except OidcError as error:
            return _failure_response(error)
        await doorkeeper.begin(request, actor, by="oidc")
        return RedirectResponse(local_path(wanted), 303)

    return router


def _failure_response(error: OidcError) -> Response:
    _log.warning("login_failed", reason=str(error))
    return RedirectResponse(f"{LOGIN_PAGE}?problem=oidc", 303)
