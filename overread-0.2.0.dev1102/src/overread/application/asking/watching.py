"""Watching a language model: somebody is told before it is first asked, and as its answers come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from attrs import define, frozen

from overread.application.ports import LanguageModel, Request
from overread.application.traits import ModelTraits, traits_of
from overread.domain.results.answer import Completion
from overread.domain.results.result import Unscored

__all__ = ["ModelWatch", "WatchedModel"]


@define(eq=False)
class ModelWatch:
    """Callbacks to notify, and what has been seen so far.

    Attributes:
        on_start: called once with the model, right before its first request goes out; never if nothing is asked.
        on_answer: called with the number of answers so far, after each.
        answers: number that came so far.
        started: whether anything was asked.
    """

    on_start: Callable[[LanguageModel], None] | None = None
    on_answer: Callable[[int], None] | None = None
    answers: int = 0
    started: bool = False

    def start(self, model: LanguageModel) -> None:
        """Requests are about to go out."""
        if not self.started and self.on_start is not None:
            self.on_start(model)
        self.started = True

    def answer(self) -> None:
        """An answer came."""
        self.answers += 1
        if self.on_answer is not None:
            self.on_answer(self.answers)


@frozen(eq=False)
class WatchedModel:
    """A language model under a watch."""

    model: LanguageModel
    watch: ModelWatch

    @property
    def identity(self) -> str:
        """The model's."""
        return self.model.identity

    @property
    def note(self) -> str:
        """The model's."""
        return self.model.note

    def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion | Unscored]]:
        """See `LanguageModel`. A request that gets no answer does not count as one."""
        if requests:
            self.watch.start(self.model)
        for index, completion in self.model.complete(requests):
            if isinstance(completion, Completion):
                self.watch.answer()
            yield index, completion

    def count_tokens(self, request: Request) -> int:
        """The model's."""
        return self.model.count_tokens(request)

    @property
    def traits(self) -> ModelTraits:
        """The model's."""
        return traits_of(self.model, ModelTraits)
