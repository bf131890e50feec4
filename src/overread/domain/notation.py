"""Notation: from the units of two reports and their ground cost to the list of discrepancies.

Findings that both reports assert are paired one to one, closest first, and compared attribute by attribute; what
stays alone is an omission or a false finding, unless it repeats or is covered by what is paired. A silent normal is
not an omission.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from overread.domain import severity_rules
from overread.domain.comparison import TAXONOMY, compared, differences
from overread.domain.contradiction import contradictions
from overread.domain.cost import jaccard, tokens
from overread.domain.discrepancy import Discrepancy
from overread.domain.lexicon import Lexicon
from overread.domain.relation import (
    Relation,
    denials_agree,
    denies,
    is_uncertain,
    kinship,
)
from overread.domain.report import Span
from overread.domain.severity import Severity
from overread.domain.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.domain.unit import ClinicalUnit

__all__ = ["COMPARED_MODALITIES", "Notation", "notate", "notation_score"]

Matrix = npt.NDArray[np.float64]
Units = Sequence[ClinicalUnit]

_SAME_SENTENCE = 0.5
"""Token overlap from which two sentences that no rule covers count as the same (overread's choice)."""

_CLOSENESS = {Relation.SAME: 0, Relation.NARROWER: 1, Relation.BROADER: 1}
COMPARED_MODALITIES = ("recommendation", "technique", "comparison", "")
"""Kinds of statement whose modalities are compared, "" for clinical ones."""


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


def notate(
    reference: Units,
    candidate: Units,
    ground: Matrix,
    lexicon: Lexicon,
    *,
    reference_asides: Units = (),
    candidate_asides: Units = (),
) -> Notation:
    """Notation of a pair.

    Args:
        reference: clinical units of the reference in reading order.
        candidate: clinical units of the candidate in reading order.
        ground: ground cost, len(reference) x len(candidate); it decides between equally related counterparts.
        lexicon: kinds, denials and importance.
        reference_asides: administrative units of the reference; they cost nothing but for a conflict of modality.
        candidate_asides: administrative units of the candidate.
    """
    pairs = _pair_findings(reference, candidate, ground, lexicon)
    found: list[Discrepancy] = []
    matched = 0
    for i, j in pairs:
        noted = list(compared(reference[i], candidate[j], reference, candidate, lexicon))
        matched += not any(d.severity.counts_as_significant for d in noted)
        found.extend(noted)
    paired_r, paired_c = {i for i, _ in pairs}, {j for _, j in pairs}
    omitted = list(_alone(reference, candidate, paired_r, lexicon, omitted=True))
    invented = list(_alone(candidate, reference, paired_c, lexicon, omitted=False))
    found.extend(_replaced(omitted, invented, lexicon))
    found.extend(discrepancy for _, discrepancy in (*omitted, *invented))
    found = _merged(found, lexicon)
    contradicted = list(contradictions(reference, candidate, lexicon))
    found = [d for d in found if not _told_by(d, contradicted, lexicon)] + contradicted
    found.extend(_modality([*reference, *reference_asides], [*candidate, *candidate_asides]))
    matched += _agreeing_denials(reference, candidate, lexicon)
    same, unread = _unread_sentences(reference, candidate)
    found.extend(unread)
    return Notation(
        discrepancies=tuple(sorted(found, key=_reading_order)),
        matched=matched + same,
        one_sided=bool(reference) != bool(candidate),
    )


def _replaced(omitted: list[_Alone], invented: list[_Alone], lexicon: Lexicon) -> Iterator[Discrepancy]:
    """A finding taken for another one is one mistake: takes both halves out of the lists and yields them as one."""
    for lost in list(omitted):
        twin = next((new for new in invented if _taken_for(lost[0], new[0], lexicon)), None)
        if twin is None:
            continue
        omitted.remove(lost)
        invented.remove(twin)
        graver = lost[1].joined_with(twin[1])
        name, other = (lexicon.name(unit.canonical_finding) for unit in (lost[0], twin[0]))
        yield evolve(
            graver,
            category=ErrorCategory.FALSE_FINDING,
            aspect=ErrorAspect.DESCRIPTION,
            type=ErrorType.INACCURACY,
            finding=twin[0].canonical_finding,
            side=twin[1].side,
            reason=f"{name} is called {other}; {graver.reason}",
        )


def _taken_for(lost: ClinicalUnit, new: ClinicalUnit, lexicon: Lexicon) -> bool:
    return kinship(lost, new, lexicon) is Relation.CONFUSABLE and not lost.place.is_across_from(new.place)


def _modality(reference: Units, candidate: Units) -> Iterator[Discrepancy]:
    """Statements of one kind that name other modalities: a CT recommended for an ultrasound."""
    for kind in COMPARED_MODALITIES:
        named_r, named_c = (
            [unit for unit in units if unit.administrative == kind and unit.modalities]
            for units in (reference, candidate)
        )
        spoken_r, spoken_c = (frozenset().union(*(unit.modalities for unit in named)) for named in (named_r, named_c))
        if _at_odds(spoken_r, spoken_c):
            yield Discrepancy(
                category=None,
                aspect=ErrorAspect.MODALITY,
                type=None,
                severity=Severity.SIGNIFICANT,
                reason=f"{', '.join(sorted(spoken_c))} stands for {', '.join(sorted(spoken_r))}",
                finding="",
                reference_spans=tuple(dict.fromkeys(unit.span for unit in named_r)),
                candidate_spans=tuple(dict.fromkeys(unit.span for unit in named_c)),
            )
            return


def _at_odds(reference: frozenset[str], candidate: frozenset[str]) -> bool:
    """Whether two sets of modalities share none, or one has contrast and the other expressly none."""
    given = {"with_contrast", "without_contrast"}
    contrast_r, contrast_c = reference & given, candidate & given
    if len(contrast_r) == len(contrast_c) == 1 and contrast_r != contrast_c:
        return True
    named_r, named_c = reference - given, candidate - given
    return bool(named_r and named_c and not named_r & named_c)


def _merged(discrepancies: Sequence[Discrepancy], lexicon: Lexicon) -> list[Discrepancy]:
    """Discrepancies of the same kind about the same finding as one, with all their spans.

    A report that names a finding in its findings and again in its impression is wrong about it once, also where it
    calls it consolidation in the one and pneumonia in the other. Findings on different sides stay apart.
    """
    merged: list[Discrepancy] = []
    for discrepancy in discrepancies:
        twin = next((i for i, other in enumerate(merged) if _same_mistake(discrepancy, other, lexicon)), None)
        if twin is None:
            merged.append(discrepancy)
        else:
            merged[twin] = merged[twin].joined_with(discrepancy)
    return merged


def _same_mistake(a: Discrepancy, b: Discrepancy, lexicon: Lexicon) -> bool:
    return (
        bool(a.finding and b.finding)
        and (a.category, a.aspect, a.type) == (b.category, b.aspect, b.type)
        and (a.side == b.side or not a.side or not b.side)
        and _are_one(a.finding, b.finding, lexicon)
    )


def _are_one(a: str, b: str, lexicon: Lexicon) -> bool:
    """Whether two findings are the same, or one is a kind or a sign of the other."""
    return any(
        lexicon.is_kind_of(narrow, broad) or lexicon.is_sign_of(narrow, broad) for narrow, broad in ((a, b), (b, a))
    )


def _told_by(discrepancy: Discrepancy, contradictions: Sequence[Discrepancy], lexicon: Lexicon) -> bool:
    """Whether a false finding is the asserting half of a contradiction, which says more."""
    return discrepancy.category is ErrorCategory.FALSE_FINDING and any(
        _are_one(discrepancy.finding, contradiction.finding, lexicon) for contradiction in contradictions
    )


def _pair_findings(reference: Units, candidate: Units, ground: Matrix, lexicon: Lexicon) -> list[tuple[int, int]]:
    """Asserted findings one to one: the same before a kind of it, places that agree before others, then by cost.

    Of counterparts that cost the same, the one with fewest differences wins: the ground cost sees no degree or size.
    """
    asserted = [(j, c) for j, c in enumerate(candidate) if c.asserts_finding]
    ranked = sorted(
        (_CLOSENESS[kind], r.place.is_across_from(c.place), float(ground[i, j]), differences(r, c), i, j)
        for i, r in enumerate(reference)
        if r.asserts_finding
        for j, c in asserted
        if (kind := _bearing(r, reference, c, candidate, lexicon)).is_kin
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
    """Kinship of two findings, unless one report explains the broader of them in another way.

    "Opacity, likely atelectasis" names its opacity: it is no counterpart of a pneumonia.
    """
    bearing = kinship(a, b, lexicon)
    if (bearing is Relation.BROADER and _explained_otherwise(a, units, b, lexicon)) or (
        bearing is Relation.NARROWER and _explained_otherwise(b, others, a, lexicon)
    ):
        return Relation.UNRELATED
    return bearing


def _explained_otherwise(broad: ClinicalUnit, units: Units, narrow: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Whether the sentence of ``broad`` asserts kinds of it, none of them related to ``narrow``."""
    explanations = [
        unit
        for unit in units
        if unit.asserts_finding
        and unit.sentence_index == broad.sentence_index
        and unit.canonical_finding != broad.canonical_finding
        and lexicon.is_kind_of(unit.canonical_finding, broad.canonical_finding)
    ]
    return bool(explanations) and not any(kinship(unit, narrow, lexicon).is_kin for unit in explanations)


_Alone = tuple[ClinicalUnit, Discrepancy]


def _alone(units: Units, others: Units, paired: set[int], lexicon: Lexicon, *, omitted: bool) -> Iterator[_Alone]:
    """Asserted findings without a counterpart: omissions of the reference's, or false findings of the candidate's.

    The narrowest come first, and cover the broader ones beside them: "opacity, likely atelectasis" is one finding.
    """
    noted: list[ClinicalUnit] = []
    left = [unit for index, unit in enumerate(units) if unit.asserts_finding and index not in paired]
    for unit in sorted(left, key=lambda unit: -len(lexicon.ancestors(unit.canonical_finding))):
        if _covered(unit, units, others, lexicon) or _covered(unit, units, noted, lexicon):
            continue
        noted.append(unit)
        denial = next((other for other in others if denies(other, unit, lexicon)), None)
        kind = ErrorType.OMISSION if omitted else ErrorType.FABRICATION
        aspect = ErrorAspect.DESCRIPTION if denial is None else ErrorAspect.NEGATION
        judgement = severity_rules.judge_presence(unit, lexicon)
        if denial is None and (cause := _accounted_for(unit, others, lexicon)):
            judgement = severity_rules.judge_sign(cause, lexicon)
        here, there = (unit.span,), () if denial is None else (denial.span,)
        discrepancy = Discrepancy(
            category=TAXONOMY.category(aspect, kind),
            aspect=aspect,
            type=TAXONOMY.printed_type(aspect, kind),
            severity=judgement.severity,
            reason=judgement.reason + ("" if denial is None else f"; the {_other(omitted)} denies it"),
            finding=unit.canonical_finding,
            side=unit.place.side,
            reference_spans=here if omitted else there,
            candidate_spans=there if omitted else here,
        )
        yield unit, discrepancy


def _says_less(other: ClinicalUnit, unit: ClinicalUnit, lexicon: Lexicon) -> bool:
    """Whether a unit names the finding in a broader term that hides how grave it is."""
    if kinship(other, unit, lexicon) is not Relation.BROADER:
        return False
    return severity_rules.judge_term(unit, other, lexicon, broader=True).severity.counts_as_significant


def _accounted_for(sign: ClinicalUnit, others: Units, lexicon: Lexicon) -> ClinicalUnit | None:
    """What the other report asserts for certain, and of which a finding is a sign."""
    return next(
        (
            other
            for other in others
            if other.asserts_finding
            and not is_uncertain(other)
            and lexicon.is_sign_of(sign.canonical_finding, other.canonical_finding)
            and not sign.place.is_across_from(other.place)
            and not sign.place.heights_apart(other.place)
        ),
        None,
    )


def _other(omitted: bool) -> str:  # noqa: FBT001
    return "candidate" if omitted else "reference"


def _covered(unit: ClinicalUnit, units: Units, others: Units, lexicon: Lexicon) -> bool:
    """Whether one of the units asserts the finding too, on no other side: a repetition or a group."""
    return any(
        other.asserts_finding
        and _bearing(unit, units, other, others, lexicon).is_kin
        and not _says_less(other, unit, lexicon)
        and not unit.place.is_across_from(other.place)
        for other in others
    )


def _agreeing_denials(reference: Units, candidate: Units, lexicon: Lexicon) -> int:
    """Number of denials of the reference, each once however often it is said, that the candidate holds too."""
    denials = [c for c in candidate if c.denies_finding]
    agreeing = [r for r in reference if r.denies_finding and any(denials_agree(r, c, lexicon) for c in denials)]
    return len({(r.canonical_finding, r.denies, r.place.side) for r in agreeing})


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
