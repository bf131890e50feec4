"""Computation of the heads by torch."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from overread.adapters.bert.crepe._heads import Heads
from overread.adapters.bert.crepe._model import CrepeModel, answering_by_first
from overread.adapters.checkpoints.padding import Ids
from overread.adapters.checkpoints.runtime import choose_device, choose_dtype, computing, dtype_name, keep_half

__all__ = ["TorchNetwork"]


class TorchNetwork:
    """The model on the CPU or on a GPU, in single or mixed precision.

    Args:
        model: as loaded; it is moved to the device, and its last layer to the first token alone.
        device: "auto", "cpu", "cuda" or "cuda:N".
        dtype: "auto", "fp32", "bf16" or "fp16"; "auto" is bf16 or fp16 on a GPU, and on the CPU bf16 for a large model
            where the processor multiplies it itself, else fp32.
        compiled: whether torch.compile speeds it up; the first batches then take long.

    Raises:
        ConfigurationError: if there is no such device or dtype.
    """

    def __init__(self, model: CrepeModel, *, device: str = "auto", dtype: str = "auto", compiled: bool = False) -> None:
        self._device = choose_device(device)
        self._dtype = choose_dtype(dtype, self._device, sum(weight.numel() for weight in model.parameters()))
        self._process, self._compiled = os.getpid(), compiled
        network: nn.Module = answering_by_first(model)
        network.to(self._device).eval()
        keep_half(network, self._device, self._dtype)
        self._forward = torch.compile(network, dynamic=True) if compiled else network

    @property
    def identity(self) -> str:
        """The number format; a device alone changes an answer by rounding only."""
        return f"dtype={dtype_name(self._dtype)}"

    def heads(self, ids: Ids, mask: Ids, types: Ids) -> Heads:
        """The raw heads of a batch."""
        inputs = [torch.from_numpy(part).to(self._device, non_blocking=True) for part in (ids, mask, types)]
        with computing(self._device, self._dtype, loaded_by=self._process, compiled=self._compiled):
            heads = self._forward(*inputs)
        presence = heads.get("presence")
        return _array(heads["counts"]), None if presence is None else _array(presence)


def _array(heads: Tensor) -> npt.NDArray[np.float32]:
    array: npt.NDArray[np.float32] = heads.float().cpu().numpy()
    return array
