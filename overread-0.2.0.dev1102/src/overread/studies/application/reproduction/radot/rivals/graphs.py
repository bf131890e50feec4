"""Features of the graph-derived rival: entities and relations of two reports, compared as RadGraph compares them.

A report's units make a graph: what is observed or absent, where, how it looks and how it has changed are its entities,
and what belongs to what its relations. Such graphs are overread's own; RadGraph's come from a model of its own (Jain et
al., 2021). The published figures of the rival rest on graphs that tell more apart than those of the metric ``graph``:
units of the past or without a finding, kinds of words, devices and certainty.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import numpy as np
import numpy.typing as npt

from overread.domain.entities.entity_graph import EntityGraph, Node, Relation
from overread.domain.findings.unit import ClinicalUnit
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.rivals.structured import finding_of

__all__ = ["NUMBER_NAMES", "RATIO_NAMES", "detailed_graph", "graph_features"]

Matrix = npt.NDArray[np.float64]

_RELATED: Final = {
    "anatomy": "located_at",
    "modifier": "modifies",
    "device": "is_device",
    "change": "changes",
    "certainty": "qualifies",
}
"""Kinds of entities beside the observations, and how each is related to its observation."""
_PARTS: Final = ("entities", "observation", *_RELATED, "relations", *_RELATED.values())

RATIO_NAMES: Final = tuple(f"{part}_{loss}" for part in _PARTS for loss in ("recall_loss", "precision_loss"))
"""One less recall and one less precision of the candidate's graph, by kind of entity and relation."""

NUMBER_NAMES: Final = tuple(f"{part}_{side}" for part in _PARTS for side in ("missing", "extra"))
"""Entities and relations that only the reference, only the candidate has."""


def detailed_graph(units: Sequence[ClinicalUnit]) -> EntityGraph:
    """The graph of a report's units: observations with their polarity, and words with their kind."""
    observed = [(Node(finding_of(unit), unit.polarity.value), unit) for unit in units]
    return EntityGraph.of(
        (observation for observation, _ in observed),
        (
            Relation(word, _RELATED[word.label], observation)
            for observation, unit in observed
            for word in _attached_words(unit)
        ),
    )


def graph_features(data: ReadSet) -> Matrix:
    """Losses and numbers of each pair, pairs x (`RATIO_NAMES` and `NUMBER_NAMES`); 0 is agreement.

    A kind that the reference, the candidate has nothing of has no recall, no precision to lose.
    """
    rows = [_row(detailed_graph(pair.reference), detailed_graph(pair.candidate)) for pair in data.units]
    return np.array(rows, dtype=np.float64).reshape(len(data), len(RATIO_NAMES) + len(NUMBER_NAMES))


def _attached_words(unit: ClinicalUnit) -> Iterator[Node]:
    yield from (Node(label, "anatomy") for label in unit.anatomy)
    yield from (Node(label, "modifier") for label in unit.modifiers)
    for kind, label in (
        ("modifier", unit.severity),
        ("device", unit.device_status or unit.device),
        ("change", unit.change),
        ("certainty", unit.certainty),
    ):
        if label is not None:
            yield Node(label, kind)


def _row(reference: EntityGraph, candidate: EntityGraph) -> list[float]:
    ratios: list[float] = []
    numbers: list[float] = []
    for reference_part, candidate_part in zip(_parts(reference), _parts(candidate), strict=True):
        for one, other in ((reference_part, candidate_part), (candidate_part, reference_part)):
            lost = len(one - other)
            numbers.append(float(lost))
            ratios.append(lost / len(one) if one else 0.0)
    return ratios + numbers


def _parts(graph: EntityGraph) -> Iterator[AbstractSet[object]]:
    """Yields the sets that are compared separately, in the order of the names."""
    yield graph.nodes
    yield {node for node in graph.nodes if node.label not in _RELATED}
    yield from ({node for node in graph.nodes if node.label == kind} for kind in _RELATED)
    yield graph.relations
    yield from ({each for each in graph.relations if each.kind == kind} for kind in _RELATED.values())
