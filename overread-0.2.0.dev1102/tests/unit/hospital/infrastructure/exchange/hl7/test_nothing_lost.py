"""Through a real socket: what is acknowledged is stored word for word; what cannot be is refused with its reason."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import Sequence
from textwrap import wrap

import pytest
from attrs import frozen

from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.hl7.acknowledging import Acknowledgement, AcknowledgementCode
from overread.hospital.infrastructure.exchange.hl7.client import send_messages
from overread.hospital.infrastructure.exchange.hl7.listener import MllpListener
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options, MllpOptions, NoteUse

from .fake_service import FakeService
from .messages import header, line, message, of_lines, patient, request, segment

_PATIENCE_S = 60.0
_CLEAR = "FINDINGS: The lungs are clear."
_AIR = "Small left pneumothorax."


@frozen
class _Outcome:
    """What became of messages that were sent one after the other."""

    answers: Sequence[Acknowledgement]
    versions: Sequence[ReportVersion]
    refused: Sequence[str]

    @property
    def texts(self) -> list[str]:
        assert [each.code for each in self.answers] == [AcknowledgementCode.ACCEPT] * len(self.answers)
        return [version.text.text for version in self.versions]

    @property
    def refusal(self) -> tuple[str, str]:
        """Reason and place; nothing was stored, and the refusal is kept by the message's own name."""
        [answer] = self.answers
        assert answer.code is AcknowledgementCode.ERROR
        assert (answer.message, list(self.versions), self.refused) == ("M1", [], [f"M1 {answer.reason}"])
        assert answer.detail
        assert "pneumothorax" not in answer.detail
        return answer.reason, answer.location


def _sent(*messages: bytes, **options: object) -> _Outcome:
    async def story() -> _Outcome:
        service = FakeService()
        async with asyncio.timeout(_PATIENCE_S):
            reading = Hl7Options(**options)  # type: ignore[arg-type]
            async with MllpListener(service, MllpOptions(port=0), reading) as listener:
                answers = await send_messages(messages, "127.0.0.1", listener.port)
        return _Outcome(answers, service.versions, [f"{each.message} {each.reason}" for each in service.refused])

    return asyncio.run(story())


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("{clear}{end}{air}", "{clear}\n{air}"),
        ("{clear}{end}{end}IMPRESSION: {air}", "{clear}\n\nIMPRESSION: {air}"),
        ("{clear}{end}CTA chest: {air}", "{clear}\nCTA chest: {air}"),
        ("{clear}{end}OBX{end}{air}", "{clear}\nOBX\n{air}"),
        ("{clear}{end}  1. {air}{end}  2. Otherwise normal.", "{clear}\n  1. {air}\n  2. Otherwise normal."),
        ("{clear}{end}{air}~Rest\\.br\\normal.{end}End.", "{clear}\n{air}\nRest\nnormal.\nEnd."),
    ],
)
def test_a_line_break_within_text_loses_nothing(end: str, sent: str, stored: str) -> None:
    """Whatever a sender ends lines with, the line that follows is stored, also where fields come after the text."""
    text = sent.format(clear=_CLEAR, air=_AIR, end=end)
    data = message(patient(), request(), line(text, {11: "F"}), segment("ZDS", {1: "1.2.3"}))
    assert _sent(data).texts == [stored.format(clear=_CLEAR, air=_AIR)]


def test_line_feeds_between_segments_and_within_text() -> None:
    """A message with one ending throughout says the same as one with HL7's."""
    data = message(patient(), "PV1", request({31: f"^fall{chr(10)}from a ladder"}), line(f"{_CLEAR}\r{_AIR}"))
    outcome = _sent(data.replace(b"\r", b"\r\n"), data.replace(b"\r", b"\n").replace(b"M1", b"M2"))
    assert outcome.texts == [f"{_CLEAR}\n{_AIR}"] * 2
    assert {each.examinations[0].context.indication for each in outcome.versions} == {"fall\nfrom a ladder"}


def test_two_identical_reports_stay_identical() -> None:
    """The preliminary report's line feed and the final's escape are the same line break."""
    first = of_lines([f"{_CLEAR}\n{_AIR}"], {25: "P"})
    second = of_lines([f"{_CLEAR}\\.br\\{_AIR}"]).replace(b"M1", b"M2")
    early, late = _sent(first, second).texts
    assert early == late


@pytest.mark.parametrize(
    ("segments", "reason", "location"),
    [
        ([line(f"{_CLEAR}\nLAD|{_AIR}")], "unknown-segment", ""),
        ([line(_CLEAR, {11: "F"}), line(_AIR).replace("OBX", "obx")], "unknown-segment", ""),
        ([line(_CLEAR), line(_AIR).replace("OBX", "OBZ")], "unknown-segment", ""),
        ([segment("ZDS", {1: "1"}), line(_AIR).replace("OBX", "OBXX"), line(_CLEAR)], "loose-line", "ZDS"),
        ([line(_AIR).replace("OBX", "OBXX"), line(_CLEAR)], "loose-line", "OBR"),
        ([line(_CLEAR, {11: "F"}) + f"\n{_AIR}"], "loose-line", "OBX"),
        ([line(f"{_CLEAR} 5 mm | {_AIR}")], "stray-separator", "OBX-6"),
        ([line(f"{_CLEAR} || {_AIR}")], "stray-separator", "OBX-7"),
        ([line(f"{_CLEAR} ||| {_AIR}", {11: "F"})], "stray-separator", "OBX-8"),
        ([line(f"{_CLEAR} ||| Pneumothorax.", {11: "F"})], "stray-separator", "OBX-8"),
        ([line(f"{_CLEAR} ||| Effusion", {11: "F"})], "stray-separator", "OBX-14"),
        *(([line(_CLEAR, {number: _AIR})], "stray-separator", f"OBX-{number}") for number in (9, 10, 12, 13, 14, 19)),
        ([line(_CLEAR), line(_AIR, {2: ""})], "unknown-type", "OBX-2"),
        ([line(_CLEAR), line(_AIR, {2: "TXT"})], "unknown-type", "OBX-2"),
        ([line(_CLEAR), "DSC|77|I"], "fragment", "DSC"),
        (["ADD|rest", line(_CLEAR)], "fragment", "ADD"),
        ([line(_CLEAR), f"DSP|1||{_AIR}"], "text-elsewhere", "DSP-3"),
        ([line(_CLEAR), header({10: "M2"}), patient(), request({3: "F2"}), line(_AIR)], "two-messages", "MSH"),
    ],
)
def test_what_would_lose_a_part_of_a_report_is_refused(segments: list[str], reason: str, location: str) -> None:
    """Text outside OBX-5, a part of a message, more than one, or a segment that is misspelt."""
    assert _sent(message(patient(), request(), *segments)).refusal == (reason, location)


def test_fields_after_the_text_may_hold_what_they_are_for() -> None:
    """Flags with their words, a probability, codes and times are no text."""
    fields = {8: "H^Above high normal^HL70078~AA", 9: "0.75", 10: "A", 13: "RAD only"}
    times = {12: "20260101", 14: "20260301081500.25-0500", 19: '""'}
    assert _sent(message(patient(), request(), line(_CLEAR, fields | times))).texts == [_CLEAR]


def test_a_separator_within_a_note_that_is_text_refuses_it() -> None:
    """What comes after it would be lost."""
    segments = [patient(), request(), line(_CLEAR), f"NTE|1||5 mm | {_AIR}"]
    assert _sent(message(*segments), notes=NoteUse.TEXT).refusal == ("stray-separator", "NTE-4")
    assert _sent(message(*segments[:-1], f"NTE|1||{_AIR}|RE^Remark"), notes=NoteUse.TEXT).texts == [f"{_CLEAR}\n{_AIR}"]


def test_a_report_that_goes_on_elsewhere_is_refused() -> None:
    """By the pointer in its header."""
    assert _sent(message(msh={14: "77"})).refusal == ("fragment", "MSH-14")


def test_a_type_in_small_letters_is_that_type() -> None:
    """It is no other, and its line not left out."""
    assert _sent(of_lines([_CLEAR, _AIR], obx2="tx")).texts == [f"{_CLEAR}\n{_AIR}"]


def test_a_value_that_is_taken_away_says_nothing() -> None:
    """HL7's null is no text, and its line blank."""
    assert _sent(of_lines([_CLEAR, '""', _AIR])).texts == [f"{_CLEAR}\n\n{_AIR}"]


def test_notes_are_as_the_settings_have_them() -> None:
    """Below a line of text they are refused until it is said what they are; those of the order are not the report's."""
    segments = [patient(), request(), "NTE|1||fasting", line(_CLEAR), f"NTE|1||{_AIR}", line("End."), "NTE|2||"]
    assert _sent(message(*segments)).refusal == ("note-in-report", "NTE-3")
    assert _sent(message(*segments), notes=NoteUse.TEXT).texts == [f"{_CLEAR}\n{_AIR}\nEnd."]
    assert _sent(message(*segments), notes=NoteUse.LEAVE_OUT).texts == [f"{_CLEAR}\nEnd."]


_TECHNOLOGIST = line("Technologist: Jones", {1: "2", 2: "ST"})
_DOSE = line("DLP 300 mGycm", {1: "2", 3: "DOSE^Dose"})


@pytest.mark.parametrize("other", [_TECHNOLOGIST, _DOSE, line("B. Roe", {1: "2", 3: "1&CNS"})])
def test_lines_of_another_kind_are_no_text_of_the_report(other: str) -> None:
    """They are refused until the settings tell them apart by code or type, wherever they stand."""
    for segments in ([line(_CLEAR), other], [other, line(_CLEAR)]):
        assert _sent(message(patient(), request(), *segments)).refusal == ("unclear-lines", "OBX-3")
        everything = _sent(message(patient(), request(), *segments), text_ids=frozenset({"*"})).texts
        assert sorted("".join(everything).split("\n")) == sorted([_CLEAR, other.split("|")[5]])


def test_settings_tell_lines_apart() -> None:
    """By type, or by code; a line that is left out is not text, and nothing else is lost."""
    by_type = _sent(message(patient(), request(), line(_CLEAR), _TECHNOLOGIST), text_types=frozenset({"TX", "FT"}))
    by_code = _sent(message(patient(), request(), line(_CLEAR), _DOSE, line(_AIR)), text_ids=frozenset({"1"}))
    assert (by_type.texts, by_code.texts) == ([_CLEAR], [f"{_CLEAR}\n{_AIR}"])


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("NM", _AIR),
        ("DT", _AIR),
        ("ID", "left pneumothorax"),
        ("CWE", f"^^^^^^^^{_AIR} It is new and there is a shift."),
        ("XPN", f"{_AIR} It is new and there is a shift."),
        ("CE", f"a^b~{_AIR} It is new~and there is a shift."),
    ],
)
def test_sentences_under_another_type_than_text_are_refused(kind: str, value: str) -> None:
    """A line of the report would be left out as a number, a code or a name; the settings can say that it is none."""
    data = message(patient(), request(), line(_CLEAR), line(value, {1: "2", 2: kind, 3: "X"}))
    assert _sent(data).refusal == ("unclear-lines", "OBX-2")
    assert _sent(data, text_ids=frozenset({"1"})).texts == [_CLEAR]


def test_numbers_codes_and_names_beside_text_are_left_out() -> None:
    """As they are meant."""
    others = {
        "NM": "4.1",
        "CE": "36118008^Pneumothorax^SCT",
        "XPN": "Roe^Jane",
        "TS": "20260301",
        "ID": "FINAL",
        "SN": "^5",
    }
    lines = [line(value, {2: kind, 3: "X"}) for kind, value in others.items()]
    assert _sent(message(patient(), request(), line(_CLEAR), *lines)).texts == [_CLEAR]


def test_two_statuses_in_one_field_are_refused() -> None:
    """Which of them is meant is not told."""
    assert _sent(of_lines([_CLEAR], {25: "F~P"})).refusal == ("unclear-status", "OBR-25")


_PDF = line("RIS^application^pdf^Base64^JVBERi0xLjQK", {1: "2", 2: "ED", 3: "PDF"})


@pytest.mark.parametrize(
    "lines",
    [
        [line("Normal.", {3: "71250&IMP"}), _PDF],
        [_PDF, line("Follow up in a year.", {3: "71250&REC"})],
        [line("Read again.", {3: "71250&ADT"}), line("7^RIS", {2: "RP", 3: "71250"})],
        [line("Clear.", {3: "71250&GDT"}), line("^text^^Base64^Tm9ybWFs", {2: "ED", 3: "71250&IMP"})],
    ],
)
def test_a_document_that_holds_the_rest_of_a_report_refuses_it(lines: list[str]) -> None:
    """The text would pass for a report that leaves its findings out; the settings can say that it is all."""
    data = message(patient(), request(), *lines)
    assert _sent(data).refusal == ("unclear-lines", "OBX-2")
    assert len(_sent(data, text_ids=frozenset({"71250"})).texts) == 1


@pytest.mark.parametrize("code", ["71250", "71250&GDT", "REPORT"])
def test_a_document_beside_the_findings_is_left_out(code: str) -> None:
    """It shows what the text says."""
    assert len(_sent(message(patient(), request(), line(_CLEAR, {3: code}), _PDF)).texts) == 1


def test_parts_of_a_report_are_no_lines_of_another_kind() -> None:
    """By HL7's suffix, the code of what was ordered, LOINC's code or their name; each gets its heading."""
    data = message(
        patient(),
        request(),
        line("Lungs clear.", {3: "FINDINGS^Findings"}),
        line("Compared with 2025.", {2: "ST", 3: "18834-2^Comparison^LN"}),
        line("Heart normal.", {3: "71250^CT CHEST"}),
        line("Normal chest.", {3: "71250&IMP^CT CHEST"}),
        line("Read again.", {3: "ADD^Addendum"}),
        line("", {3: "OTHER"}),
    )
    outcome = _sent(data)
    assert [version.status for version in outcome.versions] == [ReportStatus.FINAL, ReportStatus.ADDENDUM]
    assert outcome.texts == [
        "FINDINGS:\nLungs clear.\n\nCOMPARISON:\nCompared with 2025.\n\nHeart normal.\n\nIMPRESSION:\nNormal chest.",
        "Read again.",
    ]


@pytest.mark.parametrize(
    "text",
    [
        r"Seen: {\E\rtf1\E\ansi\E\deff0 Small pneumothorax.}",
        r"size \T\lt; 5 <upper limit, > lower",
        "<?xml version='1.0'?><ClinicalDocument>Small pneumothorax.</ClinicalDocument>",
        "%PDF-1.4 pneumothorax",
    ],
)
def test_the_source_of_a_document_is_refused(text: str) -> None:
    """Marks would be read as words."""
    assert _sent(of_lines([text])).refusal == ("markup", "OBX-5")
    assert _sent(of_lines([text], obx3="1&ADT")).refusal == ("markup", "OBX-5")


@pytest.mark.parametrize(
    "text", ["Nodule <5 mm and >3 mm.", "T2 < T1, p <0.05.", "{see below} R&D <b or c>", "a\\T\\b; c"]
)
def test_signs_in_plain_text_are_no_marks(text: str) -> None:
    """Less and greater, brackets and ampersands are text."""
    assert _sent(of_lines([text])).texts == [text.replace("\\T\\", "&")]


@pytest.mark.parametrize("name", ["8859/1", "ISO IR100", "WINDOWS-1252"])
def test_quotes_and_dashes_of_windows_are_read(name: str) -> None:
    """Whatever of both sets a sender names; also where a byte is escaped, and where a converter took them along."""
    data = message(patient(), request(), line("$"), msh={18: name}).replace(b"|$", b"|patient\x92s \x96 \\X95\\ 5 \xb0")
    assert _sent(data).texts == ["patient\u2019s \u2013 \u2022 5 \u00b0"]
    assert _sent(message(patient(), request(), line("patient\x92s"))).texts == ["patient\u2019s"]


@pytest.mark.parametrize(
    ("name", "sent"),
    [("8859/1", "Größe".encode()), ("8859/15", "Größe".encode()), ("8859/2", b"patient\x92s"), ("8859/1", b"\x81")],
)
def test_another_character_set_than_the_one_named_is_refused(name: str, sent: bytes) -> None:
    """UTF-8, and what no set of that name has."""
    data = message(patient(), request(), line("$"), msh={18: name}).replace(b"|$", b"|" + sent)
    assert _sent(data).refusal == ("not-in-charset", "MSH-18")


def test_one_report_is_of_one_patient() -> None:
    """The same words about two patients are two reports, and none is lent to another's examination."""
    other = (patient({3: "P7"}), request({3: "FI2", 18: "ACC2"}))
    same = _sent(message(patient(), request(), line("Normal chest."), *other, line("Normal chest.")))
    assert same.texts == ["Normal chest."] * 2
    told = [[(each.accession, each.patient) for each in version.examinations] for version in same.versions]
    assert told == [[("ACC1", "P9")], [("ACC2", "P7")]]
    without = _sent(message(patient(), request(), line("Normal chest."), *other))
    assert without.refusal == ("several-patients", "PID-3")


def test_a_withdrawal_is_taken_whatever_its_lines_say() -> None:
    """Each report that is withdrawn is named by its own number, with lines or without."""
    second = request({3: "FI2", 18: "ACC2", 25: "X"})
    marked = line(r"{\rtf1\ansi withdrawn|}", {1: "2", 3: "OTHER"})
    outcome = _sent(message(patient(), request({25: "X"}), line(""), marked, second, line("")))
    assert outcome.texts == ["", ""]
    told = [(each.status, each.filler, [key.accession for key in each.keys]) for each in outcome.versions]
    assert told == [(ReportStatus.CANCELLED, "FI1", ["ACC1"]), (ReportStatus.CANCELLED, "FI2", ["ACC2"])]
    bare = _sent(message(patient(), request({25: "X"}), second))
    assert [each.filler for each in bare.versions] == ["FI1", "FI2"]


@pytest.mark.parametrize("place", ["PID", "MRG"])
def test_an_identifier_that_a_line_break_is_in_is_refused(place: str) -> None:
    """A patient could not be found under it."""
    odd = "P9\nNorth"
    if place == "PID":
        assert _sent(message(patient({3: odd}), request(), line())).refusal == ("bad-identifier", "PID-3")
    else:
        merge = message(patient(), segment("MRG", {1: odd}), msh={9: "ADT^A40"})
        assert _sent(merge).refusal == ("bad-identifier", "MRG-1")


def test_lines_below_a_patient_without_an_order_are_nobodys() -> None:
    """A PID that no OBR follows refuses the message: its lines would be taken for the patient's before."""
    other = patient({3: "P2^^^NORTH^MR"})
    astray = [
        (patient(), request(), line(_CLEAR), other, line(_AIR)),
        (patient(), request(), line(_CLEAR), other),
        (request(), line(_AIR), other),
    ]
    assert [_sent(message(*segments)).refusal for segments in astray] == [("bad-order", "PID")] * 3
    following = (patient(), request(), line(_CLEAR), other, request({3: "FI2", 18: "ACC2"}), line(_AIR))
    assert _sent(message(*following)).texts == [_CLEAR, _AIR]


@pytest.mark.parametrize("kind", ["CE", "CWE", "IS"])
@pytest.mark.parametrize("code", ["71250&IMP", "1&ADT", "IMPRESSION", "X1^Findings", "19005-8"])
def test_a_part_of_a_report_that_is_a_code_is_not_left_out(kind: str, code: str) -> None:
    """An impression that is told as a code refuses the message until the settings name the lines of text."""
    coded = line("J93.9^Pneumothorax^I10", {1: "2", 2: kind, 3: code})
    data = message(patient(), request(), line(_CLEAR), coded)
    assert _sent(data).refusal == ("unclear-lines", "OBX-2")
    assert _sent(data, text_ids=["1"]).texts == [_CLEAR]


def test_codes_beside_a_report_are_left_out() -> None:
    """A code that is no part of the report, or says why and how the images were made, does not count."""
    codes = [line("A1^Something^L", {1: "2", 2: "CE", 3: code}) for code in ("DOSE", "71250&CMS", "TECHNIQUE")]
    empty = line("", {1: "3", 2: "CE", 3: "71250&IMP"})
    assert _sent(message(patient(), request(), line(_CLEAR), *codes, empty)).texts == [_CLEAR]


def test_several_accession_numbers_in_a_field_are_not_left_out() -> None:
    """The message is refused: all examinations but the first would lack the report."""
    assert _sent(message(patient(), request({18: "ACC1~ACC2"}), line())).refusal == ("bad-identifier", "OBR-18")
    [version] = _sent(message(patient(), request({18: "ACC1^X~ACC1~"}), line())).versions
    assert [key.accession for key in version.keys] == ["ACC1"]


def test_base64_is_no_text() -> None:
    """A report that came as base64 in a line of text is refused, in one line or broken into several."""
    encoded = b64encode(b"FINDINGS: 2 small nodules.\nIMPRESSION: Small left pneumothorax. " * 2).decode()
    assert _sent(of_lines([encoded])).refusal == ("markup", "OBX-5")
    assert _sent(of_lines([_CLEAR, encoded[:76], encoded[76:]])).refusal == ("markup", "OBX-5")
    drawn = ["X" * 60, "/" * 60, "Electroencephalographicallyindistinguishable"]
    assert _sent(of_lines([*drawn, _CLEAR])).texts == ["\n".join([*drawn, _CLEAR])]


_WHOLE = (
    "Compared with the study of last autumn the opacity at the left base has cleared. A small pneumothorax persists "
    "at the right apex, unchanged in width since this morning, with the drain in place. The mediastinum is central. "
    "IMPRESSION: Right apical pneumothorax, unchanged."
)
_WIDTH = 40
_CUT = [_WHOLE[start : start + _WIDTH] for start in range(0, len(_WHOLE), _WIDTH)]


def test_lines_that_look_cut_within_words_are_refused() -> None:
    """Their words would be broken; a number of characters that is set for the system makes them whole."""
    assert _sent(of_lines(_CUT)).refusal == ("cut-lines", "OBX-5")
    assert _sent(of_lines(["~".join(_CUT)])).refusal == ("cut-lines", "OBX-5")
    assert _sent(of_lines(_CUT), cut_at=_WIDTH).texts == [_WHOLE]
    assert _sent(of_lines(_CUT), cut_at=0).texts == ["\n".join(_CUT).strip()]


def test_lines_are_joined_at_the_cut_alone() -> None:
    """Shorter lines end where they end, blank lines stay, and what has longer lines was not cut there."""
    lines = ["FINDINGS:", "No pneumot", "horax seen", " today.", "No pleural", "", "IMPRESSION"]
    assert _sent(of_lines(lines), cut_at=10).texts == [
        "FINDINGS:\nNo pneumothorax seen today.\nNo pleural\n\nIMPRESSION"
    ]
    wrapped = ["The lungs", "are clear.", "No effusion is seen."]
    assert _sent(of_lines(wrapped), cut_at=10).texts == ["\n".join(wrapped)]


def test_lines_that_end_where_words_do_are_no_cut_ones() -> None:
    """Wrapped at words, filled up with blanks, with straight margins, and rows of a table."""
    wrapped = wrap(_WHOLE, _WIDTH)
    padded = [row.ljust(_WIDTH) for row in wrapped]
    straight = [row.replace(" ", " " * (1 + _WIDTH - len(row)), 1) for row in wrapped]
    for lines in (wrapped, padded, straight, _CUT[:5]):
        assert _sent(of_lines(lines)).texts == ["\n".join(lines)]


@pytest.mark.parametrize("kind", ["PLAIN", "HTML"])
def test_base64_without_its_end_is_refused(kind: str) -> None:
    """A text that may end anywhere does not tell that its rest is missing."""
    whole = b64encode(b"<p>The lungs are clear. Small left pneumothorax.</p>").decode()
    cut = line(f"^TEXT^{kind}^Base64^{whole[:-9]}", {2: "ED"})
    assert _sent(message(patient(), request(), cut)).refusal == ("not-base64", "OBX-5")


_PICTURE = r"{\rtf1{\pict\pngblip 89504e47}}"


@pytest.mark.parametrize(
    "picture",
    [
        line(f"^TEXT^RTF^Base64^{b64encode(_PICTURE.encode()).decode()}", {2: "ED"}),
        line(_PICTURE),
        line(_PICTURE.replace("\\", "\\E\\")),
    ],
)
def test_a_document_that_is_only_a_picture_says_so(picture: str) -> None:
    """Its sender sees that the document came, and that its text did not."""
    outcome = _sent(message(patient(), request(), picture))
    assert outcome.refusal == ("no-text", "OBX-5")
    assert "picture" in outcome.answers[0].detail
