"""Pairs as a caller gives them."""

from __future__ import annotations

import pytest

from overread.application.scoring.pairs import checked_pairs
from overread.domain.report import ClinicalContext
from overread.exceptions import InputError


def row(identifier: str, **context: object) -> dict[str, object]:
    return {"id": identifier, "reference": "", "candidate": "", **context}


def test_mappings_carry_what_is_known_of_the_patient() -> None:
    """Ages as DICOM writes them are years; NaN, which tables in memory put for nothing, is nothing."""
    nothing = float("nan")
    known, unknown = checked_pairs(
        [
            row("a", age="066Y", sex="F", indication="cough"),
            row("b", age=nothing, sex=nothing, indication=nothing, comparison=nothing),
        ]
    )
    assert known.context == ClinicalContext(age=66.0, sex="F", indication="cough")
    assert unknown.context == ClinicalContext()


def test_an_age_that_is_none_is_refused_with_its_row() -> None:
    """The row is named, and the remedy; the value is not shown."""
    with pytest.raises(InputError, match="age is not an age in years") as refused:
        checked_pairs([row("a"), row("b", age="elderly")])
    message = str(refused.value)
    assert "row 2" in message
    assert "give years" in message
    assert "elderly" not in message
