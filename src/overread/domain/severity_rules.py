"""When a difference matters: the finding's importance and the size of the change decide, and say so.

The rules follow the examples of Beyond Scalar Scores, Table 10 and appendix H; the thresholds are overread's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from attrs import frozen

from overread.domain.anatomy import FIRST_RIB
from overread.domain.lexicon import Lexicon
from overread.domain.relation import is_uncertain
from overread.domain.severity import Importance, Severity
from overread.domain.taxonomy import ErrorType
from overread.domain.unit import Change, ClinicalUnit, Measurement, severity_ordinal

__all__ = [
    "Judgement",
    "judge_age",
    "judge_appearance",
    "judge_change",
    "judge_degree",
    "judge_device",
    "judge_level",
    "judge_presence",
    "judge_side",
    "judge_sign",
    "judge_site",
    "judge_size",
    "judge_term",
    "judge_uncertainty",
    "judge_zone",
]

_ONE_STEP: Final = 0.5
"""Ordinal distances above this are two steps: neighbouring degrees lie 0.33 or 0.34 apart."""

_SMALL_NODULE_MM: Final = 6.0
_MASS_MM: Final = 30.0
_DECIMALS: Final = 6
_WORSE: Final = frozenset({Change.NEW, Change.WORSENED})


@frozen
class Judgement:
    """A severity and the reason for it, in words and without report text."""

    severity: Severity
    reason: str


def judge_presence(unit: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A finding that one report asserts and the other does not."""
    importance = lexicon.importance(unit.canonical_finding)
    name = lexicon.name(unit.canonical_finding)
    # What is old was dealt with when it was new; an urgent finding is looked at again all the same.
    if unit.modifiers & lexicon.qualities.past and importance is not Importance.URGENT:
        return Judgement(Severity.INSIGNIFICANT, f"old {name} asks for nothing")
    # Two radiologists part over what is slight and no more than possible, and neither would be called wrong.
    if unit.severity == "mild" and is_uncertain(unit) and importance is not Importance.URGENT:
        return Judgement(Severity.INSIGNIFICANT, f"{name} is slight and no more than possible")
    if unit.modifiers & lexicon.qualities.borderline:
        return Judgement(Severity.INSIGNIFICANT, f"borderline {name} is hardly one")
    words = {
        Importance.URGENT: f"{name} needs action at once",
        Importance.ACTIONABLE: f"{name} can change what is done",
        Importance.FOLLOW_UP: f"{name} is to be followed",
        Importance.INCIDENTAL: f"{name} asks for nothing",
        Importance.EXPECTED: f"{name} is expected or incidental",
    }
    return Judgement(_if(importance.is_actionable), words[importance])


def judge_sign(cause: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A finding in one report only that is a sign of what the other asserts."""
    return Judgement(
        Severity.INSIGNIFICANT, f"a sign of {lexicon.name(cause.canonical_finding)}, which the other report asserts"
    )


def judge_age(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Judgement | None:
    """A finding that is acute in one report and old in the other; None where it is not.

    An old fracture asks for nothing; to call it acute, or the acute one old, matters as the acute one does.
    """
    recent, lasting = lexicon.qualities.recent, lexicon.qualities.lasting
    r, c = reference.modifiers, candidate.modifiers
    if not ((r & recent and c & lasting and not c & recent) or (r & lasting and c & recent and not r & recent)):
        return None
    actionable = any(lexicon.importance(u.canonical_finding).is_actionable for u in (reference, candidate))
    return Judgement(_if(actionable), "acute in one report, old in the other")


def judge_appearance(
    reference: ClinicalUnit,
    candidate: ClinicalUnit,
    reference_words: frozenset[str],
    candidate_words: frozenset[str],
    lexicon: Lexicon,
) -> tuple[ErrorType, Judgement] | None:
    """Words of appearance that exclude each other, or a telling one that only one report has; None where neither.

    Args:
        reference: the finding in the reference.
        candidate: the finding in the candidate.
        reference_words: all words of appearance in the reference, which may stand beside their finding.
        candidate_words: all those in the candidate.
        lexicon: what the finding asks for.
    """
    actionable = any(lexicon.importance(u.canonical_finding).is_actionable for u in (reference, candidate))
    r, c = reference.modifiers, candidate.modifiers
    for one, other in lexicon.qualities.opposed:
        if (r & one and c & other and not c & one) or (r & other and c & one and not r & one):
            return ErrorType.INACCURACY, Judgement(_if(actionable), "the appearance is another one")
    if lost := sorted((r - candidate_words) & lexicon.qualities.telling):
        return ErrorType.OMISSION, Judgement(_if(actionable), f"{lost[0]} is lost")
    if added := sorted((c - reference_words) & lexicon.qualities.telling):
        return ErrorType.FABRICATION, Judgement(_if(actionable), f"{added[0]} is added")
    return None


def judge_term(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon, *, broader: bool) -> Judgement:
    """A broader or narrower term, which matters where it asks for less or for more, or hides the graver kind."""
    words = f"the candidate's term is {'broader' if broader else 'narrower'}"
    asked = [list(Importance).index(lexicon.importance(u.canonical_finding)) for u in (reference, candidate)]
    urgent, actionable = (list(Importance).index(a) for a in (Importance.URGENT, Importance.ACTIONABLE))
    matters = asked[0] != asked[1] and (urgent in asked or (broader and asked[0] == actionable))
    narrow = lexicon.findings.get((reference if broader else candidate).canonical_finding)
    matters = matters or (narrow is not None and narrow.graver)
    return Judgement(_if(matters), words + (f" and asks for {'less' if broader else 'more'}" if matters else ""))


def judge_device(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Judgement | None:
    """A device out of place or broken in one report only; None where both say the same."""
    bad = [unit.device_status in lexicon.qualities.amiss for unit in (reference, candidate)]
    if bad[0] == bad[1]:
        return None
    return Judgement(Severity.SIGNIFICANT, f"the device is amiss in the {'reference' if bad[0] else 'candidate'} only")


def judge_side(unit: ClinicalUnit, lexicon: Lexicon, *, contradicts: bool, omitted: bool) -> Judgement:
    """A side that differs (another one, or one more than the reference names), is lost, or is added to none."""
    actionable = lexicon.importance(unit.canonical_finding).is_actionable
    if contradicts:
        return Judgement(_if(actionable), "the side differs")
    if omitted:
        return Judgement(_if(actionable), "a side the reference names is lost")
    return Judgement(Severity.INSIGNIFICANT, "a side the reference does not name is added")


def judge_zone(unit: ClinicalUnit, lexicon: Lexicon, distance: int) -> Judgement:
    """Zones ``distance`` levels apart: neighbouring zones hardly differ on a radiograph."""
    if distance <= 1:
        return Judgement(Severity.INSIGNIFICANT, "neighbouring zones")
    actionable = lexicon.importance(unit.canonical_finding).is_actionable
    return Judgement(_if(actionable), "zones far apart")


def judge_level(
    reference: frozenset[int], candidate: frozenset[int], unit: ClinicalUnit, lexicon: Lexicon
) -> tuple[ErrorType, Judgement]:
    """Vertebrae or ribs that differ or that the candidate loses; neighbouring ones are easily miscounted."""
    actionable = lexicon.importance(unit.canonical_finding).is_actionable or unit.device is not None
    if not candidate:
        # A vertebra is treated at its level; a broken rib, or where a tube lies beside one, is treated alike at any.
        vertebra = min(reference) < FIRST_RIB and unit.device is None
        return ErrorType.OMISSION, Judgement(_if(actionable and vertebra), "the level is lost")
    apart = min(abs(r - c) for r in reference for c in candidate)
    words = "a neighbouring level" if apart == 1 else "another level"
    return ErrorType.INACCURACY, Judgement(_if(actionable and apart > 1), words)


def judge_site(reference: frozenset[str], candidate: frozenset[str], lexicon: Lexicon) -> Judgement:
    """A device at another site: it matters where one of the sites is no place for a device to end."""
    wrong = (reference | candidate) & lexicon.qualities.wrong_sites
    return Judgement(_if(bool(wrong)), "the device lies elsewhere")


def judge_degree(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A degree that differs, is lost, or is added; a step is mild to moderate or moderate to severe."""
    importance = lexicon.importance(reference.canonical_finding)
    stated = [unit.severity for unit in (reference, candidate) if unit.severity is not None]
    if len(stated) == 1:
        severe = severity_ordinal(stated[0]) >= 1.0 and importance is not Importance.EXPECTED
        return Judgement(_if(severe), "a degree is stated on one side only" + (", and it is severe" if severe else ""))
    distance = abs(severity_ordinal(reference.severity) - severity_ordinal(candidate.severity))
    if distance == 0:
        return Judgement(Severity.INSIGNIFICANT, "the degree is worded differently")
    # Readers readily differ by a step, which is acted upon only where minutes count.
    if distance > _ONE_STEP:
        return Judgement(_if(importance is not Importance.EXPECTED), "the degree differs by two steps")
    urgent = importance is Importance.URGENT
    return Judgement(_if(urgent), "the degree differs by one step" + (" in an urgent finding" if urgent else ""))


def judge_size(reference: Measurement, candidate: Measurement) -> Judgement | None:
    """Two measurements; None where they agree.

    Margins (parameters quoted for CRIMSON): 2 mm below 6 mm, 4 mm from there, 20 % from 30 mm; crossing 30 mm,
    the border between nodule and mass, by more than 1 mm in all always matters. The smaller size sets the margin, so
    that it does not matter which report is the reference.
    """
    # Rounded, as 0.57 cm is 5.699999999999999 mm.
    a, b = (round(size.millimetres, _DECIMALS) for size in (reference, candidate))
    if a == b:
        return None
    smaller = min(a, b)
    margin = 2.0 if smaller < _SMALL_NODULE_MM else 4.0 if smaller < _MASS_MM else 0.2 * smaller
    distance = round(abs(a - b), _DECIMALS)
    if (a < _MASS_MM) != (b < _MASS_MM) and distance > 1.0:
        return Judgement(Severity.SIGNIFICANT, "the size crosses 30 mm")
    if distance > round(margin, _DECIMALS):
        return Judgement(Severity.SIGNIFICANT, f"the size differs by more than {margin:g} mm")
    return Judgement(Severity.INSIGNIFICANT, "the size differs within the spread between readers")


def judge_change(unit: ClinicalUnit, reference: Change | None, candidate: Change | None, lexicon: Lexicon) -> Judgement:
    """A comparison that is lost, added, or different."""
    importance = lexicon.importance(unit.canonical_finding)
    if reference is not None and candidate is not None:
        return Judgement(_if(importance.is_actionable), f"the comparison differs: {reference} against {candidate}")
    # Without the comparison a finding is taken for an old one: that harms where it is urgent, or is on its way up.
    if candidate is None:
        matters = importance is Importance.URGENT or (importance.is_actionable and reference in _WORSE)
        return Judgement(_if(matters), f"a comparison ({reference}) is lost")
    # An added "stable" stops further imaging of a lesion, and costs nothing elsewhere.
    lesion = any(lexicon.is_kind_of(unit.canonical_finding, kind) for kind in lexicon.qualities.watched)
    matters = importance.is_actionable and (candidate is not Change.STABLE or lesion)
    return Judgement(_if(matters), f"a comparison ({candidate}) is not in the reference")


def judge_uncertainty(
    unit: ClinicalUnit, alternatives: Iterable[ClinicalUnit], lexicon: Lexicon, *, open_side: str
) -> Judgement:
    """One report leaves open what the other asserts.

    Args:
        unit: the finding.
        alternatives: what else the sentence leaves open that does: "a nipple shadow or a nodule" is no nipple shadow.
        lexicon: what findings ask for.
        open_side: the report that leaves it open.
    """
    concerned = (unit, *alternatives)
    actionable = any(lexicon.importance(other.canonical_finding).is_actionable for other in concerned)
    return Judgement(_if(actionable), f"only the {open_side} leaves it open")


def _if(significant: bool) -> Severity:  # noqa: FBT001
    return Severity.SIGNIFICANT if significant else Severity.INSIGNIFICANT
