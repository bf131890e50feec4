"""Folders for the time of a run. Where a run is killed, the next one removes what it left."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import Final

from overread.locking import lock_descriptor

__all__ = ["scratch_folder"]

_LOCK: Final = "overread.lock"


@contextmanager
def scratch_folder(place: Path, prefix: str) -> Iterator[Path]:
    """A new folder for this process alone, removed at the end.

    Folders with that prefix whose process died are removed first: each holds a file that its process keeps locked.

    Args:
        place: in which it is made.
        prefix: of its name.

    Raises:
        OSError: if it cannot be made.
    """
    for left in place.glob(f"{prefix}*"):
        _remove_if_left(left)
    folder, descriptor = _make_folder(place, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(descriptor)


def _make_folder(place: Path, prefix: str) -> tuple[Path, int]:
    while True:
        folder = Path(mkdtemp(prefix=prefix, dir=place))
        descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        lock_descriptor(descriptor)
        if folder.exists():
            return folder, descriptor
        os.close(descriptor)  # another run took it for one that was left, before it was locked


def _remove_if_left(folder: Path) -> None:
    with suppress(OSError):  # somebody else's, or one in use
        if folder.is_symlink() or (hasattr(os, "getuid") and folder.stat().st_uid != os.getuid()):
            return
        descriptor = os.open(folder / _LOCK, os.O_RDWR)
        try:
            if lock_descriptor(descriptor, wait=False):
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)
