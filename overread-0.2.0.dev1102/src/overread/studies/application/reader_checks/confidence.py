"""Confidence: how often discrepancies hold that are told as so likely."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from overread.application.scoring.evaluate import EvaluationService, Progress
from overread.domain.reports.report import share_a_place
from overread.domain.results.annotation import MarkedPair
from overread.studies.application.reader_checks._drafts import Draft, DraftLine, counts, finish_check
from overread.studies.application.reader_checks.check import ReaderCheck

__all__ = ["calibration_error", "check_confidence"]

_BINS: Final = 10


@frozen
class _Told:
    """A discrepancy's probability, and whether it points at an error that somebody marked."""

    source: str
    probability: float
    holds: bool


def check_confidence(
    service: EvaluationService, marked: Sequence[MarkedPair], *, on_progress: Progress | None = None
) -> ReaderCheck:
    """Holds the probability of each discrepancy against whether it stands where somebody marked an error.

    A reliability table for each set of pairs: discrepancies by tenths of their probability, the mean probability that
    was told and the share that holds. The calibration error is the mean distance of both, by the number of
    discrepancies; 0 is best.

    Args:
        service: its first metric is checked, one that names discrepancies.
        marked: pairs with all their errors; those that cannot be scored are left out.
        on_progress: called with the number of pairs done.
    """
    results = service.evaluate([item.pair for item in marked], on_progress=on_progress)
    metric = service.metrics[0].name
    outcomes = [
        _Told(item.source, discrepancy.probability, any(share_a_place(discrepancy, error) for error in item.errors))
        for item, result in zip(marked, results, strict=True)
        if result[metric].is_scored
        for discrepancy in result[metric].discrepancies
    ]
    sets: defaultdict[str, list[_Told]] = defaultdict(list)
    for one in outcomes:
        sets[one.source].append(one)
    errors = {
        source: calibration_error([one.probability for one in those], [one.holds for one in those])
        for source, those in sets.items()
    }
    unscored = sum(not result[metric].is_scored for result in results)
    check = finish_check(
        "confidence",
        str(results[0][metric].signature) if results else "",
        [Draft(source.capitalize(), "discrepancies", tuple(_lines(source, outcomes))) for source in sets],
        len(outcomes),
        notes=(f"{unscored} pairs could not be scored",) if unscored else (),
    )
    facts = {f"calibration error, {source}": f"{error:.3f}" for source, error in errors.items()}
    return evolve(check, tabulation=evolve(check.tabulation, facts={**check.tabulation.facts, **facts}))


def calibration_error(probabilities: Sequence[float], holds: Sequence[bool]) -> float:
    """Expected calibration error over tenths of the probability (Naeini et al. 2015), 0 to 1, lower is better.

    >>> round(calibration_error([0.9, 0.9, 0.1], [True, False, False]), 3)
    0.3
    """
    bins: defaultdict[int, list[tuple[float, bool]]] = defaultdict(list)
    for probability, held in zip(probabilities, holds, strict=True):
        bins[_tenth(probability)].append((probability, held))
    apart = sum(abs(sum(p for p, _ in members) - sum(held for _, held in members)) for members in bins.values())
    return apart / max(len(probabilities), 1)


def _tenth(probability: float) -> int:
    return min(int(probability * _BINS), _BINS - 1)


def _lines(source: str, told: Sequence[_Told]) -> Iterator[DraftLine]:
    for tenth in range(_BINS):
        keep = counts([one.source == source and _tenth(one.probability) == tenth for one in told])
        if keep.any():
            fractions = {
                "told": (counts([one.probability for one in told]) * keep, keep),
                "held": (counts([one.holds for one in told]) * keep, keep),
            }
            name = f"{tenth / _BINS:.0%} to {(tenth + 1) / _BINS:.0%}"
            yield DraftLine(name, int(keep.sum()), fractions)
