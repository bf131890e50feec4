"""The manifest of a run: one JSON line that says what run it is, then one for each shard that lies on the disk."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from attrs import asdict, frozen
from cattrs import Converter

from overread.application.scoring.run_identity import RunIdentity
from overread.application.scoring.shards import ShardRecord
from overread.exceptions import InputError
from overread.tables.replacing import replacing, sync

__all__ = ["Manifest", "append_record", "read_manifest", "write_manifest"]

_CONVERTER: Final = Converter(forbid_extra_keys=True)


def write_manifest(path: Path, identity: RunIdentity, records: Iterable[ShardRecord]) -> None:
    """Puts a whole manifest in the place of the one that was there."""
    with replacing(path, path.with_name(f"{path.name}.tmp"), durable=True) as partial, partial.open("wb") as stream:
        stream.write(_line({**asdict(identity), "digests": True}))
        stream.writelines(map(_record_line, records))
        sync(stream)


def append_record(path: Path, record: ShardRecord) -> None:
    """Adds a line and returns when it is on the disk."""
    with path.open("ab") as stream:
        stream.write(_record_line(record))
        sync(stream)


@frozen
class Manifest:
    """The content of a manifest.

    Attributes:
        identity: what run it is.
        records: the shards by number.
        changed: numbers of shards whose lines were changed after they were written.
        is_torn: whether a line could not be read, or was changed.
    """

    identity: RunIdentity
    records: Mapping[int, ShardRecord]
    changed: frozenset[int]
    is_torn: bool


def read_manifest(path: Path) -> Manifest:
    """Reads a manifest, as far as it can be read.

    A line that was cut when the run was killed counts as missing, and so does one that was damaged or changed since:
    each has a digest. A manifest from before there were digests is read as it stands.

    Raises:
        InputError: if it does not say which run it belongs to.
    """
    with path.open("rb") as stream:
        lines = iter(stream)
        try:
            first = _object(next(lines, b""))
            has_digests = first.pop("digests", False) is True
            identity = _CONVERTER.structure(first, RunIdentity)
        except Exception:  # noqa: BLE001 - whatever cattrs makes of a damaged line
            problem = "does not say which run it belongs to"
            raise InputError(str(path), problem, remedy="score everything again with `restart`") from None
        entries = [_record(line, has_digests=has_digests) for line in lines]
    sound = [record for record, holds in filter(None, entries) if holds]
    records = {record.number: record for record in sound}
    changed = {record.number for record, holds in filter(None, entries) if not holds}
    return Manifest(identity, records, frozenset(changed - records.keys()), len(sound) < len(entries))


def _record(line: bytes, *, has_digests: bool) -> tuple[ShardRecord, bool] | None:
    """The record of a shard in a line, and whether its digest holds; None if it cannot be read."""
    try:
        values = _object(line)
        digest = values.pop("digest", None)
        holds = digest == _digest(values) or (digest is None and not has_digests)
        return _CONVERTER.structure(values, ShardRecord), holds
    except Exception:  # noqa: BLE001 - as above
        return None


def _object(line: bytes) -> Any:
    if not line.endswith(b"\n"):
        raise ValueError("cut")
    return json.loads(line)


def _record_line(record: ShardRecord) -> bytes:
    values = asdict(record)
    return _line({**values, "digest": _digest(values)})


def _digest(values: Mapping[str, Any]) -> str:
    """SHA-256 of what a line says."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode("ascii")).hexdigest()


def _line(values: Mapping[str, Any]) -> bytes:
    """A line in ASCII, which also keeps names that are not valid text; sums too large for a number are infinite."""
    return json.dumps(values).encode("ascii") + b"\n"
