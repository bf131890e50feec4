"""Use case: marked pairs as they are read first, with what holds of that reading, for second readers to learn from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.application.batching import batches
from overread.application.metrics.pair_reader import PairReader, ReadPair, first_reading
from overread.application.telling import tell
from overread.domain.differences.second_reading import FirstReading
from overread.domain.reports.report import share_a_place
from overread.domain.results.annotation import MarkedError, MarkedPair

__all__ = ["MarkedReading", "read_marked"]

_BATCH: Final = 200
"""Pairs that are read at a time, so that it can be told how far reading is."""


@frozen(eq=False)
class MarkedReading:
    """A first reading, whether each of its discrepancies holds, all errors of the pair, its study and its set."""

    first: FirstReading
    holds: tuple[bool, ...]
    errors: tuple[MarkedError, ...] = field(repr=False)
    study: str
    source: str = ""


def read_marked(reader: PairReader, marked: Sequence[MarkedPair]) -> list[MarkedReading]:
    """Marked pairs with whether each discrepancy that a reader finds holds: whether it points at a marked error.

    Args:
        reader: reads and weighs pairs; its second reader is not asked.
        marked: pairs that cannot be read are left out.
    """
    reader = evolve(reader, second_reader=None)
    judged: list[MarkedReading] = []
    for number, batch in enumerate(batches(marked, _BATCH)):
        tell("reading", number * _BATCH, len(marked))
        judged += _judge_readings(batch, reader.read([marked_pair.pair for marked_pair in batch]))
    return judged


def _judge_readings(marked: Iterable[MarkedPair], read: Iterable[object]) -> Iterator[MarkedReading]:
    for marked_pair, pair in zip(marked, read, strict=True):
        if not isinstance(pair, ReadPair):
            continue
        first = first_reading(marked_pair.pair, pair)
        if first is not None:
            holds = tuple(any(share_a_place(d, error) for error in marked_pair.errors) for d in first.discrepancies)
            yield MarkedReading(first, holds, marked_pair.errors, marked_pair.study, marked_pair.source)
