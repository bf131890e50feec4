"""Chat templates, rendered in a process of their own that can be ended."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from threading import Lock
from typing import Any, Final

from attrs import define, field

__all__ = ["TemplateProblemError", "TemplateProcess", "end_process", "rendered"]

_LIMIT_S: Final = 10.0
_MODULE: Final = "overread.adapters.llm.causal_lm._template_process"


class TemplateProblemError(ValueError):
    """A template that does not render a conversation; the message says why and quotes neither."""


@define(eq=False)
class TemplateProcess:
    """Renders templates, as transformers does, in one process that starts with the first and ends with this one.

    A template that takes more than its time or memory is ended with the process, and the next has a new one. After a
    fork each process has its own. Threads wait for one another.

    Attributes:
        limit_s: seconds of processor time for one conversation; what other processes take does not count.
    """

    limit_s: float = _LIMIT_S
    _process: subprocess.Popen[str] | None = field(default=None, init=False, repr=False)
    _left: subprocess.Popen[str] | None = field(default=None, init=False, repr=False)
    _lock: Lock = field(factory=Lock, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def render(
        self, template: str, messages: Sequence[Mapping[str, str]], names: Mapping[str, Any], *, ask: bool
    ) -> str:
        """The text of a conversation.

        Args:
            template: in jinja, as tokenizers have it.
            messages: with role and content.
            names: special tokens by the names under which templates use them.
            ask: whether the answer is opened.

        Raises:
            TemplateProblemError: if the template fails, does not end in time, or fills the memory.
        """
        request = {
            "template": template,
            "messages": list(messages),
            "names": dict(names),
            "ask": ask,
            "limit_s": self.limit_s,
        }
        with self._lock:
            answer = self._answer(json.dumps(request, default=str))
        if "text" not in answer:
            raise TemplateProblemError(answer["error"])
        return str(answer["text"])

    def close(self) -> None:
        """Ends the process; another starts where it is needed."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _answer(self, request: str) -> dict[str, str]:
        process = self._running()
        line = ""
        try:
            if process.stdin is not None and process.stdout is not None:
                process.stdin.write(request + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
        except BrokenPipeError:
            pass
        except BaseException:  # an answer that nobody took would be taken for the next one's
            self._end()
            raise
        if line:
            answer: dict[str, str] = json.loads(line)
            return answer
        ended = process.wait()
        self._end()
        took_too_long = ended == -signal.SIGPROF
        return {
            "error": f"it does not end within {self.limit_s:g} s" if took_too_long else f"its process ended, {ended}"
        }

    def _running(self) -> subprocess.Popen[str]:
        if self._process is not None and self._process.poll() is not None:
            self._end()
        if self._process is None:
            path = os.pathsep.join(place or str(Path.cwd()) for place in sys.path)
            self._process = subprocess.Popen(  # noqa: S603 - this very Python, and a module of ours
                [sys.executable, "-P", "-m", _MODULE],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="ascii",
                env={**os.environ, "PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            )
        return self._process

    def _forget(self) -> None:
        """Drops the process in a forked child: it is the parent's, which alone may speak to it or end it."""
        self._left, self._process, self._lock = self._process, None, Lock()
        if self._left is not None:
            self._left.returncode = 0


_PROCESS: Final = TemplateProcess()
atexit.register(_PROCESS.close)


def rendered(template: str, messages: Sequence[Mapping[str, str]], names: Mapping[str, Any], *, ask: bool) -> str:
    """Calls `TemplateProcess.render` in the one process for all models."""
    return _PROCESS.render(template, messages, names, ask=ask)


def end_process() -> None:
    """Ends that process; another starts with the next template."""
    _PROCESS.close()
