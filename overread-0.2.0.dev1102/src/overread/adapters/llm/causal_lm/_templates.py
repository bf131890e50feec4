"""Chat templates, rendered in a process of their own that can be ended."""

from __future__ import annotations

import json
import signal
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, Final

from attrs import define, field

from overread.adapters.llm.line_process import LineProcess, ProcessEndedError
from overread.forking import after_fork_in_child, lock_for_forks

__all__ = ["TemplateProblemError", "TemplateProcess", "end_process", "render_template"]

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
    _process: LineProcess | None = field(default=None, init=False, repr=False)
    _lock: Lock = field(factory=lock_for_forks, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        after_fork_in_child(self._forget)

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
            process.end()

    def _answer(self, request: str) -> dict[str, Any]:
        try:
            return self._running().exchange(request)
        except ProcessEndedError as error:
            self._end()
            took_too_long = error.status == -signal.SIGPROF
            how = (
                f"it does not finish within {self.limit_s:g} s"
                if took_too_long
                else f"its process ended, {error.status}"
            )
            return {"error": how}
        except BaseException:  # an answer that nobody took would be taken for the next one's
            self._end()
            raise

    def _running(self) -> LineProcess:
        if self._process is not None and self._process.process.poll() is not None:
            self._end()
        if self._process is None:
            self._process = LineProcess.start(_MODULE, "its process", OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
        return self._process

    def _forget(self) -> None:
        """Drops the process in a forked child, which has one of its own."""
        process, self._process = self._process, None
        if process is not None:
            process.disown()


_PROCESS: Final = TemplateProcess()


def render_template(
    template: str, messages: Sequence[Mapping[str, str]], names: Mapping[str, Any], *, ask: bool
) -> str:
    """Calls `TemplateProcess.render` in the one process for all models."""
    return _PROCESS.render(template, messages, names, ask=ask)


def end_process() -> None:
    """Ends that process; another starts with the next template."""
    _PROCESS.close()
