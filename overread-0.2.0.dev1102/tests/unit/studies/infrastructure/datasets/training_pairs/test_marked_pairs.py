"""Pairs whose errors are marked: where each stands, and what retold studies make of their edits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.training_pairs.marked import (
    LABELLED,
    RETOLD,
    read_marked_gold,
    read_retold,
)

LABELS = {"category": "C", "importance": "follow-up", "extent": 0.7}
STUDY: dict[str, Any] = {
    "study": "t1",
    "modality": "CR chest",
    "age": "66",
    "sex": "F",
    "indication": "Cough",
    "versions": [
        {"voice": "a", "sentences": [["Small effusion on the left.", [1]], ["Heart normal.", [2]]]},
        {
            "voice": "b",
            "sentences": [["The cardiac size is normal.", [2]], ["A little fluid lies at the left base.", [1]]],
        },
    ],
    "edits": [
        {
            "version": 1,
            "fact": 1,
            "old": "A little fluid lies at the left base.",
            "new": "A little fluid lies at the right base.",
            **LABELS,
        },
        {"version": 1, "fact": 2, "old": "The cardiac size is normal.", "new": "", **LABELS},
        {"version": 1, "fact": 3, "old": "", "new": "There is a rib fracture.", **LABELS},
    ],
}


def written(folder: Path, *studies: dict[str, Any]) -> Path:
    path = folder / "studies.jsonl"
    path.write_text("".join(json.dumps(study) + "\n" for study in studies), encoding="utf-8")
    return path


def test_tellings_of_a_study_are_paired_with_and_without_errors(tmp_path: Path) -> None:
    """A pair as it is holds no error; an altered one of the same reference holds those put in, with what they weigh."""
    pairs = {each.pair.id: each for each in read_retold(written(tmp_path, STUDY))}
    assert set(pairs) >= {"t1-01", "t1-01-0", "t1-01-1", "t1-10"}
    for name, each in pairs.items():
        _, telling, *altered = name.split("-")
        assert each.pair.reference == pairs[f"t1-{telling}"].pair.reference
        assert bool(each.errors) == (bool(altered) and telling.endswith("1"))
        assert {error.category for error in each.errors} <= {"C"}
        assert [error.weight for error in each.errors] == pytest.approx([0.14] * len(each.errors))


ERROR: dict[str, Any] = {**LABELS, "reference_span": "Small effusion", "candidate_span": ""}


@pytest.mark.parametrize(
    ("odd", "words"),
    [
        ({"category": "Z"}, "the category of an error is none of A, B, C, D, E, F, G, H, R, X, O, -"),
        ({"importance": "grave"}, "the importance of an error is none of urgent, actionable, follow-up"),
        ({"extent": 7}, "the extent of an error is no number from 0 to 1"),
        ({"extent": True}, "the extent of an error is no number from 0 to 1"),
        ({"extent": float("nan")}, "the extent of an error is no number from 0 to 1"),
        ({"reference_span": "Large effusion"}, "the reference does not hold the words of an error"),
        ({"candidate_span": "Large effusion"}, "the candidate does not hold the words of an error"),
    ],
)
def test_a_mark_with_an_odd_value_is_refused(tmp_path: Path, odd: dict[str, Any], words: str) -> None:
    """With the line and what is allowed, and without a word of a report."""
    study = {"study": "t1", "reference": "Small effusion.", "age": "", "sex": "", "indication": ""}
    told = [
        {"id": name, "candidate": "No mass.", "labels": {"errors": [error]}}
        for name, error in (("a", ERROR), ("b", {**ERROR, **odd}))
    ]
    assert len(read_marked_gold(written(tmp_path, {**study, "candidates": told[:1]}))) == 1
    with pytest.raises(InputError) as refused:
        read_marked_gold(written(tmp_path, {**study, "candidates": told}))
    assert refused.value.row == 1
    assert words in refused.value.problem
    assert "Large" not in str(refused.value)


def test_an_error_is_marked_where_it_stands_in_both_reports(tmp_path: Path) -> None:
    """The new sentence in the candidate, the sentences of that fact in the reference; one alone where there is one."""
    seen = set()
    for seed in range(20):
        for each in read_retold(written(tmp_path, STUDY), seed=seed):
            if not each.pair.id.startswith("t1-01-"):
                continue
            for error in each.errors:
                ours = [span.of(each.pair.reference.text) for span in error.reference_spans]
                theirs = [span.of(each.pair.candidate.text) for span in error.candidate_spans]
                seen.add((tuple(ours), tuple(theirs)))
    assert seen == {
        (("Small effusion on the left.",), ("A little fluid lies at the right base.",)),
        (("Heart normal.",), ()),
        ((), ("There is a rib fracture.",)),
    }


def test_strangers_reports_are_wrong_throughout(tmp_path: Path) -> None:
    """Two studies of one kind of examination give pairs of different patients, marked from end to end."""
    other = {**STUDY, "study": "t2", "edits": []}
    strangers = [each for each in read_retold(written(tmp_path, STUDY, other)) if each.source == "strangers"]
    assert [each.pair.id for each in strangers] == ["t1-t2", "t2-t1"]
    for each in strangers:
        [error] = each.errors
        assert [span.of(each.pair.reference.text) for span in error.reference_spans] == [each.pair.reference.text]


def test_the_same_seed_draws_the_same_pairs(tmp_path: Path) -> None:
    """A reader can be trained again on the pairs that it was trained on."""
    path = written(tmp_path, STUDY)
    assert read_retold(path, seed=3) == read_retold(path, seed=3)


def test_the_gold_corpus_marks_its_errors(tmp_path: Path) -> None:
    """An error's words are found in the reports; one that names no words of a report has no place there."""
    study = {
        "study": "g1",
        "age": "",
        "sex": "",
        "indication": "",
        "reference": "No pneumothorax. Small effusion.",
        "candidates": [
            {
                "id": "g1a",
                "candidate": "Pneumothorax.",
                "labels": {
                    "errors": [
                        {"reference_span": "No pneumothorax", "candidate_span": "Pneumothorax", **LABELS},
                        {"reference_span": "Small effusion", "candidate_span": "", **LABELS},
                    ]
                },
            }
        ],
    }
    [each] = read_marked_gold(written(tmp_path, study))
    told = [
        (
            [span.of(each.pair.reference.text) for span in error.reference_spans],
            [span.of(each.pair.candidate.text) for span in error.candidate_spans],
        )
        for error in each.errors
    ]
    assert told == [(["No pneumothorax"], ["Pneumothorax"]), (["Small effusion"], [])]


@pytest.mark.parametrize("reading", [read_marked_gold, read_retold])
def test_a_line_that_is_no_study_is_named(tmp_path: Path, reading: Any) -> None:
    """The file, the row and the remedy, and none of the line's words."""
    path = tmp_path / "studies.jsonl"
    path.write_text('{"study": "x", "reference": "Edema."}\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"row 1.*use the file") as refused:
        reading(path)
    assert "Edema" not in str(refused.value)


def test_what_ships_can_be_read_and_its_edits_fit() -> None:
    """Each edit changes one sentence of its telling, or adds one, and every study has pairs of its own."""
    for line in RETOLD.read_text(encoding="utf-8").splitlines():
        study = json.loads(line)
        for edit in study["edits"]:
            sentences = [sentence for sentence, _ in study["versions"][edit["version"]]["sentences"]]
            assert not edit["old"] or edit["old"] in sentences, study["study"]
            assert edit["old"] != edit["new"], study["study"]


def test_what_is_for_learning_is_as_its_sheet_says() -> None:
    """Candidates and errors are counted, every error stands somewhere, and no study is one of the gold corpus."""
    sheet = " ".join((LABELLED[-1].parent / "README.md").read_text(encoding="utf-8").split())
    gold = {each.study for path in LABELLED[:3] for each in read_marked_gold(path)}
    for path in LABELLED[3:]:
        marked = read_marked_gold(path)
        assert {each.source for each in marked} == {path.stem}
        assert gold.isdisjoint(each.study for each in marked)
        assert f"{len(marked):,} candidates" in sheet or f"{len(marked):,} drafts" in sheet
        assert f"{sum(len(each.errors) for each in marked):,} errors" in sheet
        assert all(0 < error.weight <= 1 for each in marked for error in each.errors)


def test_every_error_that_is_shipped_has_a_category_that_readers_know() -> None:
    """What retold studies put in none of the categories is another error."""
    shipped = [*read_retold(), *(each for path in LABELLED for each in read_marked_gold(path))]
    assert {error.category for each in shipped for error in each.errors} == set("ABCDEFGHRXO")
