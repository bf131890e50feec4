"""Reports through the doors, on the stores that hospitals have: HL7 by a socket, FHIR and JSON by HTTP, a folder."""

from __future__ import annotations

import asyncio
import base64
import json
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from attrs import evolve

from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.aio import AsyncHospitalService
from overread.hospital.application.requests import Search, Withdrawn
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Role
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.version_pairs import DoubtReason, PairKind
from overread.hospital.infrastructure.exchange.folder.drop import FolderDrop
from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
from overread.hospital.infrastructure.exchange.hl7.acknowledging import Acknowledgement, AcknowledgementCode
from overread.hospital.infrastructure.exchange.hl7.client import MllpClient, send_messages
from overread.hospital.infrastructure.exchange.hl7.listener import MllpListener
from overread.hospital.infrastructure.exchange.hl7.options import MllpOptions
from overread.hospital.infrastructure.store import open_hospital_store

from ..unit.hospital.application.hospital import ADMIN, REVIEWER, SUBMITTER, hospital
from ..unit.hospital.infrastructure.exchange.documents.invented_pdf import pdf_of
from ..unit.hospital.infrastructure.exchange.hl7.messages import line, message, patient, request, segment
from ..unit.hospital.infrastructure.http.quick import Doors

_REPORT = (
    "FINDINGS: The heart is normal in size. Patchy opacity in the right lower lobe. No effusion or pneumothorax. The "
    "bones are intact.\nIMPRESSION: Right lower lobe pneumonia."
)
_CALL = "Discussed with Dr. Roe by telephone at 08:50."


class Door(ABC):
    """One way in, by which versions of one report are sent, an hour after each other."""

    def __init__(self, service: HospitalService, folder: Path) -> None:
        self.service, self.folder, self.hour = service, folder, 0
        self.patient = "P9"

    def send(self, *sent: tuple[str, str]) -> None:
        """Send versions, each of a status in HL7's letters and a text; they must be taken."""
        for status, text in sent:
            self.hour += 1
            self._send(status, text)

    @property
    def issued(self) -> str:
        return f"2026-03-01T0{self.hour}:15:00-05:00"

    @abstractmethod
    def _send(self, status: str, text: str) -> None: ...


class _Hl7(Door):
    def _send(self, status: str, text: str) -> None:
        obr = request({25: status, 22: f"202603010{self.hour}1500-0500"})
        data = message(
            patient({3: f"{self.patient}^^^NORTH^MR"}), obr, *([line(text)] if text else []), msh={10: f"M{self.hour}"}
        )

        async def story() -> None:
            inlet = AsyncHospitalService(self.service)
            async with asyncio.timeout(60), MllpListener(inlet, MllpOptions(port=0)) as listener:
                [answer] = await send_messages([data], "127.0.0.1", listener.port)
            assert answer.code is AcknowledgementCode.ACCEPT

        asyncio.run(story())


class _Http(Door):
    path = "/api/v1/reports"
    kind = "application/json"

    def __init__(self, service: HospitalService, folder: Path) -> None:
        super().__init__(service, folder)
        self.doors = Doors(service=service)

    def _send(self, status: str, text: str) -> None:
        headers = {**self.doors.bearer(Role.SUBMITTER), "Content-Type": self.kind}
        with self.doors.client as client:
            answer = client.post(self.path, content=json.dumps(self._body(status, text)), headers=headers)
        assert answer.status_code == 201

    def _body(self, status: str, text: str) -> dict[str, Any]:
        examinations = [{"site": "NORTH", "accession": "ACC1", "patient": self.patient}]
        version = {"examinations": examinations, "status": _STATUSES[status], "text": text, "issued": self.issued}
        return {"versions": [version]}


class _Fhir(_Http):
    path = "/api/v1/fhir?site=NORTH"
    kind = "application/fhir+json"

    def _body(self, status: str, text: str) -> dict[str, Any]:
        number = {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "ACSN"}]}
        return {
            "resourceType": "DiagnosticReport",
            "id": "r1",
            "meta": {"versionId": str(self.hour)},
            "identifier": [{"type": number, "value": "ACC1"}],
            "status": "entered-in-error" if status == "X" else _STATUSES[status],
            "code": {"text": "CT CHEST"},
            "subject": {"identifier": {"value": self.patient}},
            "issued": self.issued,
            **({"conclusion": text} if text else {}),
        }


class _Folder(Door):
    def __init__(self, service: HospitalService, folder: Path) -> None:
        super().__init__(service, folder)
        self.drop = FolderDrop(service, FolderOptions(path=folder, site="NORTH"))

    def _send(self, status: str, text: str) -> None:
        row = {"accession": "ACC1", "patient": self.patient, "status": _STATUSES[status], "text": text}
        row["issued"] = self.issued
        (self.folder / f"{self.hour}.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
        assert self.drop.look() + self.drop.look() == 1
        assert list((self.folder / "refused").iterdir()) == []


_STATUSES: Final = {"P": "preliminary", "F": "final", "C": "corrected", "X": "cancelled"}


@pytest.fixture(params=["sqlite", "postgres"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HospitalService]:
    """A hospital over an empty store in a database."""
    place: Path | str = tmp_path / "hospital.db"
    if request.param == "postgres":
        place = request.getfixturevalue("postgres_store")
    with hospital(store=open_hospital_store(place, texts="plain")) as made:
        yield made


@pytest.fixture(params=[_Hl7, _Fhir, _Http, _Folder])
def door(request: pytest.FixtureRequest, service: HospitalService, tmp_path: Path) -> Door:
    """Each way into that hospital."""
    folder = tmp_path / "inbox"
    folder.mkdir()
    made: Door = request.param(service, folder)
    return made


def test_an_addendum_that_is_sent_alone_replaces_no_report(service: HospitalService, door: Door) -> None:
    """It makes no pair, whatever it is called, and the examination says why; a correction after it is compared."""
    corrected = _REPORT.replace("No effusion or pneumothorax.", "Small left pneumothorax.")
    door.send(("P", _REPORT), ("F", _REPORT), ("C", _CALL), ("C", corrected))
    record = service.examination(ExaminationKey("NORTH", "ACC1"), by=REVIEWER)
    assert [kept.version.text.text for kept in record.versions] == [_REPORT, _REPORT, _CALL, corrected]
    assert [each.reason for each in record.doubts] == [DoubtReason.HOLDS_ADDITION_ALONE]
    compared = [service.pair(row.pair, by=REVIEWER).pair for row in record.pairs]
    first, final, _, last = (kept.number for kept in record.versions)
    assert sorted((each.candidate, each.reference) for each in compared) == [((first,), (final,)), ((final,), (last,))]


def test_a_report_that_is_withdrawn_takes_its_pairs_along(service: HospitalService, door: Door) -> None:
    """Out of the list and of rates, and shown where it is asked for, with what it came to."""
    door.send(("P", _REPORT), ("F", _REPORT.replace("No effusion or pneumothorax.", "Small left pneumothorax.")))
    service.work(worker="w")
    [row] = service.search(Search(), by=REVIEWER).rows
    door.send(("X", ""))
    assert service.search(Search(), by=REVIEWER).rows == ()
    assert service.rates(Search(), by=REVIEWER).overall.pairs == 0
    [withdrawn] = service.search(Search(withdrawn=Withdrawn.ONLY), by=REVIEWER).rows
    assert withdrawn == evolve(row, withdrawn=True)
    record = service.examination(ExaminationKey("NORTH", "ACC1"), by=REVIEWER)
    first, final, cancellation = record.versions
    assert (cancellation.version.status, record.withdrawn) == (ReportStatus.CANCELLED, (first.number, final.number))


def test_reports_of_two_patients_are_not_compared(service: HospitalService, door: Door) -> None:
    """One of two people under one accession number is the wrong one; once they are merged they are one."""
    door.send(("P", _REPORT))
    door.patient = "P7"
    found = _REPORT.replace("No effusion or pneumothorax.", "Small left pneumothorax.")
    door.send(("F", found))
    record = service.examination(ExaminationKey("NORTH", "ACC1"), by=REVIEWER)
    assert (record.pairs, [each.reason for each in record.doubts]) == ((), [DoubtReason.PATIENTS_DIFFER] * 2)
    service.merge_patients([PatientMerge(site="NORTH", surviving="P9", merged="P7")], by=SUBMITTER)
    assert service.work(worker="w") == 1
    [row] = service.search(Search(), by=REVIEWER).rows
    assert service.pair(row.pair, by=REVIEWER).pair.candidate == (record.versions[0].number,)
    assert service.examination(ExaminationKey("NORTH", "ACC1"), by=REVIEWER).doubts == ()


def test_patients_that_are_not_known_are_not_one(service: HospitalService, door: Door) -> None:
    """An identifier that stands for none tells nothing: such a report goes with one that tells, and with no merge."""
    door.patient = "UNKNOWN"
    door.send(("P", _REPORT))
    door.patient = "P7"
    door.send(("F", _REPORT))
    record = service.examination(ExaminationKey("NORTH", "ACC1"), by=REVIEWER)
    assert (len(record.pairs), record.doubts) == (1, ())
    with pytest.raises(InputError, match="a placeholder"):
        service.merge_patients([PatientMerge(site="NORTH", surviving="P7", merged="UNKNOWN")], by=SUBMITTER)
    assert service.erase_patient("UNKNOWN", by=ADMIN, site="NORTH").versions == 0
    assert service.erase_patient("P7", by=ADMIN, site="NORTH").versions == 2


def test_a_report_that_comes_again_for_another_patient_is_found_by_both(service: HospitalService, door: Door) -> None:
    """The same words under the same number are no resend then: erasing either patient reaches them."""
    door.send(("F", _REPORT))
    door.patient = "P7"
    door.send(("F", _REPORT))
    record = service.examination(ExaminationKey("NORTH", "ACC1"), by=REVIEWER)
    assert (len(record.versions), record.pairs) == (2, ())
    assert service.erase_patient("P7", by=ADMIN, site="NORTH").versions == 2


@pytest.mark.parametrize("sign", ["\ufffd", "\u00e2\u2030\u00a5"])
def test_a_text_that_lost_characters_on_its_way_is_refused(service: HospitalService, door: Door, sign: str) -> None:
    """With the reason, and nothing is stored: a sign of comparison may have stood there."""
    with pytest.raises(AssertionError):
        door.send(("F", f"Nodule of {sign} 8 mm."))
    with pytest.raises(NotFoundError):
        service.examination(ExaminationKey("NORTH", "ACC1"), by=REVIEWER)
    told = [refusal.detail for refusal in service.refusals(by=REVIEWER)]
    assert len(told) == (0 if type(door) is _Http else 1)
    assert all("on the way" in detail for detail in told)


@pytest.mark.parametrize("text", [r"{\rtf1\ansi Small pneumothorax.}", "<b>Small</b> pneumothorax."])
def test_the_source_of_a_document_in_a_file_becomes_text(service: HospitalService, tmp_path: Path, text: str) -> None:
    """Through the real folder and the real service."""
    _drop_row(service, tmp_path, text)
    record = service.examination(ExaminationKey("NORTH", "ACC1"), by=REVIEWER)
    assert [version.version.text.text for version in record.versions] == ["Small pneumothorax."]


@pytest.mark.parametrize("text", ["<?xml version='1.0'?><ClinicalDocument/>", "%PDF-1.4 pneumothorax"])
def test_other_documents_in_a_file_are_refused(service: HospitalService, tmp_path: Path, text: str) -> None:
    """With a reason that a feed's engineer can act on."""
    folder = _drop_row(service, tmp_path, text)
    [refusal] = service.refusals(by=REVIEWER)
    assert (refusal.reason, "plain text" in refusal.detail) == ("bad-rows", True)
    assert "plain text" in (folder / "refused" / "day.jsonl.txt").read_text()


def _drop_row(service: HospitalService, tmp_path: Path, text: str) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    drop = FolderDrop(service, FolderOptions(path=folder, site="NORTH"))
    row = {"accession": "ACC1", "status": "final", "text": text}
    (folder / "day.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert drop.look() + drop.look() == 1
    return folder


def test_documents_of_two_feeds_make_one_pair(service: HospitalService) -> None:
    """A preliminary report as RTF within a result, and the final as a PDF within a document, both in one batch."""
    rtf = base64.b64encode(rb"{\rtf1\ansi FINDINGS: No pneumothorax.\par IMPRESSION: Normal.}").decode()
    pdf = base64.b64encode(pdf_of([["FINDINGS: Small pneumothorax.", "IMPRESSION: Pneumothorax."]])).decode()
    result = message(
        patient(), request({25: "P"}), line(f"RIS^TEXT^RTF^Base64^{rtf}", {2: "ED", 3: "71250"}), msh={10: "M1"}
    )
    header = segment("TXA", {2: "RAD", 8: "20260301091500-0500", 15: "ACC1", 17: "LA"})
    document = message(patient(), header, line(rf"^AP^PDF^Base64^{pdf}", {2: "ED"}), msh={9: "MDM^T02", 10: "M2"})
    batch = b"\r".join([b"BHS|^~\\&|RIS|NORTH", result, document, b"BTS|2"])

    async def story() -> list[Acknowledgement]:
        async with (
            asyncio.timeout(60),
            MllpListener(AsyncHospitalService(service), MllpOptions(port=0)) as listener,
            MllpClient("127.0.0.1", listener.port) as client,
        ):
            return await client.send_batch(batch)

    assert [answer.code for answer in asyncio.run(story())] == [AcknowledgementCode.ACCEPT] * 2
    record = service.examination(ExaminationKey("NORTH", "ACC1"), by=REVIEWER)
    assert [version.version.text.text.splitlines() for version in record.versions] == [
        ["FINDINGS: No pneumothorax.", "IMPRESSION: Normal."],
        ["FINDINGS: Small pneumothorax.", "IMPRESSION: Pneumothorax."],
    ]
    assert [pair.kind for pair in record.pairs] == [PairKind.PRELIMINARY_FINAL]
