"""When a difference matters: the finding's actionability and the size of the change decide, and say so.

The rules follow the examples of Beyond Scalar Scores, Table 10 and appendix H; the thresholds are overread's.
"""

from __future__ import annotations

from typing import Final

from attrs import frozen

from overread.domain.lexicon import Lexicon
from overread.domain.severity import Actionability, Severity
from overread.domain.unit import Change, ClinicalUnit, Measurement, severity_ordinal

__all__ = [
    "Judgement",
    "judge_age",
    "judge_change",
    "judge_degree",
    "judge_presence",
    "judge_side",
    "judge_size",
    "judge_uncertainty",
    "judge_zone",
]

_ONE_STEP: Final = 0.5
"""Ordinal distances above this are two steps: neighbouring degrees lie 0.33 or 0.34 apart."""

_SMALL_NODULE_MM: Final = 6.0
_MASS_MM: Final = 30.0
_DECIMALS: Final = 6
_PAST: Final = frozenset({"old", "healed", "remote"})
_WORSE: Final = frozenset({Change.NEW, Change.WORSENED})


@frozen
class Judgement:
    """A severity and the reason for it, in words and without report text."""

    severity: Severity
    reason: str


def judge_presence(unit: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A finding that one report asserts and the other does not."""
    actionability = lexicon.actionability(unit.canonical_finding)
    name = lexicon.name(unit.canonical_finding)
    if unit.modifiers & _PAST and actionability is not Actionability.URGENT:
        return Judgement(Severity.INSIGNIFICANT, f"old {name} asks for nothing")
    words = {
        Actionability.URGENT: f"{name} needs action at once",
        Actionability.ACTIONABLE: f"{name} can change what is done",
        Actionability.NON_ACTIONABLE: f"{name} asks for nothing",
        Actionability.EXPECTED: f"{name} is expected or incidental",
    }
    return Judgement(_if(actionability.is_actionable), words[actionability])


def judge_age(unit: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A finding that is acute in one report and old in the other."""
    actionable = lexicon.actionability(unit.canonical_finding).is_actionable
    return Judgement(_if(actionable), "acute in one report, old in the other")


def judge_side(unit: ClinicalUnit, lexicon: Lexicon, *, contradicts: bool, omitted: bool) -> Judgement:
    """A side that differs (another one, or one more than the reference names), is lost, or is added to none."""
    actionable = lexicon.actionability(unit.canonical_finding).is_actionable
    if contradicts:
        return Judgement(_if(actionable), "the side differs")
    if omitted:
        return Judgement(_if(actionable), "a side the reference names is lost")
    return Judgement(Severity.INSIGNIFICANT, "a side the reference does not name is added")


def judge_zone(unit: ClinicalUnit, lexicon: Lexicon, distance: int) -> Judgement:
    """Zones ``distance`` levels apart: neighbouring zones hardly differ on a radiograph."""
    if distance <= 1:
        return Judgement(Severity.INSIGNIFICANT, "neighbouring zones")
    actionable = lexicon.actionability(unit.canonical_finding).is_actionable
    return Judgement(_if(actionable), "zones far apart")


def judge_degree(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A degree that differs, is lost, or is added; a step is mild to moderate or moderate to severe."""
    actionability = lexicon.actionability(reference.canonical_finding)
    stated = [unit.severity for unit in (reference, candidate) if unit.severity is not None]
    if len(stated) == 1:
        severe = severity_ordinal(stated[0]) >= 1.0 and actionability.is_actionable
        return Judgement(_if(severe), "a degree is stated on one side only" + (", and it is severe" if severe else ""))
    distance = abs(severity_ordinal(reference.severity) - severity_ordinal(candidate.severity))
    if distance == 0:
        return Judgement(Severity.INSIGNIFICANT, "the degree is worded differently")
    if distance > _ONE_STEP:
        return Judgement(_if(actionability.is_actionable), "the degree differs by two steps")
    urgent = actionability is Actionability.URGENT
    return Judgement(_if(urgent), "the degree differs by one step" + (" in an urgent finding" if urgent else ""))


def judge_size(reference: Measurement, candidate: Measurement) -> Judgement | None:
    """Two measurements; None where they agree.

    Margins (parameters quoted for CRIMSON): 2 mm below 6 mm, 4 mm from there, 20 % from 30 mm; crossing 30 mm,
    the border between nodule and mass, by more than 1 mm in all always matters.
    """
    # Rounded, as 0.57 cm is 5.699999999999999 mm.
    a, b = (round(size.millimetres, _DECIMALS) for size in (reference, candidate))
    if a == b:
        return None
    margin = 2.0 if a < _SMALL_NODULE_MM else 4.0 if a < _MASS_MM else 0.2 * a
    distance = round(abs(a - b), _DECIMALS)
    if (a < _MASS_MM) != (b < _MASS_MM) and distance > 1.0:
        return Judgement(Severity.SIGNIFICANT, "the size crosses 30 mm")
    if distance > round(margin, _DECIMALS):
        return Judgement(Severity.SIGNIFICANT, f"the size differs by more than {margin:g} mm")
    return Judgement(Severity.INSIGNIFICANT, "the size differs within the spread between readers")


def judge_change(unit: ClinicalUnit, reference: Change | None, candidate: Change | None, lexicon: Lexicon) -> Judgement:
    """A comparison that is lost, added, or different."""
    actionability = lexicon.actionability(unit.canonical_finding)
    if reference is not None and candidate is not None:
        return Judgement(_if(actionability.is_actionable), f"the comparison differs: {reference} against {candidate}")
    if candidate is None:
        matters = actionability is Actionability.URGENT or (actionability.is_actionable and reference in _WORSE)
        return Judgement(_if(matters), f"a comparison ({reference}) is lost")
    matters = actionability.is_actionable and candidate is not Change.STABLE
    return Judgement(_if(matters), f"a comparison ({candidate}) is not in the reference")


def judge_uncertainty(unit: ClinicalUnit, lexicon: Lexicon, *, open_side: str) -> Judgement:
    """One report leaves open what the other asserts; ``open_side`` names the one that does."""
    actionable = lexicon.actionability(unit.canonical_finding).is_actionable
    return Judgement(_if(actionable), f"only the {open_side} leaves it open")


def _if(significant: bool) -> Severity:  # noqa: FBT001
    return Severity.SIGNIFICANT if significant else Severity.INSIGNIFICANT
