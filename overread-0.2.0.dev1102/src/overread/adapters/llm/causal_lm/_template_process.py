"""The process in which chat templates are rendered: a line of JSON in, a line of JSON out. Nothing else imports this.

A template is a program that comes with a model. It may never end, or fill the memory; a thread could not be stopped.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from typing import IO, Any, Final

__all__ = ["serve"]

_MEMORY: Final = 2**30
_LONGEST: Final = 2**24
"""Characters of a rendered conversation; a longer one is an error."""


def serve(asked: IO[str], told: IO[str]) -> None:
    """Answers each request until there is none. Whatever takes more processor time than it may ends the process.

    A request has the template, the messages, whether the answer is opened (``ask``), the names of special tokens and
    ``limit_s``, seconds of processor time; an answer has the ``text``, or the type of an ``error``.
    """
    from transformers.utils.chat_template_utils import render_jinja_template  # noqa: PLC0415 - before the first limit

    for line in asked:
        request = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, request["limit_s"])
        try:
            answer = {"text": _render_text(render_jinja_template, request)}
        except Exception as error:  # noqa: BLE001 - whatever a template raises is its own fault
            answer = {"error": type(error).__name__}
        signal.setitimer(signal.ITIMER_PROF, 0)
        told.write(json.dumps(answer) + "\n")
        told.flush()


def _render_text(render: Any, request: dict[str, Any]) -> str:
    texts, _ = render(
        [request["messages"]],
        chat_template=request["template"],
        add_generation_prompt=request["ask"],
        **request["names"],
    )
    text: str = texts[0]
    if len(text) > _LONGEST:
        raise OverflowError
    return text


def _set_limits() -> None:
    """Limits of the process. No image of it is written when it is ended: it holds reports."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who asks is interrupted and ends this process
    try:
        import resource  # noqa: PLC0415 - not on every system
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    _set_limits()
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="ascii")
    sys.stdout = sys.stderr
    serve(sys.stdin, answers)
