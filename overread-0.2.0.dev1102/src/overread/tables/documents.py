"""JSON files that are one document, read whole."""

from __future__ import annotations

from json import JSONDecodeError
from pathlib import Path
from typing import Any, Final

from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json
from overread.exceptions import InputError
from overread.tables.contents import WIDE_MARKS
from overread.tables.opening import open_binary

__all__ = ["parse_document"]

_EXPORT_AGAIN: Final = "export or copy it again"


def parse_document(path: Path) -> Any:
    """Parses a JSON file.

    Raises:
        InputError: if it is not valid JSON in UTF-8, or an object has a key twice.
    """
    with open_binary(path) as stream:
        data = stream.read()
    if data.startswith(WIDE_MARKS):
        raise InputError(str(path), "is UTF-16 or UTF-32 text, not valid JSON in UTF-8", remedy="save it as UTF-8")
    try:
        return parse_json(data.decode("utf-8-sig"))
    except RepeatedKeyError as error:
        raise InputError(str(path), str(error), remedy="use each key only once") from None
    except JSONDecodeError as error:
        problem = f"is not valid JSON at line {error.lineno}, column {error.colno}"
        raise InputError(str(path), problem, remedy=_EXPORT_AGAIN) from None
    except (ValueError, RecursionError):
        raise InputError(str(path), "is not valid JSON in UTF-8", remedy=_EXPORT_AGAIN) from None
