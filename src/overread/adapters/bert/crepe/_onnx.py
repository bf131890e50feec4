"""A CREPE model in ONNX Runtime, which computes on CPUs without torch's overhead, in fp32 or with int8 weights."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import onnx
import torch
from torch import Tensor, nn

from overread.adapters.bert.crepe._checkpoint import CrepeCheckpoint
from overread.adapters.bert.crepe._model import CrepeModel
from overread.adapters.bert.crepe._onnx_network import INPUTS, OnnxNetwork, open_session
from overread.adapters.bert.crepe._onnxruntime import (
    QuantType,
    add_pre_process_metadata,
    quantize_dynamic,
)
from overread.adapters.checkpoints.runtime import quiet, spare_threads
from overread.exceptions import ConfigurationError
from overread.tables.replacing import replacing

__all__ = ["export_graph", "onnx_network"]


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
        path = _ensure_file(folder / f"{stem}-fp32.onnx", lambda target: export_graph(checkpoint.model, target))
        if quantized:
            exported = path
            path = _ensure_file(folder / f"{stem}-narrow-int8.onnx", lambda target: _quantize(exported, target))
    except OSError as error:
        raise ConfigurationError([f"exported models cannot be written to {folder}: {error.strerror}"]) from error
    spare_threads()
    try:
        session = open_session(path, torch.get_num_threads())
    except Exception as error:  # ONNX Runtime raises a class of its own for each kind of damage
        raise ConfigurationError([f"{path} is not a usable ONNX model; delete it, and it is exported again"]) from error
    return OnnxNetwork(session, quantized)


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


def export_graph(model: CrepeModel, target: Path) -> None:
    """Write a model as an ONNX graph.

    Batch and length stay open; the example's sizes are above 1, which an export would take for fixed.
    """
    example = tuple(torch.ones((2, 8), dtype=torch.long) for _ in INPUTS)
    axes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    names = ["counts", "presence"] if model.has_presence else ["counts"]
    with quiet():
        torch.onnx.export(
            _Plain(model.cpu()).eval(),
            example,
            str(target),
            input_names=list(INPUTS),
            output_names=names,
            dynamic_shapes=tuple(axes for _ in INPUTS),
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
