"""The one-pass judge: which answers are read, which are refused, and what becomes of them."""

from __future__ import annotations

import json

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.llm.judge.labels import LABELS
from overread.adapters.llm.judge.one_pass import ONE_PASS_SCHEMA, OnePassJudge, read_opinion
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
    '{"critical": {}, "significant": {"Small right pleural effusion": "Location - Inaccuracy", '
    '"There is a pneumothorax": "Negation"}, "insignificant": {"mildly": "Severity - Omission"}, '
    '"explanation": "The effusion changed sides."}'
)
SIDE = '"Small right pleural effusion": "Location - Inaccuracy"'
AT = "significant Location inaccuracy"
NOISE = "insignificant Noise -"

SIGNIFICANT = '{"critical": {}, "insignificant": {}, "significant": %s}'
INSIGNIFICANT = '{"critical": {}, "significant": {}, "insignificant": %s}'
EMPTY = '{"significant": {}, "insignificant": {}, %s}'

TOLD = [AT, "significant Negation -", "insignificant Severity omission"]

READ: list[tuple[str, list[str]]] = [
    (GOOD, TOLD),
    (f"```json\n{GOOD}\n```", TOLD),
    (f"Here is my analysis.\n\n{GOOD}\n\nPlease verify.", TOLD),
    (f"<think>Let me see: {{}}</think>\n{GOOD}", TOLD),
    ('{"critical": {}, "significant": {}, "insignificant": {}, "explanation": "Same."}', []),
    (INSIGNIFICANT % "{}", []),
    ('{"significant": {}, "insignificant": {}}', []),
    ('{"critical": {}, "significant": [], "insignificant": []}', []),
    ('{"significant": [], "insignificant": {}, "explanation": null}', []),
    (f'{{"critical": {{}}, "significant": {{{SIDE}}}, "insignificant": {{}}}}', [AT]),
    (f'{{"CRITICAL": {{}}, "Significant": {{{SIDE}}}, "INSIGNIFICANT": [], "Explanation": "x"}}', [AT]),
    (f'{{"Critical": [], "significant_errors": {{{SIDE}}}, "insignificant errors": {{}}}}', [AT]),
    (SIGNIFICANT % '{"small right pleural effusion.": "location (inaccuracy)"}', [AT]),
    (SIGNIFICANT % '{"small … effusion": "Location-Inaccuracy"}', [AT]),
    ("{'critical': {}, 'significant': {'right': 'Location - Inaccuracy'}, 'insignificant': {}, 'explanation': None}",
     [AT]),
    (f'{{"critical": {{}}, "insignificant": {{}}, "significant": {{{SIDE},}},}}', [AT]),
    ('{critical: {}, significant: {"Pneumonia": "Uncertainty"}, insignificant: {}}', ["significant Uncertainty -"]),
    (SIGNIFICANT % '{"right": ["Location - Inaccuracy", "Noise"]}',
     [AT, "significant Noise -"]),
    (SIGNIFICANT % '{"right": {"aspect": "Location", "type": "Inaccuracy"}}', [AT]),
    (SIGNIFICANT % '[{"span": "right", "aspect": "Location - Inaccuracy"}]', [AT]),
    (SIGNIFICANT % '[{"span": "right", "aspect": "Location", "type": "inaccuracy"}]', [AT]),
    (SIGNIFICANT % '[{"span": "right", "label": "Location", "error_type": "inaccuracy"}]',
     [AT]),
    (SIGNIFICANT % '[{"right": "Location - Inaccuracy"}]', [AT]),
    (INSIGNIFICANT % '[{"span": "is", "aspect": "Noise"}, {"span": "is", "aspect": "Noise"}]',
     [NOISE]),
    (INSIGNIFICANT % '{"is": "Noise", "is": "Noise"}', [NOISE]),
    (INSIGNIFICANT % '{"enlarged": "Noise - Omission"}', [NOISE]),
    ('{"significant": {}, "insignificant": {"enlarged": "Noise"}, "critical": {"Pneumonia": "Contradiction"}}',
     ["critical Contradiction -", NOISE]),
    ('{"critical": {}, "significant": {}, "insignificant": {"enlarged": "Noise"}, "n": null, "other": {}}', [NOISE]),
    (INSIGNIFICANT % '{"is": "Noise", "Is.": "Noise", " is ": "noise"}', [NOISE]),
    (INSIGNIFICANT % '{"heart is enlarged": "Noise", "hearts is enlarged": "Noise"}', [NOISE]),
    (EMPTY % '"critical": [{"span": "is", "aspect": "Noise", "type": "none", "severity": "critical"}]',
     ["critical Noise -"]),
    (f"{GOOD}\n{GOOD}", TOLD),
    ('\ufeff{"significant": {}, "insignificant": {}, "explanation": ["One.", "Two."]}', []),
    ('{{"critical": {}, "significant": {"right": "Location - Inaccuracy"}, "insignificant": {}}}', [AT]),
]  # fmt: skip

REFUSED = [
    ("", "unreadable answer"),
    ("None", "unreadable answer"),
    ("{}", "unreadable answer"),
    ("[]", "unreadable answer"),
    ("No errors.", "unreadable answer"),
    ('{"explanation": "No errors."}', "unreadable answer"),
    ('{"result": {"significant": {}}}', "unreadable answer"),
    (GOOD[:-1], "unreadable answer"),
    (GOOD[:120], "unreadable answer"),
    (GOOD.replace(": {}", ": {", 1), "unreadable answer"),
    (SIGNIFICANT % '"right effusion"', "unreadable answer"),
    (SIGNIFICANT % "2", "unreadable answer"),
    (SIGNIFICANT % "true", "unreadable answer"),
    (SIGNIFICANT % '["right"]', "unreadable answer"),
    (SIGNIFICANT % '{"right": 3}', "unreadable answer"),
    (SIGNIFICANT % '{"right": null}', "unreadable answer"),
    (SIGNIFICANT % '[{"span": 3, "aspect": "Noise"}]', "unreadable answer"),
    (SIGNIFICANT % '[{"span": "right"}]', "unreadable answer"),
    ('{"critical": {}, "insignificant": {}, "significant": {"right": "Noise"}, "score": NaN}', "unreadable answer"),
    ('{"significant":' * 50_000, "unreadable answer"),
    ("A" * 10_000_000, "unreadable answer"),
    ("the the the effusion [[ effusion } pleural <s>", "unreadable answer"),
    (SIGNIFICANT % '{"right": "Laterality"}', "unknown label"),
    (SIGNIFICANT % '{"right": "Location"}', "unknown label"),
    (SIGNIFICANT % '{"right": ""}', "unknown label"),
    ('{"critical": {}, "insignificant": {}, "significant": {}, "moderate": {"right": "Noise"}}', "unknown label"),
    (SIGNIFICANT % '{"bilateral": "Noise"}', "span not found"),
    (SIGNIFICANT % '{"None": "Noise"}', "span not found"),
    (SIGNIFICANT % '{"": "Noise"}', "span not found"),
    ('{"critical": {}, "significant": {"right": "Noise"}, "insignificant": {"Right.": "Noise"}}',
     "inconsistent answer"),
    (SIGNIFICANT % '{"right": "Noise", "right": "Location - Inaccuracy"}',
     "inconsistent answer"),
    ('{"critical": {}, "insignificant": {}, "significant": {"right": "Noise"}, "significant": {}}',
     "inconsistent answer"),
    ('{"critical": {}, "insignificant": {}, "significant": {"right": "Noise"}, "Significant": {}}',
     "inconsistent answer"),
    ('{"critical": {}, "insignificant": {}, "significant": {}} {"significant": {"right": "Noise"}}',
     "inconsistent answer"),
    ('{"critical": {}}', "unreadable answer"),
    ('{"significant": {}}', "unreadable answer"),
    ('{"insignificant": {}}', "unreadable answer"),
    ('{"critical": {}, "insignificant": {}, "explanation": "x"}', "unreadable answer"),
    ('{"critical": {}, "clinically significant": "right", "insignificant": {}}', "unreadable answer"),
    (EMPTY % '"clinically significant": "right: Noise"', "unknown label"),
    (EMPTY % '"other": "right: Noise"', "unknown label"),
    (EMPTY % '"summary": "one slip"', "unknown label"),
    (EMPTY % '"count": 1', "unknown label"),
    (EMPTY % '"explanation": {"right": "Noise"}', "unreadable answer"),
    (EMPTY % '"explanation": ["x", {"right": "Noise"}]', "unreadable answer"),
    (EMPTY % '"critical": {"right": []}', "unreadable answer"),
    (EMPTY % '"critical": {"right": {}}', "unreadable answer"),
    (EMPTY % '"critical": [{}]', "unreadable answer"),
    (EMPTY % '"critical": [[]]', "unreadable answer"),
    (EMPTY % '"critical": {"list": [{"span": "right", "aspect": "Noise"}]}', "unreadable answer"),
    (EMPTY % '"critical": [{"span": "right", "aspect": "Noise", "left": "Negation"}]', "unreadable answer"),
    (EMPTY % '"critical": [{"span": "right", "aspect": "Noise", "label": "Negation"}]', "unreadable answer"),
    (EMPTY % '"critical": [{"span": "right", "aspect": "Noise", "explanation": ["left"]}]', "unreadable answer"),
    (EMPTY % '"critical": [{"span": "right", "aspect": "Noise", "severity": "insignificant"}]', "inconsistent answer"),
    (EMPTY % '"critical": {"right": {"aspect": "Noise", "severity": "low"}}', "inconsistent answer"),
    (EMPTY % '"critical": {"right": "\u4e0d Noise"}', "unknown label"),
    ('{"critical": {}, "significant": {"heart is enlarged": "Noise"}, "insignificant": {"heart Is enlarged": "Noise"}}',
     "inconsistent answer"),
    ('{"critical": {}, "significant": {"is": "Negation"}, "insignificant": {"Is.": "Uncertainty"}}',
     "inconsistent answer"),
    ("I'm sorry, but I can't assist with that.", "refusal"),
    ("As an AI model, I cannot evaluate medical reports.", "refusal"),
]  # fmt: skip


def _told(text: str) -> list[str]:
    return [
        f"{found.severity} {found.aspect} {found.type or '-'}" for found in read_opinion(text, PAIR, 0.85).discrepancies
    ]


@pytest.mark.parametrize(("answer", "told"), READ)
def test_answers_that_say_what_they_mean_are_read(answer: str, told: list[str]) -> None:
    """Fences, thoughts and words around the JSON leave no doubt about it."""
    assert _told(answer) == told


@pytest.mark.parametrize(("answer", "reason"), REFUSED)
def test_answers_that_do_not_are_refused_with_the_right_reason(answer: str, reason: str) -> None:
    """A refusal is not asked again; all others are told how to do better."""
    with pytest.raises(UnreadableAnswerError) as caught:
        read_opinion(answer, PAIR, 0.85)
    assert caught.value.reason == reason
    assert bool(caught.value.remedy) == (reason != "refusal")
    assert "pneumothorax" not in str(caught.value)


_NO_GROUP = (
    "null",
    '"None"',
    '""',
    '"n/a"',
    '"[]"',
    "0",
    "1",
    "-1",
    "2.5",
    "true",
    "false",
    "NaN",
    '"0"',
    "[0]",
    "[null]",
)


@pytest.mark.parametrize("group", ["critical", "significant", "insignificant"])
@pytest.mark.parametrize("written", _NO_GROUP)
@pytest.mark.parametrize("rest", ["{}", '{"is": "Noise"}'])
def test_only_an_empty_list_or_object_says_that_a_group_has_no_difference(group: str, written: str, rest: str) -> None:
    """Null, a word, a number or a truth value may stand for differences that the model did not write."""
    others = [name for name in ("critical", "significant", "insignificant") if name != group]
    answer = f'{{"{group}": {written}, "{others[0]}": {rest}, "{others[1]}": {{}}, "explanation": "x"}}'
    with pytest.raises(UnreadableAnswerError) as caught:
        read_opinion(answer, PAIR, 0.85)
    assert caught.value.reason == "unreadable answer"


@pytest.mark.parametrize("group", ["critical", "significant", "insignificant"])
def test_a_group_that_is_missing_is_not_empty(group: str) -> None:
    """Only where an answer names no difference may it leave out the critical group, as the paper's prompt has it."""
    said = {"critical": {}, "significant": {"right": "Location - Inaccuracy"}, "insignificant": {"is": "Noise"}}
    del said[group]
    with pytest.raises(UnreadableAnswerError, match=f"lacks the group {group}"):
        read_opinion(json.dumps(said), PAIR, 0.85)


def test_an_answer_that_breaks_off_anywhere_is_never_read() -> None:
    """Half of a list of errors is a better score than the whole."""
    for end in range(len(GOOD)):
        with pytest.raises(UnreadableAnswerError, match="unreadable answer"):
            read_opinion(GOOD[:end], PAIR, 0.85)


@given(st.integers(0, len(GOOD)), st.integers(0, 12), st.text("{}[]\"',: \n\\aN1", max_size=6))
def test_a_garbled_answer_is_read_or_refused_and_never_breaks_the_reader(start: int, length: int, noise: str) -> None:
    """Noise invents no differences."""
    garbled = GOOD[:start] + noise + GOOD[start + length :]
    try:
        read = len(read_opinion(garbled, PAIR, 0.85).discrepancies)
    except UnreadableAnswerError:
        read = 0
    assert read <= 4


def test_the_explanation_is_kept_and_not_printed() -> None:
    """It quotes the reports."""
    opinion = read_opinion(GOOD, PAIR, 0.85)
    assert opinion.explanation == "The effusion changed sides."
    assert "effusion" not in repr(opinion)
    assert read_opinion(EMPTY % '"explanation": ["One.", "Two."]', PAIR, 0.85).explanation == "One. Two."


WORDS = [*PAIR.reference.text.split(), *PAIR.candidate.text.split()]


@given(
    st.dictionaries(
        st.tuples(st.integers(0, len(WORDS) // 2 - 1), st.integers(1, 4)).map(
            lambda place: " ".join(PAIR.reference.text.split()[place[0] : sum(place)]).strip(" .").lower()
        ),
        st.tuples(st.sampled_from(list(Severity)), st.sampled_from(LABELS)),
        max_size=6,
    )
)
def test_any_answer_of_exact_spans_is_read_whole(marked: dict[str, tuple[Severity, object]]) -> None:
    """Whatever the schema allows comes back as it was said."""
    answer: dict[str, object] = {
        severity.value: {span: str(label) for span, (one, label) in marked.items() if one is severity}
        for severity in Severity
    }
    jsonschema.validate({**answer, "explanation": ""}, ONE_PASS_SCHEMA)
    found = read_opinion(json.dumps(answer), PAIR, 0.85).discrepancies
    assert sorted((d.severity, d.aspect, d.type or "") for d in found) == sorted(
        (severity, label.aspect, label.type or "")  # type: ignore[attr-defined]
        for severity, label in marked.values()
    )


def _judge(model: FakeLanguageModel, repairs: int = 1) -> OnePassJudge:
    return OnePassJudge(
        inquiry=Inquiry(model, repairs=repairs), prompt=load_prompt("one-pass"), max_tokens=1024, threshold=0.85
    )


def test_a_judgement_holds_its_answer() -> None:
    """Who doubts a judgement can read what the model said."""
    [judgement] = _judge(FakeLanguageModel(lambda _: GOOD)).judge([PAIR])
    assert isinstance(judgement, Judgement)
    assert judgement.evidence is not None
    assert [answer.completion.text for answer in judgement.evidence.answers] == [GOOD]
    assert judgement.evidence.explanation == "The effusion changed sides."


def test_the_model_is_shown_both_reports_the_labels_and_the_schema() -> None:
    """The reference comes first, as the prompt says."""
    model = FakeLanguageModel(lambda _: GOOD)
    _judge(model).judge([PAIR])
    [request] = model.asked
    said = "\n".join(message.text for message in request.messages)
    assert said.index(PAIR.reference.text) < said.index(PAIR.candidate.text)
    assert all(label.aspect.value in said for label in LABELS)
    assert [message.role for message in request.messages] == ["system", "user"]
    assert request.schema is ONE_PASS_SCHEMA
    assert request.max_tokens == 1024
    jsonschema.Draft202012Validator.check_schema(ONE_PASS_SCHEMA)


def test_the_prompts_own_example_follows_the_schema() -> None:
    """A model learns the form from the example."""
    text = load_prompt("one-pass").user
    example = text[text.index('{"critical"') :].partition("\nIn place")[0]
    jsonschema.validate(json.loads(example), ONE_PASS_SCHEMA)


def test_an_answer_that_cannot_be_read_is_repaired_once_and_both_are_kept() -> None:
    """The second question says what was wrong with the first answer."""

    def answer(request: Request) -> str:
        return GOOD if len(request.messages) > 2 else EMPTY % '"critical": {"bilateral": "Noise"}'

    model = FakeLanguageModel(answer)
    [judgement] = _judge(model).judge([PAIR])
    assert isinstance(judgement, Judgement)
    assert judgement.evidence is not None
    assert [answer.outcome for answer in judgement.evidence.answers] == ["span not found", "read"]
    assert "word for word" in model.asked[1].messages[-1].text


@pytest.mark.parametrize(
    ("said", "reason", "answers"),
    [
        ("gibberish", "unreadable answer", 2),
        ("I'm sorry, but I cannot help with that.", "refusal", 1),
        (Completion(GOOD, Finish.LENGTH), "cut off", 2),
        (Completion("", Finish.REFUSAL), "refusal", 1),
        (Unscored("no answer", "nobody there"), "no answer", 0),
    ],
)
def test_what_cannot_be_read_is_never_a_judgement(said: str | Completion | Unscored, reason: str, answers: int) -> None:
    """Each way to fail has its reason, with the answers that were given."""
    [outcome] = _judge(FakeLanguageModel(lambda _: said)).judge([PAIR])
    assert isinstance(outcome, Unscored)
    assert outcome.reason == reason
    assert len(outcome.evidence.answers if outcome.evidence else ()) == answers


def test_pairs_keep_their_order_and_none_takes_another_along() -> None:
    """One unreadable answer leaves five judgements."""
    pairs = [ReportPair(id=str(n), reference=f"Nodule of {n} mm.", candidate="Nodule.") for n in range(6)]

    def answer(request: Request) -> str:
        if "Nodule of 3 mm" in request.messages[1].text:
            return "no idea"
        span = next(f"{n} mm" for n in range(6) if f"Nodule of {n} mm" in request.messages[1].text)
        return json.dumps({"critical": {}, "significant": {span: "Size/Distance"}, "insignificant": {}})

    outcomes = _judge(FakeLanguageModel(answer)).judge(pairs)
    for pair, outcome in zip(pairs, outcomes, strict=True):
        if pair.id == "3":
            assert isinstance(outcome, Unscored)
        else:
            assert isinstance(outcome, Judgement)
            [span] = outcome.discrepancies[0].reference_spans
            assert span.of(pair.reference.text) == f"{pair.id} mm"


def test_identity_tells_what_changes_an_answer() -> None:
    """The model's note is the judge's."""
    model = FakeLanguageModel(lambda _: GOOD)
    one = _judge(model).identity
    assert "one-pass@3:" in one
    assert "model=fake" in one
    assert one != _judge(model, repairs=0).identity
    assert _judge(FakeLanguageModel(note="a script answers")).note == "a script answers"


def test_the_same_words_may_be_lost_from_one_report_and_made_up_in_the_other() -> None:
    """They stand in two places, so that two severities do not contradict each other."""
    pair = ReportPair(id="p", reference="Mild edema. Clear.", candidate="Clear. mild edema")
    answer = {
        "critical": {},
        "significant": {"Mild edema": "Severity - Omission"},
        "insignificant": {"mild edema": "Description - Fabrication"},
        "explanation": "",
    }
    found = read_opinion(json.dumps(answer), pair, 0.85).discrepancies
    assert [(d.severity.value, bool(d.reference_spans), bool(d.candidate_spans)) for d in found] == [
        ("significant", True, False),
        ("insignificant", False, True),
    ]
