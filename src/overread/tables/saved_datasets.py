"""Hugging Face data sets on disk: folders that ``save_to_disk`` wrote. Read with pyarrow, which maps their files.

Imported only when such a folder is at hand.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from overread.exceptions import InputError
from overread.extras import require

require("a data set of Hugging Face", "parquet")

import pyarrow as pa  # noqa: E402 - what is missing is told first

from overread.tables.parquet import batch_rows  # noqa: E402 - as above

__all__ = ["columns", "count", "files", "rows"]

_BATCH: Final = 512
_MARK: Final = b"\xff\xff\xff\xff"
_END: Final = _MARK + bytes(4)
_STATE: Final = "state.json"
_SPLITS: Final = "dataset_dict.json"


def files(path: Path, split: str) -> list[Path]:
    """The Arrow files of a data set in order.

    Args:
        path: the folder of a ``Dataset`` or a ``DatasetDict``.
        split: which of several; "" where there is one.

    Raises:
        InputError: if it is no such folder, has no such split, or several of which none is named.
    """
    if (path / _SPLITS).is_file():
        path = path / _split(path, _json(path / _SPLITS).get("splits"), split)
    elif split:
        raise InputError(str(path), "has no splits", remedy="leave `split` out")
    if not (path / _STATE).is_file():
        problem = "is a folder, but not one that the datasets library saved"
        raise InputError(str(path), problem, remedy="name a file, or a folder written by save_to_disk")
    state = _json(path / _STATE)
    if state.get("_indices_files") or state.get("_indices_data_files"):
        raise InputError(str(path), "holds a selection of rows", remedy="save dataset.flatten_indices() to disk")
    try:
        paths = [path / str(file["filename"]) for file in state["_data_files"]]
    except (KeyError, TypeError):
        raise InputError(str(path / _STATE), "names no data files", remedy="save the data set again") from None
    if missing := [file for file in paths if not file.is_file()]:
        raise InputError(str(missing[0]), "no such file", remedy="copy the whole folder, or save the data set again")
    return paths


def columns(file: Path) -> list[str]:
    """Names of the columns."""
    with _open_batches(file) as batches:
        return list(batches.schema.names)


def rows(file: Path, names: Sequence[str]) -> Iterator[tuple[dict[str, Any], str]]:
    """Each row's cells by column and what is wrong with it, "" if nothing is."""
    with _open_batches(file) as batches:
        for batch in batches:
            chosen = batch.select(list(names))
            for start in range(0, chosen.num_rows, _BATCH):
                yield from batch_rows(chosen.slice(start, _BATCH))


def count(file: Path) -> int:
    """Number of rows."""
    with _open_batches(file) as batches:
        return sum(batch.num_rows for batch in batches)


@contextmanager
def _open_batches(file: Path) -> Iterator[Any]:
    """The file's batches. A fault in it becomes an `InputError`; Arrow's own words may quote a cell."""
    try:
        _check_end(file)
        with pa.memory_map(str(file)) as mapped, pa.ipc.open_stream(mapped) as batches:
            yield batches
    except (pa.ArrowException, OSError) as error:
        words = error.strerror if isinstance(error, OSError) else None
        problem = f"cannot be read: {words}" if words else "is not a whole Arrow file"
        raise InputError(str(file), problem, remedy="" if words else "save the data set again") from None


def _check_end(file: Path) -> None:
    """Arrow takes a stream that was cut between two batches for a whole one; each ends with a mark."""
    with file.open("rb") as stream:
        is_marked = stream.read(len(_MARK)) == _MARK  # very old ones are not
        stream.seek(max(0, stream.seek(0, os.SEEK_END) - len(_END)))
        if is_marked and stream.read() != _END:
            raise pa.ArrowInvalid("cut")


def _split(path: Path, splits: Any, chosen: str) -> str:
    names = [str(name) for name in splits] if isinstance(splits, list) else []
    if chosen in names:
        return chosen
    known = ", ".join(names) or "none"
    if chosen:
        raise InputError(str(path), f"has no split {chosen!r}; it has {known}", remedy="name one with `split`")
    if len(names) != 1:
        raise InputError(str(path), f"has several splits: {known}", remedy="name one with `split`")
    return names[0]


def _json(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError):
        value = None
    if not isinstance(value, dict):
        raise InputError(str(path), "cannot be read", remedy="save the data set again")
    return value
