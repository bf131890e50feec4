"""The notation metric: the list of discrepancies between two reports, each weighed, and a score over them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from overread.application.metrics.pair_reader import PairReader, ReadPair, coverage_scores, reading_notes
from overread.domain.differences.actionable import action_counts
from overread.domain.differences.graded_reward import graded_reward
from overread.domain.differences.notation import green_score
from overread.domain.differences.weighing import completeness
from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import count_by_category, expected_errors
from overread.domain.results.result import Outcome, Scale, Scored, TransportEvidence, Unscored
from overread.domain.vocabulary.taxonomy import ErrorCategory

__all__ = ["NOTATION_SCALE", "NotationMetric"]

NOTATION_SCALE: Final = Scale(0.0, 1.0, higher_is_better=True)
"""1 is a candidate without a discrepancy."""


@frozen(eq=False)
class NotationMetric:
    """Discrepancies read off the plan between weighed units.

    Subscores: a count for each category (``A`` to ``H``), ``significant`` (critical ones included),
    ``insignificant``, ``critical`` and ``matched``; ``errors``, how many of the eight categories are to be expected;
    ``risk``, the sum of the weights, and ``green``, GREEN's equation 1 over matched statements and significant
    discrepancies; ``completeness``, the share of the parts of the body the
    reference speaks of that the candidate speaks of too; ``reference_coverage`` and ``candidate_coverage``, share of
    each report's words that were read; ``reward``, 0 to 1 and higher is better, for training a generator
    (`graded_reward`); ``actionable``, ``reference_actionable``, ``reference_stated``, ``candidate_actionable`` and
    ``candidate_borne_out``, of which figures of a corpus are made (`action_counts`). The score is GREEN's equation over
    weights, 0 to 1, higher is better.
    ``notes`` go with every result.
    """

    reader: PairReader
    lexicon: Lexicon
    notes: tuple[str, ...] = ()

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Extractor, cost, aligner and lexicon."""
        return (*self.reader.signature_parts, ("lexicon", self.lexicon.version))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """Discrepancies of each pair."""
        return [read if isinstance(read, Unscored) else self._score_pair(read) for read in self.reader.read(pairs)]

    def _score_pair(self, pair: ReadPair) -> Scored:
        weighing, notation = pair.aligned.weighing, pair.aligned.notation
        if weighing is None or notation is None:
            raise ValueError("notation needs a reader whose cost weighs discrepancies")
        counts = count_by_category(notation.discrepancies)
        significant = notation.significant
        return Scored(
            score=notation.score,
            subscores={
                **{category.value: float(counts[category]) for category in ErrorCategory},
                "critical": float(sum(d.severity == "critical" for d in notation.discrepancies)),
                "significant": float(significant),
                "insignificant": float(len(notation.discrepancies) - significant),
                "errors": expected_errors(notation.discrepancies),
                "matched": float(notation.matched),
                "risk": notation.risk,
                "green": green_score(notation),
                "completeness": completeness(weighing),
                **coverage_scores(pair),
                "reward": graded_reward(notation, weighing, pair.aligned.cross, pair.coverage),
                **action_counts(weighing, notation.discrepancies),
            },
            discrepancies=notation.discrepancies,
            evidence=TransportEvidence(
                reference_units=pair.rows, candidate_units=pair.columns, alignment=pair.aligned.cross
            ),
            notes=self.notes + reading_notes(pair),
        )
