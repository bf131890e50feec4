"""Judgements: what a judge says of a pair."""

from __future__ import annotations

from attrs import frozen

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import AnswerEvidence

__all__ = ["Judgement"]


@frozen(kw_only=True)
class Judgement:
    """The discrepancies that a judge names in a pair, none where it names none.

    Attributes:
        evidence: the answers it rests on, where a language model judged.
        truncated: whether part of a report was not read.
        notes: remarks that a reader must know.
    """

    discrepancies: tuple[Discrepancy, ...]
    evidence: AnswerEvidence | None = None
    truncated: bool = False
    notes: tuple[str, ...] = ()
