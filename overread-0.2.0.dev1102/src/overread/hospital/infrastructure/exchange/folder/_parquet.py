"""A Parquet file's size once it is decoded, which a few bytes of it can make as large as they like."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from overread.exceptions import InputError
from overread.tables.opening import open_binary
from overread.tables.parquet import damaged_file, readable

__all__ = ["check_decoded"]

_AT_ONCE: Final = 512
"""Rows of a column whose values are kept once, however often they occur."""


def check_decoded(path: Path, columns: Collection[str], *, most_rows: int, most_bytes: int) -> None:
    """Refuses a file that holds too much, before it does so in memory.

    What the file says of its size is that of its encoded values: one report that every row repeats counts once there.
    So each column that will be read is gone through value by value, until they are too many bytes together; as is any
    other that may hold text, since it is looked at whether it does.

    Args:
        path: of the file.
        columns: that will be read.
        most_rows: that are allowed.
        most_bytes: that are allowed, of the encoded values and of the decoded ones.

    Raises:
        InputError: if it is no Parquet file, or holds too much, or lists and the like, in which there may be anything.
    """
    too_much = InputError(path.name, f"at most {most_rows:,} rows and {most_bytes:,} bytes unpacked; split the file")
    try:
        with open_binary(path) as stream, readable(path, stream) as file:
            known = file.metadata
            encoded = sum(known.row_group(group).total_byte_size for group in range(known.num_row_groups))
            if known.num_rows > most_rows or encoded > most_bytes:
                raise too_much
            chosen = [
                column for column in file.schema_arrow if column.name.strip() in columns or not _is_short(column.type)
            ]
            if odd := next((column.name.strip() for column in chosen if pa.types.is_nested(column.type)), ""):
                which = f"column {odd}" if odd in columns else "a column that is not read"
                raise InputError(path.name, f"{which} holds lists; it must hold text, numbers or times")
            if any(size > most_bytes for size in _growing(file, chosen)):
                raise too_much
    except ValueError:
        raise damaged_file(path.name) from None


def _is_short(kind: Any) -> bool:
    """Return whether values of a type are numbers, times and the like rather than text."""
    return bool(pa.types.is_primitive(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind))


def _growing(file: Any, columns: Collection[Any]) -> Iterator[int]:
    """The bytes of the values so far, decoded."""
    size = 0
    for column in columns:
        at_once = _AT_ONCE if pa.types.is_dictionary(column.type) else 1
        for batch in file.iter_batches(batch_size=at_once, columns=[column.name]):
            size += sum(map(_decoded_size, batch.columns))
            yield size


def _decoded_size(values: Any) -> int:
    """The bytes of values; where each stands once in a dictionary, as often as it occurs."""
    if not pa.types.is_dictionary(values.type):
        return int(values.nbytes)
    kind = values.type.value_type
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_binary(kind)):
        return int(values.dictionary_decode().nbytes)
    return int(pc.sum(pc.binary_length(values.dictionary).take(values.indices)).as_py() or 0)
