"""Results of a check of the reader: figures in tables, and the mistakes themselves."""

from __future__ import annotations

from typing import Final

from attrs import field, frozen

from overread.application.statistics.tabulation import Tabulation

__all__ = ["CONFUSION", "READER", "Mistake", "ReaderCheck"]

READER: Final = "reader"
"""Fact of the tabulation: identity of what read the data."""

CONFUSION: Final = "confusion"
"""Name of the table of labels, one row each, against readings, one column each."""


@frozen
class Mistake:
    """One thing read otherwise than labelled. It quotes the user's own data, and is shown only when asked for."""

    place: str
    expected: str
    got: str
    text: str = field(default="", repr=False)


@frozen(kw_only=True)
class ReaderCheck:
    """The outcome of one check.

    Attributes:
        tabulation: the figures, shares on [0, 1]. The first column of each table names a class or a kind, the second
            counts it in what its title says.
        mistakes: in the order of the data.
    """

    tabulation: Tabulation
    mistakes: tuple[Mistake, ...] = field(default=(), repr=False)
