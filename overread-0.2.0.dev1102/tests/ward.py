"""An invented day of a radiology department in memory, and a server that shows it: for tests of pages."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Final

import uvicorn
from attrs import define, frozen

from overread import open_service
from overread.adapters.lexicon import load_knowledge, sign_reader
from overread.domain.reports.report import ClinicalContext
from overread.hospital.application.access import AccessControl
from overread.hospital.application.configuration import HospitalConfiguration, ScoreMode
from overread.hospital.application.requests import Refusal
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.http import HttpConfiguration, create_app
from overread.hospital.infrastructure.http.pages import Vocabulary, pages_router
from overread.hospital.testing import MemoryHospitalStore

from .servers import free_port

__all__ = ["ADMIN", "MORNING", "SUBMITTER", "FakeHasher", "Ward", "served", "vocabulary", "ward"]

MORNING: Final = datetime(2026, 11, 2, 6, 0, tzinfo=UTC)
ADMIN: Final = Actor(name="admin", roles={Role.ADMIN})
SUBMITTER: Final = Actor(name="pacs", roles={Role.SUBMITTER})

_SESSION: Final = b"of tests, and of nothing else..."


@frozen(kw_only=True)
class _Case:
    modality: str
    part: str
    first: str
    final: str
    model: str = ""


_CASES: Final = (
    _Case(
        modality="CT",
        part="CHEST",
        first="FINDINGS: No pneumothorax. Small right pleural effusion. The heart is of normal size.\n"
        "IMPRESSION: Small right pleural effusion.",
        final="FINDINGS: Small left apical pneumothorax. Small right pleural effusion. The heart is of normal size.\n"
        "IMPRESSION: Left apical pneumothorax. Small right pleural effusion.",
    ),
    _Case(
        modality="CR",
        part="CHEST",
        first="FINDINGS: Opacity in the left lower lobe, likely pneumonia. No pleural effusion.\n"
        "IMPRESSION: Left lower lobe pneumonia.",
        final="FINDINGS: Opacity in the right lower lobe, likely pneumonia. No pleural effusion.\n"
        "IMPRESSION: Right lower lobe pneumonia.",
        model="chestwriter 2.1",
    ),
    _Case(
        modality="CT",
        part="HEAD",
        first="FINDINGS: No intracranial hemorrhage. No mass effect. IMPRESSION: No acute finding.",
        final="FINDINGS: No intracranial hemorrhage. No mass effect. IMPRESSION: No acute finding.",
    ),
    _Case(
        modality="CR",
        part="CHEST",
        first="FINDINGS: A 6 mm nodule in the right upper lobe. Lungs are otherwise clear. IMPRESSION: Nodule.",
        final="FINDINGS: A 9 mm nodule in the right upper lobe. Lungs are otherwise clear. Degenerative changes of the "
        "spine. IMPRESSION: Nodule in the right upper lobe, follow-up CT in three months.",
    ),
    _Case(
        modality="CT",
        part="ABDOMEN",
        first="FINDINGS: Cholelithiasis. No bowel obstruction. The appendix is normal. IMPRESSION: Gallstones.",
        final="FINDINGS: Cholelithiasis. No bowel obstruction. Acute appendicitis. IMPRESSION: Acute appendicitis.",
        model="triage 0.9",
    ),
    _Case(
        modality="MR",
        part="KNEE",
        first="FINDINGS: Joint effusion. No fracture. IMPRESSION: Joint effusion.",
        final="FINDINGS: Joint effusion. No fracture. Mild soft tissue swelling. IMPRESSION: Joint effusion.",
    ),
)


@define
class FakeHasher:
    """As a slow hasher, and quick: no secret of these tests is worth stealing."""

    def digest(self, secret: str) -> str:
        return secret[::-1]

    def holds(self, digest: str, secret: str) -> bool:
        return digest == secret[::-1]


@define
class _Clock:
    now: datetime = MORNING

    def __call__(self) -> datetime:
        return self.now


@frozen(kw_only=True)
class Ward:
    """A hospital with pairs to review.

    Attributes:
        scored: accession number of a pair with an urgent discrepancy.
        waiting, unscored, textless: accession numbers of pairs in these states; the last has results.
    """

    hospital: HospitalService
    store: MemoryHospitalStore
    scored: str = "A0000"
    waiting: str = "A9001"
    unscored: str = "A9002"
    textless: str = "A9003"


def ward(pairs: int = 60) -> Ward:
    """A day of so many examinations that came in two versions, and some odd ones; all but one scored."""
    clock = _Clock()
    store = MemoryHospitalStore()
    configuration = HospitalConfiguration(scores=ScoreMode.RADPEER, authors={"admin": ("attending 1",)})
    hospital = HospitalService(store, open_service(), configuration, now=clock)
    made = Ward(hospital=hospital, store=store)
    oldest = _CASES[0]
    hospital.ingest(list(_versions(made.textless, oldest, clock.now, 0)), by=SUBMITTER)
    _work(hospital)
    clock.now += timedelta(hours=1)
    with store.transaction() as unit:
        unit.versions.forget_texts(clock.now)
    clock.now = MORNING + timedelta(days=1)
    for index in range(pairs):
        case = _CASES[index % len(_CASES)]
        versions = list(_versions(f"A{index:04}", case, clock.now, index))
        if index == 0:
            versions.append(_version(f"A{index:04}", ReportStatus.CORRECTED, f"{case.final} No fracture.", clock.now))
        hospital.ingest(versions, by=SUBMITTER)
        clock.now += timedelta(minutes=7)
    blank = _Case(modality="US", part="NECK", first=" ", final="\n")
    hospital.ingest(list(_versions(made.unscored, blank, clock.now, 3)), by=SUBMITTER)
    _work(hospital)
    hospital.ingest(list(_versions(made.waiting, oldest, clock.now, 4)), by=SUBMITTER)
    for reason, detail in (
        ("unknown-status", "OBX-11 is a code that is not known here; map it, or send F, P, C or R"),
        ("truncated", "the frame ends before its end block; send it again"),
    ):
        hospital.refuse(Refusal(at=clock.now, source="hl7", message="MSG00017", reason=reason, detail=detail))
    return made


def vocabulary() -> Vocabulary:
    """The lexicon's names."""
    knowledge = load_knowledge()
    names = {finding.id: finding.name for finding in knowledge.lexicon.findings.values()}
    return Vocabulary(names, knowledge.lexicon.name, sign_reader(knowledge))


@contextmanager
def served(hospital: HospitalService, access: AccessControl) -> Iterator[str]:
    """The address of a server that shows a hospital's pages on this machine alone."""
    app = create_app(hospital, access, HttpConfiguration(session_secret=_SESSION), routers=[pages_router(vocabulary())])
    port = free_port()
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("the server did not start")
            thread.join(0.02)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(10)


def _work(hospital: HospitalService) -> None:
    while hospital.work(worker="test"):
        pass


def _versions(accession: str, case: _Case, at: datetime, index: int) -> Iterator[ReportVersion]:
    about = _examination(accession, case, index)
    first = ReportStatus.DRAFT if case.model else ReportStatus.PRELIMINARY
    yield ReportVersion(
        examinations=(about,),
        status=first,
        text=case.first,
        reader="" if case.model else f"resident {index % 3 + 1}",
        model=case.model,
        filler=f"R{accession}",
        issued=at - timedelta(hours=2),
        source="hl7",
        message=f"{accession}-1",
    )
    yield ReportVersion(
        examinations=(about,),
        status=ReportStatus.FINAL,
        text=case.final,
        reader=f"attending {index % 2 + 1}",
        filler=f"R{accession}",
        issued=at,
        source="hl7",
        message=f"{accession}-2",
    )


def _version(accession: str, status: ReportStatus, text: str, at: datetime) -> ReportVersion:
    return ReportVersion(
        examinations=(_examination(accession, _CASES[0], 0),),
        status=status,
        text=text,
        reader="attending 1",
        filler=f"R{accession}",
        issued=at,
        source="fhir",
        message=f"{accession}-3",
    )


def _examination(accession: str, case: _Case, index: int) -> Examination:
    return Examination(
        site=("north", "south")[index % 2],
        accession=accession,
        patient=f"P{index}",
        modality=case.modality,
        body_part=case.part,
        device=f"scanner {index % 4 + 1}",
        context=ClinicalContext(age=40 + index % 40, sex="F" if index % 2 else "M"),
    )
