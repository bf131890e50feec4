"""One run at a time: a locked file, which the system lets go of however the run ends."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from overread.exceptions import InputError

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
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _is_still(path, descriptor):
                return descriptor
        except BlockingIOError:
            process = os.read(descriptor, 20).decode("ascii", "replace").strip()
            os.close(descriptor)
            whose = f"another run (process {process})" if process else "another run"
            problem = f"is being written by {whose}"
            raise InputError(str(output), problem, remedy="wait for it, or name another output") from None
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _is_still(path: Path, descriptor: int) -> bool:
    """Return whether the file that is held is the one at ``path``: the run before may have removed it meanwhile."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
