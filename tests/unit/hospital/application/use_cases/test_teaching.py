"""Pairs that are read to learn from: whose verdict stands, of whom, by whom, and what is noted of it."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest
from attrs import evolve

from overread.domain.vocabulary.severity import Severity
from overread.exceptions import InputError
from overread.hospital.application.configuration import HospitalConfiguration, TextMode
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.application.service import HospitalService
from overread.hospital.application.standing_pairs import LeftOut, StandingPairs, TrainingPurpose
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.reading import ProtocolReader
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer, Verdict, VerdictKind
from overread.hospital.domain.standing_verdicts import Ground

from ..hospital import ADMIN, REVIEWER, SUBMITTER, hospital, pair, version

LEAD = Actor(name="head", roles={Role.LEAD})
KIM, LANG, NOVAK = (Actor(name=name, roles={Role.REVIEWER}) for name in ("kim", "lang", "novak"))
WRONG = [Verdict(kind=VerdictKind.AMEND, severity=Severity.SIGNIFICANT, reason="They differ.")]
NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)


def take_in(service: HospitalService, accession: str, *, performed: datetime | None = NOON, **more: Any) -> int:
    """A preliminary and a final report of an examination, scored; the number of their pair."""
    versions = [
        version(status, text, accession=accession, message=f"{accession}-{status.value}", **more)
        for status, text in ((ReportStatus.PRELIMINARY, "clear"), (ReportStatus.FINAL, "clear pneumothorax"))
    ]
    timed = [
        evolve(each, examinations=[evolve(examination, performed=performed) for examination in each.examinations])
        for each in versions
    ]
    receipts = service.ingest(timed, by=SUBMITTER)
    while service.work(worker="w"):
        pass
    return receipts[-1].pairs[0]


def read(service: HospitalService, *numbers: int, differ: bool = False) -> None:
    """A protocol of two readers over pairs, who agree that they are wrong, or differ and are not adjudicated."""
    plan = ProtocolPlan(
        name="study",
        readers=[ProtocolReader(name="kim"), ProtocolReader(name="lang")],
        adjudicators=[ProtocolReader(name="novak")],
        pairs=numbers,
    )
    service.create_protocol(plan, by=LEAD)
    for reader in (KIM, LANG):
        for mine in service.assignments(by=reader).rows:
            if mine.reader == reader.name and mine.done is None:
                none = differ and reader is LANG
                service.review_assignment(mine.number, by=reader, verdicts=[] if none else WRONG, no_discrepancy=none)


def signature_of(service: HospitalService) -> str:
    return next(str(metric.signature) for metric in service.scorer.metrics if metric.name == "notation")


def standing(service: HospitalService, *, by: Actor = ADMIN, singles: bool = False) -> StandingPairs:
    return service.standing_pairs(by=by, purpose=TrainingPurpose.READOUT, singles=singles)


def test_what_was_agreed_and_adjudicated_is_given_with_its_texts() -> None:
    """And the trail tells which pairs were read for what, by a digest of their numbers."""
    service = hospital()
    agreed, settled, contested = (take_in(service, each, patient=each) for each in ("A1", "A2", "A3"))
    read(service, agreed)
    read(service, settled, contested, differ=True)
    task = next(each for each in service.assignments(by=NOVAK).rows if each.pair == settled)
    service.review_assignment(task.number, by=NOVAK, no_discrepancy=True)
    found = standing(service)
    assert [(each.number, each.ground, each.protocol, len(each.named)) for each in found.pairs] == [
        (agreed, Ground.AGREED, 1, 1),
        (settled, Ground.ADJUDICATED, 2, 0),
    ]
    assert found.pairs[0].report_pair.reference.text == "clear pneumothorax"
    assert found.left_out == {LeftOut.UNSETTLED: 1}
    event = service.audit_trail(by=ADMIN, after=0, limit=1000)[-2]
    digest = hashlib.sha256(f"{agreed},{settled}".encode()).hexdigest()
    assert (event.actor, event.action, event.subject) == ("root", "train", "readout")
    assert dict(event.details) == {"pairs": "2", "digest": digest, "singles": "no"}


def test_single_reviews_are_taken_where_they_are_wanted() -> None:
    """With the discrepancies of the result that they respond to."""
    service = hospital()
    number = take_in(service, "A1")
    verdict = Verdict(discrepancy=0, kind=VerdictKind.AGREE)
    service.review(number, by=REVIEWER, signature=signature_of(service), verdicts=[verdict])
    assert standing(service).left_out == {LeftOut.UNSETTLED: 1}
    [single] = standing(service, singles=True).pairs
    assert (single.ground, single.protocol, single.unjudged) == (Ground.SINGLE, None, 0)
    assert [each.listed and each.listed.finding for each in single.named] == ["pneumothorax"]


def test_what_lacks_something_is_left_out_with_the_reason() -> None:
    """No time, no patient, a placeholder for one, or no version of a report at all."""
    service = hospital()
    numbers = [
        take_in(service, "A1", performed=None),
        take_in(service, "A2", patient=""),
        take_in(service, "A3", patient="UNKNOWN"),
    ]
    service.submit([pair("1", "clear pneumothorax", "clear")], by=SUBMITTER)
    while service.work(worker="w"):
        pass
    for number in (*numbers, 4):
        service.review(number, by=REVIEWER, signature=signature_of(service), radpeer=Radpeer.EXPECTED_SIGNIFICANT)
    found = standing(service, singles=True)
    assert found.pairs == ()
    assert found.left_out == {LeftOut.NO_TIME: 1, LeftOut.NO_PATIENT: 2, LeftOut.NO_SITE: 1}


def test_texts_that_are_not_kept_are_not_learned_from() -> None:
    """The pair is counted."""
    service = hospital(configuration=HospitalConfiguration(texts=TextMode.PLAIN))
    number = take_in(service, "A1")
    service.review(number, by=REVIEWER, signature=signature_of(service), radpeer=Radpeer.CONCUR)
    with service.store.transaction() as unit:
        unit.versions.forget_texts(datetime(2027, 1, 1, tzinfo=UTC))
        unit.pairs.forget_texts(datetime(2027, 1, 1, tzinfo=UTC))
    assert standing(service, singles=True).left_out == {LeftOut.NO_TEXT: 1}


def test_whoever_reads_blinded_does_not_learn_from_it() -> None:
    """An administrator who reads for a protocol included."""
    service = hospital()
    number = take_in(service, "A1")
    service.review(number, by=REVIEWER, signature=signature_of(service), radpeer=Radpeer.CONCUR)
    service.create_protocol(
        ProtocolPlan(name="study", readers=[ProtocolReader(name="root")], per_pair=1, pairs=[number]), by=LEAD
    )
    assert standing(service, singles=True).left_out == {LeftOut.BLINDED: 1}


def test_a_patient_keeps_one_name_under_every_identifier() -> None:
    """Merged ones, and those of examinations that share a report; the name is no identifier."""
    service = hospital()
    numbers = [take_in(service, f"A{each}", patient=f"P{each}") for each in range(1, 4)]
    read(service, *numbers)
    assert len({each.patient for each in standing(service).pairs}) == 3
    service.merge_patients([PatientMerge(site="north", surviving="P1", merged="P3")], by=SUBMITTER)
    one, two, three = standing(service).pairs
    assert one.patient == three.patient != two.patient
    assert "P1" not in one.patient


def test_another_purpose_than_these_is_refused() -> None:
    """The trail must say what was read for what."""
    with pytest.raises(InputError):
        hospital().standing_pairs(by=ADMIN, purpose="curiosity")  # type: ignore[arg-type]
