"""Graphs of units and their agreement, worked out by hand."""

from __future__ import annotations

import pytest

from overread.domain.entities.entity_graph import EntityGraph, agreement, graph_of
from overread.domain.findings.unit import Change, ClinicalUnit, Polarity, Temporality


def unit(finding: str, **more: object) -> ClinicalUnit:
    return ClinicalUnit(span_text="x", start=0, end=1, canonical_finding=finding, **more)  # type: ignore[arg-type]


REFERENCE = graph_of(
    [
        unit("effusion", anatomy=frozenset({"left", "pleura"}), severity="small"),
        unit("edema", change=Change.WORSENED),
        unit("pneumothorax", polarity=Polarity.ABSENT),
    ]
)
CANDIDATE = graph_of([unit("effusion", anatomy=frozenset({"right", "pleura"}), severity="small"), unit("pneumothorax")])


def test_what_a_graph_is_made_of() -> None:
    """Observations with their polarity, places, and the words that modify observations; and what leads where."""
    assert {(node.name, node.label) for node in REFERENCE.nodes} == {
        ("effusion", "present"),
        ("left", "anatomy"),
        ("pleura", "anatomy"),
        ("small", "present"),
        ("edema", "present"),
        ("worsened", "present"),
        ("pneumothorax", "absent"),
    }
    assert {(each.source.name, each.kind, each.target.name) for each in REFERENCE.relations} == {
        ("effusion", "located_at", "left"),
        ("effusion", "located_at", "pleura"),
        ("small", "modify", "effusion"),
        ("worsened", "modify", "edema"),
    }


def test_figures_by_hand() -> None:
    """Three of 7 and 5 entities are shared, two of 4 and 3 relations; with relations five of 8 and 6 are no match."""
    found = agreement(REFERENCE, CANDIDATE)
    assert found.simple == pytest.approx(2 * 3 / (7 + 5))
    assert found.relation == pytest.approx(2 * 2 / (4 + 3))
    # Effusion, small and pleura are the same with whether they lead anywhere.
    assert found.partial == pytest.approx(2 * 3 / (7 + 5))
    # The four relations and the four nodes that lead nowhere, against three and three; shared are two and pleura.
    assert found.complete == pytest.approx(2 * 3 / (8 + 6))
    assert found.combined == pytest.approx((2 * 3 / 12 + 2 * 2 / 7) / 2)


def test_a_node_that_leads_nowhere_is_another_to_partial() -> None:
    """The same entities, of which one says where it is and the other does not."""
    here = graph_of([unit("effusion", anatomy=frozenset({"pleura"}))])
    there = graph_of([unit("effusion"), unit("edema", anatomy=frozenset({"pleura"}))])
    assert agreement(here, there).partial == pytest.approx(2 * 1 / (2 + 3))


def test_a_graph_agrees_with_itself() -> None:
    """All figures are 1; a graph without relations has none of them."""
    found = agreement(REFERENCE, REFERENCE)
    assert found == agreement(CANDIDATE, CANDIDATE)
    assert (found.simple, found.partial, found.complete, found.relation, found.combined) == (1, 1, 1, 1, 1)
    bare = graph_of([unit("edema")])
    assert agreement(bare, bare).relation is None
    assert agreement(bare, bare).combined == 1.0


def test_an_empty_graph_agrees_with_nothing() -> None:
    """No entity on one side: 0."""
    empty = EntityGraph(frozenset(), frozenset())
    assert agreement(REFERENCE, empty).partial == agreement(empty, REFERENCE).combined == 0.0


def test_the_past_is_no_part() -> None:
    """Nor is a statement without a finding."""
    assert graph_of([unit("edema", temporality=Temporality.HISTORICAL), unit("")]) == EntityGraph(
        frozenset(), frozenset()
    )
