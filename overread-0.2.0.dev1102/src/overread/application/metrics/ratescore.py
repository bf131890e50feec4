"""The ratescore metric: RaTEScore over whichever recognizer, encoder and affinity table are chosen."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from overread.application.metrics.entity_reader import EntityPair, EntityReader
from overread.domain.entities.affinity import Affinity, AffinityTable, Orientation, PenaltyRule
from overread.domain.reports.report import ReportPair
from overread.domain.results.ratescore import RateScore, ratescore
from overread.domain.results.result import EntityEvidence, Outcome, Scale, Scored, Unscored

__all__ = ["RATESCORE_SCALE", "EmptyRule", "RateScoreMetric"]

RATESCORE_SCALE: Final = Scale(0.0, 1.0, higher_is_better=True)
"""1 is a candidate that names the same things in the same way."""

_RELEASED: Final = 0.5


class EmptyRule(StrEnum):
    """Score of a pair in which a report holds no entity."""

    ZERO = "zero"
    """0 where one report holds none; no score where neither does."""

    RELEASE = "release"
    """0.5 either way, as the released package."""


@frozen(eq=False, kw_only=True)
class RateScoreMetric:
    """RaTEScore (Zhao et al. 2024, equations 1 to 5), 0 to 1, higher is better.

    Subscores: ``precision``, S(x, x_hat), over the candidate's entities; ``recall``, S(x_hat, x), over the
    reference's; and how many there are, ``reference_entities`` and ``candidate_entities``. A pair of empty reports is
    unscored.

    Attributes:
        reader: recognizes entities and compares their names.
        table: W and p.
        orientation: how W is read; by default as the table was learned.
        penalty: which types are at odds; by default as the table was learned.
        empty: what a report without entities does to the score.
        release: the released package whose final formula is used, "" for the paper's.
    """

    reader: EntityReader
    table: AffinityTable
    orientation: Orientation | None = None
    penalty: PenaltyRule | None = None
    empty: EmptyRule = EmptyRule.ZERO
    release: str = ""
    _affinity: Affinity = field(init=False, repr=False)

    @_affinity.default
    def _read_table(self) -> Affinity:
        return self.table.read_as(self.orientation, self.penalty)

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Recognizer, encoder, the table and how it is read, the rule for reports without entities, and the release."""
        return (
            *self.reader.signature_parts,
            ("table", self.table.identity),
            ("orientation", (self.orientation or self.table.orientation).value),
            ("penalty", (self.penalty or self.table.penalty).value),
            ("empty", self.empty.value),
            *((("compat", self.release),) if self.release else ()),
        )

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """RaTEScore of each pair, with the match of every entity as evidence."""
        return [read if isinstance(read, Unscored) else self._outcome(read) for read in self.reader.read(pairs)]

    def _outcome(self, pair: EntityPair) -> Outcome:
        without = [side for side in ("reference", "candidate") if not getattr(pair, side)]
        both = len(without) > 1
        if both and self.empty is EmptyRule.ZERO:
            return Unscored("no entities", "neither report holds an entity")
        result = ratescore(
            [entity.type for entity in pair.reference],
            [entity.type for entity in pair.candidate],
            pair.similarities,
            self._affinity,
            pair.back,
            pair.matched,
        )
        notes = self.reader.notes
        if without:
            whose = "neither report holds" if both else f"the {without[0]} does not hold"
            what = "0.5, as in the released package" if self.empty is EmptyRule.RELEASE else "0"
            notes = (*notes, f"{whose} an entity: the score is {what}")
        return Scored(
            score=_RELEASED if without and self.empty is EmptyRule.RELEASE else self._final(result),
            subscores={
                "precision": result.precision,
                "recall": result.recall,
                "reference_entities": float(len(pair.reference)),
                "candidate_entities": float(len(pair.candidate)),
            },
            evidence=EntityEvidence(
                reference_entities=pair.reference,
                candidate_entities=pair.candidate,
                reference_matches=result.reference_matches,
                candidate_matches=result.candidate_matches,
            ),
            notes=notes,
        )

    def _final(self, result: RateScore) -> float:
        """The harmonic mean; a release's may leave 0 to 1 where a direction is negative, and is then no score."""
        if not self.release:
            return result.score
        total = result.precision + result.recall
        return 2 * result.precision * result.recall / total if total else 0.0
