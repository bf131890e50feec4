"""RADPEER score proposed for a pair, for a person to confirm or change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import field, frozen

from overread.domain.differences.unread import little_read
from overread.domain.findings.extents import ABSENT
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Importance, Severity
from overread.hospital.domain.review import Radpeer

__all__ = ["OUTRIGHT", "Proposal", "proposal", "proposal_of"]

OUTRIGHT: Final = ABSENT - 1e-9
"""Extent from which a finding is wrong outright: left out, made up or denied, and not as slight, old or possible."""

_SCORES: Final = {
    (False, False): Radpeer.UNDERSTANDABLE_INSIGNIFICANT,
    (False, True): Radpeer.UNDERSTANDABLE_SIGNIFICANT,
    (True, False): Radpeer.EXPECTED_INSIGNIFICANT,
    (True, True): Radpeer.EXPECTED_SIGNIFICANT,
}
"""Scores by whether the right reading was to be expected, and whether the discrepancy is likely significant."""


@frozen(kw_only=True)
class Proposal:
    """A score that a program proposes, and why. It is no score until a person gives it.

    Attributes:
        score: the proposed one.
        reasons: in words, without report text; one or more.
    """

    score: Radpeer
    reasons: tuple[str, ...] = field(converter=in_tuple)


def proposal(result: EvaluationResult | None) -> Proposal | None:
    """Propose a score for a result of notation; None if the result has no score."""
    if result is None or not result.is_scored:
        return None
    return proposal_of(result.discrepancies, read=little_read(result.scored.subscores))


def proposal_of(discrepancies: Sequence[Discrepancy], *, read: str = "") -> Proposal:
    """Propose a score for the discrepancies between a first and a final report: the gravest that any calls for.

    RADPEER (American College of Radiology, scoring of 2016) asks whether the first reader's interpretation can be
    agreed with (1), differs understandably (2), or differs where it should be right most of the time (3); and whether
    that is unlikely (a) or likely (b) to be clinically significant. A program sees reports and no images, so it cannot
    know how hard a finding was to see. These rules stand in for judgement, and are ours:

    - 1 if no discrepancy is significant; one that a second reader doubts is not.
    - b if the importance of the finding is actionable or urgent, else a.
    - 3 if the first report contradicts itself, which rereading it shows, or if something urgent is outright wrong,
      which every reading looks for first; else 2.
    """
    counted = [
        discrepancy
        for discrepancy in discrepancies
        if discrepancy.severity.counts_as_significant and not discrepancy.is_doubtful
    ]
    if not counted:
        more = f"{len(discrepancies)} of no significance" if discrepancies else "none was found"
        more += f" in what was read: {read}" if read else ""
        return Proposal(score=Radpeer.CONCUR, reasons=(f"no significant discrepancy ({more})",))
    scores = [
        _SCORES[bool(_expectation_reason(discrepancy)), _is_likely_significant(discrepancy)] for discrepancy in counted
    ]
    score = max(scores, key=list(Radpeer).index)
    asking = [discrepancy for discrepancy, own in zip(counted, scores, strict=True) if own is score]
    return Proposal(score=score, reasons=tuple(dict.fromkeys(_reason(discrepancy) for discrepancy in asking)))


def _expectation_reason(discrepancy: Discrepancy) -> str:
    """Reason why the right reading was to be expected; "" if there is none."""
    if discrepancy.severity is Severity.CRITICAL:
        return "the report contradicts itself"
    outright = discrepancy.extent is not None and discrepancy.extent >= OUTRIGHT
    return "something urgent is wrong outright" if discrepancy.importance is Importance.URGENT and outright else ""


def _is_likely_significant(discrepancy: Discrepancy) -> bool:
    return discrepancy.importance is not None and discrepancy.importance.is_actionable


def _reason(discrepancy: Discrepancy) -> str:
    what = discrepancy.label.lower()
    name = f"{what} ({discrepancy.finding.replace('_', ' ')})" if discrepancy.finding else what
    weighed = f"{discrepancy.importance.words} finding" if discrepancy.importance else "a finding that is not weighed"
    expected = (
        _expectation_reason(discrepancy) or "it may be an understandable miss: how hard it was to see is not known"
    )
    return f"{name}: {weighed}; {expected}"
