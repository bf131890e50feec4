"""What a sentence says of the one before it, for example "This is unchanged.".

Only a sentence whose subject is a bare pronoun is carried, and only to the sentence right before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import evolve

from overread.adapters.lexicon.grammar import CarryingWords, any_of
from overread.domain.unit import UNCHANGED, Change, ClinicalUnit, Polarity

__all__ = ["Carrier"]


class Carrier:
    """Tells what sentences without a subject of their own say of the findings before."""

    def __init__(self, rules: CarryingWords) -> None:
        verb = rf"\s+(?:{any_of(rules.adverbs)}\s+)*{any_of(rules.verbs)}\b"
        lead = rf"(?:{any_of(rules.leads)},?\s+)?"
        self._one = re.compile(f"{lead}{any_of(rules.one)}{verb}", re.IGNORECASE)
        self._several = re.compile(f"{lead}{any_of(rules.several)}{verb}", re.IGNORECASE)
        self._bare = re.compile(rf"{any_of(rules.bare)}\W*", re.IGNORECASE)

    def carried(self, found: Sequence[ClinicalUnit], before: Sequence[ClinicalUnit]) -> list[ClinicalUnit] | None:
        """The units of the sentence before with the change and sizes told of them; None where nothing is."""
        if len(found) != 1 or not (found[0].is_unread or found[0].canonical_finding == UNCHANGED):
            return None
        said = found[0]
        if said.change is None and not said.measurements:
            return None
        text = said.span_text
        told = [unit for unit in before if unit.asserts_finding]
        if self._one.match(text):
            told = told[-1:]
        elif not self._several.match(text) and not self._bare.fullmatch(text):
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
