"""Plans of runs: questions over a whole corpus, each counted once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from overread.application.asking.inquiry import Inquiry, Question
from overread.application.asking.planning import Asks, ReportQuestions, RunPlan, plan_run, prompts_of
from overread.application.asking.tally import AnswerTally
from overread.application.ports import Message, Request
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.answer import Completion
from overread.testing import FakeLanguageModel, FakeMetric


@frozen
class Asking:
    """Asks the candidate's text, answers of ten tokens."""

    def questions(self, pairs: Sequence[ReportPair]) -> list[Question[str]]:
        return [Question("p", Request((Message("user", p.candidate.text),), max_tokens=10), str) for p in pairs]


@frozen
class Reading:
    """Asks the report's text, answers of one token."""

    def questions(self, reports: Sequence[Report]) -> list[Question[str]]:
        return [Question("p", Request((Message("user", report.text),), max_tokens=1), str) for report in reports]


@frozen
class Everything:
    """A store that keeps an answer to anything."""

    only_kept: bool = True

    def find(self, keys: Sequence[str]) -> dict[str, Completion]:
        return {key: Completion("kept") for key in keys}

    def add(self, key: str, completion: Completion, *, prompt: str, model: str) -> None:
        raise AssertionError(key, completion, prompt, model)

    def close(self) -> None: ...


def pairs(*texts: str) -> Iterator[ReportPair]:
    return (ReportPair(id=str(n), reference="x", candidate=text) for n, text in enumerate(texts))


def test_what_is_asked_twice_is_counted_once_however_far_apart() -> None:
    """Batches do not hide it from each other."""
    texts = ["one two", *(f"{n}" for n in range(600)), "one two"]
    plan = plan_run([Asking()], Inquiry(FakeLanguageModel()), pairs(*texts))
    assert plan == RunPlan(requests=601, kept=0, repeated=1, prompt_tokens=602, answer_tokens=6010)


def test_what_two_metrics_ask_alike_is_asked_once() -> None:
    """The plan costs what the run will cost."""
    plan = plan_run([Asking(), Asking()], Inquiry(FakeLanguageModel()), pairs("a", "b"))
    assert (plan.requests, plan.repeated) == (2, 2)


def test_an_extractor_asks_about_both_reports() -> None:
    """A reference that several candidates share is asked about once."""
    plan = plan_run([ReportQuestions(Reading())], Inquiry(FakeLanguageModel()), pairs("a", "b b"))
    assert plan == RunPlan(requests=3, kept=0, repeated=1, prompt_tokens=4, answer_tokens=3)


def test_nothing_is_planned_for_no_pairs() -> None:
    """An empty corpus costs nothing."""
    assert plan_run([Asking()], Inquiry(FakeLanguageModel()), pairs()) == RunPlan()


def test_what_is_kept_is_told_apart_from_what_is_asked_twice() -> None:
    """Both cost nothing, for different reasons."""
    model, answers = FakeLanguageModel(), AnswerTally(Everything())
    plan = plan_run([Asking()], Inquiry(model, answers), pairs("a", "b", "a"))
    assert (plan.requests, plan.kept, plan.repeated) == (0, 2, 1)


def test_the_prompts_of_a_run_are_told_each_once() -> None:
    """A run can say which prompts its answers are to."""
    pair = next(pairs("a"))
    assert prompts_of([Asking(), ReportQuestions(Reading())], pair) == ("p",)
    assert prompts_of([], pair) == ()


def test_a_metric_takes_part_by_having_questions() -> None:
    """No base class is needed."""
    assert isinstance(Asking(), Asks)
    assert not isinstance(FakeMetric(), Asks)
