"""Recognition of callers, by an API key, a bearer token or a session, and checks of their roles."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Final
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from attrs import define, field, frozen
from fastapi import Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import Scope

from overread.exceptions import PermissionDeniedError
from overread.hospital.application.access import AccessControl
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.infrastructure.http._buckets import Buckets
from overread.hospital.infrastructure.http._problems import ProblemError, problem_response, too_many
from overread.hospital.infrastructure.http._sessions import CSRF_FIELD, CSRF_HEADER, Session, Sessions
from overread.hospital.infrastructure.http.configuration import HttpConfiguration

if TYPE_CHECKING:
    from overread.hospital.infrastructure.http._oidc import OidcProvider

__all__ = [
    "LOGIN_PAGE",
    "OIDC_LOGIN",
    "Admin",
    "Anyone",
    "Author",
    "Doorkeeper",
    "Lead",
    "LoginNeededError",
    "Reviewer",
    "Submitter",
    "VouchingDueError",
    "answer_login_needed",
    "check_csrf",
    "csrf_token",
    "current_actor",
    "doorkeeper_of",
    "key_needed",
    "session_of",
]

LOGIN_PAGE: Final = "/login"

OIDC_LOGIN: Final = "/login/oidc"
"""Where to go to sign in at the OpenID provider."""

_SAFE: Final = ("GET", "HEAD", "OPTIONS")
_FORM_S: Final = 1800.0
"""For a form to be sent after its page was vouched for: what was typed into it is worth more than half an hour."""
_HASHED_AT_ONCE: Final = 2
"""Secrets that were not seen before: each takes a core for a while, and the threads are for those who are known."""


@define(eq=False)
class Doorkeeper:
    """Tells who asks, and turns away who asks too often. Safe for threads.

    Attributes:
        access: the keys.
        configuration: of limits.
        sessions: of people at pages.
        tokens: of an OpenID provider, if one is configured.
    """

    access: AccessControl
    configuration: HttpConfiguration
    sessions: Sessions
    tokens: OidcProvider | None = None
    _asked: Buckets = field(init=False, repr=False)
    _failed: Buckets = field(init=False, repr=False)
    _hashing: CapacityLimiter = field(factory=lambda: CapacityLimiter(_HASHED_AT_ONCE), init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        limits = self.configuration
        self._asked = Buckets(rate=limits.rate, size=limits.burst)
        window = limits.failed_window.total_seconds()
        self._failed = Buckets(rate=limits.failed_logins / window, size=limits.failed_logins)

    def knows(self, scope: Scope) -> bool:
        """Returns whether a request brings a session or a key that is remembered as valid.

        It may have been ended or revoked since: this decides who is served first, and opens nothing.
        """
        header = Headers(scope=scope).get("authorization")
        if header is None:
            session: Session | None = scope["state"].get("session")
            return session is not None and bool(session.name)
        return self.access.is_remembered(header.partition(" ")[2].strip())

    async def actor(self, request: Request) -> Actor | None:
        """Returns the actor who asks; None for nobody.

        Raises:
            ProblemError: 401 for a key or token that is not valid, 429 for one that asks too often.
        """
        header = request.headers.get("authorization")
        if header is None:
            actor = await self._signed_in(request)
        else:
            actor = await self._bearer(header, _address(request))
        wait = self._asked.take(actor.name) if actor is not None else 0.0
        if wait > 0:
            raise too_many("too many requests with this key or by this person", wait)
        request.state.is_known = actor is not None  # for their connection, which keeps its place
        return actor

    async def key_holder(self, secret: str, address: str) -> tuple[Actor, str] | None:
        """Returns who holds a key's secret, and the key's prefix; None for a wrong one, counted against the address.

        Raises:
            ProblemError: 429 for an address that had too many wrong ones.
        """
        is_remembered = self.access.is_remembered(secret)
        if not is_remembered:
            self.slow_down(address)
        limiter = None if is_remembered else self._hashing
        key = await to_thread.run_sync(self.access.authenticate, secret, limiter=limiter)
        if key is None:
            self.count_failure(address)
            return None
        return Actor(name=key.name, roles=key.roles), key.prefix

    async def _bearer(self, header: str, address: str) -> Actor:
        scheme, _, token = header.partition(" ")
        actor = None
        if scheme.lower() == "bearer" and token.startswith("orv_"):
            held = await self.key_holder(token.strip(), address)
            actor = held[0] if held is not None else None
        elif scheme.lower() == "bearer" and self.tokens is not None:
            self.slow_down(address)
            actor = await self.tokens.actor(token.strip())
            if actor is None:
                self.count_failure(address)
        if actor is None:
            raise _unauthorised_problem("this key or token is not valid, or no longer valid", "invalid_token")
        return actor

    async def begin(
        self, request: Request, actor: Actor, *, key: str = "", marks: Sequence[str] | None = None, by: str
    ) -> None:
        """Signs somebody in, in a session of their own; the one before ends.

        Args:
            request: of the browser.
            actor: who signs in.
            key: prefix of the key that they hold, if any.
            marks: of their sessions at the OpenID provider that vouches for them; None for other ways.
            by: how, in a word.
        """
        before = session_of(request)
        if before is not None and (before.name or before.note):
            await self._end(before)
        await run_in_threadpool(self.access.record, "login", actor.name, (("by", by),))
        request.state.session = self.sessions.new(actor, key=key, marks=marks)

    async def vouch(self, request: Request, actor: Actor, marks: Sequence[str]) -> None:
        """Takes note that an OpenID provider vouches for somebody: their session goes on, or a new one begins.

        Args:
            request: of the browser.
            actor: for whom it vouches, with the roles that they have there now.
            marks: of their sessions at the provider.
        """
        session = session_of(request)
        if session is None or session.vouched is None or session.name != actor.name:
            await self.begin(request, actor, marks=marks, by="oidc")
            return
        if session.roles != actor.roles:
            await run_in_threadpool(self.access.record, "roles", actor.name, (("by", "oidc"),))
        request.state.session = self.sessions.vouched(session, actor, marks)

    async def end(self, request: Request) -> None:
        """Ends the session of a request in every process; one of nobody, of which there are many, is but left."""
        session = session_of(request)
        if session is not None and session.name:
            await self._end(session)
        request.state.session = self.sessions.new()
        request.state.csrf_given = True

    async def note(self, request: Request) -> str:
        """Returns what the session of a request keeps of a login under way; "" for nothing."""
        session = session_of(request)
        if session is None or not session.note or await run_in_threadpool(self._is_ended, session):
            return ""
        return session.note

    async def end_marked(self, mark: str, at: float) -> None:
        """Ends every session with a mark that began by then, in every process.

        Args:
            mark: what they have in common.
            at: in seconds of the epoch.
        """
        await run_in_threadpool(self.access.sign_out_all, mark, until=self.sessions.end_of(at))

    def slow_down(self, address: str) -> None:
        """Turns away an address from which too many wrong keys or tokens came.

        Raises:
            ProblemError: 429.
        """
        wait = self._failed.wait(address)
        if wait > 0:
            raise too_many("too many wrong keys came from this address", wait)

    def count_failure(self, address: str) -> None:
        """Counts a wrong key or token against an address."""
        self._failed.take(address)

    async def _end(self, session: Session) -> None:
        until = self.sessions.end_of(session.started)
        await run_in_threadpool(self.access.sign_out, session.id, session.name, until=until)

    async def _signed_in(self, request: Request) -> Actor | None:
        session = session_of(request)
        if session is None or session.actor is None:
            return None
        actor = await run_in_threadpool(self._standing, session, session.actor)
        if actor is None:
            request.state.session = self.sessions.new()
        elif self._is_vouching_due(request, session):
            raise VouchingDueError
        return actor

    def _is_vouching_due(self, request: Request, session: Session) -> bool:
        if session.vouched is None or self.tokens is None:
            return False
        recheck = self.tokens.configuration.recheck.total_seconds()
        age = self.sessions.clock() - session.vouched
        return age > (recheck if request.method in _SAFE else _FORM_S)

    def _is_ended(self, session: Session) -> bool:
        until = self.sessions.end_of(session.started)
        return self.access.is_signed_out((session.id, *session.marks), until=until)

    def _standing(self, session: Session, actor: Actor) -> Actor | None:
        """Returns who signed in, with their present roles; None if they signed out or their key no longer stands."""
        if self._is_ended(session):
            return None
        if not session.key:
            return actor
        key = self.access.standing(session.key)
        return Actor(name=key.name, roles=key.roles) if key is not None else None


@frozen
class _RoleCheck:
    """A dependency of a route: its actor, who must have one of these roles."""

    roles: frozenset[Role]

    async def __call__(self, request: Request) -> Actor:
        actor = await doorkeeper_of(request).actor(request)
        if actor is None:
            raise LoginNeededError
        if not actor.roles & self.roles:
            wanted = " or ".join(sorted(self.roles - {Role.ADMIN} or self.roles))
            raise PermissionDeniedError(f"this needs the role {wanted}")
        if "authorization" not in request.headers:
            await check_csrf(request)
        return actor


def current_actor(*roles: Role) -> Callable[[Request], Awaitable[Actor]]:
    """A dependency that gives the actor who asks, if they have one of these roles; an administrator has all.

    A caller who is nobody is sent to the login page, or told that a key is needed. Where a session asks to change
    something, the session's token must be in the form's field or the header, see `csrf_token`.

    Args:
        *roles: any where none is named.
    """
    return _RoleCheck(frozenset({*(roles or Role), Role.ADMIN}))


Submitter = Annotated[Actor, Depends(current_actor(Role.SUBMITTER))]
Reviewer = Annotated[Actor, Depends(current_actor(Role.REVIEWER, Role.LEAD))]
Lead = Annotated[Actor, Depends(current_actor(Role.LEAD))]
Author = Annotated[Actor, Depends(current_actor(Role.AUTHOR))]
Admin = Annotated[Actor, Depends(current_actor(Role.ADMIN))]
Anyone = Annotated[Actor, Depends(current_actor())]
"""Whoever has signed in, whatever their roles."""


class LoginNeededError(Exception):
    """A request of nobody for what is not for everybody."""


class VouchingDueError(LoginNeededError):
    """A request of somebody for whom their OpenID provider has to vouch again."""


async def answer_login_needed(request: Request, error: Exception) -> Response:
    """Sends a browser to the login page or to the provider, and tells a program that it needs a key."""
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("accept", ""):
        return problem_response(key_needed(), request.state.request_id)
    wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    page, marker = (f"{OIDC_LOGIN}?silent=1", "&") if isinstance(error, VouchingDueError) else (LOGIN_PAGE, "?")
    to = page if request.method not in _SAFE or wanted == "/" else f"{page}{marker}next={quote(wanted, safe='')}"
    if "hx-request" in request.headers:  # htmx would put the login page where a table was
        return Response(status_code=401, headers={"HX-Redirect": to})
    return RedirectResponse(to, 303)


async def check_csrf(request: Request) -> None:
    """Ends a request that would change something and does not carry its session's token.

    Raises:
        ProblemError: 403.
    """
    session = session_of(request)
    if request.method in _SAFE:
        return
    token = request.headers.get(CSRF_HEADER)
    if token is None and request.headers.get("content-type", "").startswith(_FORMS):
        given = (await request.form()).get(CSRF_FIELD)
        token = given if isinstance(given, str) else None
    strange = request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none")
    sessions = doorkeeper_of(request).sessions
    if strange or session is None or token is None or not sessions.holds(session, token):
        remedy = "reload the page and send the form again"
        raise ProblemError(403, "forged-form", "the form belongs to another session", remedy=remedy)


def csrf_token(request: Request) -> str:
    """The token for the forms of a page: field `CSRF_FIELD`, or header `CSRF_HEADER`."""
    session = session_of(request)
    if session is None:
        return ""
    request.state.csrf_given = True
    return doorkeeper_of(request).sessions.csrf_token(session)


def session_of(request: Request) -> Session | None:
    """The session of a request; None for one that brings a bearer token."""
    return getattr(request.state, "session", None)


def doorkeeper_of(request: Request) -> Doorkeeper:
    """The doorkeeper of the application that answers a request."""
    doorkeeper: Doorkeeper = request.app.state.doorkeeper
    return doorkeeper


def _address(request: Request) -> str:
    return request.client.host if request.client is not None else ""


def key_needed() -> ProblemError:
    """The problem of a request of nobody, for a program."""
    return _unauthorised_problem("this needs a key: Authorization: Bearer orv_...", "")


def _unauthorised_problem(detail: str, error: str) -> ProblemError:
    challenge = 'Bearer realm="overread"' + (f', error="{error}"' if error else "")
    remedy = "an administrator issues keys: overread keys create"
    return ProblemError(401, "unauthorised", detail, remedy=remedy, headers={"WWW-Authenticate": challenge})


_FORMS: Final = ("application/x-www-form-urlencoded", "multipart/form-data")
