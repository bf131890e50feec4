"""Features of the graph-derived rival: entities and relations of two reports, compared as RadGraph compares them.

A report's units make a graph: what is observed or absent, where, how it looks and how it has changed are its entities,
and what belongs to what its relations. Such graphs are overread's own; RadGraph's come from a model of its own (Jain et
al., 2021).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.domain.findings.unit import ClinicalUnit
from overread.studies.application.reproduction.radot.reading import ReadSet
from overread.studies.application.reproduction.radot.rivals.structured import finding_of

__all__ = ["NUMBER_NAMES", "RATIO_NAMES", "ReportGraph", "graph_features"]

Matrix = npt.NDArray[np.float64]
Entity = tuple[str, str]
"""Kind and label."""
Relation = tuple[str, str, str]
"""Kind, label of what is related, and label of the observation that it is related to."""

_ENTITIES: Final = ("observation", "anatomy", "modifier", "device", "change", "certainty")
_RELATIONS: Final = ("located_at", "modifies", "is_device", "changes", "qualifies")
_RELATED: Final = dict(zip(_ENTITIES[1:], _RELATIONS, strict=True))
_PARTS: Final = ("entities", *_ENTITIES, "relations", *_RELATIONS)

RATIO_NAMES: Final = tuple(f"{part}_{loss}" for part in _PARTS for loss in ("recall_loss", "precision_loss"))
"""One less recall and one less precision of the candidate's graph, by kind of entity and relation."""

NUMBER_NAMES: Final = tuple(f"{part}_{side}" for part in _PARTS for side in ("missing", "extra"))
"""Entities and relations that only the reference, only the candidate has."""


@frozen
class ReportGraph:
    """Entities and relations of a report.

    Attributes:
        entities: kind and label; an observation's label holds its polarity, as RadGraph's labels do.
        relations: kind, label of the entity, label of the observation that it belongs to.
    """

    entities: frozenset[Entity]
    relations: frozenset[Relation]

    @classmethod
    def of(cls, units: Sequence[ClinicalUnit]) -> ReportGraph:
        """The graph of a report's units."""
        entities: set[Entity] = set()
        relations: set[Relation] = set()
        for unit in units:
            observation = f"{finding_of(unit)}, {unit.polarity}"
            entities.add(("observation", observation))
            for kind, label in _attached_entities(unit):
                entities.add((kind, label))
                relations.add((_RELATED[kind], label, observation))
        return cls(frozenset(entities), frozenset(relations))


def graph_features(data: ReadSet) -> Matrix:
    """Losses and numbers of each pair, pairs x (`RATIO_NAMES` and `NUMBER_NAMES`); 0 is agreement.

    A kind that the reference, the candidate has nothing of has no recall, no precision to lose.
    """
    rows = [_row(ReportGraph.of(pair.reference), ReportGraph.of(pair.candidate)) for pair in data.units]
    return np.array(rows, dtype=np.float64).reshape(len(data), len(RATIO_NAMES) + len(NUMBER_NAMES))


def _attached_entities(unit: ClinicalUnit) -> Iterator[Entity]:
    yield from (("anatomy", label) for label in unit.anatomy)
    yield from (("modifier", label) for label in unit.modifiers)
    for kind, label in (
        ("modifier", unit.severity),
        ("device", unit.device_status or unit.device),
        ("change", unit.change),
        ("certainty", unit.certainty),
    ):
        if label is not None:
            yield kind, label


def _row(reference: ReportGraph, candidate: ReportGraph) -> list[float]:
    ratios: list[float] = []
    numbers: list[float] = []
    for reference_part, candidate_part in zip(_parts(reference), _parts(candidate), strict=True):
        for one, other in ((reference_part, candidate_part), (candidate_part, reference_part)):
            lost = len(one - other)
            numbers.append(float(lost))
            ratios.append(lost / len(one) if one else 0.0)
    return ratios + numbers


def _parts(graph: ReportGraph) -> Iterator[AbstractSet[object]]:
    """Yields the sets that are compared separately, in the order of the names."""
    for everything, kinds in ((graph.entities, _ENTITIES), (graph.relations, _RELATIONS)):
        yield everything
        yield from ({member for member in everything if member[0] == kind} for kind in kinds)
