"""Telling kinds of refusal apart, as servers word them."""

from __future__ import annotations

import pytest

from overread.adapters.llm.chat_server._refusal import Refusal, refusal_code, refusal_kind


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (400, {"message": "too much", "code": "context_length_exceeded"}, Refusal.TOO_LONG),
        (400, {"object": "error", "message": "This model's maximum context length is 512 tokens."}, Refusal.TOO_LONG),
        (400, {"message": "max_completion_tokens is too large: the context length is 512"}, Refusal.TOO_LONG),
        (400, {"error": {"message": "the request exceeds the available context size"}}, Refusal.TOO_LONG),
        (413, "", Refusal.TOO_LONG),
        (400, {"message": "use 'max_completion_tokens' instead", "param": "max_tokens"}, Refusal.LENGTH_NAME),
        (400, {"message": "filtered", "code": "content_filter"}, Refusal.CONTENT),
        (400, {"message": "Invalid schema for response_format"}, Refusal.OTHER),
        (422, {"detail": [{"msg": "extra field", "loc": ["body"]}]}, Refusal.OTHER),
        (400, None, Refusal.OTHER),
    ],
)
def test_kinds(status: int, body: object, kind: Refusal) -> None:
    """Servers give codes, parameters or only words."""
    assert refusal_kind(status, body) is kind


def test_what_a_server_repeats_of_the_request_is_not_taken_for_what_it_says() -> None:
    """A report may hold the very words of a refusal."""
    echo = {
        "detail": [{"msg": "field required", "input": {"content": "maximum context of the window, content_filter"}}]
    }
    assert refusal_kind(422, echo) is Refusal.OTHER


def test_a_code_is_given_and_a_message_is_not() -> None:
    """Messages may quote the report, codes of one word cannot."""
    assert refusal_code({"message": "x", "code": "unsupported_value"}) == "unsupported_value"
    assert refusal_code({"code": 400, "param": "temperature"}) == "temperature"
    assert refusal_code({"code": "small effusion on the left"}) == ""
    assert refusal_code("effusion") == ""


@pytest.mark.parametrize("name", ["code", "param", "type"])
def test_a_word_that_is_no_known_code_is_not_repeated(name: str) -> None:
    """Wherever the server writes it: it may be of the report."""
    assert refusal_code({name: "Smith"}) == ""
    assert refusal_code({name: "Smith", "type": "invalid_request_error"}) == "invalid_request_error"
