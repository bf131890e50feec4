"""The notation metric: the list of discrepancies between two reports, and GREEN's formula over it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from overread.application.metrics.pair_reader import PairReader, ReadPair
from overread.domain.discrepancy import count_by_category
from overread.domain.lexicon import Lexicon
from overread.domain.notation import notate, notation_score
from overread.domain.report import ClinicalContext, ReportPair
from overread.domain.result import Outcome, Scale, Scored, TransportEvidence, Unscored
from overread.domain.taxonomy import ErrorCategory

__all__ = ["NOTATION_SCALE", "NotationMetric"]

NOTATION_SCALE: Final = Scale(0.0, 1.0, higher_is_better=True)
"""1 is a candidate without a significant discrepancy."""


@frozen(eq=False)
class NotationMetric:
    """Discrepancies read off aligned units.

    Subscores: a count for each category (``A`` to ``H``), ``significant`` (critical ones included),
    ``insignificant``, ``critical`` and ``matched``. The score is GREEN's equation 1 over matched statements and
    significant discrepancies, 0 to 1, higher is better. ``notes`` go with every result.
    """

    reader: PairReader
    lexicon: Lexicon
    notes: tuple[str, ...] = ()

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Extractor, aligner and lexicon."""
        return (*self.reader.signature_parts, ("lexicon", self.lexicon.version))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """Discrepancies of each pair."""
        return [
            read if isinstance(read, Unscored) else self._scored(read, pair.context)
            for read, pair in zip(self.reader.read(pairs), pairs, strict=True)
        ]

    def _scored(self, pair: ReadPair, patient: ClinicalContext) -> Scored:
        notation = notate(
            pair.units.reference,
            pair.units.candidate,
            pair.aligned.cross.ground,
            self.lexicon.for_patient(
                patient, beside=(unit.canonical_finding for unit in pair.units.reference if unit.asserts_finding)
            ),
            reference_asides=pair.units.reference_asides,
            candidate_asides=pair.units.candidate_asides,
        )
        counts = count_by_category(notation.discrepancies)
        significant = notation.significant
        return Scored(
            score=notation_score(notation),
            subscores={
                **{category.value: float(counts[category]) for category in ErrorCategory},
                "critical": float(sum(d.severity == "critical" for d in notation.discrepancies)),
                "significant": float(significant),
                "insignificant": float(len(notation.discrepancies) - significant),
                "matched": float(notation.matched),
            },
            discrepancies=notation.discrepancies,
            evidence=TransportEvidence(
                reference_units=pair.units.reference,
                candidate_units=pair.units.candidate,
                alignment=pair.aligned.cross,
            ),
            notes=self.notes,
        )
