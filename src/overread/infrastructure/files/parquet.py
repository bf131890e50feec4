"""Parquet files: rows in, result records out. Imported only when such a file is at hand: pyarrow is slow to import."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from overread.exceptions import InputError

__all__ = ["RESULT_SCHEMA", "ParquetResults", "batch_rows", "columns", "count", "join_files", "readable", "rows"]

_BATCH: Final = 512
_GROUP: Final = 4096

_SPANS: Final = pa.list_(pa.list_(pa.int64()))
_DISCREPANCY: Final = pa.struct(
    [
        ("category", pa.string()),
        ("category_label", pa.string()),
        ("aspect", pa.string()),
        ("type", pa.string()),
        ("severity", pa.string()),
        ("importance", pa.string()),
        ("extent", pa.float64()),
        ("weight", pa.float64()),
        ("probability", pa.float64()),
        ("reason", pa.string()),
        ("finding", pa.string()),
        ("side", pa.string()),
        ("reference_spans", _SPANS),
        ("candidate_spans", _SPANS),
    ]
)
_ANSWER: Final = pa.struct(
    [
        ("key", pa.string()),
        ("prompt", pa.string()),
        ("model", pa.string()),
        ("finish", pa.string()),
        ("attempt", pa.int64()),
        ("outcome", pa.string()),
        ("prompt_tokens", pa.int64()),
        ("completion_tokens", pa.int64()),
    ]
)

RESULT_SCHEMA: Final = pa.schema(
    [
        ("id", pa.string()),
        ("metric", pa.string()),
        ("status", pa.string()),
        ("reason", pa.string()),
        ("detail", pa.string()),
        ("fault", pa.string()),
        ("score", pa.float64()),
        ("higher_is_better", pa.bool_()),
        ("range", pa.list_(pa.float64())),
        ("subscores", pa.map_(pa.string(), pa.float64())),
        ("discrepancies", pa.list_(_DISCREPANCY)),
        ("truncated", pa.bool_()),
        ("notes", pa.list_(pa.string())),
        ("answers", pa.list_(_ANSWER)),
        ("signature", pa.string()),
        ("schema_version", pa.int64()),
        ("digest", pa.string()),
    ]
)
"""Columns of a result file: the keys of a result record, each with one type."""


@contextmanager
def readable(path: Path, stream: IO[bytes]) -> Iterator[Any]:
    """The Parquet file in ``stream``. A fault in it becomes an `InputError`; Arrow's own words may quote a cell."""
    try:
        with pq.ParquetFile(stream) as file:
            yield file
    except pa.ArrowException:
        raise InputError(str(path), "is not a whole Parquet file") from None


def columns(file: Any) -> list[str]:
    """Names of the columns."""
    return list(file.schema_arrow.names)


def count(file: Any) -> int:
    """Number of rows."""
    return int(file.metadata.num_rows)


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


def join_files(parts: Sequence[Path], place: Path) -> None:
    """One result file out of several, in order; their row groups are put together until they are of some size."""
    with pq.ParquetWriter(place, RESULT_SCHEMA) as writer:
        waiting: list[pa.Table] = []
        for part in parts:
            waiting.append(pq.read_table(part, schema=RESULT_SCHEMA, memory_map=False))
            if sum(table.num_rows for table in waiting) >= _GROUP:
                writer.write_table(pa.concat_tables(waiting))
                waiting = []
        if waiting:
            writer.write_table(pa.concat_tables(waiting))


class ParquetResults:
    """Writes result records, a few thousand at a time.

    Args:
        stream: open for writing bytes; it is not closed.
    """

    def __init__(self, stream: Any) -> None:
        self._writer = pq.ParquetWriter(stream, RESULT_SCHEMA)
        self._waiting: list[Mapping[str, Any]] = []

    def write(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Keep records, in order."""
        self._waiting.extend(records)
        if len(self._waiting) >= _GROUP:
            self._flush()

    def close(self) -> None:
        """Write what waits and the footer, without which the file cannot be read."""
        try:
            self._flush()
        finally:
            self._writer.close()

    def _flush(self) -> None:
        if self._waiting:
            self._writer.write_table(pa.Table.from_pylist(self._waiting, schema=RESULT_SCHEMA))
            self._waiting = []
