"""Joining shards: one file out of many, whole or not there at all."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final

from overread.application.scoring.shards import ShardRecord
from overread.exceptions import InputError
from overread.infrastructure.engines.shards._faults import RUN_AGAIN, naming_faults
from overread.infrastructure.engines.shards._shard import ShardFolder, file_digest
from overread.infrastructure.files.csv_rows import csv_cells, flat_record
from overread.tables.replacing import replacing, sync

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
    if output.suffix.lower() == ".csv":
        join_shards = _join_table
    with naming_faults(output), replacing(output, partial, durable=True):
        join_shards(folder, records, partial)


def _join_lines(folder: ShardFolder, records: Sequence[ShardRecord], partial: Path) -> None:
    with partial.open("wb") as stream:
        for record in records:
            _copy(folder.file(record.number), record, stream)
        sync(stream)


def _copy(shard: Path, record: ShardRecord, stream: IO[bytes]) -> None:
    digest = hashlib.sha256()
    with shard.open("rb") as source:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
            stream.write(chunk)
    if digest.hexdigest() != record.sha256:
        raise _changed_error(shard)


def _join_table(folder: ShardFolder, records: Sequence[ShardRecord], partial: Path) -> None:
    """Joins shards as CSV, with a column for each subscore of any result: they are known once all lines were seen."""
    shards = [folder.file(record.number) for record in records]
    for shard, record in zip(shards, records, strict=True):
        if file_digest(shard) != (record.size, record.sha256):
            raise _changed_error(shard)
    names = dict.fromkeys(name for row in _rows(shards) for name in row)
    with partial.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, names, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(csv_cells, _rows(shards)))
        sync(stream)


def _rows(shards: Sequence[Path]) -> Iterator[dict[str, Any]]:
    for shard in shards:
        with shard.open("rb") as stream:
            yield from (flat_record(json.loads(line)) for line in stream)


def _join_row_groups(folder: ShardFolder, records: Sequence[ShardRecord], partial: Path) -> None:
    from overread.infrastructure.files.parquet import RESULT_SCHEMA  # noqa: PLC0415 - pyarrow is slow to import
    from overread.tables.parquet import join_files  # noqa: PLC0415 - as above

    for record in records:
        if file_digest(folder.file(record.number)) != (record.size, record.sha256):
            raise _changed_error(folder.file(record.number))
    join_files([folder.file(record.number) for record in records], partial, RESULT_SCHEMA)
    with partial.open("rb") as stream:
        sync(stream)


def _changed_error(shard: Path) -> InputError:
    return InputError(str(shard), "was changed during the run", remedy=RUN_AGAIN)
