"""Why a server does not accept a request, told from what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import Final

__all__ = ["Refusal", "refusal_code", "refusal_kind"]

_TOO_LONG: Final = re.compile(
    r"context_length|context (?:length|size|window)|maximum context|(?:prompt|input) is too long|too many tokens"
    r"|max_model_len|longer than the maximum",
    re.IGNORECASE,
)
_CODE: Final = re.compile(r"[A-Za-z][\w.\[\]-]{0,59}")
_CONTENT_TOO_LARGE: Final = 413


class Refusal(Enum):
    """Kinds of refusal that are answered differently."""

    TOO_LONG = "too long"
    CONTENT = "content"
    LENGTH_NAME = "length name"
    OTHER = "other"


def refusal_kind(status: int, body: object) -> Refusal:
    """The kind of a refusal.

    Args:
        status: of HTTP, 4xx.
        body: the decoded JSON, or the text, that came with it.
    """
    said = " ".join(_said(body))
    if status == _CONTENT_TOO_LARGE or _TOO_LONG.search(said):
        return Refusal.TOO_LONG
    if "content_filter" in said:
        return Refusal.CONTENT
    if "max_completion_tokens" in said:
        return Refusal.LENGTH_NAME
    return Refusal.OTHER


def refusal_code(body: object) -> str:
    """The code or the parameter that a server names, "" for none. A message is never given: it may quote a report."""
    fields = body if isinstance(body, dict) else {}
    named = (fields.get(name) for name in ("code", "param", "type"))
    return next((name for name in named if isinstance(name, str) and _CODE.fullmatch(name)), "")


def _said(body: object) -> Iterator[str]:
    """Texts of the fields in which servers explain themselves, but of none in which they repeat what they were sent."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, list):
        for item in body:
            yield from _said(item)
    elif isinstance(body, dict):
        for name in ("error", "detail", "message", "msg", "code", "param", "type"):
            yield from _said(body.get(name))
