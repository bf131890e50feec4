"""References with facts told right and wrong put together to candidates, and that what is shipped holds together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.training_pairs.facts import FACTS, read_facts

STUDY: dict[str, Any] = {
    "study": "f1",
    "modality": "CR chest",
    "age": "70",
    "sex": "M",
    "indication": "Dyspnea",
    "reference": "Small left effusion. Heart normal.\nIMPRESSION: Effusion.",
    "facts": [
        {
            "importance": "actionable",
            "quotes": ["Small left effusion", "IMPRESSION: Effusion"],
            "right": ["A little fluid at the left base.", "The left angle is blunted."],
            "wrong": [{"category": "C", "importance": "actionable", "extent": 0.7, "text": "Fluid at the right base."}],
        },
        {
            "importance": "normal",
            "quotes": ["Heart normal"],
            "right": ["Cardiac size is normal.", "No cardiomegaly."],
            "wrong": [{"category": "A", "importance": "follow-up", "extent": 1.0, "text": "The heart is enlarged."}],
        },
    ],
    "invented": [{"category": "A", "importance": "urgent", "extent": 1.0, "text": "Large pneumothorax."}],
    "harmless": ["Frontal view.", "Correlate clinically."],
}


def written(folder: Path, *studies: dict[str, Any]) -> Path:
    path = folder / "facts.jsonl"
    path.write_text("".join(json.dumps(study) + "\n" for study in studies), encoding="utf-8")
    return path


def test_candidates_are_marked_by_the_sentences_drawn(tmp_path: Path) -> None:
    """A wrong sentence on both sides, a missing fact in the reference, an invented one in the candidate."""
    numbered = [STUDY | {"study": f"f{number}"} for number in range(60)]
    pairs = read_facts(written(tmp_path, *numbered))
    seen = set()
    for pair in pairs:
        text, words = pair.pair.candidate.text, pair.pair.reference.text
        assert text
        said = {
            (
                error.category,
                round(error.weight, 2),
                tuple(span.of(words) for span in error.reference_spans),
                tuple(span.of(text) for span in error.candidate_spans),
            )
            for error in pair.errors
        }
        effusion = ("Small left effusion", "IMPRESSION: Effusion")
        expected = {
            ("C", 0.35, effusion, ("Fluid at the right base.",)): "right base" in text,
            ("B", 0.5, effusion, ()): not any(told in text for told in ("left", "right base")),
            ("A", 0.2, ("Heart normal",), ("The heart is enlarged.",)): "enlarged" in text,
            ("A", 1.0, (), ("Large pneumothorax.",)): "pneumothorax" in text,
        }
        assert said == {error for error, holds in expected.items() if holds}
        seen |= said
    assert len(seen) == 4
    assert sum(not pair.errors for pair in pairs) >= 2 * len(numbered)


def test_one_seed_draws_alike(tmp_path: Path) -> None:
    """And another otherwise."""
    path = written(tmp_path, *[STUDY] * 9)
    assert read_facts(path) == read_facts(path)
    assert read_facts(path) != read_facts(path, seed=8)


def test_a_quote_that_is_not_in_the_reference_is_refused(tmp_path: Path) -> None:
    """With the line."""
    fact = STUDY["facts"][0] | {"quotes": ["Large right effusion"]}
    with pytest.raises(InputError, match="row 2"):
        read_facts(written(tmp_path, STUDY, STUDY | {"facts": [fact]}))


def test_the_shipped_facts_are_as_their_card_says() -> None:
    """Studies, facts and sentences counted."""
    studies = [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]
    facts = [fact for study in studies for fact in study["facts"]]
    right, wrong = (sum(len(fact[kind]) for fact in facts) for kind in ("right", "wrong"))
    card = (FACTS.parent / "README.md").read_text(encoding="utf-8")
    assert f"{len(studies):,} invented references" in card
    assert f"{len(facts):,} facts" in card
    assert f"{right:,} right and {wrong:,} wrong" in card
    assert len(read_facts()) == 7 * len(studies)
