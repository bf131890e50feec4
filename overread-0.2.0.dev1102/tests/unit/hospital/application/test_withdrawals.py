"""What is withdrawn leaves lists, rates, samples and what is sent out, and nothing of it is lost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from attrs import define, field

from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.requests import Search, Withdrawn
from overread.hospital.application.sampling import SamplePlan
from overread.hospital.application.service import HospitalService
from overread.hospital.application.use_cases.delivering import Arrival, Delivered, DeliveryPlan, Dispatcher, Parcel
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer, ReviewState
from overread.hospital.domain.version_pairs import Doubt, DoubtReason

from .hospital import ADMIN, NOON, REVIEWER, SUBMITTER, Clock, hospital, version

P, F, C, X = (
    ReportStatus.PRELIMINARY,
    ReportStatus.FINAL,
    ReportStatus.CORRECTED,
    ReportStatus.CANCELLED,
)
_ALSO, _ONLY = Search(withdrawn=Withdrawn.ALSO), Search(withdrawn=Withdrawn.ONLY)
_KEY = ExaminationKey("north", "A1")


def _ingest(service: HospitalService, *told: tuple[ReportStatus, str], **more: object) -> None:
    for status, text in told:
        service.ingest([version(status, text, **more)], by=SUBMITTER)  # type: ignore[arg-type]


def _found(service: HospitalService, search: Search) -> list[tuple[int, bool]]:
    return [(row.pair, row.withdrawn) for row in service.search(search, by=REVIEWER).rows]


def _two_pairs() -> HospitalService:
    """One of an examination whose report will be withdrawn, one of another."""
    service = hospital()
    _ingest(service, (P, "clear lungs"), (F, "clear lungs pneumothorax"))
    _ingest(service, (P, "clear"), (F, "clear pneumothorax"), accession="B1", patient="P2")
    service.work(worker="w")
    return service


def test_a_withdrawn_pair_is_found_where_it_is_asked_for_alone() -> None:
    """Search, rates, samples, rescoring and export leave it out; it is marked wherever it is shown."""
    service = _two_pairs()
    _ingest(service, (X, ""))
    assert _found(service, Search()) == [(2, False)]
    assert _found(service, _ONLY) == [(1, True)]
    assert sorted(_found(service, _ALSO)) == [(1, True), (2, False)]
    assert service.rates(Search(), by=REVIEWER).overall.pairs == 1
    assert [each.pair for each in service.draw_sample(Search(), SamplePlan(size=2), by=REVIEWER).pairs] == [2]
    assert [row.pair for row in service.export(Search(), by=ADMIN)] == [2]
    assert [service.pair(number, by=REVIEWER).withdrawn for number in (1, 2)] == [True, False]
    record = service.examination(_KEY, by=REVIEWER)
    assert ([row.withdrawn for row in record.pairs], record.withdrawn) == ([True], (1, 2))


@pytest.mark.parametrize("asked", list(Withdrawn))
def test_withdrawn_pairs_can_be_asked_into_no_rate(asked: Withdrawn) -> None:
    """Nor into a sample."""
    service = _two_pairs()
    with pytest.raises(InputError, match="withdrawn"):
        service.rates(Search(withdrawn=asked), by=REVIEWER)
    with pytest.raises(InputError, match="withdrawn"):
        service.draw_sample(Search(withdrawn=asked), SamplePlan(size=1), by=REVIEWER)


def test_a_drawn_sample_is_counted_without_what_was_withdrawn_since() -> None:
    """Where nothing is left there is nothing to draw from either."""
    service = _two_pairs()
    sample = service.draw_sample(Search(), SamplePlan(size=2), by=REVIEWER)
    _ingest(service, (X, ""))
    assert service.rates(Search(sample=sample.number), by=REVIEWER).overall.pairs == 1
    _ingest(service, (X, ""), accession="B1", patient="P2")
    with pytest.raises(NotFoundError):
        service.draw_sample(Search(), SamplePlan(size=2), by=REVIEWER)


def test_reviews_of_a_withdrawn_pair_are_kept() -> None:
    """They are shown with it, and count in no rate."""
    service = _two_pairs()
    signature = str(service.pair(1, by=REVIEWER).current["notation"].signature)
    service.review(1, by=REVIEWER, signature=signature, radpeer=Radpeer.EXPECTED_SIGNIFICANT)
    _ingest(service, (X, ""))
    assert [each.radpeer for each in service.pair(1, by=REVIEWER).reviews] == [Radpeer.EXPECTED_SIGNIFICANT]
    assert service.rates(Search(), by=REVIEWER).overall.reviewed == 0
    [row] = service.search(Search(review=ReviewState.REVIEWED, withdrawn=Withdrawn.ONLY), by=REVIEWER).rows
    assert row.radpeer is Radpeer.EXPECTED_SIGNIFICANT


def test_what_is_reported_anew_is_a_pair_of_its_own() -> None:
    """The withdrawn one stays withdrawn."""
    service = _two_pairs()
    _ingest(service, (X, ""), (P, "clear lungs"), (F, "clear lungs"))
    assert sorted(_found(service, Search(accession="A1"))) == [(3, False)]
    assert _found(service, _ONLY) == [(1, True)]


def test_a_withdrawal_takes_all_pairs_of_its_report_and_no_other() -> None:
    """Its final against the preliminary report and against its correction; not that of another filler number."""
    service = hospital()
    for filler in ("F1", "F2"):
        _ingest(service, (P, f"clear {filler}"), (F, f"clear {filler} lungs"), (C, f"{filler} other"), filler=filler)
    _ingest(service, (X, ""), filler="F1")
    assert [number for number, _ in sorted(_found(service, _ONLY))] == [1, 2]
    assert [number for number, _ in sorted(_found(service, Search()))] == [3, 4]


def test_what_was_joined_with_a_withdrawn_report_is_withdrawn() -> None:
    """Its text would still be read as what was said."""
    service = hospital()
    one, other = version(P, "clear").examinations[0], version(P, "clear", accession="B1").examinations[0]
    _ingest(service, (P, "clear lungs"), examinations=(one, other))
    _ingest(service, (F, "clear"), examinations=(one,))
    _ingest(service, (F, "lungs pneumothorax"), examinations=(other,))
    assert _found(service, Search()) == [(1, False)]
    _ingest(service, (X, ""), examinations=(other,))
    assert _found(service, Search()) == []
    assert _found(service, _ONLY) == [(1, True)]


def test_a_withdrawal_is_taken_where_clocks_differ_by_minutes() -> None:
    """Its sender's may be behind that of the report."""
    service = hospital()
    _ingest(service, (P, "clear"), issued=NOON - timedelta(hours=2))
    _ingest(service, (F, "clear lungs"), issued=NOON - timedelta(hours=1))
    [receipt] = _later(service).ingest([version(X, "", issued=NOON - timedelta(hours=1, minutes=10))], by=SUBMITTER)
    assert (receipt.doubts, _found(service, Search())) == ((), [])


def test_a_withdrawal_from_before_a_version_is_in_doubt() -> None:
    """Its sender may have repeated the time of an earlier one: the version stands, and that is told."""
    service = hospital()
    _ingest(service, (P, "clear"), issued=NOON - timedelta(hours=2))
    _ingest(service, (F, "clear lungs"), issued=NOON - timedelta(hours=1))
    [receipt] = _later(service).ingest([version(X, "", issued=NOON - timedelta(hours=1, minutes=30))], by=SUBMITTER)
    assert receipt.doubts == (DoubtReason.WITHDRAWS_TOO_EARLY,)
    assert len(_found(service, Search())) == 0
    assert len(_found(service, _ONLY)) == 1
    record = service.examination(_KEY, by=REVIEWER)
    assert record.doubts == (Doubt(receipt.version, DoubtReason.WITHDRAWS_TOO_EARLY),)
    assert record.withdrawn == (1,)


def _later(service: HospitalService) -> HospitalService:
    """The same hospital a minute later."""
    return hospital(store=service.store, clock=Clock(NOON + timedelta(minutes=1)))


@define
class _Courier:
    """Notes what it carries; everything arrives."""

    carried: list[Parcel] = field(factory=list)

    def send(self, parcels: Sequence[Parcel]) -> list[Arrival]:
        self.carried += parcels
        return [Arrival(has_arrived=True) for _ in parcels]


@pytest.mark.parametrize("when", ["before it is scored", "before it is sent"])
def test_no_word_of_a_withdrawn_pair_goes_out(when: str) -> None:
    """Whether it was withdrawn before it was scored, or while word of it waited."""
    clock, courier = Clock(), _Courier()
    service = hospital(clock=clock, configuration=HospitalConfiguration(deliver_to=("ris",)))
    _ingest(service, (P, "clear lungs"), (F, "clear lungs pneumothorax"))
    if when == "before it is sent":
        service.work(worker="w")
    _ingest(service, (X, ""))
    service.work(worker="w")
    signatures = [str(metric.signature) for metric in service.scorer.metrics]
    dispatcher = Dispatcher(service.store, courier, signatures, plan=DeliveryPlan(), clock=clock)
    assert dispatcher.deliver("d").given_up == 0
    assert courier.carried == []
    assert dispatcher.deliver("d") == Delivered()
