"""Rows of every format: the same records, columns by name, and faults with their remedies."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from overread.exceptions import InputError
from overread.tables.columns import MEND
from overread.tables.documents import parse_document
from overread.tables.records import read_records

ROWS = [{"id": "a", " text ": "Clear.", "more": "x"}, {"id": "b", " text ": "", "more": "y"}]
FORMATS = ["csv", "tsv", "jsonl", "csv.gz", "jsonl.gz", "parquet"]


def written(folder: Path, suffix: str) -> Path:
    path = folder / f"rows.{suffix}"
    kind, _, packed = suffix.partition(".")
    if kind == "parquet":
        pq.write_table(pa.Table.from_pylist(ROWS), path)
        return path
    between = {"csv": ",", "tsv": "\t"}.get(kind, "")
    lines = [between.join(row) for row in (ROWS[0], *(row.values() for row in ROWS))] if between else []
    data = "".join(f"{line}\n" for line in lines or map(json.dumps, ROWS)).encode()
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    return path


@pytest.mark.parametrize("suffix", FORMATS)
def test_every_format_has_the_same_records(tmp_path: Path, suffix: str) -> None:
    """Only the columns that were asked for, without blanks around their names, each once."""
    records = list(read_records(written(tmp_path, suffix), ["id", "text", "id"], ["none"]))
    assert [dict(record.fields) for record in records] == [{"id": "a", "text": "Clear."}, {"id": "b", "text": ""}]
    assert [(record.row, record.problem, record.remedy) for record in records] == [(1, "", ""), (2, "", "")]


@pytest.mark.parametrize("suffix", FORMATS)
def test_all_columns_can_be_read(tmp_path: Path, suffix: str) -> None:
    """For tables whose columns are not known before."""
    records = read_records(written(tmp_path, suffix), ["text"], None)
    assert [dict(record.fields) for record in records] == [
        {"id": "a", "text": "Clear.", "more": "x"},
        {"id": "b", "text": "", "more": "y"},
    ]


@pytest.mark.parametrize(
    ("name", "data", "row", "problem", "remedy"),
    [
        ("a.csv", b"id,text\na,b,c\n", 1, "3 cells instead of 2", "a cell that holds the separator must be in double"),
        ("a.csv", b'id,text\na,b\nc,"d"e\n', 2, "a quote inside a quoted cell is not doubled (line 3)", MEND),
        ("a.csv", b"id,text\na,\xff\n", 1, "byte 0xFF is not UTF-8; save it as UTF-8", ""),
        ("a.jsonl", b'{"id": 1}\n\n[]\n', 3, "not a JSON object", MEND),
        ("a.jsonl", b'{"id": 1}\n{"id": 2, "zebra": 1, "zebra": 2}\n', 2, "not valid: an object has a key twice", MEND),
        ("a.jsonl", b'{"id": 1}\n{"id": 2, "id": 1}\n', 2, "has the key id twice", MEND),
        (
            "a.jsonl",
            b'{"id": 1}\n{"id": "zebra\n',
            2,
            "not valid JSON: Unterminated string starting at at character 8",
            MEND,
        ),
        ("a.jsonl", b'{"id": 1}\n{"text": "x"}\n', 2, "no column id; it has text", ""),
    ],
)
def test_a_bad_row_says_what_mends_it(
    tmp_path: Path, name: str, data: bytes, row: int, problem: str, remedy: str
) -> None:
    """And its error names file and row; the rows beside it are read."""
    path = tmp_path / name
    path.write_bytes(data)
    [record] = [record for record in read_records(path, ["id"]) if record.problem]
    assert (record.row, record.problem) == (row, problem)
    assert record.remedy.startswith(remedy)
    assert bool(record.remedy) is bool(remedy)
    assert str(record.error(path)).startswith(f"{path}, row {row}: {problem}")
    assert "zebra" not in str(record.error(path))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b'{"a": 1, "a": 2}', "an object has a key twice (use each key only once)"),
        (b'{"zebra', "is not valid JSON at line 1, column 2 (export or copy it again)"),
        (b'"\xff"', "is not valid JSON in UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "is UTF-16 or UTF-32 text"),
        (gzip.compress(b"{}", mtime=0), "is compressed with gzip"),
    ],
)
def test_a_document_that_is_no_json_is_refused(tmp_path: Path, data: bytes, says: str) -> None:
    """Saying where, and what to do, without its words."""
    path = tmp_path / "a.json"
    path.write_bytes(data)
    with pytest.raises(InputError) as refused:
        parse_document(path)
    assert says in str(refused.value)
    assert "zebra" not in str(refused.value)


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_memory_does_not_grow_with_the_file(tmp_path: Path, suffix: str) -> None:
    """Rows come one by one, whatever the format."""
    path, count = tmp_path / f"large.{suffix}", 60_000
    text = "Lungs are clear. " * 12
    if suffix == "parquet":
        pq.write_table(pa.table({"id": range(count), "text": [text] * count}), path, row_group_size=2_000)
    else:
        line = '{"id": "%d", "text": "%s"}\n' if suffix == "jsonl" else "%d,%s\n"
        with path.open("w", encoding="utf-8") as stream:
            stream.write("id,text\n" if suffix == "csv" else "")
            stream.writelines(line % (number, text) for number in range(count))
    next(read_records(path, ["id", "text"]))  # modules are loaded
    tracemalloc.start()
    try:
        assert sum(len(record.fields["text"]) for record in read_records(path, ["id", "text"])) == count * len(text)
        assert tracemalloc.get_traced_memory()[1] < count * len(text) / 4
    finally:
        tracemalloc.stop()


def test_pyarrow_is_loaded_for_parquet_alone(tmp_path: Path) -> None:
    """It takes longer to load than a small table to read."""
    path = written(tmp_path, "jsonl")
    code = (
        "import sys; from pathlib import Path; from overread.tables import documents, records, replacing; "
        f"rows = list(records.read_records(Path({str(path)!r}), ['id'])); "
        "sys.exit('pyarrow' in sys.modules or len(rows) != 2)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
