"""Things that hang together by what they share."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

__all__ = ["group_connected"]

T = TypeVar("T")


def group_connected(things: Sequence[T], names: Callable[[T], Iterable[Hashable]]) -> list[list[T]]:
    """Things in groups of which no two share a name, directly or through others; in the order given.

    Args:
        things: of any kind.
        names: of a thing, one at least.

    >>> group_connected(["ab", "cd", "be", "f"], list)
    [['ab', 'be'], ['cd'], ['f']]
    """
    above: dict[Hashable, Hashable] = {}

    def top(name: Hashable) -> Hashable:
        while above.setdefault(name, name) != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    for thing in things:
        first, *others = names(thing)
        for other in others:
            above[top(other)] = top(first)
    groups: dict[Hashable, list[T]] = {}
    for thing in things:
        groups.setdefault(top(next(iter(names(thing)))), []).append(thing)
    return list(groups.values())
