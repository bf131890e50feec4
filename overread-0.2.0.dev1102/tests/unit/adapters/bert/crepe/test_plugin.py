"""What the plugin offers, and which options it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attrs import define, field

from overread.adapters.bert.crepe import plugin
from overread.adapters.bert.crepe.options import BertCounterOptions
from overread.adapters.bert.crepe.plugin import bert_counter
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Scored
from overread.exceptions import ConfigurationError
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue

from .checkpoints import TINY, write

PAIR = ReportPair(id="p", reference="No nodule.", candidate="Small nodule.")


@define(eq=False)
class _Setting:
    """An assembly of this plugin alone."""

    choices: dict[str, str]
    options: dict[str, dict[str, object]] = field(factory=dict)

    def assembly(self) -> Assembly:
        catalogue = Catalogue.discover(builtins=["overread.adapters.bert.crepe.plugin"], entry_points=[])
        return Assembly(catalogue, self.choices, self.options)


def test_the_metric_scores_by_a_checkpoint_named_after_the_colon(tmp_path: Path) -> None:
    """bert:FOLDER is all that has to be chosen."""
    folder = write(tmp_path / "crepe", biases=[1.0, 0.5, 0.0, 0.0, 0.0, 0.0])
    metric = _Setting({"error_counter": f"bert:{folder}"}).assembly().metric("crepe")
    [outcome] = metric.evaluate([PAIR])
    assert isinstance(outcome, Scored)
    assert (outcome.score, outcome.notes) == (1.5, ())
    assert dict(metric.signature_parts)["counter"].startswith("bert:crepe@")


def test_options_come_by_name(tmp_path: Path) -> None:
    """Options that change answers stand in the identity."""
    folder = write(tmp_path / "crepe")
    options: dict[str, object] = {"pooling": "cls", "long": "windows", "max_tokens": 64}
    assembly = _Setting({"error_counter": f"bert:{folder}"}, {"error_counter": options}).assembly()
    assert ",pooling=cls,long=windows,max_tokens=64," in assembly.get("error_counter").identity


def test_the_embedded_counter_says_what_it_stands_in_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody takes its scores for the published model's."""
    monkeypatch.setattr(plugin, "_SMALL", write(tmp_path / "small"))
    counter = _Setting({"error_counter": "small"}).assembly().get("error_counter")
    assert counter.identity.startswith("small@")
    assert "stands in for the published CREPE-BiomedBERT" in counter.note


def test_an_installation_without_the_embedded_checkpoint_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A build without the weights fails with a remedy."""
    monkeypatch.setattr(plugin, "_SMALL", tmp_path / "small")
    with pytest.raises(ConfigurationError, match="the embedded CREPE checkpoint is not installed; reinstall"):
        _Setting({"error_counter": "small"}).assembly().get("error_counter")


def test_fewer_positions_than_the_release_make_a_shorter_input(tmp_path: Path) -> None:
    """A default must not ask for positions that a model lacks; a user who does is told."""
    folder = write(tmp_path / "crepe", sizes={**TINY, "max_position_embeddings": 64})
    counter = bert_counter(BertCounterOptions(path=str(folder)))
    assert counter.max_tokens == 64
    with pytest.raises(ConfigurationError, match=r"max_tokens is 65, but .* has 64 positions"):
        bert_counter(BertCounterOptions(path=str(folder), max_tokens=65))


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"quantize": "int8"}, "quantize and onnx_folder need backend=onnx"),
        ({"onnx_folder": "kept"}, "quantize and onnx_folder need backend=onnx"),
        ({"backend": "onnx", "device": "cuda"}, "backend=onnx runs on the CPU"),
        ({"backend": "onnx", "dtype": "bf16"}, "backend=onnx runs on the CPU"),
        ({"backend": "onnx", "compile": True}, "backend=onnx runs on the CPU"),
        ({"max_tokens": 15}, "max_tokens must be at least 16"),
        ({"max_batch": 0}, "max_batch and batch_tokens must be at least 1"),
        ({"dtype": "fp8"}, "dtype must be one of"),
        ({"device": "abacus"}, "device must be auto, cpu, cuda"),
    ],
)
def test_options_that_cannot_be_used_are_refused(tmp_path: Path, options: dict[str, Any], problem: str) -> None:
    """An option without effect would mislead."""
    folder = write(tmp_path / "crepe")
    with pytest.raises(ConfigurationError, match=problem):
        bert_counter(BertCounterOptions(path=str(folder), **options))


def test_the_plugin_is_light() -> None:
    """Listing plugins stays quick."""
    code = (
        "import sys, overread.adapters.bert.crepe.plugin; "
        "sys.exit(bool({'torch', 'transformers', 'onnxruntime'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
