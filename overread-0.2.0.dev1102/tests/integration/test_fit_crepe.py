"""From generated pairs to a model that scores, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Run

TEXTS = ("--reference-text", "No pleural effusion.", "--candidate-text", "Small effusion.")


def made(run: Run) -> None:
    assert run("synthesise", "--purpose", "counts", "--studies", "4", "-o", "pairs.jsonl")[0] == 0
    sizes = ("--layers", "1", "--hidden", "32", "--vocabulary", "300")
    assert run("fit", "backbone", "--pairs", "pairs.jsonl", "-o", "backbone", *sizes)[0] == 0


def test_a_model_is_trained_described_and_used(run: Run) -> None:
    """The trained folder is what the metric's option takes."""
    made(run)
    arguments = ("--pairs", "pairs.jsonl", "--backbone", "backbone", "-o", "model", "--set", "epochs=1")
    status, out, err = run("fit", "crepe", *arguments, "--test", "pairs.jsonl", "--note", "invented")
    assert status == 0, err
    assert "Kendall's tau" in out
    assert "epoch 1.00 of 1" in err
    assert max(map(len, out.splitlines())) <= 80
    assert "invented" in Path("model/README.md").read_text()
    status, out, _ = run("score", "-m", "crepe", "--set", "error_counter=bert:model", "--format", "json", *TEXTS)
    [record] = json.loads(out)
    assert status == 0
    assert set(record["subscores"]) == set("ABCDEF")
    assert "model@" in record["signature"]


def test_what_cannot_be_trained_is_told_before_training(run: Run) -> None:
    """Wrong options and folders end with status 2 and one line."""
    made(run)
    fit = ("fit", "crepe", "--pairs", "pairs.jsonl", "-o", "model")
    status, _, err = run(*fit, "--backbone", "backbone", "--set", "rate=1")
    assert status == 2
    assert "rate is not a setting" in err
    status, _, err = run(*fit, "--backbone", "./nowhere")
    assert status == 2
    assert "'./nowhere': there is no such folder" in err
    status, _, err = run("fit", "backbone", "--pairs", "pairs.jsonl", "-o", "b", "--hidden", "33")
    assert (status, err) == (2, "overread: --hidden must be a multiple of 32\n")
