"""Compact letter display: which of many do not differ significantly from one another."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from string import ascii_lowercase

__all__ = ["significance_letters"]


def significance_letters(count: int, different: Iterable[tuple[int, int]]) -> list[str]:
    """The letters of each item: two items share a letter if and only if they do not differ significantly.

    The algorithm "insert and absorb" with the final sweep of H.-P. Piepho, An algorithm for a letter-based
    representation of all-pairwise comparisons, Journal of Computational and Graphical Statistics 13 (2004) 456-466.
    Letters go by the first item that has them: give the items in the order in which they are shown, and the first one
    has an "a".

    Args:
        count: of items, named 0, 1, ...
        different: the pairs of items that differ significantly.

    >>> significance_letters(3, [(0, 2)])
    ['a', 'ab', 'b']
    """
    apart = {frozenset(pair) for pair in different}
    columns = [frozenset(range(count))] if count else []
    for pair in sorted(map(sorted, apart)):
        first, second = pair
        split = [piece for column in columns for piece in _insert(column, first, second)]
        columns = _absorb(split)
    columns = sorted(_sweep(columns), key=lambda column: (min(column), sorted(column)))
    names = _names(len(columns))
    return ["".join(names[i] for i, column in enumerate(columns) if item in column) for item in range(count)]


def _insert(column: frozenset[int], first: int, second: int) -> list[frozenset[int]]:
    """The column, or where it holds two that differ, one without each."""
    return [column - {first}, column - {second}] if {first, second} <= column else [column]


def _absorb(columns: list[frozenset[int]]) -> list[frozenset[int]]:
    """The columns without those that lie in another."""
    distinct = list(dict.fromkeys(columns))
    return [column for column in distinct if not any(column < other for other in distinct)]


def _sweep(columns: list[frozenset[int]]) -> list[frozenset[int]]:
    """The columns without what other columns say as well."""
    columns = list(columns)
    for index in range(len(columns)):
        for item in sorted(columns[index]):
            others = columns[:index] + columns[index + 1 :]
            mates = columns[index] - {item}
            if any(item in other for other in others) and all(
                any({item, mate} <= other for other in others) for mate in mates
            ):
                columns[index] = mates
    return _absorb([column for column in columns if column])


def _names(count: int) -> list[str]:
    """a, b, ..., z, then A1, B1, ..., which no other letters can spell."""
    rounds = product(["", *map(str, range(1, count // len(ascii_lowercase) + 1))], ascii_lowercase)
    return [letter + number if not number else letter.upper() + number for number, letter in rounds][:count]
