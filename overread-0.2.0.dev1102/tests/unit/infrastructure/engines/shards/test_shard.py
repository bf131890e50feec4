"""Files of single shards."""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from overread.domain.results.result import Scored, Unscored
from overread.exceptions import InputError
from overread.infrastructure.engines.shards import ShardFolder
from overread.infrastructure.engines.shards._shard import Format
from overread.infrastructure.serialise import result_from_record, result_record

from .outcomes import RESULTS, result


def test_json_lines(tmp_path: Path) -> None:
    """One line a result, in order; size and digest are those of the file."""
    folder = ShardFolder(tmp_path, "jsonl")
    with folder.writing(3) as sink:
        sink.write(RESULTS[:2])
        sink.write(iter(RESULTS[2:]))
    data = folder.file(3).read_bytes()
    assert [json.loads(line) for line in data.decode().splitlines()] == [result_record(r) for r in RESULTS]
    assert (sink.size, sink.sha256) == (len(data), hashlib.sha256(data).hexdigest())


def test_parquet_has_the_same_records(tmp_path: Path) -> None:
    """Read back from Parquet, records make the same results; the schema does not depend on what is written."""
    folder = ShardFolder(tmp_path, "parquet")
    with folder.writing(0) as sink:
        sink.write(RESULTS)
    with folder.writing(1) as empty:
        empty.write([])
    data = folder.file(0).read_bytes()
    assert (sink.size, sink.sha256) == (len(data), hashlib.sha256(data).hexdigest())
    rows = pq.read_table(folder.file(0)).to_pylist()
    assert [result_from_record(row | {"subscores": dict(row["subscores"])}) for row in rows] == RESULTS
    assert list(rows[0]) == list(result_record(RESULTS[0]))
    assert set(rows[0]["discrepancies"][0]) == set(result_record(RESULTS[0])["discrepancies"][0])
    assert pq.read_schema(folder.file(1)) == pq.read_schema(folder.file(0))


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_what_is_no_text_loses_no_result(tmp_path: Path, form: Format) -> None:
    """Half of a pair of surrogates, as a plugin may say, is a question mark in a file that is UTF-8."""
    folder = ShardFolder(tmp_path, form)
    with folder.writing(0) as sink:
        sink.write([result("é", Scored(score=1.0, notes=("\udcff é",))), result("b", Unscored("x", "\ud800"))])
    path = folder.file(0)
    lines = path.read_bytes().splitlines() if form == "jsonl" else ()
    rows = [json.loads(line) for line in lines] or pq.read_table(path).to_pylist()
    assert [(row["id"], row["notes"], row["detail"]) for row in rows] == [("é", ["? é"], None), ("b", [], "?")]


def test_a_number_that_json_has_not_loses_no_line(tmp_path: Path) -> None:
    """A score that is not finite is unscored in its place; the file stays strict JSON."""
    folder = ShardFolder(tmp_path, "jsonl")
    with folder.writing(0) as sink:
        sink.write([result("a", Scored(score=math.inf)), result("b", Scored(score=1, subscores={"x": math.nan}))])
    first, second = map(_strict, folder.file(0).read_text().splitlines())
    assert (first["status"], first["reason"], first["score"]) == ("unscored", "not a number", None)
    assert (second["status"], second["subscores"]) == ("scored", {})


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_shard_has_its_name_only_when_it_is_whole(tmp_path: Path, form: Format) -> None:
    """Until then it counts as an attempt; after an error nothing is left of it."""
    folder = ShardFolder(tmp_path, form)
    with folder.writing(0) as sink:
        sink.write(RESULTS)
        assert not folder.file(0).exists()
        assert (folder.attempts(0), folder.attempts(1)) == (1, 0)
    assert folder.attempts(0) == 0
    with pytest.raises(KeyboardInterrupt):
        _interrupted(folder)
    assert [path.name for path in tmp_path.iterdir()] == [folder.file(0).name]


@pytest.mark.parametrize(
    ("number", "says"),
    [
        (errno.ENOSPC, "No space left on device .make room, then run the same command again"),
        (errno.EROFS, "Read-only file system .name an output in a folder that you may write to"),
        (errno.EIO, "check the disk"),
    ],
)
def test_a_disk_that_does_not_take_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, says: str
) -> None:
    """With what to do; nothing is left of the shard."""

    def failing(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", failing)
    with pytest.raises(InputError, match=says), ShardFolder(tmp_path, "jsonl").writing(0) as sink:
        sink.write(RESULTS)
    assert list(tmp_path.iterdir()) == []


def _interrupted(folder: ShardFolder) -> None:
    with folder.writing(1) as sink:
        sink.write(RESULTS)
        raise KeyboardInterrupt


def _strict(line: str) -> dict[str, object]:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    found: dict[str, object] = json.loads(line, parse_constant=refuse)
    return found
