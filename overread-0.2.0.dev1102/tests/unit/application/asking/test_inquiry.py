"""Inquiries: every answer is kept, none is asked for twice, and one that cannot be read is repaired or refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from attrs import define, evolve, field

from overread.application.asking.inquiry import Inquiry, Plan, Question, Reply, UnreadableAnswerError
from overread.application.ports import Message, Request
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import AnswerEvidence, Unscored
from overread.testing import FakeLanguageModel

REPORT = "Cavitating lesion of Mr Sample"


@define
class Kept:
    """Answers in memory, with what was told about each."""

    only_kept: bool = False
    completions: dict[str, Completion] = field(factory=dict)
    told: list[tuple[str, str]] = field(factory=list)
    keeps_first: bool = False

    def find(self, keys: Sequence[str]) -> Mapping[str, Completion]:
        return {key: self.completions[key] for key in keys if key in self.completions}

    def add(self, key: str, completion: Completion, *, prompt: str, model: str) -> None:
        if not (self.keeps_first and key in self.completions):
            self.completions[key] = completion
        self.told.append((prompt, model))

    def close(self) -> None: ...


def number(text: str) -> int:
    """Reads a number; what is none, is unreadable."""
    try:
        return int(text)
    except ValueError:
        raise UnreadableAnswerError("unreadable answer", "it is no number", "Answer with a number.") from None


def question(text: str, *, max_tokens: int = 8) -> Question[int]:
    return Question("numbers@1:0", Request((Message("user", text),), max_tokens=max_tokens), number)


def last(request: Request) -> str:
    return request.messages[-1].text


def outcomes(replies: Sequence[Reply[int]]) -> list[int | str]:
    return [reply.value.reason if isinstance(reply.value, Unscored) else reply.value for reply in replies]


def test_replies_come_in_the_order_of_the_questions() -> None:
    """Though the model answers the last one first."""
    replies = Inquiry(FakeLanguageModel(last)).ask([question(str(n)) for n in range(5)])
    assert outcomes(replies) == [0, 1, 2, 3, 4]
    assert [answer.outcome for reply in replies for answer in reply.answers] == ["read"] * 5


def test_nothing_is_asked_about_nothing() -> None:
    """An empty batch does not reach the model."""
    model = FakeLanguageModel(last)
    assert Inquiry(model, Kept()).ask([]) == []
    assert model.asked == []


def test_equal_requests_are_asked_once() -> None:
    """Each of the questions has the answer, read in its own way."""
    model, same = FakeLanguageModel(last), question("7")
    replies = Inquiry(model).ask([same, question("8"), evolve(same, read=lambda text: -int(text))])
    assert outcomes(replies) == [7, 8, -7]
    assert len(model.asked) == 2
    assert replies[0].answers[0].key == replies[2].answers[0].key != replies[1].answers[0].key


@pytest.mark.parametrize(
    "other",
    [
        evolve(question("7"), request=Request((Message("user", "7"),), max_tokens=9)),
        evolve(question("7"), request=Request((Message("user", "7"),), {"type": "integer"}, 8)),
        evolve(question("7"), request=Request((Message("system", "7"),), max_tokens=8)),
        evolve(question("7"), request=Request((Message("user", "7"), Message("user", "")), max_tokens=8)),
    ],
)
def test_whatever_changes_a_request_changes_its_key(other: Question[int]) -> None:
    """A kept answer is only ever given to the very same question."""
    inquiry = Inquiry(FakeLanguageModel(lambda _: "7"))
    first, second = inquiry.ask([question("7"), other])
    assert first.answers[0].key != second.answers[0].key


def test_another_model_is_asked_anew() -> None:
    """The model is part of the key."""
    kept = Kept()
    Inquiry(FakeLanguageModel(last), kept).ask([question("7")])
    other = FakeLanguageModel(last, identity="other")
    Inquiry(other, kept).ask([question("7")])
    assert len(other.asked) == 1
    assert len(kept.completions) == 2


def test_an_answer_is_kept_with_its_prompt_and_model_and_found_again() -> None:
    """What was paid for once is not paid for again."""
    kept, model = Kept(), FakeLanguageModel(last)
    first = Inquiry(model, kept).ask([question("7")])
    again = Inquiry(model, kept).ask([question("7"), question("8")])
    assert kept.told == [("numbers@1:0", "fake")] * 2
    assert outcomes(again) == [7, 8]
    assert [request.messages[0].text for request in model.asked] == ["7", "8"]
    assert [answer.asked for reply in (*first, *again) for answer in reply.answers] == [True, False, True]


def test_a_key_holds_no_report_text() -> None:
    """Keys may be shown and logged."""
    kept = Kept()
    Inquiry(FakeLanguageModel(lambda _: "1"), kept).ask([question(REPORT)])
    [key] = kept.completions
    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")


def test_half_characters_have_a_key_too() -> None:
    """A damaged report can be asked about."""
    assert outcomes(Inquiry(FakeLanguageModel(lambda _: "1"), Kept()).ask([question("\ud800")])) == [1]


def test_an_answer_that_cannot_be_read_is_sent_back_with_what_is_wrong() -> None:
    """The model sees its own answer and what to do better."""
    model = FakeLanguageModel(lambda request: "seven" if len(request.messages) == 1 else "7")
    [reply] = Inquiry(model).ask([question("how many?")])
    assert reply.value == 7
    assert [(answer.attempt, answer.outcome) for answer in reply.answers] == [(1, "unreadable answer"), (2, "read")]
    assert model.asked[1] == evolve(
        question("how many?").request,
        messages=(
            Message("user", "how many?"),
            Message("assistant", "seven"),
            Message("user", "Answer with a number."),
        ),
    )


def test_only_what_could_not_be_read_is_asked_again() -> None:
    """In one batch, and the readable answer keeps its place."""
    model = FakeLanguageModel(lambda request: last(request) if len(request.messages) == 1 else "9")
    replies = Inquiry(model).ask([question("one"), question("2"), question("three")])
    assert outcomes(replies) == [9, 2, 9]
    assert [len(request.messages) for request in model.asked] == [1, 1, 1, 3, 3]


@pytest.mark.parametrize("repairs", [0, 1, 3])
def test_after_the_repairs_a_pair_is_unscored_with_every_answer(repairs: int) -> None:
    """A conversation grows by the answer and the request for repair."""
    model = FakeLanguageModel(lambda _: "none")
    [reply] = Inquiry(model, repairs=repairs).ask([question("how many?")])
    assert isinstance(reply.value, Unscored)
    assert (reply.value.reason, reply.value.detail) == ("unreadable answer", "it is no number")
    assert reply.value.evidence == AnswerEvidence(answers=reply.answers)
    assert [answer.attempt for answer in reply.answers] == list(range(1, repairs + 2))
    assert [len(request.messages) for request in model.asked] == [1 + 2 * n for n in range(repairs + 1)]


def refusing(_: str) -> int:
    raise UnreadableAnswerError("refusal", "the model declined", "Answer again.")


@pytest.mark.parametrize(
    ("read", "finish"), [(number, Finish.REFUSAL), (refusing, Finish.STOP)], ids=["by the server", "in words"]
)
def test_a_refusal_is_not_repaired(read: Callable[[str], int], finish: Finish) -> None:
    """Asking again would not change it, and costs."""
    model = FakeLanguageModel(lambda _: Completion("7", finish))
    [reply] = Inquiry(model, repairs=3).ask([evolve(question("x"), read=read)])
    assert outcomes([reply]) == ["refusal"]
    assert [answer.outcome for answer in reply.answers] == ["refusal"]
    assert len(model.asked) == 1


def test_an_answer_that_was_cut_off_is_never_read() -> None:
    """Not even where what is there could be: 1 may have been the start of 12. A briefer answer repairs it."""
    cut = FakeLanguageModel(lambda _: Completion("1", Finish.LENGTH))
    assert outcomes(Inquiry(cut).ask([question("x")])) == ["cut off"]
    brief = FakeLanguageModel(lambda r: Completion("1", Finish.LENGTH) if len(r.messages) == 1 else "12")
    assert outcomes(Inquiry(brief).ask([question("x")])) == [12]


def test_an_answer_that_did_not_end_is_no_answer_and_not_kept() -> None:
    """It is asked for again in the next run, though one that was kept before this was known lies in the store."""
    kept = Kept()
    broken = FakeLanguageModel(lambda _: Completion("1", Finish.OTHER))
    [reply] = Inquiry(broken, kept).ask([question("x")])
    assert outcomes([reply]) == ["no answer"]
    assert (reply.answers, kept.completions, len(broken.asked)) == ((), {}, 1)
    assert outcomes(Inquiry(broken).ask([question("x")])) == ["no answer"]
    sound = FakeLanguageModel(lambda _: "12")
    [key] = [answer.key for answer in Inquiry(sound).ask([question("x")])[0].answers]
    kept.completions[key] = Completion("1", Finish.OTHER)
    assert Inquiry(sound, kept).plan([question("x")]).requests == 1
    assert outcomes(Inquiry(sound, kept).ask([question("x")])) == [12]


def test_what_is_reported_is_what_another_kept_first() -> None:
    """Two processes ask the same at once: reading the kept answers again gives both their results."""
    kept = Kept(keeps_first=True)

    def slow(_: Request) -> str:
        Inquiry(FakeLanguageModel(lambda _: "2"), kept).ask([question("x")])
        return "1"

    assert outcomes(Inquiry(FakeLanguageModel(slow), kept).ask([question("x")])) == [2]
    assert outcomes(Inquiry(FakeLanguageModel(last), kept).ask([question("x")])) == [2]


def test_no_answer_that_is_sent_back_can_end_its_turn() -> None:
    """Control tokens are broken up on the way back; the answer is kept as it came."""
    model = FakeLanguageModel(lambda request: "<|im_end|>" if len(request.messages) == 1 else "7")
    [reply] = Inquiry(model).ask([question("x")])
    assert reply.value == 7
    assert model.asked[1].messages[1].text == "< | im_end| >"
    assert reply.answers[0].completion.text == "<|im_end|>"


def test_a_failure_takes_no_other_along_and_is_not_kept() -> None:
    """It is asked again in the next run; what was answered is not."""
    kept, lost = Kept(), Unscored("no answer", "nobody answered")
    flaky = FakeLanguageModel(lambda request: lost if last(request) == "2" else last(request))
    replies = Inquiry(flaky, kept).ask([question("1"), question("2"), question("3")])
    assert outcomes(replies) == [1, "no answer", 3]
    assert replies[1] == Reply(lost, ())
    assert len(kept.completions) == 2
    sound = FakeLanguageModel(last)
    assert outcomes(Inquiry(sound, kept).ask([question("1"), question("2"), question("3")])) == [1, 2, 3]
    assert [request.messages[0].text for request in sound.asked] == ["2"]


def test_a_failure_of_the_repair_keeps_the_first_answer_as_evidence() -> None:
    """The reason is that of the last attempt."""
    model = FakeLanguageModel(lambda r: "seven" if len(r.messages) == 1 else Unscored("too long", "for its context"))
    [reply] = Inquiry(model).ask([question("x")])
    assert isinstance(reply.value, Unscored)
    assert reply.value.reason == "too long"
    assert reply.value.evidence is not None
    assert [answer.completion.text for answer in reply.value.evidence.answers] == ["seven"]


def test_what_was_answered_before_the_model_broke_is_kept() -> None:
    """The error passes through."""

    def breaking(request: Request) -> str:
        if last(request) == "1":
            raise ConnectionError
        return last(request)

    kept = Kept()
    with pytest.raises(ConnectionError):
        Inquiry(FakeLanguageModel(breaking), kept).ask([question("0"), question("1"), question("2"), question("3")])
    assert [completion.text for completion in kept.completions.values()] == ["3", "2"]


def test_only_kept_answers_are_read_where_none_may_be_asked_for() -> None:
    """Scoring again costs nothing, and unreadable answers stay unreadable."""
    kept = Kept()
    Inquiry(FakeLanguageModel(lambda r: "seven" if last(r) == "2" else last(r)), kept, 0).ask(
        [question("1"), question("2")]
    )
    kept.only_kept, model = True, FakeLanguageModel(last)
    replies = Inquiry(model, kept).ask([question("1"), question("2"), question("3")])
    assert outcomes(replies) == [1, "unreadable answer", "not asked"]
    assert [[answer.asked for answer in reply.answers] for reply in replies] == [[False], [False], []]
    assert model.asked == []


def test_a_plan_tells_what_the_first_attempt_would_take() -> None:
    """Equal requests once, kept ones not, and both are counted as kept; the fake counts words."""
    kept, model = Kept(), FakeLanguageModel(lambda _: "1")
    Inquiry(model, kept).ask([question("kept before")])
    before = list(model.asked)
    asked = [question("kept before"), question("one two three"), question("one two three"), question("x", max_tokens=5)]
    assert Inquiry(model, kept).plan(asked) == Plan(requests=2, kept=2, prompt_tokens=4, answer_tokens=13)
    assert model.asked == before


def test_no_report_text_shows_in_a_repr() -> None:
    """Of questions, replies, answers and errors."""
    model = FakeLanguageModel(lambda _: f"{REPORT} is not a number")
    asked = question(REPORT)
    [reply] = Inquiry(model).ask([asked])
    assert REPORT not in f"{asked!r} {reply!r} {reply.value!r} {model!r}"


def test_an_answer_cut_off_that_cannot_be_sent_back_stays_cut_off() -> None:
    """That the pair is too long would be the wrong thing to mend: it was the answer that had no room."""
    cut = Completion("12", finish=Finish.LENGTH)
    model = FakeLanguageModel(lambda r: cut if len(r.messages) == 1 else Unscored("too long", "for its context"))
    [reply] = Inquiry(model).ask([question("x")])
    assert isinstance(reply.value, Unscored)
    assert reply.value.reason == "cut off"
    assert reply.value.detail.endswith("sending it back would be too long for the model")
    assert reply.value.evidence == AnswerEvidence(answers=reply.answers)
