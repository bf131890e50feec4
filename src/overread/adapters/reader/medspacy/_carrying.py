"""What a sentence says of the one before it, for example "This is unchanged.".

Only a sentence whose subject is a bare pronoun is carried, and only to the sentence right before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from attrs import evolve

from overread.domain.unit import Change, ClinicalUnit, Polarity

__all__ = ["carried"]

_VERB: Final = r"\s+(?:all\s+|both\s+|also\s+)*(?:is|are|was|were|has|have|appears?|remains?|measures?)\b"
_LEAD: Final = r"(?:(?:however|again|also|overall),?\s+)?"
_ONE: Final = re.compile(rf"{_LEAD}(?:this|it|this\s+(?:finding|lesion|abnormality)){_VERB}", re.IGNORECASE)
_ALL: Final = re.compile(
    rf"{_LEAD}(?:these|they|all|both|(?:all|both)\s+of\s+(?:these|them|which)|these\s+(?:findings|lesions|abnormalities)"
    rf"|the\s+findings?){_VERB}",
    re.IGNORECASE,
)
_BARE: Final = re.compile(
    r"(?:un)?changed\W*|stable\W*|(?:not\s+significantly|largely|grossly)\s+changed\W*", re.IGNORECASE
)


def carried(said: ClinicalUnit, before: Sequence[ClinicalUnit]) -> list[ClinicalUnit] | None:
    """The units of the sentence before with the change and sizes told of them; None where nothing is told of them."""
    if not said.is_unread or (said.change is None and not said.measurements):
        return None
    text = said.span_text
    told = [unit for unit in before if unit.asserts_finding]
    if _ONE.match(text):
        told = told[-1:]
    elif not _ALL.match(text) and not _BARE.fullmatch(text):
        return None
    if not told:
        return None
    ids = {id(unit) for unit in told}
    return [_told(unit, said) if id(unit) in ids else unit for unit in before]


def _told(unit: ClinicalUnit, said: ClinicalUnit) -> ClinicalUnit:
    change = unit.change or said.change
    return evolve(
        unit,
        change=change,
        measurements=unit.measurements or said.measurements,
        polarity=Polarity.ABSENT if change is Change.RESOLVED else unit.polarity,
    )
