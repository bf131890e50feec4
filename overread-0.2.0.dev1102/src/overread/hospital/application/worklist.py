"""Summaries of pairs' results in a worklist. Every store takes them from here, so that they agree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import field, frozen

from overread.domain.differences.edits import Edits, edits_of
from overread.domain.differences.unread import least_read
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Unscored
from overread.domain.vocabulary.equality import in_tuple
from overread.domain.vocabulary.severity import Importance, gravest
from overread.hospital.application.requests import PairState

__all__ = ["DISCREPANCIES_OF", "RISK_OF", "Summary", "edits_found", "is_significant", "summary_of"]

RISK_OF: Final = "radot"
"""The metric whose score is a pair's risk."""

DISCREPANCIES_OF: Final = "notation"
"""The metric whose discrepancies are a pair's."""


@frozen(kw_only=True)
class Summary:
    """A pair's results in short.

    Attributes:
        state: scored where both metrics have a score; unscored where either has none; waiting without results of both.
        reason: why there is no score; "" where there is one.
        risk: score of radot on [0, 1], lower is better.
        importance: of the gravest significant discrepancy; None where none is significant. A trifle about an urgent
            finding does not make a pair urgent.
        significant, insignificant: numbers of discrepancies; doubtful ones are insignificant.
        findings: lexicon ids of the discrepancies, each once; significant ones first, then by weight.
        read: share of the words that was read of the report of which less was, on [0, 1], higher is better: what is not
            found may stand in the rest. None where there is no score, or the reader does not know.
    """

    state: PairState
    reason: str = ""
    risk: float | None = None
    importance: Importance | None = None
    significant: int = 0
    insignificant: int = 0
    findings: tuple[str, ...] = field(default=(), converter=in_tuple)
    read: float | None = None


def summary_of(results: Mapping[str, EvaluationResult]) -> Summary:
    """Summary of a pair's results by metric, all under the signatures that are asked for."""
    shown = [results[metric] for metric in (RISK_OF, DISCREPANCIES_OF) if metric in results]
    unscored = [result.outcome for result in shown if isinstance(result.outcome, Unscored)]
    if unscored:
        return Summary(state=PairState.UNSCORED, reason=unscored[0].reason)
    if {result.metric for result in shown} != {RISK_OF, DISCREPANCIES_OF}:
        return Summary(state=PairState.WAITING)
    discrepancies = results[DISCREPANCIES_OF].discrepancies
    significant = [discrepancy for discrepancy in discrepancies if is_significant(discrepancy)]
    return Summary(
        state=PairState.SCORED,
        risk=results[RISK_OF].score,
        importance=_gravest(significant),
        significant=len(significant),
        insignificant=len(discrepancies) - len(significant),
        findings=tuple(
            dict.fromkeys(
                discrepancy.finding for discrepancy in sorted(discrepancies, key=_gravity) if discrepancy.finding
            )
        ),
        read=least_read(results[DISCREPANCIES_OF].scored.subscores),
    )


def edits_found(report_pair: ReportPair | None, results: Mapping[str, EvaluationResult]) -> Edits | None:
    """Edits by which a pair's candidate became its reference.

    Args:
        report_pair: the texts; None once they are no longer kept.
        results: by metric, all under the signatures that are asked for.

    Returns:
        None without texts or without a score, and where the two are no near copies of each other.
    """
    result = results.get(DISCREPANCIES_OF)
    if report_pair is None or result is None or not result.is_scored:
        return None
    return edits_of(report_pair, result.discrepancies)


def is_significant(discrepancy: Discrepancy) -> bool:
    """Returns whether a discrepancy counts as significant: it is likely to be one, and could change what is done."""
    return discrepancy.severity.counts_as_significant and not discrepancy.is_doubtful


def _gravest(discrepancies: Iterable[Discrepancy]) -> Importance | None:
    weighed = [discrepancy.importance for discrepancy in discrepancies if discrepancy.importance is not None]
    return gravest(weighed) if weighed else None


def _gravity(discrepancy: Discrepancy) -> tuple[bool, float]:
    return (not is_significant(discrepancy), -(discrepancy.weight or 0.0))
