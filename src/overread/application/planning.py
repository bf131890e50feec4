"""Planning a run: what it would ask of a language model, without asking."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from attrs import frozen

from overread.application.evaluate import batches
from overread.application.inquiry import Inquiry, Plan, Question
from overread.domain.report import Report, ReportPair

__all__ = ["Asks", "AsksOfReports", "ReportQuestions", "plan_run"]

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
class ReportQuestions:
    """What an extractor asks about both reports of pairs."""

    extractor: AsksOfReports

    def questions(self, pairs: Sequence[ReportPair]) -> Sequence[Question[Any]]:
        """As of `Asks`."""
        return self.extractor.questions([report for pair in pairs for report in (pair.reference, pair.candidate)])


def plan_run(asking: Sequence[Asks], inquiry: Inquiry, pairs: Iterable[ReportPair]) -> Plan:
    """What asking about pairs would take at the first attempt. What is asked twice is counted as kept the second time.

    Args:
        asking: who asks.
        inquiry: of the model that would be asked, with the answers that are kept.
        pairs: are read once, in constant memory but for a number each question.
    """
    requests = kept = prompt_tokens = answer_tokens = 0
    seen: set[int] = set()
    for batch in batches(pairs, _BATCH):
        questions = [question for one in asking for question in one.questions(batch)]
        new = []
        for question in questions:
            digest = hash((question.request.messages, question.request.max_tokens))
            if digest not in seen:
                seen.add(digest)
                new.append(question)
        plan = inquiry.plan(new)
        requests += plan.requests
        kept += plan.kept + len(questions) - len(new)
        prompt_tokens += plan.prompt_tokens
        answer_tokens += plan.answer_tokens
    return Plan(requests, kept, prompt_tokens, answer_tokens)
