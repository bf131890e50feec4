"""Checks of language models and judges."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from overread.application.ports import Request
from overread.domain.reports.report import Report, ReportPair, Span
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import AnswerEvidence, Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.plugins.specs import Components, ComponentSpec
from overread.testing._conduct import (
    Problems,
    built_twice,
    conclude,
    conduct,
    exits_told,
    noted_problems,
    quotes,
    unscored_problems,
)
from overread.testing._samples import SAMPLE_PAIRS, SAMPLE_REQUESTS

__all__ = ["check_judge", "check_language_model"]

_FAILURES: Final = ("no answer", "too long", "refused")
_QUOTED: Final = 30
"""Characters of a request in a row that a detail shares with it only by quoting it."""


@exits_told
def check_language_model(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    requests: Sequence[Request] = SAMPLE_REQUESTS,
) -> None:
    """Checks a language model: one completion or failure a request, the same every time and in any company."""
    model, twin = built_twice(spec, ComponentSpec, options, components)
    once = model.complete(requests)
    if not isinstance(once, Iterator):
        problem = f"complete must return an iterator, not {type(once).__name__}"
        conclude(spec, [*noted_problems(model, twin), problem])
    if problem := _index_problem([index for index, _ in once], len(requests)):
        conclude(spec, [*noted_problems(model, twin), problem])

    def faults(request: Request, answer: object) -> Problems:
        yield from _answer_problems(request, answer)
        counted = model.count_tokens(request)
        if not _is_count(counted) or counted == 0 or counted != model.count_tokens(request):
            yield "count_tokens must give a whole number above 0, always the same"

    conclude(spec, conduct(model, twin, requests, _in_order, faults, same=_same_answer))


@exits_told
def check_judge(
    spec: ComponentSpec,
    *,
    options: Any = None,
    components: Components | None = None,
    pairs: Sequence[ReportPair] = SAMPLE_PAIRS,
) -> None:
    """Checks a judge: discrepancies that stand inside the reports, no quotation where none may be, always the same."""
    judge, twin = built_twice(spec, ComponentSpec, options, components)
    problems = conduct(
        judge, twin, pairs, lambda its, asked: its.judge(asked), _judgement_problems, same=_same_judgement
    )
    conclude(spec, problems)


def _in_order(model: Any, requests: Sequence[Request]) -> list[object]:
    return [answer for _, answer in sorted(model.complete(requests), key=lambda item: int(item[0]))]


def _index_problem(indices: Sequence[object], expected: int) -> str:
    once = len(indices) == expected and set(indices) == set(range(expected))
    return "" if once else "each request must come exactly once, by its index"


def _same_answer(one: object, other: object, _: float) -> bool:
    if isinstance(one, Completion) and isinstance(other, Completion):
        return (one.text, one.finish, one.model) == (other.text, other.finish, other.model)
    return one == other


def _answer_problems(request: Request, answer: object) -> Problems:
    if isinstance(answer, Unscored):
        if answer.reason not in _FAILURES:
            yield f"the reason of a failure must be one of {', '.join(_FAILURES)}"
        if any(_shares(answer.detail, message.text) for message in request.messages):
            yield "the reason quotes the request"
        return
    if not isinstance(answer, Completion):
        yield f"must be a Completion or Unscored, not {type(answer).__name__}"
        return
    if not isinstance(answer.text, str) or not isinstance(answer.model, str):
        yield "text and model must be text"
    if not isinstance(answer.finish, Finish):
        yield "finish must be a Finish"
    if not all(count is None or _is_count(count) for count in (answer.prompt_tokens, answer.completion_tokens)):
        yield "tokens must be whole numbers, 0 or more, or None"


def _shares(detail: str, text: str) -> bool:
    return any(detail[start : start + _QUOTED] in text for start in range(max(0, len(detail) - _QUOTED + 1)))


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _same_judgement(one: object, other: object, _: float) -> bool:
    """Returns whether two judgements say the same; an answer may be newly asked for in one and kept in the other."""
    if isinstance(one, Judgement) and isinstance(other, Judgement):
        return (one.discrepancies, one.truncated, one.notes) == (other.discrepancies, other.truncated, other.notes)
    if isinstance(one, Unscored) and isinstance(other, Unscored):
        return (one.reason, one.detail) == (other.reason, other.detail)
    return one == other


def _judgement_problems(pair: ReportPair, answer: object) -> Problems:
    if isinstance(answer, Unscored):
        yield from unscored_problems(answer, pair)
        return
    if not isinstance(answer, Judgement):
        yield f"must be a Judgement or Unscored, not {type(answer).__name__}"
        return
    if answer.evidence is not None and not isinstance(answer.evidence, AnswerEvidence):
        yield "the evidence must be AnswerEvidence or None"
    if quotes(pair, " ".join(answer.notes)):
        yield "a note quotes a report"
    for number, discrepancy in enumerate(answer.discrepancies, start=1):
        if not isinstance(discrepancy, Discrepancy):
            yield f"discrepancy {number}: must be a Discrepancy"
            continue
        yield from (f"discrepancy {number}: {problem}" for problem in _discrepancy_problems(pair, discrepancy))


def _discrepancy_problems(pair: ReportPair, discrepancy: Discrepancy) -> Problems:
    kinds = {
        "category": (discrepancy.category, ErrorCategory | None),
        "aspect": (discrepancy.aspect, ErrorAspect),
        "type": (discrepancy.type, ErrorType | None),
        "severity": (discrepancy.severity, Severity),
    }
    for name, (value, kind) in kinds.items():
        if not isinstance(value, kind):
            yield f"{name} must be of the taxonomy"
    if not discrepancy.reason or quotes(pair, discrepancy.reason):
        yield "the reason must be words of its own, not of a report"
    sides = ((discrepancy.reference_spans, pair.reference), (discrepancy.candidate_spans, pair.candidate))
    if not all(_inside(span, report) for spans, report in sides for span in spans):
        yield "each span must stand inside its report, from start to end"


def _inside(span: Span, report: Report) -> bool:
    return 0 <= span.start < span.end <= len(report.text)
