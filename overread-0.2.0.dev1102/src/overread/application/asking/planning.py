"""Planning a run: what it would ask of a language model, without asking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from attrs import frozen

from overread.application.asking.inquiry import Inquiry, Question
from overread.application.batching import batches
from overread.domain.reports.report import Report, ReportPair

__all__ = ["Asks", "AsksOfReports", "ReportQuestions", "RunPlan", "plan_questions", "plan_run", "prompts_of"]

_BATCH = 256


@runtime_checkable
class Asks(Protocol):
    """A metric or a judge whose first questions about pairs can be told before they are asked."""

    def questions(self, pairs: Sequence[ReportPair]) -> Sequence[Question[Any]]:
        """The first question or questions about each pair; repairs and second passes follow from the answers."""
        ...


@runtime_checkable
class AsksOfReports(Protocol):
    """An extractor that asks about each report for itself."""

    def questions(self, reports: Sequence[Report]) -> Sequence[Question[Any]]:
        """The first question about each report that is asked about."""
        ...


@frozen
class RunPlan:
    """Plan of a run's first requests, without repairs and second passes.

    Attributes:
        requests: first requests that are neither kept nor the same as another.
        kept: first requests that are kept and not asked again.
        repeated: questions whose request is the same as that of another.
        prompt_tokens: of the requests, as the model counts them, or an estimate.
        answer_tokens: the most that the requests may be answered with.
    """

    requests: int = 0
    kept: int = 0
    repeated: int = 0
    prompt_tokens: int = 0
    answer_tokens: int = 0


@frozen
class ReportQuestions:
    """Questions that an extractor asks about both reports of pairs."""

    extractor: AsksOfReports

    def questions(self, pairs: Sequence[ReportPair]) -> Sequence[Question[Any]]:
        """See `Asks`."""
        return self.extractor.questions([report for pair in pairs for report in (pair.reference, pair.candidate)])


def plan_run(asking: Sequence[Asks], inquiry: Inquiry, pairs: Iterable[ReportPair]) -> RunPlan:
    """Plan the first attempt at asking about pairs; nothing is asked.

    Args:
        asking: who asks.
        inquiry: of the model that would be asked, with the answers that are kept.
        pairs: read once, in constant memory except for one number per question.
    """
    in_batches = ([q for one in asking for q in one.questions(batch)] for batch in batches(pairs, _BATCH))
    return plan_questions(in_batches, inquiry)


def plan_questions(in_batches: Iterable[Sequence[Question[Any]]], inquiry: Inquiry) -> RunPlan:
    """Plan the first attempt at questions; repeats in different batches are found too."""
    requests = stored = repeated = prompt_tokens = answer_tokens = 0
    seen: set[int] = set()
    for questions in in_batches:
        new = []
        for question in questions:
            digest = hash((question.request.messages, question.request.max_tokens))
            if digest not in seen:
                seen.add(digest)
                new.append(question)
        plan = inquiry.plan(new)
        requests += plan.requests
        stored += plan.kept
        repeated += len(questions) - len(new)
        prompt_tokens += plan.prompt_tokens
        answer_tokens += plan.answer_tokens
    return RunPlan(requests, stored, repeated, prompt_tokens, answer_tokens)


def prompts_of(asking: Sequence[Asks], pair: ReportPair) -> tuple[str, ...]:
    """Identities of the prompts of the first questions about a pair, each once; nothing is asked."""
    return tuple(dict.fromkeys(question.prompt for one in asking for question in one.questions([pair])))
