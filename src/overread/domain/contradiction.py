"""What a report says against itself: findings it both asserts and denies, or calls both better and worse."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from overread.domain.discrepancy import Discrepancy
from overread.domain.lexicon import Lexicon
from overread.domain.relation import denies, is_uncertain
from overread.domain.severity import Severity
from overread.domain.taxonomy import ErrorAspect, ErrorCategory
from overread.domain.unit import Change, ClinicalUnit

__all__ = ["contradictions"]

Units = Sequence[ClinicalUnit]

_WAYS = frozenset({Change.IMPROVED, Change.WORSENED})


def contradictions(reference: Units, candidate: Units, lexicon: Lexicon) -> Iterator[Discrepancy]:
    """Findings the candidate both asserts and denies, where the reference does not do so itself.

    "Clear lungs" beside a granuloma or a scar is how people speak: only findings that ask for action are looked at.
    """
    own = {finding.canonical_finding for finding, _, _ in _found(reference, lexicon)}
    seen: set[str] = set()
    for finding, denial, words in _found(candidate, lexicon):
        concept = finding.canonical_finding
        if concept in own or concept in seen:
            continue
        seen.add(concept)
        yield Discrepancy(
            category=ErrorCategory.FALSE_FINDING,
            aspect=ErrorAspect.CONTRADICTION,
            type=None,
            severity=Severity.CRITICAL,
            reason=f"the candidate {words.format(lexicon.name(concept))}",
            finding=concept,
            side=finding.place.side,
            reference_spans=(),
            candidate_spans=(denial.span, finding.span),
        )


def _found(units: Units, lexicon: Lexicon) -> Iterator[tuple[ClinicalUnit, ClinicalUnit, str]]:
    for finding, denial in _contradicted(units, lexicon):
        yield finding, denial, "both asserts and denies {}"
    for finding, other in _two_ways(units):
        yield finding, other, "says of {} that it is better and that it is worse"


def _two_ways(units: Units) -> Iterator[tuple[ClinicalUnit, ClinicalUnit]]:
    """Mentions of one finding on one side that went opposite ways."""
    asserted = [unit for unit in units if unit.asserts_finding and unit.change in _WAYS]
    for index, finding in enumerate(asserted):
        for other in asserted[:index]:
            same = finding.canonical_finding == other.canonical_finding
            if same and finding.change is not other.change and finding.anatomy == other.anatomy:
                yield finding, other
                break


def _contradicted(units: Units, lexicon: Lexicon) -> Iterator[tuple[ClinicalUnit, ClinicalUnit]]:
    for finding in units:
        if not finding.asserts_finding or is_uncertain(finding):
            continue
        if not lexicon.importance(finding.canonical_finding).is_actionable:
            continue
        near = {finding.canonical_finding, *_parents(finding, lexicon)}
        for denial in units:
            if denial.change is not None or denial.modifiers & lexicon.qualities.rest:
                continue
            if not near.isdisjoint(denial.denies or {denial.canonical_finding}) and denies(denial, finding, lexicon):
                yield finding, denial
                break


def _parents(finding: ClinicalUnit, lexicon: Lexicon) -> tuple[str, ...]:
    known = lexicon.findings.get(finding.canonical_finding)
    return known.parents if known else ()
