"""A sample of a corpus's reports, by which the diversity of its wording is measured."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b
from heapq import heappush, heappushpop
from typing import Final

from attrs import define, field

from overread.application.scoring.corpus import Row
from overread.domain.reports.report import ReportPair
from overread.domain.results.diversity import Diversity, Wording

__all__ = ["SAMPLED_PAIRS", "TextSample", "diversity_of", "watch_rows"]

SAMPLED_PAIRS: Final = 500
"""Pairs that are looked at; ours. Distinct texts and word pairs grow scarcer the more texts there are, so that only
samples of one size can be compared."""

_LONGEST: Final = 10_000
"""Characters of a report that are looked at."""


@define(eq=False)
class TextSample:
    """The pairs whose ids have the smallest hashes: the same in any order, and for every system that has these ids.

    Attributes:
        size: pairs that are kept, at most; all of a smaller corpus.
        rows: that passed by, readable or not.
    """

    size: int = SAMPLED_PAIRS
    rows: int = field(default=0, init=False)
    _kept: list[tuple[int, str, str, str]] = field(factory=list, init=False, repr=False)

    def add(self, row: Row) -> None:
        """Keeps the texts of a row if they belong to the sample so far."""
        self.rows += 1
        if not isinstance(row, ReportPair):
            return
        rank = -_hash(row.id)  # a heap gives up its smallest
        if len(self._kept) == self.size and rank < self._kept[0][0]:
            return
        entry = (rank, row.id, row.reference.text[:_LONGEST], row.candidate.text[:_LONGEST])
        if len(self._kept) < self.size:
            heappush(self._kept, entry)
        else:
            heappushpop(self._kept, entry)

    def diversity(self) -> Diversity | None:
        """Diversity of the sample; None where no row could be read."""
        if not self._kept:
            return None
        by_hash = sorted(self._kept, reverse=True)
        return Diversity(
            pairs=len(by_hash),
            of=self.rows,
            candidates=Wording.of(candidate for *_, candidate in by_hash),
            references=Wording.of(reference for _, _, reference, _ in by_hash),
        )


def diversity_of(rows: Iterable[Row]) -> Diversity | None:
    """Diversity of a sample of some rows; None where none could be read."""
    sample = TextSample()
    for row in rows:
        sample.add(row)
    return sample.diversity()


def watch_rows(sample: TextSample, read: Callable[[], Iterable[Row]]) -> Iterator[Row]:
    """Yields the rows of a source, each of which the sample sees."""
    for row in read():
        sample.add(row)
        yield row


def _hash(name: str) -> int:
    return int.from_bytes(blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest())
