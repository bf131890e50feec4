"""One run at a time: a locked file, which the system lets go of however the run ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from overread.exceptions import InputError
from overread.locking import lock_descriptor

__all__ = ["lock_file"]


@contextmanager
def lock_file(path: Path, output: Path) -> Iterator[None]:
    """Holds the file at ``path``, which is made if it is not there, and tells this process's id.

    Args:
        path: of the file.
        output: what the run makes, for messages.

    Raises:
        InputError: if another process holds it.
        OSError: if it cannot be made, or its file system knows no locks.
    """
    descriptor = _acquire_lock(path, output)
    try:
        os.ftruncate(descriptor, 0)
        os.write(descriptor, b"%d\n" % os.getpid())
        yield
    finally:
        os.close(descriptor)


def _acquire_lock(path: Path, output: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            is_ours = lock_descriptor(descriptor, wait=False)
            if is_ours and _is_still(path, descriptor):
                return descriptor
            holder = "" if is_ours else _holder(descriptor)
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if not is_ours:
            problem = f"is being written by {holder}"
            raise InputError(str(output), problem, remedy="wait for it, or name another output")


def _holder(descriptor: int) -> str:
    process = ""
    with suppress(OSError):  # Windows lets nobody else read a file that is locked
        process = os.read(descriptor, 20).decode("ascii", "replace").strip()
    return f"another run (process {process})" if process else "another run"


def _is_still(path: Path, descriptor: int) -> bool:
    """Return whether the file that is held is the one at ``path``: the run before may have removed it meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
