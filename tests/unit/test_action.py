"""The action for GitHub: its schema, and its steps as a runner runs them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

import overread
from overread.studies.bootstrap.baselines import write_baseline

_ROOT: Final = Path(__file__).parents[2]
_ACTION: Final[dict[str, Any]] = yaml.safe_load((_ROOT / "action.yml").read_text(encoding="utf-8"))
_INPUT: Final = re.compile(r"\$\{\{ inputs\.([a-z-]+) \}\}")
_PRIVATE: Final = "Qwxyz"
_ACCEPTED: Final = [{"id": f"p{n}", "reference": f"{_PRIVATE} mass", "candidate": f"{_PRIVATE} mass"} for n in range(8)]
"""Pairs of a baseline."""


def test_the_action_and_the_workflows_of_the_page_are_valid(tmp_path: Path) -> None:
    """By the schemas that GitHub and GitLab publish, which check-jsonschema carries."""
    page = (_ROOT / "docs" / "tracking.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```yaml\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    workflow, gitlab = (block for block in blocks if block.startswith(("name:", "reports:")))
    (tmp_path / "workflow.yml").write_text(workflow, encoding="utf-8")
    (tmp_path / "gitlab.yml").write_text(gitlab, encoding="utf-8")
    for schema, file in (
        ("vendor.github-actions", _ROOT / "action.yml"),
        ("vendor.github-workflows", tmp_path / "workflow.yml"),
        ("vendor.gitlab-ci", tmp_path / "gitlab.yml"),
    ):
        command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(file)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout
    with_ = yaml.safe_load(workflow)["jobs"]["reports"]["steps"][-1]["with"]
    assert with_.keys() <= _ACTION["inputs"].keys()


def test_no_input_stands_in_a_script() -> None:
    """Where it could be run: scripts get inputs as variables."""
    scripts = [step["run"] for step in _ACTION["runs"]["steps"] if "run" in step]
    assert len(scripts) == 3
    assert not [script for script in scripts if "${{" in script]


@pytest.mark.parametrize(
    ("candidate", "status", "verdict"),
    [("mess", 1, "worse"), pytest.param("mass", 0, "passes", marks=pytest.mark.slow)],
)
def test_the_steps_score_and_compare(tmp_path: Path, candidate: str, status: int, verdict: str) -> None:
    """Results are written, and the summary of the job has the table; report text is in neither, nor in what is said."""
    _write_pairs(tmp_path / "pairs.csv", candidate)
    write_baseline(tmp_path / "baseline.jsonl", overread.score_many(_ACCEPTED, metrics=["rouge"]))
    inputs = {"pairs": "pairs.csv", "baseline": "baseline.jsonl", "metrics": "rouge", "margin": "0.01 rouge=0.02"}
    scored = _run("Score the reports", inputs, tmp_path)
    assert scored.returncode == 0, scored.stderr
    done = _run("Compare with the baseline", inputs, tmp_path)
    assert done.returncode == status, done.stderr
    summary = (tmp_path / "summary").read_text(encoding="utf-8")
    assert summary.startswith("## baseline against results\n\n### Worse than baseline?\n\n| Metric | Verdict |")
    assert f"| rouge | {verdict} | 8 |" in summary
    assert (tmp_path / "output").read_text(encoding="utf-8") == f"verdict={verdict}\n"
    assert ("::error title=overread::worse: overread: rouge: significantly worse" in done.stdout) is bool(status)
    results = (tmp_path / "overread-results.jsonl").read_text(encoding="utf-8")
    assert _PRIVATE not in f"{summary}{results}{scored.stdout}{scored.stderr}{done.stdout}{done.stderr}"


def test_what_cannot_be_compared_is_told_in_the_summary(tmp_path: Path) -> None:
    """No baseline, and one of other settings."""
    inputs = {"pairs": "pairs.csv", "baseline": "baseline.jsonl", "metrics": "rouge"}
    done = _run("Compare with the baseline", inputs, tmp_path)
    assert done.returncode == 2
    assert "there is no baseline baseline.jsonl" in (tmp_path / "summary").read_text(encoding="utf-8")
    _write_pairs(tmp_path / "pairs.csv", "mass")
    write_baseline(tmp_path / "baseline.jsonl", overread.score_many(_ACCEPTED, metrics=["rouge:rouge1"]))
    write_baseline(tmp_path / "overread-results.jsonl", overread.score_many(_ACCEPTED, metrics=["rouge"]))
    done = _run("Compare with the baseline", inputs, tmp_path)
    assert done.returncode == 2
    assert "was scored with other settings" in (tmp_path / "summary").read_text(encoding="utf-8")
    assert (tmp_path / "output").read_text(encoding="utf-8") == "verdict=refused\nverdict=refused\n"


def _write_pairs(path: Path, candidate: str) -> None:
    rows = [f"p{n},{_PRIVATE} mass,{_PRIVATE} {candidate}" for n in range(8)]
    path.write_text("\n".join(["id,reference,candidate", *rows, ""]), encoding="utf-8")


def _run(name: str, inputs: Mapping[str, str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a step as GitHub's runners run one of bash, with the variables that they set."""
    [step] = [step for step in _ACTION["runs"]["steps"] if step.get("name") == name]
    given = {key: each.get("default", "") for key, each in _ACTION["inputs"].items()} | dict(inputs)
    script, tools = folder / "step.sh", folder / "bin"
    script.write_text(step["run"], encoding="utf-8")
    tools.mkdir(exist_ok=True)
    (tools / "overread").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m overread "$@"\n', encoding="utf-8")
    (tools / "overread").chmod(0o755)
    environment = {
        **os.environ,
        **{key: _INPUT.sub(lambda found: given[found[1]], value) for key, value in step["env"].items()},
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "GITHUB_STEP_SUMMARY": str(folder / "summary"),
        "GITHUB_OUTPUT": str(folder / "output"),
        "RUNNER_TEMP": str(tools),
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
