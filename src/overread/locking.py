"""Locks on open files, which the system lets go of however a process ends; the same on POSIX and Windows."""

from __future__ import annotations

import portalocker

__all__ = ["lock_descriptor", "lock_if_possible"]


def lock_descriptor(descriptor: int, *, shared: bool = False, wait: bool = True) -> bool:
    """Lock an open file; closing its descriptor lets go of it.

    Args:
        descriptor: of the file.
        shared: whether others may hold it as well.
        wait: whether to wait for those who hold it.

    Returns:
        Whether it is locked: False where somebody else holds it and there is no wait.

    Raises:
        OSError: if its file system knows no locks.
    """
    flags = portalocker.LockFlags.SHARED if shared else portalocker.LockFlags.EXCLUSIVE
    try:
        portalocker.lock(descriptor, flags if wait else flags | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as error:
        cause = next((each for each in (error.__cause__, *error.args) if isinstance(each, OSError)), None)
        raise cause or OSError("the file system knows no locks") from None
    return True


def lock_if_possible(descriptor: int, *, shared: bool = False, wait: bool = True) -> bool:
    """Lock an open file as `lock_descriptor`; False also where its file system knows no locks."""
    try:
        return lock_descriptor(descriptor, shared=shared, wait=wait)
    except OSError:
        return False
