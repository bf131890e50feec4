"""Lines however they end, of which one that is too long is told and never held."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.application.scoring.corpus import BadRow
from overread.domain.reports.report import ReportPair
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.scored import read_scores
from overread.infrastructure.files.tables import read_pairs
from overread.studies.infrastructure.datasets.json_lines import read_json_lines
from overread.tables.lines import LONGEST_LINE_VARIABLE, longest_line, read_lines

MIB = 1 << 20


def expected(data: bytes, most: int) -> list[bytes | None]:
    """Lines end at a line feed, with the returns before it, or at a return."""
    found: list[bytes] = []
    for line in io.BytesIO(data):
        found += line.rstrip(b"\r\n").split(b"\r")
    return [line if len(line) <= most else None for line in found]


@given(
    st.lists(st.tuples(st.integers(0, 12), st.sampled_from([b"\n", b"\r\n", b"\r"])), max_size=8),
    st.integers(0, 9),
    st.integers(1, 8),
    st.integers(2, 7),
)
def test_lines_are_those_of_the_file_whatever_is_read_at_once(
    lines: list[tuple[int, bytes]], last: int, most: int, chunk: int
) -> None:
    """One that is longer than may be has None in its place, and no other is touched; blank ones say nothing."""
    data = b"".join(b"x" * length + end for length, end in lines) + b"y" * last
    found = list(read_lines(io.BytesIO(data), most, chunk))
    assert [line for line in found if line != b""] == [line for line in expected(data, most) if line != b""]
    if all(len(line) <= most for line in io.BytesIO(data)):
        assert found == expected(data, most)


def test_no_more_than_the_longest_line_is_held() -> None:
    """A hundred times as much is read in the memory of a few of them."""
    data = b"x" * (16 * MIB)
    tracemalloc.start()
    assert list(read_lines(io.BytesIO(data), MIB // 8, MIB // 16)) == [None]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < MIB


def pairs(path: Path) -> list[ReportPair | BadRow]:
    return list(read_pairs(path, on_error="skip"))


def row(name: str, words: int) -> str:
    return json.dumps({"id": name, "reference": "Zebra " * words, "candidate": "y"})


@pytest.fixture
def one_mib(monkeypatch: pytest.MonkeyPatch) -> None:
    """The longest line is 1 MiB."""
    monkeypatch.setenv(LONGEST_LINE_VARIABLE, "1")


@pytest.mark.usefixtures("one_mib")
@pytest.mark.parametrize("name", ["p.jsonl", "p.ndjson", "p.jsonl.gz"])
def test_a_line_that_is_too_long_is_a_bad_row_of_its_own(tmp_path: Path, name: str) -> None:
    """The rows around it are read; the message names file, row and what to set, and quotes nothing."""
    data = "\n".join([row("a", 1), row("b", MIB // 6 + 1), row("c", 1)]).encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    first, second, third = pairs(path)
    assert isinstance(first, ReportPair)
    assert isinstance(third, ReportPair)
    assert isinstance(second, BadRow)
    assert (second.row, third.id) == (2, "c")
    with pytest.raises(InputError, match=r"row 2: is longer than 1 MiB.*OVERREAD_LONGEST_LINE_MIB") as caught:
        list(read_pairs(path))
    assert str(path) in str(caught.value)
    assert "Zebra" not in str(caught.value)


@pytest.mark.usefixtures("one_mib")
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("r.jsonl", read_scores),
        ("l.jsonl", lambda path: list(read_json_lines(path, dict, problem="is none", remedy="mend it"))),
        ("p.csv", pairs),
        ("p.tsv", pairs),
    ],
)
def test_every_reader_of_lines_refuses_one_that_is_too_long(
    tmp_path: Path, name: str, read: Callable[[Path], object]
) -> None:
    """Results, labelled sets and tables alike."""
    long = "Zebra " * (MIB // 6 + 1)
    path = tmp_path / name
    mark = "\t" if name.endswith("tsv") else ","
    table = f"{mark.join(('id', 'reference', 'candidate'))}\n{mark.join(('a', long, 'y'))}\n"
    path.write_text(row("a", MIB // 6 + 1) if name.endswith("jsonl") else table, encoding="utf-8")
    with pytest.raises(InputError, match=r"row 1: .*is longer than 1 MiB.*OVERREAD_LONGEST_LINE_MIB") as caught:
        read(path)
    assert "Zebra" not in str(caught.value)


def test_a_longer_line_is_read_where_it_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By number of MiB; anything else is refused by the variable's name."""
    path = tmp_path / "p.jsonl"
    path.write_text(row("a", MIB // 6 + 1), encoding="utf-8")
    monkeypatch.setenv(LONGEST_LINE_VARIABLE, "2")
    assert [one.id for one in pairs(path)] == ["a"]
    for value in ("0", "-1", "1.5", "many"):
        monkeypatch.setenv(LONGEST_LINE_VARIABLE, value)
        with pytest.raises(ConfigurationError, match="OVERREAD_LONGEST_LINE_MIB must be a whole number of MiB from 1"):
            longest_line()
