"""Files that are there whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from overread.exceptions import InputError
from overread.tables.replacing import replacing

__all__ = ["check_lines_place", "check_place", "keep_inputs", "write_rows", "write_whole"]

_OTHER_FORMATS: Final = frozenset({".csv", ".tsv", ".parquet", ".xlsx", ".gz"})


def write_whole(path: Path | str, text: str) -> None:
    """Writes a file in UTF-8; what was there before stays as it is until all of the text is on disk.

    Something that is no regular file, such as ``/dev/stdout``, is written to directly.

    Raises:
        InputError: if the file cannot be written, as in a missing or read-only folder or on a full disk.
    """
    _write_pieces(Path(path), (text,))


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Writes one JSON object a line, as `write_whole`; the rows are not held in memory.

    Raises:
        InputError: as `write_whole`, and as `check_lines_place`.
    """
    check_lines_place(path)
    _write_pieces(path, (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows))


def check_place(path: Path) -> None:
    """Refuses a path where no file can be, before there is something to write to it.

    Raises:
        InputError: if it is a folder, or in a folder that does not exist.
    """
    if path.is_dir():
        raise InputError(str(path), "is a folder", remedy="name a file in it")
    if not path.parent.is_dir():
        raise InputError(str(path), f"the folder {path.parent} does not exist", remedy="create it first")


def check_lines_place(path: Path) -> None:
    """Refuses a path where no file of JSON lines can be, or whose suffix is that of another format.

    Raises:
        InputError: so; a file of lines named .csv could not be read back.
    """
    check_place(path)
    if path.suffix.lower() in _OTHER_FORMATS:
        problem = f"{path.suffix} is the suffix of another format; JSON lines are written"
        raise InputError(str(path), problem, remedy="give it a name that ends in .jsonl")


def keep_inputs(output: Path | None, *inputs: Path | None) -> None:
    """Refuses an output that would replace what is read, or what is read and made if it is not there."""
    for source in inputs:
        if output is not None and source is not None and _is_same(output, source):
            raise InputError(str(output), "is also the input file", remedy="name another file for the output")


def _is_same(one: Path, other: Path) -> bool:
    """Return whether two paths lead to the same file, which may not exist yet; ``-`` isn't one."""
    try:
        return one.samefile(other)
    except OSError:
        return str(one) != "-" and os.path.realpath(one) == os.path.realpath(other)


def _write_pieces(path: Path, pieces: Iterable[str]) -> None:
    check_place(path)
    try:
        if path.exists() and not path.is_file():
            _write(path, pieces)
        else:
            with replacing(path) as partial:
                _write(partial, pieces)
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror or type(error).__name__}") from None


def _write(path: Path, pieces: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        file.writelines(pieces)
