"""Lesions: what a report says of one finding at one place, in however many mentions.

A report names a finding in its findings and again in its impression. What either mention says the report says, and it
is right or wrong about it once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from attrs import define, evolve

from overread.domain.findings.extents import importance_of, judge_size
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import Relation, is_uncertain, kinship, sites
from overread.domain.findings.unit import Certainty, Change, ClinicalUnit, Measurement, largest, severity_ordinal
from overread.domain.vocabulary.anatomy import Place
from overread.domain.vocabulary.severity import Importance

__all__ = ["Lesion", "doubt_of", "lesions_of"]

Units = Sequence[ClinicalUnit]

_SAME_OR_BROADER: Final = frozenset({Relation.SAME, Relation.BROADER})


def doubt_of(unit: ClinicalUnit) -> int:
    """0 for an assertion, 1 for a probable one, 2 for one left open."""
    return 2 if is_uncertain(unit) else int(unit.certainty is Certainty.PROBABLE)


@define(eq=False, slots=False)
class Lesion:
    """The mentions of one asserted finding.

    Attributes:
        mentions: units of the report with their indices in it, the narrowest term first.
        importance: what it asks for in the patient: the most that a mention of it does, but for one that the same
            sentence explains.
    """

    mentions: list[tuple[int, ClinicalUnit]]
    importance: Importance

    @property
    def lead(self) -> ClinicalUnit:
        """The mention that names the finding most narrowly."""
        return self.mentions[0][1]

    @cached_property
    def units(self) -> tuple[ClinicalUnit, ...]:
        """The mentions."""
        return tuple(unit for _, unit in self.mentions)

    @cached_property
    def place(self) -> Place:
        """All that the mentions say of the place."""
        if len(self.mentions) == 1:
            return self.lead.place
        return Place.joined(unit.place for _, unit in self.mentions)

    @cached_property
    def degrees(self) -> dict[float, str]:
        """Degrees stated, by their ordinal."""
        return {severity_ordinal(unit.severity): unit.severity for unit in self.units if unit.severity is not None}

    @cached_property
    def changes(self) -> frozenset[Change]:
        """Comparisons stated."""
        return frozenset(unit.change for unit in self.units if unit.change is not None)

    @cached_property
    def size(self) -> Measurement | None:
        """The largest size stated."""
        return largest(size for unit in self.units for size in unit.measurements)

    def measured(self, unit: str) -> Measurement | None:
        """The largest angle or attenuation stated in a unit that is no length."""
        measurements = (
            measurement for mention in self.units for measurement in mention.measurements if measurement.unit == unit
        )
        return max(measurements, key=lambda measurement: measurement.value, default=None)

    @cached_property
    def names(self) -> frozenset[str]:
        """Findings that the mentions name."""
        return frozenset(unit.canonical_finding for unit in self.units)

    @cached_property
    def doubt(self) -> int:
        """Doubt of the surest mention by the narrowest name: that an opacity is there makes no pneumonia certain."""
        name = self.lead.canonical_finding
        return min(doubt_of(unit) for unit in self.units if unit.canonical_finding == name)

    @cached_property
    def modifiers(self) -> frozenset[str]:
        """Words of appearance of all mentions."""
        return frozenset().union(*(unit.modifiers for unit in self.units))

    @cached_property
    def described(self) -> ClinicalUnit:
        """The lead with the words of appearance of all mentions."""
        return self.lead if len(self.mentions) == 1 else evolve(self.lead, modifiers=self.modifiers)

    def add_mention(self, index: int, unit: ClinicalUnit, importance: Importance) -> None:
        """Takes up a further mention."""
        self.mentions.append((index, unit))
        for name in _OF_MENTIONS:
            self.__dict__.pop(name, None)
        if importance.weight > self.importance.weight and not self._explains(unit):
            self.importance = importance

    def _explains(self, unit: ClinicalUnit) -> bool:
        """Return whether a broader word is explained in its own sentence: "a nodule, consistent with adenoma"."""
        return any(
            one.sentence_index == unit.sentence_index
            and one.canonical_finding != unit.canonical_finding
            and one.certainty in {Certainty.PROBABLE, Certainty.DEFINITE}
            for one in self.units
        )


_OF_MENTIONS: Final = tuple(name for name, value in vars(Lesion).items() if isinstance(value, cached_property))


def lesions_of(units: Units, others: Units, lexicon: Lexicon) -> list[Lesion]:
    """Lesions that a report asserts, their mentions joined.

    Mentions are one lesion where one names it as the other does or more broadly, at no other place, and of no other
    size. Separate places are still one lesion where the other report mentions both at once: "left effusion" and "right
    effusion" against "bilateral effusions".

    Args:
        units: of the report.
        others: of the other report.
        lexicon: kinds of findings.
    """
    asserted = [(index, unit) for index, unit in enumerate(units) if unit.asserts_finding]
    if len(asserted) > 1:
        asserted.sort(key=lambda mention: (*_rank(mention[1], lexicon), mention[0]))
    spoken = [unit for unit in others if unit.asserts_finding]
    lesions: list[Lesion] = []
    for index, unit in asserted:
        importance = importance_of(unit, lexicon)
        home = _home(unit, lesions, spoken, lexicon)
        if home is None:
            lesions.append(Lesion([(index, unit)], importance))
        else:
            home.add_mention(index, unit, importance)
    lesions.sort(key=lambda lesion: min(index for index, _ in lesion.mentions))
    return lesions


def _rank(unit: ClinicalUnit, lexicon: Lexicon) -> tuple[int, int, list[str], str, str]:
    """The narrowest term first, then the closest place: what is one lesion must not hang on the order of mention."""
    labels, surety = unit.anatomy, f"{doubt_of(unit)} {unit.severity} {unit.change} {unit.measurements}"
    words = " ".join(sorted(unit.modifiers))
    return -len(lexicon.ancestors(unit.canonical_finding)), -len(labels), sorted(labels), surety, words


def _home(unit: ClinicalUnit, lesions: Iterable[Lesion], others: Units, lexicon: Lexicon) -> Lesion | None:
    """The lesion that a unit mentions once more: of its sentence first, then of its own name."""
    fitting = []
    for number, lesion in enumerate(lesions):
        kind = kinship(unit, lesion.lead, lexicon)
        if kind in _SAME_OR_BROADER and not _apart(unit, lesion, others, lexicon):
            elsewhere = all(unit.sentence_index != mention.sentence_index for _, mention in lesion.mentions)
            fitting.append((elsewhere, kind is not Relation.SAME, number, lesion))
    return min(fitting, default=(None, None, None, None), key=lambda found: found[:3])[3]


def _apart(unit: ClinicalUnit, lesion: Lesion, others: Units, lexicon: Lexicon) -> bool:
    place, known = unit.place, lesion.place
    size = largest(unit.measurements)
    if size is not None and lesion.size is not None and unit.sentence_index != lesion.lead.sentence_index:
        judged = judge_size(size, lesion.size)
        if judged is not None and judged.extent > 0:
            return True
    if not _is_apart(unit, place, lesion, known, lexicon):
        return False
    return not any(_speaks_of_both(other, unit, place, known, others, lexicon) for other in others)


def _is_apart(unit: ClinicalUnit, place: Place, lesion: Lesion, known: Place, lexicon: Lexicon) -> bool:
    """Return whether two places exclude each other."""
    if place.is_across_from(known) or place.heights_apart(known) or place.is_opposite_in_depth(known):
        return True
    if place.has_other_levels(known):
        return True
    here, there = sites(unit, lexicon), sites(lesion.lead, lexicon)
    return bool(here and there and not here & there)


def _speaks_of_both(
    other: ClinicalUnit, unit: ClinicalUnit, place: Place, known: Place, others: Units, lexicon: Lexicon
) -> bool:
    if not kinship(other, unit, lexicon).is_kin:
        return False
    stated = other.place
    if any(parts.are_apart(stated.labels, one.labels) for parts in lexicon.qualities.parts for one in (place, known)):
        return False
    if stated.sides >= place.sides | known.sides:
        is_as_high = not stated.heights or stated.heights >= place.heights | known.heights
        return is_as_high and (not stated.levels or stated.levels >= place.levels | known.levels)
    nameless = not (stated.sides or stated.heights or stated.levels or stated.sites)
    return nameless and not any(
        twin is not other and twin.place.sides and kinship(twin, unit, lexicon).is_kin for twin in others
    )
