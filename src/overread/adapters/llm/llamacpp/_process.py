"""The process that llama.cpp runs in, seen from the one that asks."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from time import monotonic
from typing import Any, Final
from weakref import finalize

from attrs import define, field

from overread.forking import after_fork_in_child, lock_for_forks

__all__ = ["LlamaProcess", "ProcessEndedError", "TooSlowError"]

_MODULE: Final = "overread.adapters.llm.llamacpp._serving"
_STEP: Final = 1 << 16
_LONG_S: Final = 600.0


class ProcessEndedError(Exception):
    """The process ended, by itself or by another's hand, before it answered."""


class TooSlowError(Exception):
    """No answer came in time; the process was ended."""


@define(eq=False)
class LlamaProcess:
    """Runs llama.cpp in one process that starts with the first request and ends with this one.

    One that ended is started anew for the next request. After a fork each process has its own. Threads wait for one
    another.

    Attributes:
        opening: the first line, which names the model and how it is to be loaded.
        load_s: seconds for loading it at most.
    """

    opening: Mapping[str, Any] = field(repr=False)
    load_s: float = 600.0
    _running: _Running | None = field(default=None, init=False, repr=False)
    _lock: Lock = field(factory=lock_for_forks, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        after_fork_in_child(self._forget)

    @property
    def pid(self) -> int | None:
        """Id of the process, None where none runs."""
        return None if self._running is None else self._running.process.pid

    def ask(self, request: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        """Returns the process's answer; ``{"unloadable": {...}}`` if the model cannot be loaded or spoken to.

        Raises:
            ProcessEndedError: if it ends first; the next request gets a new one.
            TooSlowError: if no answer comes within ``timeout_s`` seconds.
        """
        with self._lock:
            try:
                running = self._running or _Running.start()
                if running is not self._running:
                    self._running = running
                    if failed := self._load_model(running):
                        self._end()
                        return {"unloadable": failed}
                return running.exchange(request, timeout_s)
            except BaseException:  # an answer that nobody took would be taken for the next one's
                self._end()
                raise

    def loads(self, **others: Any) -> bool:
        """Returns whether the model can be loaded with these changes to the opening; nothing of it is kept."""
        running = _Running.start()
        try:
            return not running.exchange({**self.opening, **others, "folder": running.folder}, _LONG_S)
        except (ProcessEndedError, TooSlowError):
            return False
        finally:
            running.end()

    def _load_model(self, running: _Running) -> dict[str, Any]:
        """Loads the model and returns what is wrong with it, nothing if it is loaded."""
        try:
            return running.exchange({**self.opening, "folder": running.folder}, self.load_s)
        except TooSlowError:
            return {"late": self.load_s}

    def close(self) -> None:
        """Ends the process."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        running, self._running = self._running, None
        if running is not None:
            running.end()

    def _forget(self) -> None:
        """Drops the process in a forked child: it is the parent's, which alone may speak to it or end it."""
        if self._running is not None:
            self._running.end.detach()
            self._running.process.returncode = 0
        self._running = None


@define(eq=False)
class _Running:
    process: subprocess.Popen[bytes]
    folder: str
    end: finalize[Any, _Running] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.end = finalize(self, _reap_process, self.process, self.folder)

    @classmethod
    def start(cls) -> _Running:
        path = os.pathsep.join(place or str(Path.cwd()) for place in sys.path)
        process = subprocess.Popen(  # noqa: S603 - this very Python, and a module of ours
            [sys.executable, "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the one that asks
            env={**os.environ, "PYTHONPATH": path},
        )
        return cls(process, mkdtemp(prefix="overread-"))

    def exchange(self, request: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        deadline = monotonic() + timeout_s
        asked, stdout = self.process.stdin, self.process.stdout
        assert asked is not None and stdout is not None  # noqa: S101, PT018 - both are pipes
        try:
            asked.write(json.dumps(request).encode("ascii") + b"\n")
            asked.flush()
        except BrokenPipeError:
            raise self._reap_process() from None
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([stdout], [], [], max(0.0, deadline - monotonic()))[0]:
                raise TooSlowError(f"no answer came within {timeout_s:g} s")
            piece = os.read(stdout.fileno(), _STEP)
            if not piece:
                raise self._reap_process()
            line += piece
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _reap_process(self) -> ProcessEndedError:
        return ProcessEndedError(f"the process of llama.cpp ended ({self.process.wait()})")


def _reap_process(process: subprocess.Popen[bytes], folder: str) -> None:
    process.kill()
    process.communicate()
    rmtree(folder, ignore_errors=True)
