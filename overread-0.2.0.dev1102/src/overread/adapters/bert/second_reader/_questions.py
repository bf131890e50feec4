"""Questions to the network about a pair: each discrepancy, and each sentence of both reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import define

from overread.adapters.bert.second_reader._claims import TRAITS, kind_of, traits
from overread.adapters.bert.second_reader._tokens import OTHER_WORDS, ReportTokens, Tokens, within
from overread.domain.differences.second_reading import FirstReading
from overread.domain.reports.report import Span

__all__ = ["ANY", "CATEGORIES", "Questions", "Sentence", "ask", "kinds_told_apart"]

Floats = npt.NDArray[np.float32]

CATEGORIES: Final = ("A", "B", "C", "D", "E", "F", "G", "H", "R", "X", "O")
"""Of what may be wrong in a sentence: ReXVal's and RadEvalX's eight; advice, contradiction, and anything else."""

ANY: Final = 0
"""Number of any kind of discrepancy that is not told apart."""

_LONG: Final = 20.0
_LONGEST: Final = 40


@define(eq=False)
class Sentence:
    """A sentence that is asked about.

    Attributes:
        report: 0 for the reference's, 1 for the candidate's.
        number: in its report.
        span: where it stands there.
        verbatim: whether it stands word for word in the other report.
    """

    report: int
    number: int
    span: Span
    verbatim: bool


@define(eq=False)
class Questions:
    """Questions about a pair: first its discrepancies, in order, then its sentences.

    Attributes:
        reports: the tokens of both.
        pointed: 1 where a question points at a token, for the reference (q x n) and the candidate (q x m).
        kinds: numbers of kinds (q).
        traits: q x `TRAITS`.
        sentences: that are asked about.
    """

    reports: tuple[ReportTokens, ReportTokens]
    pointed: tuple[Floats, Floats]
    kinds: npt.NDArray[np.int64]
    traits: Floats
    sentences: Sequence[Sentence]

    @property
    def discrepancies(self) -> int:
        """Number of questions that are about discrepancies."""
        return len(self.kinds) - len(self.sentences)

    @property
    def can_be_answered(self) -> bool:
        """True if both reports have a token to compare."""
        return all(len(report.offsets) for report in self.reports)


def kinds_told_apart(kinds: Sequence[str]) -> int:
    """Number of kinds: those of discrepancies, any other, and sentences of either report."""
    return len(kinds) + 3


def ask(first: FirstReading, tokens: Tokens, kinds: Sequence[str]) -> Questions:
    """The questions about a pair.

    Args:
        first: the pair as it was read.
        tokens: cuts its reports.
        kinds: of discrepancies that are told apart.
    """
    reports = tokens.reports(first)
    numbers = {kind: number for number, kind in enumerate(kinds, start=ANY + 1)}
    sentences = [
        Sentence(at, number, span, bool(report.verbatim[number]))
        for at, report in enumerate(reports)
        for number, span in enumerate(report.spans)
    ]
    here, there = (
        [within(report.offsets, (d.reference_spans, d.candidate_spans)[at]) for d in first.discrepancies]
        + [
            report.sentence == one.number if one.report == at else np.zeros(len(report.offsets), dtype=bool)
            for one in sentences
        ]
        for at, report in enumerate(reports)
    )
    return Questions(
        reports,
        (_stack(here, len(reports[0].offsets)), _stack(there, len(reports[1].offsets))),
        np.array(
            [numbers.get(kind_of(d), ANY) for d in first.discrepancies]
            + [len(kinds) + 1 + one.report for one in sentences],
            dtype=np.int64,
        ),
        np.array(
            [traits(d) for d in first.discrepancies] + [_traits_of(one, reports[one.report]) for one in sentences],
            dtype=np.float32,
        ).reshape(-1, TRAITS),
        sentences,
    )


def _stack(pointed: Sequence[npt.NDArray[np.bool_]], length: int) -> Floats:
    return np.array(pointed, dtype=np.float32).reshape(len(pointed), length)


def _traits_of(sentence: Sentence, report: ReportTokens) -> list[float]:
    """Length in tokens, share of other words among them, and whether the other report holds it; the rest is nothing."""
    inside = report.sentence == sentence.number
    tokens = int(inside.sum())
    traits = [min(tokens, _LONGEST) / _LONG, float(report.marks[inside, OTHER_WORDS].mean()), float(sentence.verbatim)]
    return traits + [0.0] * (TRAITS - len(traits))
