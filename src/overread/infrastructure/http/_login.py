"""Signing in, with a key at the login page or at an OpenID provider, and out."""

from __future__ import annotations

import re
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from overread.infrastructure.http._access import LOGIN_PAGE, check_csrf, doorkeeper_of
from overread.infrastructure.http._oidc import CALLBACK, OidcError, OidcProvider
from overread.infrastructure.logs import get_logger

__all__ = ["OIDC_LOGIN", "local_path", "oidc_router", "signing_router"]

OIDC_LOGIN: Final = "/login/oidc"
"""Where to go to sign in at the OpenID provider."""

_log = get_logger("http")

_LOCAL: Final = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")
_LONGEST: Final = 2000

signing_router: Final = APIRouter(include_in_schema=False, dependencies=[Depends(check_csrf)])


def local_path(wanted: str) -> str:
    """Where to go after signing in: a path of this service and nowhere else.

    >>> local_path("/worklist?kind=given"), local_path("//evil.example"), local_path("https://evil.example")
    ('/worklist?kind=given', '/', '/')
    """
    return wanted if len(wanted) <= _LONGEST and _LOCAL.fullmatch(wanted) else "/"


@signing_router.post(LOGIN_PAGE)
async def sign_in(
    request: Request,
    key: Annotated[str, Form(max_length=200)] = "",
    wanted: Annotated[str, Form(alias="next", max_length=_LONGEST)] = "/",
) -> Response:
    """Begins a session of its own for who holds a key; a wrong one leads back to the login page."""
    doorkeeper = doorkeeper_of(request)
    address = request.client.host if request.client is not None else ""
    held = await doorkeeper.key_holder(key.strip(), address)
    if held is None:
        return RedirectResponse(f"{LOGIN_PAGE}?problem=key&next={quote(local_path(wanted), safe='')}", 303)
    actor, prefix = held
    await doorkeeper.begin(request, actor, key=prefix, by="key")
    return RedirectResponse(local_path(wanted), 303)


@signing_router.post("/logout")
async def sign_out(request: Request) -> Response:
    """Ends the session, in every process."""
    await doorkeeper_of(request).end(request)
    return RedirectResponse(LOGIN_PAGE, 303)


def oidc_router(provider: OidcProvider) -> APIRouter:
    """Signing in at an OpenID provider, by authorization code with PKCE.

    Args:
        provider: that vouches for people.
    """
    router = APIRouter(include_in_schema=False)

    @router.get(OIDC_LOGIN)
    async def begin(
        request: Request, wanted: Annotated[str, Query(alias="next", max_length=_LONGEST)] = "/"
    ) -> Response:
        """Sends a browser to the provider."""
        try:
            begun = await provider.begin(local_path(wanted))
        except OidcError as error:
            return _failed(error)
        request.state.session = doorkeeper_of(request).sessions.new(note=begun.note)
        return RedirectResponse(begun.url, 303)

    @router.get(CALLBACK)
    async def complete(
        request: Request,
        state: Annotated[str, Query(max_length=_LONGEST)] = "",
        code: Annotated[str, Query(max_length=_LONGEST)] = "",
    ) -> Response:
        """Begins the session of whoever the provider sends back."""
        doorkeeper = doorkeeper_of(request)
        try:
            actor, wanted = await provider.complete(await doorkeeper.note(request), state, code)
        except OidcError as error:
            return _failed(error)
        await doorkeeper.begin(request, actor, by="oidc")
        return RedirectResponse(local_path(wanted), 303)

    return router


def _failed(error: OidcError) -> Response:
    _log.warning("login_failed", reason=str(error))
    return RedirectResponse(f"{LOGIN_PAGE}?problem=oidc", 303)
