"""Common parts of every page's answer: who reads it, its policy, and errors in plain words."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Coroutine
from http import HTTPStatus
from typing import Annotated, Any, Final

from fastapi import Depends, HTTPException, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.responses import HTMLResponse, RedirectResponse, Response

from overread.exceptions import OverreadError
from overread.hospital.application.permissions import leads, sees_all
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.infrastructure.http._access import LoginNeededError, csrf_token, session_of
from overread.hospital.infrastructure.http._guards import content_policy
from overread.hospital.infrastructure.http._problems import problem_of
from overread.hospital.infrastructure.http.pages.templating import render
from overread.infrastructure.logs import get_logger

__all__ = ["Form", "PageRoute", "as_sentence", "new_nonce", "page", "see"]

_log = get_logger("http")

_TITLES: Final = {
    400: "This address cannot be read",
    403: "You are not allowed to do this",
    404: "There is nothing here",
    422: "That cannot be done as asked",
    429: "Too many requests at once",
    500: "Something went wrong",
    503: "The store cannot be reached",
}
_TITLES_OF_KINDS: Final = {"missing-key": "The texts cannot be opened"}
"""Where the status alone would tell something else; the remedy is then the problem's own."""

_MENU_OF_REVIEWERS: Final = [
    ("/worklist", "Worklist"),
    ("/assignments", "My assignments"),
    ("/rates", "Rates"),
    ("/samples", "Samples"),
    ("/charts", "Charts"),
    ("/cases", "Cases"),
    ("/month", "Month"),
    ("/conference", "Conference"),
    ("/actions", "Open actions"),
    ("/refusals", "Refused messages"),
    ("/coverage", "Coverage"),
]
_MENU_OF_LEADS: Final = [("/protocols", "Reading protocols")]
_REMEDIES: Final = {
    404: "It may have been deleted, or the address may be wrong.",
    429: "Wait a moment and load the page again.",
    503: "Load the page again in a moment. Nothing that was saved is lost.",
}


class PageRoute(APIRoute):
    """A route whose errors are told on a page."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's own handler, and behind it what tells errors."""
        handle = super().get_route_handler()

        async def answer(request: Request) -> Response:
            try:
                return await handle(request)
            except LoginNeededError:
                raise
            except (HTTPException, OverreadError, RequestValidationError) as error:
                return _error_page(request, error)
            except Exception as error:  # noqa: BLE001 - as around all routes: its message may quote a report
                _log.error("request_failed", error=error)
                return _error_page(request, error)

        return answer


def page(
    request: Request,
    name: str,
    actor: Actor | None,
    *,
    title: str,
    place: str = "",
    status: int = 200,
    nonce: str = "",
    **values: object,
) -> Response:
    """A page of a template, for somebody.

    Args:
        request: that it answers.
        name: of the template.
        actor: who has signed in; None for nobody.
        title: of the page.
        place: path of the entry of the menu that it belongs to.
        status: of the answer.
        nonce: of the page's style elements, "" where it has none.
        **values: for the template.
    """
    html = render(
        name,
        actor=actor,
        menu=_menu(actor),
        csrf=csrf_token(request),
        title=title,
        place=place,
        **values,
    )
    return HTMLResponse(html, status, headers={"Content-Security-Policy": content_policy(nonce)})


def see(address: str) -> Response:
    """Leads to another page, by GET."""
    return RedirectResponse(address, HTTPStatus.SEE_OTHER)


async def _filled_in(request: Request) -> dict[str, str]:
    """The fields of a form by their names; of several of one name the last. Files are left out."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


Form = Annotated[dict[str, str], Depends(_filled_in)]
"""Fields of the form that a request brings."""


def as_sentence(words: str) -> str:
    """Words of an error as a sentence.

    >>> as_sentence("no pair of the AI draft is found")
    'No pair of the AI draft is found.'
    """
    return f"{words[:1].upper()}{words[1:].rstrip('.')}." if words else ""


def new_nonce() -> str:
    """A word that nobody can guess, for one answer."""
    return secrets.token_urlsafe(16)


def _menu(actor: Actor | None) -> list[tuple[str, str]]:
    """Addresses and names of the pages that somebody may see."""
    if actor is None:
        return []
    return [
        *(_MENU_OF_REVIEWERS if sees_all(actor) else []),
        *(_MENU_OF_LEADS if leads(actor) else []),
        *([("/own", "My reports")] if Role.AUTHOR in actor.roles else []),
        ("/help", "Help"),
        *([("/keys", "Keys")] if Role.ADMIN in actor.roles else []),
    ]


def _error_page(request: Request, error: Exception) -> Response:
    problem = problem_of(error)
    status, session = problem.status_code, session_of(request)
    own, remedy = _TITLES_OF_KINDS.get(problem.kind), as_sentence(problem.remedy)
    answer = page(
        request,
        "error.html.j2",
        session.actor if session is not None else None,
        title=own or _TITLES.get(status, "That did not work"),
        status=status,
        detail=as_sentence(str(problem.detail)),
        remedy=remedy if own else _REMEDIES.get(status, remedy),
        request_id=getattr(request.state, "request_id", ""),
    )
    answer.headers.update(problem.headers or {})
    return answer
