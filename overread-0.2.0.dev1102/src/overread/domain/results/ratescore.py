"""RaTEScore's formulas (Zhao et al. 2024, section 2.4): best matches, the two directed similarities, their mean.

Each candidate entity scored against its best match in the reference gives S(x, x_hat), which is like a precision; each
reference entity against its best match in the candidate gives S(x_hat, x), which is like a recall.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.domain.entities.affinity import TYPES, Affinity
from overread.domain.entities.entity import EntityType
from overread.domain.results.result import EntityMatch

__all__ = [
    "NameMatches",
    "RateScore",
    "best_matches",
    "directed_similarity",
    "harmonic_mean",
    "ratescore",
    "weighted_mean",
]

Array = npt.NDArray[np.float64]


@frozen(eq=False)
class NameMatches:
    """Similarities of the names of two reports' entities, and the nearest match of each.

    Attributes:
        similarities: cosines on [-1, 1], reference x candidate.
        back: the same the other way, candidate x reference.
        matches: for each name of the reference the index of its best match.
        back_matches: for each name of the candidate.
    """

    similarities: Array
    back: Array
    matches: npt.NDArray[np.intp]
    back_matches: npt.NDArray[np.intp]


@frozen(kw_only=True)
class RateScore:
    """RaTEScore of one pair; score 0 to 1 and higher is better, either direction at most 1 and possibly negative.

    Attributes:
        score: harmonic mean of precision and recall.
        precision: S(x, x_hat), over the candidate's entities.
        recall: S(x_hat, x), over the reference's entities.
        reference_matches, candidate_matches: the match of each entity of that side in the other report.
    """

    score: float
    precision: float
    recall: float
    reference_matches: tuple[EntityMatch, ...]
    candidate_matches: tuple[EntityMatch, ...]


_TIE: Final = 1e-5
"""Cosines this near are equal: one name embedded twice may differ by rounding."""


def best_matches(
    similarities: Array, scored: Sequence[EntityType] = (), others: Sequence[EntityType] = ()
) -> npt.NDArray[np.intp]:
    """Column of the highest similarity in each row (equation 3).

    Several rows may share a column, and no similarity is too low: there is no threshold. Among equals, which the paper
    leaves open, one of the row's type comes first, then the leftmost: a report that denies a name at one place and
    asserts it at another matches itself.

    Args:
        similarities: cosines, rows x columns.
        scored: types of the rows; without them, the leftmost of equals is taken.
        others: types of the columns.

    >>> best_matches(np.array([[0.2, 0.9], [-0.5, -0.5]]))
    array([1, 0])
    """
    best = similarities >= similarities.max(axis=1, keepdims=True) - _TIE
    if scored:
        alike = best & (_indices(scored)[:, None] == _indices(others)[None, :])
        best = np.where(alike.any(axis=1, keepdims=True), alike, best)
    return np.asarray(np.argmax(best, axis=1))


def directed_similarity(
    similarities: Array,
    scored: Sequence[EntityType],
    others: Sequence[EntityType],
    affinity: Affinity,
    matches: npt.NDArray[np.intp] | None = None,
) -> tuple[float, tuple[EntityMatch, ...]]:
    """Degree to which the other report bears out the scored one (equations 4 and 5), and the matches behind it.

    Similarities below 0 count as they are. The value is at most 1, and 0 where the weights add up to 0 or either
    report has no entity.

    Args:
        similarities: cosines on [-1, 1], scored x others.
        scored: types of the entities that are scored.
        others: types of the entities that they are matched with.
        affinity: weights and penalties.
        matches: for each scored entity the index of its match; by default the best (`best_matches`).
    """
    if not scored or not others:
        return 0.0, ()
    matches = best_matches(similarities, scored, others) if matches is None else matches
    rows = _indices(scored)
    columns = _indices(others)[matches]
    cosines = similarities[np.arange(len(scored)), matches]
    weights, penalties = affinity.weights[rows, columns], affinity.penalties[rows, columns]
    value = weighted_mean((weights * cosines * penalties).sum(), weights.sum())
    details = zip(matches.tolist(), cosines.tolist(), weights.tolist(), penalties.tolist(), strict=True)
    return float(value), tuple(EntityMatch(entity, *match) for entity, match in enumerate(details))


def weighted_mean(total: npt.ArrayLike, weight: npt.ArrayLike) -> Array:
    """A weighted total over its weight, elementwise; 0 where the weight is 0."""
    total, weight = np.asarray(total, dtype=np.float64), np.asarray(weight, dtype=np.float64)
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)


def harmonic_mean(precision: npt.ArrayLike, recall: npt.ArrayLike) -> Array:
    """Harmonic mean of the two directions, elementwise; 0 where either is 0 or less.

    The paper has 0 only where both add up to 0; of a negative direction, which takes negative cosines, its formula
    makes a number outside 0 to 1, however large.

    >>> float(harmonic_mean(1.0, 0.5)), float(harmonic_mean(0.9, -0.8))
    (0.6666666666666666, 0.0)
    """
    precision, recall = np.asarray(precision, dtype=np.float64), np.asarray(recall, dtype=np.float64)
    positive = (precision > 0) & (recall > 0)
    return np.divide(2 * precision * recall, precision + recall, out=np.zeros(positive.shape), where=positive)


def ratescore(
    reference: Sequence[EntityType],
    candidate: Sequence[EntityType],
    similarities: Array,
    affinity: Affinity,
    back: Array | None = None,
    matched: NameMatches | None = None,
) -> RateScore:
    """RaTEScore of a pair.

    Args:
        reference: types of the reference's entities.
        candidate: types of the candidate's entities.
        similarities: cosines of their names on [-1, 1], reference x candidate; or what stands for them.
        affinity: weights and penalties.
        back: those of the candidate's entities to the reference's, candidate x reference, where the order makes a
            difference; cosines are symmetric.
        matched: whose matches to take; by default those of the highest similarity.

    Raises:
        ValueError: if the similarities have another shape.
    """
    back = similarities.T if back is None else back
    if similarities.shape != (len(reference), len(candidate)) or back.shape != similarities.T.shape:
        raise ValueError(f"similarities must be {len(reference)} x {len(candidate)}, not {similarities.shape}")
    there, here = (None, None) if matched is None else (matched.matches, matched.back_matches)
    precision, candidate_matches = directed_similarity(back, candidate, reference, affinity, here)
    recall, reference_matches = directed_similarity(similarities, reference, candidate, affinity, there)
    return RateScore(
        score=float(harmonic_mean(precision, recall)),
        precision=precision,
        recall=recall,
        reference_matches=reference_matches,
        candidate_matches=candidate_matches,
    )


def _indices(types: Sequence[EntityType]) -> npt.NDArray[np.intp]:
    return np.array([_INDEX[kind] for kind in types], dtype=np.intp)


_INDEX = {kind: index for index, kind in enumerate(TYPES)}
