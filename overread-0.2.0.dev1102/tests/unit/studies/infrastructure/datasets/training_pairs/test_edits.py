"""Finals with edits put together to drafts, and that what is shipped holds together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from overread.domain.results.annotation import MarkedPair
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.training_pairs.edits import EDITS, read_edits

FINAL = "Small left effusion. No pneumothorax.\nHeart normal.\nIMPRESSION: Small left effusion."
WRONG = {"importance": "actionable", "extent": 0.7}
STUDY: dict[str, Any] = {
    "study": "e1",
    "modality": "CR chest",
    "age": "70",
    "sex": "M",
    "indication": "Dyspnea",
    "reference": FINAL,
    "edits": [
        {"places": [["Heart normal.", "The heart is of normal size."]]},
        {
            "places": [["Small left effusion. No", "Small right effusion. No"], [": Small left", ": Small right"]],
            "category": "C",
            **WRONG,
        },
        {"places": [["No pneumothorax.", "No pneumothorax. Old scar."]], "category": "A", **WRONG},
    ],
}


def written(folder: Path, *studies: dict[str, Any]) -> Path:
    path = folder / "edits.jsonl"
    path.write_text("".join(json.dumps(study) + "\n" for study in studies), encoding="utf-8")
    return path


def told(pair: MarkedPair) -> list[tuple[str, list[str], list[str]]]:
    """Each error's category and its words in either report."""
    return [
        (
            error.category,
            [span.of(pair.pair.reference.text) for span in error.reference_spans],
            [span.of(pair.pair.candidate.text) for span in error.candidate_spans],
        )
        for error in pair.errors
    ]


def test_errors_are_marked_where_the_words_differ(tmp_path: Path) -> None:
    """In every place of an edit; what is put in stands in the draft alone, and right edits mark nothing."""
    pairs = [pair for pair in read_edits(written(tmp_path, STUDY)) if not pair.pair.id.endswith("swapped")]
    side = ("C", ["left", "left"], ["right", "right"])
    scar: tuple[str, list[str], list[str]] = ("A", [], ["Old scar"])
    assert all(pair.pair.reference.text == FINAL for pair in pairs)
    assert {tuple(error[0] for error in told(pair)) for pair in pairs} >= {(), ("C",), ("A",)}
    assert all(error in (side, scar) for pair in pairs for error in told(pair))
    assert all("normal size" in pair.pair.candidate.text for pair in pairs if not pair.errors)
    assert {round(error.weight, 3) for pair in pairs for error in pair.errors} == {0.35}


def test_a_draft_may_stand_for_the_final(tmp_path: Path) -> None:
    """What it has put in is then lost by the final, and what it has otherwise stays so."""
    swapped = [
        pair
        for seed in range(8)
        for pair in read_edits(written(tmp_path, STUDY), seed=seed)
        if "swapped" in pair.pair.id
    ]
    assert all(pair.pair.candidate.text == FINAL for pair in swapped)
    errors = [error for pair in swapped for error in told(pair)]
    assert ("B", ["Old scar"], []) in errors
    assert ("C", ["right", "right"], ["left", "left"]) in errors


def test_edits_of_the_same_words_do_not_meet(tmp_path: Path) -> None:
    """A draft has one of them at most."""
    edits = [{"places": [["Heart normal.", f"Heart {n}."]], "category": "D", **WRONG} for n in range(6)]
    pairs = read_edits(written(tmp_path, STUDY | {"edits": edits}))
    assert {len(pair.errors) for pair in pairs} == {0, 1}
    assert all((pair.pair.candidate.text == pair.pair.reference.text) != bool(pair.errors) for pair in pairs)


@pytest.mark.parametrize("old", ["", "left effusion", "Liver"])
def test_a_place_that_is_not_in_the_final_once_is_refused(tmp_path: Path, old: str) -> None:
    """With the line."""
    path = written(tmp_path, STUDY, STUDY | {"edits": [{"places": [[old, "right"]], "category": "C", **WRONG}]})
    with pytest.raises(InputError, match="row 2"):
        read_edits(path)


def test_the_shipped_edits_are_as_their_card_says() -> None:
    """Every place stands in its final once, every study has right edits and wrong ones, and drafts of both kinds."""
    studies = [json.loads(line) for line in EDITS.read_text(encoding="utf-8").splitlines()]
    edits = [edit for study in studies for edit in study["edits"]]
    card = (EDITS.parent / "README.md").read_text(encoding="utf-8")
    wrong = sum("category" in edit for edit in edits)
    assert f"{len(studies):,} invented finals" in card
    assert f"{len(edits) - wrong:,} edits that are right and {wrong:,} that are wrong" in card
    pairs = read_edits()
    clean = sum(not pair.errors for pair in pairs)
    assert 0.15 < clean / len(pairs) < 0.35
    assert all(
        pair.pair.candidate.text[span.start : span.end].strip()
        for pair in pairs
        for error in pair.errors
        for span in error.candidate_spans
    )
