"""Who lacks what the hospital service needs is told what to install, before anything is begun."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

import overread
from overread import extras
from overread.bootstrap.extras import KEYS, SERVICE, STORE, check_installed
from overread.cli.app import app
from overread.exceptions import MissingDependencyError

_ROOMS: Final = Path(overread.__file__).parent / "hospital" / "infrastructure"
_CORE: Final = frozenset({"attrs", "cattrs", "httpx2", "jinja2", "overread", "pyarrow", "tenacity"})
_BROUGHT: Final = frozenset({"anyio", "pydantic", "starlette"})
"""By fastapi."""


def test_everything_that_is_imported_is_looked_for() -> None:
    """A package that ways in, ways out or HTTP import is among those that are missed in time."""
    found = {name for room in ("exchange", "http") for path in (_ROOMS / room).rglob("*.py") for name in _imports(path)}
    assert found - set(sys.stdlib_module_names) - _CORE - _BROUGHT <= set(SERVICE)


def test_all_that_is_missing_is_named_with_its_remedy() -> None:
    """At once, and not one after the other."""
    with pytest.raises(MissingDependencyError) as caught:
        check_installed("the service", ("attrs", "nowhere_one", "nowhere_two"))
    assert caught.value.missing == ("nowhere_one", "nowhere_two")
    assert "pip install 'overread[serve]'" in str(caught.value)


@pytest.mark.parametrize(
    ("lacking", "command"), [(SERVICE, ["serve"]), (KEYS, ["keys", "list"])], ids=["serve", "keys"]
)
def test_commands_tell_before_they_begin(
    lacking: tuple[str, ...], command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No store is made by a command that could not have gone on."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name in lacking else name)
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, MissingDependencyError)
    assert list(tmp_path.iterdir()) == []


def test_a_host_is_told_as_well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the error of every other package that is missing."""
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name in STORE else name)
    with pytest.raises(MissingDependencyError, match="cryptography"):
        overread.open_hospital({"hospital": {"store": str(tmp_path / "hospital.db"), "texts": "plain"}})


def _imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (each.name.partition(".")[0] for each in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]
