"""The command that trains a judge, from the file to the last line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from overread.cli.grammar import Commands
from overread.exceptions import OverreadError
from overread.studies.cli.fit_judge import fit_judge

from ...adapters.llm.judge_training.material import SMALL, judged_pairs, save_model, short_recipe

app = Commands()
app.command()(fit_judge)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, list(arguments))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    rows = []
    for judged in judged_pairs(16):
        spans = [{"span": s.text, "aspect": s.aspect, "type": s.type, "severity": s.severity} for s in judged.spans]
        texts = {"reference": judged.pair.reference.text, "candidate": judged.pair.candidate.text}
        rows.append({"id": judged.pair.id, "study": judged.study, **texts, "spans": spans, "explanation": "Invented."})
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    short_recipe(tmp_path)
    lines = [f'{name} = "{tmp_path / name}.toml"' for name in ("prompt", "detection_prompt", "severity_prompt")]
    lines += [
        f'{name} = "{value}"' if name == "device" else f"{name} = {value}"
        for name, value in (setting.split("=") for setting in SMALL)
    ]
    path = tmp_path / "recipe.toml"
    path.write_text("\n".join(lines))
    return path


def test_a_judge_is_trained_tried_and_described(tmp_path: Path, pairs: Path, recipe: Path) -> None:
    """The last line is the option with which the trained judge is used."""
    base, out = save_model(tmp_path / "base", template=None), tmp_path / "judge"
    arguments = ("--pairs", str(pairs), "--base", str(base), "-o", str(out), "--recipe", str(recipe), "--two-pass")
    printed = run(*arguments, "--test", str(pairs), "--note", "invented")
    assert "12 pairs trained on, 4 held out" in printed
    assert "before: loss" in printed
    assert "after sft: loss" in printed
    assert "after dpo: loss" in printed
    assert "true answer likelier in" in printed
    assert "dpo: epoch 1.00 of 1: loss" in printed
    assert "pairs: D " in printed
    assert f"--set judge=two-pass --set model=transformers:{base} --set model.adapter={out}/adapter" in printed
    assert "invented" in (out / "README.md").read_text()


def test_what_cannot_be_trained_is_told_before_training(tmp_path: Path, pairs: Path) -> None:
    """Wrong paths and options are told before a model is loaded."""
    arguments = ("--pairs", str(pairs), "--base", str(tmp_path / "nowhere"), "-o", str(tmp_path / "judge"))
    with pytest.raises(OverreadError, match="there is no such folder"):
        run(*arguments)
    with pytest.raises(OverreadError, match="rate is not a setting"):
        run(*arguments, "--set", "rate=1")
    with pytest.raises(OverreadError, match="is also the input file"):
        run(*arguments[:-1], str(pairs))
    other = tmp_path / "other" / "pairs.jsonl"
    other.parent.mkdir()
    other.write_text(pairs.read_text())
    with pytest.raises(OverreadError, match="same name"):
        run(*arguments, "--test", str(pairs), "--test", str(other))
