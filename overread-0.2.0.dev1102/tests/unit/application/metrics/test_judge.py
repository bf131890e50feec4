"""The judge metric over judges that say what they are told."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from attrs import define, field

from overread.application.asking.inquiry import Question
from overread.application.asking.planning import Asks
from overread.application.metrics.judge import JUDGE_SCALE, JudgeMetric
from overread.application.ports import Request
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import AnswerEvidence, Outcome, Scored, Unscored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.exceptions import ComponentError

from ..fakes import pair

SILENT = "no difference was named: counted as insignificant"


@define
class ScriptedJudge:
    """Says of each pair what stands under its id."""

    judgements: dict[str, Judgement | Unscored]
    note: str = ""
    identity: str = "scripted"
    seen: list[str] = field(factory=list)

    def judge(self, pairs: Sequence[ReportPair]) -> list[Judgement | Unscored]:
        self.seen += [pair.id for pair in pairs]
        return [self.judgements[pair.id] for pair in pairs]


@define
class AskingJudge(ScriptedJudge):
    def questions(self, pairs: Sequence[ReportPair]) -> list[Question[str]]:
        return [Question(pair.id, Request(()), str) for pair in pairs]


def _found(severity: Severity, category: ErrorCategory | None = ErrorCategory.LOCATION) -> Discrepancy:
    return Discrepancy(
        category=category,
        aspect=ErrorAspect.LOCATION,
        type=ErrorType.INACCURACY,
        severity=severity,
        reason=f"judged {severity}",
        finding="",
    )


def _scored(judgement: Judgement, note: str = "") -> Scored:
    [outcome] = JudgeMetric(ScriptedJudge({"p": judgement}, note)).evaluate([pair("p", "One.", "Two.")])
    assert isinstance(outcome, Scored)
    return outcome


def test_the_score_counts_what_is_critical_or_significant() -> None:
    """Categories are counted beside it, significant errors alone."""
    found = (
        _found(Severity.CRITICAL, ErrorCategory.FALSE_FINDING),
        _found(Severity.SIGNIFICANT),
        _found(Severity.SIGNIFICANT, ErrorCategory.FALSE_FINDING),
        _found(Severity.INSIGNIFICANT, None),
    )
    scored = _scored(Judgement(discrepancies=found))
    assert scored.score == 3
    assert scored.discrepancies == found
    assert scored.notes == ()
    assert scored.subscores == {
        "critical": 1,
        "significant": 3,
        "insignificant": 1,
        **dict.fromkeys("BDEFGH", 0),
        "A": 2,
        "C": 1,
        "verdict": 1,
    }


@pytest.mark.parametrize(
    ("severities", "score", "verdict", "notes"),
    [
        ([Severity.CRITICAL], 1, 1, ()),
        ([Severity.SIGNIFICANT, Severity.INSIGNIFICANT], 1, 1, ()),
        ([Severity.INSIGNIFICANT, Severity.INSIGNIFICANT], 0, 0, ()),
        ([], 0, 0, (SILENT,)),
    ],
)
def test_the_verdict_is_that_of_equation_1_and_a_silent_judge_is_marked(
    severities: list[Severity], score: float, verdict: float, notes: tuple[str, ...]
) -> None:
    """No difference at all may also mean that the judge overlooked them."""
    scored = _scored(Judgement(discrepancies=tuple(map(_found, severities))))
    assert (scored.score, scored.subscores["verdict"], scored.notes) == (score, verdict, notes)


def test_evidence_notes_and_truncation_are_the_judges() -> None:
    """The metric hides nothing that its judge tells."""
    evidence = AnswerEvidence(answers=())
    scored = _scored(
        Judgement(discrepancies=(), evidence=evidence, truncated=True, notes=("the end was not read",)), "a stand-in"
    )
    assert scored.evidence is evidence
    assert scored.truncated
    assert scored.notes == ("a stand-in", "the end was not read", SILENT)


def test_what_cannot_be_judged_keeps_its_place_and_its_answers() -> None:
    """A judge's reason passes through, and blank pairs never reach it."""
    refused = Unscored("refusal", "the model declined", AnswerEvidence(answers=()))
    judge = ScriptedJudge({"a": Judgement(discrepancies=(_found(Severity.CRITICAL),)), "b": refused, "d": refused})
    pairs = [pair("a", "One.", "Two."), pair("b", "One.", ""), pair("c", " ", "\n"), pair("d", "", "Two.")]
    outcomes: list[Outcome] = JudgeMetric(judge).evaluate(pairs)
    assert isinstance(outcomes[0], Scored)
    assert outcomes[1] is refused
    assert isinstance(outcomes[2], Unscored)
    assert outcomes[2].reason == "empty"
    assert outcomes[3] is refused
    assert judge.seen == ["a", "b", "d"]


def test_a_judge_that_loses_a_pair_is_an_error() -> None:
    """Scores would else move to other pairs."""

    @define
    class Forgetful(ScriptedJudge):
        def judge(self, pairs: Sequence[ReportPair]) -> list[Judgement | Unscored]:
            return [Judgement(discrepancies=())] * (len(pairs) - 1)

    with pytest.raises(ComponentError, match=r"the judge .* answers for"):
        JudgeMetric(Forgetful({})).evaluate([pair("a", "One.", "Two."), pair("b", "One.", "Two.")])


def test_nothing_is_judged_where_nothing_is_given() -> None:
    """Neither an empty batch nor blank reports reach the judge."""
    judge = ScriptedJudge({})
    assert JudgeMetric(judge).evaluate([]) == []
    assert JudgeMetric(judge).evaluate([pair("c", "", "")])[0] == Unscored("empty", "both reports are empty")
    assert judge.seen == []


def test_questions_are_the_judges_about_pairs_that_will_be_judged() -> None:
    """A judge that asks no model has no questions."""
    pairs = [pair("a", "One.", "Two."), pair("b", "", "")]
    asking = JudgeMetric(AskingJudge({}))
    assert isinstance(asking, Asks)
    assert [question.prompt for question in asking.questions(pairs)] == ["a"]
    assert list(JudgeMetric(ScriptedJudge({})).questions(pairs)) == []


def test_the_signature_is_the_judges_and_fewer_is_better() -> None:
    """Scores of two judges are not comparable."""
    assert JudgeMetric(ScriptedJudge({})).signature_parts == (("judge", "scripted"),)
    assert (JUDGE_SCALE.low, JUDGE_SCALE.high, JUDGE_SCALE.higher_is_better) == (0.0, math.inf, False)
