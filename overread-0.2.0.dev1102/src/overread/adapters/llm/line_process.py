"""A process of this Python that answers each line of JSON with a line of JSON, and that can be ended."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any, Final
from weakref import finalize

from attrs import define, field

__all__ = ["LineProcess", "ProcessEndedError", "TooSlowError"]

_STEP: Final = 1 << 16
_DISOWNED: Final[list[subprocess.Popen[bytes]]] = []
"""Kept, as what stands in a buffer would be written to the parent's process when it is dropped."""


class ProcessEndedError(Exception):
    """The process ended, by itself or by another's hand, before it answered.

    Attributes:
        status: of its exit, that of a signal negative; None where it runs on and is of no use.
    """

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class TooSlowError(Exception):
    """No answer came in time; whoever asked ends the process, or takes the late answer for the next one's."""


@define(eq=False)
class LineProcess:
    """A running process. What it writes to standard error, which may quote a report, goes nowhere.

    Attributes:
        name: of it in messages.
        end: ends it with all that it started, once; called at the latest when this process ends.
    """

    name: str
    process: subprocess.Popen[bytes] = field(repr=False)
    end: finalize[Any, LineProcess] = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        self.end = finalize(self, _end, self.process)

    @classmethod
    def start(cls, module: str, name: str, **environment: str) -> LineProcess:
        """Runs a module of ours, with the modules that can be imported here; variables are added to the environment."""
        path = os.pathsep.join(place or str(Path.cwd()) for place in sys.path)
        process = subprocess.Popen(  # noqa: S603 - this very Python, and a module of ours
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the one that asks
            env={**os.environ, "PYTHONPATH": path, **environment},
        )
        return cls(name, process)

    def exchange(self, line: str, timeout_s: float | None = None) -> dict[str, Any]:
        """The answer to one line of ASCII.

        Raises:
            ProcessEndedError: if the process ends first.
            TooSlowError: if no answer comes within ``timeout_s`` seconds, where a time is given.
        """
        deadline = None if timeout_s is None else monotonic() + timeout_s
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None  # noqa: S101, PT018 - both are pipes
        try:
            stdin.write(line.encode("ascii") + b"\n")
            stdin.flush()
        except BrokenPipeError:
            raise self._end_error() from None
        answer = b""
        while not answer.endswith(b"\n"):
            if deadline is not None and not select.select([stdout], [], [], max(0.0, deadline - monotonic()))[0]:
                raise TooSlowError(f"no answer came within {timeout_s:g} s")
            piece = os.read(stdout.fileno(), _STEP)
            if not piece:
                raise self._end_error()
            answer += piece
        fields: dict[str, Any] = json.loads(answer)
        return fields

    def disown(self) -> None:
        """Leaves the process alone, in a forked child: it is the parent's, which alone may speak to it or end it."""
        self.end.detach()
        self.process.returncode = 0
        _DISOWNED.append(self.process)

    def _end_error(self) -> ProcessEndedError:
        status = self.process.wait()
        return ProcessEndedError(f"{self.name} ended ({status})", status)


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:  # else its number may be another's by now
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
