"""Parts of a pair that can change care now: errors, and how many findings that require action both reports have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from overread.domain.differences.weighing import Weighing
from overread.domain.findings.lesion import Lesion
from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.taxonomy import ErrorCategory

__all__ = ["action_counts"]

_SIDES: Final = (
    ("reference", "stated", ErrorCategory.OMITTED_FINDING),
    ("candidate", "borne_out", ErrorCategory.FALSE_FINDING),
)
"""Of each report: its name, what a finding is that the other has too, and the category of one that it has not."""


def action_counts(weighing: Weighing, discrepancies: Iterable[Discrepancy]) -> dict[str, float]:
    """Counts of what can change care now in a pair, each 0 or more.

    ``actionable``: significant discrepancies whose importance is urgent or actionable. ``reference_actionable`` and
    ``candidate_actionable``: findings of either report of that importance, each once however often it is mentioned.
    ``reference_stated``: those of the reference that the candidate states; ``candidate_borne_out``: those of the
    candidate that the reference bears out. These are findings that no significant discrepancy is about, and that are
    neither left out nor made up, however little that matters: one on the wrong side is not stated.

    Args:
        weighing: of the pair; it knows the findings and what they require in this patient.
        discrepancies: of the pair, as finally counted; one that a second reader doubts does not count.
    """
    counted = [discrepancy for discrepancy in discrepancies if not discrepancy.is_doubtful]
    errors = sum(
        discrepancy.severity.counts_as_significant
        and discrepancy.importance is not None
        and discrepancy.importance.is_actionable
        for discrepancy in counted
    )
    counts = {"actionable": float(errors)}
    for (side, good, lost), lesions in zip(_SIDES, weighing.lesions, strict=True):
        asking = [lesion for lesion in lesions if lesion.importance.is_actionable]
        wrong = [
            frozenset(discrepancy.reference_spans if side == "reference" else discrepancy.candidate_spans)
            for discrepancy in counted
            if discrepancy.finding and (discrepancy.severity.counts_as_significant or discrepancy.category is lost)
        ]
        counts[f"{side}_actionable"] = float(len(asking))
        counts[f"{side}_{good}"] = float(sum(not any(_spans(lesion) <= spans for spans in wrong) for lesion in asking))
    return counts


def _spans(lesion: Lesion) -> frozenset[Span]:
    return frozenset(unit.span for unit in lesion.units)
