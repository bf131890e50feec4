"""`overread plugin new`: what it writes works as it is, for every kind, and is what the page of hooks shows."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner

import overread
from overread.bootstrap.plugin_checks import check_plugin
from overread.cli.app import app
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.plugin_kit import plugin_files, write_plugin
from overread.infrastructure.settings import Settings
from overread.plugins.catalogue import Catalogue
from overread.plugins.specs import KINDS

_HOOKS: Final = (Path(__file__).parents[2] / "docs" / "hooks.md").read_text(encoding="utf-8")
_SHOWN: Final = dict(re.findall(r"^```python overread_(\w+)\.py\n(.*?)^```$", _HOOKS, re.MULTILINE | re.DOTALL))
_OF_KIND: Final = {
    "metric": "words",
    "extractor": "phrases",
    "recognizer": "terms",
    "encoder": "letters",
    "aligner": "greedy",
    "second_reader": "doubting",
    "readout": "edges",
    "error_counter": "sentences",
    "judge": "sides",
    "model": "program",
}
"""Name of each example on the page of hooks."""


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_hooks_shows_what_is_written(kind: str) -> None:
    """Letter by letter, so that what is run on the page is what authors begin with."""
    name = _OF_KIND[kind]
    assert _SHOWN[name] == plugin_files(name, kind)[f"src/overread_{name}/plugin.py"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_new_plugin_passes_its_own_tests(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check of its kind and the numbers worked out by hand; its name may have dashes."""
    name = f"new-{kind.replace('_', '-')}-kit"
    written = write_plugin(name, kind, tmp_path / "new")
    monkeypatch.syspath_prepend(str(tmp_path / "new" / "src"))
    module = f"overread_{name.replace('-', '_')}"
    plugin = importlib.import_module(f"{module}.plugin")
    point = EntryPoint(name, f"{module}.plugin", "overread")
    found = Catalogue.discover(entry_points=[point], strict=True)
    monkeypatch.setattr(Catalogue, "discover", classmethod(lambda _cls: found))
    scope: dict[str, object] = {"__name__": "tests"}
    test = written.folder / "tests" / "test_plugin.py"
    exec(compile(test.read_text(encoding="utf-8"), str(test), "exec"), scope)  # noqa: S102 - we wrote it
    run = [name for name, function in scope.items() if name.startswith("test_") and _call(function)]
    assert {"test_it_conforms", "test_overread_finds_it_once_it_is_installed"} < set(run)
    assert found.find(kind, name).spec is plugin.SPEC


def _call(function: object) -> bool:
    """Calls a test, with each row of its parameters if it has some."""
    assert callable(function)
    marks = [mark for mark in getattr(function, "pytestmark", []) if mark.name == "parametrize"]
    for row in marks[0].args[1] if marks else [()]:
        function(*row)
    return True


def test_the_command_writes_a_repository_and_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code, tests, licence, page and checks of a server; nothing is overwritten."""
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, ["plugin", "new", "word_overlap", "--author", 'A. "N." Other'])
    assert done.exit_code == 0, done.output
    folder = tmp_path / "overread-word-overlap"
    files = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert files == [
        ".github/workflows/check.yml",
        ".gitignore",
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "src/overread_word_overlap/__init__.py",
        "src/overread_word_overlap/plugin.py",
        "src/overread_word_overlap/py.typed",
        "tests/test_plugin.py",
    ]
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["authors"] == [{"name": 'A. "N." Other'}]
    assert project["entry-points"]["overread"] == {"word_overlap": "overread_word_overlap.plugin"}
    assert "${{ matrix.python-version }}" in (folder / ".github/workflows/check.yml").read_text(encoding="utf-8")
    assert "overread plugin check word_overlap" in done.output
    with pytest.raises(InputError, match="is there already"):
        write_plugin("word_overlap", "metric")


def test_a_project_is_checked_before_it_is_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From its folder, with the options that are set."""
    monkeypatch.syspath_prepend(str(tmp_path))  # whatever is put before it goes with it
    write_plugin("unbuilt", "metric", tmp_path / "project")
    (checked,) = check_plugin(str(tmp_path / "project"), Settings(choices={"unbuilt": "3"}))
    assert (checked.kind, checked.name, checked.problems) == ("metric", "unbuilt", ())
    with pytest.raises(ConfigurationError, match="shortest must be"):
        check_plugin(str(tmp_path / "project"), Settings(choices={"unbuilt": "three"}))


def test_an_assertion_of_the_plugin_is_told_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As whatever else it raises; only what a check finds is told without."""
    monkeypatch.syspath_prepend(str(tmp_path))
    code = write_plugin("asserting", "metric", tmp_path / "project").code
    text = code.read_text(encoding="utf-8")
    code.write_text(
        text.replace("    return SharedWordsMetric", "    assert not options\n    return SharedWordsMetric")
    )
    (checked,) = check_plugin(str(tmp_path / "project"), Settings())
    (problem,) = checked.problems
    assert re.fullmatch(r"it raises AssertionError at overread_asserting/plugin\.py:\d+", problem)


def test_an_unknown_plugin_is_told_with_those_that_there_are() -> None:
    """And what else may be given."""
    with pytest.raises(ConfigurationError, match=r"no plugin is named 'nobodys' \(known: bert, .*; give one that is"):
        check_plugin("nobodys", Settings())
    with pytest.raises(ConfigurationError, match="no metric named 'nobodys'"):
        check_plugin("metric:nobodys", Settings())


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "holds no pyproject.toml"),
        ("[project", "is not TOML"),
        ('[project]\nname = "a"\n', "has no entry point of a plugin"),
    ],
)
def test_a_folder_without_a_plugin_is_told(content: str | None, problem: str, tmp_path: Path) -> None:
    """And what would make it one."""
    if content is not None:
        (tmp_path / "pyproject.toml").write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        check_plugin(str(tmp_path), Settings())


@pytest.mark.parametrize(
    ("name", "kind", "problem"),
    [
        ("Words", "metric", "cannot name a plugin"),
        ("two words", "metric", "cannot name a plugin"),
        ("aligner", "metric", "is the name of a kind of component"),
        ("rouge", "metric", "metric 'rouge' is built in and cannot be replaced"),
        ("words", "metrik", "no kind 'metrik'; a plugin can offer metric, extractor"),
    ],
)
def test_names_that_cannot_be_are_refused(name: str, kind: str, problem: str) -> None:
    """Before anything is written."""
    with pytest.raises(ConfigurationError, match=problem):
        plugin_files(name, kind)


@pytest.mark.slow
def test_every_kind_installs_passes_its_checks_and_is_listed(tmp_path: Path) -> None:
    """As its CI would have it: format, rules and types hold, also for a long name, and pip finds all it needs."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OVERREAD_")}
    site, here = tmp_path / "site", Path(overread.__file__).parents[1]
    environment |= {"PYTHONPATH": os.pathsep.join([str(site), str(here)])}

    def run(*arguments: str, folder: Path = tmp_path) -> str:
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    names = {kind: f"a-{kind.replace('_', '-')}-with-a-name-that-is-long" for kind in KINDS}
    folders = [write_plugin(name, kind, tmp_path / name).folder for kind, name in names.items()]
    offline = ["--quiet", "--disable-pip-version-check", "--no-deps", "--no-index", "--no-build-isolation"]
    run("pip", "install", *offline, "--target", str(site), *map(str, folders))
    listed = run("overread", "plugins", "-f", "csv")
    for kind, name in names.items():
        folder = tmp_path / name
        run("ruff", "format", "--check", folder=folder)
        run("ruff", "check", folder=folder)
        run("pytest", "-q", "-p", "no:cacheprovider", folder=folder)
        run("overread", "plugin", "check", name)
        assert f"{kind},{name}," in listed
    sources = [str(folder / "src") for folder in folders]
    environment["MYPYPATH"] = os.pathsep.join([str(here), *sources])
    run("mypy", "--strict", *sources)
