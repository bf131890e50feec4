"""Reasons for which a server refuses a request, recognised from what it says."""

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
_CODES: Final = """
    authentication_error BadRequestError bad_request content_filter content_policy_violation context_length_exceeded
    exceed_context_size_error insufficient_quota integer_above_max_value invalid_api_key invalid_json_schema
    invalid_prompt invalid_request invalid_request_error invalid_type invalid_value missing_required_parameter
    model_not_found NotFoundError not_found_error not_supported_error permission_denied permission_error
    rate_limit_exceeded request_too_large server_error string_above_max_length unknown_parameter unprocessable_entity
    unsupported_parameter unsupported_value
    max_completion_tokens max_tokens messages model response_format seed temperature
"""
"""Codes and types of errors as servers name them, and the parameters that are sent: what else a server writes there
may be a word of the report."""

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
    explanation = " ".join(_explanation_texts(body))
    if status == _CONTENT_TOO_LARGE or _TOO_LONG.search(explanation):
        return Refusal.TOO_LONG
    if "content_filter" in explanation:
        return Refusal.CONTENT
    if "max_completion_tokens" in explanation:
        return Refusal.LENGTH_NAME
    return Refusal.OTHER


def refusal_code(body: object) -> str:
    """The code or the parameter that a server names, "" for none that is known. No other word of its is ever given."""
    fields = body if isinstance(body, dict) else {}
    named = (fields.get(name) for name in ("code", "param", "type"))
    return next((name for name in named if isinstance(name, str) and name in _CODES.split()), "")


def _explanation_texts(body: object) -> Iterator[str]:
    """Texts of the fields in which servers explain themselves, but of none in which they repeat what they were sent."""
    if isinstance(body, str):
        yield body
    elif isinstance(body, list):
        for item in body:
            yield from _explanation_texts(item)
    elif isinstance(body, dict):
        for name in ("error", "detail", "message", "msg", "code", "param", "type"):
            yield from _explanation_texts(body.get(name))
