"""The judge metric: what a judge says of a pair, counted by ReEvalMed's rule."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

from attrs import frozen

from overread.application.asking.inquiry import Question
from overread.application.asking.planning import Asks
from overread.application.asking.steering import steering_notes
from overread.application.contracts import judgements_of
from overread.application.ports import Judge
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import count_by_category
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import EMPTY_PAIR, SAME_WORDS, Outcome, Scale, Scored, Unscored
from overread.domain.vocabulary.severity import Severity, is_clinically_significant

__all__ = ["JUDGE_SCALE", "JudgeMetric"]

JUDGE_SCALE: Final = Scale(0.0, math.inf, higher_is_better=False)
"""Discrepancies are counted from 0 and fewer are better."""

_SILENT: Final = "no difference was named: counted as insignificant"


@frozen(eq=False)
class JudgeMetric:
    """Discrepancies that a judge names (Beyond Scalar Scores, section 3.1), from whichever judge is chosen.

    The score is the number of critical and significant discrepancies, 0 to infinity, lower is better. Subscores:
    ``critical``, ``significant`` (critical ones included), ``insignificant``, a count for each category (``A`` to
    ``H``), and ``verdict``, 1 for a pair that is clinically significant by the D/R rule (equation 1) and 0 for one
    that is not. The rule says nothing of a pair without any discrepancy: it counts as not significant, and a note
    says so; another tells of a report that holds what may steer a language model. A pair that the judge could not judge
    is unscored, and so is one of two blank reports; a candidate in the same words as the reference scores 0, unasked.
    """

    judge: Judge

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """The judge."""
        return (("judge", self.judge.identity),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """The judgement of each pair, len(pairs) outcomes in order."""
        worded = [index for index, pair in enumerate(pairs) if not (pair.is_blank or pair.is_copy)]
        judgements = judgements_of(self.judge, [pairs[index] for index in worded])
        note = self.judge.note
        outcomes: list[Outcome] = [EMPTY_PAIR if pair.is_blank else _COPY for pair in pairs]
        for index, judgement in zip(worded, judgements, strict=True):
            steering = steering_notes(pairs[index]) if isinstance(self.judge, Asks) else ()
            outcomes[index] = (
                judgement if isinstance(judgement, Unscored) else _score_judgement(judgement, note, steering)
            )
        return outcomes

    def questions(self, pairs: Sequence[ReportPair]) -> Sequence[Question[Any]]:
        """Questions that the judge would ask a language model first; empty if it asks none."""
        if not isinstance(self.judge, Asks):
            return ()
        return self.judge.questions([pair for pair in pairs if not (pair.is_blank or pair.is_copy)])


def _score_judgement(judgement: Judgement, note: str, steering: Sequence[str]) -> Scored:
    severities = [discrepancy.severity for discrepancy in judgement.discrepancies]
    significant = sum(severity.counts_as_significant for severity in severities)
    counts = count_by_category(judgement.discrepancies)
    remarks = (note, *judgement.notes, "" if severities else _SILENT, *steering)
    return Scored(
        score=float(significant),
        subscores={
            "critical": float(severities.count(Severity.CRITICAL)),
            "significant": float(significant),
            "insignificant": float(severities.count(Severity.INSIGNIFICANT)),
            **{category.value: float(count) for category, count in counts.items()},
            "verdict": float(is_clinically_significant(severities)),
        },
        discrepancies=judgement.discrepancies,
        evidence=judgement.evidence,
        truncated=judgement.truncated,
        notes=tuple(remark for remark in remarks if remark),
    )


_COPY: Final = _score_judgement(Judgement(discrepancies=()), "", (SAME_WORDS,))
