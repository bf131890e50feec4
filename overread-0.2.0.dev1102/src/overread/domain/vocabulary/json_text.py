"""JSON of people's own files, in which every key of an object stands once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

__all__ = ["RepeatedKeyError", "parse_json"]


class RepeatedKeyError(ValueError):
    """An object that has a key twice. The message does not hold the key, which may be a report's words.

    Attributes:
        key: that stands twice.
    """

    def __init__(self, key: str) -> None:
        super().__init__("an object has a key twice")
        self.key = key


def parse_json(text: str | bytes) -> Any:
    """Parse a JSON text; bytes are UTF-8.

    Python's own reader takes the last of two values for one key and silently drops the other.

    Raises:
        RepeatedKeyError: if an object has a key twice.
        ValueError: if it isn't JSON.
        RecursionError: if its brackets are nested too deeply.

    >>> parse_json('{"id": "a", "text": "x"}')
    {'id': 'a', 'text': 'x'}
    >>> parse_json('[{"id": "a", "id": "b"}]')
    Traceback (most recent call last):
    overread.domain.vocabulary.json_text.RepeatedKeyError: an object has a key twice
    """
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        keys = [key for key, _ in pairs]
        raise RepeatedKeyError(next(key for place, key in enumerate(keys) if key in keys[:place]))
    return result
