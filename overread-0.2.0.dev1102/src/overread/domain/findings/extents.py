"""Extents of differences: how wrong each kind of error is, and the reason in words.

An error's weight is the importance of its finding in this patient times its extent, and its severity class follows
from thresholds on the weight. The rules follow the examples of Beyond Scalar Scores, Table 10 and appendix H; extents
and thresholds are overread's (docs/decisions/0023).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from attrs import frozen

from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.qualities import Limit
from overread.domain.findings.relation import is_uncertain
from overread.domain.findings.unit import Change, ClinicalUnit, Measurement, severity_ordinal
from overread.domain.vocabulary.anatomy import FIRST_DISC, FIRST_RIB
from overread.domain.vocabulary.severity import Importance, Severity, gravest, severity_of
from overread.domain.vocabulary.taxonomy import ErrorType

__all__ = [
    "ABSENT",
    "BOTH_WAYS",
    "CROSSED",
    "DENIED",
    "Judgement",
    "importance_of",
    "judge_age",
    "judge_appearance",
    "judge_change",
    "judge_degree",
    "judge_depth",
    "judge_device",
    "judge_kind",
    "judge_level",
    "judge_levels",
    "judge_limit",
    "judge_mistake",
    "judge_parts",
    "judge_presence",
    "judge_side",
    "judge_sides_lost",
    "judge_sign",
    "judge_sign_for",
    "judge_site",
    "judge_size",
    "judge_term",
    "judge_uncertainty",
    "judge_zone",
]

DENIED: Final = 1.0
"""Extent of a finding that one report asserts and the other denies."""

ABSENT: Final = 0.6
"""Extent of a finding that the other report is silent about: who reads on may still find it, unlike one denied."""

BOTH_WAYS: Final = 0.5
"""Extent of a finding that a report calls better and worse, or asserts and denies, when the other does not."""

CROSSED: Final = 0.4
"""Extent of two measurements on either side of a value at which care changes."""

_WRONG_DIAGNOSIS: Final = 0.55
_WRONG_SIDE: Final = 0.45
_ONE_OF_TWO_SIDES: Final = 0.3
_LOST_SIDE: Final = 0.15
_FAR_ZONE: Final = 0.3
_OTHER_PART: Final = 0.3
_WRONG_LEVEL: Final = 0.4
_LOST_LEVEL: Final = 0.3
_SEVERAL_RIBS: Final = 3
_WRONG_SITE: Final = 0.45
_DEVICE_AMISS: Final = 0.6
_TWO_DEGREES: Final = 0.4
_ONE_DEGREE: Final = 0.15
_SEVERE_LOST: Final = 0.3
_BEYOND_READERS: Final = 0.3
_SIZE_GROSS: Final = 0.55
_OPPOSITE_COURSE: Final = 0.45
_COURSE: Final = 0.3
_STABLE_ONLY: Final = 0.1
_OPEN: Final = 0.3
_OTHER_AGE: Final = 0.4
_OTHER_APPEARANCE: Final = 0.4
_OTHER_KIND: Final = 0.4
_GRAVER_TERM: Final = 0.4
_OTHER_TERM: Final = 0.1
_SIGN: Final = 0.25

_OLD: Final = 0.3
"""Share of the extent left where a finding is old, borderline, or both slight and no more than possible."""

_POSSIBLE: Final = 0.7
_SLIGHT: Final = 0.85

_ONE_STEP: Final = 0.5
"""Ordinal distances above this are two steps: neighbouring degrees lie 0.33 or 0.34 apart."""

_UNIT_NAMES: Final = {"hu": "HU", "degree": "degrees"}
_SMALL_NODULE_MM: Final = 6.0
_MASS_MM: Final = 30.0
_DECIMALS: Final = 6
_GROSS_RATIO: Final = 3.0
_WORSE: Final = frozenset({Change.NEW, Change.WORSENED})
_OPPOSITE: Final = (
    {Change.IMPROVED, Change.WORSENED},
    {Change.RESOLVED, Change.WORSENED},
    {Change.NEW, Change.STABLE},
    {Change.NEW, Change.IMPROVED},
    {Change.NEW, Change.RESOLVED},
    {Change.STABLE, Change.WORSENED},
)


@frozen
class Judgement:
    """Judgement of how wrong an error is and why, without report text.

    Attributes:
        extent: on [0, 1]; 1 is a finding asserted against denied.
        importance: of the finding concerned, in this patient.
    """

    extent: float
    reason: str
    importance: Importance = Importance.ACTIONABLE

    @property
    def weight(self) -> float:
        """Importance times extent, on [0, 1]."""
        return self.importance.weight * self.extent

    @property
    def severity(self) -> Severity:
        """The class of the weight."""
        return severity_of(self.weight)


def importance_of(unit: ClinicalUnit, lexicon: Lexicon) -> Importance:
    """Importance of a unit's finding in the patient; a misplaced or malfunctioning device requires action."""
    importance = lexicon.importance(unit.canonical_finding)
    if unit.device and not importance.is_actionable and unit.device_status in lexicon.qualities.amiss:
        return Importance.ACTIONABLE
    return importance


def judge_presence(unit: ClinicalUnit, lexicon: Lexicon, *, denied: bool = False) -> Judgement:
    """A finding that one report asserts and the other is silent about or denies."""
    importance, extent, words = importance_of(unit, lexicon), DENIED if denied else ABSENT, ""
    urgent = importance is Importance.URGENT
    # What is old was dealt with when it was new; an urgent finding is looked at again all the same.
    if unit.modifiers & lexicon.qualities.past and not urgent:
        extent, words = extent * _OLD, "old, "
    elif unit.modifiers & lexicon.qualities.borderline:
        extent, words = extent * _OLD, "borderline, "
    # Two radiologists part over what is slight and no more than possible, and neither would be called wrong.
    elif unit.severity == "mild" and is_uncertain(unit) and not urgent:
        extent, words = extent * _OLD, "slight and merely possible, "
    elif is_uncertain(unit):
        extent, words = extent * _POSSIBLE, "possible, "
    elif unit.severity == "mild":
        extent, words = extent * _SLIGHT, "slight, "
    return Judgement(extent, words, importance)


def judge_sign(sign: ClinicalUnit, cause: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A finding in one report only that is a sign of what the other asserts."""
    words = f"a sign of {lexicon.name(cause.canonical_finding)}, which the other report names"
    return Judgement(_OTHER_TERM, words, importance_of(sign, lexicon))


def judge_sign_for(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A sign named in one report for its diagnosis in the other."""
    sign_first = lexicon.is_sign_of(reference.canonical_finding, candidate.canonical_finding)
    sign, cause = (reference, candidate) if sign_first else (candidate, reference)
    words = f"{lexicon.name(sign.canonical_finding)} is named for {lexicon.name(cause.canonical_finding)}"
    return Judgement(_SIGN, words, _graver(reference, candidate, lexicon))


def judge_mistake(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A finding taken for another that readers take it for: one error, less than silence and a fabrication."""
    words = " is called ".join(lexicon.name(unit.canonical_finding) for unit in (reference, candidate))
    return Judgement(_WRONG_DIAGNOSIS, words, _graver(reference, candidate, lexicon))


def judge_age(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Judgement | None:
    """A finding that is acute in one report and old in the other; None where it is not.

    An old fracture asks for nothing; to call it acute, or the acute one old, matters as the acute one does.
    """
    recent, lasting = lexicon.qualities.recent, lexicon.qualities.lasting
    r, c = reference.modifiers, candidate.modifiers
    if not ((r & recent and c & lasting and not c & recent) or (r & lasting and c & recent and not r & recent)):
        return None
    return Judgement(_OTHER_AGE, "acute in one report, old in the other", _graver(reference, candidate, lexicon))


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
    importance = _graver(reference, candidate, lexicon)
    r, c = reference.modifiers, candidate.modifiers
    for one, other in lexicon.qualities.opposed:
        if (r & one and c & other and not c & one) or (r & other and c & one and not r & one):
            return ErrorType.INACCURACY, Judgement(_OTHER_APPEARANCE, "the appearance is another one", importance)
    if lost := sorted((r - candidate_words) & lexicon.qualities.telling):
        return ErrorType.OMISSION, Judgement(_OTHER_APPEARANCE, f"{lost[0]} is lost", importance)
    if added := sorted((c - reference_words) & lexicon.qualities.telling):
        return ErrorType.FABRICATION, Judgement(_OTHER_APPEARANCE, f"{added[0]} is added", importance)
    return None


def judge_kind(
    reference: ClinicalUnit,
    candidate: ClinicalUnit,
    reference_words: frozenset[str],
    candidate_words: frozenset[str],
    lexicon: Lexicon,
) -> tuple[ErrorType, Judgement] | None:
    """Kinds of one disease that are treated differently: perforated and uncomplicated appendicitis; None where alike.

    Args:
        reference: the finding in the reference.
        candidate: the finding in the candidate.
        reference_words: all words of appearance in the reference, which may stand beside their finding.
        candidate_words: all those in the candidate.
        lexicon: the kinds that the finding comes in.
    """
    importance = _graver(reference, candidate, lexicon)
    shared = set(lexicon.kinds(reference.canonical_finding)) & set(lexicon.kinds(candidate.canonical_finding))
    for kinds in (kinds for kinds in lexicon.qualities.kinds if kinds in shared):
        lost = sorted(reference.modifiers & kinds.graver) if not candidate_words & kinds.graver else []
        added = sorted(candidate.modifiers & kinds.graver) if not reference_words & kinds.graver else []
        if (lost and candidate.modifiers & kinds.milder) or (added and reference.modifiers & kinds.milder):
            return ErrorType.INACCURACY, Judgement(_OTHER_KIND, "it is of another kind", importance)
        if kinds.telling and (words := lost or added):
            kind, what = (ErrorType.OMISSION, "lost") if lost else (ErrorType.FABRICATION, "added")
            return kind, Judgement(_OTHER_KIND, f"{words[0].replace('_', ' ')} is {what}", importance)
    return None


def judge_term(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon, *, broader: bool) -> Judgement:
    """A broader or narrower term, which matters where it asks for less or for more, or hides the graver kind."""
    words = f"the candidate's term is {'broader' if broader else 'narrower'}"
    asked = [importance_of(unit, lexicon) for unit in (reference, candidate)]
    matters = asked[0] is not asked[1] and (
        Importance.URGENT in asked or (broader and asked[0] is Importance.ACTIONABLE)
    )
    narrow = lexicon.findings.get((reference if broader else candidate).canonical_finding)
    matters = matters or (narrow is not None and narrow.graver)
    extent = _GRAVER_TERM if matters else _OTHER_TERM
    more = f" and asks for {'less' if broader else 'more'}" if matters else ""
    return Judgement(extent, words + more, _graver(reference, candidate, lexicon))


def judge_device(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Judgement | None:
    """A device out of place or broken in one report only; None where both say the same."""
    bad = [unit.device_status in lexicon.qualities.amiss for unit in (reference, candidate)]
    if bad[0] == bad[1]:
        return None
    words = f"the device is amiss in the {'reference' if bad[0] else 'candidate'} only"
    return Judgement(_DEVICE_AMISS, words, _graver(reference, candidate, lexicon))


def judge_side(unit: ClinicalUnit, lexicon: Lexicon, *, contradicts: bool, omitted: bool) -> Judgement:
    """A side that differs, one of two sides that is lost or added, or a side that only one report names."""
    importance = importance_of(unit, lexicon)
    if contradicts and omitted:
        return Judgement(_WRONG_SIDE, "the side differs", importance)
    if contradicts:
        return Judgement(_ONE_OF_TWO_SIDES, "a further side is named", importance)
    if omitted:
        # Without its side a finding that needs action cannot be acted upon; one to be looked at again can be found.
        asks_less = _LOST_SIDE / 2 if importance is Importance.FOLLOW_UP else 0.0
        extent = _LOST_SIDE if importance.is_actionable else asks_less
        return Judgement(extent, "a side the reference names is lost", importance)
    return Judgement(0.0, "a side the reference does not name is added", importance)


def judge_sides_lost(unit: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """One of two sides that the candidate loses."""
    return Judgement(_ONE_OF_TWO_SIDES, "one of two sides is lost", importance_of(unit, lexicon))


def judge_zone(unit: ClinicalUnit, lexicon: Lexicon, distance: int) -> Judgement:
    """Zones ``distance`` levels apart: neighbouring zones hardly differ on a radiograph."""
    importance = importance_of(unit, lexicon)
    if distance <= 1:
        return Judgement(0.0, "neighbouring zones", importance)
    return Judgement(_FAR_ZONE, "zones far apart", importance)


def judge_depth(unit: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A wrong depth: in front for behind."""
    return Judgement(_WRONG_SIDE, "in front for behind", importance_of(unit, lexicon))


def judge_parts(
    reference: frozenset[str], candidate: frozenset[str], unit: ClinicalUnit, lexicon: Lexicon
) -> Judgement | None:
    """Another bone, organ or part of one; None where either names none of those that the other might lie in."""
    apart = [parts for parts in lexicon.qualities.parts if parts.are_apart(reference, candidate)]
    if not apart:
        return None
    importance = importance_of(unit, lexicon)
    if all(parts.within for parts in apart):
        return Judgement(_OTHER_PART, "another part of the organ", importance)
    return Judgement(_WRONG_SIDE, "another place", importance)


def judge_level(
    reference: frozenset[int], candidate: frozenset[int], unit: ClinicalUnit, lexicon: Lexicon
) -> tuple[ErrorType, Judgement]:
    """Vertebrae, discs or ribs that differ or that the candidate loses."""
    importance = importance_of(unit, lexicon)
    if not candidate:
        # A vertebra is treated at its level; a broken rib, or where a tube lies beside one, is treated alike at any.
        vertebra = not _are_ribs(reference) and unit.device is None
        return ErrorType.OMISSION, Judgement(_LOST_LEVEL if vertebra else 0.0, "the level is lost", importance)
    apart = min(abs(r - c) for r in reference for c in candidate)
    if apart == 1:
        # Vertebrae and ribs are easily miscounted; a disc is operated upon at the level that the report gives.
        extent = _LOST_LEVEL if min(reference | candidate) >= FIRST_DISC else _OTHER_TERM
        return ErrorType.INACCURACY, Judgement(extent, "a neighbouring level", importance)
    return ErrorType.INACCURACY, Judgement(_WRONG_LEVEL, "another level", importance)


def _are_ribs(levels: Iterable[int]) -> bool:
    return all(FIRST_RIB <= level < FIRST_DISC for level in levels)


def judge_levels(
    reference: frozenset[int], candidate: frozenset[int], unit: ClinicalUnit, lexicon: Lexicon
) -> tuple[ErrorType, Judgement]:
    """Some of several vertebrae or ribs lost or added; each report names one that the other names too.

    Each broken vertebra is treated; broken ribs are by whether they are several, and one of them is easily miscounted.
    """
    lost, added = reference - candidate, candidate - reference
    kind = ErrorType.OMISSION if len(lost) >= len(added) else ErrorType.FABRICATION
    if unit.device is not None or not (lost or added):
        extent = 0.0
    elif not _are_ribs(reference | candidate):
        extent = _LOST_LEVEL
    else:
        few, many = sorted((len(reference), len(candidate)))
        extent = _LOST_LEVEL if few < _SEVERAL_RIBS <= many and many - few > 1 else 0.0
    reason = f"{len(lost) or len(added)} of the levels {'lost' if lost else 'added'}"
    return kind, Judgement(extent, reason, importance_of(unit, lexicon))


def judge_site(unit: ClinicalUnit, reference: frozenset[str], candidate: frozenset[str], lexicon: Lexicon) -> Judgement:
    """A device at another site: it matters where one of the sites is no place for a device to end."""
    wrong = bool((reference | candidate) & lexicon.qualities.wrong_sites)
    importance = importance_of(unit, lexicon)
    if wrong and not importance.is_actionable:
        importance = Importance.ACTIONABLE
    return Judgement(_WRONG_SITE if wrong else _ONE_DEGREE, "the device lies elsewhere", importance)


def judge_degree(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Judgement:
    """A degree that differs, is lost, or is added; a step is mild to moderate or moderate to severe."""
    importance = importance_of(reference, lexicon)
    stated = [unit.severity for unit in (reference, candidate) if unit.severity is not None]
    if len(stated) == 1:
        severe = severity_ordinal(stated[0]) >= 1.0
        words = "a degree is stated in one report only" + (", and it is severe" if severe else "")
        return Judgement(_SEVERE_LOST if severe else 0.0, words, importance)
    distance = abs(severity_ordinal(reference.severity) - severity_ordinal(candidate.severity))
    if distance == 0:
        return Judgement(0.0, "the degree is worded differently", importance)
    # Readers readily differ by a step, which is acted upon only where minutes count.
    if distance > _ONE_STEP:
        return Judgement(_TWO_DEGREES, "the degree differs by two steps", importance)
    return Judgement(_ONE_DEGREE, "the degree differs by one step", importance)


def judge_size(
    reference: Measurement,
    candidate: Measurement,
    thresholds: Sequence[float] = (_MASS_MM,),
    importance: Importance = Importance.ACTIONABLE,
    least: float = 0.0,
) -> Judgement | None:
    """Two measurements; None where they agree, or differ by no more than readers do.

    Margins (parameters quoted for CRIMSON): 2 mm below 6 mm, 4 mm from there, 20 % from 30 mm. Care changes at
    thresholds: to cross one by more than 1 mm weighs more than the millimetres alone. The smaller size sets the margin,
    so that it does not matter which report is the reference.

    Args:
        reference: size in the reference.
        candidate: size in the candidate.
        thresholds: sizes in millimetres at which care of the finding changes.
        importance: of the finding.
        least: margin in millimetres that the finding has at least.
    """
    # Rounded, as 0.57 cm is 5.699999999999999 mm.
    a, b = (round(size.millimetres, _DECIMALS) for size in (reference, candidate))
    if a == b:
        return None
    smaller, larger = sorted((a, b))
    margin = 2.0 if smaller < _SMALL_NODULE_MM else 4.0 if smaller < _MASS_MM else 0.2 * smaller
    margin = max(margin, least)
    distance = round(larger - smaller, _DECIMALS)
    if smaller > 0 and larger / smaller >= _GROSS_RATIO and distance > round(margin, _DECIMALS):
        return Judgement(_SIZE_GROSS, f"the size is {larger / smaller:.0f} times the other", importance)
    crossed = [limit for limit in thresholds if smaller < limit <= larger]
    if crossed and distance > 1.0:
        return Judgement(CROSSED, f"the size crosses {crossed[-1]:g} mm", importance)
    if distance > round(margin, _DECIMALS):
        return Judgement(_BEYOND_READERS, f"the size differs by more than {margin:g} mm", importance)
    return Judgement(0.0, "the size differs within the spread between readers", importance)


def judge_limit(
    reference: Measurement, candidate: Measurement, limit: Limit, importance: Importance
) -> Judgement | None:
    """Two angles or attenuations; None where they differ by no more than two measurements of one thing do.

    It weighs that a value lies between them at which care changes, and little else.
    """
    smaller, larger = sorted((reference.value, candidate.value))
    if larger - smaller <= limit.margin:
        return None
    crossed = [value for value in limit.at if smaller < value <= larger]
    if not crossed:
        return Judgement(_OTHER_TERM, f"the measurement differs by more than {limit.margin:g}", importance)
    return Judgement(CROSSED, f"the measurement crosses {crossed[-1]:g} {_UNIT_NAMES[limit.unit]}", importance)


def judge_change(unit: ClinicalUnit, reference: Change | None, candidate: Change | None, lexicon: Lexicon) -> Judgement:
    """A comparison that is lost, added, or different."""
    importance = importance_of(unit, lexicon)
    if reference is not None and candidate is not None:
        opposite = {reference, candidate} in _OPPOSITE
        words = f"the comparison differs: {reference} against {candidate}"
        return Judgement(_OPPOSITE_COURSE if opposite else _COURSE, words, importance)
    # Without the comparison a finding is taken for an old one: that harms where it is on its way up.
    if candidate is None:
        grave = reference in _WORSE or importance is Importance.URGENT
        return Judgement(_COURSE if grave else _STABLE_ONLY, f"a comparison ({reference}) is lost", importance)
    # An added "stable" stops further imaging of a lesion, and costs nothing elsewhere.
    lesion = any(lexicon.is_kind_of(unit.canonical_finding, kind) for kind in lexicon.qualities.watched)
    grave = candidate is not Change.STABLE or lesion
    return Judgement(
        _COURSE if grave else _STABLE_ONLY, f"a comparison ({candidate}) is not in the reference", importance
    )


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
    importance = gravest(importance_of(other, lexicon) for other in (unit, *alternatives))
    return Judgement(_OPEN, f"only the {open_side} leaves it open", importance)


def _graver(reference: ClinicalUnit, candidate: ClinicalUnit, lexicon: Lexicon) -> Importance:
    return gravest(importance_of(unit, lexicon) for unit in (reference, candidate))
