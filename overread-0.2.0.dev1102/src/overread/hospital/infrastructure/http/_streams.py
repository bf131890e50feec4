"""Answers that go on for long: so many at once, and of one person or key a part of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator

from attrs import define, field
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from overread.hospital.infrastructure.http._problems import too_many

__all__ = ["Streams"]

_SHARE = 4
_AGAIN_S = 10.0


@define(eq=False)
class Streams:
    """The streams of events under way. Of one event loop.

    Attributes:
        most: at once; of one person or key, a quarter as many.
    """

    most: int
    _open: Counter[str] = field(factory=Counter, init=False)

    def begin(self, name: str, events: AsyncIterator[str]) -> StreamingResponse:
        """An answer of events.

        Args:
            name: of the person or key that asks.
            events: as they are sent.

        Raises:
            ProblemError: 429 where there are too many.
        """
        if self._open.total() >= self.most or self._open[name] >= max(1, self.most // _SHARE):
            raise too_many("too many streams of events are open", _AGAIN_S)
        self._open[name] += 1
        return _Stream(events, self._open, name)


class _Stream(StreamingResponse):
    """Counts until it is over, however it ends."""

    def __init__(self, events: AsyncIterator[str], counts: Counter[str], name: str) -> None:
        super().__init__(events, media_type="text/event-stream")
        self._counts, self._name = counts, name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._counts[self._name] -= 1
            if not self._counts[self._name]:
                del self._counts[self._name]
