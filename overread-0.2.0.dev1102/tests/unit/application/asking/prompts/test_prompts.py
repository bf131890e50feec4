"""Prompt files: the packaged ones are whole, and a user's is read or refused with all that is wrong."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from overread.application.asking import prompts
from overread.application.asking.prompts import load_prompt
from overread.exceptions import ConfigurationError

WHOLE = 'name = "own"\nversion = "3"\nsystem = "Be brief."\nuser = "{reference} / {candidate}"\n'
PACKAGED = sorted(
    entry.name.removesuffix(".toml")
    for entry in resources.files(prompts).joinpath("data").iterdir()
    if entry.name.endswith(".toml") and "name =" in entry.read_text(encoding="utf-8")
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "own.toml"


def problems(path: Path, **wanted: object) -> tuple[str, ...]:
    with pytest.raises(ConfigurationError) as caught:
        load_prompt("green", str(path), **wanted)  # type: ignore[arg-type]
    return caught.value.problems


@pytest.mark.parametrize("name", PACKAGED)
def test_a_packaged_prompt_is_named_as_its_file(name: str) -> None:
    """And has a version and words."""
    prompt = load_prompt(name, places=())
    assert prompt.name == name
    assert prompt.version
    assert len(prompt.user) > 100


def test_a_toml_file_gives_both_turns(file: Path) -> None:
    """Name and version go into the identity."""
    file.write_text(WHOLE, encoding="utf-8")
    prompt = load_prompt("green", str(file))
    assert (prompt.name, prompt.version, prompt.system) == ("own", "3", "Be brief.")
    assert prompt.user == "{reference} / {candidate}"


def test_any_other_file_is_the_user_turn(tmp_path: Path) -> None:
    """Also with a byte order mark; braces of JSON stay."""
    path = tmp_path / "mine.txt"
    path.write_text('\ufeff{candidate} {reference} {"a": 1}', encoding="utf-8")
    prompt = load_prompt("green", str(path))
    assert (prompt.name, prompt.version, prompt.system) == ("mine", "file", "")
    assert prompt.user == '{candidate} {reference} {"a": 1}'


def test_missing_places_are_named_together(file: Path) -> None:
    """A mistyped place would be sent as it stands, and a report would be missing."""
    file.write_text(WHOLE.replace("{reference}", "").replace("{candidate}", "{canditate}"), encoding="utf-8")
    [problem] = problems(file)
    assert str(file) in problem
    assert "{candidate}, {reference}" in problem
    assert load_prompt("green", str(file), places=()).places == {"canditate"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name = own", ["is not TOML"]),
        ("", ["name is missing", "version is missing", "user is missing"]),
        (WHOLE + 'sytem = "x"\n', ["unknown key 'sytem'"]),
        (WHOLE.replace('"3"', "3"), ["version must be text"]),
        (
            WHOLE.replace('name = "own"\n', "") + "[extra]\n",
            ["unknown key 'extra'", "extra must be text", "name is missing"],
        ),
    ],
)
def test_a_file_that_is_no_prompt_is_refused_with_all_that_is_wrong(file: Path, text: str, expected: list[str]) -> None:
    """All mistakes take one run to find."""
    file.write_text(text, encoding="utf-8")
    found = problems(file)
    assert len(found) == len(expected)
    assert all(str(file) in problem and words in problem for problem, words in zip(found, expected, strict=True))


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    """A missing file and a wrong encoding are told apart."""
    [missing] = problems(tmp_path / "none.toml")
    assert "none.toml cannot be read: No such file" in missing
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xff\xfe\x00")
    [problem] = problems(binary)
    assert "is not UTF-8 text" in problem
