"""A corpus logged to trackers themselves, and read back; ``make slow`` installs them in an environment of their own."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from overread.exceptions import InputError, MissingDependencyError

from .corpora import PRIVATE, ROWS, scored_corpus

_ELSEWHERE = "is not installed; make slow tries it in an environment of its own"


@pytest.fixture
def mlflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """MLflow with a store in a file of its own."""
    monkeypatch.chdir(tmp_path)
    mlflow = pytest.importorskip("mlflow", reason=f"mlflow {_ELSEWHERE}")
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    return mlflow


@pytest.fixture
def wandb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Weights & Biases, which keeps everything in a folder of its own and sends nothing."""
    monkeypatch.chdir(tmp_path)
    for name in ("WANDB_DIR", "WANDB_CACHE_DIR", "WANDB_DATA_DIR", "WANDB_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    return pytest.importorskip("wandb", reason=f"wandb {_ELSEWHERE}")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_mlflow_keeps_what_is_logged(mlflow: Any, tmp_path: Path) -> None:
    """Figures, signatures, facts and files, as its client reads them; and no report text in any file of the store."""
    from overread.integrations.mlflow import log_corpus  # noqa: PLC0415 - needs mlflow

    results, pairs = scored_corpus(tmp_path)
    run = log_corpus(results, pairs=pairs, draws=200)
    client = mlflow.MlflowClient()
    data = client.get_run(run).data
    assert (data.metrics["rouge/scored"], data.metrics["rouge/unscored/empty"]) == (7, 1)
    assert data.metrics["rouge/mean_low"] < data.metrics["rouge/mean"] < data.metrics["rouge/mean_high"]
    assert data.params["signature.rouge"].startswith("rouge|")
    assert data.tags["overread.pairs"] == "8"
    kept = [file.path for file in client.list_artifacts(run, "overread")]
    files = ("drafts.jsonl", "drafts.jsonl.complete.json", "pairs.csv", "summary.html")
    assert kept == [f"overread/{name}" for name in files]
    assert Path(client.download_artifacts(run, kept[0])).read_bytes() == results.read_bytes()
    assert _quoting(tmp_path) == {"pairs.csv"}  # the corpus itself
    assert mlflow.active_run() is None


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_mlflow_follows_a_training_run(mlflow: Any, tmp_path: Path) -> None:
    """Each step adds to the active run under its prefix; asked for, the reports are there."""
    from overread.integrations.mlflow import log_corpus  # noqa: PLC0415 - needs mlflow

    results, pairs = scored_corpus(tmp_path)
    with mlflow.start_run() as active:
        for step in (1, 2):
            run = log_corpus(results, prefix="validation/", step=step, per_pair=False, draws=20)
        log_corpus(results, pairs=pairs, prefix="test/", report_text=True, draws=20)
    assert run == active.info.run_id
    client = mlflow.MlflowClient()
    assert [each.step for each in client.get_metric_history(run, "validation/rouge/mean")] == [1, 2]
    assert [file.path for file in client.list_artifacts(run, "validation/overread")] == [
        "validation/overread/summary.html"
    ]
    page = Path(client.download_artifacts(run, "test/overread/pairs.html")).read_text(encoding="utf-8")
    assert PRIVATE in page


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_wandb_keeps_what_is_logged(wandb: Any, tmp_path: Path) -> None:
    """An offline run holds figures, facts, the table and the artifact; no file of it has report text."""
    from overread.integrations.wandb import log_corpus  # noqa: PLC0415 - needs wandb

    results, pairs = scored_corpus(tmp_path)
    with pytest.raises(InputError, match=r"there is none \(begin one with wandb.init"):
        log_corpus(results)
    with wandb.init(project="reports") as run:
        log_corpus(results, pairs=pairs, draws=200)
        stored = Path(run.dir).parent
    wandb.teardown()  # its service writes on after the run has ended
    [log] = stored.glob("*.wandb")
    records = list(_records(log))
    items = [item for record in records for item in record.history.item]
    history = {"/".join(item.nested_key) or item.key: item.value_json for item in items}
    assert json.loads(history["rouge/scored"]) == 7
    assert json.loads(history["rouge/mean_low"]) < json.loads(history["rouge/mean"])
    config = {item.key: json.loads(item.value_json) for r in records for item in r.run.config.update}
    config |= {item.key: json.loads(item.value_json) for r in records for item in r.config.update}
    assert config["overread"]["pairs"] == "8"
    assert config["overread"]["signature.rouge"].startswith("rouge|")
    [evaluation] = [r.artifact for r in records if r.artifact.type == "evaluation"]
    names = {entry.path for entry in evaluation.manifest.contents}
    assert names == {"drafts.jsonl", "drafts.jsonl.complete.json", "pairs.csv", "summary.html"}
    [table] = [json.loads(path.read_text(encoding="utf-8")) for path in stored.rglob("*.table.json")]
    assert [row[0] for row in table["data"]] == [row["id"] for row in ROWS]
    assert _quoting(tmp_path) == {"pairs.csv"}


@pytest.mark.parametrize(
    ("package", "needs"), [("mlflow", "logging to MLflow"), ("wandb", "logging to Weights & Biases")]
)
def test_a_tracker_that_is_missing_is_named_with_its_extra(package: str, needs: str) -> None:
    """And the core of both needs neither."""
    code = f"import sys; sys.modules[{package!r}] = None; import overread.integrations.{package}"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = found.stderr.strip().splitlines()[-1]
    assert MissingDependencyError.__name__ in last
    assert last.endswith(f"{needs} needs {package}; install with: pip install 'overread[{package}]'")


def _quoting(folder: Path) -> set[str]:
    """Names of the files in a folder that hold report text."""
    return {path.name for path in folder.rglob("*") if path.is_file() and PRIVATE.encode() in path.read_bytes()}


def _records(path: Path) -> Iterator[Any]:
    """The records of an offline run: blocks of 32 KiB, with parts of records behind a header of 7 bytes each."""
    from wandb.proto.wandb_internal_pb2 import Record  # noqa: PLC0415 - needs wandb

    data, place, parts = path.read_bytes(), 7, b""
    while place + 7 <= len(data):
        left = 32768 - place % 32768
        if left < 7:
            place += left
            continue
        _, length, kind = struct.unpack("<IHB", data[place : place + 7])
        parts += data[place + 7 : place + 7 + length]
        place += 7 + length
        if kind in (1, 4):  # whole, or the last part
            yield Record.FromString(parts)
            parts = b""
