"""Checks of texts, names and moments that people and systems hand in, whatever use case takes them.

What is wrong is told without a word of what was handed in.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from overread.exceptions import InputError

__all__ = [
    "LONGEST_NAME",
    "check",
    "is_storable",
    "is_storable_moment",
    "moment_problems",
    "name_problems",
    "text_problems",
]

LONGEST_NAME: Final = 1000
"""Characters of an identifier or a name: lists, charts and events repeat them. Ours."""


def is_storable(text: str) -> bool:
    """Return whether every store can hold a text: PostgreSQL has no NUL, and UTF-8 no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def is_storable_moment(moment: datetime) -> bool:
    """Return whether every store can hold a moment with its zone: at either end of the calendar, UTC may lack it.

    >>> is_storable_moment(datetime.fromisoformat("9999-12-31T23:59:59-12:00"))
    False
    """
    try:
        moment.astimezone(UTC)
    except OverflowError:
        return False
    return True


def check(what: str, *problems: str) -> None:
    """Raise `InputError` where anything is wrong, with all of it."""
    if problems:
        raise InputError(what, "; ".join(problems))


def text_problems(longest: int, *texts: str, what: str = "the text") -> Iterator[str]:
    r"""Yield what is wrong with texts.

    >>> list(text_problems(5, "Clear.", "\0"))
    ['the text is longer than 5 characters', 'the text contains a NUL or half a surrogate pair']
    """
    if any(len(text) > longest for text in texts):
        yield f"{what} is longer than {longest:,} characters"
    if not all(map(is_storable, texts)):
        yield f"{what} contains a NUL or half a surrogate pair"


def name_problems(*names: str, what: str = "a name") -> Iterator[str]:
    """Yield what is wrong with names and identifiers."""
    yield from text_problems(LONGEST_NAME, *names, what=what)


def moment_problems(*moments: datetime | None, what: str = "a time") -> Iterator[str]:
    """Yield what is wrong with moments; None is no moment.

    >>> list(moment_problems(datetime.fromisoformat("2026-11-01"), None, what="due"))
    ['due has no time zone']
    """
    given = [moment for moment in moments if moment is not None]
    if any(moment.tzinfo is None for moment in given):
        yield f"{what} has no time zone"
    elif not all(map(is_storable_moment, given)):
        yield f"{what} is too early or too late to be stored"
