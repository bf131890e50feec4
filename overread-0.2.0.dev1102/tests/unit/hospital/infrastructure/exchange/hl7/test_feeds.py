"""Feeds as hospitals have them: documents in OBX-5, MDM, batches, and codes of their own."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Mapping
from datetime import UTC, datetime
from time import monotonic
from typing import Any

import pytest

from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.hl7.acknowledging import Acknowledgement, AcknowledgementCode
from overread.hospital.infrastructure.exchange.hl7.batches import messages_of
from overread.hospital.infrastructure.exchange.hl7.client import MllpClient
from overread.hospital.infrastructure.exchange.hl7.listener import MllpListener
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options, MllpOptions
from overread.hospital.infrastructure.exchange.hl7.reading import read_hl7
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.hospital.infrastructure.serving_settings import serve_configuration

from ..documents.invented_pdf import pdf_of
from .fake_service import FakeService
from .messages import TEXT, line, message, of_lines, patient, request, segment

_RTF = rb"{\rtf1\ansi No {\strike large }nodule \'b1 5 mm.\par Clear.}"


def reading(**settings: Any) -> Hl7Options:
    """Options as the settings file makes them."""
    return serve_configuration({"hl7": {}, "hl7_reading": settings}, {}).hl7_reading


def versions(data: bytes, **settings: Any) -> list[ReportVersion]:
    return list(read_hl7(data, reading(**settings)).versions)


def text_of(data: bytes, **settings: Any) -> str:
    [version] = versions(data, **settings)
    return version.text.text


def refusal(data: bytes, **settings: Any) -> tuple[str, str]:
    with pytest.raises(RefusedMessageError) as refused:
        versions(data, **settings)
    assert "nodule" not in str(refused.value)
    return refused.value.code, refused.value.location


def encoded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def document(value: str, changes: Mapping[int, str] | None = None) -> str:
    """An OBX with a document."""
    return line(value, {2: "ED", 3: "71250^CT CHEST"} | dict(changes or {}))


@pytest.mark.parametrize(
    "told",
    [
        "RIS^TEXT^RTF^Base64^",
        "RIS^TX^RTF^BASE64^",
        "^application^rtf^base64^",
        "^AP^RTF^B64^",
        "^TEXT^^Base64^",
        "^^RTF^Base64^",
        "application/rtf^^^Base64^",
        "RTF^Base64^",
        "^RTF^^^",
        "",
    ],
)
def test_a_document_is_read_in_whatever_words_its_type_is_told(told: str) -> None:
    """What the data open with decides where senders write types in ways of their own."""
    data = message(patient(), request(), document(told + encoded(_RTF)))
    assert text_of(data) == "No nodule ± 5 mm.\nClear."


def test_each_kind_of_document_is_read() -> None:
    """Plain text in the message's character set, HTML, PDF, hexadecimal and text that is not encoded."""
    plain = f"^TEXT^PLAIN^Base64^{encoded('Größe 5 mm.'.encode())}"
    page = f"^TEXT^HTML^Base64^{encoded(b'<p>Clear.</p>Lungs')}"
    pdf = f"RIS^AP^PDF^Base64^{encoded(pdf_of([['FINDINGS: Clear.', 'IMPRESSION: Normal.']]))}"
    literal = r"^TEXT^PLAIN^A^No nodule \T\ no effusion.\.br\Clear."
    raw = r"^TEXT^RTF^A^{\rtf1\ansi Left\par right \T\ clear.\~}"
    hexadecimal = f"^TEXT^PLAIN^Hex^{b'Clear.'.hex()}"
    texts = [
        text_of(message(patient(), request(), document(value)))
        for value in (plain, page, pdf, literal, raw, hexadecimal)
    ]
    assert texts == [
        *("Größe 5 mm.", "Clear.\nLungs", "FINDINGS: Clear.\nIMPRESSION: Normal."),
        *("No nodule & no effusion.\nClear.", "Left\nright & clear.", "Clear."),
    ]


def test_base64_may_be_broken_into_lines() -> None:
    """By escapes of HL7, or by line breaks as they are."""
    whole = encoded(_RTF)
    for broken in (
        rf"{whole[:20]}\.br\{whole[20:]}",
        rf"{whole[:20]}\X0D0A\{whole[20:]}",
        f"{whole[:20]}\n{whole[20:]}",
    ):
        assert text_of(message(patient(), request(), document(f"^TEXT^RTF^Base64^{broken}"))).endswith("Clear.")


def test_text_goes_before_documents_and_simple_ones_before_others() -> None:
    """The same report in several forms is read once; an image beside it is left out."""
    rtf, pdf = f"^TEXT^RTF^Base64^{encoded(_RTF)}", f"^AP^PDF^Base64^{encoded(b'%PDF-broken')}"
    image = f"^IM^JPEG^Base64^{encoded(b'abcdefghijkl')}"
    assert text_of(message(patient(), request(), line("Clear."), document(pdf))) == "Clear."
    assert text_of(message(patient(), request(), document(image), document(pdf), document(rtf))).endswith("Clear.")
    addendum = f"^TEXT^PLAIN^Base64^{encoded(b'Read again.')}"
    both = versions(message(patient(), request(), document(rtf), document(addendum, {3: "71250&ADT"})))
    assert [(version.status, version.text.text[-6:]) for version in both] == [
        (ReportStatus.FINAL, "Clear."),
        (ReportStatus.ADDENDUM, "again."),
    ]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (f"^AP^PDF^Base64^{encoded(pdf_of([[]]))}", "scanned-document"),
        (f"^AP^PDF^Base64^{encoded(b'nodule ' * 9)}", "bad-pdf"),
        (f"^IM^JPEG^Base64^{encoded(b'abcdefghijkl')}", "unknown-document"),
        ("^TEXT^RTF^Base64^*nodule*", "not-base64"),
        ("^TEXT^PLAIN^Hex^nodule", "bad-encoding"),
        (f"^TEXT^PLAIN^Base64^{encoded('Größe'.encode('cp1252'))}", "bad-charset"),
        (f"^TEXT^RTF^Base64^{encoded(_RTF[:-1])}", "bad-rtf"),
        (f"^TEXT^PLAIN^Base64^{encoded(bytes(13 * 2**20))}", "too-large"),
    ],
)
def test_a_document_that_cannot_be_read_is_refused(value: str, code: str) -> None:
    """Each reason has its code, and nothing of the document is told."""
    assert refusal(message(patient(), request(), document(value))) == (code, "OBX-5")


def test_documents_of_one_kind_that_differ_are_refused() -> None:
    """Nobody knows which of them is the report."""
    one, other = (f"^TEXT^PLAIN^Base64^{encoded(text)}" for text in (b"Left nodule here.", b"Right nodule here."))
    assert refusal(message(patient(), request(), document(one), document(other)))[0] == "unclear-lines"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ([r"{\E\rtf1\E\ansi Small\E\par nodule.}"], "Small\nnodule."),
        ([r"{\rtf1\ansi Small\par nodule \T\ effusion.}"], "Small\nnodule & effusion."),
        ([r"{\rtf1\ansi Small\par", r"nodule.\par ", "Clear.}"], "Small\nnodule.\nClear."),
        ([r"{\rtf1 Left.}", r"{\rtf1 Right.}"], "Left.\nRight."),
        (["<html><body><p>Small nodule.</p>", "<p>Clear.</p></body></html>"], "Small nodule.\n\nClear."),
        (["No effusion.<br/>Small nodule."], "No effusion.\nSmall nodule."),
        ([r"FINDINGS: \T\lt;5 mm.", "IMPRESSION: Clear."], "FINDINGS: <5 mm.\nIMPRESSION: Clear."),
    ],
)
def test_source_in_lines_of_text_becomes_text(lines: list[str], text: str) -> None:
    """RTF and HTML are read in TX, over several lines too, escaped or as they are."""
    assert text_of(of_lines(lines)) == text
    assert versions(of_lines(lines, obx3="1&ADT"))[-1].text.text == text


@pytest.mark.parametrize("event", ["R01", "R30", "R31", "R32", "R40"])
def test_results_of_other_events_are_results(event: str) -> None:
    """Point-of-care events have the content of R01."""
    assert text_of(message(msh={9: f"ORU^{event}"})) == TEXT


def notice(event: str, txa: Mapping[int, str] | None = None, *more: str) -> bytes:
    """A message of a document."""
    fields = {
        1: "1",
        2: "RAD",
        4: "20260301080000-0500",
        7: "20260301081000-0500",
        9: "23^Brook^Sam",
        10: "17^Adler^Ruth",
        12: "D2^RIS",
        14: "ACC1",
        15: "FI1",
        17: "AU",
        19: "AV",
    }
    parts = (patient(), segment("TXA", fields | dict(txa or {})), *(more or (line(),)))
    return message("EVN|T02|20260301082000-0500", *parts, msh={9: f"MDM^{event}^MDM_T02"})


@pytest.mark.parametrize(
    ("event", "txa", "status", "reader"),
    [
        ("T02", {17: "DI"}, ReportStatus.PRELIMINARY, "23"),
        ("T02", {17: "IP"}, ReportStatus.PARTIAL, "23"),
        ("T02", {17: "PA"}, ReportStatus.PRELIMINARY, "23"),
        ("T01", {}, ReportStatus.FINAL, "17"),
        ("T02", {17: "LA"}, ReportStatus.FINAL, "17"),
        ("T04", {22: "31^Roe^Jan"}, ReportStatus.FINAL, "31"),
        ("T06", {}, ReportStatus.ADDENDUM, "17"),
        ("T08", {}, ReportStatus.CORRECTED, "17"),
        ("T08", {17: "DO"}, ReportStatus.PRELIMINARY, "23"),
        ("T10", {}, ReportStatus.CORRECTED, "17"),
        ("T11", {}, ReportStatus.CANCELLED, "23"),
        ("T04", {19: "CA"}, ReportStatus.CANCELLED, "23"),
    ],
)
def test_documents_are_reports(event: str, txa: dict[int, str], status: ReportStatus, reader: str) -> None:
    """The header of a document tells how far it is, and whose it is then."""
    [version] = versions(notice(event, txa))
    assert (version.status, version.reader) == (status, reader)
    assert version.text.text == ("" if status is ReportStatus.CANCELLED else TEXT)


def test_a_document_stands_for_its_order() -> None:
    """Without an OBR its header has the numbers; with one, that has them."""
    [version] = versions(notice("T02"))
    [examination] = version.examinations
    assert (examination.accession, version.filler, version.placer, examination.patient) == ("FI1", "FI1", "ACC1", "P9")
    assert examination.performed == datetime(2026, 3, 1, 13, tzinfo=UTC)
    assert version.issued == datetime(2026, 3, 1, 13, 20, tzinfo=UTC)
    [other] = versions(notice("T02", {14: "ACC7"}), accession_fields=["TXA-14"])
    assert other.examinations[0].accession == "ACC7"
    [unnumbered] = versions(notice("T10", {15: "", 13: "D1^RIS"}))
    assert (unnumbered.examinations[0].accession, unnumbered.filler) == ("ACC1", "D1")
    segments = notice("T02").decode().split("\r")
    ordered = "\r".join([*segments[:3], request({3: "FI9"}), *segments[3:]]).encode()
    [version] = versions(ordered)
    assert (version.examinations[0].accession, version.filler, version.reader) == ("ACC1", "FI9", "17")
    assert version.examinations[0].modality == "CT"


def test_a_document_that_is_not_clear_is_refused() -> None:
    """Without content, header or status, or once another has taken its place."""
    assert refusal(notice("T01", None, "ZZZ|1")) == ("no-text", "OBX-5")
    assert refusal(message(msh={9: "MDM^T02"})) == ("bad-order", "TXA")
    assert refusal(notice("T02", {17: ""})) == ("unknown-status", "TXA-17")
    assert refusal(notice("T02", {19: "OB"})) == ("unknown-status", "TXA-19")
    assert refusal(notice("T03"))[0] == "not-oru-r01"
    assert refusal(notice("T02", {14: "", 15: ""}))[0] == "no-accession"


@pytest.mark.parametrize(
    ("order", "lines", "status"),
    [
        ("A", "F", ReportStatus.FINAL),
        ("", "P", ReportStatus.PRELIMINARY),
        ("", "R", ReportStatus.PARTIAL),
        ("A", "C", ReportStatus.CORRECTED),
    ],
)
def test_lines_tell_the_status_that_an_order_leaves_to_them(order: str, lines: str, status: ReportStatus) -> None:
    """Where all of them say the same."""
    [version] = versions(of_lines([TEXT, "Clear."], {25: order}, obx11=lines))
    assert version.status is status
    mixed = message(patient(), request({25: order}), line(TEXT, {11: lines}), line("Clear.", {11: ""}))
    assert refusal(mixed) == ("unknown-status", "OBR-25")


def test_deleted_lines_are_left_out() -> None:
    """A line with the status D is no longer part of the report, whatever its type."""
    data = message(patient(), request(), line("Old nodule.", {11: "D", 2: "QQ"}), line("Clear.", {11: "F"}))
    assert text_of(data) == "Clear."


def test_notes_may_be_the_report() -> None:
    """Notes below an order without lines of text, if the settings say so."""
    data = message(patient(), request(), segment("NTE", {1: "1", 3: "Small nodule."}), segment("NTE", {3: "Clear."}))
    assert refusal(data) == ("no-text", "OBX-5")
    assert text_of(data, notes_as_report=True) == "Small nodule.\nClear."
    beside = message(patient(), request(), segment("NTE", {3: "Patient is late."}), line("Clear."))
    assert text_of(beside, notes_as_report=True) == "Clear."


def test_escapes_may_be_kept_as_they_stand() -> None:
    """Stray backslashes and sequences that HL7 does not have; what it has is decoded between them."""
    data = of_lines([r"L4\L5 \T\ 5\.br\mm \Zxx\ \F\ end\ "])
    assert refusal(data) == ("bad-escape", "OBX-5")
    assert text_of(data, lenient_escapes=True) == "L4\\L5 & 5\nmm \\Zxx\\ | end\\ "


def test_backslashes_without_end_take_no_longer() -> None:
    """Half a million of them, and as many blanks in what may be base64."""
    begun = monotonic()
    assert len(text_of(of_lines(["\\x" * 500_000]), lenient_escapes=True)) == 10**6
    blanks = document("A" * 20 + " " * 500_000 + "!")
    assert refusal(message(patient(), request(), blanks)) == ("unknown-document", "OBX-5")
    assert monotonic() - begun < 60


def test_statuses_and_codes_are_those_of_the_settings() -> None:
    """A status of a system's own, and lines by their code."""
    assert refusal(of_lines([TEXT], {25: "S"}))[0] == "unknown-status"
    assert versions(of_lines([TEXT], {25: "S"}), statuses={"S": "preliminary"})[0].status is ReportStatus.PRELIMINARY
    assert versions(of_lines([TEXT], {25: "V"}), statuses={"V": "cancelled"})[0].text.text == ""
    assert versions(notice("T02", {17: "ZZ"}), statuses={"ZZ": "final"})[0].status is ReportStatus.FINAL
    data = message(
        *(patient(), request(), line("DLP 5.", {3: "DOSE"}), line("Lungs clear.", {3: "BODY"})),
        *(line("Normal.", {3: "CONC"}), line("Read again.", {3: "EXTRA"}), line("Seen", {2: "CWE", 3: "DOSE"})),
    )
    assert refusal(data)[0] == "unclear-lines"
    codes = {"DOSE": "leave-out", "BODY": "findings", "CONC": "impression", "EXTRA": "addendum"}
    told = [(version.status, version.text.text) for version in versions(data, codes=codes)]
    assert told == [
        (ReportStatus.FINAL, "FINDINGS:\nLungs clear.\n\nIMPRESSION:\nNormal."),
        (ReportStatus.ADDENDUM, "Read again."),
    ]


def test_a_source_is_read_in_its_own_way() -> None:
    """What is set for a system goes before what is set for all, and only for its messages."""
    settings = {
        "statuses": {"S": "partial", "V": "final"},
        "codes": {"DOSE": "leave-out"},
        "sources": {
            "old": {
                "application": "OLDRIS",
                "statuses": {"S": "preliminary"},
                "lenient_escapes": True,
                "charset": "8859/1",
                "zone": "Europe/Berlin",
            },
            "south": {"facility": "SOUTH", "codes": {"BODY": "impression"}, "accession_fields": ["OBR-3"]},
        },
    }
    lines = [r"L4\L5"]
    [version] = versions(of_lines(lines, {25: "S"}).replace(b"RIS|", b"OLDRIS|", 1), **settings)
    assert (version.status, version.text.text) == (ReportStatus.PRELIMINARY, "L4\\L5")
    assert refusal(of_lines(lines, {25: "S"}), **settings)[0] == "bad-escape"
    south = message(
        patient(), request({25: "V"}), line("Clear.", {3: "BODY"}), line("5", {3: "DOSE"}), msh={4: "SOUTH"}
    )
    [version] = versions(south, **settings)
    assert (version.text.text, version.examinations[0].accession) == ("IMPRESSION:\nClear.", "FI1")


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"statuses": {"S": "draft"}}, "statuses must not be draft"),
        ({"statuses": {"S": "done"}}, "statuses"),
        ({"codes": {"A&B": "text"}}, "codes"),
        ({"codes": {"A": "maybe"}}, "codes"),
        ({"sources": {"x": {}}}, "application or facility"),
        ({"sources": {"x": {"facility": "N", "site": "n"}}}, "site"),
    ],
)
def test_settings_that_cannot_be_meant_are_refused(settings: dict[str, Any], problem: str) -> None:
    """Before anything is read."""
    with pytest.raises(Exception, match=problem):
        reading(**settings)


_SECOND = message(msh={10: "M2"}).replace(b"ACC1", b"ACC2").replace(b"FI1", b"FI2")


def batch(*messages: bytes, count: str = "", is_file: bool = False) -> bytes:
    """A batch of messages."""
    parts = [b"BHS|^~\\&|RIS|NORTH|OVERREAD||20260301||||B7", *messages, f"BTS|{count}".encode()]
    if is_file:
        parts = [b"FHS|^~\\&|RIS|NORTH", *parts, b"FTS|1"]
    return b"\r".join(parts)


def test_a_batch_is_its_messages() -> None:
    """With its frame of segments or without, in a file with frames of MLLP too; a part of one is refused."""
    both = [message(), _SECOND]
    assert [one.strip() for one in messages_of(batch(*both, count="2", is_file=True))] == both
    assert len(messages_of(b"\x0b" + both[0] + b"\x1c\r\x0b" + both[1] + b"\x1c\r")) == 2
    for broken in (batch(*both, count="3"), batch(*both).rpartition(b"BTS")[0], b"BTS|0\rMSH|\rBTS|1"):
        with pytest.raises(RefusedMessageError, match="batch"):
            messages_of(broken)


def test_batches_are_answered_message_by_message() -> None:
    """Over MLLP: what can be read is stored, the rest refused, and the acknowledgements come in one batch."""
    bad = message(patient(), request({25: "Q"}), line(), msh={10: "M3"})
    pdf, blank = (f"^AP^PDF^Base64^{encoded(pdf_of([lines]))}" for lines in (["Clear."], []))

    async def conversation(service: FakeService) -> list[list[Acknowledgement]]:
        async with (
            MllpListener(service, MllpOptions(port=0)) as listener,
            MllpClient("127.0.0.1", listener.port) as client,
        ):
            return [
                await client.send_batch(batch(message(), bad, _SECOND, count="3", is_file=True)),
                await client.send_batch(batch(message(), count="2")),
                [await client.send(notice("T02"))],
                [await client.send(message(patient(), request(), document(pdf)))],
                [await client.send(message(patient(), request(), document(blank)))],
            ]

    service = FakeService()
    answers, [truncated], [single], [read], [scanned] = asyncio.run(conversation(service))
    assert [(answer.code, answer.message, answer.reason) for answer in answers] == [
        (AcknowledgementCode.ACCEPT, "M1", ""),
        (AcknowledgementCode.ERROR, "M3", "unknown-status"),
        (AcknowledgementCode.ACCEPT, "M2", ""),
    ]
    assert (truncated.code, truncated.reason) == (AcknowledgementCode.ERROR, "fragment")
    assert (single.code, read.code) == (AcknowledgementCode.ACCEPT, AcknowledgementCode.ACCEPT)
    assert (scanned.code, scanned.reason, scanned.location) == (
        AcknowledgementCode.ERROR,
        "scanned-document",
        "OBX-5",
    )
    assert [version.text.text for version in service.versions] == [TEXT, TEXT, TEXT, "Clear."]
    assert [refused.reason for refused in service.refused] == ["unknown-status", "fragment", "scanned-document"]
