"""Contrast sets put together to pairs of reports, and that what is shipped holds together."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.training_pairs.contrasts import CONTRAST, read_contrasts


def written(folder: Path, count: int = 9, **fields: object) -> Path:
    """A file of contrast sets of one modality, with numbered statements."""
    path = folder / "sets.jsonl"
    lines = [
        {
            "id": f"c{n}",
            "modality": "CT head",
            "topic": "bleed",
            "statement": f"No bleed {n}.",
            "same": [f"Bleed {n}: none."],
            "changed": [{"category": "A", "importance": "urgent", "extent": 1.0, "text": f"Bleed {n}."}],
        }
        | fields
        for n in range(count)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def test_each_study_has_a_candidate_without_an_error_and_two_with(tmp_path: Path) -> None:
    """Every set stands in one study, and no candidate keeps a statement word for word."""
    pairs = read_contrasts(written(tmp_path))
    by_study = Counter(pair.study for pair in pairs)
    assert set(by_study.values()) == {3}
    assert [bool(pair.errors) for pair in pairs] == [False, True, True] * len(by_study)
    assert sum(pair.pair.reference.text.count("No bleed") for pair in pairs) == 3 * 9
    assert not any("No bleed" in pair.pair.candidate.text for pair in pairs)


def test_errors_mark_the_changed_sentence_on_both_sides(tmp_path: Path) -> None:
    """The number of a statement shows that both spans are of the same set."""
    for pair in read_contrasts(written(tmp_path)):
        for error in pair.errors:
            [ours], [theirs] = error.reference_spans, error.candidate_spans
            assert ours.of(pair.pair.reference.text).startswith("No bleed ")
            assert ours.of(pair.pair.reference.text).removeprefix("No b") == theirs.of(pair.pair.candidate.text)[1:]


def test_one_seed_draws_alike(tmp_path: Path) -> None:
    """And another otherwise."""
    path = written(tmp_path, 40)
    assert read_contrasts(path) == read_contrasts(path)
    assert read_contrasts(path) != read_contrasts(path, seed=8)


@pytest.mark.parametrize("fields", [{"same": []}, {"statement": ""}, {"changed": [{"text": ""}]}])
def test_a_set_without_words_is_refused(tmp_path: Path, fields: dict[str, object]) -> None:
    """By the line, without its words."""
    with pytest.raises(InputError, match="is not a contrast set"):
        read_contrasts(written(tmp_path, 1, **fields))


def test_what_is_shipped_can_be_read() -> None:
    """Statements are told once, every set has something the same and something changed, and the sheet counts them."""
    sets = [json.loads(line) for line in CONTRAST.read_text(encoding="utf-8").split("\n") if line]
    assert len({each["statement"].lower() for each in sets}) == len(sets)
    assert all(each["statement"] not in each["same"] for each in sets)
    same, changed = (sum(len(each[kind]) for each in sets) for kind in ("same", "changed"))
    sheet = " ".join((CONTRAST.parent / "README.md").read_text(encoding="utf-8").split())
    assert f"{len(sets):,} statements" in sheet
    assert f"{same:,} ways to say the same" in sheet
    assert f"{changed:,} with one thing changed" in sheet
    assert len(read_contrasts()) == 3 * len({pair.study for pair in read_contrasts()})
