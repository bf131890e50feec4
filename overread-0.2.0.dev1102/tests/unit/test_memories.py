"""What remembers is bounded: nothing in the sources keeps answers by their question without a limit."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

_SOURCE: Final = Path(__file__).parents[2] / "src" / "overread"

_FEW: Final = {
    "hospital/infrastructure/serialise/records.py: _converter",  # by yes or no
    "infrastructure/views/web/templating.py: template",  # by the name of a shipped file
    "infrastructure/views/web/tabulation_page.py: _digest",  # by the text of a shipped script
}
"""Functions that can be asked few questions only."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def test_every_cache_of_a_function_has_a_limit() -> None:
    """`functools.cache` is for functions without arguments; all others say how many answers they keep."""
    boundless = {
        f"{path.relative_to(_SOURCE).as_posix()}: {name}"
        for path in _SOURCE.rglob("*.py")
        for name in boundless_in(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert boundless - _FEW == set()


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("@cache\ndef load(): ...", []),
        ("@functools.cache\ndef load(name): ...", ["load"]),
        ("@lru_cache\ndef load(name): ...", []),  # keeps 128
        ("@lru_cache(maxsize=None)\ndef load(*, name): ...", ["load"]),
        ("@lru_cache(None)\ndef load(name): ...", ["load"]),
        ("@lru_cache(maxsize=8)\ndef load(name): ...", []),
        ("kept = functools.lru_cache(maxsize=None)(load)", ["lru_cache"]),
        ("kept = cache(load)", ["cache"]),
        ("kept = lru_cache(maxsize=8)(load)", []),
        ("class A:\n    @cache\n    def load(self): ...", ["load"]),
    ],
)
def test_boundless_caches_are_found(source: str, found: list[str]) -> None:
    """However it is written, as a decorator or a call."""
    assert list(boundless_in(ast.parse(source))) == found


def boundless_in(tree: ast.Module) -> Iterator[str]:
    """Functions of a module that are cached by their arguments without a limit, and such caches made by a call."""
    decorators = set()
    for node in ast.walk(tree):
        if not isinstance(node, Function):
            continue
        decorators |= set(node.decorator_list)
        if any(map(_is_boundless, node.decorator_list)) and _has_arguments(node):
            yield node.name
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or node in decorators:
            continue
        if _is_boundless(node) or _name(node.func) == "cache":
            yield _name(node.func)


def _has_arguments(function: Function) -> bool:
    given = function.args
    return bool(given.posonlyargs or given.args or given.kwonlyargs or given.vararg or given.kwarg)


def _is_boundless(made: ast.expr) -> bool:
    if not isinstance(made, ast.Call):
        return _name(made) == "cache"
    if _name(made.func) != "lru_cache":
        return False
    limits = [*made.args[:1], *(keyword.value for keyword in made.keywords if keyword.arg == "maxsize")]
    return any(isinstance(limit, ast.Constant) and limit.value is None for limit in limits)


def _name(made: ast.expr) -> str:
    return made.attr if isinstance(made, ast.Attribute) else made.id if isinstance(made, ast.Name) else ""
