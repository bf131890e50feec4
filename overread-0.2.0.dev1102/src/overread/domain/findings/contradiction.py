"""Contradictions within a report: findings it both asserts and denies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import denies, is_uncertain, sites
from overread.domain.findings.unit import ClinicalUnit

__all__ = ["Contradiction", "contradictions", "is_named_by"]

Units = Sequence[ClinicalUnit]


@frozen
class Contradiction:
    """An asserted finding and the denial of it in the same report, by their indices."""

    finding: int
    denial: int


def contradictions(reference: Units, candidate: Units, lexicon: Lexicon) -> list[Contradiction]:
    """Findings the candidate both asserts and denies, where the reference does not do so itself; each finding once.

    "Clear lungs" beside a granuloma or a scar is how people speak: what asks for no action is contradicted by its own
    name alone.
    """
    pairs = list(_find_contradictions(candidate, lexicon))
    if not pairs:
        return []
    own = {reference[index].canonical_finding for index, _ in _find_contradictions(reference, lexicon)}
    by_finding: dict[str, Contradiction] = {}
    for index, denial in pairs:
        concept = candidate[index].canonical_finding
        if concept not in own:
            by_finding.setdefault(concept, Contradiction(index, denial))
    return list(by_finding.values())


def is_named_by(denial: ClinicalUnit, finding: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Return whether a denial is of the finding itself or of what it is directly a kind of, not of everything."""
    near = {finding.canonical_finding, *_parents(finding, lexicon)}
    return not near.isdisjoint(denial.denies or {denial.canonical_finding})


def _find_contradictions(units: Units, lexicon: Lexicon) -> Iterator[tuple[int, int]]:
    denials = [
        (number, unit)
        for number, unit in enumerate(units)
        if unit.denies_finding and unit.change is None and not unit.modifiers & lexicon.qualities.rest
    ]
    if not denials:
        return
    for index, finding in enumerate(units):
        if not finding.asserts_finding or is_uncertain(finding):
            continue
        matters = lexicon.importance(finding.canonical_finding).is_actionable
        for number, denial in denials:
            if (
                _names(denial, finding, lexicon, matters=matters)
                and denies(denial, finding, lexicon)
                and not _is_of_another_part(denial, finding, lexicon)
            ):
                yield index, number
                break


def _names(denial: ClinicalUnit, finding: ClinicalUnit, lexicon: Lexicon, *, matters: bool) -> bool:
    """Return whether a denial means the finding: by name or, if it matters, by what it is directly a kind of.

    A normal statement is about the whole and leaves its exceptions to other sentences ("bones intact" beside a broken
    rib): it means only the findings that it denies by their own names.
    """
    if denial.canonical_finding == finding.canonical_finding:
        return True
    if denial.denies:
        return matters and finding.canonical_finding in denial.denies
    return matters and is_named_by(denial, finding, lexicon)


def _is_of_another_part(denial: ClinicalUnit, finding: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Return whether a denial names only body parts that the finding does not: "sternum intact" beside a broken rib."""
    parts = sites(denial, lexicon)
    return bool(parts) and parts.isdisjoint(finding.place.sites)


def _parents(finding: ClinicalUnit, lexicon: Lexicon) -> tuple[str, ...]:
    known = lexicon.findings.get(finding.canonical_finding)
    return known.parents if known else ()
