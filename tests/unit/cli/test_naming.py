"""Names of arguments and settings: errors have Python's, and the command line its own."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

import overread
from overread.cli import app as command_line
from overread.cli.naming import as_options
from overread.exceptions import InputError

SOURCE = Path(overread.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-zX]+")
PROGRAM = re.compile(r"\b(overread|ray|docker|pg_dump|pytest)\b")
NAMED = re.compile(r"`[a-z_]+(?:=[^`]+)?`")
WHOLE_COMMAND = "adapters/llm/judge_training/options.py"
"""Writes the second half of a command that the card of a model has the first half of."""
ANOTHER_PROGRAM = "integrations/pytest_plugin.py"
"""Gives pytest its options."""


def _said(module: Path) -> Iterator[str]:
    """The texts of a module that are no docstrings; what an f-string fills in is X."""
    tree = ast.parse(module.read_text(encoding="utf-8"))
    bare = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    parts = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not {node} & (bare | parts):
            yield node.value


def _texts() -> list[tuple[str, str]]:
    modules = {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}
    return [(name, text) for name, path in modules.items() if "cli/" not in name for text in _said(path)]


@pytest.fixture(scope="module")
def texts() -> list[tuple[str, str]]:
    """Module and text of all that is said outside of the command line."""
    return _texts()


def test_options_are_named_by_the_command_line_alone(texts: list[tuple[str, str]]) -> None:
    """Elsewhere an option stands only behind the name of its program: a Python caller cannot give one."""
    found = [
        (module, text)
        for module, text in texts
        for option in OPTION.finditer(text)
        if not PROGRAM.search(text[: option.start()]) and module not in {WHOLE_COMMAND, ANOTHER_PROGRAM}
    ]
    assert found == []


def test_what_errors_name_between_backticks_the_command_line_has(texts: list[tuple[str, str]]) -> None:
    """Every such argument or setting has another spelling there; the texts are found, too."""
    options = set(command_line._options(typer.main.get_command(command_line.app)))
    named = {(module, name) for module, text in texts for name in NAMED.findall(text)}
    assert len(named) > 20
    assert [(module, name) for module, name in named if as_options(name, options) == name] == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("leave `split` out", "leave --split out"),
        ("give `model=openai:NAME`", "give --set model=openai:NAME"),
        ("call `close` first", "call `close` first"),
        ("`overrides`: unknown setting 'modle'", "--set: unknown setting 'modle'"),
        ("name your columns with `columns=Columns(...)`", "name your columns with --id-column"),
    ],
)
def test_the_command_line_spells_its_own(words: str, expected: str) -> None:
    """What is no option and no component, as in the words of a plugin, stays."""
    assert as_options(words, {"--split"}).startswith(expected)


def test_each_face_names_its_own(tmp_path: Path) -> None:
    """The same mistake, told to who scores in Python and to who scores on the command line."""
    pairs = tmp_path / "pairs.csv"
    pairs.write_text("id,reference,candidate\n1,No mass.,\n1,No mass.,A mass.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"row 2: .* \(`on_error=skip` goes on without it\)$"):
        overread.score_corpus(pairs, tmp_path / "out.jsonl", metrics=["rouge"])
    command = [sys.executable, "-m", "overread", "corpus", str(pairs), "-o", "out.jsonl", "-m", "rouge"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.rstrip().endswith("(--on-error skip goes on without it)")
