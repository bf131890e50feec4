"""The threat model names tests; a test that was renamed or is gone would leave a claim without what shows it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
_PAGE: Final = ROOT / "docs" / "threat-model.md"


@cache
def _tests() -> frozenset[tuple[str, str]]:
    """Path and name of every test there is."""
    return frozenset(
        (path.relative_to(ROOT).as_posix(), name)
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^(?:async )?def (test_\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    )


def test_every_test_that_the_threat_model_names_is_there() -> None:
    """By the end of its path and its name."""
    named = re.findall(r"`([\w./]+\.py)::(\w+)`", _PAGE.read_text(encoding="utf-8"))
    assert len(named) > 20
    gone = [f"{path}::{name}" for path, name in named if not _is_there(path, name)]
    assert gone == []


def _is_there(path: str, name: str) -> bool:
    return any(found.endswith(f"/{path}") or found == path for found, test in _tests() if test == name)


def test_every_claim_names_a_test() -> None:
    """A row of what stands against an attack without a test would be a promise."""
    claims = _PAGE.read_text(encoding="utf-8").partition("## Attackers")[2].partition("## What is not covered")[0]
    rows = [line for line in claims.splitlines() if line.startswith("| ") and "shown by" not in line]
    assert len(rows) > 20
    assert [row for row in rows if ".py::" not in row] == []
