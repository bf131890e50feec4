"""JSON in which a key stands once."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_what_python_writes_is_read_as_it_was(value: object) -> None:
    """An object of different keys is read as ever."""
    assert parse_json(json.dumps(value)) == value


@pytest.mark.parametrize("text", ['{"a": 1, "a": 1}', '[{"b": {"a": 1, "c": 2, "\\u0061": 3}}]'])
def test_a_key_that_stands_twice_is_told_without_its_words(text: str) -> None:
    """However it is written, wherever it stands, and whether or not its values agree."""
    with pytest.raises(RepeatedKeyError, match=r"^an object has a key twice$") as caught:
        parse_json(text)
    assert caught.value.key == "a"
