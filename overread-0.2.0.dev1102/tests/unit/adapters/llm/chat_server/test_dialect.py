"""Wording a request for servers that differ, and telling whether an answer has the form asked for."""

from __future__ import annotations

import pytest

from overread.adapters.llm.chat_server._dialect import Dialect, follows

from .conftest import SCHEMA, ask


def test_the_schema_is_sent_to_be_enforced() -> None:
    """Servers that can will give no other form."""
    form = Dialect().parameters(ask(schema=SCHEMA))["response_format"]
    assert form["type"] == "json_schema"
    assert form["json_schema"] == {"name": "answer", "strict": True, "schema": SCHEMA}


def test_less_and_less_is_asked_for() -> None:
    """Servers that know no schema may know JSON."""
    json_only = Dialect().less_structured
    assert json_only is not None
    assert json_only.parameters(ask(schema=SCHEMA))["response_format"] == {"type": "json_object"}
    nothing = json_only.less_structured
    assert nothing is not None
    assert "response_format" not in nothing.parameters(ask(schema=SCHEMA))
    assert nothing.less_structured is None


def test_free_text_is_asked_for_without_a_form() -> None:
    """Without a schema nothing is said about the form."""
    assert Dialect().parameters(ask("why?")) == {
        "messages": [{"role": "system", "content": "be brief"}, {"role": "user", "content": "why?"}],
        "max_tokens": 64,
    }


def test_the_length_has_two_names() -> None:
    """Newer models refuse the older one."""
    worded = Dialect(length="max_completion_tokens").parameters(ask(max_tokens=9))
    assert worded["max_completion_tokens"] == 9
    assert "max_tokens" not in worded


@pytest.mark.parametrize(
    ("text", "schema", "json"),
    [
        ('{"errors": 2}', True, True),
        ('<think>{"a"</think>\n{"errors": 2}', True, True),
        ('{"errors": "2"}', False, True),
        ('{"errors": 2, "more": 1}', False, True),
        ("[2]", False, False),
        ("two errors", False, False),
        ("", False, False),
        ("[" * 100_000, False, False),
    ],
)
def test_the_form_of_an_answer(text: str, schema: bool, json: bool) -> None:  # noqa: FBT001
    """Thoughts before the answer are not part of its form."""
    assert follows(text, SCHEMA, Dialect("schema")) is schema
    assert follows(text, SCHEMA, Dialect("json")) is json
    assert follows(text, SCHEMA, Dialect("off"))


def test_a_schema_that_is_none_asks_for_nothing() -> None:
    """A schema that cannot be applied fails no answer."""
    assert follows("{}", {"type": 3}, Dialect("schema"))
