"""Lessons: asked as the judge asks, answered so that the judge can read it, rejected for the severity alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from attrs import evolve, field, frozen

from overread.adapters.llm.judge.one_pass import OnePassJudge, read_opinion
from overread.adapters.llm.judge.two_pass import TwoPassJudge, read_differences, read_ruling
from overread.adapters.llm.judge_training._lessons import (
    Lesson,
    OnePassLessons,
    TwoPassLessons,
    flip_severity,
    syllabus,
)
from overread.adapters.llm.judge_training.options import read_recipe
from overread.application.asking.inquiry import Inquiry
from overread.application.ports import Message, Request
from overread.application.training.judged_pairs import JudgedPair, MarkedSpan
from overread.domain.results.answer import Completion
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType

from .material import judged_pairs

ROBUST, DISCRIMINATING = judged_pairs(2)


@frozen
class Reciting:
    """A language model that gives its answers in turn and keeps what it was asked."""

    answers: list[str]
    asked: list[tuple[Message, ...]] = field(factory=list)
    identity: str = "reciting"
    note: str = ""

    def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion]]:
        for index, request in enumerate(requests):
            self.asked.append(request.messages)
            yield index, Completion(self.answers[len(self.asked) - 1])

    def count_tokens(self, request: Request) -> int:
        return len(request.messages)


def one_pass(pair: JudgedPair) -> Lesson:
    plan = syllabus(read_recipe())
    [lesson] = plan.lessons([pair])
    return lesson


def two_pass(pair: JudgedPair) -> list[Lesson]:
    return list(syllabus(read_recipe(None, ["two_pass=true"])).lessons([pair]))


@pytest.mark.parametrize("judged", [ROBUST, DISCRIMINATING])
def test_the_one_pass_judge_reads_the_true_answer_as_the_labels_say(judged: JudgedPair) -> None:
    """What is taught is what the judge can read."""
    lesson = one_pass(judged)
    [found] = read_opinion(lesson.answer, judged.pair, 0.85).discrepancies
    [span] = judged.spans
    assert (found.aspect, found.type, found.severity) == (span.aspect, span.type, span.severity)
    assert read_opinion(lesson.answer, judged.pair, 0.85).explanation == judged.explanation


@pytest.mark.parametrize("judged", [ROBUST, DISCRIMINATING])
def test_the_rejected_answer_differs_in_the_severity_alone(judged: JudgedPair) -> None:
    """Preferences teach the severity and nothing else."""
    true, false = (
        read_opinion(text, judged.pair, 0.85) for text in (one_pass(judged).answer, one_pass(judged).rejected)
    )
    [chosen], [rejected] = true.discrepancies, false.discrepancies
    assert rejected.severity is flip_severity(chosen.severity)
    assert evolve(rejected, severity=chosen.severity, reason=chosen.reason) == chosen
    assert true.explanation == false.explanation


def test_the_rejected_answer_has_the_reason_of_the_other_weight() -> None:
    """A judge must not learn that the same reason speaks for either."""
    judged = evolve(DISCRIMINATING, explanation="It matters.", contrary="It does not matter.")
    [ruling] = [lesson for lesson in two_pass(judged) if lesson.rejected]
    for lesson in (one_pass(judged), ruling):
        true, false = (json.loads(text)["explanation"] for text in (lesson.answer, lesson.rejected))
        assert (true, false) == ("It matters.", "It does not matter.")


def test_a_flip_crosses_the_boundary_of_the_rule() -> None:
    """A rejected answer always changes the verdict."""
    for severity in Severity:
        assert flip_severity(severity).counts_as_significant is not severity.counts_as_significant


def test_both_passes_are_asked_in_the_judges_own_words() -> None:
    """The requests are those of the judges when a model answers as the lessons teach."""
    judged = evolve(
        DISCRIMINATING,
        spans=(*DISCRIMINATING.spans, MarkedSpan("Large", ErrorAspect.NOISE, None, Severity.INSIGNIFICANT)),
    )
    plan = syllabus(read_recipe(None, ["two_pass=true"]))
    assert isinstance(plan, TwoPassLessons)
    lessons = list(plan.lessons([judged]))
    model = Reciting([lesson.answer for lesson in lessons])
    judge = TwoPassJudge(
        inquiry=Inquiry(model, None, 0),
        detection=plan.detection,
        severity=plan.severity,
        criteria=plan.criteria,
        max_tokens=100,
        threshold=0.85,
    )
    [judgement] = judge.judge([judged.pair])
    assert model.asked == [lesson.messages for lesson in lessons]
    found = {(d.aspect, d.severity) for d in judgement.discrepancies}  # type: ignore[union-attr]
    assert found == {(span.aspect, span.severity) for span in judged.spans}

    alone = syllabus(read_recipe())
    assert isinstance(alone, OnePassLessons)
    [lesson] = alone.lessons([judged])
    reciting = Reciting([lesson.answer])
    OnePassJudge(inquiry=Inquiry(reciting), prompt=alone.prompt, max_tokens=9, threshold=0.85).judge([judged.pair])
    assert reciting.asked == [lesson.messages]


def test_in_two_passes_only_the_ruling_has_a_rejected_answer() -> None:
    """The list of differences says nothing of severities."""
    listing, ruling = two_pass(DISCRIMINATING)
    assert listing.rejected == ""
    assert len(read_differences(listing.answer, DISCRIMINATING.pair, 0.85)) == 1
    assert read_ruling(ruling.answer).severity is Severity.SIGNIFICANT
    assert read_ruling(ruling.rejected).severity is Severity.INSIGNIFICANT


def test_equal_reports_teach_an_empty_answer_and_nothing_to_reject() -> None:
    """A judge must learn to find nothing."""
    equal = evolve(ROBUST, spans=())
    assert one_pass(equal).rejected == ""
    assert read_opinion(one_pass(equal).answer, equal.pair, 0.85).discrepancies == ()
    [listing] = two_pass(equal)
    assert json.loads(listing.answer) == []


def test_words_with_two_labels_keep_both() -> None:
    """The answer's format has one entry for each passage and label."""
    words = DISCRIMINATING.spans[0].text
    second = MarkedSpan(words, ErrorAspect.SEVERITY, ErrorType.FABRICATION, Severity.SIGNIFICANT)
    judged = evolve(DISCRIMINATING, spans=(*DISCRIMINATING.spans, second))
    found = read_opinion(one_pass(judged).answer, judged.pair, 0.85).discrepancies
    assert {discrepancy.aspect for discrepancy in found} == {ErrorAspect.DESCRIPTION, ErrorAspect.SEVERITY}


def test_a_users_prompt_takes_the_place_of_the_packaged_one(tmp_path: Path) -> None:
    """The judge is trained with the prompt it will be asked with."""
    file = tmp_path / "mine.txt"
    file.write_text("Judge {reference} / {candidate}")
    [lesson] = syllabus(read_recipe(None, [f"prompt={file}"])).lessons([ROBUST])
    [message] = lesson.messages
    assert message.text == f"Judge {ROBUST.pair.reference.text} / {ROBUST.pair.candidate.text}"
