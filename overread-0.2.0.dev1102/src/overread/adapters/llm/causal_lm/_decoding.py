"""Greedy decoding of a batch of token rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import torch
from attrs import field, frozen
from transformers import GenerationConfig, LogitsProcessor, LogitsProcessorList, StoppingCriteria, StoppingCriteriaList

__all__ = ["Continuation", "continue_greedily"]

_NEVER: Final = 2**31 - 1


@frozen
class Continuation:
    """The tokens that a model appended to a row.

    Attributes:
        ids: token ids, without the one that ended it.
        length: tokens that were computed, the ending included.
        ended: whether an ending came, rather than the limit.
        sound: whether the greatest logit was finite at every token; False if it was an infinity or a NaN.
    """

    ids: list[int] = field(repr=False)
    length: int
    ended: bool
    sound: bool


class _FirstUnsoundStep(LogitsProcessor):
    """Remembers at which step each row first had logits without a finite greatest one."""

    def __init__(self, rows: int, device: torch.device) -> None:
        self.steps = torch.full((rows,), _NEVER, device=device)
        self._step = 0

    def __call__(self, _: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        unsound = ~torch.isfinite(scores.amax(dim=-1))
        self.steps = torch.where(unsound, self.steps.clamp(max=self._step), self.steps)
        self._step += 1
        return scores


class _Limits(StoppingCriteria):
    """Ends each row at its own limit."""

    def __init__(self, start: int, limits: torch.Tensor) -> None:
        self._ends = start + limits

    def __call__(self, input_ids: torch.LongTensor, *_: object, **__: object) -> torch.BoolTensor:
        return self._ends <= input_ids.shape[1]  # type: ignore[return-value]


def continue_greedily(
    network: Any, rows: Sequence[Sequence[int]], limits: Sequence[int], *, endings: frozenset[int], padding: int
) -> list[Continuation]:
    """Continues each row with the likeliest token until an ending, or until as many tokens as its limit says.

    Rows are padded at the left, and the padding is masked, so that a row's continuation does not depend on the batch
    but for rounding. No repetition penalty or other rule of a generation_config applies.

    Args:
        network: a causal model of transformers, in evaluation mode.
        rows: token ids, none empty.
        limits: of each row, at least 1.
        endings: ids of the tokens that end an answer.
        padding: any token id.
    """
    longest = max(map(len, rows))
    ids = torch.tensor([[padding] * (longest - len(row)) + list(row) for row in rows])
    mask = torch.tensor([[0] * (longest - len(row)) + [1] * len(row) for row in rows])
    watch = _FirstUnsoundStep(len(rows), network.device)
    with torch.inference_mode():
        output = network.generate(
            input_ids=ids.to(network.device),
            attention_mask=mask.to(network.device),
            generation_config=GenerationConfig(  # type: ignore[no-untyped-call]
                do_sample=False,
                num_beams=1,
                max_new_tokens=max(limits),
                eos_token_id=sorted(endings) or None,
                pad_token_id=padding,
            ),
            logits_processor=LogitsProcessorList([watch]),
            stopping_criteria=StoppingCriteriaList([_Limits(longest, torch.tensor(limits, device=network.device))]),
        )
    unsound = watch.steps.tolist()
    return [
        _continuation(row[longest : longest + limit], endings, step)
        for row, limit, step in zip(output.tolist(), limits, unsound, strict=True)
    ]


def _continuation(ids: list[int], endings: frozenset[int], unsound: int) -> Continuation:
    end = next((place for place, token in enumerate(ids) if token in endings), None)
    length = len(ids) if end is None else end + 1
    return Continuation(ids[:end], length, end is not None, unsound >= length)
