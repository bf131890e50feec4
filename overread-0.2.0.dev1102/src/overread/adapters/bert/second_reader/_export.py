"""A trained reader as ONNX graphs with narrow weights."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper
from torch import Tensor, nn

from overread.adapters.bert.second_reader._encoder import SentenceEncoder
from overread.adapters.bert.second_reader._network import INPUTS, PairNetwork, Sizes
from overread.adapters.checkpoints.runtime import quiet

__all__ = ["export_encoder", "export_network", "read_weights"]

_MANY: Final = 4096
"""Numbers of a weight from which it is kept as int8."""

_WHOLE, _SCALE = ".whole", ".scale"
_LARGEST: Final = 127
_TINY: Final = 1e-12


def export_encoder(encoder: SentenceEncoder, target: Path) -> None:
    """Writes the encoder; the numbers of sentences and of tokens stay open."""
    example = (torch.ones((2, 8), dtype=torch.long), torch.ones((2, 8), dtype=torch.long))
    axes = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    _export(encoder.eval(), example, target, ["ids", "mask"], ["tokens"], (axes, axes))


def export_network(network: PairNetwork, sizes: Sizes, target: Path) -> None:
    """Writes the network; the numbers of tokens and of questions stay open."""
    n, m, q = 5, 6, 7
    example = (
        torch.randn(n, 2 * sizes.compared),
        torch.randn(m, 2 * sizes.compared),
        torch.zeros(n, sizes.marks),
        torch.zeros(m, sizes.marks),
        torch.ones(q, n),
        torch.ones(q, m),
        torch.zeros(q, dtype=torch.long),
        torch.zeros(q, sizes.traits),
    )
    some = torch.export.Dim.DYNAMIC
    one, two = {0: some}, {0: some, 1: some}
    outputs = ["odds", "weights", "categories"]
    _export(network.eval(), example, target, list(INPUTS), outputs, (one,) * 4 + (two,) * 2 + (one,) * 2)


def read_weights(path: Path) -> dict[str, Tensor]:
    """Weights of an exported encoder or network by their names in the module, as wide as they were trained."""
    weights = {weight.name: numpy_helper.to_array(weight) for weight in onnx.load(str(path)).graph.initializer}
    wide = {
        name.removesuffix(_WHOLE): whole * weights[name.removesuffix(_WHOLE) + _SCALE]
        for name, whole in weights.items()
        if name.endswith(_WHOLE)
    }
    narrow = {name: values for name, values in weights.items() if not name.endswith((_WHOLE, _SCALE))}
    return {name: torch.from_numpy(values.copy()) for name, values in (narrow | wide).items()}


def _export(
    module: nn.Module,
    example: tuple[Tensor, ...],
    target: Path,
    inputs: list[str],
    outputs: list[str],
    shapes: tuple[dict[int, object], ...],
) -> None:
    with quiet():
        torch.onnx.export(
            module,
            example,
            str(target),
            input_names=inputs,
            output_names=outputs,
            dynamic_shapes=shapes,
            external_data=False,
            verbose=False,
            dynamo=True,
            optimize=False,  # which would rename weights that it folds; ONNX Runtime folds them as it opens a graph
        )
    model = onnx.load(str(target))
    _narrow(model.graph)
    onnx.save(model, str(target))


def _narrow(graph: onnx.GraphProto) -> None:
    """Keeps large weights as int8 with scales; nodes in front widen them, once, as the graph is opened."""
    nodes = []
    for weight in list(graph.initializer):
        if weight.data_type != TensorProto.FLOAT or np.prod(weight.dims) < _MANY:
            continue
        name, values = weight.name, numpy_helper.to_array(weight)
        graph.initializer.remove(weight)
        # The numbers of one word, and of one output of a layer, are of one size.
        scales = np.abs(values).max(axis=-1, keepdims=True) / _LARGEST
        whole = np.round(values / np.maximum(scales, _TINY)).astype(np.int8)
        graph.initializer.append(numpy_helper.from_array(whole, name + _WHOLE))
        graph.initializer.append(numpy_helper.from_array(scales.astype(np.float32), name + _SCALE))
        nodes += [
            helper.make_node("Cast", [name + _WHOLE], [f"{name}.wide"], to=TensorProto.FLOAT),
            helper.make_node("Mul", [f"{name}.wide", name + _SCALE], [name]),
        ]
    for node in reversed(nodes):
        graph.node.insert(0, node)
