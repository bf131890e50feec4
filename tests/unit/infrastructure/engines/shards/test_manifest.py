"""The manifest: what it says is what was committed, wherever it was cut."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from overread.exceptions import InputError
from overread.infrastructure.engines.shards._manifest import append_record, read_manifest, write_manifest

from .outcomes import identity, record

RECORDS = [record(0, 10, "a"), record(2, 12, "b"), record(1, 9, "c")]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A manifest of three shards, committed out of order."""
    made = tmp_path / "manifest.jsonl"
    write_manifest(made, identity(Path("o.jsonl")), RECORDS[:1])
    for added in RECORDS[1:]:
        append_record(made, added)
    return made


def test_what_is_committed_is_read_back(path: Path) -> None:
    """Down to the last bit of a sum."""
    then, records, torn = read_manifest(path)
    assert (then, torn) == (identity(Path("o.jsonl")), False)
    assert records == {r.number: r for r in RECORDS}


def test_cut_at_any_byte_it_has_the_lines_before(path: Path) -> None:
    """A line that is not whole is no line, a head that is not whole is no run."""
    data = path.read_bytes()
    ends = [place for place, byte in enumerate(data, start=1) if byte == ord("\n")]
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        if cut < ends[0]:
            with pytest.raises(InputError, match="--restart"):
                read_manifest(path)
            continue
        _, records, torn = read_manifest(path)
        assert [*records.values()] == RECORDS[: sum(end <= cut for end in ends) - 1]
        assert torn == (cut not in ends)


@pytest.mark.parametrize("line", [b"\0\0\0\n", b"{}\n", b"[1]\n", b'{"number": 3}\n', b"\xff\n"])
def test_a_line_that_the_disk_has_lost_is_passed_over(path: Path, line: bytes) -> None:
    """Those after it count."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], line, *lines[2:]]))
    _, records, torn = read_manifest(path)
    assert ([*records.values()], torn) == (RECORDS, True)


def test_names_that_are_no_text_and_sums_that_are_no_numbers_are_kept(path: Path) -> None:
    """A file name of another encoding, a metric that says strange things, and two scores of 1e308."""
    told = record(0)
    told.metrics["radot"].unscored["\ud800"] = 1
    told.metrics["radot"].total = math.inf
    run = identity(Path("o.jsonl"), input="k\udcff.jsonl")
    write_manifest(path, run, [told])
    assert read_manifest(path) == (run, {0: told}, False)
