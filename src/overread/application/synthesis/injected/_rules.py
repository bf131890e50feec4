"""Injection by rules: proposes edits of a category, and takes the first that stands up to the checks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from attrs import field, frozen

from overread.application.ports import UnitExtractor
from overread.application.synthesis.injected import _attributes, _language, _statements
from overread.application.synthesis.injected._categories import Category, Subset
from overread.application.synthesis.injected._checks import fault_of_reading, fault_of_text
from overread.application.synthesis.injected._edit import Edit
from overread.application.synthesis.injected._pair import InjectedPair
from overread.application.synthesis.injected._reading import Reading
from overread.application.synthesis.invented._draws import Draws
from overread.domain.report import Report
from overread.domain.result import Unscored
from overread.domain.severity import Severity
from overread.domain.taxonomy import ErrorAspect, ErrorType

__all__ = ["RuleInjector", "proposals"]

_Rule = Callable[[Reading, Subset, ErrorType | None], Iterator[Edit]]

_RULES: Final[Mapping[ErrorAspect, _Rule]] = {
    ErrorAspect.LOCATION: _attributes.location,
    ErrorAspect.SEVERITY: _attributes.severity,
    ErrorAspect.DESCRIPTION: _statements.description,
    ErrorAspect.COMPARISON: _attributes.comparison,
    ErrorAspect.NEGATION: _statements.negation,
    ErrorAspect.MODALITY: _statements.modality,
    ErrorAspect.SIZE: _attributes.size,
    ErrorAspect.CONTRADICTION: _statements.contradiction,
    ErrorAspect.UNCERTAINTY: _statements.uncertainty,
    ErrorAspect.TERMINOLOGY: _statements.terminology,
    ErrorAspect.NOISE: _language.noise,
    ErrorAspect.STYLE: _language.style,
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
        faults: how many edits failed a check, by subset, category and check.
    """

    extractor: UnitExtractor
    rereads: bool = True
    faults: Counter[tuple[Subset, Category, str]] = field(factory=Counter, init=False, repr=False)

    def inject(
        self, reading: Reading, study: str, category: Category, subset: Subset, draws: Draws
    ) -> InjectedPair | None:
        """A pair of a category whose reference is the report; None where no edit stands up to the checks."""
        edit = self.edit(reading, category, subset, draws)
        return None if edit is None else _pair(reading, study, edit, category, subset)

    def edit(self, reading: Reading, category: Category, subset: Subset, draws: Draws) -> Edit | None:
        """An edit of a category that stands up to the checks; None where ten do not, or there is none."""
        edits = draws.shuffled(proposals(reading, category, subset))
        for edit in edits[:_MOST_TRIES]:
            fault = self._fault(reading, edit, category, subset)
            if not fault:
                return edit
            self.faults[subset, category, fault] += 1
        if not edits:
            self.faults[subset, category, "no place"] += 1
        return None

    def _fault(self, reading: Reading, edit: Edit, category: Category, subset: Subset) -> str:
        candidate = edit.applied(reading.text)
        slips = category.aspect is ErrorAspect.NOISE
        if fault := fault_of_text(reading.text, candidate, edit.spans(reading.text), slips=slips):
            return fault
        if not self.rereads:
            return ""
        (after,) = self.extractor.extract([Report(candidate)])
        return "unreadable" if isinstance(after, Unscored) else fault_of_reading(reading, after, category, subset)


def _pair(reading: Reading, study: str, edit: Edit, category: Category, subset: Subset) -> InjectedPair:
    usual = Severity.SIGNIFICANT if subset is Subset.DISCRIMINATION else Severity.INSIGNIFICANT
    return InjectedPair(
        study=study,
        category=category,
        subset=subset,
        severity=edit.severity or usual,
        reference=reading.text,
        candidate=edit.applied(reading.text),
        spans=edit.spans(reading.text),
        explanation=edit.explanation,
    )
