"""Words for the cells and facts of a table, as a terminal and a page show them alike."""

from __future__ import annotations

import math
from typing import Final

from attrs import frozen

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Column, Fact, Table
from overread.infrastructure.views import wording

__all__ = ["DASH", "MINUS", "CellWords", "cell_words", "fact_words", "format_bracketed", "is_figures"]

DASH: Final = "-"
"""Stands where there is nothing to tell."""

MINUS: Final = "\u2212"
"""Where there is more to choose from than the hyphen of a terminal."""


_SEED: Final = "seed"


@frozen
class CellWords:
    """A cell, and the interval that stands beside it, if there is one."""

    text: str
    interval: str = ""


def cell_words(cell: Cell, column: Column) -> CellWords:
    """A cell rounded to the digits of its column.

    >>> cell_words(Estimate(0.7149, 0.594, 0.803), Column(name="tau", title="tau"))
    CellWords(text='0.715', interval='[0.594, 0.803]')
    >>> cell_words(0.4, Column(name="share", title="share", percent=True))
    CellWords(text='40.0 %', interval='')
    """
    if isinstance(cell, Estimate):
        bounds = (cell.low, cell.high)
        if not _is_known(cell.value) or not all(map(_is_known, bounds)):
            return CellWords(_number(cell.value, column))
        low, high = (_number(bound, column).removesuffix(" %") for bound in bounds)
        return CellWords(_number(cell.value, column), f"[{low}, {high}]")
    if isinstance(cell, str):
        return CellWords(wording.one_line(cell))
    return CellWords(_number(cell, column))


def format_bracketed(estimate: Estimate, *, scale: float = 1.0, digits: int = 3, unit: str = "") -> str:
    """An estimate in one column of words, with its interval in brackets behind it; "none" where it lacks a number.

    >>> format_bracketed(Estimate(0.7149, 0.594, 0.803), scale=100, digits=1, unit=" %")
    '71.5 % (59.4-80.3)'
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "none"
    value, low, high = (f"{scale * bound:.{digits}f}" for bound in (estimate.value, estimate.low, estimate.high))
    return f"{value}{unit} ({low}-{high})"


def fact_words(name: str, fact: Fact) -> str:
    """A fact in words: a count with its thousands parted, a seed as a command takes it.

    >>> fact_words("draws", 10_000), fact_words("seed", 20_240), fact_words("paper", "RadOT")
    ('10,000', '20240', 'RadOT')
    """
    return f"{fact:,}" if isinstance(fact, int) and name != _SEED else str(fact)


def is_figures(table: Table, index: int) -> bool:
    """Return whether a column holds right-aligned figures rather than words, or, except for the first, only dashes."""
    cells = [row[index] for row in table.rows]
    if any(isinstance(cell, str) and cell != DASH for cell in cells):
        return False
    return index > 0 or any(cell is not None for cell in cells)


def _is_known(value: float | None) -> bool:
    return value is not None and not math.isnan(value)


def _number(value: float | None, column: Column) -> str:
    if value is None or math.isnan(value):
        return DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if column.percent:
        return f"{_format_rounded(100 * value, max(column.digits - 2, 0))} %"
    if float(value).is_integer() and not isinstance(value, float):
        return f"{value:,}"
    return _format_rounded(value, column.digits)


def _format_rounded(value: float, digits: int) -> str:
    return f"{value:z,.{digits}f}"
