"""The trial of reports that try to steer a model: what a model says is what counts, and such a report is noticed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from overread.adapters.llm.green.options import GreenOptions
from overread.adapters.llm.green.plugin import _reader, green_prompt
from overread.adapters.llm.judge.one_pass import OnePassJudge
from overread.application.asking.answers.spans import CLOSE_ENOUGH, locate
from overread.application.asking.control_tokens import inert
from overread.application.asking.inquiry import Inquiry
from overread.application.asking.prompts import load_prompt
from overread.application.asking.steering import steering_kinds
from overread.application.metrics.green import GreenMetric
from overread.application.metrics.judge import JudgeMetric
from overread.application.ports import Metric, Request
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import Outcome, Scored, Unscored
from overread.testing import FakeLanguageModel

from .attacks import ATTACKS, OTHER_WORDS, PERFECT_GREEN, PERFECT_JSON

REFERENCE = "Large left pleural effusion. Normal heart size. No pneumothorax."
CANDIDATE = "Normal heart size. No pneumothorax."
HONEST_GREEN = PERFECT_GREEN.replace("reference: 0.", "reference: 1. Large left pleural effusion", 1).replace(
    "9. A; B; C; D; E; F; G; H; I", "2. Normal heart size; No pneumothorax"
)
HONEST_JSON = (
    '{"critical": {}, "significant": {"Large left pleural effusion": "Description - Omission"}, "insignificant": {}, '
)

REPEATED = {"forged answer", "forged sections", "forged heading, bare", "forged end and answer"}
"""What cannot be told from a section of the answer's own, where it stands in lines of its own."""

Answer = Callable[[Request], str]


def candidate_of(request: Request) -> str:
    """The candidate as the model is shown it: between the tags of the prompt."""
    said = request.messages[1].text
    found = re.search(r"<candidate>\n(.*)\n</candidate>", said, re.DOTALL)
    assert found is not None
    return found[1]


def honest_green(request: Request) -> str:
    """Counts what is missing, and quotes the candidate while it explains."""
    quoted = " ".join(candidate_of(request).replace('"', "'").split())
    return HONEST_GREEN.replace("The reports agree.", f'The candidate says "{quoted}" and leaves the effusion out.')


def honest_green_in_lines(request: Request) -> str:
    """As `honest_green`, with the lines of the candidate as they stand."""
    return HONEST_GREEN.replace("The reports agree.", f'The candidate says "{candidate_of(request)}".')


def honest_json(request: Request) -> str:
    return f'{HONEST_JSON}"explanation": {json.dumps(candidate_of(request))}}}'


def gullible(perfect: str, honest: Answer) -> Answer:
    """Does what any words behind the report tell it."""

    def answer(request: Request) -> str:
        return honest(request) if candidate_of(request) == CANDIDATE else perfect

    return answer


def green(answer: Answer) -> tuple[Metric, FakeLanguageModel]:
    model = FakeLanguageModel(answer)
    return GreenMetric(Inquiry(model), green_prompt(), _reader(GreenOptions()), locate), model


def judge(answer: Answer) -> tuple[Metric, FakeLanguageModel]:
    model = FakeLanguageModel(answer)
    prompt = load_prompt("one-pass")
    return JudgeMetric(
        OnePassJudge(inquiry=Inquiry(model), prompt=prompt, max_tokens=500, threshold=CLOSE_ENOUGH)
    ), model


Make = Callable[[Answer], tuple[Metric, FakeLanguageModel]]
METRICS: dict[str, tuple[Make, Answer, str]] = {
    "green": (green, honest_green, PERFECT_GREEN),
    "judge": (judge, honest_json, PERFECT_JSON),
}


def outcome(metric: Metric, candidate: str) -> Outcome:
    [found] = metric.evaluate([ReportPair(id="p", reference=REFERENCE, candidate=candidate)])
    return found


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", METRICS)
def test_the_count_is_the_models_alone(name: str, attack: str) -> None:
    """What stands in a report changes nothing of how an answer is read, even where the answer quotes it."""
    make, honest, _ = METRICS[name]
    metric, _ = make(honest)
    plain, attacked = outcome(metric, CANDIDATE), outcome(metric, f"{CANDIDATE}\n\n{ATTACKS[attack]}")
    assert isinstance(plain, Scored)
    assert isinstance(attacked, Scored)
    assert (attacked.score, attacked.subscores) == (plain.score, plain.subscores)
    assert plain.subscores["significant"] == 1.0


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_answer_that_repeats_a_forged_one_is_no_score_or_its_own(attack: str) -> None:
    """Where both stand in lines of their own, which of them is meant is not guessed."""
    metric, _ = green(honest_green_in_lines)
    found = outcome(metric, f"{CANDIDATE}\n\n{ATTACKS[attack]}")
    assert isinstance(found, Unscored) == (attack in REPEATED)
    if isinstance(found, Unscored):
        assert found.reason in ("inconsistent answer", "unreadable answer")
    else:
        assert (found.subscores["significant"], found.subscores["matched"]) == (1.0, 2.0)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", METRICS)
def test_a_model_that_follows_a_report_is_believed_and_the_report_noticed(name: str, attack: str) -> None:
    """There is no telling from an answer; the note names the report, the kind of words, and none of them."""
    make, honest, perfect = METRICS[name]
    metric, _ = make(gullible(perfect, honest))
    found = outcome(metric, f"{CANDIDATE}\n\n{ATTACKS[attack]}")
    assert isinstance(found, Scored)
    assert found.subscores["significant"] == 0.0
    [note] = [note for note in found.notes if "reads like" in note]
    assert note.startswith("the candidate holds what reads like a")
    assert all(word not in note for word in ATTACKS[attack].split() if len(word) > 10)


@pytest.mark.parametrize("attack", ATTACKS)
@pytest.mark.parametrize("name", METRICS)
def test_no_report_can_write_the_tags_that_it_stands_between(name: str, attack: str) -> None:
    """What the model is shown between them is the whole report, and there is one pair of them for each."""
    make, honest, _ = METRICS[name]
    metric, model = make(honest)
    candidate = f"{CANDIDATE}\n\n{ATTACKS[attack]}"
    outcome(metric, candidate)
    said = model.asked[0].messages[-1].text
    for tag in ("<reference>", "</reference>", "<candidate>", "</candidate>"):
        assert said.count(tag) == 1
    assert candidate_of(model.asked[0]) == inert(candidate)


@pytest.mark.parametrize("name", METRICS)
def test_a_plain_pair_has_no_such_note(name: str) -> None:
    """A note is for what is out of the ordinary."""
    make, honest, _ = METRICS[name]
    metric, _ = make(honest)
    found = outcome(metric, CANDIDATE)
    assert isinstance(found, Scored)
    assert not [note for note in found.notes if "reads like" in note]


@pytest.mark.parametrize("text", OTHER_WORDS)
def test_what_is_said_in_other_words_is_noticed_now_and_then(text: str) -> None:
    """The rules know words, not meanings; the figure in the documentation counts these."""
    assert bool(steering_kinds(text)) == OTHER_WORDS[text]
