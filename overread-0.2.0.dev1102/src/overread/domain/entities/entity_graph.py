"""Reports as graphs in the manner of RadGraph (Jain et al. 2021), made of clinical units, and how alike two are.

RadGraph's own graphs come from a trained model and hold the report's words; these come from the units and hold the
lexicon's names, so that other wording is no difference. Figures of the two are not comparable.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from attrs import frozen

from overread.domain.findings.chest_labels import f1
from overread.domain.findings.unit import ClinicalUnit

__all__ = ["EntityGraph", "GraphAgreement", "Node", "Relation", "agreement", "graph_of"]

_ANATOMY: Final = "anatomy"


@frozen
class Node:
    """An entity: what it is, and its label: the polarity of an observation, or a kind such as "anatomy"."""

    name: str
    label: str


@frozen
class Relation:
    """A relation from ``source`` to ``target``; its ``kind`` is a verb, as RadGraph's "located_at" and "modify"."""

    source: Node
    kind: str
    target: Node


@frozen
class EntityGraph:
    """The distinct entities of a report and the relations between them."""

    nodes: frozenset[Node]
    relations: frozenset[Relation]

    @classmethod
    def of(cls, observations: Iterable[Node], relations: Iterable[Relation]) -> EntityGraph:
        """The graph of observations, related or not, and of what stands at the ends of the relations."""
        distinct = frozenset(relations)
        ends = (node for relation in distinct for node in (relation.source, relation.target))
        return cls(frozenset((*observations, *ends)), distinct)


def graph_of(units: Iterable[ClinicalUnit]) -> EntityGraph:
    """The graph of a report's units: observations at their places, with the words that modify them.

    Units without a finding, administrative ones, and those about the past or about relatives are no part of it.
    """
    stated = [unit for unit in units if unit.asserts_finding or unit.denies_finding]
    return EntityGraph.of(map(_observation, stated), (relation for unit in stated for relation in _relations(unit)))


def _observation(unit: ClinicalUnit) -> Node:
    return Node(unit.canonical_finding, unit.polarity.value)


def _relations(unit: ClinicalUnit) -> Iterator[Relation]:
    observation = _observation(unit)
    yield from (Relation(observation, "located_at", Node(label, _ANATOMY)) for label in unit.anatomy)
    words = (*unit.modifiers, unit.severity, unit.change and unit.change.value, unit.device_status)
    yield from (Relation(Node(word, observation.label), "modify", observation) for word in words if word)


@frozen
class GraphAgreement:
    """F1 of two graphs, each 0 to 1, higher is better; the names of the levels are those of the RadGraph package.

    Attributes:
        simple: of the entities (Delbrouck et al. 2022, RG_E).
        partial: of the entities, each with whether it has a relation (RG_ER).
        complete: of the entities, each with each of its relations and what that leads to (RG_ER with a bar).
        relation: of the relations; None where neither graph has one.
        combined: mean of ``simple`` and ``relation`` (RadGraph F1 of Yu et al. 2023), of ``simple`` alone without that.
    """

    simple: float
    partial: float
    complete: float
    relation: float | None
    combined: float


def agreement(reference: EntityGraph, candidate: EntityGraph) -> GraphAgreement:
    """Similarity of two graphs; 0 if only one of them has entities."""
    simple = _f1(reference.nodes, candidate.nodes)
    related = reference.relations or candidate.relations
    relation = _f1(reference.relations, candidate.relations) if related else None
    return GraphAgreement(
        simple=simple,
        partial=_f1(_with_whether(reference), _with_whether(candidate)),
        complete=_f1(_with_which(reference), _with_which(candidate)),
        relation=relation,
        combined=simple if relation is None else (simple + relation) / 2,
    )


def _f1(reference: AbstractSet[object], candidate: AbstractSet[object]) -> float:
    hits = len(reference & candidate)
    return f1(hits, len(candidate) - hits, len(reference) - hits)


def _with_whether(graph: EntityGraph) -> set[tuple[Node, bool]]:
    sources = {relation.source for relation in graph.relations}
    return {(node, node in sources) for node in graph.nodes}


def _with_which(graph: EntityGraph) -> set[Node | Relation]:
    sources = {relation.source for relation in graph.relations}
    return {*(node for node in graph.nodes if node not in sources), *graph.relations}
