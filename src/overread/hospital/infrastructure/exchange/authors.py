"""Authors of a report: the one who answers for it, and all others who are named."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

__all__ = ["NOBODY", "Authors", "authors_of"]


class Authors(NamedTuple):
    """The person who answers for a version of a report, and others who had a part in it."""

    reader: str = ""
    coauthors: tuple[str, ...] = ()


NOBODY: Final = Authors()


def authors_of(answering: Iterable[str], others: Iterable[str] = ()) -> Authors:
    """Authors of a version, each named once.

    Args:
        answering: those who may be its reader, the likeliest first; "" for who is not told.
        others: those who had a part in it and answer for nothing, such as who typed it.

    >>> authors_of(["", "4711", "9001"], ["9001", "typist"])
    Authors(reader='4711', coauthors=('9001', 'typist'))
    """
    readers = list(dict.fromkeys(filter(None, answering)))
    every = dict.fromkeys((*readers, *filter(None, others)))
    reader = readers[0] if readers else ""
    return Authors(reader, tuple(name for name in every if name != reader))
