"""The reward of a report for training its generator: notation's score without what a generator could live off.

A score judges what a report says. A reward is also searched for what it does not judge: silence, padding, words that no
rule reads, saying a thing both ways or over and over, and guessing a side. Each of them is taken off here; the numbers
are overread's (docs/decisions/0026).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from math import fsum
from typing import Final

import numpy as np

from overread.domain.differences.notation import PRIOR, Notation, agreement
from overread.domain.differences.unread import Coverage
from overread.domain.differences.weighing import Weighing, parts_of
from overread.domain.findings.contradiction import is_named_by
from overread.domain.findings.extents import ABSENT
from overread.domain.findings.relation import denials_agree, denies, is_uncertain, kinship
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.results.alignment import Alignment

__all__ = ["borne_out", "graded_reward", "legible", "to_the_point"]

_MORE_STATEMENTS: Final = 6
"""Distinct statements that a candidate may make beyond as many as its reference's: an umbrella taken apart."""

_TIMES: Final = 2
"""How often a candidate may make each statement before it repeats itself: among the findings and in the impression."""

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
    carries, so that a generator earns by saying what is there: none on a finding that it denies as well. A finding that
    it puts on the side where the reference has none is worth what silence about it is: a side is easily guessed. The
    half point is earned by bearing out what the reference says of each part of the body, and parts left unmentioned are
    charged there and not in the risk. No second reader's doubt takes anything off: a generator could live off that as
    well.

    Args:
        notation: of the pair.
        weighing: both reports' lesions and what they mean to each other.
        alignment: the plan between the units that were weighed.
        coverage: what was read of the reference and of the candidate, where that is known.
    """
    agreed, charged = _agreement_and_charge(notation, weighing, alignment)
    earned = agreed - _unearned_agreement(weighing, alignment) + PRIOR * borne_out(weighing, alignment)
    whole = agreed + PRIOR + notation.plan_risk + charged
    factor = to_the_point(weighing.reference, weighing.candidate) * (1.0 if coverage is None else legible(*coverage))
    return min(earned / whole, 1.0) * factor if earned > _TRACE else 0.0


def borne_out(weighing: Weighing, alignment: Alignment) -> float:
    """Degree to which the candidate bears out what the reference says of body parts; the mean over these parts.

    A part has 0 if the candidate says nothing about it that the reference bears out: a finding that both have, or a
    denial of none of the reference's. Neither a finding that only the candidate has nor one that it also denies makes
    up for silence. Any other part has the share of the reference's denials there that the candidate makes, too, so that
    one sentence does not stand for ten; what it leaves open it does not deny. Range 0 to 1, higher is better; 1 if the
    reference mentions no part.
    """
    lexicon = weighing.lexicon
    wanted: set[str] = set().union(*(parts_of(unit, lexicon) for unit in weighing.reference))
    if not wanted:
        return 1.0
    mentioned: set[str] = set()
    for column, unit in enumerate(weighing.candidate):
        if unit.asserts_finding and not _is_across(unit, weighing):
            mentioned |= _shared_parts(unit, column, weighing, alignment)
        elif unit.denies_finding:
            wrong = (parts_of(finding, lexicon) for finding in _wrongly_denied(unit, weighing))
            mentioned |= parts_of(unit, lexicon).difference(*wrong)
    for contradiction in weighing.contradicted:
        mentioned -= parts_of(weighing.candidate[contradiction.finding], lexicon)
    denied = _denied_too(weighing)
    shares = (denied[part] for part in wanted & mentioned)
    # exact, so that the order of a set, which is another in every process, does not show in the last bit
    return fsum(sum(agreements) / len(agreements) if agreements else 1.0 for agreements in shares) / len(wanted)


def to_the_point(reference: Sequence[ClinicalUnit], candidate: Sequence[ClinicalUnit]) -> float:
    """Share of a reward left after padding: 1 for up to six statements more than the reference makes, then ever less.

    A statement counts once however often it is made. But a candidate may say each only twice, and twice what the
    reference itself repeats; repeating more costs in the same way. Range 0 to 1, higher is better.
    """
    reference_statements, candidate_statements = _statements(reference), _statements(candidate)
    distinct, allowed = len(set(candidate_statements)), len(set(reference_statements)) + _MORE_STATEMENTS
    repeated = _TIMES * (distinct + len(reference_statements) - len(set(reference_statements)))
    return min(1.0, allowed / max(distinct, 1)) * min(1.0, repeated / max(len(candidate_statements), 1))


def legible(reference: Coverage, candidate: Coverage) -> float:
    """Share of a reward left after unread words: 1 for some more than the reference itself has, then ever less.

    Range 0 to 1, higher is better.
    """
    allowed = reference.unread_words + _UNREAD_SHARE * reference.content_words + _UNREAD_WORDS
    return min(1.0, allowed / max(candidate.unread_words, 1))


def _statements(units: Sequence[ClinicalUnit]) -> list[tuple[object, ...]]:
    return [
        (unit.polarity, unit.canonical_finding, unit.denies, unit.place.side)
        for unit in units
        if unit.asserts_finding or unit.denies_finding
    ]


def _denied_too(weighing: Weighing) -> dict[str, list[bool]]:
    """Return for each body part whether each thing that the reference denies there is denied by the candidate, too."""
    lexicon = weighing.lexicon
    denials = [unit for unit in weighing.candidate if unit.denies_finding]
    firm = [unit for unit in denials if not is_uncertain(unit)]
    by_part: defaultdict[str, dict[tuple[object, ...], bool]] = defaultdict(dict)
    for unit in weighing.reference:
        if unit.denies_finding:
            key = (unit.canonical_finding, unit.denies, unit.place.side)
            those = denials if is_uncertain(unit) else firm
            agrees = any(denials_agree(unit, denial, lexicon) for denial in those)
            for part in parts_of(unit, lexicon):
                by_part[part][key] = agrees
    return defaultdict(list, {part: list(agreements.values()) for part, agreements in by_part.items()})


def _agreement_and_charge(notation: Notation, weighing: Weighing, alignment: Alignment) -> tuple[float, float]:
    """Agreement except on findings on the wrong side, and how much more silence about those would cost than they do."""
    columns = [column for column, unit in enumerate(weighing.candidate) if _is_across(unit, weighing)]
    if not columns:
        return notation.agreed, 0.0
    cost = np.clip(alignment.ground + alignment.side_total, 0.0, 1.0)[:, columns]
    plan = alignment.plan[:, columns]
    agreed = notation.agreed - float(agreement(alignment)[:, columns].sum())
    return max(agreed, 0.0), float((plan * np.clip(ABSENT - cost, 0.0, None)).sum())


def _is_across(unit: ClinicalUnit, weighing: Weighing) -> bool:
    """Return whether a finding of the candidate is on a side where the reference, which names sides, never has it."""
    if not unit.asserts_finding or not unit.place.sides:
        return False
    sides = [
        other.place.sides
        for other in weighing.reference
        if other.asserts_finding and other.place.sides and kinship(unit, other, weighing.lexicon).is_kin
    ]
    return bool(sides) and not any(unit.place.sides & side for side in sides)


def _unearned_agreement(weighing: Weighing, alignment: Alignment) -> float:
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


def _shared_parts(unit: ClinicalUnit, column: int, weighing: Weighing, alignment: Alignment) -> frozenset[str]:
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
