"""Pairing one to one: the likest take each other first."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["likest_pairs"]


def likest_pairs(likenesses: Iterable[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """Pairs of numbers, each number of either side once, the likest first taken; in the order of the first side.

    Args:
        likenesses: how like each pair is, and its two numbers; of equally like ones the earlier come first.

    >>> likest_pairs([(0.5, 0, 0), (0.9, 1, 0), (0.4, 0, 1)])
    [(0, 1), (1, 0)]
    """
    left: set[int] = set()
    right: set[int] = set()
    pairs = []
    for _, i, j in sorted((-likeness, i, j) for likeness, i, j in likenesses):
        if i not in left and j not in right:
            left.add(i)
            right.add(j)
            pairs.append((i, j))
    return sorted(pairs)
