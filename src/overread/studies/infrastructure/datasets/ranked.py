"""The ranked candidates that come with overread."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from overread.domain.reports.report import ClinicalContext
from overread.studies.application.cards.ranked import RankedCase
from overread.studies.infrastructure.datasets.json_lines import read_json_lines

__all__ = ["read_rankings"]

_FILE: Final = Path(__file__).parent / "rankings" / "cases.jsonl"


def read_rankings(half: str = "both") -> list[RankedCase]:
    """Read the cases of a half.

    Args:
        half: "odd", which was looked at while the rules of radot were made, "even", which was not, or "both".
    """
    problem, remedy = "is not a ranked case", "use the file as it comes with overread"
    cases = read_json_lines(_FILE, _case, problem=problem, remedy=remedy)
    return [case for case in cases if half == "both" or int(case.id[-2:]) % 2 == (half == "odd")]


def _case(row: Mapping[str, Any]) -> RankedCase:
    patient = ClinicalContext(age=row["age"] or None, sex=row["sex"] or None, indication=row["indication"] or None)
    return RankedCase(row["id"], patient, row["reference"], row["candidates"], row["orders"])
