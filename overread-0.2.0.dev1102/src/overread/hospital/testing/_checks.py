"""Checks that a hospital service must pass, whatever store and metrics it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

from attrs import evolve

from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.severity import Severity
from overread.exceptions import InputError, NotFoundError, OverreadError, PermissionDeniedError
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.application.requests import (
    EvaluationRequest,
    PairState,
    Receipt,
    ReceiptKind,
    Search,
    Withdrawn,
    WorklistRow,
)
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role, verify
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.domain.patient_merge import MergeKind, PatientMerge
from overread.hospital.domain.reading import ProtocolReader, ReadingTask
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.domain.review import Radpeer, ReviewState, Verdict, VerdictKind
from overread.hospital.domain.version_pairs import DoubtReason, PairKind
from overread.raised import describe_error

__all__ = ["check_hospital_service"]

_SITE: Final = "check"
_DENIED: Final = "The lungs are clear. No pneumothorax."
_STATED: Final = "Large left pneumothorax. The lungs are otherwise clear."
_CORRECTED: Final = "Large right pneumothorax. The lungs are otherwise clear."
_PATIENT: Final = "check-patient"

_SUBMITTER: Final = Actor(name="check-submitter", roles=frozenset({Role.SUBMITTER}))
_OTHER: Final = Actor(name="check-other", roles=frozenset({Role.SUBMITTER}))
_REVIEWER: Final = Actor(name="check-reviewer", roles=frozenset({Role.REVIEWER}))
_READER: Final = Actor(name="check-reader", roles=frozenset({Role.REVIEWER}))
_LEAD: Final = Actor(name="check-lead", roles=frozenset({Role.LEAD}))
_ADMIN: Final = Actor(name="check-admin", roles=frozenset({Role.ADMIN}))

Problems = Iterator[str]


def check_hospital_service(open_service: Callable[[], HospitalService]) -> None:
    """Holds a hospital service to what `HospitalService` promises; for the test suite of a host, or of a store.

    Every check has a service and a store of its own. The reports are invented; with metrics that are made to break, or
    that say the same of all pairs, some checks must fail.

    Args:
        open_service: a service over an empty store each time it is called; it is closed after use.

    Raises:
        AssertionError: that lists every promise that is not kept.
    """
    problems = [problem for check in _CHECKS for problem in _problems(check, open_service)]
    if problems:
        raise AssertionError("\n- ".join(["the hospital service does not conform:", *problems]))


def _problems(check: Callable[[HospitalService], Problems], open_service: Callable[[], HospitalService]) -> Problems:
    service = open_service()
    try:
        yield from check(service)
    except Exception as error:  # noqa: BLE001 - what one check meets must not hide what the others find
        message = str(error) if isinstance(error, OverreadError) else describe_error(error)
        yield f"{check.__name__.strip('_').replace('_', ' ')}: it raised {message}"
    finally:
        service.close()


def _a_final_report_is_compared_with_its_preliminary_one(service: HospitalService) -> Problems:
    [first] = service.ingest([_version(ReportStatus.PRELIMINARY, _DENIED)], by=_SUBMITTER)
    if first.pairs:
        yield "a preliminary report alone makes a pair"
    [last] = service.ingest([_version(ReportStatus.FINAL, _STATED)], by=_SUBMITTER)
    if len(last.pairs) != 1:
        yield f"a preliminary report and its final one make {len(last.pairs)} pairs"
        return
    [row] = service.search(Search(), by=_REVIEWER).rows
    if (row.pair, row.kind, row.state) != (last.pairs[0], PairKind.PRELIMINARY_FINAL, PairState.WAITING):
        yield "a new pair does not wait in the worklist"
    _work(service)
    [row] = service.search(Search(), by=_REVIEWER).rows
    if row.state is not PairState.SCORED or row.risk is None:
        yield "a pair that was worked off has no score in the worklist"
    record = service.pair(row.pair, by=_REVIEWER)
    compared = record.report_pair
    if compared is not None and (compared.candidate.text, compared.reference.text) != (_DENIED, _STATED):
        yield "a pair does not hold the texts as they came"
    if not record.discrepancies:
        yield "a pneumothorax that is denied and then stated is no discrepancy"


def _resends_change_nothing(service: HospitalService) -> Problems:
    versions = [
        _version(ReportStatus.PRELIMINARY, _DENIED, message="1"),
        _version(ReportStatus.FINAL, _STATED, message="2"),
    ]
    receipts = service.ingest(versions, by=_SUBMITTER)
    again = service.ingest(versions, by=_SUBMITTER)
    if {receipt.kind for receipt in again} != {ReceiptKind.RESENT} or any(receipt.pairs for receipt in again):
        yield "a resent message is taken for a new version"
    if [receipt.version for receipt in again] != [receipt.version for receipt in receipts]:
        yield "the receipt of a resent message names another version"
    if service.search(Search(), by=_REVIEWER).total != 1:
        yield "a resent message makes a pair of its own"


def _threads_do_not_store_twice(service: HospitalService) -> Problems:
    first, last = (
        _version(ReportStatus.PRELIMINARY, _DENIED, message="1"),
        _version(ReportStatus.FINAL, _STATED, message="2"),
    )

    def ingest(version: ReportVersion) -> list[Receipt]:
        return service.ingest([version], by=_SUBMITTER)

    with ThreadPoolExecutor(4) as threads:
        receipts = [item for several in threads.map(ingest, [first, last] * 4) for item in several]
    stored = [receipt for receipt in receipts if receipt.kind is ReceiptKind.STORED]
    if len(stored) != 2:  # noqa: PLR2004 - the two versions
        yield f"two versions that four threads sent each were stored {len(stored)} times"
    if service.search(Search(), by=_REVIEWER).total > 1:
        yield "versions that come in at the same time make a pair twice"


def _a_late_preliminary_report_replaces_nothing(service: HospitalService) -> Problems:
    service.ingest([_version(ReportStatus.FINAL, _STATED)], by=_SUBMITTER)
    service.ingest([_version(ReportStatus.PRELIMINARY, _DENIED)], by=_SUBMITTER)
    record = service.examination(ExaminationKey(_SITE, "A1"), by=_REVIEWER)
    statuses = [entry.version.status for entry in record.versions]
    if statuses != [ReportStatus.FINAL, ReportStatus.PRELIMINARY]:
        yield "versions are not kept in the order of their arrival"
    for row in record.pairs:
        pair = service.pair(row.pair, by=_REVIEWER)
        references = [entry.version.status for entry in pair.versions if entry.number in pair.pair.reference]
        if ReportStatus.PRELIMINARY in references:
            yield "a preliminary report that comes late stands in the place of the final one"


def _a_correction_is_compared_with_what_it_corrects(service: HospitalService) -> Problems:
    for status, text in ((ReportStatus.FINAL, _STATED), (ReportStatus.CORRECTED, _CORRECTED)):
        service.ingest([_version(status, text)], by=_SUBMITTER)
    kinds = [row.kind for row in service.search(Search(), by=_REVIEWER).rows]
    if kinds != [PairKind.FINAL_CORRECTED]:
        yield "a corrected report is not compared with the final one"


def _a_withdrawn_report_leaves_the_worklist(service: HospitalService) -> Problems:
    for status, text in (
        (ReportStatus.PRELIMINARY, _DENIED),
        (ReportStatus.FINAL, _STATED),
        (ReportStatus.CANCELLED, ""),
    ):
        service.ingest([_version(status, text)], by=_SUBMITTER)
        _work(service)
    if service.search(Search(), by=_REVIEWER).rows or service.rates(Search(), by=_REVIEWER).overall.pairs:
        yield "a pair whose report was withdrawn stays in the worklist or in rates"
    shown = [
        [(row.withdrawn, row.state) for row in service.search(Search(withdrawn=asked), by=_REVIEWER).rows]
        for asked in Withdrawn
    ]
    if shown != [[(True, PairState.SCORED)]] * len(Withdrawn):
        yield "a pair whose report was withdrawn is not shown as such when it is asked for"
    record = service.examination(ExaminationKey(_SITE, "A1"), by=_REVIEWER)
    if [row.withdrawn for row in record.pairs] != [True] or len(record.withdrawn) != 2:  # noqa: PLR2004 - both versions
        yield "an examination does not tell what of it was withdrawn"
    service.ingest(
        [_version(ReportStatus.PRELIMINARY, _DENIED), _version(ReportStatus.FINAL, _CORRECTED)], by=_SUBMITTER
    )
    if [row.withdrawn for row in service.search(Search(), by=_REVIEWER).rows] != [False]:
        yield "what is reported anew after a withdrawal makes no pair of its own"


def _reports_of_two_patients_are_not_compared(service: HospitalService) -> Problems:
    service.ingest([_version(ReportStatus.PRELIMINARY, _DENIED)], by=_SUBMITTER)
    [receipt] = service.ingest([_version(ReportStatus.FINAL, _STATED, patient="another")], by=_SUBMITTER)
    if receipt.pairs or receipt.doubts != (DoubtReason.PATIENTS_DIFFER,):
        yield "reports of one accession number and two patients are compared, or this is not shown"
    service.merge_patients([PatientMerge(site=_SITE, surviving=_PATIENT, merged="another")], by=_SUBMITTER)
    if len(service.search(Search(), by=_REVIEWER).rows) != 1:
        yield "reports of two identifiers of one patient are not compared once these are merged"


def _all_versions_are_taken_or_none(service: HospitalService) -> Problems:
    sound, unsound = _version(ReportStatus.FINAL, _STATED), _version(ReportStatus.FINAL, _STATED, accession="")
    with _raises(InputError) as refused:
        service.ingest([sound, unsound], by=_SUBMITTER)
    if not refused:
        yield "a version without an accession number is accepted"
    with _raises(NotFoundError) as missing:
        service.examination(sound.keys[0], by=_REVIEWER)
    if not missing:
        yield "of versions that were refused together, one was kept"


def _a_batch_keeps_its_order(service: HospitalService) -> Problems:
    pairs = [_pair("b", _STATED, _DENIED), _pair("a", _STATED, _STATED), _pair("blank", " ", "")]
    batch = service.submit(pairs, by=_SUBMITTER, name="check", key="once")
    again = service.submit(pairs, by=_SUBMITTER, name="check", key="once")
    if (again.number, again.pairs) != (batch.number, len(pairs)):
        yield "the same key submits a batch twice"
    _work(service)
    *_, state = service.follow(batch.number, by=_SUBMITTER)
    if not state.is_done or state.scored + state.unscored != len(pairs):
        yield "a batch that was worked off is not done"
    records = service.batch_results(batch.number, by=_SUBMITTER)
    if [record.id for record in records] != [pair.id for pair in pairs]:
        yield "results of a batch do not stand in the order submitted"
    if records[-1].state is not PairState.UNSCORED:
        yield "a pair of blank reports is not reported as unscored"
    rest = service.batch_results(batch.number, by=_SUBMITTER, after=1, limit=1)
    if [record.number for record in rest] != [records[1].number]:
        yield "a part of a batch's results is another part"
    with _raises(NotFoundError) as hidden:
        service.batch(batch.number, by=_OTHER)
    if not hidden:
        yield "a submitter sees the batch of another"


def _roles_are_kept_apart(service: HospitalService) -> Problems:
    attempts: dict[str, Callable[[], object]] = {
        "a reviewer ingests": lambda: service.ingest([_version(ReportStatus.FINAL, _STATED)], by=_REVIEWER),
        "a submitter searches": lambda: service.search(Search(), by=_SUBMITTER),
        "a reviewer exports": lambda: service.export(Search(), by=_REVIEWER),
        "a reviewer erases": lambda: service.erase_patient(_PATIENT, by=_REVIEWER),
        "a submitter reads the audit trail": lambda: service.audit_trail(by=_SUBMITTER),
    }
    for what, attempt in attempts.items():
        with _raises(PermissionDeniedError) as refused:
            attempt()
        if not refused:
            yield what


def _a_worklist_comes_page_by_page(service: HospitalService) -> Problems:
    pairs = [_pair(str(number), _STATED, _STATED if number % 2 else _DENIED) for number in range(5)]
    service.submit(pairs, by=_SUBMITTER)
    _work(service)
    rows: list[WorklistRow] = []
    page = service.search(Search(limit=2), by=_REVIEWER)
    rows.extend(page.rows)
    while page.next is not None and len(rows) <= len(pairs):
        page = service.search(Search(limit=2, after=page.next), by=_REVIEWER)
        rows.extend(page.rows)
    if sorted(row.pair for row in rows) != sorted({row.pair for row in rows}) or len(rows) != len(pairs):
        yield "page by page, a worklist shows a pair twice or not at all"
    weights = [(row.importance.weight if row.importance else -1.0, row.risk or 0.0) for row in rows]
    if weights != sorted(weights, reverse=True):
        yield "a worklist does not begin with what matters most"
    if [row.pair for row in service.export(Search(), by=_ADMIN)] != [row.pair for row in rows]:
        yield "an export has other rows than the worklist"


def _a_review_is_a_persons_word(service: HospitalService) -> Problems:
    service.submit([_pair("1", _STATED, _DENIED)], by=_SUBMITTER)
    _work(service)
    [row] = service.search(Search(review=ReviewState.OPEN), by=_REVIEWER).rows
    record = service.pair(row.pair, by=_REVIEWER)
    if record.reviews or row.radpeer is not None:
        yield "a pair has a RADPEER score that nobody gave"
    if record.proposed is None or not record.reasons:
        yield "no RADPEER score is proposed, or without reasons"
    verdict = Verdict(discrepancy=0, kind=VerdictKind.DISAGREE, reason="an old finding")
    signature = str(record.current["notation"].signature)
    service.review(row.pair, by=_REVIEWER, signature=signature, verdicts=[verdict], radpeer=Radpeer.CONCUR)
    [row] = service.search(Search(review=ReviewState.REVIEWED), by=_REVIEWER).rows
    [review] = service.pair(row.pair, by=_REVIEWER).reviews
    words = evolve(verdict, reason="")  # which are kept as report text is, or not at all
    if (review.reviewer, review.radpeer) != (_REVIEWER.name, Radpeer.CONCUR) or review.verdicts not in (
        (verdict,),
        (words,),
    ):
        yield "a review is not kept as it was given"
    if (review.proposed, row.radpeer) != (record.proposed, Radpeer.CONCUR):
        yield "what was proposed does not stand beside what the reviewer said"


def _a_blinded_reader_sees_the_reports_alone(service: HospitalService) -> Problems:
    service.ingest([_version(ReportStatus.PRELIMINARY, _DENIED), _version(ReportStatus.FINAL, _STATED)], by=_SUBMITTER)
    _work(service)
    [row] = service.search(Search(), by=_REVIEWER).rows
    if service.pair(row.pair, by=_ADMIN).report_pair is None:  # no text is kept, so there is nothing to be read
        return
    readers = [ProtocolReader(name=_READER.name), ProtocolReader(name=_REVIEWER.name)]
    service.create_protocol(ProtocolPlan(name="check", readers=readers, pairs=[row.pair]), by=_LEAD)
    record = service.pair(row.pair, by=_READER)
    if not record.blinded or record.results or record.current or record.proposed or record.reviews:
        yield "a blinded reader sees a result, a proposal or a review"
    if service.search(Search(), by=_READER).rows or service.rates(Search(), by=_READER).overall.pairs:
        yield "a pair is in the worklist or the rates of whoever reads it blinded"
    if service.examination(ExaminationKey(_SITE, "A1"), by=_READER).pairs:
        yield "an examination shows its pairs to whoever reads it blinded"
    if service.pair(row.pair, by=_LEAD).blinded:
        yield "a pair is blinded to whoever does not read it"
    [own] = service.assignments(by=_READER).rows
    review = service.review_assignment(own.number, by=_READER, no_discrepancy=True)
    record = service.pair(row.pair, by=_READER)
    if record.blinded or not record.results or [each.made for each in record.reviews] != [review.made]:
        yield "a reader whose review is kept does not see what others see"


def _readers_who_differ_are_adjudicated(service: HospitalService) -> Problems:
    service.submit([_pair("1", _STATED, _DENIED)], by=_SUBMITTER)
    _work(service)
    [row] = service.search(Search(), by=_REVIEWER).rows
    if service.pair(row.pair, by=_ADMIN).report_pair is None:  # no text is kept, so there is nothing to be read
        return
    readers = [ProtocolReader(name=_READER.name), ProtocolReader(name=_REVIEWER.name)]
    adjudicators = [ProtocolReader(name=_LEAD.name)]
    plan = ProtocolPlan(name="check", readers=readers, adjudicators=adjudicators, pairs=[row.pair])
    service.create_protocol(plan, by=_ADMIN)
    seen = Verdict(kind=VerdictKind.AMEND, severity=Severity.SIGNIFICANT, reason="it is denied")
    for reader, verdicts in ((_READER, [seen]), (_REVIEWER, [])):
        [own] = service.assignments(by=reader).rows
        service.review_assignment(own.number, by=reader, verdicts=verdicts, no_discrepancy=not verdicts)
    tasks = service.assignments(by=_LEAD, reader=_LEAD.name).rows
    if [task.task for task in tasks] != [ReadingTask.ADJUDICATION]:
        yield "a pair whose readers differ does not go to an adjudicator"
        return
    record = service.assignment(tasks[0].number, by=_LEAD)
    if len(record.readings) != len(readers) or not record.record.blinded:
        yield "an adjudicator does not see what the readers said, or sees more"
    service.review_assignment(tasks[0].number, by=_LEAD, verdicts=[seen])
    if service.protocol(1, by=_ADMIN).adjudicated != 1 or len(service.pair(row.pair, by=_ADMIN).reviews) != 3:  # noqa: PLR2004 - two readers and one more
        yield "an adjudicated pair is not settled, or a reader's review is gone"


def _a_patients_data_can_be_erased(service: HospitalService) -> Problems:
    for status, text in ((ReportStatus.PRELIMINARY, _DENIED), (ReportStatus.FINAL, _STATED)):
        service.ingest([_version(status, text), _version(status, text, accession="B", patient="other")], by=_SUBMITTER)
    _work(service)
    erased = service.erase_patient(_PATIENT, by=_ADMIN)
    if (erased.examinations, erased.versions, erased.pairs) != (1, 2, 1):
        yield "erasing reports other numbers than were there"
    with _raises(NotFoundError) as missing:
        service.examination(ExaminationKey(_SITE, "A1"), by=_REVIEWER)
    if not missing:
        yield "an erased examination is still there"
    if [row.examination.accession for row in service.search(Search(), by=_REVIEWER).rows] != ["B"]:
        yield "another patient's pair went too, or the erased one stayed"
    if any(_PATIENT in repr(event) for event in service.audit_trail(by=_ADMIN)):
        yield "the audit trail names a patient"


def _merged_patients_are_one(service: HospitalService) -> Problems:
    merge = PatientMerge(site=_SITE, surviving=_PATIENT, merged="merged-patient")
    service.ingest([_version(ReportStatus.FINAL, _DENIED, patient="merged-patient")], by=_SUBMITTER)
    if [service.merge_patients([merge], by=_SUBMITTER) for _ in range(2)] != [1, 0]:
        yield "a merge of patients reports other numbers than were there, or changes something when it comes again"
    back = PatientMerge(site=_SITE, surviving=merge.merged, merged=merge.surviving)
    kinds = [receipt.kind for receipt in service.record_merges([merge, back], by=_SUBMITTER)]
    if kinds != [MergeKind.KNOWN, MergeKind.REVERSED]:
        yield "a merge that comes again, or the other way, is not reported as such"
    service.ingest([_version(ReportStatus.FINAL, _STATED, accession="B", patient="merged-patient")], by=_SUBMITTER)
    if service.erase_patient(_PATIENT, by=_ADMIN).examinations != 2:  # noqa: PLR2004 - before and after the merge
        yield "what was kept under a merged identifier, before or after, is not found under the one that stands"
    if any("merged-patient" in repr(event) for event in service.audit_trail(by=_ADMIN)):
        yield "the audit trail names a merged patient"


def _what_is_done_leaves_a_trail(service: HospitalService) -> Problems:
    service.ingest([_version(ReportStatus.FINAL, _STATED)], by=_SUBMITTER)
    service.search(Search(), by=_REVIEWER)
    service.evaluate_together([EvaluationRequest(pairs=[_pair("1", _STATED, _DENIED)], by=_SUBMITTER)])
    events = service.audit_trail(by=_ADMIN)
    if [(event.actor, event.action) for event in events[:3]] != [
        (_SUBMITTER.name, "ingest"),
        (_REVIEWER.name, "search"),
        (_SUBMITTER.name, "evaluate"),
    ]:
        yield "what was done is not in the audit trail"
    if not verify(events).holds:
        yield "the audit trail is no chain"
    if any(sentence in repr(events) for text in (_DENIED, _STATED) for sentence in text.split(". ")):
        yield "the audit trail quotes a report"


_CHECKS: Final[Sequence[Callable[[HospitalService], Problems]]] = (
    _a_final_report_is_compared_with_its_preliminary_one,
    _resends_change_nothing,
    _threads_do_not_store_twice,
    _a_late_preliminary_report_replaces_nothing,
    _a_correction_is_compared_with_what_it_corrects,
    _a_withdrawn_report_leaves_the_worklist,
    _reports_of_two_patients_are_not_compared,
    _all_versions_are_taken_or_none,
    _a_batch_keeps_its_order,
    _roles_are_kept_apart,
    _a_worklist_comes_page_by_page,
    _a_review_is_a_persons_word,
    _a_blinded_reader_sees_the_reports_alone,
    _readers_who_differ_are_adjudicated,
    _a_patients_data_can_be_erased,
    _merged_patients_are_one,
    _what_is_done_leaves_a_trail,
)


def _version(
    status: ReportStatus, text: str, *, accession: str = "A1", patient: str = _PATIENT, message: str = ""
) -> ReportVersion:
    examination = Examination(site=_SITE, accession=accession, patient=patient, modality="CR")
    return ReportVersion(examinations=(examination,), status=status, text=text, source="check", message=message)


def _pair(ident: str, reference: str, candidate: str) -> ReportPair:
    return ReportPair(id=ident, reference=reference, candidate=candidate)


def _work(service: HospitalService) -> None:
    while service.work(worker="check-worker"):
        pass


@contextmanager
def _raises(kind: type[OverreadError]) -> Iterator[list[OverreadError]]:
    """Collects in a list what is raised of a kind; anything else propagates."""
    errors: list[OverreadError] = []
    try:
        yield errors
    except kind as error:
        errors.append(error)
