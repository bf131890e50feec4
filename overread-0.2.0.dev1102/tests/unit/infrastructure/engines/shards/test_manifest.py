"""The manifest: what it says is what was committed, wherever it was cut."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from attrs import evolve

from overread.exceptions import InputError
from overread.infrastructure.engines.shards._manifest import Manifest, append_record, read_manifest, write_manifest

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


def whole() -> Manifest:
    """What that says."""
    return Manifest(identity(Path("o.jsonl")), {each.number: each for each in RECORDS}, frozenset(), is_torn=False)


def test_what_is_committed_is_read_back(path: Path) -> None:
    """Down to the last bit of a sum."""
    assert read_manifest(path) == whole()


def test_cut_at_any_byte_it_has_the_lines_before(path: Path) -> None:
    """A line that is not whole is no line, a head that is not whole is no run."""
    data = path.read_bytes()
    ends = [place for place, byte in enumerate(data, start=1) if byte == ord("\n")]
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        if cut < ends[0]:
            with pytest.raises(InputError, match="`restart`"):
                read_manifest(path)
            continue
        found = read_manifest(path)
        assert [*found.records.values()] == RECORDS[: sum(end <= cut for end in ends) - 1]
        assert found.is_torn == (cut not in ends)


@pytest.mark.parametrize("line", [b"\0\0\0\n", b"{}\n", b"[1]\n", b'{"number": 3}\n', b"\xff\n"])
def test_a_line_that_the_disk_has_lost_is_passed_over(path: Path, line: bytes) -> None:
    """Those after it count."""
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], line, *lines[2:]]))
    assert read_manifest(path) == evolve(whole(), is_torn=True)


def test_names_that_are_no_text_and_sums_that_are_no_numbers_are_kept(path: Path) -> None:
    """A file name of another encoding, a metric that says strange things, and two scores of 1e308."""
    told = record(0)
    told.metrics["radot"].unscored["\ud800"] = 1
    told.metrics["radot"].total = math.inf
    run = identity(Path("o.jsonl"), input="k\udcff.jsonl")
    write_manifest(path, run, [told])
    assert read_manifest(path) == Manifest(run, {0: told}, frozenset(), is_torn=False)


@pytest.mark.parametrize(
    ("old", "new"), [(b'"size": 12', b'"size": 13'), (b'"scored": ', b'"scored": 1'), (b'"total": ', b'"total": 9')]
)
def test_a_line_that_was_changed_is_passed_over(path: Path, old: bytes, new: bytes) -> None:
    """What it says of a shard, such as its mean, goes into the summary of the run."""
    lines = path.read_bytes().splitlines(keepends=True)
    assert old in lines[2]
    path.write_bytes(b"".join([*lines[:2], lines[2].replace(old, new, 1), *lines[3:]]))
    left = {each.number: each for each in (RECORDS[0], RECORDS[2])}
    assert read_manifest(path) == evolve(whole(), records=left, changed=frozenset({2}), is_torn=True)


def test_a_manifest_of_before_there_were_digests_is_read(path: Path) -> None:
    """A run that was begun then goes on; what is added from now on has digests."""
    lines = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    del lines[0]["digests"]
    for line in lines[1:]:
        del line["digest"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="ascii")
    append_record(path, record(3))
    assert read_manifest(path) == evolve(whole(), records={**whole().records, 3: record(3)})
