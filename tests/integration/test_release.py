"""A release: a wheel with all that it needs and nothing else, its metadata, and the workflows that publish it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from email import message_from_string
from email.message import Message
from pathlib import Path
from typing import Final
from zipfile import ZipFile

import pytest

_ROOT: Final = Path(__file__).parents[2]
_PACKAGE: Final = _ROOT / "src" / "overread"
_MOST_BYTES: Final = 45_000_000


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of a copy of these sources, without a repository around them, built without a network."""
    place = tmp_path_factory.mktemp("release")
    shutil.copytree(
        _ROOT / "src", place / "copy" / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info", "*.partial")
    )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(_ROOT / name, place / "copy")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    done = subprocess.run(
        [*command, "--wheel-dir", str(place), str(place / "copy")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    [built] = place.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def names(wheel: Path) -> frozenset[str]:
    with ZipFile(wheel) as archive:
        return frozenset(archive.namelist())


@pytest.fixture(scope="module")
def metadata(wheel: Path) -> Message:
    with ZipFile(wheel) as archive:
        [place] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_string(archive.read(place).decode())


def test_every_file_of_the_package_is_in_the_wheel(names: frozenset[str]) -> None:
    """Modules, data, pages and the mark that it is typed."""
    left = {"__pycache__", "overread.egg-info"}
    files = (path.relative_to(_PACKAGE.parent) for path in _PACKAGE.rglob("*") if path.is_file())
    assert {path.as_posix() for path in files if left.isdisjoint(path.parts)} <= names
    assert "overread/py.typed" in names


def test_nothing_else_is_in_the_wheel(names: frozenset[str], wheel: Path) -> None:
    """No tests, documents, stores or what a run left behind."""
    foreign = [name for name in names if not re.match(r"overread/|overread-[^/]+\.dist-info/", name)]
    left = [name for name in names if re.search(r"\.(pyc|db|partial|orig|log)$|/tests?/|__pycache__", name)]
    assert foreign == left == []
    assert wheel.stat().st_size < _MOST_BYTES


def test_the_metadata_tell_what_is_needed(metadata: Message, wheel: Path) -> None:
    """Every extra, the oldest Python, the licence, and the next version, of which there is no tag here."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(metadata.get_all("Provides-Extra") or ()) == set(project["optional-dependencies"])
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Version"] == "0.2.0.dev0"
    assert wheel.name.endswith("-py3-none-any.whl")


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("vendor.github-workflows", ".github/workflows/test.yml"),
        ("vendor.github-workflows", ".github/workflows/release.yml"),
        ("vendor.github-workflows", ".github/workflows/docs.yml"),
        ("vendor.gitlab-ci", ".gitlab-ci.yml"),
        ("vendor.citation-file-format", "CITATION.cff"),
    ],
)
def test_the_workflows_are_as_their_schemas_want_them(schema: str, path: str) -> None:
    """A mistake would show with the first push only, that of a release with its tag."""
    pytest.importorskip("check_jsonschema", reason="pip install check-jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", schema, str(_ROOT / path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_nobody_but_the_job_that_publishes_may_write() -> None:
    """Each workflow reads alone; the jobs that publish get their own identity, and no secret is named."""
    for path in (_ROOT / ".github" / "workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        assert "permissions:\n  contents: read" in text
        assert "secrets." not in text
        assert ("id-token: write" in text) == (path.name in ("docs.yml", "release.yml"))
