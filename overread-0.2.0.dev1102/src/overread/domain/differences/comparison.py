"""Differences between two lesions: finding, place, degree, size, change, doubt and appearance, and their extent."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from attrs import evolve, frozen

from overread.domain.findings import extents
from overread.domain.findings.extents import ABSENT, Judgement, judge_presence
from overread.domain.findings.lesion import Lesion
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import Relation, denies, kinship, sites
from overread.domain.findings.unit import Change, ClinicalUnit
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorTaxonomy, ErrorType

__all__ = ["CHANNELS", "MOST_OF_A_MATCH", "TAXONOMY", "Difference", "Words", "differences"]

TAXONOMY: Final = ErrorTaxonomy()

MOST_OF_A_MATCH: Final = 0.55
"""Extent of all that can be wrong with a finding that is named: less than being silent about it.

Where silence is less of an error, as both reports call the finding slight, possible or old, so is what is
wrong with it.
"""

_ALWAYS_LESS: Final = 0.15
"""Sum of extents that stays below being silent about any finding."""

CHANNELS: Final = {
    ErrorAspect.TERMINOLOGY: "finding",
    ErrorAspect.LOCATION: "anatomy",
    ErrorAspect.SEVERITY: "severity",
    ErrorAspect.SIZE: "severity",
    ErrorAspect.COMPARISON: "comparison",
    ErrorAspect.CONTRADICTION: "comparison",
    ErrorAspect.UNCERTAINTY: "uncertainty",
    ErrorAspect.DESCRIPTION: "modifier",
}
"""Channel of the cost that each aspect counts in."""


@frozen(kw_only=True)
class Difference:
    """One thing that two mentions of a finding say differently.

    Attributes:
        channel: of the cost.
        extent: on [0, 1].
        counted: whether one of the eight categories counts it.
        tells_importance: whether it is why one report's finding asks for more than the other's.
        changes_care: whether what it is about asks for action in one report, whatever the finding asks for by itself.
    """

    channel: str
    aspect: ErrorAspect
    type: ErrorType
    extent: float
    reason: str
    counted: bool = True
    tells_importance: bool = False
    changes_care: bool = False


@frozen
class Words:
    """Words of appearance anywhere in each report, as a description may stand beside its finding."""

    reference: frozenset[str]
    candidate: frozenset[str]


@frozen
class Denials:
    """Denials of each report."""

    reference: tuple[ClinicalUnit, ...] = ()
    candidate: tuple[ClinicalUnit, ...] = ()


NO_DENIALS: Final = Denials()


def differences(
    r: Lesion, c: Lesion, bearing: Relation, words: Words, lexicon: Lexicon, denials: Denials = NO_DENIALS
) -> tuple[Difference, ...]:
    """Everything in which two lesions that bear on each other differ, none of it of extent 0.

    Args:
        r: of the reference.
        c: of the candidate.
        bearing: kinship of their leads.
        words: of appearance in both reports.
        lexicon: what findings are and ask for.
        denials: of both reports.

    Returns:
        Differences whose extents add up to `MOST_OF_A_MATCH` at most, and to less than being silent about either
        finding: where they would exceed it the gravest counts in full, and the others share what is left.
    """
    nonzero = tuple(item for item in _all(r, c, bearing, words, lexicon, denials) if item.extent > 0)
    total = sum(difference.extent for difference in nonzero)
    if total <= _ALWAYS_LESS:
        return nonzero
    most = MOST_OF_A_MATCH * min(max(_presence(r, lexicon), _presence(c, lexicon)) / ABSENT, 1.0)
    if total <= most:
        return nonzero
    gravest = max(nonzero, key=lambda difference: difference.extent)
    if gravest.extent >= most:
        return (evolve(gravest, extent=most),)
    share = (most - gravest.extent) / (total - gravest.extent)
    return tuple(d if d is gravest else evolve(d, extent=d.extent * share) for d in nonzero)


def _presence(lesion: Lesion, lexicon: Lexicon) -> float:
    """Extent of being silent about a lesion."""
    return max(judge_presence(unit, lexicon).extent for unit in lesion.units)


def _all(
    r: Lesion, c: Lesion, bearing: Relation, words: Words, lexicon: Lexicon, denials: Denials
) -> Iterator[Difference]:
    if bearing is Relation.CONFUSABLE:
        judged = extents.judge_mistake(r.lead, c.lead, lexicon)
        yield _make_difference(
            ErrorAspect.DESCRIPTION, ErrorType.INACCURACY, judged, channel="finding", tells_importance=True
        )
        return
    if bearing is Relation.SIGN:
        yield _make_difference(
            ErrorAspect.TERMINOLOGY,
            ErrorType.INACCURACY,
            extents.judge_sign_for(r.lead, c.lead, lexicon),
            counted=False,
            tells_importance=True,
        )
    # "Old fracture" for "acute fracture" is a matter of age, not another of terms.
    elif (denied := _denied_kind(r, c, bearing, lexicon, denials)) is not None:
        yield denied
    elif extents.judge_age(r.described, c.described, lexicon) is None:
        yield from _term(r, c, bearing, lexicon)
    yield from _location(r, c, lexicon)
    yield from _size(r, c, lexicon)
    yield from _limit(r, c, lexicon)
    yield from _degree(r, c, lexicon)
    yield from _change(r, c, lexicon)
    yield from _uncertainty(r, c, lexicon)
    yield from _appearance(r, c, words, lexicon)


def _make_difference(
    aspect: ErrorAspect,
    kind: ErrorType,
    judged: Judgement,
    *,
    counted: bool = True,
    channel: str = "",
    tells_importance: bool = False,
) -> Difference:
    return Difference(
        channel=channel or CHANNELS[aspect],
        aspect=aspect,
        type=kind,
        extent=judged.extent,
        reason=judged.reason,
        counted=counted,
        tells_importance=tells_importance,
    )


def _direction(reference: object | None, candidate: object | None) -> ErrorType:
    if not candidate:
        return ErrorType.OMISSION
    return ErrorType.INACCURACY if reference else ErrorType.FABRICATION


def _denied_kind(r: Lesion, c: Lesion, bearing: Relation, lexicon: Lexicon, denials: Denials) -> Difference | None:
    """Difference if one report denies what the other names but keeps a broader word: "opacity, no pneumonia"."""
    if bearing is Relation.SAME or _names_the_kind(r, c, bearing, lexicon):
        return None
    lost = bearing is Relation.NARROWER
    narrow, broad, denied = (r.lead, c.lead, denials.candidate) if lost else (c.lead, r.lead, denials.reference)
    if not any(denies(unit, narrow, lexicon) and not denies(unit, broad, lexicon) for unit in denied):
        return None
    kind, by = (ErrorType.OMISSION, "candidate") if lost else (ErrorType.FABRICATION, "reference")
    judged = judge_presence(narrow, lexicon, denied=True)
    judged = evolve(judged, reason=f"{judged.reason}denied by the {by}")
    return _make_difference(ErrorAspect.NEGATION, kind, judged, channel="finding")


def _names_the_kind(r: Lesion, c: Lesion, bearing: Relation, lexicon: Lexicon) -> bool:
    """Return whether the report with the broader lead names the narrower one's finding anyway."""
    narrow, units = (r.lead, c.units) if bearing is Relation.NARROWER else (c.lead, r.units)
    return any(kinship(narrow, unit, lexicon) is Relation.SAME for unit in units)


def _term(r: Lesion, c: Lesion, bearing: Relation, lexicon: Lexicon) -> Iterator[Difference]:
    if bearing is Relation.SAME or _names_the_kind(r, c, bearing, lexicon):
        return
    lost = bearing is Relation.NARROWER
    judged = extents.judge_term(r.lead, c.lead, lexicon, broader=lost)
    if r.lead.device or c.lead.device:
        kind = ErrorType.OMISSION if lost else ErrorType.FABRICATION
        yield _make_difference(ErrorAspect.LOCATION, kind, judged, channel="device", tells_importance=True)
    else:
        yield _make_difference(
            ErrorAspect.TERMINOLOGY, ErrorType.INACCURACY, judged, counted=False, tells_importance=True
        )


def _location(r: Lesion, c: Lesion, lexicon: Lexicon) -> Iterator[Difference]:
    here, there, lead = r.place, c.place, r.lead
    lost, added = here.sides - there.sides, there.sides - here.sides
    if lost or added:
        kind = _direction(here.sides, there.sides)
        if lost and there.sides and not added:
            judged = extents.judge_sides_lost(lead, lexicon)
        else:
            contradicts = bool(added and here.sides)
            judged = extents.judge_side(lead, lexicon, contradicts=contradicts, omitted=bool(lost))
        yield _make_difference(ErrorAspect.LOCATION, kind, judged)
        return
    if distance := here.heights_apart(there):
        yield _make_difference(ErrorAspect.LOCATION, ErrorType.INACCURACY, extents.judge_zone(lead, lexicon, distance))
    elif here.is_opposite_in_depth(there):
        yield _make_difference(ErrorAspect.LOCATION, ErrorType.INACCURACY, extents.judge_depth(lead, lexicon))
    elif here.levels and (not there.levels or here.has_other_levels(there)):
        levels = here.levels_beside(there), there.levels_beside(here)
        yield _make_difference(ErrorAspect.LOCATION, *extents.judge_level(*levels, lead, lexicon))
    elif here.levels and bool(here.discs) == bool(there.discs) and not lead.device:
        yield _make_difference(ErrorAspect.LOCATION, *extents.judge_levels(here.levels, there.levels, lead, lexicon))
    elif lead.device:
        yield from _device(r, c, lexicon)
    elif elsewhere := extents.judge_parts(here.labels, there.labels, lead, lexicon):
        yield _make_difference(ErrorAspect.LOCATION, ErrorType.INACCURACY, elsewhere)


def _device(r: Lesion, c: Lesion, lexicon: Lexicon) -> Iterator[Difference]:
    """Sites that only one of the reports names, where each names one: the vein of access is in both."""
    here = frozenset().union(*(sites(unit, lexicon) for unit in r.units))
    there = frozenset().union(*(sites(unit, lexicon) for unit in c.units))
    if here - there and there - here:
        judged = extents.judge_site(r.lead, here - there, there - here, lexicon)
        yield _make_difference(ErrorAspect.LOCATION, ErrorType.INACCURACY, judged, channel="device")
        return
    one, other = _state(r, lexicon), _state(c, lexicon)
    if state := extents.judge_device(one, other, lexicon):
        kind = _direction(one.device_status, other.device_status)
        yield _make_difference(ErrorAspect.LOCATION, kind, state, channel="device")


def _state(lesion: Lesion, lexicon: Lexicon) -> ClinicalUnit:
    """The mention that says how a device is, one that calls it amiss first."""
    amiss = [unit for unit in lesion.units if unit.device_status in lexicon.qualities.amiss]
    stated = [unit for unit in lesion.units if unit.device_status]
    return next(iter(amiss or stated), lesion.lead)


def _size(r: Lesion, c: Lesion, lexicon: Lexicon) -> Iterator[Difference]:
    if r.size is None or c.size is None:
        return
    thresholds = lexicon.thresholds(r.lead.canonical_finding)
    margin = lexicon.margin(r.lead.canonical_finding)
    judged = extents.judge_size(r.size, c.size, thresholds, r.importance, margin)
    if judged is not None:
        yield _make_difference(ErrorAspect.SIZE, ErrorType.INACCURACY, judged)


def _limit(r: Lesion, c: Lesion, lexicon: Lexicon) -> Iterator[Difference]:
    limit = lexicon.limit(r.lead.canonical_finding)
    if limit is None:
        return
    here, there = r.measured(limit.unit), c.measured(limit.unit)
    if here is None or there is None:
        return
    judged = extents.judge_limit(here, there, limit, r.importance)
    if judged is not None:
        yield evolve(
            _make_difference(ErrorAspect.SIZE, ErrorType.INACCURACY, judged),
            changes_care=judged.extent >= extents.CROSSED,
        )


def _degree(r: Lesion, c: Lesion, lexicon: Lexicon) -> Iterator[Difference]:
    if r.degrees.keys() & c.degrees.keys() or (not r.degrees and not c.degrees):
        return
    steps = [(a, b) for a in r.degrees or (0.0,) for b in c.degrees or (0.0,)]
    here, there = min(steps, key=lambda pair: abs(pair[0] - pair[1]))
    one = evolve(r.lead, severity=r.degrees.get(here))
    other = evolve(c.lead, severity=c.degrees.get(there))
    kind = _direction(one.severity, other.severity)
    yield _make_difference(ErrorAspect.SEVERITY, kind, extents.judge_degree(one, other, lexicon))


_WAYS: Final = frozenset({Change.IMPROVED, Change.WORSENED})


def _change(r: Lesion, c: Lesion, lexicon: Lexicon) -> Iterator[Difference]:
    if c.changes >= _WAYS and not r.changes >= _WAYS:
        words = f"the candidate says of {lexicon.name(c.lead.canonical_finding)} that it is better and that it is worse"
        yield _make_difference(ErrorAspect.CONTRADICTION, ErrorType.INACCURACY, Judgement(extents.BOTH_WAYS, words))
        return
    if r.changes & c.changes or (not r.changes and not c.changes):
        return
    order = list(Change)
    before, after = (min(lesion.changes, key=order.index, default=None) for lesion in (r, c))
    judged = extents.judge_change(r.lead, before, after, lexicon)
    yield _make_difference(ErrorAspect.COMPARISON, _direction(before, after), judged)


def _uncertainty(r: Lesion, c: Lesion, lexicon: Lexicon) -> Iterator[Difference]:
    if abs(r.doubt - c.doubt) < 2:  # noqa: PLR2004 - a shade of certainty is none
        return
    open_r = r.doubt > c.doubt
    judged = extents.judge_uncertainty(r.lead, (), lexicon, open_side="reference" if open_r else "candidate")
    yield _make_difference(ErrorAspect.UNCERTAINTY, ErrorType.OMISSION if open_r else ErrorType.FABRICATION, judged)


def _appearance(r: Lesion, c: Lesion, words: Words, lexicon: Lexicon) -> Iterator[Difference]:
    one, other = r.described, c.described
    if age := extents.judge_age(one, other, lexicon):
        yield _make_difference(ErrorAspect.DESCRIPTION, ErrorType.INACCURACY, age, counted=False, tells_importance=True)
        return
    wordings = words.reference | _appearance_words(r, lexicon), words.candidate | _appearance_words(c, lexicon)
    worded = extents.judge_kind(one, other, *wordings, lexicon)
    if worded := worded or extents.judge_appearance(one, other, *wordings, lexicon):
        yield _make_difference(ErrorAspect.DESCRIPTION, *worded, counted=False)


def _appearance_words(lesion: Lesion, lexicon: Lexicon) -> frozenset[str]:
    """Words of appearance of a lesion, those of its names among them: "spiculated nodule", "tension pneumothorax"."""
    return lesion.modifiers.union(*(lexicon.name(name).lower().split() for name in lesion.names))
