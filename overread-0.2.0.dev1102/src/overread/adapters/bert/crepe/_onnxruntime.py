"""ONNX Runtime with what quantises models."""

from __future__ import annotations

# First of all: it is imported without telemetry there.
from overread.adapters.checkpoints.onnx_runtime import onnxruntime  # isort: skip
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.quant_utils import add_pre_process_metadata

__all__ = ["QuantType", "add_pre_process_metadata", "onnxruntime", "quantize_dynamic"]
