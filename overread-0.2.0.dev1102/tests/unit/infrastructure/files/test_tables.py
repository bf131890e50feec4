"""Reading pairs from files: every fault is named with its file and row, and no row is lost or shifted."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.application.scoring.corpus import BadRow
from overread.domain.reports.report import ReportPair
from overread.exceptions import InputError
from overread.infrastructure.files.tables import Columns, PairFile, read_pairs, read_text
from overread.tables.cells import is_missing

PHRASE = "Cavitating lesion of Mr Sample"
ROWS: list[dict[str, Any]] = [
    {"id": "a", "reference": "No effusion,\nno pneumothorax.", "candidate": 'The "silhouette" is normal.'},
    {"id": "b", "reference": "", "candidate": "胸腔积液。\u2028\u0085"},
    {"id": "c", "reference": PHRASE, "candidate": PHRASE, "age": 61.0, "sex": "F", "indication": "cough"},
]
MANY = [{"id": f"n{n}", "reference": PHRASE, "candidate": ""} for n in range(99)]


def csv_text(rows: list[dict[str, Any]], delimiter: str = ",") -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, names, delimiter=delimiter)
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue()


def json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def write_text(path: Path, text: str) -> Path:
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows, schema=_schema(rows)), path)
        return path
    text = json_lines(rows) if ".jsonl" in path.name or ".ndjson" in path.name else ""
    return write_text(path, text or csv_text(rows, "\t" if ".tsv" in path.name else ","))


def _schema(rows: list[dict[str, Any]]) -> pa.Schema:
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pa.schema([(name, pa.float64() if name == "age" else pa.string()) for name in names])


def ids(rows: list[ReportPair | BadRow]) -> list[str]:
    return [row.id for row in rows]


def skipped(path: Path, **columns: str) -> list[ReportPair | BadRow]:
    return list(read_pairs(path, columns=Columns(**columns), on_error="skip"))


def only_problem(path: Path) -> BadRow:
    found = [row for row in skipped(path) if isinstance(row, BadRow)]
    assert len(found) == 1
    return found[0]


@pytest.mark.parametrize(
    "name",
    ["p.csv", "p.tsv", "p.jsonl", "p.ndjson", "p.parquet", "p.csv.gz", "p.tsv.gz", "p.jsonl.gz", "P.CSV"],
)
def test_every_format_gives_the_same_pairs(tmp_path: Path, name: str) -> None:
    """Texts come back to the character, whatever they hold, and so does the context."""
    pairs = list(read_pairs(write_rows(tmp_path / name, ROWS)))
    assert [(p.id, p.reference.text, p.candidate.text) for p in pairs if isinstance(p, ReportPair)] == [
        (row["id"], row["reference"], row["candidate"]) for row in ROWS
    ]
    last = pairs[-1]
    assert isinstance(last, ReportPair)
    assert (last.context.age, last.context.sex, last.context.indication) == (61.0, "F", "cough")
    assert last.context.comparison is None


any_text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


@given(st.lists(any_text.filter(lambda text: not is_missing(text)), min_size=1, max_size=5))
def test_any_text_survives_csv_and_jsonl(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    """What a writer of the standard library writes is read back as it was."""
    folder = tmp_path_factory.mktemp("texts")
    rows = [{"id": f"n{n}", "reference": text, "candidate": text} for n, text in enumerate(texts)]
    for name in ("p.csv", "p.jsonl"):
        pairs = list(read_pairs(write_rows(folder / name, rows)))
        assert [p.reference.text for p in pairs if isinstance(p, ReportPair)] == texts


def test_columns_can_be_named_and_a_byte_order_mark_is_no_part_of_the_first(tmp_path: Path) -> None:
    """Excel writes a byte order mark, which would hide the first column's name."""
    path = tmp_path / "p.csv"
    path.write_bytes(b"\xef\xbb\xbfstudy,truth,draft\r\n7,x,y\r\n")
    [pair] = read_pairs(path, columns=Columns(id="study", reference="truth", candidate="draft"))
    assert isinstance(pair, ReportPair)
    assert (pair.id, pair.reference.text, pair.candidate.text) == ("7", "x", "y")


@pytest.mark.parametrize(("value", "expected"), [(7, "7"), (7.0, "7"), (7.5, "7.5"), ("007", "007")])
def test_numeric_ids_become_text(tmp_path: Path, value: object, expected: str) -> None:
    """A whole number loses its point and a text keeps its zeros, so that ids match across files."""
    path = write_text(tmp_path / "p.jsonl", json_lines([{"id": value, "reference": "", "candidate": ""}]))
    assert ids(list(read_pairs(path))) == [expected]


@pytest.mark.parametrize(
    ("age", "years"),
    [
        ("61", 61.0),
        ("067Y", 67.0),
        ("018M", 1.5),
        (44, 44.0),
        ("66 years", 66.0),
        ("", None),
        (None, None),
        ("___", None),
    ],
)
def test_ages_are_years(tmp_path: Path, age: object, years: float | None) -> None:
    """Ages as DICOM writes them become years, and de-identified ones are unknown."""
    row = {"id": "a", "reference": "", "candidate": "", "age": age}
    [pair] = read_pairs(write_text(tmp_path / "p.jsonl", json_lines([row])))
    assert isinstance(pair, ReportPair)
    assert pair.context.age == years


def _folder(path: Path) -> None:
    path.mkdir()


def _nothing(path: Path) -> None:
    assert not path.exists()


def _bytes(data: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(data)

    return write


@pytest.mark.parametrize(
    ("name", "make", "says"),
    [
        ("p.csv", _nothing, "no such file"),
        ("p.csv", _folder, "folder"),
        ("p.xlsx", _bytes(b"x"), "suffix"),
        ("p.parquet.gz", _bytes(b"x"), "suffix"),
        ("p.csv", _bytes(b""), "empty"),
        ("p.csv", _bytes(b"\xef\xbb\xbf"), "empty"),
        ("p.csv", _bytes(b"\n\n"), "empty"),
        ("p.jsonl", _bytes(b""), "empty"),
        ("p.jsonl", _bytes(b"\n \n"), "empty"),
        ("p.csv.gz", _bytes(gzip.compress(b"")), "empty"),
        ("p.csv.gz", _bytes(b"id,reference,candidate\n"), "gzip"),
        ("p.jsonl.gz", _bytes(gzip.compress(json_lines(MANY).encode())[:-9]), "gzip"),
        ("p.parquet", _bytes(b""), "Parquet"),
        ("p.parquet", _bytes(b"PAR1 and nothing more PAR1"), "Parquet"),
        ("p.csv", _bytes("id,reference,candidate\n1,x,y\n".encode("utf-16")), "UTF-8"),
        ("p.csv", _bytes(b"id;reference;candidate\n1;x;y\n"), "separated"),
        ("p.csv", _bytes(b"id,reference,candidate,reference\n1,x,y,z\n"), "more than once"),
        ("p.csv", _bytes(b'id,"refer"ence,candidate\n'), "quote"),
    ],
)
@pytest.mark.parametrize("on_error", ["fail", "skip"])
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, name: str, make: Callable[[Path], None], says: str, on_error: str
) -> None:
    """What concerns the whole file is raised at once, whatever is done about bad rows."""
    make(tmp_path / name)
    with pytest.raises(InputError, match=says) as caught:
        list(read_pairs(tmp_path / name, on_error=on_error))
    assert caught.value.source == str(tmp_path / name)


@pytest.mark.parametrize("name", ["p.csv", "p.jsonl", "p.parquet"])
def test_a_missing_column_is_named_with_those_there_and_the_remedy(tmp_path: Path, name: str) -> None:
    """The message names columns and the argument, and quotes no report."""
    rows = [{"id": "a", "report": PHRASE, "candidate": PHRASE}]
    with pytest.raises(InputError) as caught:
        read_pairs(write_rows(tmp_path / name, rows))
    message = str(caught.value)
    assert "no column reference" in message
    assert "it has id, report, candidate" in message
    assert "`columns=Columns(...)`" in message
    assert PHRASE not in message


def test_a_file_without_header_is_not_quoted(tmp_path: Path) -> None:
    """The first row would be taken for the header: it is a report."""
    path = write_text(tmp_path / "p.csv", f"1,{PHRASE} is seen again.,{PHRASE}\n")
    with pytest.raises(InputError, match="does not look like") as caught:
        read_pairs(path)
    assert "Cavitating" not in str(caught.value)


def line(**fields: object) -> bytes:
    return json.dumps({"id": "bad", "reference": PHRASE, "candidate": PHRASE} | fields).encode()


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (line(reference=None), "reference is null"),
        (line(candidate=3), "candidate is a number"),
        (line(candidate=[PHRASE]), "candidate is a list"),
        (line(reference=PHRASE + "\0"), "NUL"),
        (line(reference=PHRASE + "\ud800"), "half a surrogate pair"),
        (line(id=None), "id is missing"),
        (line(id=""), "id is empty"),
        (line(id=True), "id is true or false"),
        (line(id=PHRASE * 20), "id is longer"),
        (line(id="first"), "also that of row 1"),
        (line(age="elderly"), "age is not an age in years; give years (66)"),
        (line(age=-4), "age is not an age"),
        (line(age=126), "age is not an age between 0 and 125 years"),
        (line(indication=["cough"]), "indication is a list"),
        (line()[:-1], "not valid JSON"),
        (line().replace(b"Cavitating", b"Cav\xff"), "byte 0xFF is not UTF-8"),
        (b"[" * 100_000, "not valid JSON"),
        (b"9" * 10_000, "not valid JSON"),
        (b'["' + PHRASE.encode() + b'"]', "not a JSON object"),
        (b'{"id": "bad", "candidate": ""}', "no column reference"),
    ],
)
def test_a_bad_line_of_json_keeps_its_place(tmp_path: Path, bad: bytes, says: str) -> None:
    """Under skip it is a bad row among the pairs; under fail its row is named. The text is never quoted."""
    path = tmp_path / "p.jsonl"
    good = [line(id="first"), line(id="last")]
    path.write_bytes(b"\n".join([good[0], bad, good[1], b""]))
    first, second, third = skipped(path)
    assert isinstance(second, BadRow)
    assert (first.id, second.row, third.id) == ("first", 2, "last")
    assert says in second.problem
    with pytest.raises(InputError, match="row 2") as caught:
        list(read_pairs(path))
    assert caught.value.row == 2
    for message in (str(caught.value), second.problem, repr(caught.value.__cause__)):
        assert "Cavitating" not in message
        assert "Sample" not in message


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (b"bad,x", "2 cells instead of 3"),
        (b"bad,x,y,z", "4 cells instead of 3"),
        (b"bad,Caf\xe9,y", "byte 0xE9 is not UTF-8"),
        (b"bad,x\0,y", "NUL"),
        (b",x,y", "id is empty"),
        (b"first,x,y", "also that of row 1"),
        (b'bad,"He said "no" twice",y', "quote"),
    ],
)
def test_a_bad_row_of_csv_keeps_its_place(tmp_path: Path, bad: bytes, says: str) -> None:
    """Blank lines are no rows, and a cell of many lines is one row."""
    path = tmp_path / "p.csv"
    path.write_bytes(b'id,reference,candidate\nfirst,"x\ny\nz",y\n\n' + bad + b"\nlast,x,y\n")
    first, second, third = skipped(path)
    assert isinstance(second, BadRow)
    assert (first.id, second.row, third.id) == ("first", 2, "last")
    assert says in second.problem
    with pytest.raises(InputError, match="row 2"):
        list(read_pairs(path))


def test_a_bad_row_has_its_own_id_where_it_has_one(tmp_path: Path) -> None:
    """A skipped row can be found again, by its id or by its number."""
    path = write_text(tmp_path / "p.csv", "id,reference,candidate\nx7,only\n,a,b\n")
    assert ids(skipped(path)) == ["x7", "row-2"]


@pytest.mark.parametrize("rest", ['2,"x,y\n3,x,y\n', '2,"x\nand "no" more",y\n3,x,y\n'])
@pytest.mark.parametrize("on_error", ["fail", "skip"])
def test_an_open_quote_ends_the_reading(tmp_path: Path, on_error: str, rest: str) -> None:
    """It swallows the rows after it, so these cannot be told apart: going on would lose or shift them."""
    path = write_text(tmp_path / "p.csv", "id,reference,candidate\n1,x,y\n" + rest)
    with pytest.raises(InputError, match="from line 3 on") as caught:
        list(read_pairs(path, on_error=on_error))
    assert caught.value.row == 2


def test_an_endless_cell_ends_the_reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cell above the limit is an open quote, however long the file."""
    monkeypatch.setattr("overread.tables.delimited.LONGEST_CELL", 300_000)
    before = csv.field_size_limit(1000)
    try:
        path = write_text(tmp_path / "p.csv", 'id,reference,candidate\n1,"' + "x" * 400_000 + '",y\n')
        with pytest.raises(InputError, match="quote is not closed"):
            list(read_pairs(path))
        assert csv.field_size_limit() == 300_000
    finally:
        csv.field_size_limit(before)


def test_a_long_report_is_no_fault(tmp_path: Path) -> None:
    """200,000 characters are more than the csv module takes by default."""
    rows = [{"id": "a", "reference": "No effusion. " * 16_000, "candidate": ""}]
    [pair] = read_pairs(write_rows(tmp_path / "p.csv", rows))
    assert isinstance(pair, ReportPair)
    assert len(pair.reference.text) == 208_000


def test_parquet_rows_that_are_bad_keep_their_place(tmp_path: Path) -> None:
    """Null ids and reports, and bytes that are not UTF-8, which Arrow does not check on writing."""
    broken = pa.array([b"fine", b"Caf\xe9", b"fine", b"fine"]).view(pa.string())
    table = pa.table(
        {"id": ["a", "b", None, "d"], "reference": broken, "candidate": pa.array(["", "", "", None], pa.string())}
    )
    pq.write_table(table, tmp_path / "p.parquet")
    rows = skipped(tmp_path / "p.parquet")
    assert ids(rows) == ["a", "b", "row-3", "d"]
    assert [row.problem for row in rows if isinstance(row, BadRow)] == [
        "byte 0xE9 in column reference is not UTF-8",
        "id is missing",
        "candidate is null, as pandas reads an empty cell; an empty report is an empty text",
    ]


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64()])
def test_parquet_ids_may_be_numbers(tmp_path: Path, kind: pa.DataType) -> None:
    """Ids of Parquet files are the same text as those of CSV files."""
    table = pa.table({"id": pa.array([1, 2], kind), "reference": ["", ""], "candidate": ["", ""]})
    pq.write_table(table, tmp_path / "p.parquet")
    assert ids(list(read_pairs(tmp_path / "p.parquet"))) == ["1", "2"]


def test_only_the_columns_asked_for_matter(tmp_path: Path) -> None:
    """A further column may hold whatever it likes."""
    table = pa.table({"id": ["a"], "image": [b"\xff\xfe"], "reference": ["x"], "candidate": ["y"]})
    pq.write_table(table, tmp_path / "p.parquet")
    assert ids(list(read_pairs(tmp_path / "p.parquet"))) == ["a"]


def test_faults_of_the_head_show_before_the_first_pair_is_asked_for(tmp_path: Path) -> None:
    """Rows are read lazily, but a wrong file fails where it is named."""
    with pytest.raises(InputError):
        read_pairs(write_text(tmp_path / "p.csv", "id,candidate\n1,x\n"))


def test_on_error_is_fail_or_skip(tmp_path: Path) -> None:
    """A mistyped rule for bad rows is an error of the program."""
    with pytest.raises(ValueError, match="ignore"):
        read_pairs(write_rows(tmp_path / "p.csv", ROWS), on_error="ignore")


@pytest.mark.parametrize("name", ["p.csv", "p.tsv", "p.jsonl", "p.parquet"])
def test_rows_are_counted(tmp_path: Path, name: str) -> None:
    """Line ends within a quoted cell are no rows."""
    assert PairFile(path=write_rows(tmp_path / name, ROWS)).count() == len(ROWS)


def test_a_last_line_without_end_counts(tmp_path: Path) -> None:
    """Rows are counted as they are read, also without a line end at the end of the file."""
    assert PairFile(path=write_text(tmp_path / "p.csv", "id,reference,candidate\n1,x,y\n2,x,y")).count() == 2


@pytest.mark.parametrize("name", ["none.csv", "p.csv.gz", "folder.csv", "p.txt", "broken.parquet"])
def test_what_cannot_be_counted_cheaply_is_not(tmp_path: Path, name: str) -> None:
    """Counting is for a progress bar: it never raises."""
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "broken.parquet").write_bytes(b"x")
    (tmp_path / "p.txt").write_bytes(b"x")
    write_rows(tmp_path / "p.csv.gz", ROWS)
    assert PairFile(path=tmp_path / name).count() is None


def test_a_report_file_is_read_unchanged(tmp_path: Path) -> None:
    """Line ends stay; a byte order mark goes; an empty file is an empty report."""
    (tmp_path / "r.txt").write_bytes(b"\xef\xbb\xbfFINDINGS:\r\nNo effusion.\n")
    (tmp_path / "e.txt").write_bytes(b"")
    assert read_text(tmp_path / "r.txt") == "FINDINGS:\r\nNo effusion.\n"
    assert read_text(tmp_path / "e.txt") == ""


@pytest.mark.parametrize(
    ("data", "says"),
    [(b"Normal.\nCaf\xe9", "0xE9 in line 2"), (b"a\nb\nc\0", "NUL byte in line 3")],
)
def test_a_report_file_that_is_no_text_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    """The byte and the line of the fault are named, not the text."""
    (tmp_path / "r.txt").write_bytes(data)
    with pytest.raises(InputError, match=says):
        read_text(tmp_path / "r.txt")


def test_a_pipe_is_no_file_of_pairs(tmp_path: Path) -> None:
    """It would be waited for, and could be read once."""
    os.mkfifo(tmp_path / "p.jsonl")
    with pytest.raises(InputError, match=r"is a pipe or a device, .*save its output to a file first"):
        read_pairs(tmp_path / "p.jsonl")


def test_a_report_file_must_be_there(tmp_path: Path) -> None:
    """A missing file and a folder are told apart."""
    with pytest.raises(InputError, match="no such file"):
        read_text(tmp_path / "r.txt")
    with pytest.raises(InputError, match="folder"):
        read_text(tmp_path)


def test_importing_is_cheap() -> None:
    """Arrow is imported when a Parquet file is at hand, not before."""
    code = "import sys, overread.infrastructure.files.tables; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, env={"PYTHONPATH": "src"}).returncode == 0
