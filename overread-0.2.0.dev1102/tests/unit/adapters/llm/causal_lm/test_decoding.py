"""Greedy continuations against the definition: the likeliest token, one at a time, without padding or cache."""

from __future__ import annotations

import pytest
import torch
from transformers import PreTrainedModel

from overread.adapters.llm.causal_lm._decoding import continue_greedily

from .checkpoints import random_model

ROWS = [[5, 9, 17, 23, 8], [40], [11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22], [7, 7]]
LIMITS = [12, 20, 5, 16]


def one_by_one(network: PreTrainedModel, row: list[int], limit: int, endings: frozenset[int]) -> list[int]:
    ids = list(row)
    with torch.inference_mode():
        while len(ids) < len(row) + limit and not (len(ids) > len(row) and ids[-1] in endings):
            ids.append(int(network(input_ids=torch.tensor([ids])).logits[0, -1].argmax()))
    return ids[len(row) :]


@pytest.mark.parametrize("kind", ["llama", "qwen2", "gpt2"])
@pytest.mark.parametrize("padding", [0, 33])
def test_each_row_of_a_batch_continues_as_it_would_alone(kind: str, padding: int) -> None:
    """Neither padding nor the other rows change what the model says."""
    network = random_model(kind, vocabulary=60)
    likely = one_by_one(network, ROWS[1], 20, frozenset())
    endings = frozenset({1, likely[6]})
    found = continue_greedily(network, ROWS, LIMITS, endings=endings, padding=padding)
    for row, limit, answer in zip(ROWS, LIMITS, found, strict=True):
        expected = one_by_one(network, row, limit, endings)
        assert answer.ended == (expected[-1] in endings)
        assert answer.length == len(expected)
        assert answer.ids == expected[: len(expected) - answer.ended]
        assert answer.sound
    assert found[1].ended, "this row's ending was chosen from its own continuation"
    assert not all(answer.ended for answer in found)


def test_a_model_without_an_ending_stops_each_row_at_its_limit() -> None:
    """Rows of one batch have limits of their own."""
    found = continue_greedily(random_model(vocabulary=60), ROWS, LIMITS, endings=frozenset(), padding=0)
    assert [len(answer.ids) for answer in found] == LIMITS
    assert not any(answer.ended for answer in found)


def test_a_row_whose_logits_are_not_numbers_is_unsound_and_spoils_no_other() -> None:
    """One broken request does not take its batch along."""
    network = random_model(vocabulary=60)
    before = continue_greedily(network, ROWS, LIMITS, endings=frozenset(), padding=0)

    def spoil(_: object, inputs: tuple[torch.Tensor, ...], output: torch.Tensor) -> torch.Tensor:
        return output.masked_fill((inputs[0] == 40).unsqueeze(-1), float("nan"))

    embedding = network.get_input_embeddings()
    assert isinstance(embedding, torch.nn.Module)
    embedding.register_forward_hook(spoil)
    after = continue_greedily(network, ROWS, LIMITS, endings=frozenset(), padding=0)
    assert [answer.sound for answer in after] == [
        40 not in [*r, *b.ids[:-1]] for r, b in zip(ROWS, before, strict=True)
    ]
    assert not after[1].sound
    assert [a for a in after if a.sound] == [b for a, b in zip(after, before, strict=True) if a.sound]


def test_numbers_that_break_down_behind_the_ending_change_nothing() -> None:
    """A row that has ended is computed on while others of its batch go on."""
    network = random_model(vocabulary=60)
    ending = one_by_one(network, ROWS[1], 2, frozenset())[1]
    steps = 0

    def spoil(_: object, __: object, output: torch.Tensor) -> torch.Tensor:
        nonlocal steps
        steps += 1
        return output if steps <= 3 else torch.full_like(output, float("inf"))

    head = network.get_output_embeddings()  # type: ignore[no-untyped-call]
    assert isinstance(head, torch.nn.Module)
    head.register_forward_hook(spoil)
    ended, longer = continue_greedily(network, [ROWS[1], ROWS[0]], [9, 9], endings=frozenset({ending}), padding=0)
    assert (ended.ended, ended.sound) == (True, True)
    assert not longer.sound
