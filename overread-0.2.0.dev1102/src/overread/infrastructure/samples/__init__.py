"""Sample pairs: invented reports with candidates whose errors are known."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from attrs import field, frozen

from overread.domain.reports.report import ClinicalContext, ReportPair

__all__ = ["SamplePair", "sample_pairs"]


@frozen(kw_only=True)
class SamplePair:
    """A sample pair with a radiologist's list of what is wrong.

    Attributes:
        note: what the candidate gets wrong, in plain words.
        expected: category, finding, aspect, type and significance of each error; none for a harmless rewrite.
    """

    pair: ReportPair
    style: str
    note: str
    expected: tuple[dict[str, Any], ...] = field(repr=False)


def sample_pairs() -> list[SamplePair]:
    """The shipped samples, in order."""
    lines = (files(__package__) / "pairs.jsonl").read_text(encoding="utf-8").splitlines()
    return [_sample(json.loads(line)) for line in lines]


def _sample(fields: dict[str, Any]) -> SamplePair:
    context = ClinicalContext(age=fields["age"], sex=fields["sex"], indication=fields["indication"])
    return SamplePair(
        pair=ReportPair(id=fields["id"], reference=fields["reference"], candidate=fields["candidate"], context=context),
        style=fields["style"],
        note=fields["note"],
        expected=tuple(fields["expected"]),
    )
