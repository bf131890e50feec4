"""Verification of results: what would be made again, what would not, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from attrs import evolve
from typer.testing import CliRunner

import overread
from overread.cli.app import app
from overread.domain.results.result import EvaluationResult, Scored
from overread.exceptions import InputError
from overread.infrastructure.files import environment
from overread.infrastructure.files.completeness import completeness_file, read_completeness
from overread.infrastructure.files.environment import Environment, installed_environment, pinned_requirements
from overread.plugins.catalogue import ENTRY_POINT_GROUP
from overread.studies.application.verification import check_sample, draw_sample
from overread.studies.bootstrap.verification import verify

PAIRS = [
    {"id": str(number), "reference": "Small left effusion.", "candidate": text}
    for number, text in enumerate(["Small left effusion.", "Right effusion.", "No effusion.", "", "Clear lungs."])
]


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(pair) + "\n" for pair in PAIRS), encoding="utf-8")
    return path


@pytest.fixture
def results(pairs: Path) -> Path:
    path = pairs.with_name("results.jsonl")
    settings = {"options": {"rouge": {"stemming": False}}}
    overread.score_corpus(pairs, path, metrics=["rouge", "bleu"], settings=settings)
    return path


def test_results_name_what_they_were_made_with(results: Path) -> None:
    """Settings and environment, which a requirements file pins."""
    record = read_completeness(results)
    assert record is not None
    assert record.settings == {"metrics": ["rouge", "bleu"], "choose": {}, "options": {"rouge": {"stemming": False}}}
    assert record.environment == installed_environment()
    assert record.environment.packages["overread"]
    assert "pytest-xdist" not in record.environment.packages  # of those that develop overread alone
    pins = pinned_requirements(record.environment).splitlines()
    assert f"numpy=={record.environment.packages['numpy']}" in pins
    assert pins[0].startswith("# Python 3.")


def test_what_is_installed_makes_its_own_results_again(pairs: Path, results: Path) -> None:
    """With the settings that they were made with, without being told."""
    found = verify(results, pairs, sample=4)
    assert found.can_be_made_again
    assert [row[:2] for row in found.tabulation.table("metrics").rows] == [("rouge", "yes"), ("bleu", "yes")]
    assert [row[:4] for row in found.tabulation.table("sample").rows] == [("rouge", 4, 4, 0.0), ("bleu", 4, 4, 0.0)]
    assert [table.name for table in found.tabulation.tables] == ["metrics", "sample"]


def test_settings_of_the_command_line_are_read_back(pairs: Path) -> None:
    """Where a number or a switch is a text."""
    path = pairs.with_name("written.jsonl")
    arguments = ["corpus", str(pairs), "-o", str(path), "-m", "rouge", "--set", "rouge.stemming=false"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    assert verify(path, pairs).can_be_made_again


def test_another_setting_is_named(results: Path) -> None:
    """By the part of the signature that it changes."""
    found = verify(results, settings={"options": {"rouge": {"variant": "rouge1"}}})
    assert not found.can_be_made_again
    rows = found.tabulation.table("signatures").rows
    assert {row[0] for row in rows} == {"rouge"}
    assert ("rougeL", "rouge1") in [(str(then)[:6], str(now)[:6]) for _, _, then, now in rows]


def test_a_score_that_was_changed_is_found(pairs: Path, results: Path) -> None:
    """The pair is named, and the difference told."""
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    changed = next(line for line in lines if line["id"] == "1" and line["metric"] == "rouge")
    changed["score"] += 0.25
    changed.pop("digest", None)
    results.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = verify(results, pairs)
    assert not found.can_be_made_again
    rouge, bleu = found.tabulation.table("sample").rows
    assert (rouge[2], rouge[4], bleu[2]) == (4, "1", 5)
    assert rouge[3] == pytest.approx(0.25)


def test_other_pairs_are_refused(pairs: Path, results: Path) -> None:
    """Their reports are not those that were scored."""
    pairs.write_text(pairs.read_text(encoding="utf-8").replace("Clear", "Clean"), encoding="utf-8")
    with pytest.raises(InputError, match=r"pairs\.jsonl"):
        verify(results, pairs)


def test_results_that_say_nothing_are_compared_by_signature(results: Path) -> None:
    """What is missing is remarked."""
    completeness_file(results).unlink()
    found = verify(results)
    assert not found.can_be_made_again  # the usual settings of rouge are others
    assert len(found.tabulation.notes) == 2


def test_a_metric_that_cannot_be_built_is_told(results: Path) -> None:
    """The others are compared."""
    lines = [json.loads(line) for line in results.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line.pop("digest", None)
        line["metric"] = line["metric"].replace("bleu", "gone")
    results.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    completeness_file(results).unlink()
    rows = {row[0]: row for row in verify(results).tabulation.table("metrics").rows}
    assert rows["gone"][1] == "no"
    assert "no metric named 'gone'" in str(rows["gone"][2])


def test_the_command_tells_by_its_status(pairs: Path, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """0 where all is the same, 3 else; another version of a package alone changes nothing."""
    now = installed_environment()
    newer = evolve(now, packages={**now.packages, "numpy": "99", "added": "1"}, python="9.9")
    assert [*now.changes(newer)] == [
        ("Python", now.python, "9.9"),
        ("added", "", "1"),
        ("numpy", now.packages["numpy"], "99"),
    ]
    monkeypatch.setattr("overread.studies.bootstrap.verification.installed_environment", lambda: newer)
    pins = results.with_name("requirements.txt")
    run = CliRunner().invoke(app, ["verify", str(results), str(pairs), "--requirements", str(pins)])
    assert (run.exit_code, "numpy" in run.output) == (0, True), run.output
    assert f"numpy=={now.packages['numpy']}" in pins.read_text(encoding="utf-8")
    run = CliRunner().invoke(app, ["verify", str(results), "--set", "rouge.stemming=true", "-f", "json"])
    assert run.exit_code == 3


def test_a_sample_keeps_order_and_size() -> None:
    """And is the same for a seed."""
    ids = [str(number) for number in range(50)]
    drawn = draw_sample(ids, 10, seed=1)
    assert (len(drawn), drawn) == (10, sorted(drawn, key=int))
    assert draw_sample(ids, 10, seed=1) == drawn != draw_sample(ids, 10, seed=2)
    assert draw_sample(ids, 50, seed=1) == ids


def test_rounding_of_the_processor_is_no_difference() -> None:
    """Up to one part in a thousand million."""
    result = overread.score(reference="Small effusion.", candidate="No effusion.", metrics="rouge")["rouge"]

    def moved(by: float) -> EvaluationResult:
        outcome = result.outcome
        assert isinstance(outcome, Scored)
        return evolve(result, outcome=evolve(outcome, score=outcome.score + by))

    assert check_sample("rouge", {"1": result}, {"1": moved(1e-12)}).equal == 1
    assert check_sample("rouge", {"1": result}, {"1": moved(1e-6)}).differing == ("1",)


def test_an_environment_names_plugins_and_no_tools_of_development() -> None:
    """Of those that are installed; the walk ends though requirements go in circles."""
    environment.installed_environment.cache_clear()
    found = installed_environment()
    assert {"overread", "pluggy", "attrs"} <= {*found.packages}
    assert isinstance(found, Environment)
    assert environment._PLUGINS == ENTRY_POINT_GROUP
