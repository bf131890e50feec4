"""The reward of a report for training its generator: notation's score without what a generator could live off.

A score judges what a report says. A reward is also searched for what it does not judge: silence, padding, words that no
rule reads, and saying a thing both ways. Each of them is taken off here; the numbers are overread's
(docs/decisions/0026).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from overread.domain.alignment import Alignment
from overread.domain.contradiction import is_named_by
from overread.domain.notation import PRIOR, Notation, agreement
from overread.domain.relation import denies
from overread.domain.unit import ClinicalUnit
from overread.domain.unread import Coverage
from overread.domain.weighing import Weighing, parts_of

__all__ = ["borne_out", "graded_reward", "legible", "to_the_point"]

_MORE_STATEMENTS: Final = 6
"""Distinct statements that a candidate may make beyond as many as its reference's: an umbrella taken apart."""

_UNREAD_SHARE: Final = 0.4
_UNREAD_WORDS: Final = 4
"""Words no rule reads that a candidate may have beyond its reference's own: a share of the reference's content words,
and a few. Other wording is not always understood; a text of such words is no report."""

_TRACE: Final = 1e-12


def graded_reward(
    notation: Notation, weighing: Weighing, alignment: Alignment, coverage: tuple[Coverage, Coverage] | None = None
) -> float:
    """The candidate's reward, 0 to 1, higher is better; 1 for a candidate that says what the reference says.

    (agreed + 0.5 x borne out) / (agreed + 0.5 + risk), times `to_the_point` and `legible`. Agreement is what the plan
    carries, so that a generator earns by saying what is there: none on a finding that it denies as well. The half point
    is earned by bearing out the parts of the body that the reference speaks of, and parts left unmentioned are charged
    there and not in the risk. No second reader's doubt takes anything off: a generator could live off that as well.

    Args:
        notation: of the pair.
        weighing: both reports' lesions and what they mean to each other.
        alignment: the plan between the units that were weighed.
        coverage: what was read of the reference and of the candidate, where that is known.
    """
    earned = notation.agreed - _unearned(weighing, alignment) + PRIOR * borne_out(weighing, alignment)
    whole = notation.agreed + PRIOR + notation.plan_risk - notation.unmentioned
    factor = to_the_point(weighing.reference, weighing.candidate) * (1.0 if coverage is None else legible(*coverage))
    return min(max(earned / whole, 0.0), 1.0) * factor


def borne_out(weighing: Weighing, alignment: Alignment) -> float:
    """Share of the parts of the body the reference speaks of in which the candidate says something it bears out.

    That is a finding both have, or a denial of none of the reference's findings. Neither a finding of the candidate's
    own nor one that it also denies makes up for silence. Range 0 to 1, higher is better; 1 if the reference speaks of
    none.
    """
    lexicon = weighing.lexicon
    wanted: set[str] = set().union(*(parts_of(unit, lexicon) for unit in weighing.reference))
    if not wanted:
        return 1.0
    said: set[str] = set()
    for column, unit in enumerate(weighing.candidate):
        if unit.asserts_finding:
            said |= _shared(unit, column, weighing, alignment)
        elif unit.denies_finding:
            wrong = (parts_of(finding, lexicon) for finding in _wrongly_denied(unit, weighing))
            said |= parts_of(unit, lexicon).difference(*wrong)
    for contradiction in weighing.contradicted:
        said -= parts_of(weighing.candidate[contradiction.finding], lexicon)
    return len(wanted & said) / len(wanted)


def to_the_point(reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit]) -> float:
    """What padding leaves of a reward: 1 for up to six statements more than the reference makes, then ever less.

    A statement counts once however often it is made. Range 0 to 1, higher is better.
    """
    allowed = len(_statements(reference)) + _MORE_STATEMENTS
    return min(1.0, allowed / max(len(_statements(candidate)), 1))


def legible(reference: Coverage, candidate: Coverage) -> float:
    """What unread words leave of a reward: 1 for some more than the reference has itself, then ever less.

    Range 0 to 1, higher is better.
    """
    allowed = reference.unread_words + _UNREAD_SHARE * reference.content_words + _UNREAD_WORDS
    return min(1.0, allowed / max(candidate.unread_words, 1))


def _statements(units: Sequence[ClinicalUnit]) -> set[tuple[object, ...]]:
    return {
        (unit.polarity, unit.canonical_finding, unit.denies, unit.place.side)
        for unit in units
        if unit.asserts_finding or unit.denies_finding
    }


def _unearned(weighing: Weighing, alignment: Alignment) -> float:
    """Agreement on findings that the candidate asserts and denies, or that it denies where the reference does not."""
    against = {contradiction.finding for contradiction in weighing.contradicted}
    columns = np.zeros(alignment.plan.shape[1], dtype=np.bool_)
    for lesion in weighing.lesions[1]:
        mentions = [index for index, _ in lesion.mentions]
        columns[mentions] = not against.isdisjoint(mentions)
    denied = {
        (finding.canonical_finding, finding.place.side)
        for unit in weighing.candidate
        if unit.denies_finding
        for finding in _wrongly_denied(unit, weighing)
        if is_named_by(unit, finding, weighing.lexicon)
    }
    rows = np.zeros(alignment.plan.shape[0], dtype=np.bool_)
    for row, unit in enumerate(weighing.reference):
        rows[row] = unit.asserts_finding and (unit.canonical_finding, unit.place.side) in denied
    return float(agreement(alignment)[rows[:, np.newaxis] | columns].sum())


def _shared(unit: ClinicalUnit, column: int, weighing: Weighing, alignment: Alignment) -> frozenset[str]:
    """Parts of the reference's findings that a finding of the candidate is matched with, or has the name of."""
    carried = alignment.plan[:, column] > _TRACE
    return frozenset().union(
        *(
            parts_of(other, weighing.lexicon)
            for row, other in enumerate(weighing.reference)
            if other.asserts_finding and (carried[row] or other.canonical_finding == unit.canonical_finding)
        )
    )


def _wrongly_denied(unit: ClinicalUnit, weighing: Weighing) -> list[ClinicalUnit]:
    """The reference's findings that a denial of the candidate denies, and no denial of the reference does."""
    lexicon = weighing.lexicon
    if unit.modifiers & lexicon.qualities.rest:
        return []
    return [
        finding
        for finding in weighing.reference
        if finding.asserts_finding
        and denies(unit, finding, lexicon)
        and not any(denies(own, finding, lexicon) for own in weighing.reference)
    ]
