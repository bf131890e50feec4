"""Counting what a run asks of language models and what it finds kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import define, field

from overread.application.ports import AnswerStore
from overread.domain.results.answer import Completion

__all__ = ["AnswerTally"]


@define(eq=False)
class AnswerTally:
    """An `AnswerStore` before another, or before none, that counts what passes.

    Attributes:
        store: where answers are kept; None keeps none.
        asked: answers that came now.
        kept: times that an answer was found that did not come now.
        prompt_tokens, completion_tokens: of those that came now, as far as the model tells them.
        untold: how many that came now without the number of either.
    """

    store: AnswerStore | None = None
    asked: int = 0
    kept: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    untold: int = 0
    _came: set[str] = field(factory=set, init=False, repr=False)

    @property
    def only_kept(self) -> bool:
        """True if nothing may be asked that is not kept."""
        return self.store is not None and self.store.only_kept

    def find(self, keys: Sequence[str]) -> Mapping[str, Completion]:
        """The kept completions among those of ``keys``."""
        completions = self.store.find(keys) if self.store is not None else {}
        self.kept += len(completions.keys() - self._came)
        return completions

    def add(self, key: str, completion: Completion, *, prompt: str, model: str) -> None:
        """Keep one completion, where there is a store, before this returns."""
        if self.store is not None:
            self.store.add(key, completion, prompt=prompt, model=model)
        self._came.add(key)
        self.asked += 1
        self.prompt_tokens += completion.prompt_tokens or 0
        self.completion_tokens += completion.completion_tokens or 0
        self.untold += completion.prompt_tokens is None or completion.completion_tokens is None

    def close(self) -> None:
        """Close the store."""
        if self.store is not None:
            self.store.close()
