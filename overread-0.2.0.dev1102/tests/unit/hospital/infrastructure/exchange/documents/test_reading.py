"""Documents of all kinds, by one function."""

from __future__ import annotations

import base64

import pytest

from overread.hospital.infrastructure.exchange.documents.limits import DocumentLimits
from overread.hospital.infrastructure.exchange.documents.reading import (
    bytes_of_base64,
    document_kind,
    text_of_document,
    text_of_source,
)
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError


@pytest.mark.parametrize(
    ("data", "content_type", "text"),
    [
        ("Größe 5 mm\r\nClear.".encode(), "text/plain", "Größe 5 mm\nClear."),
        ("Größe".encode("cp1252"), "text/plain; charset=windows-1252", "Größe"),
        ("Größe".encode("latin-1"), 'text/html; charset="iso-8859-1"', "Größe"),
        ('<meta charset="iso-8859-2">Łódź'.encode("iso8859-2"), "text/html", "Łódź"),
        (b"  Wide   text\n\n\n\nkept.", "text/plain", "  Wide   text\n\n\n\nkept."),
        (rb"{\rtf1 Clear.}", "text/plain", "Clear."),
        (b"<html><body>Clear.<p>Lungs", "TEXT", "Clear.\nLungs"),
        (rb"{\rtf1 Clear.}", "application/octet-stream", "Clear."),
    ],
)
def test_a_document_becomes_its_text(data: bytes, content_type: str, text: str) -> None:
    """Charsets are those that the type or the page names, and what bytes open with counts for more than the type."""
    assert text_of_document(data, content_type) == text


@pytest.mark.parametrize(
    ("data", "content_type", "code"),
    [
        (b"\xff\xfe", "text/plain", "bad-charset"),
        (b"Clear.", "text/plain; charset=klingon", "bad-charset"),
        (b"\x89PNG", "image/png", "unknown-document"),
        (b"PK\x03\x04", "", "unknown-document"),
        (b"a" * 200, "text/plain", "too-large"),
        (b"<html><script>", "text/html", "bad-html"),
    ],
)
def test_what_cannot_be_read_is_refused(data: bytes, content_type: str, code: str) -> None:
    """Each reason has its code."""
    with pytest.raises(RefusedMessageError) as refused:
        text_of_document(data, content_type, limits=DocumentLimits(most_characters=100))
    assert refused.value.code == code


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("No &lt;5 mm nodule.\nIMPRESSION:\nClear.", "No <5 mm nodule.\nIMPRESSION:\nClear."),
        ("FINDINGS:<br>No nodule.<br>Clear.", "FINDINGS:\nNo nodule.\nClear."),
        ("FINDINGS:\nNo <b>large</b> nodule.\nClear.", "FINDINGS:\nNo large nodule.\nClear."),
        ("No nodule <5 mm\nT < 38", "No nodule <5 mm\nT < 38"),
    ],
)
def test_text_with_tags_keeps_its_lines(source: str, text: str) -> None:
    """Line breaks of the text are kept unless tags break its lines; plain text is not touched."""
    assert text_of_source(source) == text


@pytest.mark.parametrize(
    "source", ["a &amp; size <upper limit and > lower", "<ClinicalDocument>x", "Report: {\\rtf1 Clear.}", "%PDF-1.4"]
)
def test_source_that_may_hide_words_is_refused(source: str) -> None:
    """Tags that are none of HTML's, and documents within text, are refused."""
    with pytest.raises(RefusedMessageError, match=r"tags|document"):
        text_of_source(source)


def test_base64_is_decoded_strictly_and_within_limits() -> None:
    """White space and missing padding are tolerated, other characters and too much are not."""
    assert bytes_of_base64(" Q2xl\r\nYXIu ") == b"Clear."
    assert bytes_of_base64("Q2xlYXI") == b"Clear"
    with pytest.raises(RefusedMessageError, match="base64"):
        bytes_of_base64("Q2xl*YXIu")
    with pytest.raises(RefusedMessageError, match="at most"):
        bytes_of_base64(base64.b64encode(bytes(10 * 2**20)).decode(), limits=DocumentLimits(most_bytes=2**20))


def test_kinds_are_known_by_the_words_of_senders() -> None:
    """Subtypes and odd media types mean what they say."""
    kinds = [document_kind(word) for word in ("AP", "x-pdf", "PDF", "Rich", "RTF", "text/rtf", "HTML", "TXT")]
    assert kinds == ["", "", "application/pdf", "", "application/rtf", "application/rtf", "text/html", "text/plain"]
