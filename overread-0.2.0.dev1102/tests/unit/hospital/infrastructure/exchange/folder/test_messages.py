"""Files of HL7 messages and of structured reports in the folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from overread.hospital.application.requests import Receipt, ReceiptKind, Refusal
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.report_version import ReportVersion
from overread.hospital.infrastructure.exchange.folder.drop import FolderDrop
from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options

from ..dicom.test_structured_reports import report, written
from ..hl7.messages import TEXT, line, message, patient, request

_OTHER = message(patient(), request({3: "FI2", 18: "ACC2"}), line("Clear."), msh={10: "M2"})
_BAD = message(patient(), request({25: "Q"}), line("A nodule."), msh={10: "M3"})


class Keeper:
    """Keeps what it is given."""

    def __init__(self) -> None:
        self.versions: list[ReportVersion] = []
        self.refused: list[Refusal] = []

    def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        assert by.name == "folder"
        self.versions += versions
        return [Receipt(version=1, kind=ReceiptKind.STORED) for _ in versions]

    def refuse(self, refusal: Refusal) -> None:
        self.refused.append(refusal)


def dropped(folder: Path, name: str, data: bytes, reading: Hl7Options | None = None) -> Keeper:
    """What becomes of a file."""
    keeper = Keeper()
    drop = FolderDrop(keeper, FolderOptions(path=folder, site="NORTH", most_rows=10), reading)
    (folder / name).write_bytes(data)
    drop.look()
    assert drop.look() == 1
    return keeper


@pytest.mark.parametrize(
    "data",
    [
        message() + b"\r" + _OTHER,
        b"\r\n".join([b"FHS|^~\\&", b"BHS|^~\\&", message().replace(b"\r", b"\r\n"), _OTHER, b"BTS|2", b"FTS|1"]),
        b"\x0b" + message() + b"\x1c\r\x0b" + _OTHER + b"\x1c\r",
    ],
)
def test_a_file_of_messages_is_read(tmp_path: Path, data: bytes) -> None:
    """One after the other, as a batch, or with the frames of MLLP; its versions are those of HL7."""
    keeper = dropped(tmp_path, "night.HL7", data)
    assert [(version.text.text, version.source, version.message) for version in keeper.versions] == [
        (TEXT, "hl7", "M1"),
        ("Clear.", "hl7", "M2"),
    ]
    assert (tmp_path / "done" / "night.HL7.txt").read_text().endswith("versions stored: 2, there already: 0\n")


def test_messages_in_files_are_read_as_the_settings_say(tmp_path: Path) -> None:
    """By the same settings as those over MLLP."""
    data = message(patient(), request(), line(r"L4\L5 clear."))
    keeper = dropped(tmp_path, "a.hl7", data, Hl7Options(lenient_escapes=True))
    assert keeper.versions[0].text.text == r"L4\L5 clear."


@pytest.mark.parametrize(
    ("data", "code", "note"),
    [
        (message() + b"\r" + _BAD, "bad-messages", "message 2: OBR-25:"),
        (_BAD, "unknown-status", "OBR-25:"),
        (b"BHS|^~\\&\r" + message(), "fragment", "BTS"),
        (b"PID|1", "no-header", "MSH"),
        (b"", "no-rows", "no message"),
        (b"\r".join([message()] * 11), "too-many-rows", "at most 10"),
        (message(patient(), "MRG|P8", msh={9: "ADT^A40"}), "unsupported-event", "over MLLP only"),
    ],
)
def test_one_bad_message_refuses_the_file(tmp_path: Path, data: bytes, code: str, note: str) -> None:
    """Nothing of it is stored, and the note says which message is wrong and where, without its text."""
    keeper = dropped(tmp_path, "a.hl7", data)
    assert (keeper.versions, [refused.reason for refused in keeper.refused]) == ([], [code])
    told = (tmp_path / "refused" / "a.hl7.txt").read_text()
    assert note in told
    assert "nodule" not in told


def test_a_structured_report_is_read(tmp_path: Path) -> None:
    """A file of DICOM is one version; the folder's site is where its accession number comes from."""
    keeper = dropped(tmp_path, "a.dcm", written(report()))
    [version] = keeper.versions
    assert (version.text.text, version.examinations[0].site, version.source) == (
        "IMPRESSION:\nClear.",
        "NORTH",
        "dicom",
    )
    refused = dropped(tmp_path, "b.dcm", b"no DICOM")
    assert [(one.reason, one.message) for one in refused.refused] == [("bad-dicom", "b.dcm")]
