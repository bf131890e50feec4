"""Reading all rows of a store, a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol, TypeVar

__all__ = ["AT_ONCE", "every"]

AT_ONCE: Final = 500
"""Rows of a page."""


class _Numbered(Protocol):
    @property
    def number(self) -> int: ...


Row = TypeVar("Row", bound=_Numbered)


def every(page: Callable[[int, int], Sequence[Row]]) -> Iterator[Row]:
    """Give all rows, oldest first.

    Args:
        page: rows after a number, so many at most, oldest first; none where there are no more.
    """
    after = 0
    while some := page(after, AT_ONCE):
        yield from some
        after = some[-1].number
