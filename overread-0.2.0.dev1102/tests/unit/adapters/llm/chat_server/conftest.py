"""Models of scripted servers; nothing but this machine can be reached."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from overread.adapters.llm.chat_server._line import Line
from overread.adapters.llm.chat_server._model import ChatServerModel
from overread.adapters.llm.chat_server.options import ChatServerOptions
from overread.adapters.llm.chat_server.plugin import chat_server_model
from overread.application.ports import Message, Request
from overread.domain.results.answer import Completion
from overread.domain.results.result import Unscored

from .....servers import guard_sockets

MakeModel = Callable[..., ChatServerModel]
SCHEMA = {
    "type": "object",
    "properties": {"errors": {"type": "integer"}},
    "required": ["errors"],
    "additionalProperties": False,
}


@pytest.fixture(autouse=True)
def tried(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Other machines that something tried to reach."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    return guard_sockets(monkeypatch)


@pytest.fixture
def make_model() -> MakeModel:
    """Builds a model that waits hardly at all before a retry."""

    def make(base_url: str, **options: Any) -> ChatServerModel:
        model = chat_server_model(ChatServerOptions(model="m", base_url=base_url, **options))
        slow: Callable[[], Line] = model.open_line
        model.open_line = partial(_hurried, slow)
        return model

    return make


def _hurried(open_line: Callable[[], Line]) -> Line:
    assert isinstance(open_line, partial)
    return partial(open_line.func, *open_line.args, **open_line.keywords, backoff_s=0.002)()  # type: ignore[no-any-return]


def ask(text: str = "question", *, schema: dict[str, Any] | None = None, max_tokens: int = 64) -> Request:
    return Request((Message("system", "be brief"), Message("user", text)), schema, max_tokens)


def replies(model: ChatServerModel, *requests: Request) -> list[Completion | Unscored]:
    """The outcome of each request, in the requests' order."""
    found = dict(model.complete(requests))
    assert len(found) == len(requests)
    return [found[index] for index in range(len(requests))]


def reply(model: ChatServerModel, request: Request | None = None) -> Completion | Unscored:
    return replies(model, request or ask())[0]


def text_of(outcome: Completion | Unscored) -> str:
    assert isinstance(outcome, Completion), outcome
    return outcome.text


__all__ = ["SCHEMA", "MakeModel", "ask", "replies", "reply", "text_of"]
