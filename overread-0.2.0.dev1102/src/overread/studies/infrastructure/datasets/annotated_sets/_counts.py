"""Counts of errors as targets: in total, by significance, and by category of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from overread.domain.results.annotation import Target
from overread.domain.vocabulary.taxonomy import ErrorCategory

__all__ = ["BURDENS", "Counted", "count_targets", "sum_counts"]

Counted = Mapping[tuple[bool, ErrorCategory], float]
"""Number of errors by whether they are significant, and category."""

BURDENS = ("total", "significant", "insignificant")
"""What is counted, over all categories and within each."""


def count_targets(categories: Sequence[ErrorCategory]) -> tuple[Target, ...]:
    """The three counts over all categories, then total.A, ..., significant.A, ..., insignificant.A, ..."""
    overall = [Target(burden, higher_is_better=False, label=_label(burden)) for burden in BURDENS]
    by_category = [
        Target(f"{burden}.{category}", higher_is_better=False, label=f"{_label(burden)}: {category.label}")
        for burden in BURDENS
        for category in categories
    ]
    return (*overall, *by_category)


def _label(burden: str) -> str:
    return "all errors" if burden == "total" else f"{burden} errors"


def sum_counts(counts: Counted) -> dict[str, float]:
    """One rater's counts by name of the target.

    >>> counts = {(True, ErrorCategory.LOCATION): 2.0, (False, ErrorCategory.LOCATION): 1.0}
    >>> sum_counts(counts)["total"], sum_counts(counts)["significant.C"]
    (3.0, 2.0)
    """
    sums = dict.fromkeys(BURDENS, 0.0)
    for (significant, category), number in counts.items():
        for burden in ("total", "significant" if significant else "insignificant"):
            sums[burden] += number
            name = f"{burden}.{category}"
            sums[name] = sums.get(name, 0.0) + number
    return sums
