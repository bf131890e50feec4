"""`overread summary` over a model that says what it is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from typer.testing import CliRunner, Result

from overread.application.ports import Request
from overread.exceptions import ConfigurationError, InputError
from overread.plugins import hookimpl
from overread.plugins.specs import ComponentSpec
from overread.studies.cli.summary import summary
from overread.testing import FakeEncoder, FakeLanguageModel

Run = Callable[..., Result]

ANSWER = (
    "[Explanation]:\nx\n\n[Clinically Significant Errors]:\n(b) Missing a finding: 1. The left effusion.\n\n"
    "[Clinically Insignificant Errors]:\nNone\n\n[Matched Findings]:\n1. Heart"
)
PROMPT = (
    'name = "mine"\nversion = "2"\nuser = "{reference} {candidate} [Explanation]: [Clinically Significant Errors]: '
    '[Clinically Insignificant Errors]: [Matched Findings]:"\n'
)
PAIRS = "id,reference,candidate\n1,Effusion.,Clear.\n2,Large effusion.,Clear.\n3,DECLINE,Clear.\n4,,\n5,Effusion.\n"


def answered(request: Request) -> str:
    return "I cannot help with that." if "DECLINE" in request.messages[-1].text else ANSWER


@pytest.fixture
def model() -> FakeLanguageModel:
    return FakeLanguageModel(answered)


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, model: FakeLanguageModel) -> Run:
    """Runs ``overread summary ARGS`` in a folder with pairs.csv, with fakes chosen."""
    module = ModuleType("overread_fakes")
    for hook, made in {"overread_encoders": FakeEncoder(), "overread_models": model}.items():
        spec = ComponentSpec(name="fake", version="1.0", summary="fake", factory=lambda *_, made=made: made)
        setattr(module, hook, hookimpl(lambda spec=spec: [spec]))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    point = metadata.EntryPoint(name="fakes", value=module.__name__, group="overread")
    installed = metadata.entry_points

    def entry_points(**chosen: str) -> Any:
        return [point] if chosen.get("group") == "overread" else installed(**chosen)

    monkeypatch.setattr(metadata, "entry_points", entry_points)
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text(PAIRS, encoding="utf-8")
    app = typer.Typer()
    app.command()(summary)

    def call(*arguments: str, model: str = "fake") -> Result:
        chosen = ["--set", "encoder=fake", *(["--set", f"model={model}"] if model else [])]
        return CliRunner().invoke(app, ["pairs.csv", *arguments, *chosen])

    return call


def test_it_tells_what_the_corpus_gets_wrong_and_how_many_pairs_that_covers(run: Run) -> None:
    """Pairs that are not scored are counted by reason beside the mean."""
    result = run()
    assert result.exit_code == 0
    words = " ".join(result.output.split())
    assert "mean 0.500" in words
    assert "over 2 scored of 5 pairs; 3 unscored (bad input 1, empty 1, refusal 1)" in words
    assert "(b) omitted finding 0.0 % without 2 errors" in words
    assert "The left effusion (2 times)" in words


def test_as_json_and_as_a_page_in_a_file(run: Run) -> None:
    """The same summary is a record for programs and a page for people."""
    record = json.loads(run("--format", "json").output)
    assert record["categories"][1]["representatives"] == ["The left effusion"]
    assert record["signature"].startswith("green|model:fake|prompt:green@")
    assert run("--format", "html", "--output", "page.html").exit_code == 0
    assert "<circle" in Path("page.html").read_text(encoding="utf-8")


def test_under_compat_clusters_are_looked_for_as_released(run: Run) -> None:
    """The summary names the method that it used."""
    ours, theirs = run("--format", "json"), run("--format", "json", "--set", "green.compat=green-0.0.12")
    assert "k to 10 by silhouette" in json.loads(ours.output)["method"]
    assert "k-means as GREEN 0.0.12" in json.loads(theirs.output)["method"]


def test_kept_answers_are_not_asked_again_and_suffice_without_the_model(run: Run, model: FakeLanguageModel) -> None:
    """A summary can be made again on a machine without the model."""
    first = run("--answers", "kept.sqlite").output
    asked = len(model.asked)
    assert run("--answers", "kept.sqlite").output == first
    assert run("--answers", "kept.sqlite", "--only-kept", model="").output == first
    assert len(model.asked) == asked


def test_with_other_answers_kept_it_says_whose(run: Run) -> None:
    """Answers to another prompt are no answers to this one."""
    run("--answers", "kept.sqlite")
    Path("prompt.toml").write_text(PROMPT, encoding="utf-8")
    other = run("--answers", "kept.sqlite", "--only-kept", "--set", "green.prompt=prompt.toml", model="")
    assert other.exit_code == 3
    assert "and none to mine@2:" in other.stderr
    assert "over 0 scored of 5 pairs" in " ".join(other.stdout.split())


def test_without_a_model_it_says_what_to_choose(run: Run) -> None:
    """GREEN needs a language model, and none is chosen by default."""
    result = run(model="")
    assert isinstance(result.exception, ConfigurationError)
    assert "no model is chosen" in str(result.exception)


def test_the_pairs_are_not_overwritten(run: Run) -> None:
    """An output that is the input is refused before anything is asked."""
    result = run("--output", "pairs.csv")
    assert isinstance(result.exception, InputError)
    assert Path("pairs.csv").read_text(encoding="utf-8") == PAIRS


def test_its_help_says_that_kept_answers_suffice(run: Run) -> None:
    """Without a model one would not look further."""
    assert "with --only-kept those in --answers FILE" in " ".join(run("--help").output.split())
