"""The example plugins as people install them: built as wheels, put where nothing of theirs was, and used."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import pytest

import overread

_ROOT: Final = Path(__file__).parents[2]
_EXAMPLES: Final = _ROOT / "examples"
_NAMES: Final = sorted(project.parent.name for project in _EXAMPLES.glob("*/pyproject.toml"))

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Runs Python where both examples are installed from their wheels; a build writes beside the sources."""
    sources, wheels, target = (tmp_path_factory.mktemp(name) for name in ("sources", "wheels", "site"))
    for name in _NAMES:
        shutil.copytree(_EXAMPLES / name, sources / name)
    offline = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index"]
    folders = [str(sources / name) for name in _NAMES]
    _pip(["wheel", *offline, "--no-build-isolation", "--wheel-dir", str(wheels), *folders])
    _pip(["install", *offline, "--target", str(target), *map(str, sorted(wheels.glob("*.whl")))])
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OVERREAD_")}
    environment["PYTHONPATH"] = os.pathsep.join([str(target), str(Path(overread.__file__).parents[1])])

    def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=sources)

    return run_python


def _pip(arguments: Sequence[str]) -> None:
    done = subprocess.run([sys.executable, "-m", "pip", *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("tests", ["not conforms", pytest.param("conforms", marks=pytest.mark.slow)])
def test_their_own_tests_pass(tests: str, run: Run) -> None:
    """Numbers worked out by hand, labelled sentences, and the published checks."""
    folders = [f"{name}/tests" for name in _NAMES]
    done = run("pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", "-k", tests, *folders)
    assert done.returncode == 0, done.stdout


def _commands(page: Path) -> list[str]:
    """Commands of overread in a page that score with an example."""
    return re.findall(r"^overread (score .*)$", page.read_text(encoding="utf-8"), re.MULTILINE)


def test_crimson_scores_as_its_page_says(run: Run) -> None:
    """One actionable finding with a significant error about it: 0.5."""
    (command,) = _commands(_EXAMPLES / "overread-crimson" / "README.md")
    done = run("overread", *shlex.split(command), "--set", "second_reader=none", "-f", "json")
    assert done.returncode == 0, done.stderr
    (record,) = json.loads(done.stdout)
    assert record["score"] == pytest.approx(0.5)
    assert record["signature"].startswith("crimson|extractor:medspacy@")
    assert "overread-crimson" in record["signature"]


def test_two_german_reports_are_scored(run: Run) -> None:
    """Both metrics find the wrong side, and say who read."""
    (command,) = _commands(_EXAMPLES / "overread-german" / "README.md")
    assert command in (_ROOT / "docs" / "other-languages.md").read_text(encoding="utf-8").replace(" \\\n  ", " ")
    done = run("overread", *shlex.split(command), "-f", "json")
    assert done.returncode == 0, done.stderr
    notation, radot = sorted(json.loads(done.stdout), key=lambda record: str(record["metric"]))
    assert [each["category"] for each in notation["discrepancies"]] == ["C"]
    assert 0 < notation["score"] < 1
    assert radot["score"] > 0
    assert "reports were read in German, by a small lexicon" in notation["notes"]


@pytest.mark.slow
def test_a_plugins_metric_gets_a_card_like_any_other(run: Run) -> None:
    """Measured by the command alone: what provides it, its licence, and figures beside the baselines."""
    done = run("overread", "card", "crimson", "--size", "quick", "--draws", "20", "-f", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    about = {row["what"]: row["crimson"] for row in found["tables"]["about"]["rows"]}
    assert about["provided by"].startswith("overread-crimson")
    assert about["licence"] == "Apache-2.0"
    (copies, _) = found["tables"]["identity"]["rows"]
    assert copies["crimson"]["value"] == 1.0
    assert {row["metric"] for row in found["tables"]["speed"]["rows"]} == {"crimson", "ROUGE-L"}
    assert "plugin:overread-crimson" in found["facts"]["signature of crimson"]
