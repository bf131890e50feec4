"""Pairs that weigh more in one patient than in another, through the shipped reader and the shipped rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

import overread
from overread import ClinicalContext
from overread.adapters.lexicon import load_knowledge

FILE: Final = Path(__file__).parents[1] / "data" / "context_pairs.jsonl"
PAIRS: Final = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
OWN: Final = [pair for pair in PAIRS if pair["id"].startswith("own-")]
BLIND: Final = [pair for pair in PAIRS if pair not in OWN]
"""Written by somebody who did not know the rules; the rules were not mended by them."""

RIGHT: Final = 19
"""Of the 30 blind ones, however discrepancies are weighed; raise it when more are right."""


def weight(pair: dict[str, Any], context: dict[str, Any]) -> float:
    """How much is wrong with the candidate in a patient: the discrepancies' weights, or what they ask for, summed."""
    patient = ClinicalContext(**context)
    result = overread.score(
        reference=pair["reference"], candidate=pair["candidate"], context=patient, metrics=["notation:fast"]
    )["notation"]
    lexicon = load_knowledge().lexicon.for_patient(patient)
    weights = []
    for found in result.discrepancies:
        weighed = getattr(found, "weight", None)
        asked = lexicon.importance(found.finding).weight if found.finding else 0.0
        weights.append(asked if weighed is None else weighed)
    return sum(weights)


def is_right(pair: dict[str, Any]) -> bool:
    if "equal" in pair:
        one, other = (weight(pair, context) for context in pair["equal"])
        return one == pytest.approx(other)
    return weight(pair, pair["weighs_more"]) > weight(pair, pair["weighs_less"]) + 1e-9


@pytest.mark.parametrize("pair", OWN, ids=lambda pair: pair["id"])
def test_the_context_moves_what_it_should(pair: dict[str, Any]) -> None:
    """The first context weighs more, or both weigh the same where the context has nothing to do with it."""
    assert is_right(pair), pair["why"]


def test_most_pairs_written_without_knowledge_of_the_rules_are_right() -> None:
    """Not fewer than were."""
    assert len(OWN) == len(BLIND) == 30
    assert sum(map(is_right, BLIND)) >= RIGHT
