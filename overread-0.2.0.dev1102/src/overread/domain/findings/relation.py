"""Relations between two clinical units: same, broader, narrower, denied, agreeing in what they deny, unrelated."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Final, TypeVar, cast

from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.qualities import Qualities
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Polarity

__all__ = [
    "Relation",
    "denial_holds",
    "denials_agree",
    "denies",
    "is_uncertain",
    "kinship",
    "kinship_of",
    "relation",
    "sites",
]


class Relation(StrEnum):
    """Relation of what one unit says to what another says.

    Attributes:
        SAME: both assert one finding.
        NARROWER, BROADER: both assert, and the first finding is a kind of the second, or the second of the first.
        AGREES: both deny, and what one denies holds what the other does: "the lungs are clear" and "no consolidation".
        DENIES: one denies what the other asserts.
        SIGN: both assert, and one finding accounts for the other: heart failure and vascular congestion.
        CONFUSABLE: both assert, and readers take one finding for the other.
        UNRELATED: neither bears on the other.
    """

    SAME = "same"
    NARROWER = "narrower"
    BROADER = "broader"
    AGREES = "agrees"
    DENIES = "denies"
    SIGN = "sign"
    CONFUSABLE = "confusable"
    UNRELATED = "unrelated"

    @property
    def is_kin(self) -> bool:
        """True if both assert one finding, in a broader or a narrower term."""
        return self in _KIN


_KIN: Final = frozenset({Relation.SAME, Relation.NARROWER, Relation.BROADER})

T = TypeVar("T")
K = TypeVar("K", str, frozenset[str])

_COMING: Final = frozenset({Change.NEW, Change.WORSENED})
_NOTHING: Final = frozenset[str]()


def _compute_once(compute: Callable[[K, K, Lexicon], T], a: K, b: K, lexicon: Lexicon) -> T:
    """Return what depends on findings alone, computed once per pair of them."""
    known = lexicon.memory.get((a, b))
    if known is None:
        known = lexicon.memory.keep((a, b), compute(a, b, lexicon))
    return cast("T", known)


def relation(a: ClinicalUnit, b: ClinicalUnit, lexicon: Lexicon) -> Relation:
    """Relation of one unit to another; NARROWER and BROADER are the only ones with a direction."""
    if a.asserts_finding and b.asserts_finding:
        return kinship(a, b, lexicon)
    if a.denies_finding and b.denies_finding:
        return Relation.AGREES if denials_agree(a, b, lexicon) else Relation.UNRELATED
    if a.asserts_finding or b.asserts_finding:
        denial, finding = (a, b) if a.denies_finding else (b, a)
        return Relation.DENIES if denies(denial, finding, lexicon) else Relation.UNRELATED
    return Relation.UNRELATED


def kinship(a: ClinicalUnit, b: ClinicalUnit, lexicon: Lexicon) -> Relation:
    """Relation of the findings that two units name, whatever they say of them."""
    if a.is_apart_from(b):
        return Relation.UNRELATED
    return kinship_of(a.canonical_finding, b.canonical_finding, lexicon)


def kinship_of(finding: str, other: str, lexicon: Lexicon) -> Relation:
    """Relation of two findings by their ids."""
    return _compute_once(_kinship, finding, other, lexicon)


def _kinship(first: str, second: str, lexicon: Lexicon) -> Relation:
    if not first or not second:
        return Relation.UNRELATED
    if first == second:
        return Relation.SAME
    if lexicon.is_kind_of(first, second):
        return Relation.NARROWER
    if lexicon.is_kind_of(second, first):
        return Relation.BROADER
    if lexicon.is_sign_of(first, second) or lexicon.is_sign_of(second, first):
        return Relation.SIGN
    return Relation.CONFUSABLE if lexicon.are_confusable(first, second) else Relation.UNRELATED


def denies(denial: ClinicalUnit, finding: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Return whether ``denial`` says that what ``finding`` asserts is not there.

    A denial of one side, zone, level or bone leaves the others open, one of a change ("no new effusion") leaves open
    what is not new, and one that is narrowed by a degree or a qualifier ("no large effusion", "no acute fracture")
    leaves open what is not so.
    """
    if not denial.denies_finding or not finding.canonical_finding or denial.is_apart_from(finding):
        return False
    denied = denial.denies or {denial.canonical_finding}
    if not lexicon.denies(denied, finding.canonical_finding):
        return False
    if denial.place.sides and not denial.place.sides & finding.place.sides:
        return False
    if denial.place.levels and (not finding.place.levels or denial.place.has_other_levels(finding.place)):
        return False
    if denial.place.heights_apart(finding.place) or _are_elsewhere(denial, finding, lexicon):
        return False
    return not _leaves_open(denial, finding, lexicon.qualities)


def _are_elsewhere(denial: ClinicalUnit, finding: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Return whether a denial is of another bone, organ or part: "no fracture of the ulna" leaves the radius open.

    A normal statement that has a place in common with the finding is about that: "portal and splenic veins are patent".
    """
    here, there = denial.place.labels, finding.place.labels
    if here == there or (denial.denies and denial.place.sites & finding.place.sites):
        return False
    return any(parts.are_apart(here, there) for parts in lexicon.qualities.parts)


def _leaves_open(denial: ClinicalUnit, finding: ClinicalUnit, qualities: Qualities) -> bool:
    if denial.severity is not None and denial.severity != finding.severity:
        return True
    if denial.change in _COMING and finding.change is not denial.change:
        return True
    if denial.modifiers & qualities.narrowing - finding.modifiers:
        return True
    return any(finding.modifiers & qualities.leaves_open.get(word, _NOTHING) for word in denial.modifiers)


def denial_holds(broad: ClinicalUnit, narrow: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Return whether one denial says all that the other says: each denied finding or a broader one, at no fewer places.

    A denial of a change, a degree or a qualifier ("no new effusion", "no displaced fracture") says less than a plain
    one.
    """
    wide, own = broad.place, narrow.place
    if wide.sides and not (own.sides and own.sides <= wide.sides):
        return False
    if wide.heights and not (own.heights and own.heights <= wide.heights):
        return False
    narrowed = broad.modifiers & lexicon.qualities.partial - narrow.modifiers
    if narrowed or broad.severity not in (None, narrow.severity):
        return False
    if broad.change in _COMING and broad.change is not narrow.change:
        return False
    denied = broad.denies or {broad.canonical_finding}
    return all(lexicon.denies(denied, finding) for finding in narrow.denies or {narrow.canonical_finding})


def denials_agree(a: ClinicalUnit, b: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Return whether two denials overlap: one denies what the other denies, or a kind of it, on no other side."""
    if a.place.is_across_from(b.place) or a.is_apart_from(b):
        return False
    denied_a = a.denies or frozenset((a.canonical_finding,))
    denied_b = b.denies or frozenset((b.canonical_finding,))
    return _compute_once(_overlap, denied_a, denied_b, lexicon)


def _overlap(a: frozenset[str], b: frozenset[str], lexicon: Lexicon) -> bool:
    return any(lexicon.denies(b, finding) for finding in a) or any(lexicon.denies(a, finding) for finding in b)


def is_uncertain(unit: ClinicalUnit) -> bool:
    """Return whether the unit leaves its finding open, by its polarity or by calling it possible."""
    return unit.polarity is Polarity.UNCERTAIN or unit.certainty is Certainty.POSSIBLE


def sites(unit: ClinicalUnit, lexicon: Lexicon) -> frozenset[str]:
    """Places other than sides and zones that the unit adds to those its finding implies."""
    finding = lexicon.findings.get(unit.canonical_finding)
    return unit.place.sites.difference(finding.anatomy if finding else ())
