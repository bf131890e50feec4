"""Errors from foreign code: whether somebody asked to stop, and where it went wrong, without a word of the message."""

from __future__ import annotations

import dis
import sysconfig
import traceback
from pathlib import Path
from types import FrameType
from typing import Final

__all__ = ["describe_error", "frames_of", "is_interrupt", "place_of"]

_STANDARD: Final = sysconfig.get_path("stdlib")
_INSTALLED: Final = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
_OWN: Final = __name__.partition(".")[0]
_CARRIERS: Final = (_OWN, "pluggy", "tenacity")
"""Packages that merely call a plugin's code, or overread's own."""


def is_interrupt(error: BaseException) -> bool:
    """Returns whether somebody asked to stop: a `KeyboardInterrupt` that no plugin raised itself with ``raise``.

    Python delivers a Ctrl-C between two instructions; one that arises at a ``raise`` statement outside the standard
    library is a plugin's doing, and must not end the work of others.
    """
    if not isinstance(error, KeyboardInterrupt):
        return False
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or _is_standard(trace.tb_frame.f_code.co_filename):
        return True
    return dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] != "RAISE_VARARGS"


def place_of(error: BaseException, *, own: bool = True) -> str:
    """File and line of an error, for example "radmetrics/metric.py:41"; "" where it was raised nowhere.

    Of the first package outside overread that the error came through it is the innermost line; of an error that came
    through none, overread's own, or "" where ``own`` is False.
    """
    frames = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    foreign = [(frame, line) for frame, line in frames if _is_foreign(frame)]
    if not foreign and not own:
        return ""
    first = _package(foreign[0][0]) if foreign else _OWN
    inside = [(frame, line) for frame, line in frames if _package(frame) == first]
    if not inside:
        return ""
    frame, line = inside[-1]
    return f"{_short(_file(frame), first)}:{line}"


def describe_error(error: BaseException, *, own: bool = True) -> str:
    """An error by its type and its place, as `place_of`; its message may hold what it was given, and is left out."""
    place = place_of(error, own=own)
    return type(error).__name__ + (f" at {place}" if place else "")


def frames_of(error: BaseException, most: int) -> tuple[str, ...]:
    """File and line of the innermost frames that an error came through, the outermost of them first."""
    walked = list(traceback.walk_tb(error.__traceback__))[-most:]
    return tuple(f"{_short(_file(frame), _package(frame))}:{line}" for frame, line in walked)


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", "")).partition(".")[0]


def _file(frame: FrameType) -> str:
    return frame.f_code.co_filename


def _is_foreign(frame: FrameType) -> bool:
    return _package(frame) not in _CARRIERS and not _is_standard(_file(frame))


def _is_standard(file: str) -> bool:
    return file.startswith((_STANDARD, "<frozen")) and not file.startswith(_INSTALLED)


def _short(file: str, package: str) -> str:
    """The file from its package on: where a package is installed is nobody's business."""
    parts = Path(file).parts
    inner = max((place for place, part in enumerate(parts[:-1]) if part == package), default=len(parts) - 1)
    return "/".join(parts[inner:])
