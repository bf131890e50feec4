"""Batches of similar length, so that little padding is computed; without torch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Ids", "length_batches", "pad_arrays"]

Ids = npt.NDArray[np.int64]


def length_batches(lengths: Sequence[int], max_batch: int, max_tokens: int) -> list[list[int]]:
    """Indices of the items, longest first, in batches; each index is in exactly one.

    A batch holds at most ``max_batch`` items and, padded to its longest, at most ``max_tokens`` tokens; an item longer
    than that is a batch of its own. Write each answer to its index and the order of the items is restored.

    >>> length_batches([3, 9, 4], max_batch=2, max_tokens=100)
    [[1, 2], [0]]
    """
    batches: list[list[int]] = []
    longest = 0
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        size = len(batches[-1]) + 1 if batches else 0
        if 0 < size <= max_batch and size * longest <= max_tokens:
            batches[-1].append(index)
        else:
            batches.append([index])
            longest = lengths[index]
    return batches


def pad_arrays(rows: Sequence[Sequence[int]], padding: int) -> tuple[Ids, Ids]:
    """Token ids of a batch, padded at the right to its longest row, and the attention mask: rows x tokens."""
    ids = np.full((len(rows), max(map(len, rows), default=0)), padding, dtype=np.int64)
    mask = np.zeros_like(ids)
    for i, row in enumerate(rows):
        ids[i, : len(row)] = row
        mask[i, : len(row)] = 1
    return ids, mask
