"""Meaning of an entity, where its recognizer knows it, and the similarity in meaning of two entities.

A cosine of names hardly tells "left" from "right" and knows few synonyms. Where both entities were read from clinical
units, their meaning decides instead, and the cosine is left for findings that nothing relates. All numbers of this
module are overread's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import define, evolve, field, frozen

from overread.domain.findings.extents import judge_size
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import Relation, is_uncertain, kinship, sites
from overread.domain.findings.unit import ClinicalUnit, largest, severity_ordinal
from overread.domain.vocabulary.anatomy import Place
from overread.domain.vocabulary.recent import Recent

__all__ = ["UNRELATED", "Likeness", "Meaning", "relatedness"]

Array = npt.NDArray[np.float64]

_REMEMBERED: Final = 100_000
_NOTHING: Final = frozenset[str]()

UNRELATED: Final = 0.3
"""Factor on the cosine of what nothing relates. Whatever is related is more alike than this, even on the wrong side: so
an error in a finding keeps it matched with the finding it is an error in."""

_RELATED: Final = {
    Relation.SAME: 1.0,
    Relation.NARROWER: 0.85,
    Relation.BROADER: 0.85,
    Relation.SIGN: 0.5,
    Relation.CONFUSABLE: 0.2,
}
"""How far a finding is the other, 0 to 1, by their relation."""

_COVERS: Final = 0.85
"""The same of a denial that holds the other thing among more."""

_OVERLAPS: Final = 0.7
"""The same of denials of which each holds something that the other does not."""

_ACROSS: Final = 0.1
"""Factor where sides, heights or levels are at odds: not much more than what is unrelated."""

_ONE_OF_BOTH: Final = 0.5
"""Factor where one names both sides and the other one of them."""

_NEIGHBOURING: Final = 0.85
"""Factor for neighbouring heights of the lung, and for neighbouring degrees, which readers take for one another."""

_FAR: Final = 0.3
"""Factor for degrees two steps apart, and for sizes and states of a device that differ by more than readers do."""

_AT_ODDS: Final = 0.5
"""Factor for another change, another site, or words of appearance that exclude each other."""

_UNSTATED: Final = 0.95
"""Factor for each attribute that only one of the two states."""

_TWO_STEPS: Final = 0.5
"""Degrees further apart than this on their ordinal scale are not neighbours."""


@frozen(kw_only=True, cache_hash=True)
class Meaning:
    """Reading of an entity.

    Attributes:
        name: what is embedded; without side, change and degree, which are compared separately.
        unit: what the entity says or describes, without its words and place in the report.
        labels: of the place or the appearance that the entity names of its unit; None where it names the unit itself.
    """

    name: str = field(repr=False)
    unit: ClinicalUnit = field(repr=False)
    labels: frozenset[str] | None = field(default=None, repr=False)

    @classmethod
    def of(cls, unit: ClinicalUnit, name: str, labels: frozenset[str] | None = None) -> Meaning:
        """The meaning of an entity of a unit; equal for units that say the same in other words."""
        bare = evolve(
            unit,
            span_text="",
            surface_finding="",
            start=0,
            end=0,
            section="",
            sentence_index=0,
            modalities=frozenset(),
            confidence=1.0,
        )
        return cls(name=name, unit=bare, labels=labels)


@define(eq=False)
class Likeness:
    """Similarity in meaning of entities; remembers what it has computed.

    Attributes:
        lexicon: says how findings are related.
    """

    lexicon: Lexicon
    _known: Recent[tuple[Meaning, Meaning], float] = field(factory=lambda: Recent(_REMEMBERED), init=False, repr=False)

    @property
    def identity(self) -> str:
        """Name and version of the rules of this module."""
        return "meaning@1"

    def between(self, rows: Sequence[Meaning | None], columns: Sequence[Meaning | None], cosines: Array) -> Array:
        """Similarities on [-1, 1], rows x columns: 1 for the same, at most `UNRELATED` for what nothing relates.

        Where neither entity has a meaning, or there are none, the cosine stands.

        Args:
            rows: what the entities that are scored mean, None where that is not known.
            columns: the same of those that they may be matched with.
            cosines: of their names, rows x columns.
        """
        shares = np.array([[self._share(a, b) for b in columns] for a in rows], dtype=np.float64)
        shares = shares.reshape(cosines.shape)
        known = np.array([[a is None and b is None for b in columns] for a in rows], dtype=bool).reshape(cosines.shape)
        related = np.where(shares > 0, UNRELATED + (1.0 - UNRELATED) * shares, UNRELATED * cosines)
        return np.where(known, cosines, related)

    def _share(self, a: Meaning | None, b: Meaning | None) -> float:
        if a is None or b is None:
            return 0.0
        known = self._known.get((a, b))
        if known is None:
            known = self._known.keep((a, b), relatedness(a, b, self.lexicon))
        return known


def relatedness(a: Meaning, b: Meaning, lexicon: Lexicon) -> float:
    """Degree to which ``b`` bears ``a`` out, on [0, 1]: 1 for the same, 0 for what nothing relates.

    Polarity is ignored: the types of entities express it. Findings compare by their relation, then by place, and where
    both are asserted by degree, size, change, certainty, appearance and state. A place or a word of appearance is borne
    out by a similar one, by a finding that has it, or, half, by the finding it is said of; the subject of a normal
    statement by what agrees with the statement. A finding is not borne out by its place. Except for that, the order
    makes no difference.
    """
    if a.labels is None:
        return _findings(a.unit, b.unit, lexicon) if b.labels is None else 0.0
    return _borne_out(a, b.unit, lexicon) if b.labels is None else _details(a.labels, b.labels)


def _findings(a: ClinicalUnit, b: ClinicalUnit, lexicon: Lexicon) -> float:
    """Degree to which two units say the same of their findings, 0 where nothing relates the findings."""
    share = _relation_factor(a, b, lexicon) * _place_factor(a, b, lexicon)
    if share and a.asserts_finding and b.asserts_finding:
        share *= _degree(a, b) * _size(a, b) * _detail_factor(a, b, lexicon)
    return share


def _relation_factor(a: ClinicalUnit, b: ClinicalUnit, lexicon: Lexicon) -> float:
    if a.canonical_finding == b.canonical_finding:
        return 1.0
    if not a.denies and not b.denies:
        return _RELATED.get(kinship(a, b, lexicon), 0.0)
    named_a, named_b = a.denies or {a.canonical_finding}, b.denies or {b.canonical_finding}
    held_a = [lexicon.denies(named_b, finding) for finding in named_a]
    held_b = [lexicon.denies(named_a, finding) for finding in named_b]
    if all(held_a) and all(held_b):
        return 1.0
    if all(held_a) or all(held_b):
        return _COVERS
    return _OVERLAPS if any(held_a) or any(held_b) else 0.0


def _place_factor(a: ClinicalUnit, b: ClinicalUnit, lexicon: Lexicon) -> float:
    """Factor for where the findings are."""
    one, other = a.place, b.place
    factor = _sides(one.sides, other.sides) * _HEIGHTS[one.heights_apart(other)]
    if one.levels and other.levels:
        return factor * _ACROSS if one.has_other_levels(other) else factor
    sites_a, sites_b = sites(a, lexicon), sites(b, lexicon)
    return factor * _AT_ODDS if sites_a and sites_b and not sites_a & sites_b else factor


def _sides(a: frozenset[str], b: frozenset[str]) -> float:
    if a == b:
        return 1.0
    if not a or not b:
        return _UNSTATED
    return _ONE_OF_BOTH if a & b else _ACROSS


_HEIGHTS: Final = (1.0, _NEIGHBOURING, _ACROSS)
"""Factor for heights of the lung 0, 1 or 2 apart."""


def _degree(a: ClinicalUnit, b: ClinicalUnit) -> float:
    if a.severity is None or b.severity is None:
        return 1.0 if a.severity == b.severity else _UNSTATED
    apart = abs(severity_ordinal(a.severity) - severity_ordinal(b.severity))
    if apart > _TWO_STEPS:
        return _FAR
    return _NEIGHBOURING if apart else 1.0


def _size(a: ClinicalUnit, b: ClinicalUnit) -> float:
    size_a, size_b = largest(a.measurements), largest(b.measurements)
    if size_a is None or size_b is None:
        return 1.0 if size_a is size_b else _UNSTATED
    judgement = judge_size(size_a, size_b)
    return _FAR if judgement is not None and judgement.severity.counts_as_significant else 1.0


def _detail_factor(a: ClinicalUnit, b: ClinicalUnit, lexicon: Lexicon) -> float:
    """Factor for change, certainty, appearance and the state of a device."""
    factor = 1.0
    if a.change is not b.change:
        factor *= _UNSTATED if a.change is None or b.change is None else _AT_ODDS
    if is_uncertain(a) != is_uncertain(b):
        factor *= _NEIGHBOURING
    if a.modifiers != b.modifiers:
        # What is "focal" here and "diffuse" there has both words of a pair, and so has its copy.
        opposed = any(
            (a.modifiers & one and b.modifiers & other) or (a.modifiers & other and b.modifiers & one)
            for one, other in lexicon.qualities.opposed
        )
        factor *= _AT_ODDS if opposed else _UNSTATED
    amiss = lexicon.qualities.amiss
    if (a.device_status in amiss) != (b.device_status in amiss):
        factor *= _FAR
    return factor


def _details(a: frozenset[str], b: frozenset[str]) -> float:
    """Degree to which one place or word of appearance is the other."""
    place_a, place_b = Place.of(a), Place.of(b)
    rest_a, rest_b = a - place_a.sides, b - place_b.sides
    if rest_a == rest_b:
        same = 1.0
    elif place_a.heights and place_b.heights:
        same = _HEIGHTS[place_a.heights_apart(place_b)]
    elif rest_a <= rest_b or rest_b <= rest_a:
        same = _COVERS
    else:
        return 0.0
    return same * _sides(place_a.sides, place_b.sides)


def _borne_out(detail: Meaning, unit: ClinicalUnit, lexicon: Lexicon) -> float:
    """Degree to which a unit has a place or an appearance named elsewhere, or says what that is said of."""
    labels, subject = detail.labels or _NOTHING, detail.unit
    own = unit.anatomy | unit.modifiers | {unit.severity, unit.device_status}
    place = Place.of(labels)
    borne = _sides(place.sides, unit.place.sides) if labels - place.sides <= own else 0.0
    # "Costophrenic angles are sharp" has a subject that "no effusion" need not name.
    share = _relation_factor(subject, unit, lexicon) * _place_factor(subject, unit, lexicon)
    return max(borne, share if subject.denies else share * _AT_ODDS)
