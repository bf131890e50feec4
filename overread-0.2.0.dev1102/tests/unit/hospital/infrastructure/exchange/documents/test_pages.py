"""The words of a page."""

from __future__ import annotations

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.hospital.infrastructure.exchange.documents.pages import plain
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

_LINES = st.lists(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), min_size=1), min_size=1)


@pytest.mark.parametrize(
    ("page", "words"),
    [
        ("A nodule of <5 mm; T < 38.", "A nodule of <5 mm; T < 38."),
        ("<p title='a > b'>One</p>", "One"),
        ('<p title="it\'s">One</p>', "One"),
        ("<p title=it's>One</p><p>Two</p>", "One\n\nTwo"),
        ("One<!-- <p>no</p> -->Two", "OneTwo"),
        ("<?xml version='1.0'?><!DOCTYPE html><p><![CDATA[a < b]]></p>", "a < b"),
        ("<SCRIPT>if (a < b) '</p>'</Script ><p>One</p>", "One"),
        ("<style>p > a {}</style>One<script src='x'/>Two", "OneTwo"),
        ("<table><tr><td>Left</td><td>clear</td></tr><tr><td>Right</td></tr></table>", "Left clear\n\nRight"),
        ("<div><template><p>no</p></template>One</div></title>Two", "One\nTwo"),
        ("a&nbsp;b &amp;lt; &#60;c&#x3e;", "a b &lt; <c>"),
        ("<pre>a\n  b</pre>\nc\nd", "a\nb\nc d"),
    ],
)
def test_a_page_reads_as_a_person_sees_it(page: str, words: str) -> None:
    """Letters of old and sloppy pages included."""
    assert plain(page) == words


@pytest.mark.parametrize(
    "page", ["One <!-- two", "One <p two", "<script>One", "<p title='One", "<![CDATA[One", "&#9" + "9" * 5000]
)
def test_what_does_not_end_is_refused(page: str) -> None:
    """To leave the rest out would be to lose findings."""
    with pytest.raises(RefusedMessageError) as caught:
        plain(page)
    assert caught.value.code == "bad-html"
    assert "One" not in str(caught.value)


def test_a_page_without_end_is_refused() -> None:
    """Reports have some thousands of characters."""
    with pytest.raises(RefusedMessageError, match="at most"):
        plain("x" * (512 * 1024 + 1))


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<a ",
        "<a b='",
        '<a ">',
        "<a '>\"",
        "</",
        "<!",
        "<!a ",
        "<!--",
        "<script></script>",
        "&",
        "&#",
        "<pre>",
        "<div>",
        "<head>",
    ],
)
def test_no_page_takes_long(piece: str) -> None:
    """Each of these takes a parser that looks ahead from every place hours: the square of the length, or worse."""
    page = (piece * (256 * 1024 // len(piece)))[: 256 * 1024]
    try:
        assert isinstance(plain(page), str)
    except RefusedMessageError as error:
        assert error.code == "bad-html"  # noqa: PT017 - both may come of it


@given(lines=_LINES)
def test_escaped_text_comes_back(lines: list[str]) -> None:
    """Whatever letters a report has, a page of it has the same words."""
    page = "".join(f"<p>{escape(line)}</p>" for line in lines)
    assert plain(page).split() == lines
