"""Metrics over labels: F1 of the observations that two reports name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from overread.application.contracts import labels_of, units_of
from overread.application.ports import ReportLabeller, UnitExtractor
from overread.application.traits import ExtractorTraits, traits_of
from overread.domain.findings.chest_labels import LABELS, LabelReading, LabelTable, f1
from overread.domain.findings.lexicon import Lexicon
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import EMPTY_PAIR, Fault, Outcome, Scale, Scored, Unscored

__all__ = ["LABEL_SCALE", "LabelMetric", "UnitLabeller"]

LABEL_SCALE: Final = Scale(0.0, 1.0, higher_is_better=True)
"""1 is a candidate with the reference's labels."""


@frozen(eq=False)
class UnitLabeller:
    """Labels reports by their clinical units: findings of a lexicon stand for observations by a table.

    Attributes:
        table_identity: of the table, for signatures.
    """

    extractor: UnitExtractor
    lexicon: Lexicon
    table: LabelTable
    table_identity: str

    @property
    def identity(self) -> str:
        """Extractor, lexicon where it is not the extractor's own, and table."""
        lexicon = f",lexicon={self.lexicon.version}"
        read_by = self.extractor.identity
        return f"{read_by}{'' if lexicon in read_by else lexicon},table={self.table_identity}"

    @property
    def note(self) -> str:
        """The extractor's note."""
        return traits_of(self.extractor, ExtractorTraits).note

    def label(self, reports: Sequence[Report]) -> list[LabelReading | Unscored]:
        """Label the observations in each report from its units."""
        return [
            units if isinstance(units, Unscored) else LabelReading(self.table.read(units, self.lexicon))
            for units in units_of(self.extractor, reports)
        ]


@frozen(eq=False, kw_only=True)
class LabelMetric:
    """F1 of the observations that both reports assert, 0 to 1, higher is better; 1 where neither asserts any.

    Subscores: ``precision`` and ``recall``, each left out where nothing is to be divided by; ``reference_LABEL`` and
    ``candidate_LABEL``, 1 where the report asserts it, of which figures of a corpus are made; ``similarity``, the
    cosine of what stands for the two reports as a whole, where the labeller makes that.

    Attributes:
        labeller: reads the observations.
        uncertain: whether an observation that is left open counts as asserted.
    """

    labeller: ReportLabeller
    uncertain: bool = True

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Labeller, and what becomes of doubt."""
        return (("labeller", self.labeller.identity), ("uncertain", "positive" if self.uncertain else "negative"))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """Label F1 of each pair."""
        asked = [pair for pair in pairs if not pair.is_blank]
        distinct = list(dict.fromkeys(report for pair in asked for report in (pair.reference, pair.candidate)))
        read = dict(zip(distinct, labels_of(self.labeller, distinct), strict=True))
        return [
            EMPTY_PAIR if pair.is_blank else self._outcome(read[pair.reference], read[pair.candidate]) for pair in pairs
        ]

    def _outcome(self, reference: LabelReading | Unscored, candidate: LabelReading | Unscored) -> Outcome:
        if isinstance(reference, Unscored):
            return reference.of(Fault.REFERENCE)
        if isinstance(candidate, Unscored):
            return candidate.of(Fault.CANDIDATE)
        wanted, given = (reading.positives(uncertain=self.uncertain) for reading in (reference, candidate))
        hits = len(wanted & given)
        subscores = {}
        if given:
            subscores["precision"] = hits / len(given)
        if wanted:
            subscores["recall"] = hits / len(wanted)
        if reference.vector is not None and candidate.vector is not None:
            subscores["similarity"] = min(max(float(reference.vector @ candidate.vector), -1.0), 1.0)
        for side, there in (("reference", wanted), ("candidate", given)):
            subscores |= {f"{side}_{label}": float(label in there) for label in LABELS}
        return Scored(
            score=f1(hits, len(given) - hits, len(wanted) - hits),
            subscores=subscores,
            truncated=reference.truncated or candidate.truncated,
            notes=self._notes(reference, candidate, wanted, given),
        )

    def _notes(
        self, reference: LabelReading, candidate: LabelReading, wanted: frozenset[str], given: frozenset[str]
    ) -> tuple[str, ...]:
        notes = [self.labeller.note] if self.labeller.note else []
        for side, here, there in (("reference", wanted, given), ("candidate", given, wanted)):
            if alone := [label.replace("_", " ") for label in LABELS if label in here - there]:
                notes.append(f"in the {side} alone: {', '.join(alone)}")
        for side, reading in ((Fault.REFERENCE, reference), (Fault.CANDIDATE, candidate)):
            if reading.note:
                notes.append(f"{side.value}: {reading.note}")
        return tuple(notes)
