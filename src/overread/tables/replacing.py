"""Files and folders that take their place whole or not at all."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

__all__ = ["replacing", "replacing_folder", "sync"]


@contextmanager
def replacing(path: Path, partial: Path | None = None, *, durable: bool = False) -> Iterator[Path]:
    """A place to write to, whose file takes the place of ``path`` at a clean end and is gone after an error.

    Args:
        path: what was there before stays until then.
        partial: the place, on the same file system; beside ``path`` where omitted.
        durable: whether the file's name is on the disk when this ends. What is in it is for whoever writes it to
            force there: see `sync`.

    Raises:
        FileExistsError: at once, if ``path`` is a pipe or a device, or a link to one, which a rename would remove.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise FileExistsError(errno.EEXIST, "is a pipe or a device, not a file", str(path))
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


@contextmanager
def replacing_folder(path: Path) -> Iterator[Path]:
    """An empty folder beside ``path`` to write to, which takes its place at a clean end.

    After an error it stays until the next try, and what was at ``path`` with it: no rename replaces a folder that
    holds something, so the old one is removed right before.
    """
    partial = path.with_suffix(".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    yield partial
    shutil.rmtree(path, ignore_errors=True)
    partial.rename(path)


def sync(stream: IO[Any]) -> None:
    """Returns when what was written is on the disk."""
    stream.flush()
    os.fsync(stream.fileno())


def _sync_folder(path: Path) -> None:
    """Returns when the names in a folder are on the disk, where the system can tell: Windows opens no folders."""
    if os.name == "nt":
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
