"""The text of a document, whatever it was written with: the one way of all feeds."""

from __future__ import annotations

import base64
import binascii
import re
from email.message import Message
from typing import Final

from overread.hospital.domain.markup import markup_of
from overread.hospital.infrastructure.exchange.charsets import text_of_bytes
from overread.hospital.infrastructure.exchange.documents._pdf import is_pdf, pdf_text
from overread.hospital.infrastructure.exchange.documents._rtf import is_rtf, rtf_text, rtf_text_of_bytes
from overread.hospital.infrastructure.exchange.documents.limits import DocumentLimits
from overread.hospital.infrastructure.exchange.documents.pages import plain
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = [
    "HTML",
    "PDF",
    "PLAIN",
    "RTF",
    "bytes_of_base64",
    "document_kind",
    "is_rtf",
    "text_of_document",
    "text_of_source",
]

PLAIN: Final = "text/plain"
RTF: Final = "application/rtf"
HTML: Final = "text/html"
PDF: Final = "application/pdf"

_KINDS: Final = {
    **dict.fromkeys((PLAIN, "text", "plain", "txt", "ascii", "tx", "ft", "text/ascii"), PLAIN),
    **dict.fromkeys((RTF, "text/rtf", "text/richtext", "application/x-rtf", "rtf", "richtext", "text/x-rtf"), RTF),
    **dict.fromkeys((HTML, "application/xhtml+xml", "html", "htm", "xhtml", "text/xhtml"), HTML),
    **dict.fromkeys((PDF, "application/x-pdf", "pdf", "text/pdf", "image/pdf", "application/acrobat"), PDF),
}
"""Media types that are read, and what senders write in their place."""

_MARK: Final = "\ufeff"
_HEAD: Final = 1024
_DECLARED: Final = re.compile(
    rb"""<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*["']?([\w.:-]{1,40})""", re.IGNORECASE
)
_OPENS: Final = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!doctype\s+html|<html)\b", re.IGNORECASE)
_TAG_NAME: Final = re.compile(r"</?([A-Za-z][\w:-]*)")
_LISTED: Final = """
    html head body meta title style script p br hr div span font center table thead tbody tfoot tr td th ul ol li dl dt
    dd b i u em strong pre code sup sub small big blockquote img h1 h2 h3 h4 h5 h6 a s strike del ins link label tt
    section article header footer main address col colgroup caption nobr
"""
_KNOWN_TAGS: Final = frozenset(_LISTED.split())
_BREAKING: Final = re.compile(r"<(?:p|br|div|li|tr|h[1-6]|pre|hr)\b", re.IGNORECASE)


def document_kind(content_type: str) -> str:
    """The media type that is meant by one, or by what senders write in its place; "" for what is not read.

    >>> document_kind("Application/PDF; name=a.pdf"), document_kind("RTF"), document_kind("image/png")
    ('application/pdf', 'application/rtf', '')
    """
    return _KINDS.get(content_type.partition(";")[0].strip().lower(), "")


def text_of_document(
    data: bytes, content_type: str, *, limits: DocumentLimits | None = None, charset: str = "utf-8", location: str = ""
) -> str:
    r"""The text of a document, as its reader sees it.

    What the bytes open with counts for more than what they are said to be: an RTF under the name of plain text is read
    as RTF. Layout is left out, lines remain.

    Args:
        data: of the document.
        content_type: its media type, which may name a charset; "" and application/octet-stream tell nothing.
        limits: of what is read.
        charset: of plain text and HTML that name none.
        location: of the document, for refusals.

    Raises:
        RefusedMessageError: with the code `too-large`, `unknown-document`, `bad-charset`, `bad-rtf`, `bad-html`,
            `bad-pdf`, `scanned-document` (a page without text), `encrypted-document` or `unread-part` (text that
            stands where nobody can tell its place in the report).

    >>> text_of_document(b"No <b>small</b> nodule.<br>Clear.", "text/html")
    'No small nodule.\nClear.'
    """
    limits = limits or DocumentLimits()
    try:
        return _text(data, content_type, limits, charset)
    except RefusedMessageError as error:
        raise RefusedMessageError(error.code, error.detail, location=location) from None


def text_of_source(source: str, *, limits: DocumentLimits | None = None, location: str = "") -> str:
    r"""The text of what may be the source of a document in RTF or HTML; plain text as it is.

    Line breaks of a text that only has a tag or an entity here and there are its lines.

    Raises:
        RefusedMessageError: as `text_of_document`, and with the code `markup` for the source of another document, or
            for tags that are none of HTML's, in which words may be lost.

    >>> text_of_source("No &lt;5 mm nodule.\nClear."), text_of_source(r"{\rtf1 Clear.\par}"), text_of_source("Clear.")
    ('No <5 mm nodule.\nClear.', 'Clear.', 'Clear.')
    """
    limits = limits or DocumentLimits()
    kind = markup_of(source)
    if not kind:
        return source
    try:
        if kind == "RTF" and is_rtf(source):
            return rtf_text(source, most=limits.most_characters)
        if kind == "HTML":
            return _text_of_fragment(source)
    except RefusedMessageError as error:
        raise RefusedMessageError(error.code, error.detail, location=location) from None
    detail = f"it is the source of a document ({kind}) within text; send plain text, or the document as one"
    raise RefusedMessageError("markup", detail, location=location)


def bytes_of_base64(text: str, *, limits: DocumentLimits | None = None, location: str = "") -> bytes:
    """The bytes that a text in base64 stands for, whatever white space is in it.

    Raises:
        RefusedMessageError: with the code `not-base64` or `too-large`.
    """
    limits = limits or DocumentLimits()
    bare = "".join(text.split())
    if len(bare) > (limits.most_bytes + 2) // 3 * 4:
        detail = f"a document may have at most {limits.most_bytes:,} bytes"
        raise RefusedMessageError("too-large", detail, location=location)
    try:
        return base64.b64decode(bare + "=" * (-len(bare) % 4), validate=True)
    except (binascii.Error, ValueError):
        raise RefusedMessageError("not-base64", "the document is not base64", location=location) from None


def _text(data: bytes, content_type: str, limits: DocumentLimits, charset: str) -> str:
    if len(data) > limits.most_bytes:
        raise RefusedMessageError("too-large", f"a document may have at most {limits.most_bytes:,} bytes")
    text = _unbounded_text(data, content_type, limits, charset)
    if len(text) > limits.most_characters:
        raise _too_long(limits)
    return text


def _unbounded_text(data: bytes, content_type: str, limits: DocumentLimits, charset: str) -> str:
    kind = _kind_of(data, content_type)
    if kind == RTF:
        return rtf_text_of_bytes(data, most=limits.most_characters)
    if kind == PDF:
        return pdf_text(data, limits)
    decoded = _decoded(data, content_type, charset, is_page=kind == HTML)
    if kind == HTML:
        return plain(decoded)
    return plain(decoded) if _OPENS.match(decoded) else decoded.replace("\r\n", "\n").replace("\r", "\n")


def _kind_of(data: bytes, content_type: str) -> str:
    """The media type that bytes open with, else the one that is told."""
    if is_pdf(data):
        return PDF
    if is_rtf(data[:_HEAD].decode("latin-1")):
        return RTF
    kind = document_kind(content_type)
    if kind:
        return kind
    detail = "plain text, RTF, HTML and PDF are read; images and files of word processors are not"
    raise RefusedMessageError("unknown-document", detail)


def _decoded(data: bytes, content_type: str, charset: str, *, is_page: bool) -> str:
    header = Message()
    header["Content-Type"] = content_type.replace("\n", " ").replace("\r", " ")
    declared = _DECLARED.search(data[:_HEAD]) if is_page else None
    name = str(header.get_param("charset", declared[1].decode() if declared else charset))
    try:
        return text_of_bytes(data, name)[0].removeprefix(_MARK)
    except (LookupError, ValueError):
        detail = f"the document is not in the character set that it names ({charset} where it names none)"
        raise RefusedMessageError("bad-charset", detail) from None


def _text_of_fragment(source: str) -> str:
    if not _OPENS.match(source) and not {name.lower() for name in _TAG_NAME.findall(source)} <= _KNOWN_TAGS:
        detail = "the text has tags that are none of HTML's beside others; write < as &lt;, or send plain text"
        raise RefusedMessageError("markup", detail)
    lines = sum(bool(line.strip()) for line in source.splitlines())
    if _OPENS.match(source) or len(_BREAKING.findall(source)) * 2 >= lines:
        return plain(source)
    return plain(f"<pre>{source}</pre>")


def _too_long(limits: DocumentLimits) -> RefusedMessageError:
    return RefusedMessageError(
        "too-large", f"a document may have at most {limits.most_characters:,} characters of text"
    )
