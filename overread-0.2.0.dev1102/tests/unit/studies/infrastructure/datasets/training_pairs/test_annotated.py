"""Reading counted and rated pairs: every fault is named with its file and row, and no report is quoted."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.error_counts import CATEGORY_HEADS, HEAD_NAMES
from overread.domain.results.readout import TARGETS
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.training_pairs.annotated import read_counted, read_rated

PRIVATE = "Cavitating lesion of Mr Sample"
ROWS: list[dict[str, Any]] = [
    {
        "id": "a",
        "study": "s1",
        "reference": "No effusion,\nno pneumothorax.",
        "candidate": PRIVATE,
        "total": 2,
        "significant": 1,
        "insignificant": 1,
    },
    {
        "id": "b",
        "study": "s1",
        "reference": PRIVATE,
        "candidate": "",
        "total": 1.5,
        "significant": 1.25,
        "insignificant": 0.25,
    },
]

RATED: list[dict[str, Any]] = [
    {"id": "a", "reference": "No effusion,\nno edema.", "candidate": PRIVATE, "rating": 4, "study": "s1"},
    {"id": "b", "reference": PRIVATE, "candidate": "", "rating": -1.5, "study": "s2"},
]
BY_CATEGORY: dict[str, Any] = {
    "id": "p",
    "study": "s",
    "reference": "No effusion.",
    "candidate": "Effusion.",
    **dict.fromkeys("ABCDEF", 0),
}


def read_labelled(path: Path) -> list[AnnotatedPair]:
    return read_counted(path, TARGETS)


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


def refused(path: Path, read: Callable[[Path], object] = read_labelled) -> InputError:
    """The error that reading the file raises; it never quotes a report."""
    with pytest.raises(InputError) as caught:
        read(path)
    assert caught.value.source == str(path)
    assert PRIVATE not in str(caught.value)
    return caught.value


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet"])
def test_every_format_gives_the_same_pairs(tmp_path: Path, name: str) -> None:
    """Counts may be whole or fractions; an empty report is a report."""
    assert read_counted(write(tmp_path / name, ROWS), TARGETS) == [
        AnnotatedPair(
            pair=ReportPair(id="a", reference="No effusion,\nno pneumothorax.", candidate=PRIVATE),
            study="s1",
            ratings={"total": (2.0,), "significant": (1.0,), "insignificant": (1.0,)},
        ),
        AnnotatedPair(
            pair=ReportPair(id="b", reference=PRIVATE, candidate=""),
            study="s1",
            ratings={"total": (1.5,), "significant": (1.25,), "insignificant": (0.25,)},
        ),
    ]


def test_numeric_ids_and_studies_become_text_and_the_context_is_kept(tmp_path: Path) -> None:
    """Numbers as ids match those of other files."""
    (pair,) = read_counted(
        write(tmp_path / "p.jsonl", [ROWS[0] | {"id": 7, "study": 12, "age": "061Y", "sex": "F"}]), TARGETS
    )
    assert (pair.pair.id, pair.study) == ("7", "12")
    assert pair.pair.context == ClinicalContext(age=61.0, sex="F")


@pytest.mark.parametrize(
    ("given", "read"), [("2", 2.0), (" .5 ", 0.5), ("1e1", 10.0), (0, 0.0), ("-0", 0.0), (3.0, 3.0)]
)
def test_counts_may_be_written_as_text(tmp_path: Path, given: object, read: float) -> None:
    """Tables of CSV hold nothing but text, and no count is negative zero."""
    (pair,) = read_counted(write(tmp_path / "p.jsonl", [ROWS[0] | {"total": given}]), TARGETS)
    assert pair.ratings["total"] == (read,)


def test_decimal_counts_are_numbers(tmp_path: Path) -> None:
    """Databases export counts as decimals."""
    (pair,) = read_counted(write(tmp_path / "p.parquet", [ROWS[0] | {"significant": Decimal("1.50")}]), TARGETS)
    assert pair.ratings["significant"] == (1.5,)


@pytest.mark.parametrize("column", ["total", "significant", "insignificant"])
@pytest.mark.parametrize(
    ("value", "says"),
    [
        (PRIVATE, "is not a number"),
        ("1_000", "is not a number"),
        ("nan", "is missing"),
        ("inf", "is not a number"),
        ("1e999", "is not a finite number"),
        (10**400, "is not a finite number"),
        (1e7, "is more than 1,000,000"),
        (-1, "is negative"),
        ("-0.5", "is negative"),
        (None, "is missing"),
        (" ", "is missing"),
        (True, "is true or false, not a number"),
        ([1], "is a list, not a number"),
    ],
)
def test_a_count_that_is_none_is_named_with_its_row(tmp_path: Path, column: str, value: object, says: str) -> None:
    """What Python would take for a number, as 1_000 or True, is no count."""
    error = refused(write(tmp_path / "p.jsonl", [ROWS[0], ROWS[1] | {column: value}]))
    assert error.row == 2
    assert error.problem.startswith(f"{column} {says}")


def test_infinity_as_a_json_number_is_no_count(tmp_path: Path) -> None:
    """Python's json reads Infinity and NaN, which are no JSON."""
    assert "not a finite number" in refused(write(tmp_path / "p.jsonl", [ROWS[0] | {"total": float("inf")}])).problem
    assert "missing" in refused(write(tmp_path / "p.jsonl", [ROWS[0] | {"total": float("nan")}])).problem


@pytest.mark.parametrize(("value", "says"), [(None, "is missing"), ("", "is empty"), ([], "is a list")])
def test_a_pair_without_study_is_named(tmp_path: Path, value: object, says: str) -> None:
    """Without it, pairs of one study could stand on both sides of a fold."""
    error = refused(write(tmp_path / "p.jsonl", [ROWS[0], ROWS[1] | {"study": value}]))
    assert (error.row, error.problem.startswith(f"study {says}")) == (2, True)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"id": "a"}, "that of row 1"),
        ({"id": None}, "id is missing"),
        ({"reference": None}, "reference is null"),
        ({"candidate": 3}, "candidate is a number, not text"),
        ({"candidate": f"{PRIVATE}\0"}, "NUL byte"),
    ],
)
def test_a_pair_that_cannot_be_read_is_named(tmp_path: Path, changes: dict[str, object], says: str) -> None:
    """A fit leaves no pair out, so that no option to skip rows is offered."""
    error = refused(write(tmp_path / "p.jsonl", [ROWS[0], ROWS[1] | changes]))
    assert error.row == 2
    assert says in error.problem
    assert "--on-error" not in str(error)


@pytest.mark.parametrize("name", ["p.csv", "p.parquet"])
@pytest.mark.parametrize("column", ["study", "candidate", "insignificant"])
def test_a_missing_column_is_named_with_those_there_and_the_remedy(tmp_path: Path, name: str, column: str) -> None:
    """The names are fixed, so that the remedy is no option of the command line."""
    rows = [{key: value for key, value in row.items() if key != column} for row in ROWS]
    error = refused(write(tmp_path / name, rows))
    assert f"no column {column}" in error.problem
    assert "it has id" in error.problem
    assert column in error.remedy
    assert "--" not in error.remedy


def test_a_json_object_that_lacks_a_column_is_named_with_its_row(tmp_path: Path) -> None:
    """Every line of JSON brings its own columns."""
    row = {key: value for key, value in ROWS[1].items() if key != "total"}
    error = refused(write(tmp_path / "p.jsonl", [ROWS[0], row]))
    assert error.row == 2
    assert "no column total" in error.problem


def test_a_ragged_row_is_named(tmp_path: Path) -> None:
    """A row with too few cells would shift the counts."""
    path = write(tmp_path / "p.csv", ROWS)
    with path.open("a", encoding="utf-8") as stream:
        stream.write(f"c,s2,{PRIVATE}\r\n")
    error = refused(path)
    assert error.row == 3
    assert "3 cells instead of 7" in error.problem


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("p.jsonl", b"", "empty"),
        ("p.csv", b"id,study,reference,candidate,total,significant,insignificant\n", "no pairs"),
        ("p.json", b"[]", "suffix"),
        ("p.jsonl", b'{"id": "a", \xff', "not UTF-8"),
        ("p.jsonl", b'{"id": "a", ', "not valid JSON"),
        ("p.jsonl", b"[1]", "not a JSON object"),
    ],
)
def test_a_file_that_holds_no_pairs_is_named(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    """Empty files, other formats and broken lines each say what is wrong."""
    (tmp_path / name).write_bytes(data)
    assert says in refused(tmp_path / name).problem


def test_the_file_must_be_there(tmp_path: Path) -> None:
    """A missing file and a folder are told apart."""
    assert "no such file" in refused(tmp_path / "p.jsonl").problem
    assert "folder" in refused(tmp_path).problem


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_the_style_is_read_where_it_is_there(tmp_path: Path, suffix: str) -> None:
    """A column that need not be there; without it the pairs are of no style."""
    styled = write(tmp_path / f"styled{suffix}", [{**row, "style": "bullets"} for row in ROWS])
    plain = write(tmp_path / f"plain{suffix}", ROWS)
    assert [pair.strata for pair in read_counted(styled, TARGETS)] == [{"style": "bullets"}] * 2
    assert [pair.strata for pair in read_counted(plain, TARGETS)] == [{}, {}]


def test_counts_are_read_by_head(tmp_path: Path) -> None:
    """A category without a count has none, and raters may have averaged theirs."""
    [pair] = read_counted(write(tmp_path / "p.jsonl", [{**BY_CATEGORY, "A": 2, "D": 0.5}]), CATEGORY_HEADS)
    assert pair.study == "s"
    assert pair.ratings == {"A": (2.0,), "B": (0.0,), "C": (0.0,), "D": (0.5,), "E": (0.0,), "F": (0.0,)}


def test_a_model_of_two_heads_needs_two_columns(tmp_path: Path) -> None:
    """Only the columns of the model's heads are asked for."""
    path = write(tmp_path / "p.jsonl", [{**BY_CATEGORY, "significant": 1, "insignificant": 0}])
    assert read_counted(path, HEAD_NAMES[2])[0].ratings == {"significant": (1.0,), "insignificant": (0.0,)}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"C": -1}, "row 2.*C is negative"),
        ({"C": "many"}, "row 2.*C is not a number"),
        ({"C": None}, "row 2.*C is missing"),
        ({"study": ""}, "row 2.*study"),
        ({"reference": 3}, "row 2.*reference"),
        ({"id": "p"}, "row 2.*its id is also that of row 1"),
    ],
)
def test_a_bad_row_of_counts_is_named(tmp_path: Path, change: dict[str, object], words: str) -> None:
    """The message names the row and the column."""
    path = write(tmp_path / "p.jsonl", [BY_CATEGORY, {**BY_CATEGORY, "id": "q", **change}])
    with pytest.raises(InputError, match=words):
        read_counted(path, CATEGORY_HEADS)


def test_a_missing_category_is_named_with_the_remedy(tmp_path: Path) -> None:
    """Columns are known by their names alone."""
    path = write(tmp_path / "p.jsonl", [{name: value for name, value in BY_CATEGORY.items() if name != "F"}])
    with pytest.raises(InputError, match=r"F.*columns must be named"):
        read_counted(path, CATEGORY_HEADS)


def test_an_empty_file_holds_no_counted_pairs(tmp_path: Path) -> None:
    """Nothing to train on is an error and not a model."""
    with pytest.raises(InputError):
        read_counted(write(tmp_path / "p.jsonl", []), CATEGORY_HEADS)


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet"])
def test_every_format_gives_the_same_rated_pairs(tmp_path: Path, name: str) -> None:
    """A rating is any number, also below 0; an empty report is a report."""
    assert read_rated(write(tmp_path / name, RATED)) == [
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
def test_the_study_of_rated_pairs_need_not_be_there(tmp_path: Path, name: str) -> None:
    """Without studies every pair stands for itself."""
    rows = [{key: value for key, value in row.items() if key != "study"} for row in RATED]
    assert [rated.study for rated in read_rated(write(tmp_path / name, rows))] == ["", ""]


def test_the_study_of_a_rated_pair_may_be_a_number_or_missing(tmp_path: Path) -> None:
    """A pair without a study among others stands for itself."""
    rows = [{**RATED[0], "study": 7}, {**RATED[1], "study": None}, {**RATED[1], "id": "c", "study": " "}]
    assert [rated.study for rated in read_rated(write(tmp_path / "p.jsonl", rows))] == ["7", "", ""]


def test_the_rating_may_stand_in_a_column_of_another_name(tmp_path: Path) -> None:
    """The column asked for is named in the message."""
    rows = [{**{key: value for key, value in row.items() if key != "rating"}, "errors": 2} for row in RATED]
    path = write(tmp_path / "p.jsonl", rows)
    assert [rated.mean("rating") for rated in read_rated(path, rating="errors")] == [2.0, 2.0]
    assert "id, reference, candidate, rating" in str(refused(path, read_rated))


def test_decimal_ratings_are_numbers(tmp_path: Path) -> None:
    """Parquet files of spreadsheets hold decimals."""
    path = write(tmp_path / "p.parquet", [{**RATED[0], "rating": Decimal("3.25")}])
    assert [rated.mean("rating") for rated in read_rated(path)] == [3.25]


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "rating is missing"),
        (" ", "rating is missing"),
        (PRIVATE, "rating is not a number"),
        ("4 of 5", "rating is not a number"),
        ("nan", "rating is missing"),
        ("1e400", "rating is not a finite number"),
        (10**400, "rating is not a finite number"),
        (True, "rating is true or false, not a number"),
        ([4], "rating is a list, not a number"),
    ],
)
def test_a_rating_that_is_no_number_is_told_with_its_row(tmp_path: Path, value: object, problem: str) -> None:
    """A rating in words or none at all is not guessed at."""
    error = refused(write(tmp_path / "p.jsonl", [RATED[0], {**RATED[1], "rating": value}]), read_rated)
    assert (error.row, error.problem) == (2, problem)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"id": "a"}, "its id is also that of row 1"),
        ({"reference": None}, "reference is null, as pandas reads an empty cell; an empty report is an empty text"),
        ({"study": [1]}, "study is a list, not a name or a number"),
    ],
)
def test_a_bad_rated_row_is_told(tmp_path: Path, change: dict[str, Any], problem: str) -> None:
    """A fit leaves no pair out silently."""
    error = refused(write(tmp_path / "p.jsonl", [RATED[0], {**RATED[1], **change}]), read_rated)
    assert (error.row, error.problem) == (2, problem)


def test_a_file_without_rated_pairs_is_told(tmp_path: Path) -> None:
    """A header alone has nothing to fit on."""
    path = tmp_path / "p.csv"
    path.write_text("id,reference,candidate,rating\n", encoding="utf-8")
    assert refused(path, read_rated).problem == "holds no pairs"
