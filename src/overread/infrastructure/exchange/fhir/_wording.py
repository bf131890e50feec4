"""The text of a report, wherever it stands in the resource."""

from __future__ import annotations

import base64
import binascii
import codecs
import hashlib
import hmac
from email.message import Message
from typing import Final

from overread.infrastructure.exchange.fhir._documents import Reported
from overread.infrastructure.exchange.fhir._elements import Resource, every, words
from overread.infrastructure.exchange.fhir._markup import plain
from overread.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["text_of"]

_PLAIN: Final = "text/plain"
_PAGES: Final = frozenset({"text/html", "application/xhtml+xml"})
_FORM: Final = "DiagnosticReport.presentedForm"
_WORDS_OF_A_PAGE: Final = frozenset({"generated", "extensions", "additional"})


def text_of(reported: Reported) -> str:
    """The text as it was issued; "" where there is none.

    What is presented comes first: it is the whole report as it was signed, in plain text rather than HTML. Without it
    the sections of its composition are taken, else the results and the conclusion are joined, and last comes the
    narrative.

    Raises:
        RefusedMessageError: if what is presented cannot be read here, or part of the report did not come along.
    """
    forms = every(reported.report, "presentedForm")
    if forms:
        return _presented(forms)
    return _composed(reported) or _told(reported) or _narrative(reported.report)


def _presented(forms: list[Resource]) -> str:
    """The first form in plain text, or else in HTML: forms of one report say the same."""
    kinds = [_kind(each) for each in forms]
    order = [each for each, kind in zip(forms, kinds, strict=True) if kind == _PLAIN]
    order += [each for each, kind in zip(forms, kinds, strict=True) if kind in _PAGES]
    held = next((each for each in order if words(each, "data")), None)
    if held is not None:
        text = _decoded(held)
        return text if _kind(held) == _PLAIN else plain(text)
    if order:
        detail = "the text is wanted as data: a url is not followed"
        raise RefusedMessageError("not-embedded", detail, location=_FORM)
    detail = f"none of the forms is {_PLAIN} or text/html; PDF, images and word processors' files are not read"
    raise RefusedMessageError("unreadable-form", detail, location=f"{_FORM}.contentType")


def _kind(form: Resource) -> str:
    return words(form, "contentType").partition(";")[0].strip().lower()


def _decoded(form: Resource) -> str:
    header = Message()
    header["Content-Type"] = words(form, "contentType")
    charset = str(header.get_param("charset", "utf-8"))
    try:
        data = base64.b64decode("".join(words(form, "data").split()), validate=True)
        text = data.decode(codecs.lookup(charset).name)
    except binascii.Error:
        raise RefusedMessageError("not-base64", "the data are not in base64", location=f"{_FORM}.data") from None
    except (LookupError, UnicodeError):
        detail = "the data are not in the charset that contentType names (UTF-8 where it names none)"
        raise RefusedMessageError("bad-charset", detail, location=f"{_FORM}.data") from None
    told = words(form, "hash")
    digest = base64.b64encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()
    if told and not hmac.compare_digest(told, digest):
        detail = "the data do not have the SHA-1 that is told of them"
        raise RefusedMessageError("changed-form", detail, location=f"{_FORM}.hash")
    return text


def _composed(reported: Reported) -> str:
    """The narratives of a composition's sections in order, each under its title."""
    composition = reported.composition()
    parts, left = [], [] if composition is None else [composition]
    while left:
        node = left.pop(0)
        if every(node, "modifierExtension"):
            detail = "what changes the meaning of a section must be known to who reads it; send it without"
            raise RefusedMessageError("unknown-modifier", detail, location="Composition")
        if node is not composition:
            title, text = words(node, "title"), _narrative(node)
            parts.append(f"{title}:\n{text}" if title and text else text)
        left[:0] = every(node, "section")
    return "\n\n".join(filter(None, parts))


def _told(reported: Reported) -> str:
    """Results and conclusion, under headings where there are both."""
    pairs = reported.referred(reported.report, "result")
    if any(found is None for _, found in pairs):
        detail = "an Observation of the report did not come along; send it in the bundle, or the text in presentedForm"
        raise RefusedMessageError("unresolved-result", detail, location="DiagnosticReport.result")
    results = [text for _, found in pairs if (text := words(found, "valueString"))]
    conclusion = words(reported.report, "conclusion")
    findings = "\n".join(each for each in dict.fromkeys(results) if each != conclusion)
    if findings and conclusion:
        return f"FINDINGS:\n{findings}\n\nIMPRESSION:\n{conclusion}"
    return findings or conclusion


def _narrative(node: Resource) -> str:
    status = words(node, "text.status")
    return plain(words(node, "text.div")) if status in _WORDS_OF_A_PAGE else ""
