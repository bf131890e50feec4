"""Reading the body of a chat completion."""

from __future__ import annotations

import json
from typing import Any

import pytest

from overread.adapters.llm.chat_server._body import UnusableBodyError, read_completion
from overread.domain.results.answer import Finish

from .....servers import answer


def body(message: dict[str, Any], finish: object = "stop", **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **more}).encode()


def test_text_model_and_tokens_are_read() -> None:
    """The model that the server names stands in the record, with its fingerprint."""
    read = read_completion("application/json; charset=utf-8", answer("2 errors").body)
    assert (read.text, read.finish, read.model) == ("2 errors", Finish.STOP, "served-model@fp1")
    assert (read.prompt_tokens, read.completion_tokens) == (11, 5)


@pytest.mark.parametrize(
    ("finish", "expected"),
    [
        ("stop", Finish.STOP),
        ("STOP", Finish.STOP),
        ("eos_token", Finish.STOP),
        ("length", Finish.LENGTH),
        ("max_tokens", Finish.LENGTH),
        ("model_length", Finish.LENGTH),
        ("content_filter", Finish.REFUSAL),
    ],
)
def test_why_it_ended(finish: object, expected: Finish) -> None:
    """Servers word the end of an answer differently."""
    assert read_completion("application/json", body({"content": "x"}, finish)).finish is expected


@pytest.mark.parametrize("finish", ["abort", "error", "tool_calls", "", None, 7, ["stop"]])
def test_an_answer_that_is_not_said_to_be_complete_is_none(finish: object) -> None:
    """1 may be the start of 12."""
    with pytest.raises(UnusableBodyError, match="does not say that it is complete"):
        read_completion("application/json", body({"content": "1"}, finish))
    with pytest.raises(UnusableBodyError, match="does not say that it is complete"):
        read_completion("application/json", b'{"choices": [{"message": {"content": "1"}}]}')


def choice(text: str, index: object) -> dict[str, object]:
    return {"index": index, "message": {"content": text}, "finish_reason": "stop"}


@pytest.mark.parametrize(
    "choices",
    [
        [choice("a", 0), choice("b", 1)],
        [choice("b", 1), choice("a", 0)],
        [None, choice("a", 0)],
        [choice("a", 3)],
        [choice("a", None)],
    ],
)
def test_the_choice_of_index_0_is_taken_wherever_it_stands(choices: list[object]) -> None:
    """The only one needs no index."""
    assert read_completion("application/json", json.dumps({"choices": choices}).encode()).text == "a"


@pytest.mark.parametrize("choices", [[choice("a", 0), choice("b", 0)], [choice("a", 1), choice("b", 2)]])
def test_of_several_choices_exactly_one_must_be_the_first(choices: list[object]) -> None:
    """One answer was asked for; another is not picked from several."""
    with pytest.raises(UnusableBodyError, match="has no choice"):
        read_completion("application/json", json.dumps({"choices": choices}).encode())


@pytest.mark.parametrize(
    "raw",
    [
        b'{"choices": [{"message": {"content": "a", "content": "b"}, "finish_reason": "stop"}]}',
        b'{"choices": [{"message": {"content": "a"}, "finish_reason": "length", "finish_reason": "stop"}]}',
    ],
)
def test_a_field_that_is_there_twice_is_not_chosen_from(raw: bytes) -> None:
    """JSON readers differ in which of two they take."""
    with pytest.raises(UnusableBodyError, match="has a field twice"):
        read_completion("application/json", raw)


def test_a_refusal_in_its_own_field_is_one() -> None:
    """A refusal without a text is still told as one."""
    read = read_completion("application/json", body({"content": None, "refusal": "I cannot help."}))
    assert (read.text, read.finish) == ("I cannot help.", Finish.REFUSAL)


def test_no_text_is_no_ordinary_end() -> None:
    """An answer without text counts only where it was cut off."""
    with pytest.raises(UnusableBodyError, match="has no text"):
        read_completion("application/json", body({"content": None, "tool_calls": []}))
    cut = read_completion("application/json", body({"content": None, "reasoning_content": "hm"}, "length"))
    assert (cut.text, cut.finish) == ("", Finish.LENGTH)


def test_thoughts_within_the_text_stay_and_those_beside_it_do_not() -> None:
    """The reader of the answer decides what a thought is."""
    message = {"content": "<think>a</think>b", "reasoning_content": "c"}
    assert read_completion("application/json", body(message)).text == "<think>a</think>b"


@pytest.mark.parametrize(
    "usage",
    [
        None,
        3,
        {"prompt_tokens": -1, "completion_tokens": True},
        {"prompt_tokens": "9"},
        {"prompt_tokens": 1 << 63, "completion_tokens": 1 << 70},
    ],
)
def test_tokens_that_make_no_sense_are_not_told(usage: object) -> None:
    """A missing count is told as missing and not as nought."""
    read = read_completion("application/json", body({"content": "x"}, usage=usage))
    assert (read.prompt_tokens, read.completion_tokens) == (None, None)


@pytest.mark.parametrize("model", [None, 5, "line\nbreak", {}])
def test_a_model_name_that_is_none_is_left_out(model: object) -> None:
    """The name goes into records and logs of one line."""
    assert read_completion("application/json", body({"content": "x"}, model=model)).model == ""


def test_half_a_surrogate_pair_becomes_text_that_can_be_stored() -> None:
    """Answers are stored as UTF-8, which has no half characters."""
    raw = b'{"choices": [{"message": {"content": "a\\ud83d b \\ud83d\\ude00"}, "finish_reason": "stop"}]}'
    assert read_completion("application/json", raw).text == "a\N{REPLACEMENT CHARACTER} b \N{GRINNING FACE}"


@pytest.mark.parametrize(
    ("kind", "raw", "problem"),
    [
        ("text/html", answer("x").body, "not JSON by its content type"),
        ("", answer("x").body, "not JSON by its content type"),
        ("application/json", answer("x").body[:-5], "is not JSON"),
        ("application/json", b"\xff\xfe{", "is not JSON"),
        ("application/json", b"[" * 200_000, "is not JSON"),
        ("application/json", b'{"choices": []}', "has no choice"),
        ("application/json", b'{"choices": [{"message": null}]}', "has no choice"),
        ("application/json", b'{"error": {"message": "secret"}}', "has no choice"),
        ("application/json", b"[]", "has no choice"),
        ("application/json", body({"content": ["secret"]}), "is not text"),
    ],
)
def test_anything_else_is_unusable_and_not_quoted(kind: str, raw: bytes, problem: str) -> None:
    """A server may repeat a report in what it sends back."""
    with pytest.raises(UnusableBodyError, match=problem) as caught:
        read_completion(kind, raw)
    assert "secret" not in str(caught.value)
