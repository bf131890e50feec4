"""Tables of a set: found by their columns, read whatever their format."""

from __future__ import annotations

import json
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets import _archives
from overread.studies.infrastructure.datasets.annotated_sets._archives import unpack_tables
from overread.studies.infrastructure.datasets.annotated_sets._files import (
    Row,
    find_tables,
    one_table,
    open_table,
    read_rows,
)

from .layouts import PRIVATE, refused, write_csv

ROWS: list[dict[str, Any]] = [{"Study ID": "1", "n": 2}, {"Study ID": "2", "n": 3}]


def studies(path: Path) -> list[tuple[str, float]]:
    table = open_table(path)
    columns = table.columns({"study": ("study_id",), "n": ()})
    return [(row.name("study"), row.count("n")) for row in read_rows(table, columns)]


@pytest.mark.parametrize(
    "value",
    [
        ROWS,
        {"data": ROWS},
        {"x": ROWS[0], "y": ROWS[1]},
        {"Study ID": ["1", "2"], "n": [2, 3]},
        {"Study ID": {"0": "1", "1": "2"}, "n": {"0": 2, "1": 3}},
    ],
)
def test_json_of_every_shape(tmp_path: Path, value: object) -> None:
    """A list, one inside an object, objects by name, columns as lists, columns as pandas writes them."""
    (tmp_path / "a.json").write_text(json.dumps(value), encoding="utf-8-sig")
    assert studies(tmp_path / "a.json") == [("1", 2.0), ("2", 3.0)]


@pytest.mark.parametrize("text", ["{", "3", '{"a": 1}', "[1]", "[]extra", ""])
def test_json_of_no_shape_is_refused(tmp_path: Path, text: str) -> None:
    """What holds no objects is told of."""
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    assert "a.json" in refused(lambda: studies(tmp_path / "a.json"))


def test_objects_by_name_carry_it(tmp_path: Path) -> None:
    """Its name is the key of an object."""
    (tmp_path / "a.json").write_text(json.dumps({"x": {"n": 1}, "y": {"n": 2}}), encoding="utf-8")
    table = open_table(tmp_path / "a.json")
    assert [row.name("id") for row in read_rows(table, {"id": "key"})] == ["x", "y"]


def test_columns_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    """Two columns for one name are no guess to make; an exact name wins."""
    path = write_csv(tmp_path / "a.csv", [{"Study id": 1, "STUDY_ID": 2, "n": 3}])
    assert "more than one column is named study_id" in refused(lambda: studies(path))
    assert open_table(path).column("STUDY_ID") == "STUDY_ID"


def test_unreadable_file_is_told_where_a_table_is_missing(tmp_path: Path) -> None:
    """Other files may be broken; if a table is missing, each is named with what is amiss."""
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    (tmp_path / ".hidden.csv").write_text("study_id\n", encoding="utf-8")
    write_csv(tmp_path / "headless.csv", [{PRIVATE + " and a first row without names": "x"}])
    write_csv(tmp_path / "good.csv", ROWS)
    tables = find_tables(tmp_path)
    assert one_table(tables, {"study_id": ()}, "the table", tmp_path).path.name == "good.csv"
    message = refused(lambda: one_table(tables, {"rater": ()}, "the table", tmp_path))
    assert "broken.json: is not valid JSON" in message
    assert "good.csv has Study ID, n" in message
    assert "headless.csv has a first row that does not look like column names" in message
    assert "hidden" not in message


def test_a_short_sentence_is_no_column_name(tmp_path: Path) -> None:
    """Columns of a table without a header are not shown, as elsewhere: their first row may be of reports."""
    write_csv(tmp_path / "headless.csv", [{"study_id": 1, "No acute disease of the chest": 2}])
    message = refused(lambda: one_table(find_tables(tmp_path), {"rater": ()}, "the table", tmp_path))
    assert "acute" not in message
    assert "headless.csv has a first row that does not look like column names" in message


@pytest.mark.parametrize(
    ("cell", "remedy"), [(1, "correct the row, or copy the file again"), (None, ""), (float("nan"), "")]
)
def test_a_report_that_is_none_has_one_remedy(cell: object, remedy: str) -> None:
    """Where the fault of the cell says what to do, nothing else is said; a column's name takes no part in that."""
    row = Row("a.csv", 1, {"read; twice": cell})
    with pytest.raises(InputError) as error:
        row.text("read; twice")
    assert error.value.remedy == remedy


@pytest.mark.parametrize("separator", [";", "\t"])
def test_other_separators_are_told(tmp_path: Path, separator: str) -> None:
    """Not that columns are missing."""
    file = tmp_path / "comparisons.csv"
    file.write_text(separator.join(["reference", "candidate_a", "choice"]) + "\n", encoding="utf-8")
    assert "a .csv has commas, a .tsv tabs" in refused(lambda: open_table(file))


def test_two_candidates_for_a_table_are_refused(tmp_path: Path) -> None:
    """Which is meant is for the user to say."""
    for name in ("a.csv", "b.csv"):
        write_csv(tmp_path / name, ROWS)
    message = refused(lambda: one_table(find_tables(tmp_path), {"n": ()}, "the table", tmp_path))
    assert "more than one file may be the table: a.csv, b.csv" in message


def test_workbook_is_refused_with_a_remedy(tmp_path: Path) -> None:
    """Workbooks are not read."""
    (tmp_path / "a.xlsx").write_bytes(b"PK")
    assert "save each sheet of a workbook as CSV" in refused(lambda: studies(tmp_path / "a.xlsx"))


def test_archive_stays_inside_its_folder(tmp_path: Path) -> None:
    """A member named upwards or absolutely lies below the folder like any other; what is no table is not unpacked."""
    csv = write_csv(tmp_path / "a.csv", ROWS)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        for name in ("../../up.csv", "/etc/root.csv", "in/side.csv", "in/program.py"):
            archive.write(csv, name)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as packed:
        packed.add(csv, "in/side.csv")
        link = tarfile.TarInfo("in/link.csv")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        packed.addfile(link)
    with unpack_tables(tmp_path / "a.zip") as folder:
        assert sorted(str(f.relative_to(folder)) for f in folder.rglob("*.*")) == [
            "etc/root.csv",
            "in/side.csv",
            "up.csv",
        ]
    assert not folder.exists()
    with unpack_tables(tmp_path / "a.tar.gz") as folder:
        assert [table.path.name for table in find_tables(folder)] == ["side.csv"]


def test_archive_that_grows_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A small archive may hold very much: there is a limit, and nothing stays behind."""
    monkeypatch.setattr(_archives, "_MOST", 1000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", "n\n" * 10_000)
    assert "unpack it yourself" in refused(lambda: unpack_tables(tmp_path / "a.zip").__enter__())
    assert [path.name for path in tmp_path.iterdir()] == ["a.zip"]
