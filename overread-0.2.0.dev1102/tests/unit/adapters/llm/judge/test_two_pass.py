"""The two-pass judge: which answers of either pass are read, and how they come together."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import jsonschema
import pytest
from attrs import field, frozen

from overread.adapters.llm.judge.criteria import load_criteria
from overread.adapters.llm.judge.two_pass import (
    DETECTION_SCHEMA,
    SEVERITY_SCHEMA,
    TwoPassJudge,
    read_differences,
    read_ruling,
)
from overread.application.asking.inquiry import Inquiry, UnreadableAnswerError
from overread.application.asking.prompts import load_prompt
from overread.application.ports import Request
from overread.domain.reports.report import ReportPair
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.judgement import Judgement
from overread.domain.results.result import Unscored
from overread.domain.vocabulary.severity import Severity
from overread.testing import FakeLanguageModel

from .samples import PAIR

GOOD = (
    '[{"span": "right", "aspect": "Location - Inaccuracy"}, {"span": "There is a pneumothorax", "aspect": "Negation"}]'
)
TOLD = ["Location - Inaccuracy", "Negation"]

DETECTED = [
    (GOOD, TOLD),
    (f"```json\n{GOOD}\n```", TOLD),
    (f"Differences:\n{GOOD}\nThat is all.", TOLD),
    (f'{{"differences": {GOOD}}}', TOLD),
    (f'{{"differences": {GOOD}, "note": "two"}}', TOLD),
    ('{"span": "right", "aspect": "Location - Inaccuracy"}\n{"span": "Pneumonia", "aspect": "Uncertainty"}',
     ["Location - Inaccuracy", "Uncertainty"]),
    ('{"span": "right", "aspect": "Location", "type": "Inaccuracy"}', ["Location - Inaccuracy"]),
    ("[{'span': 'right', 'aspect': 'Location - Inaccuracy'},]", ["Location - Inaccuracy"]),
    ('[{"span": "is", "aspect": "Noise"}, {"span": "is", "aspect": "Noise"}]', ["Noise"]),
    ('[{"span": "is", "aspect": "Noise"}, {"span": "is", "aspect": "Style"}]', ["Noise", "Stylistic Variation"]),
    ('[{"span": "is", "aspect": "Noise", "severity": "significant"}]', ["Noise"]),
    ('[{"span": "is", "aspect": "Noise"}, {"span": "Is.", "aspect": "noise"}, {"span": " is", "aspect": "Noise"}]',
     ["Noise"]),
    ('[{"span": "heart is enlarged", "aspect": "Noise"}, {"span": "hearts is enlarged", "aspect": "Noise"}]',
     ["Noise"]),
    ("[]", []),
    ("<think>Nothing [at all].</think>[]", []),
    ('{"differences": []}', []),
]  # fmt: skip

NOT_DETECTED = [
    ("", "unreadable answer"),
    ("None", "unreadable answer"),
    ("{}", "unreadable answer"),
    ("There are no differences.", "unreadable answer"),
    (GOOD[:-1], "unreadable answer"),
    (GOOD[:60], "unreadable answer"),
    ('["right"]', "unreadable answer"),
    ("[1, 2]", "unreadable answer"),
    ('[{"span": "right"}]', "unreadable answer"),
    ('[{"span": ["right"], "aspect": "Noise"}]', "unreadable answer"),
    ('{"significant": [], "insignificant": []}', "unreadable answer"),
    ('{"a": [1]} {"b": [2]}', "inconsistent answer"),
    ('[{"span": "right", "aspect": "Noise"},] {"span": "is", "aspect": "Noise"}', "inconsistent answer"),
    (GOOD[1:], "unreadable answer"),
    (GOOD[3:], "unreadable answer"),
    ("[" * 100_000, "unreadable answer"),
    ("B" * 10_000_000, "unreadable answer"),
    ('[{"span": "right", "aspect": "Side"}]', "unknown label"),
    ('[{"span": "right", "aspect": "Location"}]', "unknown label"),
    ('[{"span": "bilateral", "aspect": "Noise"}]', "span not found"),
    ('[{"span": "right", "span": "left", "aspect": "Noise"}]', "inconsistent answer"),
    ('[] [{"span": "right", "aspect": "Noise"}]', "inconsistent answer"),
    ("[{}]", "unreadable answer"),
    ("[[]]", "unreadable answer"),
    ('[{"right": []}]', "unreadable answer"),
    ('[{"differences": []}]', "unreadable answer"),
    ('[{"span": "is", "aspect": "Noise", "count": 3}]', "unreadable answer"),
    ('{"spans": [], "x": {"span": "right", "aspect": "Noise"}}', "unreadable answer"),
    ('{"significant": [], "right": "Noise"}', "unreadable answer"),
    ('{"significant": []}', "unreadable answer"),
    ('{"right": []}', "unreadable answer"),
    ('{"error": "x", "differences": []}', "unreadable answer"),
    ('{"differences": null, "list": []}', "unreadable answer"),
    ('{"differences": null}', "unreadable answer"),
    ('{"differences": [], "count": 3}', "unreadable answer"),
    ('{"differences": [], "note": ["right"]}', "unreadable answer"),
    ('{"differences": [], "Differences": []}', "inconsistent answer"),
    ('[] {"right": "Noise"}', "inconsistent answer"),
    ("I am unable to assist with that request.", "refusal"),
]

RULED = [
    ("Significant", Severity.SIGNIFICANT),
    ("insignificant.", Severity.INSIGNIFICANT),
    ("**Critical**", Severity.CRITICAL),
    ('"significant"', Severity.SIGNIFICANT),
    ("Severity: Insignificant", Severity.INSIGNIFICANT),
    ("INSIGNIFICANT\n\nBoth mean the same.", Severity.INSIGNIFICANT),
    ("```\nsignificant\n```", Severity.SIGNIFICANT),
    ("<think>significant?</think>insignificant", Severity.INSIGNIFICANT),
    ('{"severity": "critical", "explanation": "x"}', Severity.CRITICAL),
    ('{"severity": "significant",\n "explanation": "x"}', Severity.SIGNIFICANT),
    ('```json\n{"Severity": "INSIGNIFICANT"}\n```', Severity.INSIGNIFICANT),
    ("{'severity': 'clinically significant', 'explanation': None}", Severity.SIGNIFICANT),
    ('My answer: {"severity": "not significant"}', Severity.INSIGNIFICANT),
    ('Critical\n{\n"severity": "critical"\n}', Severity.CRITICAL),
]

NOT_RULED = [
    ("", "unreadable answer"),
    ("None", "unreadable answer"),
    ("Significant or insignificant", "unreadable answer"),
    ("Significant\nOn second thoughts, insignificant.", "unreadable answer"),
    ("This is a significant error.", "unreadable answer"),
    ("{}", "unreadable answer"),
    ("[]", "unreadable answer"),
    ('{"severity": "signif', "unreadable answer"),
    ('{"explanation": "significant"}', "unreadable answer"),
    ('{"severity": "moderate"}', "unknown label"),
    ('{"severity": null}', "unknown label"),
    ('{"severity": ["significant"]}', "unknown label"),
    ('{"severity": "significant", "severity": "insignificant"}', "inconsistent answer"),
    ('{"severity": "significant"} {"severity": "critical"}', "inconsistent answer"),
    ("significant 90%", "unreadable answer"),
    ("\u4e0dsignificant", "unreadable answer"),
    ('{"severity": "significant", "Severity": "insignificant"}', "inconsistent answer"),
    ('insignificant\n\n{"severity": "critical"}', "inconsistent answer"),
    ('{"severity": "critical"}\n**Severity:** insignificant', "inconsistent answer"),
    ('{"severity": "critical", "final": "insignificant"}', "inconsistent answer"),
    ("I'm sorry, but I cannot provide medical advice.", "refusal"),
]


@pytest.mark.parametrize(("answer", "labels"), DETECTED)
def test_first_answers_that_say_what_they_mean_are_read(answer: str, labels: list[str]) -> None:
    """Lists in JSON are read through fences and thoughts."""
    assert [str(found.label) for found in read_differences(answer, PAIR, 0.85)] == labels


@pytest.mark.parametrize(("answer", "reason"), NOT_DETECTED)
def test_first_answers_that_do_not_are_refused(answer: str, reason: str) -> None:
    """A list that may lack differences is no list."""
    with pytest.raises(UnreadableAnswerError) as caught:
        read_differences(answer, PAIR, 0.85)
    assert caught.value.reason == reason


def test_answers_that_break_off_anywhere_are_never_read() -> None:
    """Neither half of a list nor half of a ruling counts."""
    ruling = '{"severity": "significant", "explanation": "It is on the other side."}'
    for end in range(len(GOOD)):
        with pytest.raises(UnreadableAnswerError, match="unreadable answer"):
            read_differences(GOOD[:end], PAIR, 0.85)
    for end in range(len(ruling)):
        with pytest.raises(UnreadableAnswerError, match="unreadable answer"):
            read_ruling(ruling[:end])


@pytest.mark.parametrize(("answer", "severity"), RULED)
def test_second_answers_are_one_word_or_json(answer: str, severity: Severity) -> None:
    """Small models give the word alone."""
    assert read_ruling(answer).severity is severity


@pytest.mark.parametrize(("answer", "reason"), NOT_RULED)
def test_second_answers_that_are_neither_are_refused(answer: str, reason: str) -> None:
    """A severity is not searched for in a text."""
    with pytest.raises(UnreadableAnswerError) as caught:
        read_ruling(answer)
    assert caught.value.reason == reason


def test_a_ruling_keeps_its_explanation_and_does_not_print_it() -> None:
    """It quotes the reports."""
    ruling = read_ruling("Insignificant\nBoth mean the same.")
    assert ruling.explanation == "Both mean the same."
    assert "same" not in repr(ruling)
    assert read_ruling('{"severity": "critical", "explanation": " Why. "}').explanation == "Why."


@frozen(eq=False)
class CountingModel(FakeLanguageModel):
    calls: list[Sequence[Request]] = field(factory=list)

    def complete(self, requests: Sequence[Request]) -> Iterator[tuple[int, Completion | Unscored]]:
        self.calls.append(requests)
        return super().complete(requests)


def _judge(model: FakeLanguageModel, repairs: int = 0) -> TwoPassJudge:
    return TwoPassJudge(
        inquiry=Inquiry(model, repairs=repairs),
        detection=load_prompt("span-detection"),
        severity=load_prompt("severity"),
        criteria=load_criteria(),
        max_tokens=512,
        threshold=0.85,
    )


def _ruling(request: Request) -> bool:
    return request.schema is SEVERITY_SCHEMA


def _script(request: Request) -> str:
    if not _ruling(request):
        return GOOD
    return '{"severity": "critical", "explanation": "It is new."}' if "Negation" in _said(request) else "insignificant"


def _said(request: Request) -> str:
    return request.messages[1].text


def test_each_difference_is_judged_with_the_criteria_of_its_aspect() -> None:
    """A model that sees one aspect's criteria does not mix them up."""
    model = FakeLanguageModel(_script)
    [judgement] = _judge(model).judge([PAIR])
    assert isinstance(judgement, Judgement)
    assert [(d.severity, d.aspect.value) for d in judgement.discrepancies] == [
        (Severity.CRITICAL, "Negation"),
        (Severity.INSIGNIFICANT, "Location"),
    ]
    assert [d.explanation for d in judgement.discrepancies] == ["It is new.", ""]
    criteria = load_criteria().by_aspect
    for request, found in zip(model.asked[1:], read_differences(GOOD, PAIR, 0.85), strict=True):
        aspect = found.label.aspect
        assert f'"{found.quote}"' in _said(request)
        assert [one for one in criteria if criteria[one] in _said(request)] == [aspect]
        assert f"Error type: {found.label.type or 'none'}" in _said(request)
        assert PAIR.reference.text in _said(request)
        assert PAIR.candidate.text in _said(request)


def test_all_answers_of_both_passes_are_kept_in_order() -> None:
    """The list comes first, then a ruling on each of its differences."""
    [judgement] = _judge(FakeLanguageModel(_script)).judge([PAIR])
    assert isinstance(judgement, Judgement)
    assert judgement.evidence is not None
    texts = [answer.completion.text for answer in judgement.evidence.answers]
    assert texts == [GOOD, "insignificant", '{"severity": "critical", "explanation": "It is new."}']


def test_the_second_questions_of_all_pairs_are_asked_together() -> None:
    """One call a pass keeps a server or a GPU busy."""
    pairs = [
        ReportPair(id=str(n), reference=f"{PAIR.reference.text} {n}", candidate=PAIR.candidate.text) for n in range(5)
    ]
    model = CountingModel(_script)
    judgements = _judge(model).judge(pairs)
    assert all(isinstance(judgement, Judgement) and len(judgement.discrepancies) == 2 for judgement in judgements)
    assert [len(call) for call in model.calls] == [5, 10]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("maybe", "unreadable answer"),
        ("I'm sorry, but I cannot judge this.", "refusal"),
        (Completion("signif", Finish.LENGTH), "cut off"),
        (Unscored("no answer", "nobody there"), "no answer"),
    ],
)
def test_one_severity_that_cannot_be_read_leaves_its_pair_alone_unscored(
    said: str | Completion | Unscored, reason: str
) -> None:
    """A pair with one severity missing has no score; the others keep theirs."""
    other = ReportPair(id="o", reference="Nodule, possible pneumonia.", candidate="Nodule.")

    def answer(request: Request) -> str | Completion | Unscored:
        if other.reference.text in _said(request):
            return "[]" if not _ruling(request) else "significant"
        return said if _ruling(request) and "Negation" in _said(request) else _script(request)

    outcome, beside = _judge(FakeLanguageModel(answer)).judge([PAIR, other])
    assert isinstance(outcome, Unscored)
    assert outcome.reason == reason
    assert outcome.evidence is not None
    kept = [answer.completion.text for answer in outcome.evidence.answers]
    assert kept[:2] == [GOOD, "insignificant"]
    assert isinstance(beside, Judgement)
    assert beside.discrepancies == ()


def test_a_first_answer_that_cannot_be_read_ends_its_pair() -> None:
    """Without a list there is nothing to rule on."""
    model = FakeLanguageModel(lambda _: "no idea")
    [outcome] = _judge(model, repairs=1).judge([PAIR])
    assert isinstance(outcome, Unscored)
    assert outcome.reason == "unreadable answer"
    assert len(outcome.evidence.answers if outcome.evidence else ()) == len(model.asked) == 2


def test_only_first_questions_can_be_told_before_asking() -> None:
    """What the second pass asks depends on the first answers."""
    model = FakeLanguageModel(_script)
    [question] = _judge(model).questions([PAIR])
    assert question.request.schema is DETECTION_SCHEMA
    assert model.asked == []


def test_schemas_take_what_the_prompts_show() -> None:
    """A model learns the form from the example."""
    for schema, name, opening in [
        (DETECTION_SCHEMA, "span-detection", '[{"span"'),
        (SEVERITY_SCHEMA, "severity", '{"severity"'),
    ]:
        jsonschema.Draft202012Validator.check_schema(schema)
        text = load_prompt(name).user
        shown = text[text.index(opening) :].partition("\n")[0].replace("XX_SEVERITY", "critical")
        jsonschema.validate(json.loads(shown), schema)


def test_identity_covers_prompts_criteria_and_model() -> None:
    """Each of them changes judgements."""
    identity = _judge(FakeLanguageModel(_script)).identity
    for part in ("span-detection@3:", "severity@3:", "criteria@1:", "repairs=0", "model=fake"):
        assert part in identity
    assert _judge(FakeLanguageModel(_script), repairs=2).identity != identity
