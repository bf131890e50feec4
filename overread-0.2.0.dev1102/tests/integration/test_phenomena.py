"""Wording that a reader must see through, by phenomenon: pairs written blind, for the meaning and not for the rules."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from overread import ReportPair
from overread.bootstrap.services import build_service
from overread.domain.results.result import Scored
from overread.infrastructure.settings import load_settings

_CASES: Final = tuple(
    json.loads(line)
    for line in (Path(__file__).parents[1] / "data" / "phenomena.jsonl").read_text(encoding="utf-8").splitlines()
)


@pytest.fixture(scope="module")
def flagged() -> dict[str, bool]:
    """Whether notation finds a significant discrepancy, by case."""
    service = build_service(load_settings(overrides=["metrics=notation", "second_reader=none"], environment={}))
    pairs = [ReportPair(id=case["id"], reference=case["reference"], candidate=case["candidate"]) for case in _CASES]
    outcomes = {
        each.id: result["notation"].outcome for each, result in zip(pairs, service.evaluate(pairs), strict=True)
    }
    return {
        name: isinstance(outcome, Scored) and outcome.subscores["significant"] > 0 for name, outcome in outcomes.items()
    }


def _case(case: dict[str, Any]) -> Any:
    unread = () if case["read"] else (pytest.mark.xfail(strict=True, reason="not yet understood"),)
    return pytest.param(case, id=case["id"], marks=unread)


@pytest.mark.parametrize("case", [_case(case) for case in _CASES])
def test_wording_is_told_from_error(case: dict[str, Any], flagged: dict[str, bool]) -> None:
    """Nothing significant where two reports say the same, something where they do not.

    What is not understood yet is marked so; once it is, its mark must go.
    """
    assert flagged[case["id"]] == (case["expect"] == "differ")


def test_every_phenomenon_has_five_cases_that_are_read() -> None:
    """No phenomenon is left to luck: five cases at least hold of each, of both kinds together."""
    read = Counter(case["phenomenon"] for case in _CASES if case["read"])
    assert {case["phenomenon"] for case in _CASES} == read.keys()
    assert min(read.values()) >= 5, read
