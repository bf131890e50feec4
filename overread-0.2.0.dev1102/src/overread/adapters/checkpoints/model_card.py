"""Parts that the cards of trained models share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib.metadata import version

from overread.application.statistics import Estimate

__all__ = ["card_table", "made_with", "with_interval"]


def made_with(libraries: Iterable[str]) -> str:
    """The line that tells the versions of libraries."""
    return f"- Made with: {', '.join(f'{name} {version(name)}' for name in libraries)}"


def with_interval(figure: Estimate, *, scale: float = 1, digits: int = 3, unit: str = "") -> str:
    """A figure with its interval; "none" where it lacks a number.

    >>> with_interval(Estimate(0.7149, 0.594, 0.803), scale=100, digits=1, unit=" %")
    '71.5 % (59.4 to 80.3)'
    """
    if figure.value is None or figure.low is None or figure.high is None:
        return "none"
    value, low, high = (f"{scale * number:.{digits}f}" for number in (figure.value, figure.low, figure.high))
    return f"{value}{unit} ({low} to {high})"


def card_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """The lines of a Markdown table."""
    return [f"| {' | '.join(head)} |", "|---" * len(head) + "|", *(f"| {' | '.join(map(str, row))} |" for row in rows)]
