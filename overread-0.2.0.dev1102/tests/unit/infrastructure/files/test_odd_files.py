"""Files as programs and people leave them: missing cells written as words, keys twice, headers twice, odd encodings."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from math import nan
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from overread.application.scoring.corpus import BadRow
from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.exceptions import InputError
from overread.infrastructure.files.reports import read_distinct_reports, read_reports
from overread.infrastructure.files.scored import read_scores
from overread.infrastructure.files.tables import Columns, read_pairs, read_text
from overread.infrastructure.frames.reading import rows_of
from overread.studies.infrastructure.datasets.annotated_sets._files import open_table
from overread.studies.infrastructure.datasets.json_lines import read_json_lines
from overread.studies.infrastructure.files.pair_facts import check_same_pairs
from overread.tables.cells import RowError, age_years, identifier, report_text, words
from overread.tables.records import Record, read_records

PHRASE = "Cavitating lesion of Mr Sample"
HEADER = b"id,reference,candidate\n"
MISSING = ["nan", "NaN", " nan ", "NA", "N/A", "n/a", "#N/A", "None", "null", "NULL", "<NA>", "NaT"]


def written(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path


def skipped(path: Path) -> list[ReportPair | BadRow]:
    return list(read_pairs(path, on_error="skip"))


def problem(path: Path) -> str:
    """What is wrong with the one bad row."""
    [bad] = [row for row in skipped(path) if isinstance(row, BadRow)]
    return bad.problem


def whole_file_problem(path: Path, read: Callable[[Path], object] = skipped) -> InputError:
    with pytest.raises(InputError) as caught:
        read(path)
    assert "Sample" not in str(caught.value)
    return caught.value


def jsonl(**cells: Any) -> bytes:
    return json.dumps({"id": "b", "reference": "x", "candidate": "y"} | cells).encode() + b"\n"


@pytest.mark.parametrize("word", MISSING)
@pytest.mark.parametrize("side", ["reference", "candidate"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_a_cell_that_stands_for_nothing_is_no_report(tmp_path: Path, suffix: str, side: str, word: str) -> None:
    """It is a row without a report, in its place, and the message says what to do; an empty cell is an empty report."""
    good, bad = (
        {"id": "a", "reference": "x", "candidate": ""},
        {"id": "b", "reference": "x", "candidate": "y"} | {side: word},
    )
    path = tmp_path / f"p.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.Table.from_pylist([good, bad]), path)
    elif suffix == "jsonl":
        path.write_bytes(b"".join(jsonl(**row) for row in (good, bad)))
    else:
        mark = "," if suffix == "csv" else "\t"
        path.write_text("\n".join(mark.join(row) for row in (good, good.values(), bad.values())), encoding="utf-8")
    first, second = skipped(path)
    assert isinstance(first, ReportPair)
    assert isinstance(second, BadRow)
    assert (second.row, second.id) == (2, "b")
    assert f"{side} is {word.strip()}, which stands for a missing report" in second.problem
    assert "leave the cell empty for an empty report" in second.problem
    with pytest.raises(InputError, match=r"row 2.*`on_error=skip`"):
        list(read_pairs(path))


@pytest.mark.parametrize("value", [nan, Decimal("NaN")])
def test_nan_is_no_report_whatever_its_type(value: object) -> None:
    """A column of reports of which all are missing has numbers for cells."""
    with pytest.raises(RowError, match="reference is NaN, which stands for a missing report"):
        report_text(value, "reference")


def test_nan_of_parquet_and_json_is_told(tmp_path: Path) -> None:
    """Where pandas wrote them."""
    table = pa.table({"id": ["a"], "reference": pa.array([nan]), "candidate": ["y"]})
    pq.write_table(table, tmp_path / "p.parquet")
    assert "reference is NaN" in problem(tmp_path / "p.parquet")
    assert "candidate is NaN" in problem(written(tmp_path / "p.jsonl", jsonl(candidate=nan)))


@pytest.mark.parametrize("text", ["No NaN.", "nan nan", "None seen.", "NA-clips", "nonan", "nil"])
def test_words_of_a_report_are_its_words(text: str) -> None:
    """A cell is missing only where it says nothing else."""
    assert report_text(text, "reference") == text


@pytest.mark.parametrize("word", MISSING)
def test_what_is_not_known_of_the_patient_may_be_written_so(word: str) -> None:
    """Context that is missing is no fault."""
    assert words(word, "sex") is None
    assert age_years(word, "age") is None


def test_a_name_may_be_na_but_not_nan() -> None:
    """Raters have initials; a number that is none is no name."""
    assert identifier("NA", "rater") == "NA"
    for value in (nan, Decimal("NaN"), None):
        with pytest.raises(RowError, match=r"^id is missing$"):
            identifier(value, "id")


def test_a_score_that_is_missing_is_unscored(tmp_path: Path) -> None:
    """However the table of scores was written."""
    path = written(tmp_path / "s.csv", b"id,mine\na,0.5\nb,nan\nc,\nd,NaN\n")
    assert read_scores(path, directions={"mine": True})["mine"].unscored == {"missing": 3}


def test_reports_of_a_file_that_are_missing_are_named(tmp_path: Path) -> None:
    """Where reports alone are read, too."""
    path = written(tmp_path / "r.csv", b"id,report\na,x\nb,nan\n")
    for read in (read_distinct_reports, read_reports):
        error = whole_file_problem(path, read)
        assert (error.row, "report is nan, which stands for a missing report" in error.problem) == (2, True)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"id": "b", "reference": "x", "reference": "PHRASE", "candidate": "y"}', "has the key reference twice"),
        (b'{"id": "b", "id": "b", "reference": "x", "candidate": "y"}', "has the key id twice"),
        (b'{"id": "b", "reference": "x", "candidate": "y", "PHRASE": 1, "PHRASE": 2}', "an object has a key twice"),
        (b'{"id": "b", "reference": "x", "candidate": "y", "spans": {"PHRASE": 1, "PHRASE": 2}}', "has a key twice"),
        (b'{"id": "b", "reference": "x", " reference": "PHRASE", "candidate": "y"}', "an object has a key twice"),
    ],
)
def test_a_key_that_stands_twice_is_a_fault_of_its_row(tmp_path: Path, line: bytes, says: str) -> None:
    """Which of the two is meant cannot be told. Keys that are no columns may be words of a report: not shown."""
    path = written(tmp_path / "p.jsonl", jsonl(id="a") + line.replace(b"PHRASE", PHRASE.encode()) + b"\n")
    assert says in problem(path)
    assert "Sample" not in problem(path)
    with pytest.raises(InputError, match="row 2"):
        list(read_pairs(path))


def test_keys_twice_are_told_in_every_json_that_people_write(tmp_path: Path) -> None:
    """A file of objects, and lines of data sets."""
    twice = b'[{"id": "a", "text": "x", "text": "y"}]'
    error = whole_file_problem(written(tmp_path / "t.json", twice), open_table)
    assert error.problem == "an object has a key twice"
    lines = written(tmp_path / "t.jsonl", b'{"id": 1}\n' + twice[1:-1])
    error = whole_file_problem(
        lines, lambda path: list(read_json_lines(path, lambda row: row["id"], problem="is none", remedy="mend it"))
    )
    assert (error.problem, error.row) == ("an object has a key twice", 2)


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_an_id_that_stands_twice_is_not_quoted(tmp_path: Path, suffix: str) -> None:
    """The column named as that of ids may hold reports."""
    if suffix == "csv":
        path = written(tmp_path / "p.csv", HEADER + f"{PHRASE},x,y\n{PHRASE},x,y\n".encode())
    else:
        path = written(tmp_path / "p.jsonl", jsonl(id=PHRASE) * 2)
    assert problem(path) == "its id is also that of row 1"
    assert "Sample" not in str(whole_file_problem(path, lambda p: list(read_pairs(p))))


def test_no_message_about_ids_quotes_one(tmp_path: Path) -> None:
    """Nor where files are compared, reports are read, or pairs are given by a program."""
    one = written(tmp_path / "one.csv", HEADER + f"{PHRASE},x,y\n".encode())
    other = written(tmp_path / "other.csv", HEADER + f"a,x,y\n{PHRASE},z,y\n".encode())
    assert "that of row 2 among them" in whole_file_problem(other, lambda path: check_same_pairs(one, path)).problem
    two = written(tmp_path / "two.csv", HEADER + f"{PHRASE},x,y\n{PHRASE},z,y\n".encode())
    assert whole_file_problem(two, read_reports).problem == "an earlier row has a different report with its id"
    [_, again] = rows_of([{"id": PHRASE, "reference": "", "candidate": ""}] * 2, Columns())
    assert isinstance(again.row, BadRow)
    assert again.row.problem == "its id is also that of row 1"


@pytest.mark.parametrize("value", [5, ["x"], True, 2.5])
@pytest.mark.parametrize("name", ["sex", "indication", "comparison"])
def test_context_that_is_no_text_is_told_when_it_is_given(name: str, value: object) -> None:
    """Not by a metric that fails at it."""
    with pytest.raises(TypeError, match=f"{name} is .*, not text"):
        ClinicalContext(**{name: value})  # type: ignore[arg-type]


def test_context_of_nan_is_missing() -> None:
    """As a table in memory has it."""
    assert ClinicalContext(age=nan, sex=nan, indication=nan) == ClinicalContext()


@pytest.mark.parametrize("age", ["sixty", "67 kg", "-3Y"])
def test_an_age_that_is_none_is_told_with_its_row(tmp_path: Path, age: str) -> None:
    """And what an age is."""
    path = written(tmp_path / "p.csv", b"id,reference,candidate,age\na,x,y," + age.encode() + b"\n")
    assert "age is not an age" in problem(path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl"])
def test_a_file_of_wide_characters_is_told_as_a_whole(tmp_path: Path, suffix: str, encoding: str) -> None:
    """Once, and not row by row."""
    text = jsonl().decode() if suffix == "jsonl" else "id,reference,candidate\na,x,y\n"
    error = whole_file_problem(written(tmp_path / f"p.{suffix}", text.encode(encoding)))
    assert (error.problem, error.remedy) == ("is UTF-16 or UTF-32 text", "save it as UTF-8")


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_may_end_in_any_way_and_in_several(tmp_path: Path, end: bytes) -> None:
    """Files are put together from those of several machines."""
    lines = [jsonl(id=name).strip() for name in "abc"]
    path = written(tmp_path / "p.jsonl", lines[0] + end + lines[1] + b"\n" + lines[2] + end)
    assert [row.id for row in skipped(path)] == ["a", "b", "c"]
    table = HEADER.strip() + end + b'a,"x\r\ny",z' + end + b"b,x,y\n" + b"c,x,y" + end
    pairs = skipped(written(tmp_path / "p.csv", table))
    assert [row.id for row in pairs] == ["a", "b", "c"]
    assert isinstance(pairs[0], ReportPair)
    assert pairs[0].reference.text == "x\r\ny"


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl"])
def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path, name: str) -> None:
    """Windows writes one."""
    data = HEADER + b"a,x,y\n" if name == "p.csv" else jsonl(id="a")
    [pair] = skipped(written(tmp_path / name, b"\xef\xbb\xbf" + data))
    assert pair.id == "a"


def test_a_header_that_stands_twice_is_a_bad_row(tmp_path: Path) -> None:
    """As where one table was put behind another."""
    path = written(tmp_path / "p.csv", HEADER + b"a,x,y\n" + HEADER + b"b,x,y\n")
    assert problem(path) == "the header is repeated here, as in files that were joined"
    assert [row.id for row in skipped(path)] == ["a", "id", "b"]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet"])
def test_a_table_of_a_header_alone_is_told(tmp_path: Path, suffix: str) -> None:
    """There is nothing to score."""
    path = tmp_path / f"p.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.table({name: pa.array([], pa.string()) for name in ("id", "reference", "candidate")}), path)
    else:
        path.write_bytes(HEADER.replace(b",", b"," if suffix == "csv" else b"\t"))
    error = whole_file_problem(path)
    assert (error.problem, error.remedy) == ("holds no pairs", "it has only a header; add a row for each pair")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_blanks_around_the_name_of_a_column_do_not_matter(tmp_path: Path, suffix: str) -> None:
    """A table of a spreadsheet has some."""
    row = {" id": "a", "reference ": "x", "\tcandidate": "y", "age ": "67Y"}
    path = tmp_path / f"p.{suffix}"
    if suffix == "parquet":
        pq.write_table(pa.Table.from_pylist([row]), path)
    elif suffix == "jsonl":
        path.write_text(json.dumps(row), encoding="utf-8")
    else:
        path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n", encoding="utf-8")
    [pair] = skipped(path)
    assert isinstance(pair, ReportPair)
    assert (pair.id, pair.reference.text, pair.candidate.text, pair.context.age) == ("a", "x", "y", 67.0)


def test_the_column_of_just_the_name_wins_over_one_with_blanks_only_where_both_are_not_wanted(tmp_path: Path) -> None:
    """Two columns of one name cannot be told apart, those of context neither."""
    for header in (b"id,reference,candidate, candidate", b"id,reference,candidate,age,age"):
        cells = b",".join([b"1"] * (header.count(b",") + 1))
        assert (
            "appears more than once" in whole_file_problem(written(tmp_path / "p.csv", header + b"\n" + cells)).problem
        )


@pytest.mark.parametrize(
    ("line", "says"),
    [(b"a,x", "2 cells instead of 3"), (b"a,x,y,z", "4 cells instead of 3"), (b"a,x\0,y", "NUL byte at character 2")],
)
def test_a_row_of_another_shape_is_told(tmp_path: Path, line: bytes, says: str) -> None:
    """And nothing is shifted."""
    assert says in problem(written(tmp_path / "p.csv", HEADER + line + b"\nb,x,y\n"))


def test_columns_keep_their_names_where_they_are_asked_for_with_blanks(tmp_path: Path) -> None:
    """Whoever names a column as it stands gets it."""
    path = written(tmp_path / "p.jsonl", b'{" id": "a", "id": "b"}')
    assert list(read_records(path, [" id"])) == [Record(1, {" id": "a"})]


def test_a_text_file_of_wide_characters_is_refused(tmp_path: Path) -> None:
    """As any other that is not UTF-8."""
    with pytest.raises(InputError, match="UTF-8"):
        read_text(written(tmp_path / "r.txt", "No effusion.".encode("utf-16")))
