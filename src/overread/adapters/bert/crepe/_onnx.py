"""A CREPE model in ONNX Runtime, which computes on CPUs without torch's overhead, in fp32 or with int8 weights."""

from __future__ import annotations

import ctypes
import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import onnx
import torch
from attrs import define, field
from torch import Tensor, nn

from overread.adapters.bert.crepe._checkpoint import CrepeCheckpoint
from overread.adapters.bert.crepe._model import CrepeModel
from overread.adapters.bert.crepe._network import Heads
from overread.adapters.bert.crepe._onnxruntime import (
    QuantType,
    add_pre_process_metadata,
    onnxruntime,
    quantize_dynamic,
)
from overread.adapters.checkpoints.runtime import quiet, spare_threads
from overread.exceptions import ConfigurationError
from overread.forking import after_fork_in_child
from overread.tables.replacing import replacing

__all__ = ["OnnxNetwork", "onnx_network"]

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
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

    def heads(self, ids: Tensor, mask: Tensor, types: Tensor) -> Heads:
        """The raw heads of a batch.

        Raises:
            ConfigurationError: in a child forked from the process that opened the model.
        """
        if self._is_of_parent:
            raise ConfigurationError([_FORKED])
        arrays = [tensor.numpy() for tensor in (ids, mask, types)]
        counts, *presence = self.session.run(None, dict(zip(_INPUTS, arrays, strict=True)))
        return _float32(counts), _float32(presence[0]) if presence else None

    def _leave(self) -> None:
        """A session waits for threads that a fork left behind, also when it is given up: it stays for good."""
        self._is_of_parent = True
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self.session))


def onnx_network(checkpoint: CrepeCheckpoint, *, quantized: bool = False, folder: Path | None = None) -> OnnxNetwork:
    """Exports a checkpoint once and opens it.

    Args:
        checkpoint: as loaded.
        quantized: whether weights are int8 (dynamic quantisation).
        folder: where exported models are kept and found again, by the checkpoint's digest; by default a temporary
            folder that is gone when the model is open.

    Raises:
        ConfigurationError: if the folder cannot be written to, or a model in it is damaged.
    """
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="overread-onnx-") as temporary:
            return onnx_network(checkpoint, quantized=quantized, folder=Path(temporary))
    stem = f"crepe-{checkpoint.digest}-{checkpoint.pooling}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = _ensure_file(folder / f"{stem}-fp32.onnx", lambda target: _export(checkpoint.model, target))
        if quantized:
            exported = path
            path = _ensure_file(folder / f"{stem}-narrow-int8.onnx", lambda target: _quantize(exported, target))
    except OSError as error:
        raise ConfigurationError([f"exported models cannot be written to {folder}: {error.strerror}"]) from error
    return OnnxNetwork(_session(path), quantized)


def _session(path: Path) -> onnxruntime.InferenceSession:
    """Opens a session with as many threads as torch, which obeys OMP_NUM_THREADS; ONNX Runtime by default uses all."""
    spare_threads()
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = torch.get_num_threads()
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # ONNX Runtime raises a class of its own for each kind of damage
        raise ConfigurationError([f"{path} is not a usable ONNX model; delete it, and it is exported again"]) from error


def _ensure_file(path: Path, make: Callable[[Path], None]) -> Path:
    """The file, made first where it is not there; it appears whole or not at all."""
    if not path.is_file():
        with (
            tempfile.TemporaryDirectory(dir=path.parent, prefix=".making-") as workplace,
            replacing(path, Path(workplace) / path.name) as unfinished,
        ):
            make(unfinished)
    return path


class _Plain(nn.Module):
    """The model with its answers as a tuple, which is what an ONNX graph returns."""

    def __init__(self, model: CrepeModel) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> tuple[Tensor, ...]:
        heads = self.model(ids, mask, types)
        return tuple(heads[name] for name in ("counts", "presence") if name in heads)


def _export(model: CrepeModel, target: Path) -> None:
    """Batch and length stay open; the example's sizes are above 1, which an export would take for fixed."""
    example = tuple(torch.ones((2, 8), dtype=torch.long) for _ in _INPUTS)
    axes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    names = ["counts", "presence"] if model.has_presence else ["counts"]
    with quiet():
        torch.onnx.export(
            _Plain(model.cpu()).eval(),
            example,
            str(target),
            input_names=list(_INPUTS),
            output_names=names,
            dynamic_shapes=tuple(axes for _ in _INPUTS),
            external_data=False,
            verbose=False,
            dynamo=True,
            optimize=False,  # ONNX Runtime does that; and here equal weights would become one, which quantising spoils
        )


def _quantize(source: Path, target: Path) -> None:
    """Weights become int8, each row or column by its own range; activations are quantised as they come."""
    model = onnx.load(str(source))
    del model.graph.value_info[:]  # the shapes in it are those before the quantiser transposes weights
    add_pre_process_metadata(model)
    with _quiet_root():
        quantize_dynamic(
            model,
            str(target),
            per_channel=True,
            # Seven bits: with eight, sums of two products overflow on processors without VNNI, which add in 16 bits.
            reduce_range=True,
            weight_type=QuantType.QInt8,
            extra_options={"DefaultTensorType": onnx.TensorProto.FLOAT},
        )


@contextmanager
def _quiet_root() -> Iterator[None]:
    """The quantiser logs through the root logger, which would set up logging for the whole program."""
    root, handler = logging.getLogger(), logging.NullHandler()

    def is_other(record: logging.LogRecord) -> bool:
        return "onnxruntime" not in record.pathname

    root.addHandler(handler)
    root.addFilter(is_other)
    try:
        yield
    finally:
        root.removeFilter(is_other)
        root.removeHandler(handler)


def _float32(array: npt.ArrayLike) -> npt.NDArray[np.float32]:
    return np.asarray(array, dtype=np.float32)
