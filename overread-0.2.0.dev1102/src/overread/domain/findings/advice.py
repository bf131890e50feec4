"""Differences between the recommendations and messages of two reports."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import Final

from attrs import frozen

from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.plain_text import same_words
from overread.domain.vocabulary.matching import likest_pairs

__all__ = ["ADVICE", "COMMUNICATION", "Action", "AdviceDifference", "AdviceKind", "advice_differences"]

ADVICE: Final = "recommendation"
"""Administrative kind of a unit that recommends something."""

COMMUNICATION: Final = "communication"
"""Administrative kind of a unit that tells to whom something was told."""


class Action(StrEnum):
    """Action that a recommendation asks for; a unit may name several, and each is a label of its ``actions``."""

    FOLLOW_UP = "follow_up"
    IMAGING = "imaging"
    BIOPSY = "biopsy"
    DRAINAGE = "drainage"
    REPOSITIONING = "repositioning"
    REMOVAL = "removal"
    REFERRAL = "referral"
    TREATMENT = "treatment"
    CORRELATION = "correlation"
    COMPARISON = "comparison"
    NONE = "none"


class AdviceKind(StrEnum):
    """Ways in which two reports' recommendations or messages differ."""

    LOST = "advice lost"
    ADDED = "advice added"
    OPPOSED = "advice opposed"
    ACTION = "other action"
    MODALITY = "other modality"
    INTERVAL = "other interval"
    COMMUNICATION_LOST = "communication lost"
    COMMUNICATION_ADDED = "communication added"


@frozen(kw_only=True)
class AdviceDifference:
    """One difference in what is recommended or was communicated.

    Attributes:
        reference, candidate: the two units; None where only the other report has one.
        extent: of the difference, on [0, 1].
        reason: in words, without report text.
        days_apart: between the two intervals, where both are given and do not meet.
    """

    kind: AdviceKind
    reference: ClinicalUnit | None
    candidate: ClinicalUnit | None
    extent: float
    reason: str
    days_apart: float | None = None


_CONTRAST: Final = frozenset({"with_contrast", "without_contrast"})

_SAME: Final = 1000.0
"""Likeness of two recommendations in the same words, more than any two others have."""

# Extents are ours. Advice that names nothing to be done to the patient is worth less than a scan or an operation.
_SLIGHT: Final = {Action.CORRELATION: 0.4, Action.COMPARISON: 0.2, Action.NONE: 0.4}
_UNNAMED: Final = 0.3
_OTHER_MODALITY: Final = 0.5
_MODALITY_UNNAMED: Final = 0.2
_OTHER_CONTRAST: Final = 0.3
_OTHER_ACTION: Final = 0.7
_INTERVAL_UNNAMED: Final = 0.3
_TOLD: Final = 0.5
_OCTAVES: Final = 2.0
"""Doublings of an interval that make it wholly another: three months against a year. Within a day no two differ."""


def advice_differences(
    reference_asides: Sequence[ClinicalUnit], candidate_asides: Sequence[ClinicalUnit]
) -> list[AdviceDifference]:
    """Recommendations and communications that only one report has, or that differ.

    Recommendations are paired by what they share: the finding or place they are about, the modality, the action. Those
    that are about different findings in different places aren't paired. A repetition in the same report isn't a
    difference. Of the administrative units only recommendations and communications count.

    Returns:
        Differences of the paired recommendations in the order of the reference, then what was lost, added, and
        communicated. Empty for reports that recommend and communicate the same.
    """
    left, right = ([u for u in asides if u.administrative == ADVICE] for asides in (reference_asides, candidate_asides))
    pairs = _pairs(left, right)
    matched = {id(unit) for pair in pairs for unit in pair}
    differences = [difference for r, c in pairs for difference in _between(r, c)]
    differences += [
        AdviceDifference(
            kind=AdviceKind.LOST,
            reference=r,
            candidate=None,
            extent=_weight(r),
            reason=f"advice is left out: {_name(r)}",
        )
        for r in _alone(left, right, matched)
    ]
    differences += [
        AdviceDifference(
            kind=AdviceKind.ADDED, reference=None, candidate=c, extent=_weight(c), reason=f"advice is added: {_name(c)}"
        )
        for c in _alone(right, left, matched)
    ]
    return [*differences, *_communications(reference_asides, candidate_asides)]


def _communications(reference: Iterable[ClinicalUnit], candidate: Iterable[ClinicalUnit]) -> list[AdviceDifference]:
    in_reference, in_candidate = (
        [u for u in asides if u.administrative == COMMUNICATION] for asides in (reference, candidate)
    )
    if bool(in_reference) == bool(in_candidate):
        return []
    if in_reference:
        return [
            AdviceDifference(
                kind=AdviceKind.COMMUNICATION_LOST,
                reference=in_reference[0],
                candidate=None,
                extent=_TOLD,
                reason="that the finding was communicated is left out",
            )
        ]
    return [
        AdviceDifference(
            kind=AdviceKind.COMMUNICATION_ADDED,
            reference=None,
            candidate=in_candidate[0],
            extent=_TOLD,
            reason="a communication that the reference does not tell of",
        )
    ]


def _pairs(left: Sequence[ClinicalUnit], right: Sequence[ClinicalUnit]) -> list[tuple[ClinicalUnit, ClinicalUnit]]:
    """Recommendations that are about the same, the likest first taken; in the order of the reference."""
    scored_pairs = (
        (likeness, i, j) for i, r in enumerate(left) for j, c in enumerate(right) if (likeness := _likeness(r, c)) > 0
    )
    return [(left[i], right[j]) for i, j in likest_pairs(scored_pairs)]


def _likeness(r: ClinicalUnit, c: ClinicalUnit) -> float:
    """Similarity of two recommendations; 0 if they are about different things or ask for different things."""
    if r.words and same_words(r.words, c.words):
        return _SAME
    findings, places = _overlap(r.about, c.about), _overlap(r.anatomy, c.anatomy)
    if findings == 0 and not places:
        return 0.0
    asked = 2 * len(r.actions & c.actions) + len(_modalities(r) & _modalities(c))
    if not asked and not (Action.NONE in (r.actions | c.actions) or findings):
        return 0.0
    return asked + 4 * (findings or 0) + (places or 0) + (1 if r.interval_days == c.interval_days else 0) + 0.5


def _overlap(a: frozenset[str], b: frozenset[str]) -> int | None:
    """Number of shared labels; None where either has none."""
    return len(a & b) if a and b else None


def _between(r: ClinicalUnit, c: ClinicalUnit) -> list[AdviceDifference]:
    if (Action.NONE in r.actions) != (Action.NONE in c.actions):
        reason = "recommended in one report, called needless in the other"
        return [AdviceDifference(kind=AdviceKind.OPPOSED, reference=r, candidate=c, extent=1.0, reason=reason)]
    differences = (_action(r, c), _modality(r, c), _interval(r, c))
    return [difference for difference in differences if difference is not None]


def _action(r: ClinicalUnit, c: ClinicalUnit) -> AdviceDifference | None:
    # A scan is a way to follow something up, so each of the two says part of the other.
    actions = [unit.actions - {Action.IMAGING, Action.FOLLOW_UP} for unit in (r, c)]
    if actions[0] & actions[1] or actions[0] == actions[1] or not (r.actions and c.actions):
        return None
    # The same examination with a word more is the same advice.
    if not all(actions) and _modalities(r) & _modalities(c):
        return None
    slight = all(a <= _SLIGHT.keys() for a in actions) and bool(r.actions & c.actions)
    if slight:
        return None
    reason = f"{_name(c)} is recommended in the place of {_name(r)}"
    return AdviceDifference(kind=AdviceKind.ACTION, reference=r, candidate=c, extent=_OTHER_ACTION, reason=reason)


def _modality(r: ClinicalUnit, c: ClinicalUnit) -> AdviceDifference | None:
    asked, named = _modalities(r), _modalities(c)
    extent, reason = 0.0, ""
    if asked and named and not asked & named:
        extent, reason = (
            _OTHER_MODALITY,
            f"{_list_modalities(named)} is recommended in the place of {_list_modalities(asked)}",
        )
    elif bool(asked) != bool(named):
        reason = (
            "the recommended examination is no longer named"
            if asked
            else f"{_list_modalities(named)} is asked for by name"
        )
        extent = _MODALITY_UNNAMED
    elif {frozenset({x}) for x in _CONTRAST} == {u.modalities & _CONTRAST for u in (r, c)}:
        extent, reason = _OTHER_CONTRAST, "contrast is recommended in one report and not in the other"
    if not extent:
        return None
    return AdviceDifference(kind=AdviceKind.MODALITY, reference=r, candidate=c, extent=extent, reason=reason)


def _interval(r: ClinicalUnit, c: ClinicalUnit) -> AdviceDifference | None:
    a, b = r.interval_days, c.interval_days
    if a == b:
        return None
    if a is None or b is None:
        lost = "is no longer given" if b is None else "is given that the reference does not have"
        return AdviceDifference(
            kind=AdviceKind.INTERVAL,
            reference=r,
            candidate=c,
            extent=_INTERVAL_UNNAMED,
            reason=f"an interval {lost}",
        )
    later, sooner = max(a[0], b[0]), min(a[1], b[1])
    if later <= sooner:
        return None
    octaves = math.log2(max(later, 1.0) / max(sooner, 1.0))
    if not octaves:
        return None
    word = "later" if b[0] > a[1] else "sooner"
    return AdviceDifference(
        kind=AdviceKind.INTERVAL,
        reference=r,
        candidate=c,
        extent=min(1.0, octaves / _OCTAVES),
        reason=f"recommended {later - sooner:.0f} days {word}",
        days_apart=later - sooner,
    )


def _alone(units: Sequence[ClinicalUnit], others: Sequence[ClinicalUnit], matched: set[int]) -> list[ClinicalUnit]:
    """Recommendations without a partner, each once, that no recommendation of the other report repeats."""
    alone: list[ClinicalUnit] = []
    for unit in units:
        if id(unit) not in matched and not any(_likeness(unit, other) > 0 for other in (*others, *alone)):
            alone.append(unit)
    return alone


def _modalities(unit: ClinicalUnit) -> frozenset[str]:
    return unit.modalities - _CONTRAST


def _weight(unit: ClinicalUnit) -> float:
    return max((_SLIGHT.get(Action(action), 1.0) for action in unit.actions), default=_UNNAMED)


def _name(unit: ClinicalUnit) -> str:
    modalities = _modalities(unit)
    actions = unit.actions - {Action.IMAGING} if modalities or len(unit.actions) > 1 else unit.actions
    if Action.NONE in actions:
        return "nothing further"
    named = [*sorted(modalities), *sorted(action.replace("_", "-") for action in actions)]
    return " and ".join(part.upper() if part in {"ct", "mri", "pet"} else part for part in named) or "something"


def _list_modalities(modalities: Iterable[str]) -> str:
    return " and ".join(m.upper() if m in {"ct", "mri", "pet"} else m for m in sorted(modalities))
