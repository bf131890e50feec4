"""Options of models behind servers."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen

__all__ = ["ChatServerOptions"]


@frozen(kw_only=True)
class ChatServerOptions:
    """Options of a model behind a server.

    Attributes:
        model: its name, as the server knows it.
        base_url: of the server, up to the part before ``/chat/completions``.
        key_env: name of the environment variable that holds the key. A server on this machine needs none.
        revision: of the model, in free text; part of the identity.
        seed: sent with each request; a negative one is not, for models that take none.
        temperature: as ``seed``.
        timeout_s: seconds for a whole answer, time in the server's queue included.
        concurrency: requests at once.
        retries: of a request whose answer was lost on the way, or that the server asks to send later.
        structured: "auto" has the server enforce the schema of an answer, or ask for JSON, or do neither, whatever it
            is able to; "schema", "json" and "off" insist on one.
        allow_remote: whether report text may be sent to another machine.
        proxy: whether another machine is reached through the proxy that the environment names for it. Without, no
            proxy is used.
        price_in: of a million tokens of prompts, for estimates.
        price_out: of a million tokens of answers.
        max_answer_mib: size of an answer's body at most; a longer one is dropped.
    """

    model: str = field(metadata={"argument": True})
    base_url: str = "http://127.0.0.1:8000/v1"
    key_env: str = "OPENAI_API_KEY"
    revision: str | None = None
    seed: int = 7
    temperature: float = 0.0
    timeout_s: float = 300.0
    concurrency: int = 8
    retries: int = 3
    structured: Literal["auto", "schema", "json", "off"] = "auto"
    allow_remote: bool = False
    proxy: bool = False
    price_in: float | None = None
    price_out: float | None = None
    max_answer_mib: float = 4.0
