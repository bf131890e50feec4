"""Allocation of errors to reports: balanced over categories, subsets and lengths; each report once where possible."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Final, Generic, TypeVar

from attrs import define, field

from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits.categories import Category, Subset

__all__ = ["allocate", "shares"]

T = TypeVar("T")
Attempt = Callable[[int, Category, Subset], T | None]
Reports = Mapping[str, Sequence[int]]

_LEAST: Final = 1e-9


def shares(wanted: float, sizes: Mapping[str, float]) -> dict[str, float]:
    """A number shared out as evenly as the sizes allow; what exceeds them all is shared out evenly again.

    >>> shares(100, {"short": 60, "long": 10, "longer": 80})
    {'short': 45.0, 'long': 10.0, 'longer': 45.0}
    """
    left, given = wanted, dict.fromkeys(sizes, 0.0)
    open_ = sorted(sizes, key=lambda name: sizes[name])
    while open_:
        name = open_.pop(0)
        given[name] = min(float(sizes[name]), left / (len(open_) + 1))
        left -= given[name]
    return {name: amount + left / len(given) for name, amount in given.items()}


def allocate(
    buckets: Reports, categories: Sequence[Category], wanted: int, attempt: Attempt[T], draws: Draws
) -> Iterator[T]:
    """Pairs of every category, ``wanted`` of each subset where the reports allow.

    First every report is tried for one category alone, and gives it a pair of each subset; then reports that served
    another category do; what is still missing comes from reports that give a pair of one subset only. Buckets are drawn
    from by turns, those that are short of their share first.

    Args:
        buckets: numbers of the reports by length.
        categories: the scarcest first.
        wanted: pairs of each category and subset.
        attempt: makes a pair, or tells that it cannot.
        draws: the order of the reports.
    """
    used: set[int] = set()
    quotas = shares(wanted, {name: len(reports) / len(categories) for name, reports in buckets.items()})
    for category in categories:
        round_ = _Round(category, wanted, quotas, attempt)
        orders = {name: draws.shuffled(buckets[name]) for name in draws.shuffled(buckets)}
        free = {name: [report for report in reports if report not in used] for name, reports in orders.items()}
        both = tuple(Subset)
        yield from chain(
            round_.served(free, both),
            round_.served(orders, both),
            *(round_.served(orders, (subset,)) for subset in both),
        )
        used |= round_.taken


@define
class _Round(Generic[T]):
    """The pairs of one category.

    Attributes:
        taken: reports that have given a pair.
    """

    category: Category
    wanted: int
    quotas: Mapping[str, float]
    attempt: Attempt[T]
    taken: set[int] = field(factory=set)
    _tried: dict[tuple[int, Subset], T | None] = field(factory=dict)
    _counts: dict[Subset, Counter[str]] = field(factory=lambda: {subset: Counter() for subset in Subset})

    def served(self, reports: Reports, subsets: Sequence[Subset]) -> Iterator[T]:
        """A pair of each subset from each report that can give all of them, until there are enough."""
        counts = self._counts[subsets[0]]
        for name, report in _by_turns(reports, counts, self.quotas):
            if max(self._counts[subset].total() for subset in subsets) >= self.wanted:
                return
            if report in self.taken:
                continue
            pairs = [(subset, made) for subset in subsets if (made := self._cached_attempt(report, subset)) is not None]
            if len(pairs) == len(subsets):
                self.taken.add(report)
                for subset, made in pairs:
                    self._counts[subset][name] += 1
                    yield made

    def _cached_attempt(self, report: int, subset: Subset) -> T | None:
        if (report, subset) not in self._tried:
            self._tried[report, subset] = self.attempt(report, self.category, subset)
        return self._tried[report, subset]


def _by_turns(reports: Reports, counts: Mapping[str, int], quotas: Mapping[str, float]) -> Iterator[tuple[str, int]]:
    """The reports, always from the bucket that is furthest below its quota; counts change on the way."""
    queues = {name: list(reversed(queue)) for name, queue in reports.items()}
    while any(queues.values()):
        name = min((n for n, queue in queues.items() if queue), key=lambda n: counts[n] / max(quotas[n], _LEAST))
        yield name, queues[name].pop()
