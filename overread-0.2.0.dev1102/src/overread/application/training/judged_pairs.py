"""Pairs whose differences are known by span: for training a judge, and for trying one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from attrs import field, frozen

from overread.application.ports import Judge
from overread.application.statistics import Estimate, Resampling, estimate_ratios
from overread.domain.reports.report import ReportPair
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import Unscored
from overread.domain.vocabulary.severity import Severity, is_clinically_significant
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType

__all__ = ["JudgeEvaluation", "JudgedPair", "MarkedSpan", "evaluate_judge"]


_DRAWS: Final = 1000
_SEED: Final = 20200217


@frozen
class MarkedSpan:
    """Words in which a difference shows, and what the difference is.

    Attributes:
        text: as one of the reports has it.
        aspect: of the twelve.
        type: None for the aspects without one.
        severity: how much it matters.
    """

    text: str = field(repr=False)
    aspect: ErrorAspect
    type: ErrorType | None
    severity: Severity


@frozen(kw_only=True)
class JudgedPair:
    """A pair with every difference in it.

    Attributes:
        study: pairs of one study are never divided between training and validation.
        spans: none where the reports do not differ. No words stand in two of them with different severities.
        explanation: one to three sentences; it may quote the reports.
        contrary: what would explain the same differences with the other weight; the explanation again where omitted.
    """

    pair: ReportPair = field(repr=False)
    study: str
    spans: tuple[MarkedSpan, ...]
    explanation: str = field(default="", repr=False)
    contrary: str = field(default="", repr=False)

    @property
    def is_significant(self) -> bool:
        """The verdict of the D/R rule: a discrimination pair is significant, a robustness pair is not."""
        return is_clinically_significant(span.severity for span in self.spans)


@frozen(kw_only=True)
class JudgeEvaluation:
    """Frequency with which a judge reaches the known verdict (Beyond Scalar Scores, section 3.3).

    Attributes:
        discrimination: D, the share of the significant pairs that it finds significant.
        robustness: R, the share of the others that it does not. In both, a pair without a judgement counts as wrong.
        pairs: number to be judged; ``unscored`` of them got no judgement.
    """

    discrimination: Estimate
    robustness: Estimate
    pairs: int
    unscored: int


def evaluate_judge(judge: Judge, pairs: Sequence[JudgedPair]) -> JudgeEvaluation:
    """Judges the pairs and compares the verdicts with the known ones."""
    judgements = judge.judge([judged.pair for judged in pairs])
    right = np.array(
        [
            _is_right(judged, judgement) if isinstance(judgement, Judgement) else False
            for judged, judgement in zip(pairs, judgements, strict=True)
        ],
        dtype=np.float64,
    )
    significant = np.array([judged.is_significant for judged in pairs], dtype=np.bool_)
    kinds = [significant.astype(np.float64), (~significant).astype(np.float64)]
    resampling = Resampling.by_study([judged.study for judged in pairs], draws=_DRAWS, seed=_SEED)
    discrimination, robustness = estimate_ratios([right * kind for kind in kinds], kinds, resampling)
    return JudgeEvaluation(
        discrimination=discrimination,
        robustness=robustness,
        pairs=len(pairs),
        unscored=sum(isinstance(judgement, Unscored) for judgement in judgements),
    )


def _is_right(judged: JudgedPair, judgement: Judgement) -> bool:
    verdict = is_clinically_significant(discrepancy.severity for discrepancy in judgement.discrepancies)
    return verdict == judged.is_significant
