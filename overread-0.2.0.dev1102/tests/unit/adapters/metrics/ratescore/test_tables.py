"""Files of affinity tables: what they hold comes back, and what is wrong with one is told with its file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from overread.adapters.metrics.ratescore.tables import load_table, table_record
from overread.domain.entities.affinity import TABLES, TYPES, Orientation, PenaltyRule
from overread.exceptions import ConfigurationError

MINE = evolve(
    TABLES["release-0.6-short"],
    name="mine",
    p=0.25,
    orientation=Orientation.PAPER,
    penalty=PenaltyRule.ANY_MISMATCH,
)


def write_json(folder: Path, record: object) -> Path:
    path = folder / "table.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def write_toml(folder: Path, record: dict[str, Any]) -> Path:
    lines = [f"{key} = {json.dumps(record[key])}" for key in ("name", "p", "orientation", "penalty")]
    for row, columns in record["weights"].items():
        lines += [f"[weights.{row}]", *(f"{column} = {weight!r}" for column, weight in columns.items())]
    path = folder / "table.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def problems(path: Path) -> list[str]:
    """What is said of a file, each without the file's name, which heads it."""
    with pytest.raises(ConfigurationError) as caught:
        load_table(str(path))
    head = f"affinity table {path}"
    assert all(problem.startswith(head) for problem in caught.value.problems)
    return [problem.removeprefix(head).removeprefix(": ").strip() for problem in caught.value.problems]


@pytest.mark.parametrize("name", TABLES)
def test_a_published_table_is_found_by_its_name(name: str) -> None:
    """No file is needed for what is shipped."""
    assert load_table(name) is TABLES[name]


@pytest.mark.parametrize("write", [write_json, write_toml])
def test_a_table_comes_back_from_its_file(tmp_path: Path, write: Callable[[Path, dict[str, Any]], Path]) -> None:
    """From JSON as from TOML, every digit of it."""
    loaded = load_table(str(write(tmp_path, table_record(MINE))))
    assert loaded == MINE
    assert loaded.identity == MINE.identity


def test_what_is_known_of_a_table_is_kept_in_its_file_and_changes_nothing(tmp_path: Path) -> None:
    """A table can say how it was learned."""
    record = table_record(MINE, {"pairs": 200, "note": "rated by two readers"})
    assert record["provenance"] == {"pairs": 200, "note": "rated by two readers"}
    assert load_table(str(write_json(tmp_path, record))) == MINE


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    path = write_json(tmp_path, table_record(MINE))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load_table(str(path)) == MINE


def test_an_unknown_name_lists_the_known_ones_and_how_to_bring_ones_own() -> None:
    """A mistyped name and a missing suffix look alike."""
    with pytest.raises(ConfigurationError) as caught:
        load_table("release-0.7")
    assert "unknown affinity table 'release-0.7'" in str(caught.value)
    assert all(name in str(caught.value) for name in TABLES)
    assert ".json or .toml" in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    """What ends in .json is taken for a file."""
    assert problems(tmp_path / "none.json") == ["cannot be read: No such file or directory"]


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("t.json", b"{", "is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"),
        ("t.json", b"\xff\xfe", "is not UTF-8 text"),
        ("t.toml", b"p = ", "is not TOML: Invalid value (at end of document)"),
        ("t.json", b"[1]", "must hold an object with name, p, orientation, penalty, weights"),
        ("t.json", b"[" * 100_000, "is not JSON"),
    ],
)
def test_a_file_that_holds_something_else_is_named(tmp_path: Path, name: str, content: bytes, problem: str) -> None:
    """The place of the fault is told, and no depth breaks the reader."""
    path = tmp_path / name
    path.write_bytes(content)
    assert problems(path) == [problem]


def without(record: dict[str, Any], row: str, column: str | None = None) -> None:
    if column is None:
        del record["weights"][row]
    else:
        del record["weights"][row][column]


def put(record: dict[str, Any], row: str, column: str, weight: object) -> None:
    record["weights"].setdefault(row, {})[column] = weight


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (
            lambda r: without(r, "DISEASE"),
            [f"row DISEASE is missing from 'weights'; it holds a number for each of {', '.join(TYPES)}"],
        ),
        (lambda r: without(r, "ANATOMY", "NON-DISEASE"), ["row ANATOMY lacks column NON-DISEASE"]),
        (
            lambda r: put(r, "ANATOMY", "Disease", 1.0),
            ["row ANATOMY has a column 'Disease', which is not an entity type"],
        ),
        (lambda r: put(r, "FINDING", "DISEASE", 1), ["'weights' has a row 'FINDING', which is not an entity type"]),
        (
            lambda r: put(r, "DISEASE", "DISEASE", "1"),
            ["the weight in row DISEASE, column DISEASE must be a number"],
        ),
        (
            lambda r: put(r, "DISEASE", "DISEASE", weight=True),
            ["the weight in row DISEASE, column DISEASE must be a number"],
        ),
        (
            lambda r: put(r, "DISEASE", "DISEASE", -1),
            ["the weight in row DISEASE, column DISEASE must be 0 or more, not -1"],
        ),
        (lambda r: r.update(p=1.5), ["p must lie on 0 to 1, not 1.5"]),
        (lambda r: r.update(p=10**400), ["int too large to convert to float"]),
        (lambda r: r.update(name="a|b"), ["name must be a line of text without a bar"]),
        (lambda r: r.update(weights=[]), [f"'weights' must hold a row for each of {', '.join(TYPES)}"]),
        (lambda r: r.update(q=1), ["unknown key 'q' (known: name, p, orientation, penalty, weights, provenance)"]),
        (
            lambda r: [r.pop(key) for key in ("name", "p", "orientation", "penalty")],
            [
                "'name' must be text",
                "'p' must be a number from 0 to 1",
                "'orientation' must be paper or release",
                "'penalty' must be any-mismatch or polarity",
            ],
        ),
    ],
)
def test_everything_wrong_with_a_table_is_told(
    tmp_path: Path, change: Callable[[dict[str, Any]], object], expected: list[str]
) -> None:
    """Row, column and key are named, all problems at once."""
    record = table_record(MINE)
    change(record)
    assert problems(write_json(tmp_path, record)) == expected


def test_a_file_of_another_suffix_is_named_as_such(tmp_path: Path) -> None:
    """It is not guessed what a file holds."""
    path = tmp_path / "table.csv"
    path.write_text("x")
    with pytest.raises(ConfigurationError, match=r"must end in \.json or \.toml"):
        load_table(str(path))
