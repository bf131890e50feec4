"""The process that llama.cpp runs in, seen from the one that asks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from shutil import rmtree
from tempfile import mkdtemp
from threading import Lock
from typing import Any, Final
from weakref import finalize

from attrs import define, field

from overread.adapters.llm.line_process import LineProcess, ProcessEndedError, TooSlowError
from overread.forking import after_fork_in_child, lock_for_forks

__all__ = ["LlamaProcess"]

_MODULE: Final = "overread.adapters.llm.llamacpp._serving"
_LONG_S: Final = 600.0


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
        return None if self._running is None else self._running.process.process.pid

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
            self._running.process.disown()
        self._running = None


@define(eq=False)
class _Running:
    process: LineProcess
    folder: str
    end: finalize[Any, _Running] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.end = finalize(self, _end, self.process, self.folder)

    @classmethod
    def start(cls) -> _Running:
        return cls(LineProcess.start(_MODULE, "the process of llama.cpp"), mkdtemp(prefix="overread-"))

    def exchange(self, request: Mapping[str, Any], timeout_s: float) -> dict[str, Any]:
        return self.process.exchange(json.dumps(request), timeout_s)


def _end(process: LineProcess, folder: str) -> None:
    process.end()
    rmtree(folder, ignore_errors=True)
