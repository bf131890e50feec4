"""Data sets of overread's own as JSON lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json
from overread.exceptions import InputError
from overread.tables.lines import longest_line, read_lines, too_long
from overread.tables.opening import checked_path, opened

__all__ = ["LineFaultError", "read_json_lines"]


class LineFaultError(ValueError):
    """A line breaks a rule; the message says which, and quotes nothing of the line."""


T = TypeVar("T")


def read_json_lines(path: Path, build: Callable[[Any], T], *, problem: str, remedy: str) -> Iterator[T]:
    """Yields what ``build`` makes of each line that is not blank, in order.

    Args:
        path: UTF-8 text.
        build: raises ValueError, KeyError, TypeError or AttributeError for what it cannot use; the message of a
            `LineFaultError` is passed on.
        problem: description of a line that cannot be used.
        remedy: what to do about it.

    Raises:
        InputError: if the file cannot be read, or naming the first line that cannot be used.
    """
    for row, line in _lines(path):
        if line.strip():
            try:
                built = build(_parse_line(line))
            except LineFaultError as error:
                raise InputError(str(path), f"{problem}: {error}", row=row, remedy=remedy) from None
            except RepeatedKeyError as error:
                raise InputError(str(path), str(error), row=row, remedy=remedy) from None
            except (ValueError, KeyError, TypeError, AttributeError):
                raise InputError(str(path), problem, row=row, remedy=remedy) from None
            yield built


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a file and their numbers, in memory that does not grow with the file."""
    checked_path(path)
    most = longest_line()
    with opened(path) as stream:
        for row, line in enumerate(read_lines(stream, most), start=1):
            if line is None:
                raise InputError(str(path), too_long(most), row=row)
            try:
                yield row, line.decode("utf-8-sig" if row == 1 else "utf-8")
            except UnicodeDecodeError:
                raise InputError(str(path), "cannot be read: it is not UTF-8", row=row) from None


def _parse_line(line: str) -> Any:
    try:
        return parse_json(line)
    except RepeatedKeyError:
        raise
    except ValueError:
        raise LineFaultError("its JSON is cut off or damaged") from None
    except RecursionError:
        raise LineFaultError("its brackets are too deep") from None
