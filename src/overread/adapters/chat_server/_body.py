"""The body of a chat completion, as servers send it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from overread.domain.answer import Completion, Finish

__all__ = ["UnusableBodyError", "read_completion", "sound_text"]

_FINISHES: Final = {"stop": Finish.STOP, "length": Finish.LENGTH, "content_filter": Finish.REFUSAL}
_LONGEST_NAME: Final = 200


class UnusableBodyError(ValueError):
    """A body that is no chat completion; the message says why and quotes nothing."""


def read_completion(content_type: str, body: bytes) -> Completion:
    """The first choice of a chat completion.

    Only ``message.content`` is the answer: what a server gives apart from it, such as reasoning, is not read. A
    refusal in a field of its own stands for the content that is then missing.

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
        told = json.loads(body)
    except (ValueError, RecursionError):
        raise UnusableBodyError("is not JSON") from None
    match told:
        case {"choices": [{"message": {} as message} as choice, *_]}:
            usage = told.get("usage")
            content, refusal = message.get("content"), message.get("refusal")
            if not (content is None or isinstance(content, str)):
                raise UnusableBodyError("has a choice that is no text")
            refused = isinstance(refusal, str) and bool(refusal)
            return Completion(
                text=sound_text(content or (refusal if refused else "")),
                finish=Finish.REFUSAL if refused else _finish(choice.get("finish_reason"), content),
                model=_served(told),
                prompt_tokens=_count(usage, "prompt_tokens"),
                completion_tokens=_count(usage, "completion_tokens"),
            )
    raise UnusableBodyError("has no choice")


def sound_text(text: str) -> str:
    r"""The text with halves of surrogate pairs, which no encoding holds, replaced by U+FFFD.

    >>> sound_text("a\ud800b") == "a\N{REPLACEMENT CHARACTER}b"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _finish(reason: object, content: str | None) -> Finish:
    known = _FINISHES.get(reason, Finish.OTHER) if isinstance(reason, str) else Finish.OTHER
    return Finish.OTHER if content is None and known is Finish.STOP else known


def _served(told: Mapping[str, Any]) -> str:
    names = (told.get("model"), told.get("system_fingerprint"))
    return "@".join(name[:_LONGEST_NAME] for name in names if isinstance(name, str) and name and name.isprintable())


def _count(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, Mapping) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
