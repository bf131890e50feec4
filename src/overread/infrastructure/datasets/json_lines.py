"""Data sets of overread's own as JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from overread.domain.json_text import RepeatedKeyError, parse_json
from overread.exceptions import InputError

__all__ = ["LineFaultError", "read_json_lines"]


class LineFaultError(ValueError):
    """Which rule a line breaks, in words that quote nothing of it."""


T = TypeVar("T")


def read_json_lines(path: Path, build: Callable[[Any], T], *, problem: str, remedy: str) -> Iterator[T]:
    """What ``build`` makes of each line that is not blank, in order.

    Args:
        path: UTF-8 text.
        build: raises ValueError, KeyError, TypeError or AttributeError for what it cannot use; what a `LineFaultError`
            says is told.
        problem: what a line is that cannot be used, in words.
        remedy: what to do about it.

    Raises:
        InputError: if the file cannot be read, or naming the first line that cannot be used.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {_why(error)}") from error
    except UnicodeDecodeError as error:
        raise InputError(str(path), "cannot be read: it is not UTF-8") from error
    for row, line in enumerate(lines, start=1):
        if line.strip():
            try:
                built = build(_parsed(line))
            except LineFaultError as error:
                raise InputError(str(path), f"{problem}: {error}", row=row, remedy=remedy) from None
            except RepeatedKeyError as error:
                raise InputError(str(path), str(error), row=row, remedy=remedy) from None
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InputError(str(path), problem, row=row, remedy=remedy) from None
            yield built


def _why(error: OSError) -> str:
    return "no such file" if isinstance(error, FileNotFoundError) else (error.strerror or type(error).__name__).lower()


def _parsed(line: str) -> Any:
    try:
        return parse_json(line)
    except RepeatedKeyError:
        raise
    except ValueError:
        raise LineFaultError("its JSON is cut off or damaged") from None
    except RecursionError:
        raise LineFaultError("its brackets are too deep") from None
