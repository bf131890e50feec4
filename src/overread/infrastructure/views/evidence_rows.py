"""Rows for people: matches of an entity metric, predictions of an error counter, answers of a language model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import frozen

from overread.domain.answer import Answer
from overread.domain.entity import Entity
from overread.domain.error_counts import ErrorCounts
from overread.domain.result import AnswerEvidence, EntityEvidence, EntityMatch, EvaluationResult
from overread.infrastructure.views.wording import counted, decimal, shown, subscore_words

__all__ = ["AnswerRow", "EntityRow", "EntitySide", "HeadRow", "answer_rows", "entity_sides", "head_rows", "seen_words"]


@frozen(kw_only=True)
class EntityRow:
    """One entity with its best match in the other report.

    Attributes:
        entity, match: label and words, for example "C1 effusion"; ``match`` is "" where there is nothing to match.
        type, match_type: in words, for example "non-disease".
        figures: the match's cosine, weight and penalty; None without a match.
        contribution: weight times penalty times cosine, over the sum of the side's weights; the contributions of a
            side add up to its directed similarity.
    """

    entity: str
    type: str
    start: int
    end: int
    match: str
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
    empty = [report for report, found in (own, other) if not found]
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
    return f"{report[0].upper()}{index + 1} " + " ".join(shown(entity.text).split())


def _type_words(entity: Entity) -> str:
    return entity.type.value.lower()


@frozen(kw_only=True)
class HeadRow:
    """What one head of an error counter predicts.

    Attributes:
        label: letter and label of the category, or the head's own name.
        presence: probability that there is any such error, None where the model does not say.
        share: of the largest count or of 1, whichever is more; the length of a bar, 0 to 1.
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
    """How much of both reports the model saw, and in how many parts; "" where the model does not say.

    >>> seen_words(ErrorCounts(counts={}, tokens=600, unseen=88))
    'The reports have 600 tokens; the model did NOT see 88 of them. It read them in 1 window.'
    """
    if not counts.tokens:
        return ""
    seen = f"the model did NOT see {counts.unseen} of them" if counts.unseen else "the model saw all of them"
    windows = counted(counts.windows, "window")
    return f"The reports have {counted(counts.tokens, 'token')}; {seen}. It read them in {windows}."


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
    text: str
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
                outcome=shown(answer.outcome),
                about=_about(answer),
                text="\n".join(shown(line) for line in text[:most].splitlines()),
                more=max(0, len(text) - most),
            )
        )
    return rows


def _questions(answers: Iterable[Answer]) -> Iterator[tuple[str, Answer]]:
    """Each answer with the name of its prompt, without version and digest."""
    for answer in answers:
        yield shown(answer.prompt.partition("@")[0]), answer


def _about(answer: Answer) -> dict[str, str]:
    completion = answer.completion
    asked = "asked now" if answer.asked else "found kept"
    tokens = (_tokens(completion.prompt_tokens, "prompt"), _tokens(completion.completion_tokens, "answer"))
    return {
        "prompt": answer.prompt,
        "model": completion.model or "not told",
        "tokens": ", ".join(tokens),
        "ended": f"{completion.finish.value}; {asked}",
    }


def _tokens(count: int | None, where: str) -> str:
    return f"{where} not told" if count is None else f"{count:,} {where}"
