"""ONNX Runtime without telemetry.

As it is imported, its published builds begin to report their use to Microsoft, and keep an id of the machine in the
user's cache folder, unless a variable of the environment forbids it. A host that imports it first decides for itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["onnxruntime"]

_SWITCH: Final = "ORT_DISABLE_TELEMETRY"


@contextmanager
def _without_telemetry() -> Iterator[None]:
    """Forbids the reports where the user has not decided; the variable is read while the library is imported."""
    decided = _SWITCH in os.environ
    os.environ.setdefault(_SWITCH, "1")
    try:
        yield
    finally:
        if not decided:
            os.environ.pop(_SWITCH, None)


with _without_telemetry():
    import onnxruntime
