"""Training: what is written, that it learns, and that a killed run goes on where it was."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from attrs import evolve
from safetensors.torch import load_file, save_file
from transformers import EvalPrediction

from overread.adapters.bert.crepe._backbone import BackboneSize, write_backbone
from overread.adapters.bert.crepe._training import _figures, train
from overread.adapters.bert.crepe.fit import fit_crepe, read_options
from overread.adapters.bert.crepe.options import BertCounterOptions, TrainingOptions
from overread.adapters.bert.crepe.plugin import bert_counter
from overread.application.training.counting import try_counter
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.error_counts import HEAD_NAMES
from overread.exceptions import ConfigurationError

FINDINGS = ("effusion", "pneumothorax", "consolidation", "nodule", "edema", "fracture")
SIZE = BackboneSize(layers=1, hidden=64, vocabulary=80, positions=64)


def pairs(count: int, heads: int = 6) -> list[AnnotatedPair]:
    """Pairs of which every second one invents a finding: an error of the first kind."""
    made = []
    for i in range(count):
        said = f"No {FINDINGS[i % 6]}."
        wrong = i % 2
        candidate = f"There is {FINDINGS[(i * 5 + 1) % 6]}." if wrong else said
        counts = {name: (float(wrong) if name == HEAD_NAMES[heads][0] else 0.0,) for name in HEAD_NAMES[heads]}
        pair = ReportPair(id=str(i), reference=said, candidate=candidate)
        made.append(AnnotatedPair(pair=pair, study=str(i // 4), ratings=counts))
    return made


@pytest.fixture
def options(tmp_path: Path) -> TrainingOptions:
    texts = [report.text for made in pairs(24) for report in (made.pair.reference, made.pair.candidate)]
    write_backbone(texts, tmp_path / "backbone", SIZE)
    return TrainingOptions(
        backbone=str(tmp_path / "backbone"), epochs=2, batch=8, learning_rate=3e-3, device="cpu", seed=3
    )


def test_a_model_learns_and_is_written_in_the_published_layout(tmp_path: Path, options: TrainingOptions) -> None:
    """It ranks invented findings above copies, and the folder loads as any checkpoint does."""
    told: list[dict[str, float]] = []
    slow = evolve(options, epochs=15, learning_rate=5e-3, patience=99)
    trained = train(pairs(64), pairs(16), tmp_path / "model", slow, told=told.append)
    assert trained.best_tau > 0.6
    assert [figures["epoch"] for figures in told] == [entry["epoch"] for entry in trained.history]
    names = set(load_file(tmp_path / "model" / "model.safetensors"))
    assert {f"error_regressors.{i}.weight" for i in range(6)} | {"bert.pooler.dense.bias"} <= names
    counter = bert_counter(BertCounterOptions(path=str(tmp_path / "model")))
    report = try_counter(counter, pairs(16))
    # Equal texts get equal counts but for rounding, which moves the tau of so few pairs.
    assert report.correlation.value == pytest.approx(trained.best_tau, abs=0.1)


def test_the_aid_leaves_nothing_in_the_model(tmp_path: Path, options: TrainingOptions) -> None:
    """What helps training is no part of what is published."""
    train(pairs(16), pairs(8), tmp_path / "aided", evolve(options, matching=1.0, epochs=1))
    assert not any("matching" in name for name in load_file(tmp_path / "aided" / "model.safetensors"))
    assert "matching_weight" not in json.loads((tmp_path / "aided" / "config.json").read_text())
    bert_counter(BertCounterOptions(path=str(tmp_path / "aided")))


@pytest.mark.parametrize(
    ("changes", "heads"),
    [
        ({"heads": 1}, 1),
        ({"heads": 2, "loss": "mse"}, 2),
        ({"loss": "poisson"}, 6),
        ({"pooling": "cls", "half": True}, 6),
    ],
)
def test_the_ablations_train_and_load(
    tmp_path: Path, options: TrainingOptions, changes: dict[str, Any], heads: int
) -> None:
    """Every variant of the paper can be trained, and its configuration tells which it is."""
    train(pairs(16, heads), pairs(8, heads), tmp_path / "model", evolve(options, epochs=1, **changes))
    counter = bert_counter(BertCounterOptions(path=str(tmp_path / "model")))
    [answer] = counter.count([pairs(1)[0].pair])
    assert tuple(answer.counts) == HEAD_NAMES[heads]  # type: ignore[union-attr]
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    assert config["use_poisson_loss"] is (changes.get("loss") == "poisson")
    assert config["use_presence_loss"] is (changes.get("loss", "mse+bce") == "mse+bce")


def test_the_same_seed_trains_the_same_model(tmp_path: Path, options: TrainingOptions) -> None:
    """A published fit can be made again, bit by bit."""
    for name in ("one", "two"):
        train(pairs(16), pairs(8), tmp_path / name, evolve(options, epochs=1))
    assert_same_weights(tmp_path / "one", tmp_path / "two")


SCRIPT = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, {here!r})
from test_training import pairs
from overread.adapters.bert.crepe._training import train
from overread.adapters.bert.crepe.fit import read_options
folder = Path({folder!r})
def told(figures):
    if any(folder.glob("checkpoints/checkpoint-*/trainer_state.json")):
        os.kill(os.getpid(), signal.SIGKILL)
train(pairs(32), pairs(8), folder, read_options({backbone!r}, {settings!r}), told=told)
"""


def test_a_killed_run_goes_on_from_its_last_checkpoint(tmp_path: Path, options: TrainingOptions) -> None:
    """SIGKILL after a checkpoint: the second start begins behind it and ends where an undisturbed run would."""
    settings = ["epochs=6", "batch=8", "learning_rate=3e-3", "steps=4", "patience=999", "device=cpu", "seed=3"]
    folder = tmp_path / "killed"
    here = str(Path(__file__).parent)
    script = SCRIPT.format(here=here, folder=str(folder), backbone=options.backbone, settings=settings)
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -signal.SIGKILL
    assert not (folder / "model.safetensors").exists()

    told: list[dict[str, float]] = []
    trained = train(pairs(32), pairs(8), folder, read_options(options.backbone, settings), told=told.append)
    assert trained.epochs == 6
    assert len(trained.history) == 6, "one evaluation in every 4 steps of 8 pairs, before and after the kill"
    assert 0 < len(told) < 6, "what had been done was not done again"
    assert (folder / "model.safetensors").exists()


def assert_same_weights(one: Path, other: Path) -> None:
    a, b = (load_file(folder / "model.safetensors") for folder in (one, other))
    assert a.keys() == b.keys()
    assert all(torch.allclose(a[name], b[name], atol=1e-6) for name in a)


def test_a_checkpoint_that_was_cut_short_is_passed_over(tmp_path: Path, options: TrainingOptions) -> None:
    """The process may be killed while it writes one."""
    train(pairs(16), pairs(8), tmp_path / "model", options)
    for torn in (tmp_path / "model" / "checkpoints").glob("checkpoint-*"):
        (torn / "trainer_state.json").write_text("{")
    shutil.copytree(tmp_path / "model", tmp_path / "again")
    train(pairs(16), pairs(8), tmp_path / "again", options)
    assert_same_weights(tmp_path / "model", tmp_path / "again")


def test_a_run_that_stopped_early_trains_no_more_when_started_again(tmp_path: Path, options: TrainingOptions) -> None:
    """The patience that ended a run holds when it is begun again."""
    still = evolve(options, epochs=9, patience=1, learning_rate=1e-9)
    first = train(pairs(16), pairs(8), tmp_path / "model", still)
    again = train(pairs(16), pairs(8), tmp_path / "model", still)
    assert first.epochs == again.epochs < 9


def test_the_backbone_is_never_written_over(tmp_path: Path, options: TrainingOptions) -> None:
    """The output could be named like the input by mistake."""
    before = (tmp_path / "backbone" / "model.safetensors").read_bytes()
    with pytest.raises(ConfigurationError, match="holds a model already"):
        train(pairs(16), pairs(8), tmp_path / "backbone", options)
    assert (tmp_path / "backbone" / "model.safetensors").read_bytes() == before


def test_a_backbone_without_its_layers_is_refused(tmp_path: Path, options: TrainingOptions) -> None:
    """transformers would draw them at random."""
    weights = Path(options.backbone) / "model.safetensors"
    save_file({name: tensor for name, tensor in load_file(weights).items() if "layer.0" not in name}, weights)
    with pytest.raises(ConfigurationError, match="lacks"):
        train(pairs(16), pairs(8), tmp_path / "model", options)
    assert not (tmp_path / "model" / "training.json").exists()


@pytest.mark.parametrize("setting", ["batch=0", "learning_rate=nan", "validation=2", "epochs=0", "max_tokens=3"])
def test_settings_beyond_their_range_are_refused(setting: str) -> None:
    """They are told before the first epoch."""
    with pytest.raises(ConfigurationError, match=setting.partition("=")[0]):
        read_options("backbone", [setting])


def test_a_poisson_model_is_chosen_by_the_counts_that_it_will_give() -> None:
    """The raw heads are clamped for one loss and not for the other."""
    raw = np.array([[-1.0], [-2.0], [-3.0]])
    labels = np.array([[2.0], [1.0], [0.0]])
    assert _figures(EvalPrediction(raw, labels), poisson=True)["tau"] == 1.0
    assert _figures(EvalPrediction(raw, labels))["tau"] == -1.0  # all clamped to 0, so that none ranks above another


def test_a_folder_that_holds_another_run_is_refused(tmp_path: Path, options: TrainingOptions) -> None:
    """A model of other data is not continued."""
    train(pairs(16), pairs(8), tmp_path / "model", evolve(options, epochs=1))
    with pytest.raises(ConfigurationError, match="other data or options"):
        train(pairs(20), pairs(8), tmp_path / "model", evolve(options, epochs=1))


@pytest.mark.parametrize("broken", ["nothing", "no weights", "not a BERT"])
def test_a_backbone_that_cannot_be_used_is_named(tmp_path: Path, options: TrainingOptions, broken: str) -> None:
    """The message says which folder and what to give instead."""
    backbone = Path(options.backbone)
    if broken == "nothing":
        backbone = tmp_path / "missing"
    elif broken == "no weights":
        (backbone / "model.safetensors").write_bytes(b"torn")
    else:
        config = json.loads((backbone / "config.json").read_text())
        (backbone / "config.json").write_text(json.dumps({**config, "model_type": "roberta"}))
    with pytest.raises(ConfigurationError, match=r"(backbone|missing).*(give (a|the) folder|needs a BERT)"):
        train(pairs(16), pairs(8), tmp_path / "model", evolve(options, backbone=str(backbone)))


@pytest.mark.slow
def test_a_search_chooses_settings(tmp_path: Path, options: TrainingOptions) -> None:
    """Trials try rates and decays within their bounds."""
    trained = train(pairs(16), pairs(8), tmp_path / "model", evolve(options, epochs=1, trials=2))
    assert trained.options.learning_rate != options.learning_rate
    assert 0 <= trained.options.weight_decay <= 0.1


def test_a_fit_writes_a_card_with_data_seed_figures_and_signature(tmp_path: Path, options: TrainingOptions) -> None:
    """Whoever gets the model knows how it came about."""
    fitted = fit_crepe(
        pairs(40), tmp_path / "model", evolve(options, epochs=1), tests={"others": pairs(8)}, note="made for a test"
    )
    card = (tmp_path / "model" / "README.md").read_text()
    assert set(fitted.reports) == {"validation", "others"}
    for fact in (fitted.identity, fitted.trained.data, "made for a test", "| seed | 3 |", "| others | 8 |"):
        assert fact in card
    assert options.backbone not in card, "a card names no folder of the machine it was made on"


def test_pairs_of_one_study_cannot_be_split(tmp_path: Path, options: TrainingOptions) -> None:
    """Pairs of one study on both sides of a split would flatter the figures."""
    with pytest.raises(ConfigurationError, match="one study"):
        fit_crepe([evolve(pair, study="s") for pair in pairs(8)], tmp_path / "model", options)


def test_options_come_as_text_and_unknown_ones_are_named() -> None:
    """The command line has nothing but text."""
    options = read_options("b", ["heads=1", "learning_rate=1e-4", "dropout=0.2", "half=true"])
    assert (options.heads, options.learning_rate, options.dropout, options.half) == (1, 1e-4, 0.2, True)
    with pytest.raises(ConfigurationError, match="rate is not a setting"):
        read_options("b", ["rate=1"])
    with pytest.raises(ConfigurationError, match="NAME=VALUE"):
        read_options("b", ["heads"])


def test_a_vocabulary_is_learned_from_the_reports(tmp_path: Path) -> None:
    """A frequent word becomes one piece."""
    pieces = write_backbone(["No pneumothorax."] * 5, tmp_path / "b", SIZE)
    assert 5 < pieces <= SIZE.vocabulary
    assert "pneumothorax" in json.loads((tmp_path / "b" / "tokenizer.json").read_text())["model"]["vocab"]
