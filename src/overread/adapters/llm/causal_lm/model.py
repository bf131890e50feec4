"""A local causal model as `LanguageModel`: greedy answers in batches of similar length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import torch
from attrs import define, field

from overread.adapters.checkpoints.padding import length_batches
from overread.adapters.checkpoints.runtime import computing, dtype_name, quiet
from overread.adapters.llm.causal_lm._decoding import Continuation, continue_greedily
from overread.adapters.llm.causal_lm._templates import end_process
from overread.adapters.llm.causal_lm.chat import Chat, ConversationError
from overread.adapters.llm.causal_lm.loading import LoadedModel, load_causal_model
from overread.adapters.llm.causal_lm.options import TransformersModelOptions
from overread.application.ports import Request
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

__all__ = ["CausalLanguageModel"]

_BATCH_TOKENS: Final = {"cpu": 8_192, "cuda": 16_384}
_UNSOUND: Final = Unscored("no answer", "the model gave values that are not numbers")
_NO_MEMORY: Final = Unscored("too long", "the request and its answer do not fit into the memory of the device")


@define(eq=False)
class CausalLanguageModel:
    """Answers with the likeliest token each time, on this machine.

    A request that leaves no room for an answer is "too long"; one that leaves less room than it asks for is answered
    as far as the room goes, and then was cut off. A request's schema is ignored: transformers alone cannot hold a
    model to one, and who reads the answer checks it.
    """

    options: TransformersModelOptions
    note: str = field(init=False, default="")
    _loaded: LoadedModel
    _chat: Chat
    _context: int | None
    _endings: frozenset[int]
    _padding: int

    @classmethod
    def create(cls, options: TransformersModelOptions) -> CausalLanguageModel:
        """Loads the checkpoint that the options name.

        Raises:
            ConfigurationError: if it is not a whole checkpoint of a causal model, if its adapter does not fit it, if
                it has no chat template and one is asked for, or if it has fewer positions than ``max_context``.
            MissingDependencyError: if an adapter is given and peft is not installed.
        """
        loaded = load_causal_model(
            options.path,
            adapter=options.adapter,
            device=options.device,
            dtype=options.dtype,
            allow_download=options.allow_download,
        )
        if loaded.positions is not None and (options.max_context or 0) > loaded.positions:
            problem = f"max_context is {options.max_context}, but {loaded.name} has {loaded.positions} positions"
            raise ConfigurationError([problem])
        chat = Chat.of(loaded.tokenizer, options.chat)
        ending = {loaded.tokenizer.convert_tokens_to_ids(chat.ending)} if chat.ending else set()
        return cls(
            options,
            loaded,
            chat,
            options.max_context or loaded.positions,
            loaded.endings | ending,
            loaded.tokenizer.eos_token_id or 0,
        )

    @property
    def identity(self) -> str:
        """Name, digest, style of conversation, context, number format and decoding."""
        settings = [
            f"transformers:{self._loaded.name}",
            f"chat={self._chat.identity}",
            f"max_context={self._context}",
            f"dtype={dtype_name(self._loaded.dtype)}",
            "decoding=greedy",
        ]
        return ",".join(settings)

    def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion | Unscored]]:
        """The completion of each request with its index, batch by batch, the longest first."""
        prompts: dict[int, list[int]] = {}
        for index, request in enumerate(requests):
            ids = self._prompt(request)
            if isinstance(ids, Unscored):
                yield index, ids
            else:
                prompts[index] = ids
        indices = list(prompts)
        limits = {index: self._limit(prompts[index], requests[index]) for index in indices}
        lengths = [len(prompts[index]) + limits[index] for index in indices]
        most = self.options.batch_tokens or _BATCH_TOKENS[self._loaded.device.type]
        for batch in length_batches(lengths, self.options.max_batch, most):
            chosen = [indices[place] for place in batch]
            answers = self._answers([prompts[index] for index in chosen], [limits[index] for index in chosen])
            yield from zip(chosen, answers, strict=True)

    def count_tokens(self, request: Request) -> int:
        """Tokens of the request as the model reads it, with what its chat template adds; 0 if that refuses it."""
        try:
            return len(self._chat.ids(request.messages))
        except ConversationError:
            return 0

    def close(self) -> None:
        """Ends the process that renders chat templates, which all models share; another starts where it is needed."""
        end_process()

    def _prompt(self, request: Request) -> list[int] | Unscored:
        try:
            ids = self._chat.ids(request.messages)
        except ConversationError as error:
            return Unscored("refused", str(error))
        if not ids:
            return Unscored("refused", "the request has no token that the model knows")
        if self._context is not None and len(ids) >= self._context:
            return Unscored("too long", f"{len(ids)} tokens leave no room for an answer in {self._context}")
        return ids

    def _limit(self, ids: Sequence[int], request: Request) -> int:
        return request.max_tokens if self._context is None else min(request.max_tokens, self._context - len(ids))

    def _answers(self, rows: Sequence[list[int]], limits: Sequence[int]) -> list[Completion | Unscored]:
        """Answers of one batch; of its halves, where the whole does not fit into the device's memory."""
        try:
            with quiet(), computing(self._loaded.device, torch.float32, loaded_by=self._loaded.loaded_by):
                answers = continue_greedily(
                    self._loaded.network, rows, limits, endings=self._endings, padding=self._padding
                )
        except torch.OutOfMemoryError:
            if len(rows) == 1:
                return [_NO_MEMORY]
        else:
            return [self._completion(len(row), answer) for row, answer in zip(rows, answers, strict=True)]
        middle = len(rows) // 2
        return self._answers(rows[:middle], limits[:middle]) + self._answers(rows[middle:], limits[middle:])

    def _completion(self, asked: int, answer: Continuation) -> Completion | Unscored:
        if not answer.sound:
            return _UNSOUND
        return Completion(
            text=self._loaded.tokenizer.decode(
                answer.ids, skip_special_tokens=True, clean_up_tokenization_spaces=False
            ),
            finish=Finish.STOP if answer.ended else Finish.LENGTH,
            model=self._loaded.name,
            prompt_tokens=asked,
            completion_tokens=answer.length,
        )
