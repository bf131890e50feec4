"""The radot metric: RadOT-Eval over whichever extractor, aligner and readout are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from overread.application.contracts import risks_of
from overread.application.metrics.pair_reader import PairReader, ReadPair, coverage_scores, reading_notes
from overread.application.ports import Readout
from overread.application.traits import MetricTraits, ReadoutTraits, traits_of
from overread.domain.reports.report import ReportPair
from overread.domain.results.readout import TARGETS, Risk
from overread.domain.results.result import Outcome, Scale, Scored, TransportEvidence, Unscored

__all__ = ["FITTED_SCALE", "RADOT_SCALE", "RadotMetric"]

RADOT_SCALE: Final = Scale(0.0, 1.0, higher_is_better=False)
"""Risk relative to what there was to say."""

FITTED_SCALE: Final = Scale(0.0, float("inf"), higher_is_better=False)
"""Risk as a fitted readout sums it."""


@frozen(eq=False)
class RadotMetric:
    """RadOT-Eval (2026): three risk scores from transport over clinical units.

    ``total``, ``significant`` and ``insignificant`` risk stand in the subscores. The score is the risk relative to what
    there was to say where the readout knows it, else the total. Risks rank pairs; they are not calibrated counts
    (section III-A). Where the extractor knows, ``reference_coverage`` and ``candidate_coverage`` say what share of each
    report's words was read. A pair of empty reports is unscored.

    Attributes:
        reader: extracts and aligns.
        readout: turns plans into risk.
        caveats: what a reader of any result must know; they head its notes.
    """

    reader: PairReader
    readout: Readout
    caveats: tuple[str, ...] = ()

    @property
    def traits(self) -> MetricTraits:
        """Scale from 0 to 1 where the readout tells the risk relative to what there was to say, else from 0 up."""
        weighs = traits_of(self.readout, ReadoutTraits).needs_weighing
        return MetricTraits(scale=RADOT_SCALE if weighs else FITTED_SCALE)

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Extractor, cost, aligner unless no plan enters the readout, and readout."""
        parts = self.reader.signature_parts
        if not traits_of(self.readout, ReadoutTraits).uses_plan:
            parts = tuple(part for part in parts if part[0] != "aligner")
        return (*parts, ("readout", self.readout.identity))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """Risk of each pair."""
        read = self.reader.read(pairs, with_selves=self.readout.uses_self_alignments)
        readable = [pair for pair in read if isinstance(pair, ReadPair)]
        risks = risks_of(self.readout, [pair.aligned for pair in readable])
        scored = iter([_score_pair(pair, risk, self.caveats) for pair, risk in zip(readable, risks, strict=True)])
        return [pair if isinstance(pair, Unscored) else next(scored) for pair in read]


def _score_pair(pair: ReadPair, risk: Risk, caveats: tuple[str, ...]) -> Scored:
    cross = pair.aligned.cross
    doubts = () if cross.converged else (f"the plan did not converge (error {cross.marginal_error:.1e})",)
    return Scored(
        score=risk.scores["total"] if risk.relative is None else risk.relative,
        subscores={**{target: risk.scores[target] for target in TARGETS}, **coverage_scores(pair)},
        evidence=TransportEvidence(
            reference_units=pair.rows,
            candidate_units=pair.columns,
            alignment=cross,
            contributions=risk.contributions,
        ),
        notes=caveats + reading_notes(pair) + doubts,
    )
