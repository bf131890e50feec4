"""Columns of a file that are not read, and must therefore hold nothing that a report says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.tables.records import read_columns, read_records

__all__ = ["check_unread"]

_PARTS: Final = frozenset(
    [
        *(
            "addenda",
            "addendum",
            "body",
            "conclusion",
            "conclusions",
            "finding",
            "findings",
            "impression",
            "impressions",
        ),
        *("narrative", "opinion", "recommendation", "recommendations", "report", "result", "results", "text"),
    ]
)
"""Words by which a column is one of a part of a report."""

_BESIDE: Final = frozenset(
    [
        *("cont", "contd", "content", "continued", "corrected", "final", "full", "more", "of", "original", "part"),
        *("plain", "preliminary", "radiology", "raw", "rest", "section", "signed", "the"),
    ]
)
"""Words that may stand beside those in the name of one, and make it no other thing: "report_id" is none."""

_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_SPOKEN: Final = re.compile(r"[^\W\d_]{2,}")
_SENTENCE: Final = 8
"""Words, from which on a cell holds a sentence and no name, code or address; ours."""


def check_unread(path: Path, name: str, known: Iterable[str]) -> None:
    """Refuses a file with a column that is not read, and is one that would be by its name, or a part of the reports.

    That is one whose name says so, or in which sentences stand, whatever it is called.

    Args:
        path: of a file that can be read.
        name: by which it was dropped.
        known: names of the columns that are read.

    Raises:
        RefusedMessageError: naming the first such column as it may be shown.
    """
    read = frozenset(known)
    others = [column for column in read_columns(path) if column.strip() not in read]
    _refuse_alike(others, read, name)
    parts = sorted(column.strip() for column in others if _is_part(column))
    if parts:
        detail = f"there is a column {' and '.join(parts)} beside text; put whole reports into text, and leave it out"
        raise RefusedMessageError("unread-columns", detail, message=name)
    if others and (prose := _with_sentences(path, others)):
        detail = (
            f"column {others.index(prose) + 1} of those that are not read holds sentences, which may be a part of the "
            "report; put whole reports into text, and leave it out"
        )
        raise RefusedMessageError("unread-columns", detail, message=name)


def _refuse_alike(others: Iterable[str], read: frozenset[str], name: str) -> None:
    for column in others:
        bare = re.sub(r"[\s-]+", "_", column.strip().casefold())
        if bare in read:
            detail = f"a column has a name close to {bare} and would not be read; rename it {bare}, or leave it out"
            raise RefusedMessageError("unread-columns", detail, message=name)


def _is_part(column: str) -> bool:
    words = {word.casefold() for word in _WORD.findall(column)}
    return bool(words & _PARTS) and words <= _PARTS | _BESIDE


def _with_sentences(path: Path, columns: list[str]) -> str:
    """The first column in which a sentence stands; "" where none is."""
    for record in read_records(path, (), columns):
        for column, value in record.fields.items():
            if any(len(_SPOKEN.findall(text)) >= _SENTENCE for text in _texts(value)):
                return column
    return ""


def _texts(value: object) -> list[str]:
    """The texts in a cell, which may be lists and objects of JSON."""
    texts: list[str] = []
    left = [value]
    while left:
        item = left.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, Mapping):
            left += item.values()
        elif isinstance(item, (list, tuple)):
            left += item
    return texts
