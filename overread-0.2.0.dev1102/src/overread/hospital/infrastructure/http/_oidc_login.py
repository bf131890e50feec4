"""Signing in at an OpenID provider, and out as it says."""

from __future__ import annotations

from typing import Annotated

from attrs import evolve
from fastapi import APIRouter, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from overread.hospital.infrastructure.http._access import LOGIN_PAGE, OIDC_LOGIN, doorkeeper_of, session_of
from overread.hospital.infrastructure.http._login import LONGEST_PATH, local_path
from overread.hospital.infrastructure.http._oidc import BACK_CHANNEL, CALLBACK, OidcError, OidcProvider
from overread.hospital.infrastructure.http._records import answer
from overread.infrastructure.logs import get_logger

__all__ = ["oidc_router"]

_log = get_logger("http")


def oidc_router(provider: OidcProvider) -> APIRouter:
    """Signing in at an OpenID provider, by authorization code with PKCE, and signing out when it says so.

    Args:
        provider: that vouches for people.
    """
    router = APIRouter(include_in_schema=False)

    @router.get(OIDC_LOGIN)
    async def begin(
        request: Request,
        wanted: Annotated[str, Query(alias="next", max_length=LONGEST_PATH)] = "/",
        *,
        silent: Annotated[bool, Query()] = False,
    ) -> Response:
        """Sends a browser to the provider: to sign in or, silently, for it to vouch again for who has signed in."""
        try:
            begun = await provider.begin(local_path(wanted), silent=silent)
        except OidcError as error:
            return _failure_response(error)
        session = session_of(request)
        if silent and session is not None and session.name:
            # It goes on while it is vouched for, so that forms in other windows stay valid.
            request.state.session = evolve(session, note=begun.note)
        else:
            request.state.session = doorkeeper_of(request).sessions.new(note=begun.note)
        return RedirectResponse(begun.url, 303)

    @router.get(CALLBACK)
    async def complete(
        request: Request,
        state: Annotated[str, Query(max_length=LONGEST_PATH)] = "",
        code: Annotated[str, Query(max_length=LONGEST_PATH)] = "",
        error: Annotated[str, Query(max_length=LONGEST_PATH)] = "",
    ) -> Response:
        """Begins the session of whoever the provider sends back, or lets it go on."""
        doorkeeper = doorkeeper_of(request)
        try:
            vouched, wanted = await provider.complete(await doorkeeper.note(request), state, code, error)
        except OidcError as problem:
            if str(problem) not in ("no-login-under-way", "state-differs"):  # anybody can make a browser come so
                await doorkeeper.end(request)
            return _failure_response(problem)
        await doorkeeper.vouch(request, vouched.actor, vouched.marks)
        return RedirectResponse(local_path(wanted), 303)

    @router.post(BACK_CHANNEL)
    async def log_out(request: Request, token: Annotated[str, Form(alias="logout_token")] = "") -> Response:
        """Ends the sessions of whoever has signed out at the provider, or was signed out there."""
        doorkeeper = doorkeeper_of(request)
        address = request.client.host if request.client is not None else ""
        doorkeeper.slow_down(address)
        try:
            logout = await provider.logout(token, doorkeeper.sessions.clock())
        except OidcError as problem:
            doorkeeper.count_failure(address)
            _log.warning("logout_refused", reason=str(problem))
            return answer({"error": "invalid_request"}, status=400)
        await doorkeeper.end_marked(logout.mark, logout.at)
        return Response(status_code=200, headers={"Cache-Control": "no-store"})

    return router


def _failure_response(error: OidcError) -> Response:
    _log.warning("login_failed", reason=str(error))
    return RedirectResponse(f"{LOGIN_PAGE}?problem=oidc", 303)
