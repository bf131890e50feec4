"""Random choices that come out alike on every Python version."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import TypeVar

from attrs import frozen

__all__ = ["Draws"]

T = TypeVar("T")


@frozen
class Draws:
    """Choices built on ``Random.random()`` alone, the one method whose sequence Python promises to keep."""

    _random: Random

    @classmethod
    def from_parts(cls, *parts: object) -> Draws:
        """Choices that depend on the parts and on nothing else."""
        return cls(Random("/".join(map(str, parts))))  # noqa: S311 - reproducibility is the point

    def chance(self, probability: float) -> bool:
        """True with the given probability."""
        return self._random.random() < probability

    def below(self, bound: int) -> int:
        """An integer from 0 to ``bound`` - 1."""
        return int(self._random.random() * bound)

    def between(self, least: int, most: int) -> int:
        """An integer from ``least`` to ``most``, both included."""
        return least + self.below(most - least + 1)

    def pick(self, items: Sequence[T]) -> T:
        """One item, all alike."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[float]) -> T:
        """One item, in proportion to its weight."""
        point = self._random.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            point -= weight
            if point < 0:
                return item
        return items[-1]

    def placed(self, items: Sequence[T], sums: Sequence[float]) -> T:
        """One item in proportion to its weight, given the running sums of the weights; quick where items are many."""
        return items[min(bisect_right(sums, self._random.random() * sums[-1]), len(items) - 1)]

    def rank(self, weights: Mapping[T, float]) -> Iterator[T]:
        """Every item once, each drawn in proportion to its weight from those that are left."""
        left = dict(weights)
        while left:
            item = self.weighted(tuple(left), tuple(left.values()))
            del left[item]
            yield item

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        """The items in random order."""
        return tuple(item for _, _, item in sorted((self._random.random(), i, item) for i, item in enumerate(items)))
