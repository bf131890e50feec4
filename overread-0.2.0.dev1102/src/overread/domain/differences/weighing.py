"""Importance as mass: what each unit of a pair weighs, and what it costs to carry it onto another or onto nothing.

Unbalanced in what it asks of the plan: masses are not normalised away, and a null unit on each side takes what has no
partner (partial transport with a dummy point; Chapel et al. 2020). An added harmless statement has next to no mass and
moves nothing; an added finding that matters adds its mass. The numbers are overread's (docs/decisions/0023).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final, TypeVar

import numpy as np
from attrs import define, evolve, frozen

from overread.domain.differences.comparison import Denials, Difference, Words, differences
from overread.domain.differences.cost import GROUND_CHANNELS, SIDE_CHANNELS, Matrix, PairCosts
from overread.domain.differences.remark import Remark
from overread.domain.differences.unread import same_sentence
from overread.domain.findings import extents
from overread.domain.findings.advice import ADVICE, Action
from overread.domain.findings.contradiction import Contradiction, contradictions
from overread.domain.findings.extents import ABSENT, BOTH_WAYS, Judgement, importance_of
from overread.domain.findings.lesion import Lesion, lesions_of
from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.relation import Relation, denies, is_uncertain, kinship
from overread.domain.findings.unit import ClinicalUnit, largest
from overread.domain.reports.report import ClinicalContext
from overread.domain.vocabulary.severity import Importance, gravest
from overread.domain.vocabulary.taxonomy import ErrorAspect

__all__ = ["UNCHARGED", "UNRELATED", "Alone", "ImportanceCost", "Weighing", "completeness", "parts_of", "weigh"]

T = TypeVar("T")

Units = Sequence[ClinicalUnit]
Lesions = Sequence[Lesion]
Differences = tuple[Difference, ...]
Pair = tuple[int, int]
"""Number of a lesion of one report, and of one of the other."""

UNRELATED: Final = 2.0
"""Cost of carrying a unit onto one that has nothing to do with it: never less than both alone."""

UNCHARGED: Final = ("polarity",)
"""Channels in which nothing costs: what is denied has no partner."""

_UNREAD: Final = 0.04
"""Mass of a sentence that no rule covers."""

_WHERE_IT_LIES: Final = frozenset({ErrorAspect.LOCATION, ErrorAspect.SIZE})
_MISPLACED: Final = 0.3
"""Extent from which it matters where a device lies."""

_SWEEPING: Final = 4
"""Parts of the body from which a normal statement is about all of it: "no acute abnormality"."""

_ASKS_MORE: Final = 0.3
"""Extent of what a candidate's term asks for beyond the reference's."""


@frozen
class Alone:
    """Consequence of a lesion without a partner, or without one for all its mass.

    Attributes:
        judged: the extent, its reason and the importance.
        denial: the other report's unit that denies it.
        covered: the other report's lesion that names it anyway, or accounts for it.
    """

    judged: Judgement
    denial: ClinicalUnit | None = None
    covered: Lesion | None = None


@define(eq=False, slots=False)
class Weighing:
    """A pair of reports weighed.

    Attributes:
        reference, candidate: the units, in the order of the matrices' rows and columns.
        lesions: of the reference and of the candidate.
        matches: what two lesions that bear on each other differ in, by their numbers.
        alone: by side, what each lesion means without a partner.
        contradicted: what the candidate says against itself.
        remarks: differences that no finding carries; their statements follow the units, in `rows` and `columns`.
    """

    reference: Units
    candidate: Units
    lesions: tuple[list[Lesion], list[Lesion]]
    matches: Mapping[Pair, Differences]
    alone: tuple[list[Alone], list[Alone]]
    contradicted: list[Contradiction]
    remarks: tuple[Remark, ...]
    lexicon: Lexicon

    @cached_property
    def rows(self) -> tuple[ClinicalUnit, ...]:
        """Units that the rows of the matrices stand for."""
        return (*self.reference, *(remark.reference for remark in self.remarks if remark.reference is not None))

    @cached_property
    def columns(self) -> tuple[ClinicalUnit, ...]:
        """Units that the columns of the matrices stand for."""
        return (*self.candidate, *(remark.candidate for remark in self.remarks if remark.candidate is not None))

    @cached_property
    def placed_remarks(self) -> list[tuple[Remark, int | None, int | None]]:
        """Each remark with its row and its column, None where it has none."""
        row, column, placed = len(self.reference), len(self.candidate), []
        for remark in self.remarks:
            placed.append(
                (remark, None if remark.reference is None else row, None if remark.candidate is None else column)
            )
            row += remark.reference is not None
            column += remark.candidate is not None
        return placed

    @property
    def _told_by_remarks(self) -> tuple[frozenset[int], frozenset[int]]:
        """Sentences no rule covers, by side, of which a remark tells that only one of the reports denies them."""
        denials = [remark for remark in self.remarks if remark.aspect is ErrorAspect.NEGATION]
        statements = ([r.reference for r in denials], [r.candidate for r in denials])
        reference, candidate = (
            frozenset(
                index
                for index, unit in enumerate(units)
                if unit.is_unread and any(_is_within(unit, statement) for statement in denied)
            )
            for units, denied in zip((self.reference, self.candidate), statements, strict=True)
        )
        return reference, candidate

    def masses(self) -> tuple[Matrix, Matrix]:
        """Mass of each unit of either report: its finding's importance, shared by the finding's mentions."""
        rows, columns = np.zeros(len(self.rows)), np.zeros(len(self.columns))
        sides = zip((rows, columns), (self.reference, self.candidate), self.lesions, strict=True)
        for (mass, units, lesions), remarked in zip(sides, self._told_by_remarks, strict=True):
            unread = (index for index, unit in enumerate(units) if unit.is_unread and unit.span_text)
            mass[[index for index in unread if index not in remarked]] = _UNREAD
            for lesion in lesions:
                share = lesion.importance.weight / len(lesion.mentions)
                for index, _ in lesion.mentions:
                    mass[index] = share
        for contradiction in self.contradicted:
            finding = self.candidate[contradiction.finding]
            columns[contradiction.denial] += importance_of(finding, self.lexicon).weight
        for remark, row, column in self.placed_remarks:
            if row is not None:
                rows[row] = remark.importance.weight
            if column is not None:
                columns[column] = remark.importance.weight
        return rows, columns

    def null_costs(self) -> tuple[Matrix, Matrix]:
        """Cost of a unit of mass that has no partner, for each unit of either report."""
        rows, columns = np.ones(len(self.rows)), np.ones(len(self.columns))
        for cost, lesions, alone in zip((rows, columns), self.lesions, self.alone, strict=True):
            for lesion, verdict in zip(lesions, alone, strict=True):
                for index, _ in lesion.mentions:
                    cost[index] = verdict.judged.extent
        for contradiction in self.contradicted:
            columns[contradiction.denial] = BOTH_WAYS
        for remark, row, column in self.placed_remarks:
            if row is None and column is not None:
                columns[column] = remark.extent
            if column is None and row is not None:
                rows[row] = remark.extent
        return rows, columns

    def costs(self) -> PairCosts:
        """Cost matrices by channel, with masses and null costs."""
        shape = (len(self.rows), len(self.columns))
        names = (*GROUND_CHANNELS, *SIDE_CHANNELS)
        channels = dict(zip(names, np.zeros((len(names), *shape)), strict=True))
        channels["finding"][:] = UNRELATED
        for (i, j), differing in self.matches.items():
            for here, _ in self.lesions[0][i].mentions:
                for there, _ in self.lesions[1][j].mentions:
                    channels["finding"][here, there] = 0.0
                    for difference in differing:
                        channels[difference.channel][here, there] += difference.extent
        for i, j in _same_sentences(self.reference, self.candidate):
            channels["finding"][i, j] = 0.0
        for remark, row, column in self.placed_remarks:
            if row is not None and column is not None:
                channels["finding"][row, column], channels["text"][row, column] = 0.0, remark.extent
        row_mass, column_mass = self.masses()
        row_null, column_null = self.null_costs()
        return PairCosts(
            ground={name: channels[name] for name in GROUND_CHANNELS},
            side={name: channels[name] for name in SIDE_CHANNELS},
            row_mass=row_mass,
            column_mass=column_mass,
            row_null=row_null,
            column_null=column_null,
        )


def weigh(reference: Units, candidate: Units, lexicon: Lexicon, remarks: tuple[Remark, ...] = ()) -> Weighing:
    """Two reports' units as lesions, with what they mean to each other.

    Args:
        reference: units of the reference.
        candidate: units of the candidate.
        lexicon: kinds, denials and importance of findings in the patient.
        remarks: differences that no finding carries.
    """
    remarks = _weigh_remarks(remarks, reference, lexicon)
    reference_lesions = lesions_of(reference, candidate, lexicon)
    candidate_lesions = lesions_of(candidate, reference, lexicon)
    units, lesions = (reference, candidate), (reference_lesions, candidate_lesions)
    bearings = _bearings(lesions, units, lexicon)
    matches = _compare(bearings, lesions, units, lexicon)
    kin = {pair: _total(matches[pair]) for pair, bearing in bearings.items() if bearing.is_kin}
    in_reference, in_candidate = _closest(kin), _closest(_mirror(kin))
    matches = _leave_paired(matches, kin, paired=(set(in_reference.values()), set(in_candidate.values())))
    counterparts = [(i, j) for j, i in in_reference.items() if in_candidate.get(i) == j]
    _raise_important(*lesions, {pair: matches[pair] for pair in counterparts})
    omitted = _Side(
        reference_lesions, candidate_lesions, matches, in_reference, candidate, lexicon, is_reference=True
    ).alone()
    added = _Side(
        candidate_lesions, reference_lesions, _mirror(matches), in_candidate, reference, lexicon, is_reference=False
    ).alone()
    return Weighing(
        reference,
        candidate,
        lesions,
        {pair: _raise_confused(differing, bearings[pair], omitted[pair[0]]) for pair, differing in matches.items()},
        (omitted, added),
        contradictions(reference, candidate, lexicon),
        tuple(remark for remark in remarks if not (remark.is_spare and _is_carried(remark, lesions, matches))),
        lexicon,
    )


def _weigh_remarks(remarks: tuple[Remark, ...], reference: Units, lexicon: Lexicon) -> tuple[Remark, ...]:
    """Remarks, of as much importance as the findings of the reference that they are about."""
    if not any(remark.reference is None and _is_advice(remark.candidate) for remark in remarks):
        remarks = tuple(_weigh_lost_advice(remark, reference, lexicon) for remark in remarks)
    return tuple(_of_its_finding(remark, reference, lexicon) for remark in remarks)


def _bearings(lesions: tuple[Lesions, Lesions], units: tuple[Units, Units], lexicon: Lexicon) -> dict[Pair, Relation]:
    """Relation of each lesion of the reference and each of the candidate that have to do with each other."""
    return {
        (i, j): bearing
        for i, r in enumerate(lesions[0])
        for j, c in enumerate(lesions[1])
        if (bearing := _bearing(r, c, lexicon)) is not Relation.UNRELATED
        and not (bearing is Relation.SIGN and _ruled_out(r, c, *units, lexicon))
    }


def _compare(
    bearings: Mapping[Pair, Relation],
    lesions: tuple[Lesions, Lesions],
    units: tuple[Units, Units],
    lexicon: Lexicon,
) -> dict[Pair, Differences]:
    """Differences of each two lesions that have to do with each other."""
    words = Words(*(_words(side, lexicon) for side in lesions))
    denials = Denials(*(tuple(unit for unit in side if unit.denies_finding) for side in units))
    return {
        (i, j): differences(lesions[0][i], lesions[1][j], bearing, words, lexicon, denials)
        for (i, j), bearing in bearings.items()
    }


def _total(differing: Iterable[Difference]) -> float:
    return sum(difference.extent for difference in differing)


def _mirror(by_pair: Mapping[Pair, T]) -> dict[Pair, T]:
    """The same by pairs that name the other report's lesion first."""
    return {(j, i): value for (i, j), value in by_pair.items()}


def _leave_paired(
    matches: Mapping[Pair, Differences], kin: Container[Pair], paired: tuple[Container[int], Container[int]]
) -> dict[Pair, Differences]:
    """Matches of kin, and of lesions that have no kin: a finding that has its counterpart is not taken for another."""
    return {
        (i, j): differing
        for (i, j), differing in matches.items()
        if (i, j) in kin or not (i in paired[0] or j in paired[1])
    }


def _raise_important(reference: Lesions, candidate: Lesions, matches: Mapping[Pair, Differences]) -> None:
    """A device is expected where both reports have it; that they part over where it lies can change care.

    So does a measurement at which care changes, of a finding that asks for nothing by itself: a slight scoliosis.

    Args:
        reference: its lesions.
        candidate: its lesions.
        matches: what each lesion and its counterpart differ in; one line lies elsewhere than another, and may.
    """
    for (i, j), differing in matches.items():
        lesions = (reference[i], candidate[j])
        devices = all(lesion.lead.device for lesion in lesions)
        if any(
            d.changes_care or (devices and d.aspect in _WHERE_IT_LIES and d.extent >= _MISPLACED) for d in differing
        ):
            for lesion in lesions:
                lesion.importance = gravest((lesion.importance, Importance.ACTIONABLE))


def _ruled_out(r: Lesion, c: Lesion, reference: Units, candidate: Units, lexicon: Lexicon) -> bool:
    """Return whether the report with a sign denies what the other names: "soft tissue swelling, no fracture"."""
    sign_first = lexicon.is_sign_of(r.lead.canonical_finding, c.lead.canonical_finding)
    cause, units = (c.lead, reference) if sign_first else (r.lead, candidate)
    return any(denies(unit, cause, lexicon) for unit in units)


def _raise_confused(differing: Differences, bearing: Relation, omitted: Alone) -> Differences:
    """Differences of a finding from the one it is taken for, in all no less than the finding alone would cost.

    A false finding does not make up for a denial of the true one, or for silence about it.
    """
    missing = omitted.judged.extent - _total(differing)
    if bearing is not Relation.CONFUSABLE or missing <= 0 or not differing:
        return differing
    return (evolve(differing[0], extent=differing[0].extent + missing), *differing[1:])


def _is_carried(
    remark: Remark,
    lesions: tuple[Lesions, Lesions],
    matches: Mapping[Pair, Differences],
) -> bool:
    """Return whether a finding of a remark's two statements differs in the same way, or has no counterpart there.

    A denial shows in whatever differs: "displaced" for "not displaced" is another appearance.
    """
    left, right = (
        [number for number, lesion in enumerate(side) if any(_is_within(unit, statement) for unit in lesion.units)]
        for side, statement in zip(lesions, (remark.reference, remark.candidate), strict=True)
    )
    matched = [(i, j) for i in left for j in right if (i, j) in matches]
    if remark.aspect is ErrorAspect.NEGATION:
        return (
            any(matches[pair] for pair in matched)
            or {j for _, j in matched} != set(right)
            or len(left) > len({i for i, _ in matched})
        )
    differs = any(d.aspect is remark.aspect for pair in matched for d in matches[pair])
    return differs or {i for i, _ in matched} != set(left)


def _is_within(unit: ClinicalUnit, statement: ClinicalUnit | None) -> bool:
    return statement is not None and statement.start <= unit.start and unit.end <= statement.end


def _weigh_lost_advice(remark: Remark, reference: Units, lexicon: Lexicon) -> Remark:
    """A remark, of more importance where it is advice lost on a finding of a size from which it is to be followed."""
    lost = remark.candidate is None and _is_advice(remark.reference)
    if not lost or not any(_is_followed(unit, lexicon) for unit in reference):
        return remark
    return evolve(remark, importance=Importance.ACTIONABLE)


def _of_its_finding(remark: Remark, reference: Units, lexicon: Lexicon) -> Remark:
    """A number that no rule reads, of as much importance as what the reference finds in its sentence."""
    if not remark.is_measurement:
        return remark
    findings = (unit for unit in reference if unit.asserts_finding and _is_within(unit, remark.reference))
    if not any(importance_of(unit, lexicon).is_actionable for unit in findings):
        return remark
    return evolve(remark, importance=Importance.ACTIONABLE)


def _is_advice(unit: ClinicalUnit | None) -> bool:
    """Return whether a unit recommends that something be done."""
    return unit is not None and unit.administrative == ADVICE and bool(unit.actions - {Action.NONE, Action.CORRELATION})


def _is_followed(unit: ClinicalUnit, lexicon: Lexicon) -> bool:
    size, sizes = largest(unit.measurements), lexicon.thresholds(unit.canonical_finding)
    return bool(unit.asserts_finding and size and sizes and size.millimetres >= sizes[0])


def _words(lesions: Lesions, lexicon: Lexicon) -> frozenset[str]:
    """Words of appearance anywhere in a report, and those of the kinds that its other findings tell."""
    names = [name for lesion in lesions for name in lesion.names]
    implied = (
        kinds.graver for kinds in lexicon.qualities.kinds if any(lexicon.denies(kinds.told_by, n) for n in names)
    )
    return frozenset().union(*(lesion.modifiers for lesion in lesions), *implied)


def _bearing(r: Lesion, c: Lesion, lexicon: Lexicon) -> Relation:
    """Relation of two lesions: kin, a sign of the other at its place, or taken for the other at its place."""
    kind = kinship(r.lead, c.lead, lexicon)
    if kind.is_kin:
        return kind
    if kind is Relation.UNRELATED:
        if len(r.names) == len(c.names) == 1 or not _one_explained_twice(r, c, lexicon):
            return kind
        kind = Relation.CONFUSABLE
    apart = r.place.is_across_from(c.place) or bool(r.place.heights_apart(c.place))
    return Relation.UNRELATED if apart else kind


def _one_explained_twice(r: Lesion, c: Lesion, lexicon: Lexicon) -> bool:
    """Return whether a broader mention of one bears on the other: "opacity, likely atelectasis" and "pneumonia"."""
    pairs = (
        *((mention, c.lead) for mention in r.units[1:]),
        *((mention, r.lead) for mention in c.units[1:]),
        *((mention, other) for mention in r.units[1:] for other in c.units[1:]),
    )
    return any(kinship(mention, other, lexicon) in _OF_ONE_SIGHT for mention, other in pairs)


_OF_ONE_SIGHT: Final = frozenset({Relation.SAME, Relation.BROADER, Relation.SIGN})


def _closest(kin: Mapping[Pair, float]) -> dict[int, int]:
    """Number of the best-fitting lesion for each lesion of the other report that names some of this one's findings."""
    best: dict[int, tuple[float, int]] = {}
    for (number, other), total in kin.items():
        best[other] = min(best.get(other, (total, number)), (total, number))
    return {other: number for other, (_, number) in best.items()}


@frozen
class _Side:
    """One report of a pair, its lesions held against the other report.

    Attributes:
        lesions: of the report.
        others: lesions of the other report.
        matches: differences of its lesions from those of the other that bear on them.
        closest: number of its best-fitting lesion for each lesion of the other that has one.
        statements: units of the other report.
        is_reference: True if what it says alone is omitted by the other, not added.
    """

    lesions: Lesions
    others: Lesions
    matches: Mapping[Pair, Differences]
    closest: Mapping[int, int]
    statements: Units
    lexicon: Lexicon
    is_reference: bool

    def alone(self) -> list[Alone]:
        """Consequence of each lesion without a partner.

        The other report may name it anyway, deny it, or account for it by what it is a sign of.
        """
        denials = [unit for unit in self.statements if unit.denies_finding]
        bearing: dict[int, dict[int, Differences]] = {}
        for (number, other), differing in self.matches.items():
            bearing.setdefault(number, {})[other] = differing
        return [
            self._weigh_named(number, lesion, bearing.get(number, {})) or self._weigh_unnamed(number, lesion, denials)
            for number, lesion in enumerate(self.lesions)
        ]

    def _weigh_named(self, number: int, lesion: Lesion, bearing: Mapping[int, Differences]) -> Alone | None:
        """Consequence of a lesion that the other report names though it has no partner there; None for any other.

        Words for another lesion fit this one, too; not where they are for this one, or another finding could be
        matched to those words while they stood for this one at no cost.
        """
        extent, closest = min(
            (
                (self._named_extent(lesion, self.others[j], differing), j)
                for j, differing in bearing.items()
                if kinship(lesion.lead, self.others[j].lead, self.lexicon).is_kin
                and (self.closest[j] != number or self.others[j].importance.weight < lesion.importance.weight)
            ),
            default=(ABSENT, 0),
        )
        if extent >= ABSENT:
            return None
        return Alone(Judgement(extent, "named, though not by itself", lesion.importance), covered=self.others[closest])

    def _named_extent(self, lesion: Lesion, other: Lesion, differing: Differences) -> float:
        """Extent of a lesion without a partner that the other report has a word for."""
        if any(difference.channel == "anatomy" for difference in differing):
            return ABSENT
        if other.importance.weight < lesion.importance.weight:
            return ABSENT if self.is_reference or lesion.lead.device else _ASKS_MORE
        return _total(differing)

    def _weigh_unnamed(self, number: int, lesion: Lesion, denials: Units) -> Alone:
        """Consequence of a lesion that the other report denies, explains or does not mention."""
        fullest = lesion.lead
        if len(lesion.mentions) > 1:
            fullest = max(lesion.units, key=lambda unit: extents.judge_presence(unit, self.lexicon).extent)
        fitting = [unit for unit in denials if denies(unit, fullest, self.lexicon)]
        denial = min(
            fitting, key=lambda unit: self.lexicon.breadth(unit.denies or {unit.canonical_finding}), default=None
        )
        # A sign that the other report names as well, or denies, is compared with that, not explained away.
        if denial is None and number not in self.closest.values():
            cause = _accounted_for(lesion, self.others, self.lexicon)
            if cause is not None:
                return Alone(extents.judge_sign(lesion.lead, cause.lead, self.lexicon), covered=cause)
        return Alone(extents.judge_presence(fullest, self.lexicon, denied=denial is not None), denial)


def _accounted_for(sign: Lesion, others: Lesions, lexicon: Lexicon) -> Lesion | None:
    """Lesion that the other report asserts for certain, and of which a finding is a sign."""
    return next(
        (
            other
            for other in others
            if not is_uncertain(other.lead)
            and not sign.lead.is_apart_from(other.lead)
            and lexicon.is_sign_of(sign.lead.canonical_finding, other.lead.canonical_finding)
            and not sign.place.is_across_from(other.place)
            and not sign.place.heights_apart(other.place)
        ),
        None,
    )


def _same_sentences(reference: Units, candidate: Units) -> Iterator[tuple[int, int]]:
    """Sentences no rule covers that say much the same."""
    unread = [(j, unit) for j, unit in enumerate(candidate) if unit.is_unread]
    for i, unit in enumerate(reference):
        if unit.is_unread:
            yield from ((i, j) for j, other in unread if same_sentence(unit, other))


def completeness(weighing: Weighing) -> float:
    """Share of the parts of the body that the reference speaks of and the candidate speaks of too.

    Range 0 to 1, higher is better. Of a reference that speaks of no part in particular a candidate that speaks of any
    has all, and one that speaks of none has nothing.
    """
    lexicon = weighing.lexicon
    if any(_is_sweeping(unit, lexicon) for unit in weighing.candidate):
        return 1.0
    wanted, spoken = (
        frozenset().union(*(_main_parts(unit, lexicon) for unit in units if not _is_sweeping(unit, lexicon)))
        for units in (weighing.reference, weighing.candidate)
    )
    if wanted:
        return len(wanted & spoken) / len(wanted)
    return float(bool(spoken) or not any(_is_sweeping(unit, lexicon) for unit in weighing.reference))


def _is_sweeping(unit: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Return whether a unit calls everything normal: it is about all parts, and requires none in particular."""
    return bool(unit.denies) and len(_main_parts(unit, lexicon)) >= _SWEEPING


def _main_parts(unit: ClinicalUnit, lexicon: Lexicon) -> frozenset[str]:
    """Parts of the body that a unit speaks of above all: clear lungs are of the lung, whatever vessels they hold."""
    if not (unit.asserts_finding or unit.denies_finding):
        return frozenset()
    return lexicon.main_parts(unit.denies or frozenset((unit.canonical_finding,)))


def parts_of(unit: ClinicalUnit, lexicon: Lexicon) -> frozenset[str]:
    """Parts of the body that a unit speaks of."""
    if not (unit.asserts_finding or unit.denies_finding):
        return frozenset()
    return lexicon.parts(unit.denies or frozenset((unit.canonical_finding,)))


@frozen
class ImportanceCost:
    """Masses by clinical importance, costs by extent of the disagreement."""

    lexicon: Lexicon

    @property
    def identity(self) -> str:
        """Name of the cost, and the lexicon it asks."""
        return f"importance,lexicon={self.lexicon.version}"

    def weigh(
        self, reference: Units, candidate: Units, patient: ClinicalContext, remarks: tuple[Remark, ...] = ()
    ) -> Weighing:
        """Two reports' units weighed for a patient."""
        beside = (unit.canonical_finding for unit in reference if unit.asserts_finding)
        return weigh(reference, candidate, self.lexicon.for_patient(patient, beside=beside), remarks)

    def between(self, reference: Units, candidate: Units) -> PairCosts:
        """Cost matrices, len(reference) x len(candidate), with masses and null costs, for nobody in particular."""
        return self.weigh(reference, candidate, self.lexicon.patient).costs()

    def burden(self, units: Units) -> Matrix:
        """Weight of each unit, n x 2: importance of what asks for action, and of what does not."""
        weights = [importance_of(unit, self.lexicon) if unit.asserts_finding else None for unit in units]
        rows = [
            (0.0, 0.0) if step is None else (step.weight, 0.0) if step.is_actionable else (0.0, step.weight)
            for step in weights
        ]
        return np.array(rows, dtype=np.float64).reshape(len(units), 2)
