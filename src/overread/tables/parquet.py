"""Parquet files: rows in, rows out. Imported only when such a file is at hand: pyarrow is slow to import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

from overread.exceptions import InputError
from overread.extras import require

require("a Parquet file", "parquet")

import pyarrow as pa  # noqa: E402 - what is missing is told first
import pyarrow.parquet as pq  # noqa: E402 - as above

__all__ = [
    "RowWriter",
    "batch_rows",
    "columns",
    "count",
    "damaged_file",
    "join_files",
    "metadata_text",
    "readable",
    "rows",
]

_BATCH: Final = 512
_GROUP: Final = 4096


def damaged_file(source: str) -> InputError:
    """The error that a file is cut off or otherwise no Parquet file."""
    return InputError(source, "is not a whole Parquet file", remedy="write or copy it again")


@contextmanager
def readable(path: Path, stream: IO[bytes]) -> Iterator[Any]:
    """The Parquet file in ``stream``. A fault in it becomes an `InputError`; Arrow's own words may quote a cell."""
    try:
        with pq.ParquetFile(stream) as file:
            yield file
    except pa.ArrowException:
        raise damaged_file(str(path)) from None


def columns(file: Any) -> list[str]:
    """Names of the columns."""
    return list(file.schema_arrow.names)


def count(file: Any) -> int:
    """Number of rows."""
    return int(file.metadata.num_rows)


def metadata_text(file: Any, key: str) -> str | None:
    """The text that the file keeps with its columns under a key; None if there is none."""
    value = (file.schema_arrow.metadata or {}).get(key.encode())
    return None if value is None else str(value, "utf-8", "replace")


def rows(file: Any, names: Sequence[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each row's cells by column and what is wrong with it, "" if nothing is."""
    for batch in file.iter_batches(batch_size=_BATCH, columns=list(names)):
        yield from batch_rows(batch)


def batch_rows(batch: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Rows of one record batch; see `rows`."""
    try:
        cells = batch.to_pylist()
    except UnicodeDecodeError:
        for index in range(batch.num_rows):
            yield _row(batch, index)
    else:
        yield from ((row, "") for row in cells)


def _row(batch: Any, index: int) -> tuple[dict[str, Any], str]:
    """One row cell by cell, so that a cell that is not UTF-8 takes no other along."""
    cells: dict[str, Any] = {}
    problem = ""
    for name in batch.schema.names:
        try:
            cells[name] = batch.column(name)[index].as_py()
        except UnicodeDecodeError as error:
            problem = f"byte 0x{error.object[error.start]:02X} in column {name} is not UTF-8"
    return cells, problem


class RowWriter:
    """Writes rows, some thousand at a time.

    Args:
        place: path, or a stream that is open for writing bytes and is not closed.
        schema: of the columns, each with one type.
        group: rows that are kept until there are so many.
    """

    def __init__(self, place: Any, schema: Any, group: int = _GROUP) -> None:
        self._schema, self._group = schema, group
        self._writer = pq.ParquetWriter(place, schema)
        self._waiting: list[Mapping[str, Any]] = []

    def write(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Keep rows, in order."""
        self._waiting.extend(rows)
        if len(self._waiting) >= self._group:
            self._flush()

    def close(self) -> None:
        """Write what waits and the footer, without which the file cannot be read."""
        try:
            self._flush()
        finally:
            self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_pylist(self._waiting, schema=self._schema))
            self._waiting = []


def join_files(parts: Sequence[Path], place: Path, schema: Any) -> None:
    """Makes one file out of several of a schema, in order; small row groups are put together."""
    with pq.ParquetWriter(place, schema) as writer:
        waiting: list[pa.Table] = []
        for part in parts:
            waiting.append(pq.read_table(part, schema=schema, memory_map=False))
            if sum(table.num_rows for table in waiting) >= _GROUP:
                writer.write_table(pa.concat_tables(waiting))
                waiting = []
        if waiting:
            writer.write_table(pa.concat_tables(waiting))
