"""The ONNX Runtime backend against torch."""

from __future__ import annotations

import faulthandler
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from overread.adapters.bert.crepe.options import BertCounterOptions
from overread.adapters.bert.crepe.plugin import bert_counter
from overread.domain.reports.report import ReportPair
from overread.domain.results.error_counts import ErrorCounts
from overread.exceptions import ConfigurationError, MissingDependencyError

from .checkpoints import TINY, write

PAIRS = [
    ReportPair(id="1", reference="No pleural effusion.", candidate="Small left pleural effusion."),
    ReportPair(id="2", reference="Stable nodule in the right upper lobe. Heart size is normal.", candidate=""),
    ReportPair(id="3", reference="Mild edema. " * 30, candidate="Large opacity, left base; no edema."),
    ReportPair(id="4", reference="Line tip above the carina.", candidate="Line tip above the carina."),
]


def _counts(folder: Path, pairs: list[ReportPair] = PAIRS, **options: Any) -> list[ErrorCounts]:
    answers = bert_counter(BertCounterOptions(path=str(folder), **options)).count(pairs)
    assert all(isinstance(answer, ErrorCounts) for answer in answers)
    return [answer for answer in answers if isinstance(answer, ErrorCounts)]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Milder weights than elsewhere, nearer to trained ones."""
    return write(tmp_path_factory.mktemp("checkpoint") / "crepe", sizes={**TINY, "initializer_range": 0.15})


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory, checkpoint: Path) -> Path:
    """A folder with the exported model, in fp32 and int8."""
    folder = tmp_path_factory.mktemp("onnx")
    _counts(checkpoint, backend="onnx", quantize="int8", onnx_folder=str(folder))
    return folder


def _onnx(exports: Path, **options: Any) -> dict[str, Any]:
    return {"backend": "onnx", "onnx_folder": str(exports), **options}


def test_fp32_answers_as_torch_does_whatever_batch_and_length(checkpoint: Path, exports: Path) -> None:
    """Batch and length of the export do not bind what is asked later."""
    torch_counts = _counts(checkpoint)
    for options in ({}, {"max_batch": 1}):
        for ours, theirs in zip(torch_counts, _counts(checkpoint, **_onnx(exports, **options)), strict=True):
            assert dict(theirs.counts) == pytest.approx(dict(ours.counts), abs=1e-4)
            assert dict(theirs.presence) == pytest.approx(dict(ours.presence), abs=1e-4)
            assert (theirs.tokens, theirs.unseen) == (ours.tokens, ours.unseen)


def test_int8_is_near_and_not_the_same(checkpoint: Path, exports: Path) -> None:
    """Counts of up to 1.8 move by 0.013 at most where this was written; activations are rounded as the CPU does it."""
    exact, rounded = _counts(checkpoint), _counts(checkpoint, **_onnx(exports, quantize="int8"))
    off = [
        abs(one.counts[head] - other.counts[head])
        for one, other in zip(exact, rounded, strict=True)
        for head in "ABCDEF"
    ]
    assert 0 < max(off) < 0.03


def test_models_are_exported_once_and_found_again(checkpoint: Path, exports: Path) -> None:
    """An export takes longer than many scores."""
    before = {path.name: path.stat().st_mtime_ns for path in exports.iterdir()}
    assert len(before) == 2
    assert [name.rsplit("-")[-1] for name in sorted(before)] == ["fp32.onnx", "int8.onnx"]
    _counts(checkpoint, **_onnx(exports, quantize="int8"))
    assert {path.name: path.stat().st_mtime_ns for path in exports.iterdir()} == before


def test_a_damaged_export_is_named_with_the_remedy(checkpoint: Path, exports: Path, tmp_path: Path) -> None:
    """A file that was cut is not exported over unseen."""
    [whole] = exports.glob("*-fp32.onnx")
    damaged = tmp_path / whole.name
    damaged.write_bytes(whole.read_bytes()[:1000])
    with pytest.raises(ConfigurationError, match=rf"{damaged} is not a usable ONNX model; delete it"):
        _counts(checkpoint, **_onnx(tmp_path))


def test_a_folder_that_cannot_be_written_is_named(checkpoint: Path, tmp_path: Path) -> None:
    """The fault is the folder and not the model."""
    (tmp_path / "file").touch()
    with pytest.raises(ConfigurationError, match=r"exported models cannot be written to .*file/onnx"):
        _counts(checkpoint, **_onnx(tmp_path / "file" / "onnx"))


def test_exporting_prints_nothing_and_without_a_folder_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Also for the ablation with two heads and no presence heads."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.setattr(logging.getLogger(), "handlers", [])  # as in a program that configures no logging
    (tmp_path / "temporary").mkdir()
    folder = write(tmp_path / "crepe", heads=2, presence=False, biases=[1.0, 0.5])
    [counts] = _counts(folder, PAIRS[:1], backend="onnx", quantize="int8")
    assert counts.counts == pytest.approx({"significant": 1.0, "insignificant": 0.5}, abs=1e-6)
    assert counts.presence == {}
    assert list((tmp_path / "temporary").iterdir()) == []
    assert tuple(capfd.readouterr()) == ("", "")
    assert logging.getLogger().handlers == []


def test_identity_tells_backend_and_number_format(checkpoint: Path, exports: Path) -> None:
    """int8 gives other scores than fp32."""
    identities = [
        bert_counter(BertCounterOptions(path=str(checkpoint), **options)).identity
        for options in ({}, _onnx(exports), _onnx(exports, quantize="int8"))
    ]
    assert [identity.partition("max_tokens=512,")[2] for identity in identities] == [
        "dtype=fp32",
        "onnx,dtype=fp32",
        "onnx,dtype=int8",
    ]


def test_what_is_not_installed_is_named_with_the_command(checkpoint: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """ONNX Runtime is an extra of its own."""
    monkeypatch.setattr("overread.extras.find_spec", lambda name: None if name == "onnxscript" else object())
    with pytest.raises(MissingDependencyError, match=r"needs onnxscript; install with: pip install 'overread\[onnx\]'"):
        _counts(checkpoint, backend="onnx")


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_is_told_that_it_cannot_use_the_model(checkpoint: Path, exports: Path) -> None:
    """It might wait for ever, also to end: nothing is done to the session of its parent."""
    counter = bert_counter(BertCounterOptions(path=str(checkpoint), **_onnx(exports)))
    before = counter.count(PAIRS)
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(120, exit=True)
        status = 1
        try:
            counter.count(PAIRS[:1])
        except ConfigurationError as error:
            del counter
            status = 0 if "start processes by spawn" in str(error) else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert counter.count(PAIRS) == before


def test_onnx_runtime_reports_nothing_and_leaves_nothing_in_the_home(tmp_path: Path) -> None:
    """Imported as it comes, it keeps an id of the machine in the user's cache and looks for its makers' server."""
    pytest.importorskip("onnxruntime")
    named = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME"), str(tmp_path))
    kept = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    code = "import os, overread.adapters.bert.crepe._onnxruntime; print(os.environ.get('ORT_DISABLE_TELEMETRY'))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={**kept, **named}, capture_output=True, text=True, check=True
    )
    assert done.stdout == "None\n"
    assert list(tmp_path.rglob("*")) == []
