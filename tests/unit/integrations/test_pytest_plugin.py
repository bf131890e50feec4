"""The plugin of pytest in projects of its own, run as somebody runs it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final

import pytest

import overread
from overread.infrastructure.files.scored import read_scores
from overread.integrations.pytest_plugin import Baselines
from overread.studies.bootstrap.baselines import write_baseline

_ROOT: Final = Path(__file__).parents[3]
_PRIVATE: Final = "Qwxyz"
_PROJECT: Final = """
def test_drafts(overread_baseline):
    overread_baseline.check("drafts", "{results}", draws=200)
"""
_ACCEPT: Final = "accept the results as its new baseline with: pytest --overread-update"

Write = Callable[..., Path]


def _score(*empty: int) -> overread.Results:
    """Results of eight reports, some of them empty, the others as their references."""
    rows = [
        {"id": f"p{n}", "reference": f"{_PRIVATE} {n}.", "candidate": "" if n in empty else f"{_PRIVATE} {n}."}
        for n in range(8)
    ]
    return overread.score_many(rows, metrics=["rouge"])


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes results of a generator that leaves some of eight reports empty."""

    def results(name: str, *empty: int) -> Path:
        write_baseline(tmp_path / name, _score(*empty))
        return tmp_path / name

    return results


@pytest.fixture
def baselines(tmp_path: Path, write: Write) -> Baselines:
    """The fixture of a project whose generator wrote all reports when its results were accepted."""
    write("drafts.jsonl")
    return Baselines(tmp_path, update=False, tell=lambda _: None)


def test_a_project_accepts_a_baseline_and_then_fails_on_what_is_worse(tmp_path: Path, write: Write) -> None:
    """Run as somebody runs it: the option writes the file into the folder named; the failure says what and where."""
    (tmp_path / "pytest.ini").write_text("[pytest]\noverread_baselines = kept\n", encoding="utf-8")
    plugin = ("-p", "overread.integrations.pytest_plugin", "--rootdir", str(tmp_path))
    command = [sys.executable, "-m", "pytest", "-q", *plugin, "test_drafts.py"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}

    def run(results: Path, *options: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_drafts.py").write_text(_PROJECT.format(results=results), encoding="utf-8")
        call = [*command, *options]
        return subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)

    found = run(write("all.jsonl"), "--overread-update")
    assert found.returncode == 0
    assert f"overread: wrote the baseline {tmp_path}/kept/drafts.jsonl" in found.stdout
    found = run(write("worse.jsonl", 0, 1, 2, 3, 4, 5, 7))
    assert found.returncode == 1
    assert f"drafts: worse than the baseline {tmp_path}/kept/drafts.jsonl" in found.stdout
    assert "rouge: significantly worse, by more than 0: mean 1.000 before and 0.125 now over 8 pairs" in found.stdout
    assert "worst pairs: p0 1.000 to 0.000; p1 1.000 to 0.000" in found.stdout
    assert _ACCEPT in found.stdout
    assert _PRIVATE not in found.stdout


def test_results_that_are_no_worse_pass(baselines: Baselines, write: Write) -> None:
    """From a file or in memory; a loss within the margin, of all metrics or of one, is none."""
    baselines.check("drafts", _score())
    worse = write("worse.jsonl", 0, 1, 2, 3, 4, 5, 7)
    baselines.check("drafts", worse, margin=0.9)
    baselines.check("drafts", worse, margin={"rouge": 0.9})
    with pytest.raises(pytest.fail.Exception, match=r"rouge: significantly worse, by more than 0\.1"):
        baselines.check("drafts", worse, margin=0.1)


def test_what_cannot_be_compared_fails(baselines: Baselines, write: Write) -> None:
    """No baseline, a metric that it has not, or other references are no pass; each says how to go on."""
    results = write("same.jsonl")
    with pytest.raises(pytest.fail.Exception, match=rf"other: there is no baseline .*other\.jsonl; {_ACCEPT}"):
        baselines.check("other", results)
    with pytest.raises(pytest.fail.Exception, match=r"drafts: cannot be held against .*bleu: not in drafts"):
        baselines.check("drafts", results, metrics="bleu")
    rows = [{"id": f"p{n}", "reference": "Another.", "candidate": "Another."} for n in range(8)]
    with pytest.raises(pytest.fail.Exception, match="was made of other references under the same ids"):
        baselines.check("drafts", overread.score_many(rows, metrics=["rouge"]))


def test_a_baseline_is_a_file_of_results_without_text(tmp_path: Path) -> None:
    """It can be kept with the project, and compared on the command line."""
    written: list[Path] = []
    accepting = Baselines(tmp_path / "new", update=True, tell=written.append)
    accepting.check("drafts", _score())
    assert written == [tmp_path / "new" / "drafts.jsonl"]
    assert read_scores(written[0])["rouge"].scores.tolist() == [1.0] * 8
    assert all(_PRIVATE not in path.read_text(encoding="utf-8") for path in (tmp_path / "new").iterdir())
    with pytest.raises(pytest.fail.Exception, match="is dict, not results"):
        accepting.check("drafts", {})


def test_the_plugin_is_offered_to_pytest() -> None:
    """By an entry point that leads to it."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    [module] = project["entry-points"]["pytest11"].values()
    assert hasattr(import_module(module), "overread_baseline")


def test_a_project_that_does_not_use_it_pays_nothing() -> None:
    """Loading it imports no more of overread than a handful of small modules, and no library but pytest."""
    code = (
        "import pytest, sys; before = set(sys.modules); import overread.integrations.pytest_plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ours = {name for name in found.stdout.split() if name.startswith("overread.")}
    assert ours <= {
        *("overread.exceptions", "overread.extras", "overread.forking", "overread.moved"),
        *("overread.integrations", "overread.integrations.pytest_plugin"),
    }
    heavy = ("numpy", "attrs", "attr", "scipy", "torch", "jinja2", "typer")
    assert not set(found.stdout.split()) & set(heavy)
