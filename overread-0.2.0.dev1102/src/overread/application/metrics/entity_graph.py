"""The graph metric: how alike the graphs of two reports are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

import attrs
from attrs import frozen

from overread.application.metrics.pair_reader import MOST_UNITS, PairUnits, read_units
from overread.application.ports import UnitExtractor
from overread.application.traits import ExtractorTraits, traits_of
from overread.domain.entities.entity_graph import agreement, graph_of
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scale, Scored, Unscored

__all__ = ["GRAPH_SCALE", "GraphMetric"]

GRAPH_SCALE: Final = Scale(0.0, 1.0, higher_is_better=True)
"""1 is a candidate with the reference's entities and relations."""


@frozen(eq=False, kw_only=True)
class GraphMetric:
    """Entity and relation F1 in the manner of RadGraph, over graphs of clinical units; 0 to 1, higher is better.

    Subscores: every figure of `GraphAgreement`, and how many entities and relations there are. A pair of which neither
    report holds an entity is unscored.

    Attributes:
        level: the figure that is the score.
        max_units: a report of more units is unscored as "too long".
    """

    extractor: UnitExtractor
    level: Literal["simple", "partial", "complete", "combined"] = "partial"
    max_units: int = MOST_UNITS

    @property
    def signature_parts(self) -> Sequence[tuple[str, str]]:
        """Extractor and level."""
        return (("extractor", self.extractor.identity), ("level", self.level))

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        """Score the similarity of each pair's graphs."""
        texts = [(pair.reference.text, pair.candidate.text) for pair in pairs]
        read = read_units(self.extractor, texts, max_units=self.max_units)
        note = traits_of(self.extractor, ExtractorTraits).note
        return [units if isinstance(units, Unscored) else self._outcome(units, note) for units in read]

    def _outcome(self, units: PairUnits, note: str) -> Outcome:
        reference, candidate = graph_of(units.reference), graph_of(units.candidate)
        if not (reference.nodes or candidate.nodes):
            return Unscored("no entities", "neither report holds an entity")
        figures = {name: f for name, f in attrs.asdict(agreement(reference, candidate)).items() if f is not None}
        notes = [note] if note else []
        for side, graph in (("reference", reference), ("candidate", candidate)):
            if not graph.nodes:
                notes.append(f"the {side} does not hold an entity: the score is 0")
        return Scored(
            score=figures[self.level],
            subscores={
                **figures,
                "reference_entities": float(len(reference.nodes)),
                "candidate_entities": float(len(candidate.nodes)),
                "reference_relations": float(len(reference.relations)),
                "candidate_relations": float(len(candidate.relations)),
            },
            notes=tuple(notes),
        )
