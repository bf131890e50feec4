"""Files that are there whole or not at all."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from overread.exceptions import InputError

__all__ = ["check_place", "keep_inputs", "replacing", "synced", "write_rows", "write_whole"]


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
        InputError: as `write_whole`.
    """
    _write_pieces(path, (json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows))


@contextmanager
def replacing(path: Path, partial: Path | None = None, *, durable: bool = False) -> Iterator[Path]:
    """A place to write to, whose file takes the place of ``path`` at a clean end and is gone after an error.

    Args:
        path: what was there before stays until then.
        partial: the place, on the same file system; beside ``path`` where omitted.
        durable: whether the file's name is on the disk when this ends. What is in it is for whoever writes it to
            force there: see `synced`.
    """
    partial = partial or path.with_name(f"{path.name}.partial")
    try:
        yield partial
        partial.replace(path)
    except BaseException:
        with suppress(OSError):  # what went wrong first is what is told
            partial.unlink()
        raise
    if durable:
        _sync_folder(path.parent)


def synced(stream: IO[Any]) -> None:
    """Returns when what was written is on the disk."""
    stream.flush()
    os.fsync(stream.fileno())


def check_place(path: Path) -> None:
    """Refuses a path where no file can be, before there is something to write to it.

    Raises:
        InputError: if it is a folder, or in a folder that does not exist.
    """
    if path.is_dir():
        raise InputError(str(path), "is a folder", remedy="name a file in it")
    if not path.parent.is_dir():
        raise InputError(str(path), f"the folder {path.parent} does not exist", remedy="make it first")


def keep_inputs(output: Path | None, *inputs: Path | None) -> None:
    """Refuses an output that would replace what is read, or what is read and made if it is not there."""
    for source in inputs:
        if output is not None and source is not None and _is_same(output, source):
            raise InputError(str(output), "is the file that is read", remedy="name another for the output")


def _sync_folder(path: Path) -> None:
    """Returns when the names in a folder are on the disk, where the file system can tell."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to one file, that may not be there yet; ``-`` is none."""
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
