"""The manifest of a run: one JSON line that says what run it is, then one for each shard that lies on the disk."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import asdict
from cattrs import Converter

from overread.application.scoring.run_identity import RunIdentity
from overread.application.scoring.shards import ShardRecord
from overread.exceptions import InputError
from overread.replacing import replacing, synced

__all__ = ["append_record", "read_manifest", "write_manifest"]

_CONVERTER: Final = Converter(forbid_extra_keys=True)


def write_manifest(path: Path, identity: RunIdentity, records: Iterable[ShardRecord]) -> None:
    """Puts a whole manifest in the place of the one that was there."""
    with replacing(path, path.with_name(f"{path.name}.tmp"), durable=True) as partial, partial.open("wb") as stream:
        stream.write(_line(asdict(identity)))
        stream.writelines(map(_record_line, records))
        synced(stream)


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
