"""Faults of the disk, in words that say what to do."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from overread.exceptions import InputError

__all__ = ["RUN_AGAIN", "naming_faults"]

RUN_AGAIN: Final = "run the same command again: what was scored is kept"

_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_IN_THE_WAY: Final = (errno.EISDIR, errno.ENOTDIR)
_NOT_ALLOWED: Final = (errno.EACCES, errno.EPERM, errno.EROFS)


@contextmanager
def naming_faults(path: Path) -> Iterator[None]:
    """Turns an `OSError` of what is done with a file into an `InputError` that names it and the remedy."""
    try:
        yield
    except OSError as error:
        words = os.strerror(error.errno) if error.errno else type(error).__name__  # its own may be of a library
        raise InputError(str(path), f"cannot be written: {words}", remedy=_remedy(error.errno)) from None


def _remedy(number: int | None) -> str:
    if number in _NO_ROOM:
        return f"make room, then {RUN_AGAIN}"
    if number in _NOT_ALLOWED:
        return "name an output in a folder that you may write to"
    if number in _IN_THE_WAY:
        return f"move it away, then {RUN_AGAIN}"
    return f"check the disk, then {RUN_AGAIN}"
