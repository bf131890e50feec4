"""Use case: discrepancies of marked pairs, each with whether somebody confirms it, for second readers to learn from."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.application.batching import batches
from overread.application.metrics.pair_reader import PairReader, ReadPair
from overread.application.telling import tell
from overread.domain.annotation import MarkedError, MarkedPair
from overread.domain.discrepancy import Discrepancy
from overread.domain.report import ReportPair, Span
from overread.domain.second_reading import Claim

__all__ = ["JudgedClaim", "judge_claims"]

_BATCH: Final = 200
"""Pairs that are read at a time, so that it can be told how far reading is."""


@frozen
class JudgedClaim:
    """A claim, whether it holds, and the study and the set of pairs that it is of."""

    claim: Claim = field(repr=False)
    holds: bool
    study: str
    source: str = ""


def judge_claims(reader: PairReader, marked: Sequence[MarkedPair]) -> list[JudgedClaim]:
    """The discrepancies that a reader finds in marked pairs, with whether each holds.

    One holds if it points at the words of a marked error. Where the pair is known as it was before, what differed
    already is left out, and so is what is new and points elsewhere: nobody can say what it is.

    Args:
        reader: reads and weighs pairs; its second reader is not asked.
        marked: pairs that cannot be read are left out.
    """
    first = evolve(reader, second_reader=None)
    pairs = list(dict.fromkeys(pair for each in marked for pair in (each.pair, each.unaltered) if pair is not None))
    read: dict[ReportPair, object] = {}
    for batch in batches(pairs, _BATCH):
        tell("reading", len(read), len(pairs))
        read |= dict(zip(batch, first.read(batch), strict=True))
    return [
        judged
        for each in marked
        for judged in _judged(each, read[each.pair], None if each.unaltered is None else read[each.unaltered])
    ]


def _judged(marked: MarkedPair, read: object, before: object) -> Iterable[JudgedClaim]:
    if not isinstance(read, ReadPair) or read.aligned.notation is None:
        return
    known = set()
    if marked.unaltered is not None:
        if not isinstance(before, ReadPair) or before.aligned.notation is None:
            return
        known = {_words(d, marked.unaltered) for d in before.aligned.notation.discrepancies}
    for discrepancy in read.aligned.notation.discrepancies:
        holds = any(_points_at(discrepancy, error) for error in marked.errors)
        if marked.unaltered is None or (holds and _words(discrepancy, marked.pair) not in known):
            claim = Claim(discrepancy, marked.pair.reference.text, marked.pair.candidate.text)
            yield JudgedClaim(claim, holds, marked.study, marked.source)


def _words(discrepancy: Discrepancy, pair: ReportPair) -> Hashable:
    """What a discrepancy says of which words, wherever they stand."""
    return (
        discrepancy.aspect,
        discrepancy.type,
        discrepancy.finding,
        tuple(span.of(pair.reference.text) for span in discrepancy.reference_spans),
        tuple(span.of(pair.candidate.text) for span in discrepancy.candidate_spans),
    )


def _points_at(discrepancy: Discrepancy, error: MarkedError) -> bool:
    return _meet(discrepancy.reference_spans, error.reference_spans) or _meet(
        discrepancy.candidate_spans, error.candidate_spans
    )


def _meet(some: Iterable[Span], others: Sequence[Span]) -> bool:
    return any(one.start < other.end and other.start < one.end for one in some for other in others)
