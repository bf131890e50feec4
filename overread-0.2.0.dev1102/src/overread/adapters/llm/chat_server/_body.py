"""The body of a chat completion, as servers send it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from overread.domain.results.answer import Completion, Finish

__all__ = ["UnusableBodyError", "read_completion", "sound_text"]

_FINISHES: Final = {
    **dict.fromkeys(("stop", "eos", "eos_token", "stop_sequence", "end_turn"), Finish.STOP),
    **dict.fromkeys(("length", "max_tokens", "max_length", "max_output_tokens", "model_length"), Finish.LENGTH),
    **dict.fromkeys(("content_filter", "refusal", "safety"), Finish.REFUSAL),
}
_LONGEST_NAME: Final = 200
_MOST_TOKENS: Final = 1 << 53
"""Beyond it numbers of JSON are not exact, and beyond 2^63 neither SQLite nor Parquet keeps them."""


class UnusableBodyError(ValueError):
    """A body that is no chat completion; the message says why and quotes nothing."""


def read_completion(content_type: str, body: bytes) -> Completion:
    """The choice of index 0 of a chat completion.

    Only ``message.content`` is the answer: what a server gives apart from it, such as reasoning, is not read. A
    refusal in a field of its own stands for the content that is then missing. An answer that is not said to have
    ended of itself, at its greatest length or in a refusal is none, even where it reads like one: what an abort, an
    error or a missing reason left may be the start of another.

    Args:
        content_type: of the response; any kind of JSON will do.
        body: of the response.

    Raises:
        UnusableBodyError: if it is anything else.
    """
    kind = content_type.partition(";")[0].strip().lower()
    if not (kind == "application/json" or kind.endswith("+json")):
        raise UnusableBodyError("is not JSON by its content type")
    try:
        document = json.loads(body, object_pairs_hook=_object)
    except UnusableBodyError:
        raise
    except (ValueError, RecursionError):
        raise UnusableBodyError("is not JSON") from None
    choice = _choice(document)
    usage, message = document.get("usage"), choice["message"]
    content, refusal = message.get("content"), message.get("refusal")
    if not (content is None or isinstance(content, str)):
        raise UnusableBodyError("has a choice that is not text")
    refused = isinstance(refusal, str) and bool(refusal)
    return Completion(
        text=sound_text(content or (refusal if refused else "")),
        finish=Finish.REFUSAL if refused else _finish(choice.get("finish_reason"), content),
        model=_model_name(document),
        prompt_tokens=_count(usage, "prompt_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
    )


def sound_text(text: str) -> str:
    r"""The text with halves of surrogate pairs, which no encoding holds, replaced by U+FFFD.

    >>> sound_text("a\ud800b") == "a\N{REPLACEMENT CHARACTER}b"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise UnusableBodyError("has a field twice")
    return fields


def _choice(told: object) -> Mapping[str, Any]:
    """The only choice, or the one of several that has the index 0."""
    choices = told.get("choices") if isinstance(told, dict) else None
    if isinstance(choices, list) and len(choices) > 1:
        choices = [choice for choice in choices if isinstance(choice, dict) and choice.get("index") == 0]
    match choices:
        case [{"message": {}} as choice]:
            return dict(choice)
    raise UnusableBodyError("has no choice")


def _finish(reason: object, content: str | None) -> Finish:
    finish = _FINISHES.get(reason.lower()) if isinstance(reason, str) else None
    if finish is None:
        raise UnusableBodyError("does not say that it is complete")
    if content is None and finish is Finish.STOP:
        raise UnusableBodyError("has no text")
    return finish


def _model_name(told: Mapping[str, Any]) -> str:
    names = (told.get("model"), told.get("system_fingerprint"))
    return "@".join(name[:_LONGEST_NAME] for name in names if isinstance(name, str) and name and name.isprintable())


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, Mapping) else None
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return value if is_count else None
