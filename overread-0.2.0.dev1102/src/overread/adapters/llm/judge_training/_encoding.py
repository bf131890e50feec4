"""Lessons as token rows: the request exactly as the model will read it when it is asked, and the answers behind it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from attrs import field, frozen

from overread.adapters.llm.causal_lm.chat import Chat, ConversationError
from overread.adapters.llm.causal_lm.loading import LoadedModel
from overread.adapters.llm.judge_training._lessons import Lesson
from overread.adapters.llm.judge_training.options import Recipe
from overread.exceptions import ConfigurationError

__all__ = ["Encoder", "Row"]


@frozen
class Row:
    """Token ids of a lesson. Each answer ends with the token that ends a turn.

    Attributes:
        rejected: None where the lesson has no rejected answer.
    """

    request: list[int] = field(repr=False)
    answer: list[int] = field(repr=False)
    rejected: list[int] | None = field(default=None, repr=False)

    @property
    def length(self) -> int:
        """Tokens of the request with the longer answer."""
        return len(self.request) + max(len(self.answer), len(self.rejected or ()))


@frozen(eq=False)
class Encoder:
    """Turns lessons into rows for one model.

    Attributes:
        limit: tokens of a row at most.
        padding: id of the token that fills shorter rows; it is masked.
    """

    limit: int
    padding: int
    _chat: Chat
    _tokenizer: Any = field(repr=False)
    _ending: int

    @classmethod
    def of(cls, loaded: LoadedModel, recipe: Recipe) -> Encoder:
        """The encoder of a model.

        Raises:
            ConfigurationError: if the model has no token to end its answers with, or has no chat template and the
                recipe asks for it.
        """
        chat = Chat.of(loaded.tokenizer, recipe.chat)
        if not chat.ending:
            problem = f"the tokenizer of {loaded.name} has no token that ends a text, so answers would never end"
            raise ConfigurationError([f"{problem}; give it an eos_token"])
        ending = loaded.tokenizer.convert_tokens_to_ids(chat.ending)
        padding = loaded.tokenizer.pad_token_id
        limit = min(recipe.max_tokens, loaded.positions or recipe.max_tokens)
        return cls(limit, ending if padding is None else padding, chat, loaded.tokenizer, ending)

    def rows(self, lessons: Iterable[Lesson]) -> tuple[list[Row], int]:
        """The rows of the lessons, in order, and how many were left out because they are too long.

        Raises:
            ConfigurationError: if the model's chat template does not accept the conversations.
        """
        rows = [self._row(lesson) for lesson in lessons]
        fitting = [row for row in rows if row.length <= self.limit]
        return fitting, len(rows) - len(fitting)

    def _row(self, lesson: Lesson) -> Row:
        try:
            request = self._chat.ids(lesson.messages)
        except ConversationError as error:
            raise ConfigurationError([f"{error}; set chat=plain"]) from error
        return Row(request, self._answer(lesson.answer), self._answer(lesson.rejected) if lesson.rejected else None)

    def _answer(self, text: str) -> list[int]:
        return [*self._tokenizer(text, add_special_tokens=False)["input_ids"], self._ending]
