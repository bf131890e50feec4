"""Heads of a CREPE model, and what computes them: torch or ONNX Runtime."""

from __future__ import annotations

from typing import Protocol

import numpy as np
import numpy.typing as npt

from overread.adapters.checkpoints.padding import Ids

__all__ = ["Heads", "Network"]

Heads = tuple[npt.NDArray[np.float32], npt.NDArray[np.float32] | None]
"""Raw regression heads and, where the model has them, presence logits; each pairs x heads."""


class Network(Protocol):
    """Computes the heads of a batch of tokenised pairs."""

    @property
    def identity(self) -> str:
        """The aspects of the computation that change an answer."""
        ...

    def heads(self, ids: Ids, mask: Ids, types: Ids) -> Heads:
        """The raw heads.

        Args:
            ids: tokens, pairs x length, int64.
            mask: 1 where there is a token.
            types: 0 for the reference, 1 for the candidate.
        """
        ...
