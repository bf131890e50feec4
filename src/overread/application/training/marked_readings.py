"""Use case: marked pairs as they are read first, with what holds of that reading, for second readers to learn from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.application.batching import batches
from overread.application.metrics.pair_reader import PairReader, ReadPair, first_reading
from overread.application.telling import tell
from overread.domain.differences.second_reading import FirstReading
from overread.domain.reports.report import ReportPair, share_a_place
from overread.domain.results.annotation import MarkedError, MarkedPair

__all__ = ["MarkedReading", "first_readings", "mark_reading", "read_marked"]

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
    firsts = first_readings(reader, [each.pair for each in marked])
    return [
        mark_reading(first, each.errors, study=each.study, source=each.source)
        for each, first in zip(marked, firsts, strict=True)
        if first is not None
    ]


def first_readings(reader: PairReader, pairs: Sequence[ReportPair]) -> Iterator[FirstReading | None]:
    """Yield pairs as they are read first, telling how far reading is; None for one that cannot be read.

    Args:
        reader: reads and weighs pairs; its second reader is not asked.
        pairs: of reports.
    """
    reader = evolve(reader, second_reader=None)
    for number, batch in enumerate(batches(pairs, _BATCH)):
        tell("reading", number * _BATCH, len(pairs))
        for pair, read in zip(batch, reader.read(batch), strict=True):
            yield first_reading(pair, read) if isinstance(read, ReadPair) else None


def mark_reading(first: FirstReading, errors: Sequence[MarkedError], *, study: str, source: str = "") -> MarkedReading:
    """A first reading with whether each of its discrepancies holds: whether it points at one of the errors.

    Args:
        first: of a pair.
        errors: of that pair, all of them.
        study: as in `MarkedReading`.
        source: as in `MarkedReading`.
    """
    holds = tuple(any(share_a_place(each, error) for error in errors) for each in first.discrepancies)
    return MarkedReading(first, holds, tuple(errors), study, source)
