"""The crepe metric: CREPE over whichever error counter is chosen."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from overread.application.contracts import counts_of
from overread.application.ports import ErrorCounter
from overread.domain.reports.report import ReportPair
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.result import CountEvidence, Outcome, Scale, Scored, Unscored

__all__ = ["CREPE_SCALE", "CrepeMetric"]

CREPE_SCALE: Final = Scale(0.0, math.inf, higher_is_better=False)
"""Errors are counted from 0 and fewer are better."""


@frozen(eq=False)
class CrepeMetric:
    """CREPE (Cho et al. 2025): how many errors a model predicts that a candidate has.

    The score is the sum of the predicted counts (equations 1 and 8), 0 to infinity, lower is better; each count
    stands in the subscores under the name of its head, A to F in the published model. Counts are predictions, so they
    are not whole, and a candidate without an error rarely has exactly none; one in the same words as the reference
    has. A report may be blank, a pair of blank reports is unscored. Where the model did not see the
    whole pair the score is marked as truncated and a note tells how much.
    """

    counter: ErrorCounter

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """The error counter."""
        return (("counter", self.counter.identity),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """Predicted errors of each pair, len(pairs) outcomes in order."""
        note = self.counter.note
        return [
            counts if isinstance(counts, Unscored) else _score_counts(counts.none if pair.is_copy else counts, note)
            for pair, counts in zip(pairs, counts_of(self.counter, pairs), strict=True)
        ]


def _score_counts(counts: ErrorCounts, note: str) -> Scored:
    return Scored(
        score=counts.total,
        subscores=dict(counts.counts),
        evidence=CountEvidence(counts=counts),
        truncated=counts.unseen > 0,
        notes=((note,) if note else ()) + tuple(_remarks(counts)),
    )


def _remarks(counts: ErrorCounts) -> Iterator[str]:
    if counts.unseen:
        yield f"the model did not see {counts.unseen} of the pair's {counts.tokens} tokens"
    if counts.windows > 1:
        yield f"the pair was read in {counts.windows} windows, and their counts were added"
