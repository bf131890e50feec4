"""Pages: how long they are, and all rows of a store, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, TypeVar

from overread.exceptions import InputError

__all__ = ["AT_ONCE", "LARGEST_PAGE", "check_page", "every"]

LARGEST_PAGE: Final = 500
"""Rows that a page may have."""

AT_ONCE: Final = LARGEST_PAGE
"""Rows that are read at a time where all are wanted."""


class _Numbered(Protocol):
    @property
    def number(self) -> int: ...


Row = TypeVar("Row", bound=_Numbered)


def check_page(what: str, *, limit: object, after: int = 0, before: int | None = None) -> None:
    """Refuse what is no page.

    Args:
        what: the pages are of.
        limit: rows of it.
        after: number of the row after which it begins.
        before: number of the row before which it begins, where the newest come first.

    Raises:
        InputError: if it has no rows or more than 500, or begins nowhere.
    """
    if not isinstance(limit, int) or not 1 <= limit <= LARGEST_PAGE:
        raise InputError(what, f"limit must be 1 to {LARGEST_PAGE}")
    if after < 0:
        raise InputError(what, "after must be 0 or more")
    if before is not None and before < 1:
        raise InputError(what, "before must be 1 or more")


def every(page: Callable[[int, int], Sequence[Row]]) -> Iterator[Row]:
    """Give all rows, oldest first.

    Args:
        page: rows after a number, so many at most, oldest first; none where there are no more.
    """
    after = 0
    while some := page(after, AT_ONCE):
        yield from some
        after = some[-1].number
