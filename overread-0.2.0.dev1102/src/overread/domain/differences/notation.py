"""Notation: from the plan between two weighed reports to the list of discrepancies that its edges are evidence for.

Every discrepancy's weight is mass times cost of edges, and the weights of all add up to the plan's risk. A second
reader may doubt some of it, and find more (`Notation.read_again`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
from attrs import evolve, frozen

from overread.domain.differences.comparison import TAXONOMY, Difference
from overread.domain.differences.cost import Matrix
from overread.domain.differences.weighing import Alone, Weighing
from overread.domain.findings.extents import importance_of
from overread.domain.findings.lesion import Lesion
from overread.domain.findings.relation import denials_agree
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Span, share_a_place
from overread.domain.results.alignment import Alignment
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Importance, Severity, gravest, severity_of
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType

__all__ = ["PRIOR", "Notation", "agreement", "green_score", "notate"]

Units = Sequence[ClinicalUnit]

PRIOR: Final = 0.5
"""What every pair has to its credit, a finding that can change care: without it one slip in a short report would be all
there is. overread's choice; docs/decisions/0023 has what halving and doubling it do."""

_SHARE: Final = 0.1
"""Share of the reference's mass that counts beside the risk: people hold an error hardly less grave in a long report.
overread's choice, on the gold corpus's select parts (docs/decisions/0050)."""

_TRACE: Final = 1e-12
"""Mass below which an edge is rounding."""

_LEAST_FOUND: Final = 0.02
"""Weight from which an error that a second reader finds is told: less is a nuance of something of no consequence."""


@frozen(kw_only=True)
class Notation:
    """The discrepancies of a pair, how much of it agrees, and how many statements of the reference are matched.

    Attributes:
        agreed: mass of both reports that the plan carries onto what it agrees with.
        said: mass of all that the reference says.
        matched: statements of the reference that the candidate holds.
        one_sided: whether just one of the reports says anything.
        silent: whether it is the candidate that says nothing.
        planned: the discrepancies as the plan has them, where somebody read again; else None.
    """

    discrepancies: tuple[Discrepancy, ...]
    agreed: float
    said: float
    matched: int
    one_sided: bool = False
    silent: bool = False
    planned: tuple[Discrepancy, ...] | None = None

    @property
    def significant(self) -> int:
        """Number of critical and significant discrepancies."""
        return sum(d.severity.counts_as_significant for d in self.discrepancies)

    @property
    def plan_risk(self) -> float:
        """The plan's own risk: the weights of its discrepancies, whatever a second reader makes of them."""
        return sum((d.weight or 0.0 for d in (self.discrepancies if self.planned is None else self.planned)), 0.0)

    @property
    def risk(self) -> float:
        """The plan's risk as far as a second reader confirms it; the plan's own where nobody read again."""
        return sum((d.risk for d in self.discrepancies), 0.0)

    def read_again(self, probabilities: Sequence[float], found: Sequence[Discrepancy] = ()) -> Notation:
        """This notation as a second reader sees it: what is doubtful neither counts as significant nor weighs in full.

        What the second reader found by itself is told where no discrepancy at its place is significant, and weighs as
        far as those do not account for it. One of its category there is told with that weight, too.

        Args:
            probabilities: how likely each discrepancy is to be confirmed, in their order.
            found: errors that the second reader found, whether a discrepancy tells them already or not.
        """
        read = [
            _with_probability(discrepancy, probability)
            for discrepancy, probability in zip(self.discrepancies, probabilities, strict=True)
        ]
        revised, more = list(read), []
        for left_over in filter(None, (_unaccounted_part(error, read) for error in found)):
            places = (
                place
                for place, noted in enumerate(read)
                if revised[place] is noted and noted.category is left_over.category and share_a_place(noted, left_over)
            )
            if (place := next(places, None)) is None:
                more.append(left_over)
            else:
                revised[place] = _graver_by(read[place], left_over)
        return evolve(
            self, discrepancies=tuple(sorted((*revised, *more), key=_reading_order)), planned=self.discrepancies
        )

    @property
    def score(self) -> float:
        """Risk relative to what there was to say: w / (w + risk); w is a tenth of the reference's mass, and `PRIOR`.

        Range 0 to 1, higher is better; 1 for no risk at all. It has the form of GREEN's equation 1, with weights for
        counts. What there was to say is the reference's alone: the score falls as the plan's risk rises, whatever else
        the candidate says. A candidate that says nothing where the reference says anything has 0: it is no report, and
        silence about a normal examination would else pass for one of the better ones.
        """
        if self.silent:
            return 0.0
        weight = _SHARE * self.said + PRIOR
        return weight / (weight + self.risk)


def green_score(notation: Notation) -> float:
    """GREEN's equation 1 on matched statements and significant discrepancies: matched / (matched + significant).

    Range 0 to 1, higher is better. With nothing matched it is 0, except that a pair without any discrepancy scores
    1: two normal reports that name different normals do not disagree (GREEN's formula is undefined there). A report
    that says nothing against one that does scores 0.
    """
    if notation.matched:
        return notation.matched / (notation.matched + notation.significant)
    return 0.0 if notation.discrepancies or notation.one_sided else 1.0


def agreement(alignment: Alignment) -> Matrix:
    """Mass on both sides that each edge carries, less what is wrong with it; rows x columns."""
    accord = np.clip(1.0 - alignment.ground - alignment.side_total, 0.0, 1.0)
    return np.asarray(2.0 * alignment.plan * accord)


def notate(weighing: Weighing, alignment: Alignment) -> Notation:
    """Notation of a pair.

    Args:
        weighing: both reports' lesions, and what they mean to each other.
        alignment: the plan between the units that were weighed.
    """
    discrepancies: list[Discrepancy] = []
    carried = _by_lesion(weighing, alignment.plan)
    wrong = set()
    for (i, j), mass in carried.items():
        noted = [d for d in _differing(weighing, alignment, i, j, mass) if d.weight]
        if any(d.severity.counts_as_significant for d in noted):
            wrong.add(i)
        discrepancies.extend(noted)
    rows, columns = alignment.null_risk
    discrepancies.extend(_left_alone(weighing, rows, carried, omitted=True))
    discrepancies.extend(_left_alone(weighing, columns, carried, omitted=False))
    discrepancies.extend(_note_contradictions(weighing, columns))
    discrepancies.extend(_note_remarks(weighing, alignment, rows, columns))
    same, unread = _unread_sentences(weighing, alignment, rows, columns)
    discrepancies.extend(unread)
    matched = len({i for i, _ in carried}) - len(wrong)
    matched += _agreeing_denials(weighing) + same
    return Notation(
        discrepancies=tuple(sorted(_merge_discrepancies(discrepancies), key=_reading_order)),
        agreed=float(agreement(alignment).sum()),
        said=_stated_mass(weighing, alignment),
        matched=matched,
        one_sided=_says_something(weighing.reference) != _says_something(weighing.candidate),
        silent=_says_something(weighing.reference) and not _says_something(weighing.candidate),
    )


def _says_something(units: Units) -> bool:
    return any(unit.span_text or unit.canonical_finding for unit in units)


def _stated_mass(weighing: Weighing, alignment: Alignment) -> float:
    """Mass of what the reference says; remarks, which stand for what differs, are no part of it."""
    return float(alignment.row_mass[: len(weighing.reference)].sum())


def _by_lesion(weighing: Weighing, plan: Matrix) -> dict[tuple[int, int], float]:
    """Mass carried from each lesion of the reference onto each of the candidate, summed over their mentions."""
    mass: defaultdict[tuple[int, int], float] = defaultdict(float)
    row_lesions, column_lesions = (
        {index: number for number, lesion in enumerate(lesions) for index, _ in lesion.mentions}
        for lesions in weighing.lesions
    )
    for i, j in np.argwhere(plan > _TRACE).tolist():
        if i in row_lesions and j in column_lesions:
            mass[row_lesions[i], column_lesions[j]] += float(plan[i, j])
    return {pair: mass[pair] for pair in sorted(mass)}


def _differing(weighing: Weighing, alignment: Alignment, i: int, j: int, mass: float) -> Iterator[Discrepancy]:
    """Discrepancies between two lesions that the plan matches."""
    r, c = weighing.lesions[0][i], weighing.lesions[1][j]
    graver = _graver(r, c)
    for difference in weighing.matches.get((i, j), ()):
        weight = mass * difference.extent * alignment.factors.get(difference.channel, 1.0)
        yield _note_difference(difference, r, c, graver, weight, weighing)


def _graver(r: Lesion, c: Lesion) -> Importance:
    return gravest((r.importance, c.importance))


def _of_another_term(found: Iterable[Difference]) -> Difference | None:
    """The difference of a match that also tells why one of the findings asks for more than the other."""
    return next((d for d in found if d.tells_importance), None)


def _note_difference(
    difference: Difference, r: Lesion, c: Lesion, importance: Importance, weight: float, weighing: Weighing
) -> Discrepancy:
    aspect, kind = difference.aspect, difference.type
    lead = (
        c.lead
        if aspect is ErrorAspect.CONTRADICTION
        or (difference.channel == "finding" and difference.counted and kind is not ErrorType.OMISSION)
        else r.lead
    )
    return Discrepancy(
        category=TAXONOMY.category(aspect, kind) if difference.counted else None,
        aspect=aspect,
        type=TAXONOMY.printed_type(aspect, kind),
        severity=Severity.CRITICAL if aspect is ErrorAspect.CONTRADICTION else severity_of(weight),
        reason=_reason(difference.reason, importance, lead, weighing),
        finding=lead.canonical_finding,
        side=r.place.side or c.place.side,
        importance=importance,
        extent=weight / importance.weight,
        reference_spans=_spans(r.units),
        candidate_spans=_spans(c.units),
    )


def _reason(words: str, importance: Importance, unit: ClinicalUnit, weighing: Weighing) -> str:
    """Reason for a discrepancy's weight: the step, what about the patient moved it, and what is wrong."""
    moved = weighing.lexicon.weighed(unit.canonical_finding).reason
    return f"{importance.words}{f' ({moved})' if moved else ''}; {words}"


def _spans(units: Iterable[ClinicalUnit]) -> tuple[Span, ...]:
    return tuple(sorted({unit.span for unit in units}))


def _left_alone(
    weighing: Weighing, risks: Matrix, carried: dict[tuple[int, int], float], *, omitted: bool
) -> Iterator[Discrepancy]:
    """Discrepancies of what a lesion has no partner for, wholly or in part."""
    at = 0 if omitted else 1
    partners: dict[int, int] = {}
    for pair in carried:
        partners.setdefault(pair[at], pair[1 - at])
    for number, (lesion, alone) in enumerate(zip(weighing.lesions[at], weighing.alone[at], strict=True)):
        weight = float(sum(risks[index] for index, _ in lesion.mentions))
        if weight <= _TRACE:
            continue
        partner = weighing.lesions[1 - at][partners[number]] if number in partners else alone.covered
        if number in partners:
            pair = (number, partners[number]) if omitted else (partners[number], number)
            if (named := _of_another_term(weighing.matches[pair])) is not None:
                r, c = weighing.lesions[0][pair[0]], weighing.lesions[1][pair[1]]
                yield _note_difference(named, r, c, _graver(r, c), weight, weighing)
                continue
        yield _alone(weighing, lesion, alone, partner, weight, omitted=omitted, whole=number not in partners)


def _alone(
    weighing: Weighing,
    lesion: Lesion,
    alone: Alone,
    partner: Lesion | None,
    weight: float,
    *,
    omitted: bool,
    whole: bool,
) -> Discrepancy:
    here = _spans(lesion.units)
    there: tuple[Span, ...] = () if alone.denial is None else (alone.denial.span,)
    words, other = alone.judged.reason, "candidate" if omitted else "reference"
    kind = ErrorType.OMISSION if omitted else ErrorType.FABRICATION
    aspect, counted = ErrorAspect.DESCRIPTION, True
    if not whole and partner is not None:
        # What is left over of a match: the other report's term asks for less.
        aspect, kind, there = ErrorAspect.TERMINOLOGY, ErrorType.INACCURACY, _spans(partner.units)
        counted = False
        words = f"the {other}'s term asks for less"
        if lesion.lead.device or partner.lead.device:
            aspect, counted = ErrorAspect.LOCATION, True
            words = f"only in the {_own(omitted)}"
    elif alone.denial is not None:
        aspect = ErrorAspect.NEGATION
        words = f"{words}denied by the {other}"
    elif alone.covered is not None:
        aspect, kind, counted, there = ErrorAspect.TERMINOLOGY, ErrorType.INACCURACY, False, _spans(alone.covered.units)
    else:
        words = f"{words}only in the {_own(omitted)}"
    importance = lesion.importance
    return Discrepancy(
        category=TAXONOMY.category(aspect, kind) if counted else None,
        aspect=aspect,
        type=TAXONOMY.printed_type(aspect, kind),
        severity=severity_of(weight),
        reason=_reason(words, importance, lesion.lead, weighing),
        finding=lesion.lead.canonical_finding,
        side=lesion.place.side,
        importance=importance,
        extent=weight / importance.weight,
        reference_spans=here if omitted else there,
        candidate_spans=there if omitted else here,
    )


def _own(omitted: bool) -> str:  # noqa: FBT001
    return "reference" if omitted else "candidate"


def _note_contradictions(weighing: Weighing, risks: Matrix) -> Iterator[Discrepancy]:
    for contradiction in weighing.contradicted:
        finding, denial = weighing.candidate[contradiction.finding], weighing.candidate[contradiction.denial]
        importance = importance_of(finding, weighing.lexicon)
        share = importance.weight / sum(
            importance_of(weighing.candidate[other.finding], weighing.lexicon).weight
            for other in weighing.contradicted
            if other.denial == contradiction.denial
        )
        weight = float(risks[contradiction.denial]) * share
        yield Discrepancy(
            category=ErrorCategory.FALSE_FINDING,
            aspect=ErrorAspect.CONTRADICTION,
            type=None,
            severity=Severity.CRITICAL if importance.is_actionable else severity_of(weight),
            reason=_reason("the candidate both asserts and denies it", importance, finding, weighing),
            finding=finding.canonical_finding,
            side=finding.place.side,
            importance=importance,
            extent=weight / importance.weight,
            candidate_spans=(denial.span, finding.span),
        )


def _note_remarks(weighing: Weighing, alignment: Alignment, rows: Matrix, columns: Matrix) -> Iterator[Discrepancy]:
    """Discrepancies that no finding carries: each has a row, a column or both of its own."""
    for remark, i, j in weighing.placed_remarks:
        weight = 0.0 if i is None else float(rows[i])
        weight += 0.0 if j is None else float(columns[j])
        if i is not None and j is not None:
            weight += float(alignment.risk[i, j])
        if weight > _TRACE:
            yield Discrepancy(
                category=None,
                aspect=remark.aspect,
                type=TAXONOMY.printed_type(remark.aspect, remark.type),
                severity=severity_of(weight),
                reason=f"{remark.importance.words}; {remark.reason}",
                finding="",
                importance=remark.importance,
                extent=weight / remark.importance.weight,
                reference_spans=remark.reference_spans,
                candidate_spans=remark.candidate_spans,
            )


def _agreeing_denials(weighing: Weighing) -> int:
    """Number of denials of the reference, each once however often it is said, that the candidate holds too."""
    denials = [c for c in weighing.candidate if c.denies_finding]
    agreeing = [
        r
        for r in weighing.reference
        if r.denies_finding and any(denials_agree(r, c, weighing.lexicon) for c in denials)
    ]
    return len({(r.canonical_finding, r.denies, r.place.side) for r in agreeing})


def _unread_sentences(
    weighing: Weighing, alignment: Alignment, rows: Matrix, columns: Matrix
) -> tuple[int, list[Discrepancy]]:
    """Sentences no rule covers: how many agree, and an insignificant note on each that has no counterpart."""
    notes = [
        _unread(unit, float(risk), kind)
        for units, risks, kind in (
            (weighing.reference, rows, ErrorType.OMISSION),
            (weighing.candidate, columns, ErrorType.FABRICATION),
        )
        for unit, risk in zip(units, risks.tolist(), strict=False)
        if unit.is_unread and risk > _TRACE
    ]
    same = sum(
        unit.is_unread and bool((alignment.plan[index] > _TRACE).any()) for index, unit in enumerate(weighing.reference)
    )
    return same, notes


def _unread(unit: ClinicalUnit, weight: float, kind: ErrorType) -> Discrepancy:
    omitted = kind is ErrorType.OMISSION
    return Discrepancy(
        category=None,
        aspect=ErrorAspect.DESCRIPTION,
        type=kind,
        severity=severity_of(weight),
        reason=f"a sentence no rule covers is only in the {_own(omitted)}",
        finding="",
        importance=Importance.EXPECTED,
        extent=weight / Importance.EXPECTED.weight,
        reference_spans=(unit.span,) if omitted else (),
        candidate_spans=() if omitted else (unit.span,),
    )


def _merge_discrepancies(discrepancies: Sequence[Discrepancy]) -> list[Discrepancy]:
    """Discrepancies of one kind between the same places as one, with the weights of all."""
    gathered: dict[tuple[object, ...], Discrepancy] = {}
    for discrepancy in discrepancies:
        where = (discrepancy.side, discrepancy.reference_spans, discrepancy.candidate_spans)
        key: tuple[object, ...] = (
            discrepancy.category,
            discrepancy.aspect,
            discrepancy.type,
            discrepancy.finding,
            *where,
        )
        # Several lesions may stand at one place, each wrong in full.
        while (known := gathered.get(key)) is not None and _more_than_one(known, discrepancy):
            key = (*key, "")
        if known is None or discrepancy.importance is None:
            gathered[key] = discrepancy
        else:
            weight = (known.weight or 0.0) + (discrepancy.weight or 0.0)
            importance = gravest((known.importance or discrepancy.importance, discrepancy.importance))
            critical = Severity.CRITICAL in {known.severity, discrepancy.severity}
            gathered[key] = evolve(
                known,
                importance=importance,
                extent=weight / importance.weight,
                severity=Severity.CRITICAL if critical else severity_of(weight),
            )
    return list(gathered.values())


def _more_than_one(known: Discrepancy, found: Discrepancy) -> bool:
    """Return whether the weights of both add up to more than one finding can have."""
    most = max((d.importance.weight for d in (known, found) if d.importance is not None), default=0.0)
    return (known.weight or 0.0) + (found.weight or 0.0) > most + _TRACE


def _with_probability(discrepancy: Discrepancy, probability: float) -> Discrepancy:
    read = evolve(discrepancy, probability=probability)
    return evolve(read, severity=Severity.INSIGNIFICANT) if read.is_doubtful else read


def _unaccounted_part(found: Discrepancy, noted: Iterable[Discrepancy]) -> Discrepancy | None:
    """The found discrepancy with the weight that those noted at its place leave over.

    None where they leave next to none, or where one of them is significant: the error there is already reported.
    """
    if found.importance is None or not found.probability:
        return None
    here = [d for d in noted if share_a_place(d, found)]
    weight = (found.risk - sum(d.risk for d in here)) / found.probability
    if weight < _LEAST_FOUND or any(d.severity.counts_as_significant for d in here):
        return None
    left_over = evolve(found, extent=weight / found.importance.weight, severity=severity_of(weight))
    return _with_probability(left_over, found.probability)


def _graver_by(noted: Discrepancy, more: Discrepancy) -> Discrepancy:
    """A discrepancy with what a second reader found besides at its place, as one of the risk of both."""
    if noted.importance is None or more.importance is None:
        return noted
    probability = max(noted.probability, more.probability)
    importance = gravest((noted.importance, more.importance))
    weight = min((noted.risk + more.risk) / probability, importance.weight)
    joined = evolve(
        noted.joined_with(more),
        reason=f"{importance.words}; {noted.reason.partition('; ')[2] or noted.reason}, judged by the whole sentence",
        finding=noted.finding,
        side=noted.side,
        importance=importance,
        extent=weight / importance.weight,
        severity=severity_of(weight),
    )
    return _with_probability(joined, probability)


_SEVERITY_ORDER = {Severity.CRITICAL: 0, Severity.SIGNIFICANT: 1, Severity.INSIGNIFICANT: 2}


def _reading_order(discrepancy: Discrepancy) -> tuple[int, float, bool, Span]:
    spans = discrepancy.reference_spans or discrepancy.candidate_spans
    weight = round(discrepancy.weight or 0.0, 9)
    return _SEVERITY_ORDER[discrepancy.severity], -weight, not discrepancy.reference_spans, spans[0]
