"""People and programs whom an OpenID provider vouches for: signing in by authorization code, and bearer tokens."""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from base64 import b64encode, urlsafe_b64decode
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

from attrs import define, field, frozen
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import KeySet

from overread.exceptions import ConfigurationError
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.infrastructure.exchange.addresses import checked_url
from overread.hospital.infrastructure.exchange.asking import Asked, Limits, NoAnswer, answers
from overread.hospital.infrastructure.http.configuration import OidcConfiguration
from overread.infrastructure.logs import get_logger

__all__ = ["BACK_CHANNEL", "CALLBACK", "Begun", "Logout", "OidcError", "OidcProvider", "Vouched"]

BACK_CHANNEL: Final = "/login/oidc/logout"
"""Where the provider tells that somebody has signed out there."""

CALLBACK: Final = "/login/oidc/callback"
"""Where the provider sends people back to."""

_log = get_logger("oidc")

_ALGORITHMS: Final = ("RS256", "PS256", "ES256", "RS384", "PS384", "ES384", "RS512", "PS512", "ES512")
"""Signatures by keys that the provider alone has; never by a secret that both know, and never none."""
_NOT_VALID: Final = (JoseError, ValueError, TypeError, KeyError)
_ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")
_FRESH_S: Final = 3600.0
_KEYS_AGAIN_S: Final = 30.0
_LEEWAY_S: Final = 30
_LONGEST: Final = 2**20
_LONGEST_NAME: Final = 200
_LONGEST_TOKEN: Final = 16_384
_LOGOUT_EVENT: Final = "http://schemas.openid.net/event/backchannel-logout"
_LOGOUT_TYPES: Final = (None, "JWT", "logout+jwt")
_OLDEST_LOGOUT_S: Final = 300
_REFUSALS: Final = ("login_required", "interaction_required", "account_selection_required", "consent_required")
"""Of a provider that is not to ask anybody anything, and would have to (OpenID Connect Core 1.0, 3.1.2.6)."""


class OidcError(Exception):
    """The provider, or what came from it, is not as it should be. Says why in a code word, and quotes nothing."""


@frozen
class Begun:
    """A signing in under way.

    Attributes:
        url: where to send the browser.
        note: what the browser's session must keep until it comes back.
    """

    url: str = field(repr=False)
    note: str = field(repr=False)


@frozen
class Vouched:
    """A person for whom the provider vouches.

    Attributes:
        actor: with the roles that they have there.
        marks: digests of who they are and of their session there, by which it names them when they sign out.
    """

    actor: Actor
    marks: tuple[str, ...] = field(repr=False)


@frozen
class Logout:
    """Somebody's signing out at the provider.

    Attributes:
        mark: of the sessions that end: of one session there or, where none is named, of every one of the person.
        at: the latest time at which they can have begun, in seconds of the epoch.
    """

    mark: str = field(repr=False)
    at: float


@define(eq=False)
class OidcProvider:
    """An OpenID provider. Of one event loop.

    Its discovery document and keys are fetched when they are first needed, and again after an hour; keys also where a
    token names one that is not known, every half minute at most.

    Attributes:
        configuration: of the provider, and of this service as its client.
        clock: in seconds.
        seconds: that the provider has for an answer, to its last byte.
    """

    configuration: OidcConfiguration
    clock: Callable[[], float] = time.monotonic
    seconds: float = 10.0
    _document: Mapping[str, Any] = field(factory=dict, init=False, repr=False)
    _document_at: float = field(default=0.0, init=False, repr=False)
    _keys: KeySet | None = field(default=None, init=False, repr=False)
    _keys_at: float = field(default=0.0, init=False, repr=False)

    async def begin(self, wanted: str, *, silent: bool = False) -> Begun:
        """Begin to sign somebody in.

        Args:
            wanted: path to lead to afterwards.
            silent: whether the provider is to send them back at once, without asking them anything.

        Raises:
            OidcError: if the provider cannot be reached or is not as it should be.
        """
        document, client = await self._discovery_document(), self.configuration
        state, nonce, verifier = (secrets.token_urlsafe(32) for _ in range(3))
        url = prepare_grant_uri(
            document["authorization_endpoint"],
            client_id=client.client_id,
            response_type="code",
            redirect_uri=self._callback,
            scope=" ".join(client.scopes),
            state=state,
            nonce=nonce,
            code_challenge=create_s256_code_challenge(verifier),
            code_challenge_method="S256",
            **({"prompt": "none"} if silent else {}),
        )
        return Begun(url, json.dumps([state, nonce, verifier, wanted]))

    async def complete(self, note: str, state: str, code: str, error: str = "") -> tuple[Vouched, str]:
        """Complete signing in; return who has signed in, and the path to lead to.

        Args:
            note: of the session.
            state: as the browser brought it back.
            code: the same.
            error: what the provider says in place of a code.

        Raises:
            OidcError: if anything does not hold.
        """
        if not note:
            raise OidcError("no-login-under-way")
        expected, nonce, verifier, wanted = json.loads(note)
        if not secrets.compare_digest(expected.encode(), state.encode()):
            raise OidcError("state-differs")
        if error:
            raise OidcError(error if error in _REFUSALS else "provider-says-no")
        document = await self._discovery_document()
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self._callback,
            "client_id": self.configuration.client_id,
            "code_verifier": verifier,
        }
        answer = await self._fetch_json("POST", document["token_endpoint"], form)
        token = answer.get("id_token")
        if not isinstance(token, str):
            raise OidcError("no-id-token")
        params = {"nonce": nonce, "client_id": self.configuration.client_id, "access_token": answer.get("access_token")}
        claims = await self._claims(token, self.configuration.client_id, params)
        return Vouched(self._actor(claims), self._marks(claims)), wanted

    async def logout(self, token: str, now: float) -> Logout:
        """Return whose sessions end by a logout token (OpenID Connect Back-Channel Logout 1.0, section 2.6).

        Args:
            token: as the provider sent it.
            now: in seconds of the epoch.

        Raises:
            OidcError: if it is no logout token of this provider for this service, or an old one.
        """
        if len(token) > _LONGEST_TOKEN:
            raise OidcError("no-logout-token")
        decoded = await self._decode(token)
        if decoded.header.get("typ") not in _LOGOUT_TYPES:
            raise OidcError("no-logout-token")
        claims = decoded.claims
        audience, issued = claims.get("aud"), claims.get("iat")
        audiences = audience if isinstance(audience, list) else [audience]
        events = claims.get("events")
        holds = (
            claims.get("iss") == self.configuration.issuer
            and self.configuration.client_id in audiences
            and isinstance(events, Mapping)
            and isinstance(events.get(_LOGOUT_EVENT), Mapping)
            and "nonce" not in claims
        )
        if not holds:
            raise OidcError("no-logout-token")
        if not isinstance(issued, int | float) or not now - _OLDEST_LOGOUT_S < issued < now + _LEEWAY_S:
            raise OidcError("old-logout-token")
        marks = self._marks(claims)
        if not marks:
            raise OidcError("no-one-named")
        # That of the session at the provider, if it is named, comes last and is the narrower one.
        return Logout(marks[-1], min(now, issued + _LEEWAY_S))

    async def actor(self, token: str) -> Actor | None:
        """Return the actor that a bearer token names; None where it is not valid, or bearer tokens are not taken."""
        if not self.configuration.audience:
            return None
        try:
            return self._actor(await self._claims(token, self.configuration.audience, {}))
        except OidcError as error:
            _log.warning("token_refused", reason=str(error))
            return None

    @property
    def _callback(self) -> str:
        return self.configuration.public_url.rstrip("/") + CALLBACK

    async def _claims(self, token: str, audience: str, params: dict[str, Any]) -> CodeIDToken:
        """The claims of a token, once everything about it holds."""
        decoded = await self._decode(token)
        if decoded.header.get("typ") == "logout+jwt":
            raise OidcError("token-not-valid")
        try:
            issuer = {"essential": True, "value": self.configuration.issuer}
            options = {"iss": issuer, "aud": {"essential": True, "value": audience}}
            claims = CodeIDToken(decoded.claims, decoded.header, options, params)
            claims.validate(leeway=_LEEWAY_S)
        except _NOT_VALID as error:
            raise OidcError("token-not-valid") from error
        return claims

    async def _decode(self, token: str) -> jwt.Token:
        """A token that the provider has signed, whatever it says."""
        try:
            return jwt.decode(token, await self._keys_for(token), algorithms=list(_ALGORITHMS))
        except _NOT_VALID as error:
            raise OidcError("token-not-valid") from error

    def _marks(self, claims: Mapping[str, Any]) -> tuple[str, ...]:
        given = ((kind, claims.get(kind)) for kind in ("sub", "sid"))
        return tuple(
            f"oidc-{kind}:{hashlib.sha256(json.dumps([self.configuration.issuer, value]).encode()).hexdigest()[:32]}"
            for kind, value in given
            if isinstance(value, str) and value
        )

    def _actor(self, claims: Mapping[str, Any]) -> Actor:
        client = self.configuration
        name, given = claims.get(client.name_claim), _at(claims, client.roles_claim)
        words = given if isinstance(given, list) else str(given or "").split()
        roles = {client.roles[word] for word in words if isinstance(word, str) and word in client.roles}
        if not isinstance(name, str) or not 0 < len(name) <= _LONGEST_NAME or not name.isprintable():
            raise OidcError("no-name")
        if not roles:
            raise OidcError("no-role")
        return Actor(name=f"oidc:{name}", roles=roles)  # no key has a colon in its name

    async def _keys_for(self, token: str) -> KeySet:
        """The provider's keys, fetched anew where the one that a token names is not among them."""
        age = self.clock() - self._keys_at
        stale = self._keys is None or age > _FRESH_S
        if stale or (age > _KEYS_AGAIN_S and not _is_among(self._keys, token)):
            document = await self._discovery_document()
            key_set = await self._fetch_json("GET", document["jwks_uri"])
            self._keys, self._keys_at = KeySet.import_key_set(key_set), self.clock()  # type: ignore[arg-type]
        assert self._keys is not None  # noqa: S101 - set where it was not
        return self._keys

    async def _discovery_document(self) -> Mapping[str, Any]:
        if not self._document or self.clock() - self._document_at > _FRESH_S:
            issuer = self.configuration.issuer
            document = await self._fetch_json("GET", issuer.rstrip("/") + "/.well-known/openid-configuration")
            if document.get("issuer") != issuer:
                raise OidcError("issuer-differs")
            try:
                for name in _ENDPOINTS:
                    checked_url(str(document.get(name, "")), f"the provider's {name}")
            except ConfigurationError as error:
                raise OidcError("endpoint-not-safe") from error
            self._document, self._document_at = document, self.clock()
        return self._document

    async def _fetch_json(self, method: str, url: str, form: Mapping[str, str] | None = None) -> dict[str, Any]:
        """A JSON object of the provider's: bounded in time and size, from where it was asked for."""
        client = self.configuration
        headers, body = {"Accept": "application/json"}, b""
        if form is not None:
            headers["Content-Type"], body = "application/x-www-form-urlencoded", urlencode(form).encode()
            if client.client_secret:
                pair = b64encode(f"{client.client_id}:{client.client_secret}".encode()).decode()
                headers["Authorization"] = f"Basic {pair}"
        limits = Limits(seconds=self.seconds, max_bytes=_LONGEST, authorities=client.authorities)
        [answer] = await answers([Asked(limits=limits, method=method, url=url, headers=headers, body=body)])
        if isinstance(answer, NoAnswer):
            raise OidcError(f"provider-{answer.reason}")
        if not answer.is_success:
            raise OidcError("provider-refuses")
        try:
            record = json.loads(answer.body)
        except (ValueError, RecursionError) as error:
            raise OidcError("answer-not-understood") from error
        if not isinstance(record, dict):
            raise OidcError("answer-not-understood")
        return record


def _at(claims: Mapping[str, Any], path: str) -> Any:
    """A claim by its path, for example "realm_access.roles"."""
    value: Any = claims
    for name in path.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _is_among(keys: KeySet | None, token: str) -> bool:
    try:
        header = json.loads(_decode_part(token.partition(".")[0]))
        named = header.get("kid")
    except (ValueError, AttributeError, RecursionError):
        return True  # it is refused whatever keys there are
    return named is None or any(key.kid == named for key in (keys.keys if keys is not None else ()))


def _decode_part(part: str) -> bytes:
    return urlsafe_b64decode(part + "=" * (-len(part) % 4))
