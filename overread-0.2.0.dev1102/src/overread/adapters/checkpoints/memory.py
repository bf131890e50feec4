"""Answers remembered by text, so that equal texts are worked on once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Generic, TypeVar

from attrs import define, field

from overread.forking import lock_for_forks

__all__ = ["Memory"]

Answer = TypeVar("Answer")


@define(eq=False)
class Memory(Generic[Answer]):
    """Remembers ``size`` answers; those used longest ago are forgotten first. 0 remembers nothing between calls.

    Threads may share it; they wait for one another.
    """

    size: int
    _known: OrderedDict[str, Answer] = field(factory=OrderedDict, init=False, repr=False)
    _lock: Lock = field(factory=lock_for_forks, init=False, repr=False)

    def answers(self, texts: Sequence[str], answer: Callable[[list[str]], Sequence[Answer]]) -> list[Answer]:
        """The answer of each text, in order; ``answer`` is asked once, for the distinct texts not yet known."""
        with self._lock:
            return self._answers(texts, answer)

    def _answers(self, texts: Sequence[str], answer: Callable[[list[str]], Sequence[Answer]]) -> list[Answer]:
        distinct = dict.fromkeys(texts)
        new = [text for text in distinct if text not in self._known]
        self._known.update(zip(new, answer(new), strict=True) if new else ())
        answers = [self._known[text] for text in texts]
        for text in distinct:
            self._known.move_to_end(text)
        while len(self._known) > self.size:
            self._known.popitem(last=False)
        return answers
