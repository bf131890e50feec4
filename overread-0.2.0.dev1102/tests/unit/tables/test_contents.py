"""Files whose contents are of another kind than their names say."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import sqlite3
import tarfile
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from overread.exceptions import InputError
from overread.infrastructure.files.scored import holds_results, read_scores
from overread.infrastructure.files.tables import read_pairs, read_text
from overread.studies.infrastructure.datasets.annotated_sets._files import open_table
from overread.studies.infrastructure.datasets.json_lines import read_json_lines
from overread.tables.records import count_records, read_columns

CSV = b"id,reference,candidate\na,Zebra.,y\n"
JSONL = b'{"id": "a", "reference": "Zebra.", "candidate": "y"}\n'
TABLE = pa.table({"id": ["a"], "reference": ["Zebra."], "candidate": ["y"]})


def zipped(name: str) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(name, CSV)
    return made.getvalue()


def archived() -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as archive:
        entry = tarfile.TarInfo("p.csv")
        entry.size = len(CSV)
        archive.addfile(entry, io.BytesIO(CSV))
    return made.getvalue()


def parquet() -> bytes:
    made = io.BytesIO()
    pq.write_table(TABLE, made)
    return made.getvalue()


def feather() -> bytes:
    made = io.BytesIO()
    with pa.ipc.new_file(made, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return made.getvalue()


def database(folder: Path) -> bytes:
    path = folder / "made.db"
    with sqlite3.connect(path) as connection:
        connection.execute("create table results (id text)")
    connection.close()
    return path.read_bytes()


KINDS = [
    (gzip.compress(CSV, mtime=0), "is compressed with gzip", "give it a name that ends in .gz, or unpack it"),
    (bz2.compress(CSV), "is compressed with bzip2", "unpack it first"),
    (lzma.compress(CSV), "is compressed with xz", "unpack it first"),
    (zipped("p.csv"), "is a zip archive", "unpack it first"),
    (zipped("[Content_Types].xml"), "is an Office file, such as an Excel workbook", "save each sheet as CSV (UTF-8)"),
    (b"PK\x05\x06" + bytes(18), "is a zip archive with nothing in it", "name the file that is meant"),
    (archived(), "is a tar archive", "unpack it first"),
    (b"\x04\x22\x4d\x18Zebra", "is compressed with lz4", "unpack it first"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is an image", "name the file that is meant"),
    (bytes(128) + b"DICM\x02\0\0\0UL", "is a DICOM file", "export the data as CSV or JSON lines"),
    (parquet(), "is a Parquet file", "give it a name that ends in .parquet"),
    (feather(), "is an Arrow or Feather file", "save it as Parquet"),
    (b"%PDF-1.7\n%\xe2\xe3", "is a PDF document", "save its text as UTF-8"),
    (rb"{\rtf1\ansi Zebra.}", "is an RTF document", "save its text as UTF-8"),
    (b"\xef\xbb\xbf\n<!DOCTYPE HTML><p>Zebra.", "is an HTML page", "save its text as UTF-8"),
    (b"version https://git-lfs.github.com/spec/v1\n", "is a pointer of Git LFS, not the file itself", "git lfs pull"),
]
NAMES = ["p.csv", "p.tsv", "p.jsonl", "p.ndjson"]


@pytest.mark.parametrize(("data", "says", "remedy"), KINDS, ids=[words for _, words, _ in KINDS])
@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_another_kind_is_told_as_what_it_is(
    tmp_path: Path, name: str, data: bytes, says: str, remedy: str
) -> None:
    """By everything that reads tables, with what to do; never as text of wide characters, and never quoted."""
    path = tmp_path / name
    path.write_bytes(data)
    for read in (
        lambda: list(read_pairs(path)),
        lambda: read_scores(path, directions={"score": True}),
        lambda: holds_results(path),
        lambda: read_columns(path),
        lambda: open_table(path),
        lambda: list(read_json_lines(path, dict, problem="is none", remedy="mend it")),
        lambda: read_text(path),
    ):
        with pytest.raises(InputError) as caught:
            read()
        assert caught.value.problem == says
        assert remedy in caught.value.remedy
        assert "Zebra" not in str(caught.value)


def test_a_store_given_for_a_table_is_told(tmp_path: Path) -> None:
    """Results are kept in files of both kinds."""
    (tmp_path / "r.jsonl").write_bytes(database(tmp_path))
    with pytest.raises(InputError, match="is an SQLite database"):
        read_scores(tmp_path / "r.jsonl")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (CSV, "is not compressed with gzip, though its name ends in .gz"),
        (parquet(), "is a Parquet file, though its name"),
    ],
)
def test_a_file_that_is_not_packed_though_its_name_says_so_is_told(tmp_path: Path, data: bytes, says: str) -> None:
    """As browsers unpack what they download and leave its name."""
    path = tmp_path / "p.csv.gz"
    path.write_bytes(data)
    with pytest.raises(InputError, match=says):
        list(read_pairs(path))


@pytest.mark.parametrize(
    ("data", "says"), [(gzip.compress(CSV, mtime=0), "is compressed with gzip"), (parquet(), "is a Parquet file")]
)
def test_what_is_in_a_packed_file_is_looked_at_too(tmp_path: Path, data: bytes, says: str) -> None:
    """It may be packed twice."""
    path = tmp_path / "p.csv.gz"
    path.write_bytes(gzip.compress(data))
    with pytest.raises(InputError, match=says):
        list(read_pairs(path))


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (gzip.compress(CSV, mtime=0), "is compressed with gzip, not a Parquet file"),
        (feather(), "is an Arrow or Feather file, not a Parquet file"),
        (CSV, "is a text file, not a Parquet file .give it a name that ends in .csv, .tsv or .jsonl, by its format"),
        ("Größe ".encode() * 200, "is a text file, not a Parquet file"),
        (parquet()[:-9], "is not a whole Parquet file"),
        (bytes(range(256)), "is not a whole Parquet file"),
        (b"", "is empty, not a Parquet file"),
    ],
)
def test_a_file_that_is_no_parquet_though_its_name_says_so_is_told(tmp_path: Path, data: bytes, says: str) -> None:
    """What it is where that is known, else that it is damaged."""
    path = tmp_path / "p.parquet"
    path.write_bytes(data)
    with pytest.raises(InputError, match=says):
        list(read_pairs(path))


@pytest.mark.parametrize("name", NAMES)
def test_bytes_of_no_known_kind_are_no_text(tmp_path: Path, name: str) -> None:
    """They are not taken for wide characters either."""
    path = tmp_path / name
    path.write_bytes(bytes(range(256)) * 8)
    with pytest.raises(InputError, match="is not a text file: it contains NUL bytes"):
        list(read_pairs(path))


ROW = JSONL.strip()
LAYOUTS = [
    ("p.csv", JSONL, "is JSON, not a table of cells"),
    ("p.tsv", b"\xef\xbb\xbf" + JSONL, "is JSON, not a table of cells"),
    ("p.csv", b"[" + ROW + b"]", "is JSON, not a table of cells"),
    ("p.csv", b"\n{\n  " + ROW[1:], "is JSON, not a table of cells"),
    ("p.tsv", CSV, "its cells are not separated as its suffix says"),
    ("p.csv", CSV.replace(b",", b"|"), "its cells are not separated as its suffix says"),
    ("p.jsonl", b"[" + ROW + b"]", "is one JSON list, not one object per line"),
    ("p.jsonl", b"[\n " + ROW + b"\n]", "is one JSON list, not one object per line"),
    ("p.jsonl", b"{\r\n  " + ROW[1:], "is JSON with objects over several lines"),
    ("p.jsonl", CSV, "is a table of cells, not JSON lines"),
    (
        "p.jsonl",
        b"\xef\xbb\xbf" + CSV.replace(b"id", b'"total.A"').replace(b",", b"\t"),
        "is a table of cells, not JSON",
    ),
]


@pytest.mark.parametrize(("name", "data", "says"), LAYOUTS)
@pytest.mark.parametrize("packed", [False, True])
def test_text_of_another_layout_is_refused_as_a_whole(
    tmp_path: Path, name: str, data: bytes, says: str, *, packed: bool
) -> None:
    """Bad rows are skipped on request, but a file that holds nothing else is no file of pairs."""
    path = tmp_path / (f"{name}.gz" if packed else name)
    path.write_bytes(gzip.compress(data) if packed else data)
    with pytest.raises(InputError) as caught:
        list(read_pairs(path, on_error="skip"))
    assert says in caught.value.problem
    assert caught.value.remedy
    assert "Zebra" not in str(caught.value)


@pytest.mark.parametrize("first", [b"[1]", b"{torn", b"Effusion, none.", b"rest of a line, cut", b'"', b""])
def test_a_damaged_first_line_leaves_the_others(tmp_path: Path, first: bytes) -> None:
    """It does not make a file of JSON lines one of another layout."""
    path = tmp_path / "p.jsonl"
    path.write_bytes(first + b"\n" + JSONL)
    *_, last = read_pairs(path, on_error="skip")
    assert last.id == "a"


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("p.json", "write each object on a line of its own and give the file a name that ends in .jsonl"),
        ("p.XLSX", "save each sheet as CSV (UTF-8)"),
        ("p.feather", "save it as Parquet"),
        ("p.zip", "unpack it first"),
        ("p.txt", "use .csv, .tsv, .jsonl"),
        ("p.parquet.gz", "use .csv, .tsv, .jsonl"),
    ],
)
def test_a_name_of_another_format_has_its_own_remedy(tmp_path: Path, name: str, remedy: str) -> None:
    """Where there is a better one than the list of formats."""
    path = tmp_path / name
    path.write_bytes(JSONL)
    with pytest.raises(InputError, match="its suffix is not that of a format that can be read") as caught:
        list(read_pairs(path))
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(("name", "data"), [("p.csv", CSV), ("p.jsonl", JSONL), ("p.parquet", parquet())])
def test_a_file_of_its_kind_is_read(tmp_path: Path, name: str, data: bytes) -> None:
    """Packed, too, where its name says so."""
    path = tmp_path / name
    path.write_bytes(data)
    assert [pair.id for pair in read_pairs(path)] == ["a"]
    assert count_records(path) == 1
    if name != "p.parquet":
        packed = tmp_path / f"{name}.gz"
        packed.write_bytes(gzip.compress(data))
        assert [pair.id for pair in read_pairs(packed)] == ["a"]
