"""Writes the embedded CREPE as an ONNX graph beside its weights, for whoever installs overread without torch.

    python benchmarks/embed_crepe.py [FOLDER]

FOLDER is that of the checkpoint, by default the one that comes with overread. `make crepe` runs it at its end.
"""

from __future__ import annotations

import sys
from pathlib import Path

import onnx  # noqa: TID253 - a script of its own

import overread
from overread.adapters.bert.crepe._checkpoint import load_checkpoint
from overread.adapters.bert.crepe._embedded import CHECKPOINT, GRAPH
from overread.adapters.bert.crepe._onnx import export_graph

_SHIPPED = Path(overread.__file__).parent / "adapters" / "bert" / "crepe" / "data" / "small"


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else _SHIPPED
    checkpoint = load_checkpoint(folder)
    export_graph(checkpoint.model, folder / GRAPH)
    graph = onnx.load(str(folder / GRAPH))
    for node in graph.graph.node:
        node.ClearField("doc_string")
        del node.metadata_props[:]  # where in the sources each came from
    del graph.metadata_props[:]
    onnx.helper.set_model_props(graph, {CHECKPOINT: checkpoint.digest})
    onnx.save(graph, str(folder / GRAPH))
    print(f"wrote {folder / GRAPH}: {(folder / GRAPH).stat().st_size / 1e6:.1f} MB of checkpoint {checkpoint.digest}")


if __name__ == "__main__":
    main()
