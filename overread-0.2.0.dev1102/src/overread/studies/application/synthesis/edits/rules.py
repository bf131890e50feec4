"""Injection by rules: proposes edits of a category, and takes the first that stands up to the checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from attrs import field, frozen

from overread.application.ports import UnitExtractor
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.studies.application.synthesis.draws import Draws
from overread.studies.application.synthesis.edits import attributes, denials, language, statements
from overread.studies.application.synthesis.edits.categories import Category, Subset
from overread.studies.application.synthesis.edits.checks import DOES_NOT_MATTER, fault_of_reading, fault_of_text
from overread.studies.application.synthesis.edits.edit import Change, Edit
from overread.studies.application.synthesis.edits.reading import Reading

__all__ = ["RuleInjector", "proposals"]

_Rule = Callable[[Reading, Subset, ErrorType | None], Iterator[Edit]]

_RULES: Final[Mapping[ErrorAspect, _Rule]] = {
    ErrorAspect.LOCATION: attributes.location,
    ErrorAspect.SEVERITY: attributes.severity,
    ErrorAspect.DESCRIPTION: statements.description,
    ErrorAspect.COMPARISON: attributes.comparison,
    ErrorAspect.NEGATION: denials.negation,
    ErrorAspect.MODALITY: statements.modality,
    ErrorAspect.SIZE: attributes.size,
    ErrorAspect.CONTRADICTION: denials.contradiction,
    ErrorAspect.UNCERTAINTY: statements.uncertainty,
    ErrorAspect.TERMINOLOGY: statements.terminology,
    ErrorAspect.NOISE: language.noise,
    ErrorAspect.STYLE: language.style,
}

_MOST_TRIES: Final = 10
"""Edits of one report that are tried for one category: where ten fail, an eleventh seldom succeeds."""


def proposals(reading: Reading, category: Category, subset: Subset) -> Iterator[Edit]:
    """Every edit of a category that the report has a place for, before any check."""
    return _RULES[category.aspect](reading, subset, category.type)


@frozen(eq=False)
class RuleInjector:
    """Edits reports by rules on their units.

    Attributes:
        extractor: reads every edited report again.
        rereads: whether an edit that reads otherwise than meant is dropped; else only the text is checked.
        matters: whether an edit that is meant to matter is dropped where it does not.
        faults: how many edits failed a check, by check.
    """

    extractor: UnitExtractor
    rereads: bool = True
    matters: bool = True
    faults: Counter[str] = field(factory=Counter, init=False, repr=False)

    def edit(self, reading: Reading, category: Category, subset: Subset, draws: Draws) -> Edit | None:
        """An edit of a category that stands up to the checks; None where ten do not, or there is none."""
        edits = draws.shuffled(proposals(reading, category, subset))
        for edit in edits[:_MOST_TRIES]:
            fault = self.fault(reading, edit, category, subset)
            if not fault:
                return edit
            self.faults[fault] += 1
        if not edits:
            self.faults["no place"] += 1
        return None

    def several(
        self,
        reading: Reading,
        kinds: Iterable[tuple[Category, Subset]],
        wanted: int,
        draws: Draws,
        *,
        beside: Iterable[Edit] = (),
    ) -> list[tuple[Category, Subset, Edit]]:
        """Up to so many edits, at most one of each kind, each in sentences of its own: none bears on another.

        Args:
            reading: the report.
            kinds: in the order in which they are tried.
            wanted: number of edits.
            draws: the choices.
            beside: edits made already.
        """
        taken = {reading.sentence_number(change.start) for edit in beside for change in edit.changes}
        made: list[tuple[Category, Subset, Edit]] = []
        for category, subset in kinds:
            if len(made) == wanted:
                break
            edit = self.edit(reading, category, subset, draws)
            if edit is None:
                continue
            places = {reading.sentence_number(change.start) for change in edit.changes}
            if taken.isdisjoint(places):
                taken |= places
                made.append((category, subset, edit))
        return made

    def fault(self, reading: Reading, edit: Edit, category: Category, subset: Subset) -> str:
        """Fault of an edit, as a text or as it is read; "" if there is none."""
        candidate = edit.apply(reading.text)
        slips = category.aspect is ErrorAspect.NOISE
        if fault := fault_of_text(reading.text, candidate, edit.spans(reading.text), slips=slips):
            return fault
        if not all(_may(reading, change, category) for change in edit.changes):
            return "no finding edited"
        if not self.rereads:
            return ""
        (after,) = self.extractor.extract([Report(candidate)])
        if isinstance(after, Unscored):
            return "unreadable"
        fault = fault_of_reading(reading, after, category, subset)
        return "" if fault == DOES_NOT_MATTER and not self.matters else fault


def _may(reading: Reading, change: Change, category: Category) -> bool:
    """Returns whether a change stays within what is seen, and out of remarks on the report or the examination."""
    start, end = change.start, change.end
    while start < end and not reading.text[start].isalnum():
        start += 1
    while end > start and not reading.text[end - 1].isalnum():
        end -= 1
    return reading.may_change(start, end, advice=category.aspect is ErrorAspect.MODALITY)
