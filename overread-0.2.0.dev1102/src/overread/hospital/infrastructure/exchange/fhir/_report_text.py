"""The text of a report, wherever it stands in the resource."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import Final

from overread.hospital.infrastructure.exchange.documents.reading import (
    HTML,
    PDF,
    PLAIN,
    RTF,
    bytes_of_base64,
    document_kind,
    text_of_document,
)
from overread.hospital.infrastructure.exchange.fhir._documents import Reported
from overread.hospital.infrastructure.exchange.fhir._elements import Resource, every, words
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["text_of"]

_KINDS: Final = (PLAIN, HTML, RTF, PDF)
"""Kinds of forms, the one that says best what was signed first: a PDF has to be taken apart."""

_FORM: Final = "DiagnosticReport.presentedForm"
_HEADINGS: Final = ("FINDINGS:", "IMPRESSION:")
_WITHDRAWN: Final = frozenset({"entered-in-error", "cancelled"})
_MORE: Final = frozenset(
    {"component", "hasMember", "note", "valueAttachment", "valueBoolean", "valueCodeableConcept", "valueReference"}
)
"""Elements of an Observation that may hold a finding; numbers and times are measurements beside the text."""

_INTERPRETATIONS: Final = frozenset(
    {
        "http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation",
        "http://terminology.hl7.org/CodeSystem/v2-0078",
        "http://hl7.org/fhir/v2/0078",
        "http://hl7.org/fhir/observation-interpretation",
    }
)
"""Code systems of flags such as "abnormal", which say what a value means and no finding of their own."""

_SIDES: Final = frozenset({"left", "right", "bilateral", "both"})

_WRITTEN: Final = "additional"
"""Status of a narrative that may have content found nowhere else."""

_WORDS_OF_A_PAGE: Final = frozenset({"generated", "extensions", "additional"})


def text_of(reported: Reported) -> str:
    """The text as it was issued; "" where there is none.

    What is presented comes first: it is the whole report as it was signed, in plain text rather than HTML, in either
    rather than RTF, and last in PDF. Without it the sections of its composition are taken, else a narrative that says
    more than the resource's elements, else the results and the conclusion are joined, and last comes any narrative.

    Raises:
        RefusedMessageError: if what is presented cannot be read here, or part of the report did not come along.
    """
    forms = every(reported.report, "presentedForm")
    if forms:
        return _presented_text(forms)
    return (
        _composition_text(reported)
        or _whole_narrative(reported)
        or _results_text(reported)
        or _narrative(reported.report)
    )


def _presented_text(forms: list[Resource]) -> str:
    """Text of the forms of the first kind that is there with data: they are of one report, and must say the same."""
    held = [form for form in forms if words(form, "data")]
    kinds = {document_kind(words(form, "contentType")) for form in held}
    kind = next((kind for kind in _KINDS if kind in kinds), "")
    contents = [_read_form(form) for form in held if kind and document_kind(words(form, "contentType")) == kind]
    if len({" ".join(text.split()) for text in contents}) > 1:
        detail = "several forms of one kind differ, and it is not clear which is the report; send one"
        raise RefusedMessageError("unclear-form", detail, location=_FORM)
    if contents:
        return contents[0]
    if any(document_kind(words(form, "contentType")) for form in forms):
        detail = "send the text as data: a url is not followed"
        raise RefusedMessageError("not-embedded", detail, location=_FORM)
    detail = f"none of the forms is {', '.join(_KINDS)}; images and word processor files are not read"
    raise RefusedMessageError("unreadable-form", detail, location=f"{_FORM}.contentType")


def _read_form(form: Resource) -> str:
    place = f"{_FORM}.data"
    data = bytes_of_base64(words(form, "data"), location=place)
    expected = words(form, "hash")
    digest = base64.b64encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode()
    if expected and not hmac.compare_digest(expected, digest):
        detail = "the data do not match their SHA-1 in hash"
        raise RefusedMessageError("changed-form", detail, location=f"{_FORM}.hash")
    return text_of_document(data, words(form, "contentType"), location=place)


def _composition_text(reported: Reported) -> str:
    """The narratives of a composition's sections in order, each under its title."""
    composition = reported.composition()
    parts, left = [], [] if composition is None else [composition]
    while left:
        node = left.pop(0)
        if every(node, "modifierExtension"):
            detail = "a section has modifier extensions, which are not supported; send it without"
            raise RefusedMessageError("unknown-modifier", detail, location="Composition")
        if node is not composition:
            title, text = words(node, "title"), _narrative(node)
            if not text and every(node, "entry"):
                detail = "a section has entries and no narrative; write what it says into its text"
                raise RefusedMessageError("unreadable-section", detail, location="Composition.section.text")
            parts.append(f"{title}:\n{text}" if title and text else text)
        left[:0] = every(node, "section")
    return "\n\n".join(filter(None, parts))


def _results_text(reported: Reported) -> str:
    """Results and conclusion, under headings where there are both."""
    pairs = reported.referred(reported.report, "result")
    if any(observation is None for _, observation in pairs):
        detail = "an Observation of the report is missing; send it in the bundle, or the text in presentedForm"
        raise RefusedMessageError("unresolved-result", detail, location="DiagnosticReport.result")
    results = [result for _, observation in pairs if (result := _result(observation))]
    for _, observation in pairs:
        _check_subject(reported.report, observation or {})
    conclusion = words(reported.report, "conclusion")
    _check_codes(reported.report, "\n".join([conclusion, *(text for _, text in results)]))
    is_parted = len({name for name, _ in results}) > 1
    lines = [f"{name}: {text}" if is_parted and name else text for name, text in dict.fromkeys(results)]
    findings = "\n".join(line for line in lines if line != conclusion)
    if findings and conclusion:
        return f"{_HEADINGS[0]}\n{findings}\n\n{_HEADINGS[1]}\n{conclusion}"
    return findings or conclusion


def _result(observation: Resource | None) -> tuple[str, str] | None:
    """Name and text of a result; None for one that is withdrawn, or says nothing."""
    if observation is None or words(observation, "status") in _WITHDRAWN:
        return None
    text, name = words(observation, "valueString"), words(observation, "code.text", "code.coding.display")
    if every(observation, "modifierExtension") or every(observation, "implicitRules"):
        detail = "a result has modifier extensions or implicit rules, which are not supported; send it without"
        raise RefusedMessageError("unknown-modifier", detail, location="Observation")
    if not _MORE.isdisjoint(observation) or _interprets(observation) or _sides_of(observation) - _words(name, text):
        detail = "a result has more than a valueString; send its text as one, or the report as a presentedForm"
        raise RefusedMessageError("unreadable-result", detail, location="Observation")
    return (name, text) if text else None


def _interprets(observation: Resource) -> bool:
    """Return whether an interpretation may hold a finding: it isn't a mere flag, or it takes a value's place."""
    interpretations = every(observation, "interpretation")
    is_flag = all(words(interpretation, "coding.system") in _INTERPRETATIONS for interpretation in interpretations)
    has_value = any(name.startswith("value") for name in observation)
    return bool(interpretations) and not (is_flag and has_value)


def _sides_of(observation: Resource) -> frozenset[str]:
    """The sides that the place of an observation names."""
    body_sites = (*every(observation, "bodySite.text"), *every(observation, "bodySite.coding.display"))
    return _words(*map(str, body_sites)) & _SIDES


def _words(*texts: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]+", " ".join(texts).casefold()))


def _check_subject(report: Resource, observation: Resource) -> None:
    """Refuses a result of another patient than the report's."""
    own, other = (words(resource, "subject.reference").partition("/_history/")[0] for resource in (report, observation))
    if own and other and own.split("/")[-2:] != other.split("/")[-2:]:
        detail = "a result belongs to another patient than the report; send each patient's report separately"
        raise RefusedMessageError("several-patients", detail, location="Observation.subject")


def _check_codes(report: Resource, said: str) -> None:
    """Refuses a conclusion in codes that no text tells: the report would be stored without it."""
    known = " ".join(said.split()).casefold()
    for code in every(report, "conclusionCode"):
        text = " ".join(words(code, "text").split()).casefold()
        if not words(report, "conclusion") or (text and not every(code, "coding") and text not in known):
            detail = (
                "the conclusion is given in codes, which are not read; send it as text, or the whole report "
                "as a presentedForm"
            )
            raise RefusedMessageError("coded-conclusion", detail, location="DiagnosticReport.conclusionCode")


def _whole_narrative(reported: Reported) -> str:
    """A narrative of which somebody wrote more than the resource's elements say; "" where it only renders them."""
    if words(reported.report, "text.status") != _WRITTEN:
        return ""
    narrative, results = _narrative(reported.report), _results_text(reported)
    known = " ".join(narrative.split())
    if narrative and not all(" ".join(line.split()) in known for line in results.splitlines() if line not in _HEADINGS):
        detail = (
            "the narrative says more than results and conclusion, and lacks a part of them; send the whole "
            "report as a presentedForm"
        )
        raise RefusedMessageError("unclear-text", detail, location="DiagnosticReport.text")
    return narrative


def _narrative(node: Resource) -> str:
    page = words(node, "text.div")
    if not page or words(node, "text.status") not in _WORDS_OF_A_PAGE:
        return ""
    return text_of_document(page.encode("utf-8", "surrogatepass"), HTML)
