"""The package itself: importing it loads next to nothing, and its names are there when they are asked for."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import overread
from overread import exceptions

HEAVY = {
    "jinja2",
    "medspacy",
    "numpy",
    "ot",
    "pluggy",
    "pyarrow",
    "rich",
    "sacrebleu",
    "scipy",
    "sklearn",
    "spacy",
    "sqlalchemy",
    "sqlmodel",
    "torch",
    "transformers",
    "typer",
}


def imported_by(code: str) -> set[str]:
    """Modules a fresh interpreter imports to run some code."""
    command = [sys.executable, "-X", "importtime", "-c", code]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stderr
    return {line.rpartition("|")[2].strip() for line in report.splitlines() if line.startswith("import time:")}


def test_importing_overread_imports_nothing_heavy() -> None:
    """No model, framework or database is loaded, nor any module but what must know of forks and of old names early."""
    modules = imported_by("import overread")
    assert "overread" in modules
    assert HEAVY.isdisjoint({module.partition(".")[0] for module in modules})
    assert {module for module in modules if module.startswith("overread.")} == {"overread.forking", "overread.moved"}


def test_scoring_loads_the_core_alone(tmp_path: Path) -> None:
    """Neither a score nor a corpus loads a module of the hospital or of studies."""
    code = (
        "import sys, overread; overread.score(reference='No effusion.', candidate='Small effusion.'); "
        "overread.score_corpus(sys.argv[1], output=sys.argv[2]); "
        "print(*(m for m in sys.modules if m.startswith(('overread.hospital', 'overread.studies'))))"
    )
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": "1", "reference": "No effusion.", "candidate": "Small effusion."}\n', encoding="utf-8")
    command = [sys.executable, "-c", code, str(pairs), str(tmp_path / "results.jsonl")]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.split() == []


def test_the_check_would_notice() -> None:
    """What is imported does show in the list that the test above reads."""
    assert "numpy" in imported_by("import overread; overread.Scored")


@pytest.mark.parametrize(
    "name", ["ReportPair", "ClinicalContext", "OverreadError", "Scored", "Unscored", "Discrepancy"]
)
def test_plain_records_need_no_framework(name: str) -> None:
    """Results and pairs can be handled without torch, spaCy, POT or a database."""
    roots = {module.partition(".")[0] for module in imported_by(f"from overread import {name}")}
    assert roots.isdisjoint({"torch", "transformers", "spacy", "medspacy", "ot", "scipy", "sklearn", "sqlmodel"})


@pytest.mark.parametrize("name", overread.__all__)
def test_every_public_name_is_there(name: str) -> None:
    """Each name in __all__ can be had, is documented, and is the thing of that name."""
    found = getattr(overread, name)
    if name != "__version__":
        assert found.__name__ == name
        assert inspect.getdoc(found)


def test_the_names_are_sorted_and_listed() -> None:
    """dir() shows what __all__ holds, and every one has a home."""
    assert dir(overread) == sorted(overread.__all__) == list(overread.__all__)
    assert set(overread._HOMES) == set(overread.__all__) - {"__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    """As with any module."""
    with pytest.raises(AttributeError, match="module 'overread' has no attribute 'scoer'"):
        overread.scoer  # noqa: B018


def test_the_version_is_the_distributions() -> None:
    """What is installed and what the package says agree."""
    assert overread.__version__ == version("overread")


@pytest.mark.parametrize(
    "error",
    [
        exceptions.ConfigurationError(["one", "two"]),
        exceptions.InputError("pairs.csv", "no such file", row=3, remedy="look again"),
        exceptions.MissingDependencyError("bleu", ["sacrebleu"], "pip install sacrebleu"),
        exceptions.PluginError(["clash"]),
        exceptions.StoreError("locked"),
        exceptions.UnscoredPairError("p1", "radot", "empty"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_errors_can_be_sent_between_processes(error: exceptions.OverreadError) -> None:
    """A pool of processes hands back what its workers raise; an error that does not survive that hangs or hides."""
    sent = pickle.loads(pickle.dumps(error))  # noqa: S301 - made here
    assert (type(sent), str(sent), vars(sent)) == (type(error), str(error), vars(error))
