"""Signing in with a key at the login page, and out."""

from __future__ import annotations

import re
from typing import Annotated, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Form, Request
from starlette.responses import RedirectResponse, Response

from overread.hospital.infrastructure.http._access import LOGIN_PAGE, check_csrf, doorkeeper_of

__all__ = ["LONGEST_PATH", "local_path", "signing_router"]

LONGEST_PATH: Final = 2000
"""Characters of a path that is led to after signing in."""

_LOCAL: Final = re.compile(r"/(?![/\\])[\x21-\x5b\x5d-\x7e]*")

signing_router: Final = APIRouter(include_in_schema=False, dependencies=[Depends(check_csrf)])


def local_path(wanted: str) -> str:
    """The path to go to after signing in, of this service and nowhere else.

    >>> local_path("/worklist?kind=given"), local_path("//evil.example"), local_path("https://evil.example")
    ('/worklist?kind=given', '/', '/')
    """
    return wanted if len(wanted) <= LONGEST_PATH and _LOCAL.fullmatch(wanted) else "/"


@signing_router.post(LOGIN_PAGE)
async def sign_in(
    request: Request,
    key: Annotated[str, Form(max_length=200)] = "",
    wanted: Annotated[str, Form(alias="next", max_length=LONGEST_PATH)] = "/",
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
