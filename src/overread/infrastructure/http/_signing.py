"""Signing in with a key at the login page, and out."""

from __future__ import annotations

import re
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from overread.infrastructure.http._access import LOGIN_PAGE, check_csrf, doorkeeper_of, session_of

__all__ = ["local_path", "signing_router"]

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
    doorkeeper, before = doorkeeper_of(request), session_of(request)
    address = request.client.host if request.client is not None else ""
    held = await doorkeeper.key_holder(key.strip(), address)
    if held is None:
        return RedirectResponse(f"{LOGIN_PAGE}?problem=key&next={quote(local_path(wanted), safe='')}", 303)
    actor, prefix = held
    await run_in_threadpool(doorkeeper.access.record, "login", actor.name, (("by", "key"),))
    if before is not None:
        doorkeeper.sessions.end(before)
    request.state.session = doorkeeper.sessions.new(actor, key=prefix)
    return RedirectResponse(local_path(wanted), 303)


@signing_router.post("/logout")
async def sign_out(request: Request) -> Response:
    """Ends the session."""
    doorkeeper, session = doorkeeper_of(request), session_of(request)
    if session is not None:
        doorkeeper.sessions.end(session)
        if session.name:
            await run_in_threadpool(doorkeeper.access.record, "logout", session.name)
        request.state.session = doorkeeper.sessions.new()
        request.state.csrf_given = True
    return RedirectResponse(LOGIN_PAGE, 303)
