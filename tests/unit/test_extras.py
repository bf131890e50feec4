"""Optional packages: the extras of the distribution, and how one that is missing is told."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from overread.exceptions import MissingDependencyError
from overread.extras import EXTRAS, install_command, missing_dependency, require

_PROJECT: Final = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
_GATHERED: Final = frozenset({"all", "dev", "docs", "llm"})
"""Extras that gather others, and what developers need."""
_APART: Final = frozenset({"inspect", "lm-eval", "mlflow", "pytest", "wandb"})
"""Extras that scores never need: large, or not to be had with what is pinned. "all" leaves them out."""


def test_every_extra_is_known() -> None:
    """The table in code and the metadata name the same extras, and "all" has each that scores may need."""
    extras = _PROJECT["optional-dependencies"]
    assert extras.keys() - _GATHERED == EXTRAS.keys()
    [everything] = extras["all"]
    assert set(everything.removeprefix("overread[").removesuffix("]").split(",")) == EXTRAS.keys() - _APART


def test_the_base_needs_nothing_heavy() -> None:
    """Whoever installs overread alone gets neither torch nor what takes hundreds of megabytes beside it."""
    base = " ".join(_PROJECT["dependencies"]).lower()
    heavy = ("torch", "transformers", "spacy", "pyarrow", "scipy", "scikit-learn", "pot>")
    assert [name for name in heavy if name in base] == []


def test_what_is_missing_names_its_extra() -> None:
    """And what needs it."""
    with pytest.raises(MissingDependencyError) as caught:
        require("the encoder", "torch", "attrs", "nowhere_to_be_found")
    assert str(caught.value) == "the encoder needs nowhere_to_be_found; install with: pip install 'overread[torch]'"


@pytest.mark.parametrize(
    ("module", "extra"), [("scipy.special", "statistics"), ("torch", "torch"), ("trl", "train"), ("pandas", "frames")]
)
def test_an_import_that_failed_is_told_by_its_extra(module: str, extra: str) -> None:
    """The extra that is about little else, where several bring the module."""
    told = missing_dependency(ModuleNotFoundError("no", name=module))
    assert told is not None
    assert told.install == install_command(extra)


def test_an_import_that_is_in_no_extra_is_not_explained() -> None:
    """Such as of a module of a plugin."""
    assert missing_dependency(ModuleNotFoundError("no", name="somebodys_own")) is None


def test_nothing_of_ours_imports_or_calls_what_is_under_the_gpl() -> None:
    """Unidecode comes with medspaCy's QuickUMLS (decision 0005); no module of overread names either."""
    package = Path(__file__).parents[2] / "src" / "overread"
    naming = [
        path.name
        for path in package.rglob("*.py")
        if {"unidecode", "quickumls"} & {name.partition(".")[0].lower() for name in _imports(path)}
    ]
    assert naming == []
    assert "unidecode" not in " ".join(_PROJECT["dependencies"]).lower()


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (node.module or "", *(each.name for each in node.names))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            yield node.func.id if isinstance(node.func, ast.Name) else node.func.attr
