"""Sentences that say something about the one before, for example "This is unchanged.".

Only a sentence whose subject is a bare pronoun is carried, and only to the sentence right before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from attrs import evolve

from overread.adapters.lexicon.grammar import CarryingWords, any_of
from overread.domain.findings.unit import UNCHANGED, Certainty, Change, ClinicalUnit, Polarity, Temporality

__all__ = ["Carrier"]


class Carrier:
    """Tells what sentences without a subject of their own say of the findings before."""

    def __init__(self, rules: CarryingWords) -> None:
        adverbs = rf"(?:{any_of(rules.adverbs)}\s+)*"
        verb = rf"\s+{adverbs}{any_of(rules.verbs | rules.placing)}\b"
        lead = rf"(?:{any_of(rules.leads)},?\s+)?"
        self._one = re.compile(f"{lead}{any_of(rules.one)}{verb}", re.IGNORECASE)
        self._several = re.compile(f"{lead}{any_of(rules.several)}{verb}", re.IGNORECASE)
        self._bare = re.compile(rf"{any_of(rules.bare)}\W*", re.IGNORECASE)
        self._denial = re.compile(rf"{lead}{any_of(rules.denying)}{verb}\s+{any_of(rules.seen)}\b", re.IGNORECASE)
        self._part = re.compile(rf"{lead}(?:its|their)\s+(?:\w+\s+)?{any_of(rules.parts)}{verb}", re.IGNORECASE)
        self._placing = re.compile(rf"{lead}\w+(?:\s+\w+)?\s+{adverbs}{any_of(rules.placing)}\b", re.IGNORECASE)
        self._beside = re.compile(rf"\b{any_of(rules.beside)}\b", re.IGNORECASE)

    def carried(self, found: Sequence[ClinicalUnit], before: Sequence[ClinicalUnit]) -> list[ClinicalUnit] | None:
        """The units of the sentence before with what is told of them; None where nothing is.

        Change and sizes are told, degree and words of appearance, and by "it lies" the place.
        """
        if len(found) != 1 or not (found[0].is_unread or found[0].canonical_finding == UNCHANGED):
            return None
        text = found[0].span_text
        if found[0].polarity is Polarity.ABSENT and self._denial.match(text):
            return _deny_open(before)
        description = self._description(found[0], text)
        if description.change is None and not (
            description.measurements or description.modifiers or description.severity or description.anatomy
        ):
            return None
        subjects = [unit for unit in before if unit.asserts_finding]
        if self._one.match(text) or self._part.match(text):
            subjects = subjects[-1:]
        elif not self._several.match(text) and not self._bare.fullmatch(text):
            return None
        if not subjects:
            return None
        ids = {id(unit) for unit in subjects}
        return [_add_description(unit, description) if id(unit) in ids else unit for unit in before]

    def goes_on(self, found: Sequence[ClinicalUnit]) -> bool:
        """Return whether a sentence is about the finding before but says nothing known: "Its lumen is fluffy"."""
        if len(found) != 1 or not found[0].is_unread:
            return False
        return any(form.match(found[0].span_text) for form in (self._one, self._several, self._part))

    def _description(self, unit: ClinicalUnit, text: str) -> ClinicalUnit:
        """The unit without what its sentence denies, and without places that it only names."""
        is_placed = self._placing.match(text) is not None and self._beside.search(text) is None
        if unit.polarity is Polarity.PRESENT:
            return unit if is_placed else evolve(unit, anatomy=frozenset())
        return evolve(unit, anatomy=frozenset(), modifiers=frozenset(), severity=None)


def _deny_open(before: Sequence[ClinicalUnit]) -> list[ClinicalUnit] | None:
    """The units with what they leave open denied: "Pneumonia was suspected. None is seen."; None where nothing is."""
    if not any(map(_is_open, before)):
        return None
    return [
        evolve(unit, polarity=Polarity.ABSENT, certainty=None, temporality=Temporality.CURRENT)
        if _is_open(unit)
        else unit
        for unit in before
    ]


def _is_open(unit: ClinicalUnit) -> bool:
    is_doubtful = unit.polarity is Polarity.UNCERTAIN or unit.certainty is Certainty.PROBABLE
    is_possible = unit.temporality is Temporality.HYPOTHETICAL and unit.polarity is Polarity.PRESENT
    return bool(unit.canonical_finding) and not unit.administrative and (is_doubtful or is_possible)


def _add_description(unit: ClinicalUnit, said: ClinicalUnit) -> ClinicalUnit:
    change = unit.change or said.change
    here, there = unit.place, said.place
    is_elsewhere = (here.sides and there.sides) or (here.heights and there.heights)
    return evolve(
        unit,
        change=change,
        severity=unit.severity or said.severity,
        anatomy=unit.anatomy if is_elsewhere else unit.anatomy | said.anatomy,
        modifiers=unit.modifiers | said.modifiers,
        measurements=unit.measurements or said.measurements,
        polarity=Polarity.ABSENT if change is Change.RESOLVED else unit.polarity,
    )
