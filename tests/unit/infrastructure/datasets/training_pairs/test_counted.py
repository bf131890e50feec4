"""Files of pairs with counts by category."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from overread.domain.error_counts import CATEGORY_HEADS, HEAD_NAMES
from overread.exceptions import InputError
from overread.infrastructure.datasets.training_pairs.annotated import read_counted

ROW = {"id": "p", "study": "s", "reference": "No effusion.", "candidate": "Effusion.", **dict.fromkeys("ABCDEF", 0)}


def written(folder: Path, *rows: dict[str, object]) -> Path:
    path = folder / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_counts_are_read_by_head(tmp_path: Path) -> None:
    """A category without a count has none, and raters may have averaged theirs."""
    [pair] = read_counted(written(tmp_path, {**ROW, "A": 2, "D": 0.5}), CATEGORY_HEADS)
    assert pair.study == "s"
    assert pair.ratings == {"A": (2.0,), "B": (0.0,), "C": (0.0,), "D": (0.5,), "E": (0.0,), "F": (0.0,)}


def test_a_model_of_two_heads_needs_two_columns(tmp_path: Path) -> None:
    """Only the columns of the model's heads are asked for."""
    path = written(tmp_path, {**ROW, "significant": 1, "insignificant": 0})
    assert read_counted(path, HEAD_NAMES[2])[0].ratings == {"significant": (1.0,), "insignificant": (0.0,)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"C": -1}, "row 2.*C is negative"),
        ({"C": "many"}, "row 2.*C is not a number"),
        ({"C": None}, "row 2.*C is missing"),
        ({"study": ""}, "row 2.*study"),
        ({"reference": 3}, "row 2.*reference"),
        ({"id": "p"}, "row 2.*'p'"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, change: dict[str, object], words: str) -> None:
    """The message names the row and the column."""
    path = written(tmp_path, ROW, {**ROW, "id": "q", **change})
    with pytest.raises(InputError, match=words):
        read_counted(path, CATEGORY_HEADS)


def test_a_missing_column_is_named_with_the_remedy(tmp_path: Path) -> None:
    """Columns are known by their names alone."""
    path = written(tmp_path, {name: value for name, value in ROW.items() if name != "F"})
    with pytest.raises(InputError, match=r"F.*columns must be named"):
        read_counted(path, CATEGORY_HEADS)


def test_an_empty_file_holds_no_pairs(tmp_path: Path) -> None:
    """Nothing to train on is an error and not a model."""
    with pytest.raises(InputError):
        read_counted(written(tmp_path), CATEGORY_HEADS)
