"""Messages of HL7 version 2 as versions of reports."""

from __future__ import annotations

import random
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import hl7
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.reports.report import ClinicalContext
from overread.exceptions import ConfigurationError
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_parts import joined_report
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options
from overread.hospital.infrastructure.exchange.hl7.reading import UNSUPPORTED, Content, read_hl7
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.hospital.infrastructure.serving_settings import serve_configuration

from .messages import TEXT, line, message, of_lines, patient, request, segment


def _one(data: bytes, options: Hl7Options | None = None) -> ReportVersion:
    [version] = read_hl7(data, options).versions
    return version


def _refused(data: bytes, options: Hl7Options | None = None) -> RefusedMessageError:
    with pytest.raises(RefusedMessageError) as caught:
        read_hl7(data, options)
    return caught.value


def test_every_field_has_its_place() -> None:
    """Of an ordinary message each field of a version, its examination and its context is read."""
    version = _one(message())
    assert version == ReportVersion(
        examinations=(
            Examination(
                site="NORTH",
                accession="ACC1",
                patient="P9",
                modality="CT",
                procedure="CT CHEST",
                performed=datetime(2026, 3, 1, 13, tzinfo=UTC),
                context=ClinicalContext(age=70.0, sex="F", indication="cough"),
            ),
        ),
        status=ReportStatus.FINAL,
        text=TEXT,
        reader="17",
        filler="FI1",
        placer="PL1",
        issued=datetime(2026, 3, 1, 13, 15, tzinfo=UTC),
        source="hl7",
        message="M1",
    )


@pytest.mark.parametrize(
    ("code", "status", "reader"),
    [
        ("P", ReportStatus.PRELIMINARY, "23"),
        ("R", ReportStatus.PARTIAL, "23"),
        ("F", ReportStatus.FINAL, "17"),
        ("C", ReportStatus.CORRECTED, "17"),
        ("X", ReportStatus.CANCELLED, "17"),
    ],
)
def test_the_status_decides_whose_report_it_is(code: str, status: ReportStatus, reader: str) -> None:
    """What is not verified is the assistant's, what is signed the principal interpreter's."""
    version = _one(of_lines([TEXT], {25: code}))
    assert (version.status, version.reader) == (status, reader)


@pytest.mark.parametrize("code", ["", "A", "I", "O", "S", "Y", "Z", "N", "p", "FINAL"])
def test_an_unknown_status_is_refused_and_never_guessed(code: str) -> None:
    """Also those of table 0123 that say that there is no result, or only a part."""
    error = _refused(of_lines([TEXT], {25: code}))
    assert (error.code, error.location, error.message) == ("unknown-status", "OBR-25", "M1")


@pytest.mark.parametrize(("report", "lines"), [("F", "P"), ("P", "F"), ("C", "P"), ("F", "W")])
def test_lines_that_contradict_the_report_refuse_it(report: str, lines: str) -> None:
    """Unless it is said that the sender's lines mean nothing."""
    data = of_lines([TEXT], {25: report}, obx11=lines)
    error = _refused(data)
    assert (error.code, error.location) == ("unclear-status", "OBX-11")
    assert _one(data, Hl7Options(check_line_status=False)).text.text == TEXT


@pytest.mark.parametrize(("report", "lines"), [("F", "F"), ("P", "R"), ("R", "P"), ("C", "F"), ("C", "C"), ("X", "D")])
def test_lines_may_say_the_same(report: str, lines: str) -> None:
    """A corrected report has lines that are corrected and lines that stay."""
    assert _one(of_lines([TEXT], {25: report}, obx11=lines)).message == "M1"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (r"L4\T\L5 \F\ \S\ \R\ \E\ here", r"L4&L5 | ^ ~ \ here"),
        (r"one\.br\two\.sp\three\.sp2\four", "one\ntwo\nthree\n\nfour"),
        (r"\.in4\one\.ti+2\two\.sk3\three\.ce\four\.nf\five\.fi\six", "    one  two   three\nfour five six"),
        (r"a \H\large\N\ one", "a large one"),
        ("\\X48\\\\X6921\\", "Hi!"),
        (r"a\XC3A9\b", "aéb"),
        (r"a\X0D0A\b", "a\nb"),
        (r"\C2842\plain\C2D41\again", "plainagain"),
        ("one~two", "one\ntwo"),
        ("5^6 and 7&8", "5^6 and 7&8"),
        ("µ ≥ é", "µ ≥ é"),
    ],
)
def test_escapes_and_repetitions_of_text(value: str, text: str) -> None:
    """Text is what the sender wrote before it was escaped; unescaped separators of components are text."""
    assert _one(of_lines([value])).text.text == text


@pytest.mark.parametrize(
    "value", [r"\Q\x", r"and\or", r"\Zabc\ ", r"\X0\ ", r"\X00\ ", r"\XFF\ ", r"\M123456\ ", r"\.x\ "]
)
def test_an_escape_that_is_not_known_is_refused(value: str) -> None:
    """What it stands for would be guessed; the refusal says how a backslash is written, and not what was sent."""
    error = _refused(of_lines([value]))
    assert (error.code, error.location) == ("bad-escape", "OBX-5")
    assert r"\E\ ".strip() in error.detail
    assert value.strip() not in str(error)


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        ("UNICODE UTF-8", "utf-8"),
        ("UTF-8", "utf-8"),
        ("8859/1", "iso8859-1"),
        ("ISO-8859-1", "iso8859-1"),
        ("8859/15", "iso8859-15"),
        ("8859/1~UNICODE UTF-8", "iso8859-1"),
        ("windows-1252", "cp1252"),
    ],
)
def test_character_sets(name: str, encoding: str) -> None:
    """The set that MSH-18 names first is that of the message."""
    data = message(patient(), request(), line("Größe: 5 mm, sténose"), msh={18: name})
    assert _one(data.decode().encode(encoding)).text.text == "Größe: 5 mm, sténose"


def test_what_is_not_in_the_character_set_is_refused() -> None:
    """No character is replaced or lost: an umlaut in ASCII, one of ISO 8859-1 in UTF-8, a set that is not known."""
    ascii_ = message(patient(), request(), line("Größe"), msh={18: "ASCII"})
    latin = message(patient(), request(), line("Größe"), msh={18: ""}).decode().encode("iso8859-1")
    unknown = message(msh={18: "KLINGON"})
    assert [_refused(data).code for data in (ascii_, latin, unknown)] == [
        "not-in-charset",
        "not-in-charset",
        "unknown-charset",
    ]
    assert _one(latin, Hl7Options(charset="8859/1")).text.text == "Größe"


@pytest.mark.parametrize(
    ("changes", "code", "location"),
    [
        ({9: "ADT^A01"}, "not-oru-r01", "MSH-9"),
        ({9: "ORU^R03"}, "not-oru-r01", "MSH-9"),
        ({12: "3.0"}, "unsupported-version", "MSH-12"),
        ({12: ""}, "unsupported-version", "MSH-12"),
        ({11: "T"}, "unsupported-processing", "MSH-11"),
        ({10: ""}, "no-control-id", "MSH-10"),
        ({4: ""}, "no-site", "MSH-4"),
    ],
)
def test_headers_of_other_messages(changes: dict[int, str], code: str, location: str) -> None:
    """What is no result for here is refused by its header."""
    error = _refused(message(msh=changes))
    assert (error.code, error.location) == (code, location)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "no-header"),
        (b"hello", "no-header"),
        (b"MSH", "no-header"),
        (b"MSH||||||||||||", "bad-separators"),
        (b"MSHaabcdea", "bad-separators"),
        (message(patient(), request(), line("a\0b")), "bad-character"),
        (message(patient(), line()), "bad-order"),
        (message(patient()), "no-order"),
        (message(patient(), request()), "no-text"),
        (of_lines(["", " "]), "no-text"),
        (of_lines(["JVBERi0xLjQ="], obx2="ED"), "bad-pdf"),
        (of_lines(["7^RIS^application^pdf"], obx2="RP"), "not-embedded"),
        (of_lines([TEXT], obx11="D"), "no-text"),
        (of_lines([TEXT], {18: "", 3: ""}), "no-accession"),
        (of_lines([TEXT], {22: "yesterday"}), "bad-time"),
        (of_lines([TEXT], {22: "20261301"}), "bad-time"),
        (of_lines([TEXT], {7: "202603012561"}), "bad-time"),
        (of_lines([TEXT], {22: "99991231235959-1400"}), "bad-time"),
        (of_lines([TEXT], {18: "x" * 201}), "bad-identifier"),
        (of_lines([TEXT], {3: r"a\X0A\b"}), "bad-identifier"),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, code: str) -> None:
    """The reason is a code, and the message is named without its text."""
    error = _refused(data)
    assert error.code == code
    assert TEXT not in str(error)


@pytest.mark.parametrize(
    ("sent", "zone", "read"),
    [
        ("20260301081500.123-0500", None, datetime(2026, 3, 1, 13, 15, 0, 123000, tzinfo=UTC)),
        ("202603010815+0130", None, datetime(2026, 3, 1, 6, 45, tzinfo=UTC)),
        ("202603010815", None, None),
        ("202603010815", "Europe/Berlin", datetime(2026, 3, 1, 7, 15, tzinfo=UTC)),
        ("202607010815", "Europe/Berlin", datetime(2026, 7, 1, 6, 15, tzinfo=UTC)),
        ("2026030108", "UTC", datetime(2026, 3, 1, 8, tzinfo=UTC)),
        ("20260301", "UTC", datetime(2026, 3, 1, tzinfo=UTC)),
        ("", "UTC", None),
    ],
)
def test_times(sent: str, zone: str | None, read: datetime | None) -> None:
    """A time without a zone is that of the configured one, summer time and all, or is not told."""
    assert _one(of_lines([TEXT], {22: sent}), Hl7Options(zone=zone)).issued == read


@pytest.mark.parametrize(
    ("born", "age"),
    [("19560301", 70.0), ("20260115", 0.12), ("", None), ("1956", None), ("00000000", None), ("18000101", None)],
)
def test_the_age_is_that_at_the_examination(born: str, age: float | None) -> None:
    """One that cannot be is not known; it refuses no report."""
    assert _one(message(patient({7: born}), request(), line())).examinations[0].context.age == age


def test_accession_numbers_stand_where_it_is_said() -> None:
    """The first field that holds one counts; the default is OBR-18, OBR-3, ORC-3."""
    data = message(patient(), segment("ORC", {1: "RE", 3: "O3"}), request({18: "", 3: ""}), line())
    assert [each.accession for each in _one(data).examinations] == ["O3"]
    assert _one(of_lines([TEXT], {18: ""})).examinations[0].accession == "FI1"
    chosen = Hl7Options(accession_fields=["OBR-2", "OBR-18"])
    assert _one(of_lines([TEXT]), chosen).examinations[0].accession == "PL1"


def test_sites_can_be_named() -> None:
    """A facility is its own name unless it is given another; without any there is one to fall back on."""
    named = Hl7Options(sites={"NORTH": "Nordklinik"}, site="Süd")
    assert _one(message(), named).examinations[0].site == "Nordklinik"
    assert _one(message(msh={4: ""}), named).examinations[0].site == "Süd"


def test_the_medical_record_number_is_the_patient() -> None:
    """Among several identifiers of a patient it comes first."""
    data = message(patient({3: "SOC1^^^STATE^SS~P7^^^NORTH^MR"}), request(), line())
    assert _one(data).examinations[0].patient == "P7"
    assert _one(message(request(), line())).examinations[0].patient == ""


@pytest.mark.parametrize(
    ("readers", "reader"),
    [
        ({32: "", 33: "23"}, "23"),
        ({32: "&Adler&Ruth", 33: ""}, "Adler Ruth"),
        ({32: "", 33: ""}, "31"),
    ],
)
def test_readers(readers: dict[int, str], reader: str) -> None:
    """Their identifier, else their name; the other interpreter, else the observer, where the first is not told."""
    assert _one(of_lines([TEXT], readers, obx16="31^Cole^Mia")).reader == reader


@pytest.mark.parametrize("code", ["P", "F", "C"])
def test_a_model_is_told_by_its_application_or_equipment(code: str) -> None:
    """What it says is a draft, whatever its status; it has no reader."""
    options = Hl7Options(models={"CHESTAI": "ChestAI 2.1", "EQ7": "HeadAI 1.0"})
    by_application = _one(message(patient(), request({25: code}), line(), msh={3: "CHESTAI"}), options)
    by_equipment = _one(of_lines([TEXT], {25: code}, obx18="EQ7^^^"), options)
    assert [(each.status, each.model, each.reader) for each in (by_application, by_equipment)] == [
        (ReportStatus.DRAFT, "ChestAI 2.1", ""),
        (ReportStatus.DRAFT, "HeadAI 1.0", ""),
    ]
    assert _one(of_lines([TEXT], obx18="SCANNER3"), options).examinations[0].device == "SCANNER3"


def test_lines_are_joined_in_order_and_parts_get_their_heading() -> None:
    """A part that OBX-3 tells apart is not read as the end of the one before it; a heading that is there is kept."""
    data = message(
        patient(),
        request(),
        line("No effusion.", {3: "71250&GDT"}),
        line("", {3: "71250&GDT"}),
        line("Heart normal.", {3: "71250&GDT"}),
        line("Normal chest.", {3: "71250&IMP"}),
    )
    assert _one(data).text.text == "FINDINGS:\nNo effusion.\n\nHeart normal.\n\nIMPRESSION:\nNormal chest."
    headed = message(patient(), request(), line("CONCLUSION: Normal.", {3: "71250&IMP"}))
    assert _one(headed).text.text == "CONCLUSION: Normal."


def test_values_that_are_no_text_are_left_out() -> None:
    """Numbers, codes and documents beside the text do not count."""
    data = message(patient(), request(), line("4.1", {2: "NM"}), line(), line("X^Y", {2: "CE"}))
    assert _one(data).text.text == TEXT


def test_an_addendum_is_a_version_of_its_own() -> None:
    """It stands beside the report that it came with; alone it is no final, whatever the status says."""
    both = read_hl7(message(patient(), request(), line(), line("Compared with 2025.", {3: "1&ADT"}))).versions
    assert [(each.status, each.text.text) for each in both] == [
        (ReportStatus.FINAL, TEXT),
        (ReportStatus.ADDENDUM, "Compared with 2025."),
    ]
    assert _one(of_lines(["Compared with 2025."], {25: "F"}, obx3="1&ADT")).status is ReportStatus.ADDENDUM


def test_one_report_of_several_examinations() -> None:
    """Orders without text, of the same number, or with the same text are examinations of one report."""
    other = {2: "PL2", 18: "ACC2", 4: "74150^CT ABDOMEN"}
    without_text = message(patient(), request(), request({**other, 3: "FI2"}), line())
    same_number = message(patient(), request(), line("One."), request(other), line("Two."))
    same_text = message(patient(), request(), line(), request({**other, 3: "FI2"}), line())
    found = [_one(data) for data in (without_text, same_number, same_text)]
    assert [[each.accession for each in version.examinations] for version in found] == [["ACC1", "ACC2"]] * 3
    assert [version.filler for version in found] == ["FI1"] * 3
    assert [version.text.text for version in found] == [TEXT, "One.\n\nTwo.", TEXT]
    assert [each.procedure for each in found[0].examinations] == ["CT CHEST", "CT ABDOMEN"]


def test_several_reports_in_one_message() -> None:
    """Orders of different numbers and texts are reports of their own; each patient's segment holds for what follows."""
    data = message(
        patient(), request(), line("One."), patient({3: "P8"}), request({3: "FI2", 18: "ACC2", 25: "P"}), line("Two.")
    )
    versions = read_hl7(data).versions
    assert [(each.filler, each.status, each.text.text) for each in versions] == [
        ("FI1", ReportStatus.FINAL, "One."),
        ("FI2", ReportStatus.PRELIMINARY, "Two."),
    ]
    assert [each.examinations[0].patient for each in versions] == ["P9", "P8"]


def test_what_is_not_clear_among_several_reports_is_refused() -> None:
    """An order without text that could belong to either, and one report with two statuses."""
    loose = message(
        patient(), request(), line("One."), request({3: "FI2"}), line("Two."), request({3: "FI3", 18: "ACC3"})
    )
    two_statuses = message(patient(), request(), line("One."), request({25: "P", 18: "ACC2"}), line("Two."))
    assert [_refused(data).code for data in (loose, two_statuses)] == ["unclear-report", "unclear-status"]


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n", "\r\r"])
def test_segments_may_end_as_they_do(end: str) -> None:
    """Line feeds end a segment too."""
    assert _one(message().replace(b"\r", end.encode())).text.text == TEXT


def test_other_separators() -> None:
    """Separators are those that the header names."""
    data = message().translate(bytes.maketrans(rb"|^~\&", rb"$%*?@"))
    assert _one(data) == _one(message())


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S", "Zs"]), min_size=1).filter(str.strip))
def test_what_another_library_escapes_is_read(text: str) -> None:
    """A message that the library hl7 made says what it was given, and both find the same in its fields."""
    parsed = hl7.parse(message().decode())
    parsed.segment("OBX")[5] = hl7.Field("~", [parsed.escape(text)], separators="\r|~^&")
    version = _one(str(parsed).encode())
    assert version.text.text == text
    assert version.filler == str(parsed.segment("OBR")[3])
    assert version.message == str(parsed.segment("MSH")[10])


@given(st.binary(max_size=200))
def test_random_bytes_are_refused(data: bytes) -> None:
    """Nothing but a refusal comes of what is no message."""
    assert _refused(data).code


@given(st.randoms(use_true_random=False), st.integers(1, 6))
def test_a_mutated_message_is_read_or_refused(chance: random.Random, changes: int) -> None:
    """Bytes that are lost, changed or doubled never fail otherwise, and what is read names its examination."""
    data = bytearray(message(patient(), request(), line(r"L4\T\L5 \.br\ end"), line("é", {3: "1&IMP"})))
    for _ in range(changes):
        place = chance.randrange(len(data))
        data[place : place + chance.randrange(3)] = bytes(chance.randrange(256) for _ in range(chance.randrange(3)))
    with suppress(RefusedMessageError):
        assert all(key.site and key.accession for version in read_hl7(bytes(data)).versions for key in version.keys)


def test_options_that_cannot_be_used_are_refused() -> None:
    """A zone that is not there, and a field in which no accession number is looked for."""
    with pytest.raises(ValueError, match="time zone"):
        Hl7Options(zone="Mars/Olympus")
    with pytest.raises(ValueError, match="OBR-18"):
        Hl7Options(accession_fields=("PID-3",))


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ({"charset": "cp437"}, "charset"),
        ({"text_ids": {"REPORT "}}, "text_ids"),
        ({"text_ids": {"IMP", ""}}, "text_ids"),
        ({"text_ids": {"REPORT", "71020&IMP"}}, "text_ids"),
        ({"text_ids": {"REPORT^Report"}}, "text_ids"),
        ({"sites": {"RADNORTH ": "north"}}, "sites"),
        ({"sites": {"RADNORTH": " north"}}, "sites"),
        ({"site": "north "}, "site"),
        ({"models": {" AIHEAD": "head-net 2"}}, "models"),
        ({"processing_ids": {"P "}}, "processing_ids"),
    ],
)
def test_settings_that_no_message_would_fit_are_refused(setting: dict[str, Any], problem: str) -> None:
    """At the start, each by its name: lines of a report, or a site, would be lost with the first message otherwise."""
    with pytest.raises(ConfigurationError) as caught:
        serve_configuration({"hl7": {}, "hl7_reading": setting})
    [told] = caught.value.problems
    assert told.startswith(f"serve.hl7_reading.{problem} ")


def test_settings_of_messages_that_nothing_listens_for_are_refused() -> None:
    """A table whose name was mistyped would be left out without a word."""
    with pytest.raises(ConfigurationError, match=r"nothing listens for them; add the table \[serve.hl7\]"):
        serve_configuration({"hl7_reading": {"zone": "Europe/Berlin"}})


def _merge(event: str, *segments: str) -> bytes:
    return message(*segments, msh={9: f"ADT^{event}"})


def _prior(identifiers: str) -> str:
    return segment("MRG", {1: identifiers})


@pytest.mark.parametrize("event", ["A18", "A34", "A36", "A40", "A47"])
def test_a_merge_lets_one_identifier_stand_for_another(event: str) -> None:
    """By the identifiers that reports are kept under: the medical record number, else the first."""
    data = _merge(event, segment("EVN", {2: "20260301"}), patient(), _prior("66^^^H^PI~P8^^^NORTH^MR"))
    assert read_hl7(data) == Content(merges=[PatientMerge(site="NORTH", surviving="P9", merged="P8")])


def test_several_merges_come_in_one_message() -> None:
    """Each MRG belongs to the PID before it."""
    data = _merge("A40", patient(), _prior("P8"), patient({3: "P3"}), _prior("P2"), _prior("P1"))
    told = [(merge.surviving, merge.merged) for merge in read_hl7(data).merges]
    assert told == [("P9", "P8"), ("P3", "P2"), ("P3", "P1")]


@pytest.mark.parametrize(
    ("segments", "code", "location"),
    [
        ([patient()], "no-merge", "MRG"),
        ([_prior("P8"), patient()], "no-merge", "PID"),
        ([patient(), _prior("")], "no-merge", "MRG-1"),
        ([patient(), _prior('""')], "no-merge", "MRG-1"),
        ([patient({3: ""}), _prior("P8")], "no-merge", "PID-3"),
        ([patient(), _prior("P8^^^NORTH^PI")], "unclear-merge", "MRG-1"),
        ([patient(), _prior("P9^^^NORTH^MR")], "unclear-merge", "MRG-1"),
    ],
)
def test_a_merge_that_is_not_clear_is_refused(segments: list[str], code: str, location: str) -> None:
    """What is merged with what is told, or nothing is; identifiers are not repeated."""
    error = _refused(_merge("A40", *segments))
    assert (error.code, error.location, error.message) == (code, location, "M1")
    assert "P8" not in str(error)


@pytest.mark.parametrize("event", ["A24", "A37", "A43", "A45", "A51"])
def test_links_moves_and_what_undoes_a_merge_are_refused(event: str) -> None:
    """They change nothing here, and the sender is told which merges are taken."""
    error = _refused(_merge(event, patient(), _prior("P8")))
    assert (error.code, error.location) == ("unsupported-event", "MSH-9")
    assert "A40" in error.detail
    assert error.code in UNSUPPORTED


def test_more_orders_than_anybody_reports_at_once_are_refused() -> None:
    """A message cannot take the time of many."""
    orders = [request({18: f"ACC{number}"}) for number in range(201)]
    assert len(read_hl7(message(patient(), *orders[1:], line())).versions[0].examinations) == 200
    error = _refused(message(patient(), *orders, line()))
    assert (error.code, error.location) == ("too-many", "OBR")


def test_groups_of_one_report_are_parts_where_each_has_its_title() -> None:
    """Two OBR of one number with a text each, under the names that OBR-4 gives; without titles they are one part."""

    def report(*texts: tuple[str, ...]) -> ReportVersion:
        names = ("CT CHEST", "CT ABDOMEN")
        groups = [
            "\r".join([request({1: str(n), 4: f"7{n}^{name}", 18: f"ACC{n}"}), *map(line, said)])
            for n, (name, said) in enumerate(zip(names, texts, strict=True), 1)
        ]
        return _one(message(patient(), *groups))

    titled = report(("EXAM: CT CHEST", TEXT), ("EXAM: CT ABDOMEN", "The liver is normal."))
    numbers = {key: number for number, key in enumerate(titled.keys)}
    joined = joined_report([titled], numbers)
    assert [joined.text[part.start : part.end].split()[2] for part in joined.parts] == ["CHEST", "ABDOMEN"]
    assert [set(part.examinations) for part in joined.parts] == [{0}, {1}]
    assert joined_report([report((TEXT,), ("The liver is normal.",))], numbers).parts == ()


def test_two_patients_before_one_order_are_refused() -> None:
    """Whose report it is cannot be told; one patient may be named twice."""
    other = patient({3: "P8^^^NORTH^MR"})
    joined = [message(patient(), other, request(), line()), message(patient(), "ORC|RE", other, request(), line())]
    joined.append(message(patient(), request(), line("One."), patient(), other, request({3: "FI2"}), line("Two.")))
    errors = [_refused(data) for data in joined]
    assert [(error.code, error.location) for error in errors] == [("several-patients", "PID-3")] * 3
    assert _one(message(patient(), patient(), request(), line())).examinations[0].patient == "P9"


def test_results_of_the_first_version_have_no_event() -> None:
    """HL7 2.1 has none, and ends segments as its systems do."""
    data = message(msh={9: "ORU", 12: "2.1"}).replace(b"\r", b"\n")
    assert _one(data).status is ReportStatus.FINAL


def test_a_character_set_that_no_message_names_is_told() -> None:
    """Whoever mends it must know that none is named, which is expected then, and what sets another."""
    error = _refused(message(patient(), request(), line("$"), msh={18: ""}).replace(b"$", b"Gr\xf6sse"))
    assert "UNICODE UTF-8 is expected" in error.detail
    assert "set charset" in error.detail
