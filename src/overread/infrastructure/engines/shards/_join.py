"""Joining shards: one file out of many, whole or not there at all."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Final

from overread.application.scoring.shards import ShardRecord
from overread.exceptions import InputError
from overread.infrastructure.engines.shards._faults import RUN_AGAIN, naming_faults
from overread.infrastructure.engines.shards._shard import ShardFolder, file_digest
from overread.replacing import replacing, synced

__all__ = ["join"]

_CHUNK: Final = 1 << 20


def join(folder: ShardFolder, records: Sequence[ShardRecord], output: Path) -> None:
    """Puts the shards, in order, into the place of ``output``; memory does not grow with their number.

    Args:
        folder: where they lie.
        records: of all shards, in order.
        output: what was there before stays until the new file is whole and on the disk.

    Raises:
        InputError: if a shard is not what its record says, or the disk does not take the file.
    """
    partial = folder.path / f"joined.{folder.format}.tmp"
    join_shards = _join_row_groups if folder.format == "parquet" else _join_lines
    with naming_faults(output), replacing(output, partial, durable=True):
        join_shards(folder, records, partial)


def _join_lines(folder: ShardFolder, records: Sequence[ShardRecord], partial: Path) -> None:
    with partial.open("wb") as stream:
        for record in records:
            _copy(folder.file(record.number), record, stream)
        synced(stream)


def _copy(shard: Path, record: ShardRecord, stream: IO[bytes]) -> None:
    digest = hashlib.sha256()
    with shard.open("rb") as source:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            stream.write(chunk)
    if digest.hexdigest() != record.sha256:
        raise _changed(shard)


def _join_row_groups(folder: ShardFolder, records: Sequence[ShardRecord], partial: Path) -> None:
    from overread.infrastructure.files.parquet import join_files  # noqa: PLC0415 - pyarrow is slow to import

    for record in records:
        if file_digest(folder.file(record.number)) != (record.size, record.sha256):
            raise _changed(folder.file(record.number))
    join_files([folder.file(record.number) for record in records], partial)
    with partial.open("rb") as stream:
        synced(stream)


def _changed(shard: Path) -> InputError:
    return InputError(str(shard), "was changed while the run went on", remedy=RUN_AGAIN)
