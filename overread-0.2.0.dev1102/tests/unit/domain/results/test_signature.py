"""Signatures: one line that names all that changes a score."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.results.signature import Signature

PARTS = st.lists(st.tuples(st.text(), st.text()))


@pytest.mark.parametrize(
    ("parts", "line"),
    [
        ([], "bleu"),
        ([("order", "4")], "bleu|order:4"),
        ([("order", "4"), ("case", "lc")], "bleu|order:4|case:lc"),
        ([("extractor", "llm:local@2")], "bleu|extractor:llm:local@2"),
    ],
)
def test_a_signature_prints_as_one_line_in_the_order_given(parts: list[tuple[str, str]], line: str) -> None:
    """Name first, then each part as name:value."""
    assert str(Signature("bleu", parts)) == line


@given(PARTS, PARTS)
def test_more_parts_come_behind_those_there(some: list[tuple[str, str]], more: list[tuple[str, str]]) -> None:
    """Adding parts gives a new signature equal to one made at once, and leaves the first as it was."""
    first = Signature("radot", some)
    assert first.with_parts(more) == Signature("radot", some + more)
    assert first == Signature("radot", some)


def test_signatures_can_be_keys() -> None:
    """Signatures made of lists or tuples are equal and hash alike; another value makes another signature."""
    one, same, other = (Signature("a", parts) for parts in ([("x", "1")], (("x", "1"),), [("x", "2")]))
    assert len({one, same, other}) == 2
