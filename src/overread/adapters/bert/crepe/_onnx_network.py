"""A CREPE model as an ONNX graph, computed by ONNX Runtime on the CPU without torch."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import define, field

from overread.adapters.bert.crepe._heads import Heads
from overread.adapters.checkpoints.onnx_runtime import onnxruntime
from overread.adapters.checkpoints.padding import Ids
from overread.exceptions import ConfigurationError
from overread.forking import after_fork_in_child

__all__ = ["INPUTS", "OnnxNetwork", "open_session"]

INPUTS: Final = ("input_ids", "attention_mask", "token_type_ids")
_FORKED: Final = (
    "backend=onnx cannot be used in a process that was forked from the one that opened the model; start processes by "
    "spawn, open it in each, or use backend=torch"
)


@define(eq=False)
class OnnxNetwork:
    """A model exported to ONNX, on the CPU.

    In fp32 it answers as torch does, within 1e-4. With int8 weights activations are quantised by the range they have
    in a batch, so that an answer is approximate and depends a little on the company it is computed in.
    """

    session: onnxruntime.InferenceSession = field(repr=False)
    quantized: bool
    _is_of_parent: bool = field(default=False, init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        after_fork_in_child(self._leave)

    @property
    def identity(self) -> str:
        """The runtime, ONNX, and its number format."""
        return "onnx,dtype=int8" if self.quantized else "onnx,dtype=fp32"

    def heads(self, ids: Ids, mask: Ids, types: Ids) -> Heads:
        """The raw heads of a batch.

        Raises:
            ConfigurationError: in a child forked from the process that opened the model.
        """
        if self._is_of_parent:
            raise ConfigurationError([_FORKED])
        counts, *presence = self.session.run(None, dict(zip(INPUTS, (ids, mask, types), strict=True)))
        return _float32(counts), _float32(presence[0]) if presence else None

    def _leave(self) -> None:
        """A session waits for threads that a fork left behind, also when it is given up: it stays for good."""
        self._is_of_parent = True
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.session))


def open_session(path: Path, threads: int) -> onnxruntime.InferenceSession:
    """A session on a number of threads; ONNX Runtime by default uses all cores, whatever OMP_NUM_THREADS says."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _float32(array: npt.ArrayLike) -> npt.NDArray[np.float32]:
    return np.asarray(array, dtype=np.float32)
