"""A study as JSON and as CSV files."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Column, Table, Tabulation
from overread.exceptions import InputError
from overread.infrastructure.files.whole_files import write_whole
from overread.infrastructure.views.table_words import cell_words
from overread.infrastructure.views.tabulations import tabulation_record, write_csv

from .studied import AGREEMENT, EMPTY, HOSTILE, PAIRS, STUDY


def record() -> dict[str, Any]:
    read: dict[str, Any] = json.loads(json.dumps(tabulation_record(STUDY), allow_nan=False))
    return read


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def test_json_keeps_every_digit_and_has_null_for_what_is_no_number() -> None:
    """A study read back from JSON has the same numbers; NaN and infinity are not JSON."""
    radot, bleu, rouge = record()["tables"]["agreement"]["rows"]
    assert radot["tau"] == {"value": 0.1 + 0.2, "low": 0.0123456789012345, "high": 0.6}
    assert (radot["metric"], radot["share"], radot["p"], radot["pairs"]) == ("radot", 0.625, 0.00049, 1234)
    assert (bleu["share"], bleu["p"], bleu["pairs"]) == (None, None, None)
    assert rouge["tau"] == {"value": None, "low": None, "high": None}


def test_json_has_titles_notes_facts_and_addresses() -> None:
    """A record tells all that a page shows but the plots."""
    read = record()
    assert list(read["tables"]) == ["agreement", "pairs", "strata"]
    assert read["tables"]["agreement"]["columns"]["tau"] == "Kendall's tau-b"
    assert read["tables"]["agreement"]["note"] == "Higher is better."
    assert (read["name"], read["title"], read["notes"]) == ("rexval", "ReXVal", ["bleu: 3 pairs are not scored"])
    assert (read["facts"]["pairs"], read["facts"]["seed"]) == (1200, 20240)
    assert read["tables"]["pairs"]["rows"][0] == {"id": HOSTILE, "difference": -0.75, "address": "pages/s1.html"}


def test_numpys_numbers_are_written_like_any_other() -> None:
    """Figures come from numpy, whose own numbers JSON refuses."""
    half: Any = np.float32(0.5)
    estimate = Estimate(half, 0.25, None)
    tenth: Any = np.float64(0.1)
    columns = (Column(name="a", title="a"), Column(name="b", title="b"))
    table = Table(name="t", title="t", columns=columns, rows=((tenth, estimate),))
    read = json.loads(json.dumps(tabulation_record(evolve(STUDY, tables=(table,)))))
    assert read["tables"]["t"]["rows"] == [{"a": 0.1, "b": {"value": 0.5, "low": 0.25, "high": None}}]


def test_csv_files_read_back_the_same_numbers(tmp_path: Path) -> None:
    """An estimate takes three columns, a missing figure is an empty cell, and no digit is lost."""
    written = write_csv(STUDY, tmp_path / "made" / "here")
    assert [path.name for path in written] == ["agreement.csv", "pairs.csv", "strata.csv", "about.json"]
    radot, bleu, rouge = rows(written[0])
    assert list(radot) == ["metric", "tau", "tau_low", "tau_high", "share", "p", "pairs"]
    assert [float(radot[name]) for name in ("tau", "tau_low", "tau_high")] == [0.1 + 0.2, 0.0123456789012345, 0.6]
    assert (radot["pairs"], bleu["share"], bleu["p"], bleu["pairs"]) == ("1234", "", "", "")
    assert (rouge["tau"], rouge["tau_low"]) == ("", "")
    assert [row["id"] for row in rows(written[1])] == [HOSTILE, "s2", "s3"]
    assert rows(written[1])[2]["address"] == "https://example.org/?a=1&b=2"
    assert rows(written[2]) == []


def test_about_json_holds_what_the_rows_do_not(tmp_path: Path) -> None:
    """Facts and notes have no place in a table of CSV and stand beside it."""
    about = json.loads(write_csv(STUDY, tmp_path)[-1].read_text(encoding="utf-8"))
    assert about["facts"] == STUDY.facts
    assert about["tables"]["agreement"]["note"] == "Higher is better."
    assert "rows" not in about["tables"]["agreement"]


def test_a_study_replaces_its_own_files_alone(tmp_path: Path) -> None:
    """Files of an earlier run are its own, also after a run with other tables; those of others stay."""
    write_csv(STUDY, tmp_path)
    write_csv(evolve(STUDY, tables=(EMPTY,)), tmp_path)
    changed = evolve(AGREEMENT, rows=AGREEMENT.rows[:1])
    assert len(rows(write_csv(evolve(STUDY, tables=(changed,)), tmp_path)[0])) == 1
    with pytest.raises(InputError, match="holds the tables of 'rexval'"):
        write_csv(evolve(STUDY, name="radevalx"), tmp_path)


@pytest.mark.parametrize("name", ["pairs.csv", "about.json"])
def test_a_foreign_file_is_not_replaced_and_nothing_is_written(tmp_path: Path, name: str) -> None:
    """A folder that holds another file of a table's name keeps it, and gets no other table either."""
    (tmp_path / name).write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match=rf"{name}.*already exists.*name another folder"):
        write_csv(STUDY, tmp_path)
    assert [path.read_text(encoding="utf-8") for path in tmp_path.iterdir()] == ["mine"]


def test_any_name_of_a_table_makes_a_file(tmp_path: Path) -> None:
    """Strata are named by whoever made the set; each table has a file of its own, which about.json tells."""
    names = ["by-CT/MR", "by-CT%2FMR", "by-..", "by-" + "é" * 150, "by-" + "é" * 151, "by-a:b*?", "by-site 1"]
    tables = tuple(evolve(EMPTY, name=name) for name in names)
    *files, about = write_csv(evolve(STUDY, tables=tables), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in (*files, about)}
    assert len(set(files)) == len(names)
    assert (files[0].name, files[-1].name) == ("by-CT%2FMR.csv", "by-site 1.csv")
    told = json.loads(about.read_text(encoding="utf-8"))["tables"]
    assert {name: told[name]["file"] for name in names} == dict(zip(names, (f.name for f in files), strict=True))
    write_csv(evolve(STUDY, tables=tables), tmp_path)


def test_names_that_clash_are_refused() -> None:
    """Tables are files and columns are keys, so that of two with one name one would be lost."""
    twice = Column(name="difference", title="again")
    with pytest.raises(ValueError, match="two tables"):
        tabulation_record(evolve(STUDY, tables=(PAIRS, PAIRS)))
    with pytest.raises(ValueError, match="two columns of table pairs"):
        tabulation_record(evolve(STUDY, tables=(evolve(PAIRS, columns=(*PAIRS.columns, twice), rows=()),)))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """A file in the place of a folder is an error of the input and not a traceback."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="cannot be made"):
        write_csv(STUDY, tmp_path / "file" / "below")


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    """An error halfway leaves the former file and nothing beside it."""
    path = tmp_path / "page.html"
    write_whole(path, "a\r\nb")
    assert path.read_bytes() == b"a\r\nb"
    (tmp_path / "page.html.partial").mkdir()
    with pytest.raises(InputError, match=r"page\.html: cannot be written"):
        write_whole(path, "new")
    assert path.read_bytes() == b"a\r\nb"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no full disk to write to")
def test_a_full_disk_and_missing_folders_are_told(tmp_path: Path) -> None:
    """Whatever keeps a file from being written is told in words of the input's place."""
    with pytest.raises(InputError, match="No space left"):
        write_whole("/dev/full", "x")
    with pytest.raises(InputError, match="does not exist"):
        write_whole(tmp_path / "none" / "page.html", "x")
    with pytest.raises(InputError, match="is a folder"):
        write_whole(tmp_path, "x")


@pytest.mark.parametrize(
    ("cell", "column", "words"),
    [
        (None, {}, ("-", "")),
        (math.nan, {}, ("-", "")),
        (-0.00004, {}, ("0.000", "")),
        (-1234.5678, {"digits": 1}, ("-1,234.6", "")),
        (1234, {}, ("1,234", "")),
        (True, {}, ("yes", "")),
        (0.625, {"percent": True}, ("62.5 %", "")),
        (Estimate(0.5, 0.25, 0.75), {"percent": True, "digits": 2}, ("50 %", "[25, 75]")),
        (Estimate(0.5), {}, ("0.500", "")),
        (Estimate(0.5, 0.1, math.nan), {}, ("0.500", "")),
        (Estimate(None, 0.1, 0.2), {}, ("-", "")),
        ("two\nlines \x1b", {}, ("two lines \ufffd", "")),
    ],
)
def test_cells_in_words(cell: object, column: dict[str, Any], words: tuple[str, str]) -> None:
    """Cells are rounded to the digits of their column, without a negative zero."""
    found = cell_words(cell, Column(name="x", title="x", **column))  # type: ignore[arg-type]
    assert (found.text, found.interval) == words


def test_an_empty_study_is_a_record_too() -> None:
    """A study without tables has every key of a record."""
    empty = Tabulation(name="none", title="None", tables=())
    assert tabulation_record(empty) == {"name": "none", "title": "None", "facts": {}, "notes": [], "tables": {}}
