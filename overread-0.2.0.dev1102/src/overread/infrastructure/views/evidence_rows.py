"""Rows for people of what a result rests on: units, edges and terms, entities, predicted counts, answers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeVar

from attrs import field, frozen

from overread.domain.entities.entity import Entity
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.results.alignment import Edge
from overread.domain.results.answer import Answer
from overread.domain.results.error_counts import ErrorCounts
from overread.domain.results.readout import TARGETS, Contribution
from overread.domain.results.result import (
    AnswerEvidence,
    EntityEvidence,
    EntityMatch,
    EvaluationResult,
    TransportEvidence,
)
from overread.infrastructure.views.wording import (
    FindingName,
    attribute_words,
    decimal,
    format_count,
    make_printable,
    one_line,
    polarity_words,
    subscore_words,
    unit_words,
)

__all__ = [
    "AnswerRow",
    "EdgeRow",
    "EntityRow",
    "EntitySide",
    "HeadRow",
    "TargetTerms",
    "UnitRow",
    "answer_rows",
    "chosen_evidence",
    "edge_rows",
    "edge_sum_words",
    "entity_sides",
    "evidence_of",
    "head_rows",
    "seen_words",
    "target_terms",
    "unit_rows",
]


_Kind = TypeVar("_Kind")

_SUMS: Final = ("total", "risk")
"""Subscores that the edges of a plan may add up to."""

_SUM_TOLERANCE: Final = 1e-9


def evidence_of(results: Mapping[str, EvaluationResult], kind: type[_Kind]) -> dict[str, _Kind]:
    """The evidence of a kind, by the name of the metric that gives it."""
    every = {name: result.outcome.evidence for name, result in results.items()}
    return {name: evidence for name, evidence in every.items() if isinstance(evidence, kind)}


def chosen_evidence(results: Mapping[str, EvaluationResult]) -> tuple[EvaluationResult, TransportEvidence] | None:
    """The transport evidence to show: the first with contributions, else the first there is."""
    plans = evidence_of(results, TransportEvidence)
    explained = (name for name, evidence in plans.items() if evidence.contributions)
    name = next(explained, next(iter(plans), None))
    return None if name is None else (results[name], plans[name])


@frozen(kw_only=True)
class UnitRow:
    """A unit in words; ``label`` is its letter and number."""

    label: str
    unit: ClinicalUnit
    name: str
    polarity: str
    attributes: str
    words: str = field(repr=False)


def unit_rows(units: Iterable[ClinicalUnit], letter: str, finding_name: FindingName) -> list[UnitRow]:
    """The units of a report in its order."""
    return [
        UnitRow(
            label=f"{letter}{index}",
            unit=unit,
            name=unit_words(unit, finding_name),
            polarity=polarity_words(unit),
            attributes=attribute_words(unit),
            words=one_line(unit.span_text),
        )
        for index, unit in enumerate(units, start=1)
    ]


@frozen(kw_only=True)
class EdgeRow:
    """One line of Table XII: an edge with its rank by mass-weighted risk and the words at both ends."""

    rank: int
    reference: str = field(repr=False)
    candidate: str = field(repr=False)
    edge: Edge


def edge_rows(evidence: TransportEvidence, limit: int) -> list[EdgeRow]:
    """The edges of highest mass-weighted risk, without those of no risk."""
    edges = (edge for edge in evidence.alignment.edges(limit) if edge.risk > 0)
    return [
        EdgeRow(
            rank=rank,
            reference=_unit_words(evidence.reference_units, edge.row, "R"),
            candidate=_unit_words(evidence.candidate_units, edge.column, "C"),
            edge=edge,
        )
        for rank, edge in enumerate(edges, start=1)
    ]


def edge_sum_words(result: EvaluationResult, evidence: TransportEvidence, shown: int) -> str:
    """Sum of all edges in words, as "5 edges, together 1.005 = total"; "" for a plan that must place all mass.

    Such a plan's edges add up to no subscore; for others, the one that they do add up to, within 1e-9, is named. A
    second reader takes from that sum what it doubts, and adds what it finds.

    Args:
        result: whose evidence it is.
        evidence: the plan.
        shown: number of edges above.
    """
    if evidence.alignment.row_null is None:
        return ""
    risks = [edge.risk for edge in evidence.alignment.edges() if edge.risk > 0]
    if not risks:
        return ""
    total, subscores = math.fsum(risks), result.subscores
    name = next((name for name in _SUMS if abs(subscores.get(name, math.inf) - total) <= _SUM_TOLERANCE), "")
    total = subscores.get(name, total)  # the very number, so that both are rounded alike
    count = format_count(len(risks), "edge")
    before = count if shown == len(risks) else f"{shown} of {count}; all"
    is_read_again = any(part == "second_reader" for part, _ in result.signature.parts)
    tail = f" = {name}" if name else ", before the second reader doubts some and adds to them" if is_read_again else ""
    return f"{before}{',' if shown == len(risks) else ''} together {total:.3f}{tail}"


def _unit_words(units: Sequence[ClinicalUnit], index: int | None, letter: str) -> str:
    """A unit's label and words, or that there is none."""
    if index is None:
        return "(no partner)"
    if not units:
        return "(nothing: this report has no unit)"
    return f"{letter}{index + 1} " + one_line(units[index].span_text)


@frozen(kw_only=True)
class TargetTerms:
    """The terms of one target's risk, largest first.

    Attributes:
        risk: the target's risk; None where the result does not give it.
        constant: what the risk holds beyond its terms, the readout's intercept.
    """

    target: str
    risk: float | None
    terms: tuple[Contribution, ...]
    constant: float


def target_terms(result: EvaluationResult, evidence: TransportEvidence) -> list[TargetTerms]:
    """Terms for the three targets in the paper's order, then for any other."""
    order = [*TARGETS, *(name for name in evidence.contributions if name not in TARGETS)]
    rows = []
    for target in (name for name in order if name in evidence.contributions):
        terms = tuple(sorted(evidence.contributions[target], key=lambda term: -term.contribution))
        risk = result.subscores.get(target)
        rest = 0.0 if risk is None else risk - sum(term.contribution for term in terms)
        constant = rest if abs(rest) > 1e-9 * max(1.0, abs(risk or 0.0)) else 0.0
        rows.append(TargetTerms(target=target, risk=risk, terms=terms, constant=constant))
    return rows


@frozen(kw_only=True)
class EntityRow:
    """One entity with its best match in the other report.

    Attributes:
        entity, match: label and words, for example "C1 effusion"; ``match`` is "" where there is nothing to match.
        type, match_type: in words, for example "non-disease".
        figures: the match's similarity, weight and penalty; None without a match.
        contribution: weight times penalty times similarity, over the sum of the side's weights; the contributions of a
            side add up to its directed similarity.
    """

    entity: str = field(repr=False)
    type: str
    start: int
    end: int
    match: str = field(repr=False)
    match_type: str
    figures: EntityMatch | None
    contribution: float


@frozen(kw_only=True)
class EntitySide:
    """One report's entities, matched in the other's.

    Attributes:
        title: for example "Candidate entities, matched in the reference".
        direction: what the side's contributions add up to, for example "precision 0.500"; "" without matches.
        silence: why there is nothing to match, "" where there is.
    """

    title: str
    rows: tuple[EntityRow, ...]
    direction: str
    silence: str


def entity_sides(result: EvaluationResult, evidence: EntityEvidence) -> tuple[EntitySide, EntitySide]:
    """The candidate's side, which is precision-like, then the reference's, which is recall-like."""
    candidate, reference = evidence.candidate_entities, evidence.reference_entities
    return (
        _side(result, "precision", ("candidate", candidate), ("reference", reference), evidence.candidate_matches),
        _side(result, "recall", ("reference", reference), ("candidate", candidate), evidence.reference_matches),
    )


_Named = tuple[str, Sequence[Entity]]


def _side(
    result: EvaluationResult, direction: str, own: _Named, other: _Named, matches: Sequence[EntityMatch]
) -> EntitySide:
    (name, entities), (other_name, others) = own, other
    by_entity = {match.entity: match for match in matches}
    weights = math.fsum(match.weight for match in matches)
    rows = tuple(
        _row(name, index, entity, by_entity.get(index), (other_name, others), weights)
        for index, entity in enumerate(entities)
    )
    empty = [report for report, members in (own, other) if not members]
    value = result.subscores.get(direction)
    return EntitySide(
        title=f"{name.capitalize()} entities, matched in the {other_name}",
        rows=rows,
        direction=f"{direction} {decimal(value)}" if value is not None and matches else "",
        silence="".join(f"No entity was found in the {report}. " for report in empty).strip(),
    )


def _row(
    name: str, index: int, entity: Entity, figures: EntityMatch | None, other: _Named, weights: float
) -> EntityRow:
    other_name, others = other
    best = others[figures.match] if figures else None
    product = figures.weight * figures.penalty * figures.similarity if figures else 0.0
    return EntityRow(
        entity=_entity_words(name, index, entity),
        type=_type_words(entity),
        start=entity.start,
        end=entity.end,
        match=_entity_words(other_name, figures.match, best) if figures and best else "",
        match_type=_type_words(best) if best else "",
        figures=figures,
        contribution=product / weights + 0.0 if weights else 0.0,  # no -0.000
    )


def _entity_words(report: str, index: int, entity: Entity) -> str:
    return f"{report[0].upper()}{index + 1} {one_line(entity.text)}"


def _type_words(entity: Entity) -> str:
    return entity.type.value.lower()


@frozen(kw_only=True)
class HeadRow:
    """The prediction of one head of an error counter.

    Attributes:
        label: letter and label of the category, or the head's own name.
        presence: probability that there is any such error, None where the model does not say.
        share: of the largest count or of 1, whichever is greater; the length of a bar, 0 to 1.
    """

    label: str
    count: float
    presence: float | None
    share: float


def head_rows(counts: ErrorCounts) -> list[HeadRow]:
    """The heads in the model's order."""
    most = max(1.0, *counts.counts.values()) if counts.counts else 1.0
    return [
        HeadRow(label=subscore_words(name), count=count, presence=counts.presence.get(name), share=count / most)
        for name, count in counts.counts.items()
    ]


def seen_words(counts: ErrorCounts) -> str:
    """Words on how much of both reports the model saw, and in how many parts; "" where the model does not say.

    >>> seen_words(ErrorCounts(counts={}, tokens=600, unseen=88))
    'The reports have 600 tokens; the model did NOT see 88 of them. It read them in 1 window.'
    """
    if not counts.tokens:
        return ""
    seen = f"the model did NOT see {counts.unseen} of them" if counts.unseen else "the model saw all of them"
    windows = format_count(counts.windows, "window")
    return f"The reports have {format_count(counts.tokens, 'token')}; {seen}. It read them in {windows}."


@frozen(kw_only=True)
class AnswerRow:
    """One answer of a language model.

    Attributes:
        title: its place among all, which question it answers, and the attempt.
        about: prompt, model, tokens and how it ended, in words by label.
        text: the answer as it came, safe to show.
        more: characters of it that ``text`` lacks.
    """

    title: str
    outcome: str
    about: Mapping[str, str]
    text: str = field(repr=False)
    more: int = 0


def answer_rows(evidence: AnswerEvidence, most: int) -> list[AnswerRow]:
    """The answers in the order asked; of each at most ``most`` characters, as one may have millions.

    A first attempt begins a new question. Of questions with the same prompt, as a second pass asks one about each
    difference, it is told which of them an answer belongs to.
    """
    questions = list(_questions(evidence.answers))
    asked = Counter(prompt for prompt, answer in questions if answer.attempt == 1)
    numbers: Counter[str] = Counter()
    rows = []
    for place, (prompt, answer) in enumerate(questions, start=1):
        numbers[prompt] += answer.attempt == 1
        which = f" {numbers[prompt]} of {asked[prompt]}" if asked[prompt] > 1 else ""
        text = answer.completion.text
        rows.append(
            AnswerRow(
                title=f"Raw answer {place} of {len(questions)}, {prompt}{which}, attempt {answer.attempt}",
                outcome=make_printable(answer.outcome),
                about=_about(answer),
                text="\n".join(make_printable(line) for line in text[:most].splitlines()),
                more=max(0, len(text) - most),
            )
        )
    return rows


def _questions(answers: Iterable[Answer]) -> Iterator[tuple[str, Answer]]:
    """Each answer with the name of its prompt, without version and digest."""
    for answer in answers:
        yield make_printable(answer.prompt.partition("@")[0]), answer


def _about(answer: Answer) -> dict[str, str]:
    completion = answer.completion
    asked = "asked now" if answer.asked else "found kept"
    tokens = (_tokens(completion.prompt_tokens, "prompt"), _tokens(completion.completion_tokens, "answer"))
    return {
        "prompt": answer.prompt,
        "model": completion.model or "not reported",
        "tokens": ", ".join(tokens),
        "ended": f"{completion.finish.value}; {asked}",
    }


def _tokens(count: int | None, where: str) -> str:
    return f"{where} not reported" if count is None else f"{count:,} {where}"
