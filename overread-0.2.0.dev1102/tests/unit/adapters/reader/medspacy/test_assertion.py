"""Sentences that assert, deny or leave open the findings they name. All are invented; see ``assertion.jsonl``."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from overread.domain.findings.unit import ClinicalUnit

Read = Callable[[str], tuple[ClinicalUnit, ...]]

_ROWS: Final[list[dict[str, Any]]] = [
    json.loads(line)
    for line in (Path(__file__).parents[4] / "data" / "assertion.jsonl").read_text("utf-8").splitlines()
]

# Sentences that are still misread. One that is read as it should be leaves this list; none is added.
_MISREAD: Final = frozenset(
    {
        "limitation-088",
        "limitation-012",
        "limitation-046",
        "limitation-060",
        "limitation-069",
        "limitation-074",
        "limitation-081",
        "limitation-086",
        "limitation-089",
        "limitation-097",
        "limitation-103",
        "limitation-108",
        "limitation-111",
        "denial-060",
        "denial-065",
        "denial-076",
        "denial-086",
        "denial-088",
        "denial-096",
        "finding-053",
        "finding-080",
        "finding-093",
    }
)


def _row(row: dict[str, Any]) -> Any:
    marks = [pytest.mark.xfail(strict=True, reason="not yet read")] if row["id"] in _MISREAD else []
    return pytest.param(row["kind"], row["findings"], row["text"], id=row["id"], marks=marks)


@pytest.mark.parametrize(("kind", "findings", "text"), [_row(row) for row in _ROWS])
def test_a_finding_is_asserted_denied_or_left_open(read: Read, kind: str, findings: list[str], text: str) -> None:
    """A limitation leaves its findings open, a denial denies them, and what only looks like either asserts them."""
    units = read(text)
    asserted = {unit.canonical_finding for unit in units if unit.asserts_finding}
    denied = {unit.canonical_finding for unit in units if unit.denies_finding}
    expected = {"limitation": (False, False), "denial": (False, True), "finding": (True, False)}[kind]
    assert {name: (name in asserted, name in denied) for name in findings} == dict.fromkeys(findings, expected)


def test_misread_sentences_exist() -> None:
    """A sentence that was dropped is no longer listed."""
    assert {row["id"] for row in _ROWS} >= _MISREAD
