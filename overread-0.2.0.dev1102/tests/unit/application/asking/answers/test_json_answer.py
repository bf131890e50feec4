"""JSON in what models answer: what is read, what is refused, and that nothing hangs."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.application.asking.answers.json_answer import MAX_CHARACTERS, json_values, read_json, without_reasoning
from overread.application.asking.inquiry import UnreadableAnswerError

READ: list[tuple[str, Any]] = [
    ('{"a": 1}', {"a": 1}),
    ("[]", []),
    ("\ufeff {} ", {}),
    ('```json\n{"a": "b"}\n```', {"a": "b"}),
    ("```\n[1, 2]\n```\nI hope this helps!", [1, 2]),
    ('Here is the [requested] answer for {REF}:\n{"a": "b"}\nLet me know.', {"a": "b"}),
    ('<think>Maybe {"a": 0}? No.</think>{"a": 1}', {"a": 1}),
    ('Maybe {"a": 0}? No.</think>{"a": 1}', {"a": 1}),
    ('{"a": [1, 2,], "b": {"c": 3,},}', {"a": [1, 2], "b": {"c": 3}}),
    ("{'a': 'b', 'c': None, 'd': [True, False]}", {"a": "b", "c": None, "d": [True, False]}),
    ("{'the patient's heart': 'x', 'y': 'two \"apices\"'}", {"the patient's heart": "x", "y": 'two "apices"'}),
    (r"{'it\'s': 'a\\b'}", {"it's": "a\\b"}),
    ("{“a”: “b c”}", {"a": "b c"}),
    ('{"a": "he said “no”"}', {"a": "he said “no”"}),
    ("{a: 1, // a remark\n b-c: 2}", {"a": 1, "b-c": 2}),
    ('{"a": "two\nlines\tand a tab"}', {"a": "two\nlines\tand a tab"}),
    ('{"a": "brace } and bracket ] in a text"}', {"a": "brace } and bracket ] in a text"}),
    ('{"a": "a \\"quoted\\" word \\\\"}', {"a": 'a "quoted" word \\'}),
    ('{"a": "\\u00f6\\ud83e\\ude7b Ödem"}', {"a": "ö🩻 Ödem"}),
    ('{"a": "\\ud83e"}', {"a": "?"}),
    ('{{"a": {"b": 1}}}', {"a": {"b": 1}}),
    ('{"a": 1}\n\n{"a": 1}', {"a": 1}),
    ('{"a": 1, "a": 1}', {"a": 1}),
]

REFUSED = [
    ("", "unreadable answer"),
    ("None", "unreadable answer"),
    ("The reports do not differ.", "unreadable answer"),
    ("significant", "unreadable answer"),
    ('{"a": "b', "unreadable answer"),
    ('{"a": {"b": 1}, "c": {', "unreadable answer"),
    ('[{"a": 1}, {"a": 2}', "unreadable answer"),
    ('{"a": 1]', "unreadable answer"),
    ('{"a": 1}}', "unreadable answer"),
    ('a": 1}, {"a": 2}]', "unreadable answer"),
    ('{"a" "b"}', "unreadable answer"),
    ('[{"a": 1} {"b": 2}]', "unreadable answer"),
    ('{"a": wide}', "unreadable answer"),
    ('{"a": NaN}', "unreadable answer"),
    ("[Infinity]", "unreadable answer"),
    ("[-1e999]", "unreadable answer"),
    ("[" + "9" * 5000 + ', "x"]', "unreadable answer"),
    ('<think>{"a": 1}', "unreadable answer"),
    ("[" * 33 + "]" * 33, "unreadable answer"),
    ('{"a": 1} {"a": 2}', "inconsistent answer"),
    ('{"a": 1, "a": 2}', "inconsistent answer"),
    ('[{"b": {"a": "x", "a": "y"}}]', "inconsistent answer"),
]

BOMBS = {
    "opening brackets": "[" * MAX_CHARACTERS,
    "nested objects": '{"a":' * 200_000,
    "quotation marks": '{"' + '"' * (MAX_CHARACTERS - 3),
    "escaped quotation marks": '{"' + '\\"' * 500_000,
    "apostrophes": "[" + "' " * 500_000,
    "words that begin with apostrophes": "[" + "'a " * 300_000,
    "words": "[" + "a " * 500_000,
    "typographic marks": "{" + "“" * 1_000_000,
    "10 MB": "x" * 10_000_000,
    "10 MB of objects": '{"a": 1}' * 1_250_000,
    "tags": "<think>" * 140_000,
}


@pytest.mark.parametrize(("answer", "value"), READ)
def test_what_models_put_around_json_does_not_matter(answer: str, value: object) -> None:
    """Words, fences and thoughts leave one value, which is the answer."""
    assert read_json(answer) == value


@pytest.mark.parametrize(("answer", "reason"), REFUSED)
def test_what_is_not_plainly_one_value_is_refused_with_a_reason_and_a_remedy(answer: str, reason: str) -> None:
    """Of two values neither is picked; the remedy goes into the repair."""
    with pytest.raises(UnreadableAnswerError) as caught:
        read_json(answer)
    assert caught.value.reason == reason
    assert caught.value.remedy


@pytest.mark.parametrize("bomb", BOMBS.values(), ids=BOMBS)
def test_no_answer_takes_for_ever(bomb: str) -> None:
    """Seconds at most: whatever is quadratic in a megabyte takes minutes."""
    before = time.process_time()
    with pytest.raises(UnreadableAnswerError, match="unreadable answer"):
        read_json(bomb)
    assert time.process_time() - before < 20


def test_an_error_quotes_nothing_of_the_answer() -> None:
    """Answers quote reports, errors end up in logs."""
    with pytest.raises(UnreadableAnswerError) as caught:
        read_json('{"pneumothorax" "effusion"}')
    assert "pneumothorax" not in f"{caught.value}{caught.value.detail}{caught.value.remedy}"


def test_a_kind_that_is_not_asked_for_is_passed_over() -> None:
    """A reference in brackets is no list of differences."""
    answer = '[1] says the reference. {"a": 1}'
    assert read_json(answer, kinds=(dict,)) == {"a": 1}
    assert read_json(answer, kinds=(list,)) == [1]
    with pytest.raises(UnreadableAnswerError, match="several JSON values"):
        read_json(answer)
    with pytest.raises(UnreadableAnswerError, match="no JSON array"):
        read_json('{"a": []}', kinds=(list,))


def test_values_come_in_the_order_they_stand_in() -> None:
    """The caller may tell which of several is meant."""
    assert json_values('{"a": 1}\n{"a": 2}\n[3]') == [{"a": 1}, {"a": 2}, [3]]


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("<think>x</think> y", "y"),
        ("<thinking>x</thinking>\ny", "y"),
        ("x</think>y", "y"),
        ("<think>a</think> <think>b</think>c", "c"),
        ("<think>a</think>b<think>c</think>d", "b<think>c</think>d"),
        ("x</think>y</think>z", "y</think>z"),
        ("<think>never ends", ""),
        ("y<think>never ends", "y<think>never ends"),
        ("\ufeffy", "y"),
    ],
)
def test_reasoning_is_no_part_of_an_answer(text: str, rest: str) -> None:
    """Models think aloud in JSON as well; the tag that ends the thoughts counts."""
    assert without_reasoning(text) == rest


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("abc \"'{}[]:,\\"), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text("ab \"'{}\\"), VALUES) | st.lists(VALUES), st.booleans())
def test_any_json_is_read_as_json_reads_it(value: object, indented: bool) -> None:  # noqa: FBT001
    """No value is changed by the leniency for others."""
    written = json.dumps(value, ensure_ascii=indented, indent=2 if indented else None)
    if "think>" not in written and "\ufeff" not in written:
        assert read_json(f"Here you are:\n```json\n{written}\n```") == value


@given(st.dictionaries(st.text("ab :,\n"), st.text("xyz ,:{}[]") | st.none() | st.booleans(), min_size=1))
def test_what_python_prints_is_read_as_python_reads_it(value: object) -> None:
    """Some models answer with Python's quotes and constants."""
    assert read_json(repr(value)) == value


@given(st.text("{}[]\"',:ab\\ \n“”/", max_size=60))
def test_whatever_is_answered_is_read_or_refused(answer: str) -> None:
    """No text breaks the reader."""
    reason = ""
    try:
        assert isinstance(read_json(answer), dict | list)
    except UnreadableAnswerError as error:
        reason = error.reason
    assert reason in ("", "unreadable answer", "inconsistent answer")
