"""Padded batches as tensors."""

from __future__ import annotations

from collections.abc import Sequence

import torch

from overread.adapters.checkpoints.padding import pad_arrays

__all__ = ["pad_rows"]


def pad_rows(rows: Sequence[Sequence[int]], padding: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Token ids of a batch, padded at the right to its longest row, and the attention mask: rows x tokens, int64."""
    ids, mask = pad_arrays(rows, padding)
    return torch.from_numpy(ids), torch.from_numpy(mask)
