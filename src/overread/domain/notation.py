"""Notation: from the units of two reports and their ground cost to the list of discrepancies.

Findings that both reports assert are paired one to one, closest first, and compared attribute by attribute; what
stays alone is an omission or a false finding, unless it repeats or is covered by what is paired. A silent normal is
not an omission.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.domain import significance
from overread.domain.cost import jaccard, tokens
from overread.domain.discrepancy import Discrepancy
from overread.domain.lexicon import Lexicon
from overread.domain.relation import (
    Relation,
    denials_agree,
    denies,
    is_uncertain,
    relation,
    side_name,
    sides,
    sides_conflict,
    sites,
    zone_distance,
    zone_levels,
)
from overread.domain.report import Span
from overread.domain.severity import Severity
from overread.domain.significance import Judgement
from overread.domain.taxonomy import ErrorAspect, ErrorCategory, ErrorTaxonomy, ErrorType
from overread.domain.unit import Certainty, ClinicalUnit

__all__ = ["Notation", "notate", "notation_score"]

Matrix = npt.NDArray[np.float64]
Units = Sequence[ClinicalUnit]

_TAXONOMY = ErrorTaxonomy()
_SAME_SENTENCE = 0.5
"""Token overlap from which two sentences that no rule covers count as the same (overread's choice)."""

_OPPOSED_MODIFIERS = (frozenset({"acute", "subacute"}), frozenset({"chronic", "old", "healed", "remote"}))


@frozen(kw_only=True)
class Notation:
    """The discrepancies of a pair, and how many statements of the reference the candidate matches.

    Attributes:
        one_sided: whether just one of the reports says anything.
    """

    discrepancies: tuple[Discrepancy, ...]
    matched: int
    one_sided: bool = False

    @property
    def significant(self) -> int:
        """Number of critical and significant discrepancies."""
        return sum(d.severity.counts_as_significant for d in self.discrepancies)


def notation_score(notation: Notation) -> float:
    """GREEN's equation 1 on matched statements and significant discrepancies: matched / (matched + significant).

    Range 0 to 1, higher is better. With nothing matched it is 0, except that a pair without any discrepancy scores
    1: two normal reports that name different normals do not disagree (GREEN's formula is undefined there). A report
    that says nothing against one that does scores 0.
    """
    if notation.matched:
        return notation.matched / (notation.matched + notation.significant)
    return 0.0 if notation.discrepancies or notation.one_sided else 1.0


def notate(reference: Units, candidate: Units, ground: Matrix, lexicon: Lexicon) -> Notation:
    """Notation of a pair.

    Args:
        reference: units of the reference in reading order.
        candidate: units of the candidate in reading order.
        ground: ground cost, len(reference) x len(candidate); it decides between equally related counterparts.
        lexicon: kinds, denials and actionability.
    """
    pairs = _pair_findings(reference, candidate, ground, lexicon)
    found: list[Discrepancy] = []
    matched = 0
    for i, j in pairs:
        differences = list(_compare(reference, candidate, i, j, lexicon))
        matched += not any(d.severity.counts_as_significant for d in differences)
        found.extend(differences)
    paired_r, paired_c = {i for i, _ in pairs}, {j for _, j in pairs}
    found.extend(_alone(reference, candidate, paired_r, lexicon, omitted=True))
    found.extend(_alone(candidate, reference, paired_c, lexicon, omitted=False))
    found = _merged(found)
    contradictions = list(_contradictions(reference, candidate, lexicon))
    found = [d for d in found if not _told_by(d, contradictions)] + contradictions
    matched += _agreeing_denials(reference, candidate, lexicon)
    same, unread = _unread_sentences(reference, candidate)
    found.extend(unread)
    return Notation(
        discrepancies=tuple(sorted(found, key=_reading_order)),
        matched=matched + same,
        one_sided=bool(reference) != bool(candidate),
    )


def _merged(discrepancies: Sequence[Discrepancy]) -> list[Discrepancy]:
    """Discrepancies of the same kind about the same finding as one, with all their spans.

    A report that names a finding in its findings and again in its impression is wrong about it once. Findings on
    different sides stay apart.
    """
    merged: list[Discrepancy] = []
    for discrepancy in discrepancies:
        twin = next((i for i, other in enumerate(merged) if _same_mistake(discrepancy, other)), None)
        if twin is None:
            merged.append(discrepancy)
        else:
            merged[twin] = merged[twin].joined_with(discrepancy)
    return merged


def _same_mistake(a: Discrepancy, b: Discrepancy) -> bool:
    return (
        bool(a.finding)
        and (a.category, a.aspect, a.type, a.finding) == (b.category, b.aspect, b.type, b.finding)
        and (a.side == b.side or not a.side or not b.side)
    )


def _told_by(discrepancy: Discrepancy, contradictions: Sequence[Discrepancy]) -> bool:
    """Whether a false finding is the asserting half of a contradiction, which says more."""
    return discrepancy.category is ErrorCategory.FALSE_FINDING and any(
        discrepancy.finding == contradiction.finding for contradiction in contradictions
    )


def _pair_findings(reference: Units, candidate: Units, ground: Matrix, lexicon: Lexicon) -> list[tuple[int, int]]:
    """Asserted findings one to one: the same before a kind of it, places that agree before others, then by cost.

    Of counterparts that cost the same, the one with fewest differences wins: the ground cost sees no degree or size.
    """
    ranked = sorted(
        (kind, sides_conflict(r, c), float(ground[i, j]), _differences(r, c), i, j)
        for i, r in enumerate(reference)
        if r.asserts_finding
        for j, c in enumerate(candidate)
        if c.asserts_finding and (kind := _bearing(r, reference, c, candidate, lexicon)) is not Relation.UNRELATED
    )
    used_r: set[int] = set()
    used_c: set[int] = set()
    pairs = []
    for *_, i, j in ranked:
        if i not in used_r and j not in used_c:
            used_r.add(i)
            used_c.add(j)
            pairs.append((i, j))
    return pairs


def _bearing(a: ClinicalUnit, units: Units, b: ClinicalUnit, others: Units, lexicon: Lexicon) -> Relation:
    """Relation of two findings, unless one report explains the broader of them in another way.

    "Opacity, likely atelectasis" names its opacity: it is no counterpart of a pneumonia.
    """
    kind = relation(a, b, lexicon)
    if kind is Relation.KIND_OF and (
        _explained_otherwise(a, units, b, lexicon) or _explained_otherwise(b, others, a, lexicon)
    ):
        return Relation.UNRELATED
    return kind


def _explained_otherwise(broad: ClinicalUnit, units: Units, narrow: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Whether the sentence of ``broad`` asserts kinds of it, none of them related to ``narrow``."""
    if not lexicon.is_kind_of(narrow.canonical_finding, broad.canonical_finding):
        return False
    explanations = [
        unit
        for unit in units
        if unit.asserts_finding
        and unit.sentence_index == broad.sentence_index
        and unit.canonical_finding != broad.canonical_finding
        and lexicon.is_kind_of(unit.canonical_finding, broad.canonical_finding)
    ]
    return bool(explanations) and all(relation(unit, narrow, lexicon) is Relation.UNRELATED for unit in explanations)


def _differences(r: ClinicalUnit, c: ClinicalUnit) -> int:
    """Number of compared attributes in which two units differ."""
    return sum(
        (
            r.anatomy != c.anatomy,
            r.severity != c.severity,
            r.measurements != c.measurements,
            r.change is not c.change,
            _doubt(r) != _doubt(c),
            r.modifiers != c.modifiers,
        )
    )


def _compare(reference: Units, candidate: Units, i: int, j: int, lexicon: Lexicon) -> Iterator[Discrepancy]:
    """Differences between two paired findings."""
    r, c = reference[i], candidate[j]
    note = _Noter(r, c)
    yield from _location(note, _alike(r, reference, lexicon), _alike(c, candidate, lexicon), lexicon)
    if r.severity != c.severity:
        kind = _direction(r.severity, c.severity)
        yield note(ErrorAspect.SEVERITY, kind, significance.judge_degree(r, c, lexicon))
    yield from _size(note)
    if r.change is not c.change:
        kind = _direction(r.change, c.change)
        yield note(ErrorAspect.COMPARISON, kind, significance.judge_change(r, r.change, c.change, lexicon))
    yield from _uncertainty(note, lexicon)
    yield from _description(note, lexicon)


@frozen
class _Noter:
    """Makes the discrepancies of one pair of findings."""

    r: ClinicalUnit
    c: ClinicalUnit

    def __call__(
        self,
        aspect: ErrorAspect,
        kind: ErrorType,
        judgement: Judgement,
        category: ErrorCategory | None = None,
        *,
        counted: bool = True,
    ) -> Discrepancy:
        return Discrepancy(
            category=(category or _TAXONOMY.category(aspect, kind)) if counted else None,
            aspect=aspect,
            type=_TAXONOMY.printed_type(aspect, kind),
            severity=judgement.severity,
            reason=judgement.reason,
            finding=self.r.canonical_finding,
            side=side_name(self.r),
            reference_spans=(self.r.span,),
            candidate_spans=(self.c.span,),
        )


def _direction(reference: object | None, candidate: object | None) -> ErrorType:
    if candidate is None:
        return ErrorType.OMISSION
    return ErrorType.FABRICATION if reference is None else ErrorType.INACCURACY


def _alike(unit: ClinicalUnit, units: Units, lexicon: Lexicon) -> list[ClinicalUnit]:
    """The unit and the other units of its report that assert the same finding: "left ... and right effusion"."""
    return [
        other
        for other in units
        if other is unit or (other.asserts_finding and relation(unit, other, lexicon) is not Relation.UNRELATED)
    ]


def _location(note: _Noter, all_r: Units, all_c: Units, lexicon: Lexicon) -> Iterator[Discrepancy]:
    side_r, side_c = sides([note.r]), sides([note.c])
    lost, added = side_r - sides(all_c), side_c - sides(all_r)
    if lost or added:
        kind = _direction(side_r or None, side_c or None)
        judgement = significance.judge_side(note.r, lexicon, contradicts=bool(added and side_r), omitted=bool(lost))
        yield note(ErrorAspect.LOCATION, kind, judgement)
        return
    distance = max(
        zone_distance(zone_levels([note.r]), zone_levels(all_c)),
        zone_distance(zone_levels([note.c]), zone_levels(all_r)),
    )
    if distance:
        yield note(ErrorAspect.LOCATION, ErrorType.INACCURACY, significance.judge_zone(note.r, lexicon, distance))
    elif note.r.device and _apart(sites(note.r, lexicon), sites(note.c, lexicon)):
        judgement = Judgement(Severity.SIGNIFICANT, "the device lies elsewhere")
        yield note(ErrorAspect.LOCATION, ErrorType.INACCURACY, judgement)


def _apart(a: frozenset[str], b: frozenset[str]) -> bool:
    return bool(a and b and not a & b)


def _size(note: _Noter) -> Iterator[Discrepancy]:
    r, c = note.r.measurements, note.c.measurements
    if r and c:
        largest_r, largest_c = (max(sizes, key=lambda m: m.millimetres) for sizes in (r, c))
        if judgement := significance.judge_size(largest_r, largest_c):
            yield note(ErrorAspect.SIZE, ErrorType.INACCURACY, judgement)
    elif r or c:
        lost = "lost" if r else "not in the reference"
        kind = ErrorType.OMISSION if r else ErrorType.FABRICATION
        yield note(ErrorAspect.SIZE, kind, Judgement(Severity.INSIGNIFICANT, f"a measurement is {lost}"))


def _uncertainty(note: _Noter, lexicon: Lexicon) -> Iterator[Discrepancy]:
    doubt_r, doubt_c = _doubt(note.r), _doubt(note.c)
    if doubt_r == doubt_c:
        return
    open_r = doubt_r > doubt_c
    kind = ErrorType.OMISSION if open_r else ErrorType.FABRICATION
    if abs(doubt_r - doubt_c) == 1:
        judgement = Judgement(Severity.INSIGNIFICANT, "a shade of certainty")
    else:
        judgement = significance.judge_uncertainty(note.r, lexicon, open_side="reference" if open_r else "candidate")
    yield note(ErrorAspect.UNCERTAINTY, kind, judgement)


def _doubt(unit: ClinicalUnit) -> int:
    """0 for an assertion, 1 for a probable one, 2 for one left open."""
    return 2 if is_uncertain(unit) else int(unit.certainty is Certainty.PROBABLE)


def _description(note: _Noter, lexicon: Lexicon) -> Iterator[Discrepancy]:
    acute, old = _OPPOSED_MODIFIERS
    r, c = note.r.modifiers, note.c.modifiers
    if (r & acute and c & old and not c & acute) or (r & old and c & acute and not r & acute):
        # An old fracture asks for nothing; to call it acute, or the acute one old, matters as the acute one does.
        judgements = [significance.judge_age(unit, lexicon) for unit in (note.r, note.c)]
        judgement = min(judgements, key=lambda judged: list(Severity).index(judged.severity))
        yield note(ErrorAspect.DESCRIPTION, ErrorType.INACCURACY, judgement, counted=False)
    elif relation(note.r, note.c, lexicon) is Relation.KIND_OF:
        narrower = lexicon.is_kind_of(note.c.canonical_finding, note.r.canonical_finding)
        judgement = Judgement(
            Severity.INSIGNIFICANT, f"the candidate's term is {'narrower' if narrower else 'broader'}"
        )
        yield note(ErrorAspect.TERMINOLOGY, ErrorType.INACCURACY, judgement, counted=False)


def _alone(units: Units, others: Units, paired: set[int], lexicon: Lexicon, *, omitted: bool) -> Iterator[Discrepancy]:
    """Asserted findings without a counterpart: omissions of the reference's, or false findings of the candidate's."""
    noted: list[ClinicalUnit] = []
    for index, unit in enumerate(units):
        if not unit.asserts_finding or index in paired:
            continue
        if _covered(unit, units, others, lexicon) or _covered(unit, units, noted, lexicon):
            continue
        noted.append(unit)
        denial = next((other for other in others if denies(other, unit, lexicon)), None)
        kind = ErrorType.OMISSION if omitted else ErrorType.FABRICATION
        aspect = ErrorAspect.DESCRIPTION if denial is None else ErrorAspect.NEGATION
        judgement = significance.judge_presence(unit, lexicon)
        here, there = (unit.span,), () if denial is None else (denial.span,)
        yield Discrepancy(
            category=_TAXONOMY.category(aspect, kind),
            aspect=aspect,
            type=_TAXONOMY.printed_type(aspect, kind),
            severity=judgement.severity,
            reason=judgement.reason + ("" if denial is None else f"; the {_other(omitted)} denies it"),
            finding=unit.canonical_finding,
            side=side_name(unit),
            reference_spans=here if omitted else there,
            candidate_spans=there if omitted else here,
        )


def _other(omitted: bool) -> str:  # noqa: FBT001
    return "candidate" if omitted else "reference"


def _covered(unit: ClinicalUnit, units: Units, others: Units, lexicon: Lexicon) -> bool:
    """Whether one of the units asserts the finding too, on no other side: a repetition or a group."""
    return any(
        other.asserts_finding
        and _bearing(unit, units, other, others, lexicon) is not Relation.UNRELATED
        and not sides_conflict(unit, other)
        for other in others
    )


def _contradictions(reference: Units, candidate: Units, lexicon: Lexicon) -> Iterator[Discrepancy]:
    """Findings the candidate both asserts and denies, where the reference does not do so itself."""
    own = {finding.canonical_finding for finding, _ in _contradicted(reference, lexicon)}
    seen: set[str] = set()
    for finding, denial in _contradicted(candidate, lexicon):
        concept = finding.canonical_finding
        if concept in own or concept in seen:
            continue
        seen.add(concept)
        yield Discrepancy(
            category=ErrorCategory.FALSE_FINDING,
            aspect=ErrorAspect.CONTRADICTION,
            type=None,
            severity=Severity.CRITICAL,
            reason=f"the candidate both asserts and denies {lexicon.name(concept)}",
            finding=concept,
            side=side_name(finding),
            reference_spans=(),
            candidate_spans=(denial.span, finding.span),
        )


def _contradicted(units: Units, lexicon: Lexicon) -> Iterator[tuple[ClinicalUnit, ClinicalUnit]]:
    for finding in units:
        if not finding.asserts_finding or is_uncertain(finding):
            continue
        for denial in units:
            near = {finding.canonical_finding, *lexicon.ancestors(finding.canonical_finding)[:1]}
            denied = denial.denies or {denial.canonical_finding}
            if near & set(denied) and denial.change is None and denies(denial, finding, lexicon):
                yield finding, denial
                break


def _agreeing_denials(reference: Units, candidate: Units, lexicon: Lexicon) -> int:
    denials = [c for c in candidate if c.denies_finding]
    return sum(r.denies_finding and any(denials_agree(r, c, lexicon) for c in denials) for r in reference)


def _unread_sentences(reference: Units, candidate: Units) -> tuple[int, list[Discrepancy]]:
    """Sentences no rule covers: how many agree, and an insignificant note on each that has no counterpart."""
    unread_r, unread_c = [u for u in reference if u.is_unread], [u for u in candidate if u.is_unread]
    alone_r = [u for u in unread_r if not _has_twin(u, unread_c)]
    alone_c = [u for u in unread_c if not _has_twin(u, unread_r)]
    notes = [_unread(u, ErrorType.OMISSION) for u in alone_r] + [_unread(u, ErrorType.FABRICATION) for u in alone_c]
    return len(unread_r) - len(alone_r), notes


def _has_twin(unit: ClinicalUnit, others: Units) -> bool:
    words = tokens(unit.span_text)
    if not words:
        return any(unit.span_text == other.span_text for other in others)
    return any(
        unit.polarity is other.polarity and jaccard(words, tokens(other.span_text)) >= _SAME_SENTENCE
        for other in others
    )


def _unread(unit: ClinicalUnit, kind: ErrorType) -> Discrepancy:
    omitted = kind is ErrorType.OMISSION
    return Discrepancy(
        category=None,
        aspect=ErrorAspect.DESCRIPTION,
        type=kind,
        severity=Severity.INSIGNIFICANT,
        reason=f"a sentence no rule covers is only in the {'reference' if omitted else 'candidate'}",
        finding="",
        reference_spans=(unit.span,) if omitted else (),
        candidate_spans=() if omitted else (unit.span,),
    )


_SEVERITY_ORDER = {Severity.CRITICAL: 0, Severity.SIGNIFICANT: 1, Severity.INSIGNIFICANT: 2}


def _reading_order(discrepancy: Discrepancy) -> tuple[int, int, Span]:
    spans = discrepancy.reference_spans or discrepancy.candidate_spans
    return _SEVERITY_ORDER[discrepancy.severity], not discrepancy.reference_spans, spans[0]
