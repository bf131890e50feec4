"""The checks of language models and judges: the sound passes, each fault is found and named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count
from typing import Any, Final

import pytest
from attrs import evolve, frozen

from overread.application.ports import Message, Request
from overread.domain.reports.report import ReportPair, Span
from overread.domain.results.answer import Completion
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import Unscored
from overread.testing import (
    SAMPLE_PAIRS,
    SAMPLE_REQUESTS,
    FakeComponents,
    FakeJudge,
    FakeLanguageModel,
    check_judge,
    check_language_model,
)

from .tried import Check, problems_of, spec_of


@frozen
class ChangedModel:
    """The fake model with its answers, identity, note or count changed."""

    change: Callable[[Sequence[Request], list[tuple[int, Any]]], Any] = lambda _requests, answers: iter(answers)
    identity: Any = "changed"
    note: Any = ""
    counted: Any = 5

    def complete(self, requests: Sequence[Request]) -> Any:
        return self.change(requests, list(FakeLanguageModel().complete(requests)))

    def count_tokens(self, _: Request) -> Any:
        return self.counted() if callable(self.counted) else self.counted


@frozen
class ChangedJudge:
    """The fake judge with its judgements or note changed."""

    change: Callable[[Sequence[ReportPair], list[Any]], Any] = lambda _pairs, answers: answers
    identity: Any = "changed"
    note: Any = ""

    def judge(self, pairs: Sequence[ReportPair]) -> Any:
        return self.change(pairs, FakeJudge().judge(pairs))


def test_the_fakes_conform() -> None:
    """A check that the fakes fail would find faults in sound components."""
    check_language_model(spec_of(FakeLanguageModel))
    check_judge(spec_of(FakeJudge))


def test_a_model_of_a_given_function_conforms() -> None:
    """Failures are answers too."""
    answers: dict[int, str | Completion | Unscored] = {8: Unscored("too long", "for the context"), 64: Completion("{}")}
    check_language_model(spec_of(lambda: FakeLanguageModel(lambda request: answers.get(request.max_tokens, "yes"))))


@pytest.mark.parametrize("check", [check_language_model, check_judge])
@pytest.mark.parametrize(
    ("identity", "problem"), [("a|b", "must hold no bar"), ("", "must be text"), (None, "must be")]
)
def test_an_identity_that_no_signature_can_hold_is_told(check: Check, identity: object, problem: str) -> None:
    """A bar parts a signature."""
    made = ChangedModel if check is check_language_model else ChangedJudge
    [found] = problems_of(check, lambda: made(identity=identity))
    assert found.startswith("identity ")
    assert problem in found


@pytest.mark.parametrize("check", [check_language_model, check_judge])
def test_a_note_that_is_no_text_is_told(check: Check) -> None:
    """The message says what to give where there is nothing to say."""
    made = ChangedModel if check is check_language_model else ChangedJudge
    assert problems_of(check, lambda: made(note=None)) == ["note must be text, empty where there is nothing to say"]


_ONCE: Final = "each request must come exactly once, by its index"


@pytest.mark.parametrize(
    "change",
    [
        lambda _, answers: iter(answers[1:]),
        lambda _, answers: iter([*answers, answers[0]]),
        lambda _, answers: iter((index + 1, answer) for index, answer in answers),
        lambda _, answers: iter((0, answer) for _, answer in answers),
    ],
)
def test_every_request_must_come_once(change: Callable[[Sequence[Request], list[tuple[int, Any]]], Any]) -> None:
    """An answer under another's index would be another pair's score."""
    assert problems_of(check_language_model, lambda: ChangedModel(change)) == [_ONCE]


def test_a_list_is_no_iterator() -> None:
    """Answers must be kept as they come."""
    problems = problems_of(check_language_model, lambda: ChangedModel(lambda _, answers: answers))
    assert problems == ["complete must return an iterator, not list"]


def _second(made: Callable[[Request], Any]) -> Callable[[], ChangedModel]:
    """A model that answers the requests of eight tokens otherwise."""

    def change(requests: Sequence[Request], answers: list[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        for index, answer in answers:
            yield index, made(requests[index]) if requests[index].max_tokens == 8 else answer

    return lambda: ChangedModel(change)


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda _: "text", "must be a Completion or Unscored, not str"),
        (lambda _: Completion(5), "text and model must be text"),  # type: ignore[arg-type]
        (lambda _: Completion("x", "stop"), "finish must be a Finish"),  # type: ignore[arg-type]
        (lambda _: Completion("x", prompt_tokens=-1), "tokens must be whole numbers, 0 or more, or None"),
        (lambda _: Completion("x", completion_tokens=1.5), "tokens must be whole numbers, 0 or more, or None"),  # type: ignore[arg-type]
        (lambda _: Unscored("error", ""), "the reason of a failure must be one of no answer, too long, refused"),
        (lambda r: Unscored("refused", f"400: {r.messages[-1].text}"), "the reason quotes the request"),
    ],
)
def test_a_faulty_answer_is_named_with_its_request(made: Callable[[Request], Any], problem: str) -> None:
    """The second and the fifth sample are alike."""
    assert problems_of(check_language_model, _second(made)) == [f"request {n}: {problem}" for n in (2, 5)]


def test_a_model_that_answers_otherwise_again_is_told() -> None:
    """A score must not depend on when, or beside what, a pair is asked about."""
    ticks = count()
    drawn = problems_of(check_language_model, _second(lambda _: Completion(str(next(ticks)))))
    assert "the same batch again gives other answers" in drawn

    def by_company(requests: Sequence[Request], answers: list[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
        return ((index, evolve(answer, text=f"{len(requests)}")) for index, answer in answers)

    assert problems_of(check_language_model, lambda: ChangedModel(by_company)) == [
        "an item alone has another answer than in a batch"
    ]


@pytest.mark.parametrize("counted", [0, -1, 2.5, None, True, count(1).__next__])
def test_tokens_must_be_counted(counted: object) -> None:
    """A count that changes or is none would spoil every plan."""
    problem = "count_tokens must give a whole number above 0, always the same"
    expected = [f"request {n}: {problem}" for n in range(1, len(SAMPLE_REQUESTS) + 1)]
    assert problems_of(check_language_model, lambda: ChangedModel(counted=counted)) == expected


def _of_sample_two(made: Callable[[ReportPair, Judgement], Any]) -> Callable[[], ChangedJudge]:
    def change(pairs: Sequence[ReportPair], answers: list[Any]) -> list[Any]:
        return [made(p, a) if p.id == "sample-2" else a for p, a in zip(pairs, answers, strict=True)]

    return lambda: ChangedJudge(change)


def _with(**changes: Any) -> Callable[[ReportPair, Judgement], Judgement]:
    """The judgement with its first discrepancy changed."""

    def changed(_: ReportPair, judgement: Judgement) -> Judgement:
        first, *others = judgement.discrepancies
        return evolve(judgement, discrepancies=(evolve(first, **changes), *others))

    return changed


_INSIDE: Final = "discrepancy 1: each span must stand inside its report, from start to end"
_OWN: Final = "discrepancy 1: the reason must be words of its own, not of a report"


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda _p, _a: Unscored(""), "Unscored must give a reason"),
        (lambda p, _: Unscored("odd", p.candidate.text), "the reason quotes a report"),
        (lambda _p, _a: 1.0, "must be a Judgement or Unscored, not float"),
        (lambda _, a: evolve(a, evidence="raw"), "the evidence must be AnswerEvidence or None"),
        (lambda p, a: evolve(a, notes=(p.reference.text,)), "a note quotes a report"),
        (lambda _, a: evolve(a, discrepancies=("A",)), "discrepancy 1: must be a Discrepancy"),
        (_with(category="A"), "discrepancy 1: category must be of the taxonomy"),
        (_with(aspect=None), "discrepancy 1: aspect must be of the taxonomy"),
        (_with(type="omission"), "discrepancy 1: type must be of the taxonomy"),
        (_with(severity="severe"), "discrepancy 1: severity must be of the taxonomy"),
        (_with(reason=""), _OWN),
        (_with(reason="it says Moderate right pleural effusion"), _OWN),
        (_with(candidate_spans=(Span(0, 10_000),)), _INSIDE),
        (_with(reference_spans=(Span(5, 5),)), _INSIDE),
        (_with(reference_spans=(Span(-1, 5),)), _INSIDE),
    ],
)
def test_a_faulty_judgement_is_named_with_its_pair(made: Callable[[ReportPair, Any], Any], problem: str) -> None:
    """Nothing else is wrong with it."""
    assert problems_of(check_judge, _of_sample_two(made)) == [f"pair sample-2: {problem}"]


def test_a_judge_that_says_something_else_again_is_told() -> None:
    """Scores must be the same whenever they are made."""
    ticks = count()
    drawn = _of_sample_two(lambda _, a: evolve(a, notes=(str(next(ticks)),)))
    assert "the same batch again gives other answers" in problems_of(check_judge, drawn)


def test_fake_language_model_answers_by_its_function_and_remembers() -> None:
    """Texts get tokens; what the function raises comes after the answers before it."""
    one, two = (Request((Message("user", text),)) for text in ("first one", "second"))
    model = FakeLanguageModel(lambda request: request.messages[0].text.upper())
    assert list(model.complete([one, two])) == [
        (1, Completion("SECOND", model="fake", prompt_tokens=1, completion_tokens=1)),
        (0, Completion("FIRST ONE", model="fake", prompt_tokens=2, completion_tokens=2)),
    ]
    assert model.asked == [one, two]
    assert [c.text for _, c in FakeLanguageModel().complete([two]) if isinstance(c, Completion)] == ["dnoces"]


def test_fake_judge_compares_sentences() -> None:
    """One only in the candidate is a false finding, one only in the reference an omission; spans quote them."""
    pairs = [
        ReportPair(id="a", reference="No mass. Left effusion.", candidate="Effusion left. Fracture."),
        ReportPair(id="b", reference="", candidate=" "),
        ReportPair(id="c", reference="x", candidate="y"),
    ]
    told = Judgement(discrepancies=())
    judged, blank, given = FakeJudge({"c": told}).judge(pairs)
    assert isinstance(judged, Judgement)
    assert [_quoted(pairs[0], found) for found in judged.discrepancies] == [("A", "Fracture"), ("B", "No mass")]
    assert blank == Unscored("empty", "both reports are empty")
    assert given is told


def _quoted(pair: ReportPair, found: Discrepancy) -> tuple[str, str]:
    [words] = [span.of(pair.reference.text) for span in found.reference_spans] + [
        span.of(pair.candidate.text) for span in found.candidate_spans
    ]
    return str(found.category), words


def test_samples_tell_an_order_from_its_reverse() -> None:
    """And hold a conversation, a schema, and one request twice."""
    assert SAMPLE_REQUESTS[1] == SAMPLE_REQUESTS[4]
    assert SAMPLE_REQUESTS[0] != SAMPLE_REQUESTS[4]
    assert any(len(request.messages) == 3 for request in SAMPLE_REQUESTS)
    assert any(request.schema is not None for request in SAMPLE_REQUESTS)
    judgements = FakeJudge().judge(SAMPLE_PAIRS)
    assert judgements != judgements[::-1]


def test_components_share_no_model_between_tests() -> None:
    """A fake remembers what it was asked."""
    first, second = FakeComponents().get("model"), FakeComponents().get("model")
    list(first.complete(SAMPLE_REQUESTS))
    assert len(first.asked) == len(SAMPLE_REQUESTS)
    assert second.asked == []
