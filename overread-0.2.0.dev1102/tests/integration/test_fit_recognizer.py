"""From marked texts to a recogniser that ratescore reads with, on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

PAIR = ("--reference-text", "No effusion in the heart.", "--candidate-text", "There is effusion in the heart.")


@pytest.fixture
def made(run: Run) -> Run:
    """Marked texts and an untrained encoder of their words."""
    texts, pairs = [], []
    for number in range(12):
        text = f"{'No' if number % 2 else 'There is'} effusion in the heart."
        start = text.index("effusion")
        kind = "NON-ABNORMALITY" if number % 2 else "ABNORMALITY"
        entities = [
            {"start": start, "end": start + 8, "type": kind},
            {"start": len(text) - 6, "end": len(text) - 1, "type": "ANATOMY"},
        ]
        texts.append({"id": str(number), "text": text, "entities": entities})
        pairs.append({"id": str(number), "reference": text, "candidate": text})
    for name, rows in (("texts", texts), ("pairs", pairs)):
        Path(f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    sizes = ("--layers", "1", "--hidden", "32", "--vocabulary", "100")
    assert run("fit", "backbone", "--pairs", "pairs.jsonl", "-o", "backbone", *sizes)[0] == 0
    return run


def test_a_recogniser_is_trained_described_and_used(made: Run) -> None:
    """The trained folder is what the recognizer's option takes."""
    settings = ("--set", "head=span", "--set", "hidden=16", "--set", "epochs=1")
    arguments = ("--backbone", "backbone", "-o", "model", *settings)
    tried = ("--held-out", "texts.jsonl", "--test", "texts.jsonl", "--note", "invented")
    status, out, err = made("fit", "recognizer", "--texts", "texts.jsonl", *arguments, *tried)
    assert status == 0, err
    assert "Entities found and known: held out" in out
    assert "epoch 1.00 of 1: F1" in err
    assert max(map(len, out.splitlines())) <= 80
    assert "invented" in Path("model/README.md").read_text()
    components = ("--set", "recognizer=bert:model", "--set", "encoder=bert:backbone")
    status, out, _ = made("score", "-m", "ratescore", *components, "--format", "json", *PAIR)
    [record] = json.loads(out)
    assert status in {0, 1}
    assert "recognizer:bert:model@" in record["signature"]


def test_what_cannot_be_trained_is_told_before_training(made: Run) -> None:
    """Wrong options, folders and files end with status 2 and one line."""
    fit = ("fit", "recognizer", "-o", "model")
    status, _, err = made(*fit, "--texts", "texts.jsonl", "--backbone", "backbone", "--set", "rate=1")
    assert (status, "rate is not a setting" in err) == (2, True)
    status, _, err = made(*fit, "--texts", "texts.jsonl", "--backbone", "./nowhere")
    assert (status, "'./nowhere': there is no such folder" in err) == (2, True)
    status, _, err = made(*fit, "--texts", "pairs.jsonl", "--backbone", "backbone")
    assert (status, "is not a text with entities" in err) == (2, True)
    status, _, err = made(*fit, "--texts", "texts.jsonl", "--backbone", "backbone", "--source", "MIMIC-IV")
    assert (status, "no training text has the source 'MIMIC-IV'" in err) == (2, True)
