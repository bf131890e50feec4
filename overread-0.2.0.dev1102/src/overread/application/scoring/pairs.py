"""Pairs as a caller gives them, some of which may be unusable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from overread.application.scoring.corpus import BadRow, Row
from overread.domain.reports.report import ReportPair
from overread.exceptions import ConfigurationError, InputError

__all__ = ["ON_ERROR", "PairLike", "checked_choice", "checked_rows", "told_rows"]

PairLike = ReportPair | Mapping[str, Any]
"""A mapping has id, reference, candidate and optionally age, sex, indication and comparison."""

ON_ERROR: Final = ("fail", "skip")
"""What a bad row does: it ends the call, or is unscored in its place."""

_ROWS_TOLD: Final = 5


def checked_choice(on_error: str) -> str:
    """Check the choice of what a bad row does.

    Raises:
        ConfigurationError: if it is not one of `ON_ERROR`.
    """
    if on_error not in ON_ERROR:
        raise ConfigurationError([f"on_error must be {' or '.join(ON_ERROR)}, not {on_error!r}"])
    return on_error


def checked_rows(rows: Sequence[Row], on_error: str) -> Sequence[Row]:
    """The rows, of which under "skip" some may hold no pair.

    Raises:
        InputError: under "fail", if any holds none: it names every such row, the first few with what is wrong.
        ConfigurationError: if ``on_error`` is neither.
    """
    bad = [row for row in rows if isinstance(row, BadRow)]
    if bad and checked_choice(on_error) == "fail":
        problems = [(row.row, row.problem) for row in bad]
        raise told_rows("pairs", problems, len(rows), remedy='on_error="skip" leaves them unscored in their places')
    return rows


def told_rows(source: str, bad: Sequence[tuple[int, str]], total: int, *, remedy: str) -> InputError:
    """The error that names all bad rows, the first few with what is wrong.

    Args:
        source: as of `InputError`.
        bad: number of each, from 1, and what is wrong with it, without its text; one or more.
        total: number of rows, good ones included.
        remedy: as of `InputError`.
    """
    numbers = [number for number, _ in bad]
    if len(bad) == 1:
        [(number, problem)] = bad
        return InputError(source, problem, row=number, rows=numbers, remedy=remedy)
    first_few = "; ".join(f"row {number}: {problem}" for number, problem in bad[:_ROWS_TOLD])
    more = f"; and {len(bad) - _ROWS_TOLD} more" if len(bad) > _ROWS_TOLD else ""
    return InputError(source, f"{len(bad)} of {total} rows are bad: {first_few}{more}", rows=numbers, remedy=remedy)
