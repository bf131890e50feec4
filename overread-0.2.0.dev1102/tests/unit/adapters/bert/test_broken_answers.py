"""A model whose answers are no numbers gives no entities, and no score."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest
import torch
from safetensors.torch import load_file, save_file

from overread.adapters.bert._recognizer import BertEntityRecognizer
from overread.adapters.bert.options import BertRecognizerOptions
from overread.adapters.checkpoints.memory import Memory
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError

from .checkpoints import save_bert_classifier


def test_answers_that_are_no_numbers_leave_a_report_unread(tmp_path: Path) -> None:
    """All weights are finite, but what they compute is not."""
    folder = save_bert_classifier(tmp_path / "huge", {"left": "B-ANATOMY"})
    weights = load_file(folder / "model.safetensors")
    for name, tensor in weights.items():
        if "LayerNorm.weight" in name:
            weights[name] = torch.full_like(tensor, 3e38)
    save_file(weights, folder / "model.safetensors")
    recognizer = BertEntityRecognizer.create(BertRecognizerOptions(path=str(folder), device="cpu"))
    read, blank = recognizer.recognize([Report("left heart"), Report("")])
    assert isinstance(read, Unscored)
    assert read.reason == "not finite"
    assert blank == ()


def test_weights_that_are_whole_numbers_are_refused(tmp_path: Path) -> None:
    """Quantized weights would be read as if they were the numbers themselves."""
    folder = save_bert_classifier(tmp_path / "whole", {"left": "B-ANATOMY"})
    whole = {name: tensor.to(torch.int8) for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(whole, folder / "model.safetensors")
    with pytest.raises(ConfigurationError, match="no floating-point numbers"):
        BertEntityRecognizer.create(BertRecognizerOptions(path=str(folder), device="cpu"))


def test_threads_may_share_a_memory() -> None:
    """One thread must not forget what another is about to read."""
    memory: Memory[str] = Memory(3)
    failures: list[BaseException] = []

    def ask(first: int) -> None:
        try:
            for start in range(first, first + 400):
                texts = [str(number) for number in range(start, start + 5)]
                assert memory.answers(texts, list) == texts
        except BaseException as error:  # noqa: BLE001 - a thread's failure is told by the test
            failures.append(error)

    threads = [Thread(target=ask, args=(first,)) for first in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
