"""The manifest of a run: one JSON line that says what run it is, then one for each shard that lies on the disk."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import asdict, field, frozen
from cattrs import Converter

from overread.application.scoring.shards import ShardRecord
from overread.exceptions import InputError
from overread.infrastructure.engines.shards._shard import synced

__all__ = ["RunIdentity", "append_record", "differences", "read_manifest", "write_manifest"]

_VERSION: Final = 1
_CONVERTER: Final = Converter(forbid_extra_keys=True)


@frozen(kw_only=True)
class RunIdentity:
    """What must be the same for a run to go on where another stopped.

    Attributes:
        input: name of the file or folder, for messages alone: what counts is what is in it, shard by shard.
        columns: of the input, by their meaning.
        split: of a data set of several.
        signatures: by metric, in order.
        shard_rows: pairs in each shard but the last.
        threads: that a process computes with, 0 where that is left to libraries. Learned metrics batch by shards and
            add in the order of threads, so either may change the last bit of a score.
        format: of the results.
        stamp: size and time of the input when it was first read, for messages alone.
        version: of this manifest.
    """

    input: str
    columns: Mapping[str, str]
    split: str
    signatures: Mapping[str, str]
    shard_rows: int
    threads: int
    format: str
    stamp: str = ""
    version: int = field(default=_VERSION)


def differences(then: RunIdentity, now: RunIdentity) -> list[str]:
    """What differs between two runs, in words; none if one can go on with what the other did."""
    found = [
        f"{_WORDS[name]} (then {before}, now {after})"
        for name in ("version", "format", "shard_rows", "threads", "split")
        for before, after in [(getattr(then, name) or "none", getattr(now, name) or "none")]
        if before != after
    ]
    found += [
        f"the column of the {name} (then {then.columns.get(name)}, now {column})"
        for name, column in now.columns.items()
        if then.columns.get(name) != column
    ]
    before, after = list(then.signatures), list(now.signatures)
    if before != after:
        found.append(f"the metrics (then {', '.join(before)}, now {', '.join(after)})")
    found += [
        f"the signature of {name} (then {_parts(then.signatures[name], now.signatures[name])}, "
        f"now {_parts(now.signatures[name], then.signatures[name])})"
        for name in after
        if name in then.signatures and then.signatures[name] != now.signatures[name]
    ]
    return found


_WORDS: Final = {
    "version": "the version of the manifest",
    "format": "the format of the output",
    "shard_rows": "--shard-rows",
    "threads": "the number of threads, OMP_NUM_THREADS",
    "split": "--split",
}


def _parts(signature: str, other: str) -> str:
    """The parts of a signature that another lacks."""
    known = other.split("|")
    return "|".join(part for part in signature.split("|") if part not in known) or "less"


def write_manifest(path: Path, identity: RunIdentity, records: Iterable[ShardRecord]) -> None:
    """Puts a whole manifest in the place of the one that was there."""
    partial = path.with_name(f"{path.name}.tmp")
    with partial.open("wb") as stream:
        stream.write(_line(asdict(identity)))
        stream.writelines(map(_record_line, records))
        synced(stream)
    partial.replace(path)
    _sync_folder(path.parent)


def append_record(path: Path, record: ShardRecord) -> None:
    """Adds a line and returns when it is on the disk."""
    with path.open("ab") as stream:
        stream.write(_record_line(record))
        synced(stream)


def read_manifest(path: Path) -> tuple[RunIdentity, dict[int, ShardRecord], bool]:
    """What run it is, the shards by number, and whether a line could not be read.

    A line that was cut when the run was killed counts as not there, and so does one that the disk has lost.

    Raises:
        InputError: if it cannot be told what run it is.
    """
    with path.open("rb") as stream:
        lines = iter(stream)
        try:
            identity = _CONVERTER.structure(_object(next(lines, b"")), RunIdentity)
        except Exception:  # noqa: BLE001 - whatever cattrs makes of a damaged line
            problem = "does not tell what run it belongs to"
            raise InputError(str(path), problem, remedy="score all anew with --restart") from None
        found = [_record(line) for line in lines]
    records = {record.number: record for record in found if record is not None}
    return identity, records, len(records) < len(found)


def _record(line: bytes) -> ShardRecord | None:
    try:
        return _CONVERTER.structure(_object(line), ShardRecord)
    except Exception:  # noqa: BLE001 - as above
        return None


def _object(line: bytes) -> Any:
    if not line.endswith(b"\n"):
        raise ValueError("cut")
    return json.loads(line)


def _record_line(record: ShardRecord) -> bytes:
    return _line(asdict(record))


def _line(values: Mapping[str, Any]) -> bytes:
    """In ASCII, which keeps names that are no text, too; sums too great for a number are infinite."""
    return json.dumps(values).encode("ascii") + b"\n"


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
