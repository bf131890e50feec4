"""Reading the body of a chat completion."""

from __future__ import annotations

import json
from typing import Any

import pytest

from overread.adapters.chat_server._body import UnusableBodyError, read_completion
from overread.domain.answer import Finish

from ....servers import answer


def body(message: dict[str, Any], finish: object = "stop", **more: Any) -> bytes:
    return json.dumps({"choices": [{"message": message, "finish_reason": finish}], **more}).encode()


def test_text_model_and_tokens_are_read() -> None:
    read = read_completion("application/json; charset=utf-8", answer("2 errors").body)
    assert (read.text, read.finish, read.model) == ("2 errors", Finish.STOP, "served-model@fp1")
    assert (read.prompt_tokens, read.completion_tokens) == (11, 5)


@pytest.mark.parametrize(
    ("finish", "expected"),
    [
        ("stop", Finish.STOP),
        ("length", Finish.LENGTH),
        ("content_filter", Finish.REFUSAL),
        ("tool_calls", Finish.OTHER),
        (None, Finish.OTHER),
        (7, Finish.OTHER),
        (["stop"], Finish.OTHER),
    ],
)
def test_why_it_ended(finish: object, expected: Finish) -> None:
    assert read_completion("application/json", body({"content": "x"}, finish)).finish is expected


def test_a_refusal_in_its_own_field_is_one() -> None:
    read = read_completion("application/json", body({"content": None, "refusal": "I cannot help."}))
    assert (read.text, read.finish) == ("I cannot help.", Finish.REFUSAL)


def test_no_text_is_no_ordinary_end() -> None:
    read = read_completion("application/json", body({"content": None, "tool_calls": []}))
    assert (read.text, read.finish) == ("", Finish.OTHER)
    cut = read_completion("application/json", body({"content": None, "reasoning_content": "hm"}, "length"))
    assert (cut.text, cut.finish) == ("", Finish.LENGTH)


def test_thoughts_within_the_text_stay_and_those_beside_it_do_not() -> None:
    message = {"content": "<think>a</think>b", "reasoning_content": "c"}
    assert read_completion("application/json", body(message)).text == "<think>a</think>b"


@pytest.mark.parametrize("usage", [None, 3, {"prompt_tokens": -1, "completion_tokens": True}, {"prompt_tokens": "9"}])
def test_tokens_that_make_no_sense_are_not_told(usage: object) -> None:
    read = read_completion("application/json", body({"content": "x"}, usage=usage))
    assert (read.prompt_tokens, read.completion_tokens) == (None, None)


@pytest.mark.parametrize("model", [None, 5, "line\nbreak", {}])
def test_a_model_name_that_is_none_is_left_out(model: object) -> None:
    assert read_completion("application/json", body({"content": "x"}, model=model)).model == ""


def test_half_a_surrogate_pair_becomes_text_that_can_be_stored() -> None:
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
        ("application/json", body({"content": ["secret"]}), "is no text"),
    ],
)
def test_anything_else_is_unusable_and_not_quoted(kind: str, raw: bytes, problem: str) -> None:
    with pytest.raises(UnusableBodyError, match=problem) as caught:
        read_completion(kind, raw)
    assert "secret" not in str(caught.value)
