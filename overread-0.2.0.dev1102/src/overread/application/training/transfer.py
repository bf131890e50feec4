"""Ranking of pairs by a readout that was not fitted on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.statistics.correlations import Spearman, zero_where_undefined
from overread.domain.results.annotation import AnnotatedPair
from overread.domain.results.readout import TARGETS, MonotoneReadout

__all__ = ["TransferRow", "rank_correlation", "targets_of", "transfer_rows"]

Matrix = npt.NDArray[np.float64]


@frozen(kw_only=True)
class TransferRow:
    """Ranking of pairs by a readout that was not fitted on them.

    Attributes:
        style: style of the pairs; "" for all of them.
        pairs: number of pairs.
        scores: Spearman's correlation of risk and errors, by target.
        harmless: number of pairs without errors.
        separation: share of couples of a pair with errors and one without in which the former has the higher total
            risk, ties counting half; 0.5 is chance.
        length: Spearman's correlation of total risk and words among the pairs without errors; 0 is best.
        growth: the same with the difference in length between the two reports.
    """

    style: str
    pairs: int
    scores: Mapping[str, float]
    harmless: int
    separation: float
    length: float
    growth: float


def transfer_rows(readout: MonotoneReadout, rows: Matrix, pairs: Sequence[AnnotatedPair]) -> tuple[TransferRow, ...]:
    """Rows for all pairs, then for those of each style.

    Args:
        readout: frozen.
        rows: features of each pair, as the readout takes them.
        pairs: with the errors that people counted, and styles as strata where they are known.
    """
    risks = [readout.read(row).scores for row in rows]
    risk = {target: np.array([scores[target] for scores in risks]) for target in TARGETS}
    labels = targets_of(pairs)
    words = [[len(report.text.split()) for report in (p.pair.reference, p.pair.candidate)] for p in pairs]
    lengths = np.array(words, dtype=np.float64).reshape(len(pairs), 2)

    def row(style: str, chosen: npt.NDArray[np.bool_]) -> TransferRow:
        harmless = chosen & (labels["total"] == 0)
        total, length = risk["total"][harmless], lengths[harmless]
        return TransferRow(
            style=style,
            pairs=int(chosen.sum()),
            scores={target: rank_correlation(risk[target][chosen], labels[target][chosen]) for target in TARGETS},
            harmless=int(harmless.sum()),
            separation=_separation(risk["total"][chosen & ~harmless], total),
            length=rank_correlation(total, length.sum(axis=1)),
            growth=rank_correlation(total, np.abs(length[:, 0] - length[:, 1])),
        )

    styles = np.array([p.strata.get("style", "") for p in pairs], dtype=object)
    named = sorted({*styles} - {""})
    return (row("", np.ones(len(pairs), dtype=bool)), *(row(style, styles == style) for style in named))


def _separation(wrong: Matrix, harmless: Matrix) -> float:
    if not len(wrong) or not len(harmless):
        return 0.5
    ahead = wrong[:, np.newaxis] - harmless[np.newaxis, :]
    return float((ahead > 0).mean() + (ahead == 0).mean() / 2.0)


def rank_correlation(a: Matrix, b: Matrix) -> float:
    """Spearman's correlation to 12 decimals, which is what machines agree on; 0 where it is not defined.

    >>> rank_correlation(np.array([1.0, 2.0, 2.0, 9.0]), np.array([0.0, 1.0, 1.0, 5.0]))
    1.0
    """
    return round(zero_where_undefined(Spearman(), a, b), 12)


def targets_of(pairs: Sequence[AnnotatedPair]) -> dict[str, Matrix]:
    """Errors of each pair by target."""
    return {target: np.array([p.mean(target) for p in pairs], dtype=np.float64) for target in TARGETS}
