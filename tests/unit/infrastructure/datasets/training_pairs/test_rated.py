"""Reading rated pairs: every fault is named with its file and row, and no report is quoted."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from overread.domain.annotation import AnnotatedPair
from overread.domain.report import ReportPair
from overread.exceptions import InputError
from overread.infrastructure.datasets.training_pairs.annotated import read_rated

PRIVATE = "Cavitating lesion of Mr Sample"
ROWS: list[dict[str, Any]] = [
    {"id": "a", "reference": "No effusion,\nno edema.", "candidate": PRIVATE, "rating": 4, "study": "s1"},
    {"id": "b", "reference": PRIVATE, "candidate": "", "rating": -1.5, "study": "s2"},
]


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        return path
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
        return path
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(stream.getvalue(), encoding="utf-8", newline="")
    return path


def refused(path: Path, **options: Any) -> InputError:
    """The error that reading the file raises; it never quotes a report."""
    with pytest.raises(InputError) as caught:
        read_rated(path, **options)
    assert caught.value.source == str(path)
    assert PRIVATE not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet"])
def test_every_format_gives_the_same_pairs(tmp_path: Path, name: str) -> None:
    """A rating is any number, also below 0; an empty report is a report."""
    assert read_rated(write(tmp_path / name, ROWS)) == [
        AnnotatedPair(
            pair=ReportPair(id="a", reference="No effusion,\nno edema.", candidate=PRIVATE),
            ratings={"rating": (4.0,)},
            study="s1",
        ),
        AnnotatedPair(
            pair=ReportPair(id="b", reference=PRIVATE, candidate=""), ratings={"rating": (-1.5,)}, study="s2"
        ),
    ]


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet"])
def test_the_study_need_not_be_there(tmp_path: Path, name: str) -> None:
    """Without studies every pair stands for itself."""
    rows = [{key: value for key, value in row.items() if key != "study"} for row in ROWS]
    assert [rated.study for rated in read_rated(write(tmp_path / name, rows))] == ["", ""]


def test_a_study_may_be_a_number_or_missing_in_a_row(tmp_path: Path) -> None:
    """A pair without a study among others stands for itself."""
    rows = [{**ROWS[0], "study": 7}, {**ROWS[1], "study": None}, {**ROWS[1], "id": "c", "study": " "}]
    assert [rated.study for rated in read_rated(write(tmp_path / "p.jsonl", rows))] == ["7", "", ""]


def test_the_rating_may_stand_in_a_column_of_another_name(tmp_path: Path) -> None:
    """The column asked for is named in the message."""
    rows = [{**{key: value for key, value in row.items() if key != "rating"}, "errors": 2} for row in ROWS]
    path = write(tmp_path / "p.jsonl", rows)
    assert [rated.mean("rating") for rated in read_rated(path, rating="errors")] == [2.0, 2.0]
    assert "id, reference, candidate, rating" in str(refused(path))


def test_decimals_are_numbers(tmp_path: Path) -> None:
    """Parquet files of spreadsheets hold decimals."""
    path = write(tmp_path / "p.parquet", [{**ROWS[0], "rating": Decimal("3.25")}])
    assert [rated.mean("rating") for rated in read_rated(path)] == [3.25]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "rating is missing"),
        (" ", "rating is missing"),
        (PRIVATE, "rating is not a number"),
        ("4 of 5", "rating is not a number"),
        ("nan", "rating is not a number"),
        ("1e400", "rating is not a finite number"),
        (10**400, "rating is not a finite number"),
        (True, "rating is true or false, not a number"),
        ([4], "rating is a list, not a number"),
    ],
)
def test_a_rating_that_is_no_number_is_told_with_its_row(tmp_path: Path, value: object, problem: str) -> None:
    """A rating in words or none at all is not guessed at."""
    error = refused(write(tmp_path / "p.jsonl", [ROWS[0], {**ROWS[1], "rating": value}]))
    assert (error.row, error.problem) == (2, problem)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"id": "a"}, "id 'a' is also that of row 1"),
        ({"reference": None}, "reference is null; an empty report is an empty text"),
        ({"study": [1]}, "study is a list, not a name or a number"),
    ],
)
def test_a_bad_row_is_told(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    """A fit leaves no pair out silently."""
    error = refused(write(tmp_path / "p.jsonl", [ROWS[0], {**ROWS[1], **change}]))
    assert (error.row, error.problem) == (2, problem)


def test_a_file_without_pairs_is_told(tmp_path: Path) -> None:
    """A header alone has nothing to fit on."""
    path = tmp_path / "p.csv"
    path.write_text("id,reference,candidate,rating\n", encoding="utf-8")
    assert refused(path).problem == "holds no pairs"
