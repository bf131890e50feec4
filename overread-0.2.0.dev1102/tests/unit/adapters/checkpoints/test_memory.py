"""Answers remembered by text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.checkpoints.memory import Memory


class Asked:
    """Answers a text by its capitals, and notes what it was asked."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def __call__(self, texts: list[str]) -> list[str]:
        self.calls.append(texts)
        return [text.upper() for text in texts]


def test_each_distinct_text_is_asked_for_once() -> None:
    """Reports repeat their sentences, within a call and across calls."""
    memory, asked = Memory[str](10), Asked()
    assert memory.answers(["a", "b", "a"], asked) == ["A", "B", "A"]
    assert memory.answers(["c", "a"], asked) == ["C", "A"]
    assert asked.calls == [["a", "b"], ["c"]]


def test_the_text_used_longest_ago_is_forgotten_first() -> None:
    """Memory stays bounded, and common sentences stay in it."""
    memory, asked = Memory[str](2), Asked()
    for text in ["a", "b", "a", "c", "a", "b"]:
        memory.answers([text], asked)
    assert asked.calls == [["a"], ["b"], ["c"], ["b"]]


@given(st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), max_size=8), st.integers(0, 4))
def test_answers_are_right_and_in_order_whatever_is_remembered(calls: list[list[str]], size: int) -> None:
    """Remembering changes no answer, not even with room for none."""
    memory = Memory[str](size)
    for texts in calls:
        assert memory.answers(texts, Asked()) == [text.upper() for text in texts]
        assert len(memory._known) <= size
