"""Sessions of people at pages: a sealed cookie says who they are; tokens bound to it hold against forged forms."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final

from attrs import define, evolve, field, frozen
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from overread.domain.vocabulary.equality import in_set, in_tuple
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.infrastructure.http.configuration import HttpConfiguration

__all__ = ["CSRF_FIELD", "CSRF_HEADER", "Session", "SessionCookies", "Sessions"]

CSRF_FIELD: Final = "csrf_token"
"""Of a form: the session's token."""

CSRF_HEADER: Final = "X-CSRF-Token"
"""Of a request by a script: the same."""

_LONGEST_COOKIE: Final = 4096
_VALUES: Final = 9
_TOUCH: Final = 10


@frozen(kw_only=True)
class Session:
    """A browser's session; of nobody until somebody signs in.

    Attributes:
        id: random; a new one with each signing in.
        name: who signed in; "" for nobody.
        roles: what they may do.
        key: prefix of the key they signed in with, which must stand as long as the session; "" for other ways.
        started: when, in seconds of the epoch.
        seen: when it was last used, within a tenth of the time that it may be idle.
        note: what a signing in under way must keep, as text.
        marks: what it has in common with other sessions of its person at an OpenID provider, as digests.
        vouched: when that provider last vouched for them, in seconds of the epoch; None for other ways.
    """

    id: str = field(factory=lambda: secrets.token_urlsafe(24), repr=False)
    name: str = ""
    roles: frozenset[Role] = field(default=frozenset(), converter=in_set)
    key: str = ""
    started: float
    seen: float
    note: str = field(default="", repr=False)
    marks: tuple[str, ...] = field(default=(), converter=in_tuple, repr=False)
    vouched: float | None = None

    @property
    def actor(self) -> Actor | None:
        """The actor who signed in, if anybody has."""
        return Actor(name=self.name, roles=self.roles) if self.name else None


@define(eq=False)
class Sessions:
    """Seals sessions into cookies and opens them. Processes with one secret open each other's. Safe for threads.

    The store knows which were signed out.

    Attributes:
        configuration: secret and lifetimes.
        clock: seconds of the epoch.
    """

    configuration: HttpConfiguration
    clock: Callable[[], float] = time.time

    @property
    def cookie(self) -> str:
        """Name of the cookie; over TLS one that browsers take from this host alone."""
        return "__Host-overread" if self.configuration.https else "overread"

    def new(
        self, actor: Actor | None = None, *, key: str = "", note: str = "", marks: Sequence[str] | None = None
    ) -> Session:
        """A session with an id of its own.

        Args:
            actor: who signs in; None for nobody.
            key: prefix of the key that they hold, if any.
            note: what a signing in under way must keep.
            marks: of their sessions at the OpenID provider that vouches for them; None for other ways.
        """
        now = self.clock()
        name, roles = (actor.name, actor.roles) if actor is not None else ("", frozenset[Role]())
        vouched = None if marks is None else now
        return Session(
            name=name, roles=roles, key=key, started=now, seen=now, note=note, marks=marks or (), vouched=vouched
        )

    def vouched(self, session: Session, actor: Actor, marks: Sequence[str]) -> Session:
        """A session as it goes on once its provider has vouched again for who signed in.

        Args:
            session: under way.
            actor: with the roles that they have at the provider now.
            marks: of their sessions at the provider.
        """
        return evolve(session, roles=actor.roles, marks=marks, vouched=self.clock(), note="")

    def end_of(self, started: float) -> datetime:
        """The time when a session ends, whatever happens.

        Args:
            started: when it began, in seconds of the epoch.
        """
        return datetime.fromtimestamp(started, UTC) + self.configuration.session_lifetime

    def csrf_token(self, session: Session) -> str:
        """The token that forms of a session carry."""
        return self._mac("csrf", session.id)

    def holds(self, session: Session, token: str) -> bool:
        """Returns whether a token is a session's, in a time that reveals nothing."""
        return hmac.compare_digest(self.csrf_token(session).encode(), token.encode())

    def seal(self, session: Session) -> str:
        """A session as a cookie's value."""
        record = [session.id, session.name, sorted(session.roles), session.key, session.started, session.seen]
        text = json.dumps([*record, session.note, session.marks, session.vouched], separators=(",", ":"))
        body = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
        return f"{body}.{self._mac('session', body)}"

    def opened(self, value: str) -> Session | None:
        """The session of a cookie's value; None for one that was not sealed here, is too old or was left too long."""
        body, _, seal = value.partition(".")
        if len(value) > _LONGEST_COOKIE or not hmac.compare_digest(self._mac("session", body).encode(), seal.encode()):
            return None
        record = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))
        if len(record) != _VALUES:  # another version's
            return None
        identity, name, roles, key, started, seen, note, marks, vouched = record
        session = Session(
            id=identity,
            name=name,
            roles=[Role(role) for role in roles],
            key=key,
            started=started,
            seen=seen,
            note=note,
            marks=marks,
            vouched=vouched,
        )
        return session if self._is_current(session) else None

    def touch(self, session: Session) -> Session:
        """The session as seen now, if that was long enough ago to be worth a new cookie."""
        now = self.clock()
        worth = self.configuration.session_idle.total_seconds() / _TOUCH
        return evolve(session, seen=now) if now - session.seen > worth else session

    def _is_current(self, session: Session) -> bool:
        now, limits = self.clock(), self.configuration
        young = now - session.started < limits.session_lifetime.total_seconds()
        return young and now - session.seen < limits.session_idle.total_seconds()

    def _mac(self, purpose: str, text: str) -> str:
        mac = hmac.new(self.configuration.session_secret, f"{purpose}:{text}".encode(), hashlib.sha256)
        return base64.urlsafe_b64encode(mac.digest()).decode().rstrip("=")


@define(eq=False)
class SessionCookies:
    """Middleware: opens the session of each request to a page, and sends the cookie of what it has become.

    ``request.state.session`` holds the session, one of nobody where there was none. To change it is to set it.
    Requests that bring a bearer token have no session.

    Attributes:
        app: what answers.
        sessions: which open and seal.
    """

    app: ASGIApp
    sessions: Sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request with its session at hand."""
        headers = Headers(scope=scope) if scope["type"] == "http" else None
        if headers is None or "authorization" in headers:
            await self.app(scope, receive, send)
            return
        state = scope.setdefault("state", {})
        given = self.sessions.opened(cookie_parser(headers.get("cookie", "")).get(self.sessions.cookie, ""))
        state["session"] = self.sessions.touch(given) if given is not None else self.sessions.new()

        async def sending(message: Message) -> None:
            # A session of nobody is worth a cookie only where a form was made with its token.
            session: Session = state["session"]
            wanted = session.name or session.note or state.get("csrf_given")
            if message["type"] == "http.response.start" and session != given and wanted:
                MutableHeaders(scope=message).append("set-cookie", self._cookie(session))
            await send(message)

        await self.app(scope, receive, sending)

    def _cookie(self, session: Session) -> str:
        secure = "; Secure" if self.sessions.configuration.https else ""
        # Lax, not Strict: who follows a link in a message to the worklist is to be signed in there.
        return f"{self.sessions.cookie}={self.sessions.seal(session)}; Path=/; HttpOnly; SameSite=Lax{secure}"
