"""Judgement that a review comes to, and whether those of several readers differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import field, frozen

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.hospital.domain.review import Radpeer, Review, Verdict, VerdictKind

__all__ = ["STEPS", "Judgement", "NamedDiscrepancy", "differ", "judgement_of", "judgement_of_result", "named_by"]

STEPS: Final[tuple[Severity | None, ...]] = (None, Severity.INSIGNIFICANT, Severity.SIGNIFICANT, Severity.CRITICAL)
"""Steps of the gravest severity, from no discrepancy on."""

_SEVERITIES: Final = {
    Radpeer.CONCUR: None,
    Radpeer.UNDERSTANDABLE_INSIGNIFICANT: Severity.INSIGNIFICANT,
    Radpeer.EXPECTED_INSIGNIFICANT: Severity.INSIGNIFICANT,
    Radpeer.UNDERSTANDABLE_SIGNIFICANT: Severity.SIGNIFICANT,
    Radpeer.EXPECTED_SIGNIFICANT: Severity.SIGNIFICANT,
}


@frozen(kw_only=True)
class Judgement:
    """A reader's or the program's view of a pair in short.

    Attributes:
        severity: of the gravest discrepancy; None for none.
        categories: of the discrepancies.
        radpeer: score; None where none was given.
    """

    severity: Severity | None = None
    categories: frozenset[ErrorCategory] = frozenset()
    radpeer: Radpeer | None = None

    @property
    def is_significant(self) -> bool:
        """True if a discrepancy is significant."""
        return self.severity is not None and self.severity.counts_as_significant

    @property
    def step(self) -> int:
        """Index of the severity in `STEPS`."""
        return STEPS.index(self.severity)


@frozen(kw_only=True)
class NamedDiscrepancy:
    """A discrepancy that a reviewer confirms or adds.

    Attributes:
        severity: as they have it.
        category: of the eight; None where none is said.
        finding: id in the lexicon; "" where none is said.
        listed: the program's discrepancy that they respond to; None for one of their own.
    """

    severity: Severity
    category: ErrorCategory | None = None
    finding: str = ""
    listed: Discrepancy | None = field(default=None, repr=False)


def judgement_of(review: Review, listed: Sequence[Discrepancy]) -> Judgement:
    """The judgement of a review.

    A discrepancy of the program counts where the reviewer agrees with it or amends it, as amended; one without a
    verdict does not. A RADPEER score alone tells whether there is a discrepancy, and whether a significant one.

    Args:
        review: of a pair.
        listed: the discrepancies of the result that it is about.
    """
    if review.radpeer is not None and not review.verdicts:
        return Judgement(severity=_SEVERITIES[review.radpeer], radpeer=review.radpeer)
    named = list(named_by(review.verdicts, listed))
    return Judgement(
        severity=max((each.severity for each in named), key=STEPS.index, default=None),
        categories=frozenset(each.category for each in named if each.category is not None),
        radpeer=review.radpeer,
    )


def judgement_of_result(discrepancies: Sequence[Discrepancy], radpeer: Radpeer | None = None) -> Judgement:
    """The program's judgement; a doubtful discrepancy counts as insignificant."""
    severities = [Severity.INSIGNIFICANT if each.is_doubtful else each.severity for each in discrepancies]
    return Judgement(
        severity=max(severities, key=STEPS.index, default=None),
        categories=frozenset(each.category for each in discrepancies if each.category is not None),
        radpeer=radpeer,
    )


def differ(judgements: Sequence[Judgement]) -> bool:
    """Return whether judgements differ so that one of the pair is to be adjudicated.

    They do where the gravest severity is another, by a step or more, no discrepancy being the lowest: so they do
    where a significant discrepancy is seen by some alone. They do too where RADPEER scores are concordant and
    discordant.
    """
    scores = {judgement.radpeer.is_concordant for judgement in judgements if judgement.radpeer is not None}
    return len({judgement.severity for judgement in judgements}) > 1 or len(scores) > 1


def named_by(verdicts: Sequence[Verdict], listed: Sequence[Discrepancy]) -> Iterator[NamedDiscrepancy]:
    """Yield the discrepancies that verdicts name: those of the program as they are amended, and the reviewer's own.

    Args:
        verdicts: of one review.
        listed: the discrepancies of the result that it is about.
    """
    for verdict in verdicts:
        if verdict.kind is VerdictKind.DISAGREE:
            continue
        at = verdict.discrepancy
        own = listed[at] if at is not None and at < len(listed) else None
        yield NamedDiscrepancy(
            severity=verdict.severity or (own.severity if own else Severity.INSIGNIFICANT),
            category=verdict.category or (own.category if own else None),
            finding=verdict.finding or (own.finding if own else ""),
            listed=own,
        )
