"""Batches of similar length."""

from __future__ import annotations

from itertools import pairwise

import torch
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.checkpoints.batching import pad_rows
from overread.adapters.checkpoints.padding import length_batches

LENGTHS = st.lists(st.integers(min_value=1, max_value=600), max_size=60)
MAX_BATCH = st.integers(min_value=1, max_value=20)
MAX_TOKENS = st.integers(min_value=1, max_value=3000)


@given(LENGTHS, MAX_BATCH, MAX_TOKENS)
def test_every_item_is_in_exactly_one_batch(lengths: list[int], max_batch: int, max_tokens: int) -> None:
    """Sorting by length loses nothing and repeats nothing."""
    batches = length_batches(lengths, max_batch, max_tokens)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    assert all(batches)


@given(LENGTHS, MAX_BATCH, MAX_TOKENS)
def test_no_batch_exceeds_its_bounds_but_for_a_single_long_item(
    lengths: list[int], max_batch: int, max_tokens: int
) -> None:
    """An item above the bound is still answered, alone."""
    for batch in length_batches(lengths, max_batch, max_tokens):
        assert len(batch) <= max_batch
        assert len(batch) == 1 or len(batch) * max(lengths[i] for i in batch) <= max_tokens


@given(LENGTHS, MAX_BATCH, MAX_TOKENS)
def test_batches_are_as_full_as_their_bounds_allow_and_go_from_long_to_short(
    lengths: list[int], max_batch: int, max_tokens: int
) -> None:
    """The largest batch comes first, so that a lack of memory shows at once."""
    batches = length_batches(lengths, max_batch, max_tokens)
    for batch, following in pairwise(batches):
        assert min(lengths[i] for i in batch) >= max(lengths[i] for i in following)
        assert len(batch) == max_batch or (len(batch) + 1) * lengths[batch[0]] > max_tokens


def test_items_of_one_length_keep_their_order() -> None:
    """Equal lengths leave nothing to chance."""
    assert length_batches([5, 5, 5, 5, 5], max_batch=2, max_tokens=100) == [[0, 1], [2, 3], [4]]


def test_rows_are_padded_at_the_right_and_masked_there() -> None:
    """Padding has no say in an answer."""
    ids, mask = pad_rows([[4, 5, 6], [7]], padding=9)
    assert torch.equal(ids, torch.tensor([[4, 5, 6], [7, 9, 9]]))
    assert torch.equal(mask, torch.tensor([[1, 1, 1], [1, 0, 0]]))
