"""A small OpenID provider on this machine: a real one in all that matters, with a switch for each way to be wrong."""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

from attrs import define, field
from joserfc import jwt
from joserfc.jwk import RSAKey

_LOGOUT = "http://schemas.openid.net/event/backchannel-logout"


def _key(name: str) -> RSAKey:
    return RSAKey.generate_key(2048, {"kid": name, "use": "sig", "alg": "RS256"})


@define
class Provider:
    """What the provider says and does; `claims` go over those that are right."""

    url: str = ""
    key: RSAKey = field(factory=lambda: _key("one"))
    shown: list[RSAKey] = field(factory=list)
    claims: dict[str, Any] = field(factory=dict)
    document: dict[str, Any] = field(factory=dict)
    algorithm: str = "RS256"
    codes: dict[str, dict[str, str]] = field(factory=dict)
    asked: list[str] = field(factory=list)
    trickles: bool = False

    def rotate(self) -> None:
        self.key = _key("two")
        self.shown.append(self.key)

    def token(self, **claims: Any) -> str:
        """A token signed by the provider."""
        now = int(time.time())
        told = {"iss": self.url, "sub": "anna", "aud": "overread", "iat": now, "exp": now + 300, "roles": ["reviewer"]}
        return jwt.encode({"alg": self.algorithm, "kid": self.key.kid}, {**told, **claims, **self.claims}, self.key)

    def logout_token(self, **claims: Any) -> str:
        """A token by which the provider says that somebody has signed out."""
        now = int(time.time())
        told = {"iss": self.url, "aud": "overread", "iat": now, "jti": "once", "events": {_LOGOUT: {}}, "sub": "anna"}
        header = {"alg": self.algorithm, "kid": self.key.kid, "typ": "logout+jwt"}
        return jwt.encode(header, {**told, **claims}, self.key)

    def grant(self, address: str) -> str:
        """What the browser is sent back with, once somebody has signed in at the provider."""
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        assert (asked["response_type"], asked["code_challenge_method"]) == ("code", "S256")
        code = f"code-{len(self.codes)}"
        self.codes[code] = asked
        back = urlsplit(asked["redirect_uri"])
        return f"{back.path}?code={code}&state={asked['state']}"

    def answer(self, method: str, path: str, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        self.asked.append(path)
        if path == "/.well-known/openid-configuration":
            document = {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "jwks_uri": f"{self.url}/keys",
            }
            return 200, {**document, **self.document}
        if path == "/keys":
            return 200, {"keys": [key.as_dict(private=False) for key in self.shown]}
        if (method, path) == ("POST", "/token"):
            return self._exchanged(form, authorization)
        return 404, {}

    def _exchanged(self, form: dict[str, str], authorization: str) -> tuple[int, Any]:
        asked = self.codes.pop(form["code"], None)
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        secret = base64.b64encode(b"overread:very secret").decode()
        if asked is None or asked["code_challenge"] != challenge or authorization != f"Basic {secret}":
            return 400, {"error": "invalid_grant"}
        return 200, {"access_token": "opaque", "token_type": "Bearer", "id_token": self.token(nonce=asked["nonce"])}


@contextmanager
def provider() -> Iterator[Provider]:
    """A provider that answers on a port of this machine."""
    state = Provider()
    state.shown.append(state.key)

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            text = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            form = {name: values[0] for name, values in parse_qs(text).items()}
            status, body = state.answer(self.command, self.path, form, self.headers.get("authorization", ""))
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())
            with suppress(OSError):  # who asked has gone
                while state.trickles:
                    self.wfile.write(b" ")
                    time.sleep(0.02)

        do_GET = do_POST = _answer  # noqa: N815 - as http.server calls them

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
