"""The queue: what is scored is kept once, and what goes wrong stops nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from types import SimpleNamespace

import pytest
import tenacity
from attrs import evolve

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult
from overread.domain.vocabulary.severity import Importance
from overread.exceptions import ConfigurationError, StoreBusyError, StoreError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.requests import PairState, Search, WorklistRow
from overread.hospital.application.service import HospitalService
from overread.hospital.application.use_cases.working import profile_of
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.testing import MemoryHospitalStore

from ..hospital import ADMIN, REVIEWER, SUBMITTER, Clock, Words, hospital, pair, version

CONFIGURATION = HospitalConfiguration(
    attempts=2, retry_after=timedelta(seconds=10), retry_at_most=timedelta(seconds=30), lease=timedelta(minutes=5)
)


def rows(service: HospitalService) -> list[WorklistRow]:
    return sorted(service.export(Search(), by=ADMIN), key=lambda row: row.pair)


def test_a_pair_that_breaks_a_metric_is_unscored_and_the_others_are_scored() -> None:
    """The scorer holds faults of one pair apart; the queue is empty afterwards."""
    service = hospital(metrics=(Words("radot", fault=ValueError("Secret")), Words("notation")))
    service.submit([pair("1", "poison", "a"), pair("2", "b", "a")], by=SUBMITTER)
    assert service.work(worker="one") == 2
    assert [(row.state, row.reason) for row in rows(service)] == [
        (PairState.UNSCORED, "error"),
        (PairState.SCORED, ""),
    ]


def test_a_model_that_cannot_score_at_all_gives_its_pairs_back_however_long_it_takes() -> None:
    """Its attempts do not count, and it is asked again later and later, up to a limit."""
    clock, radot = Clock(), Words("radot", fault=ConfigurationError(["the model server is away"]))
    service = hospital(metrics=(radot, Words("notation")), clock=clock, configuration=CONFIGURATION)
    service.submit([pair("1", "poison", "a")], by=SUBMITTER)
    for seconds in (10, 20, 30, 30, 30):
        with pytest.raises(ConfigurationError):
            service.work(worker="one")
        clock.move(seconds=seconds - 1)
        assert service.work(worker="one") == 0, "it was asked too early"
        clock.move(seconds=1)
    radot.fault = None
    assert service.work(worker="one") == 1
    assert rows(service)[0].state is PairState.SCORED


def test_a_pair_whose_workers_die_is_tried_alone_and_given_up_in_the_end() -> None:
    """It takes no others along; after two workers it is unscored, with the reason, and never tried again."""
    clock, radot = Clock(), Words("radot")
    service = hospital(metrics=(radot, Words("notation")), clock=clock, configuration=CONFIGURATION)
    service.submit([pair("early", "b", "a"), pair("late", "c", "a")], by=SUBMITTER)
    _die_with_all(service, clock)
    service.submit([pair("fresh", "d", "a")], by=SUBMITTER)
    assert service.work(worker="two") == 3
    assert radot.asked == [("fresh",), ("early",), ("late",)]

    service.submit([pair("bad", "e", "a")], by=SUBMITTER)
    for _ in range(CONFIGURATION.attempts):
        _die_with_all(service, clock)
    assert service.work(worker="three") == 1
    assert rows(service)[-1].reason == "gave up"
    assert ("bad",) not in radot.asked


def test_a_pair_that_the_store_does_not_take_is_given_up_and_the_others_are_kept() -> None:
    """It is tried alone from its second time on; what a fault kept back at first is scored then."""
    clock, store = Clock(), _Picky(StoreError("a row cannot be written"))
    service = hospital(store=store, clock=clock, configuration=CONFIGURATION)
    service.submit([pair("bad", "poison", "a"), pair("good", "b", "a")], by=SUBMITTER)
    for _ in range(8):
        try:
            service.work(worker="one")
        except StoreError:
            clock.move(seconds=31)
    assert [(row.state, row.reason) for row in rows(service)] == [
        (PairState.UNSCORED, "gave up"),
        (PairState.SCORED, ""),
    ]


def test_what_was_given_up_can_be_scored_anew() -> None:
    """Once its cause is gone; what has a score, or can have none, is not queued."""
    clock, store = Clock(), _Picky(StoreError("a row cannot be written"))
    service = hospital(store=store, clock=clock, configuration=CONFIGURATION)
    service.submit([pair("bad", "poison", "a"), pair("good", "b", "a"), pair("blank", " ", "")], by=SUBMITTER)
    for _ in range(8):
        with suppress(StoreError):
            service.work(worker="one")
        clock.move(seconds=31)
    store.fault = None
    assert service.rescore(Search(), by=ADMIN) == 1
    assert service.work(worker="one") == 1
    assert [row.state for row in rows(service)] == [PairState.SCORED, PairState.SCORED, PairState.UNSCORED]


def test_a_store_that_is_busy_costs_no_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """However often: others who keep something at the same time say nothing of the pair."""
    monkeypatch.setattr(tenacity.nap, "time", SimpleNamespace(sleep=lambda _: None))
    clock, store = Clock(), _Picky(StoreBusyError("others were at the same"))
    service = hospital(store=store, clock=clock, configuration=CONFIGURATION)
    service.submit([pair("1", "poison", "a")], by=SUBMITTER)
    for _ in range(2 * CONFIGURATION.attempts):
        with pytest.raises(StoreBusyError):
            service.work(worker="one")
        clock.move(seconds=31)
    store.fault = None
    assert service.work(worker="one") == 1
    assert rows(service)[0].state is PairState.SCORED


def test_only_results_of_pairs_that_a_worker_still_has_are_kept() -> None:
    """Its lease ended while it scored: what the next one brings counts."""
    clock, radot = Clock(), Words("radot")
    service = hospital(metrics=(radot, Words("notation")), clock=clock, configuration=CONFIGURATION)
    service.submit([pair("1", "b", "a")], by=SUBMITTER)
    radot.during = lambda: _die_with_all(service, clock, first=timedelta(minutes=6))
    assert service.work(worker="slow") == 0
    radot.during = None
    assert rows(service)[0].state is PairState.WAITING
    clock.move(minutes=6)
    assert service.work(worker="next") == 1


def test_a_pair_whose_text_is_gone_is_unscored_and_says_so() -> None:
    """Retention may be shorter than the queue."""
    clock = Clock()
    service = hospital(clock=clock, configuration=evolve(CONFIGURATION, keep_texts=timedelta(days=1)))
    service.ingest([version(ReportStatus.PRELIMINARY, "a"), version(ReportStatus.FINAL, "b")], by=SUBMITTER)
    clock.move(days=2)
    assert service.retain(by=ADMIN).texts == 2
    service.work(worker="one")
    [row] = rows(service)
    assert (row.state, row.reason) == (PairState.UNSCORED, "text not kept")
    assert service.pair(row.pair, by=REVIEWER, explain=True).report_pair is None


def test_pairs_of_high_importance_are_told_to_each_target() -> None:
    """In the unit of work that keeps their results; no others, and none before it is scored."""
    configuration = evolve(CONFIGURATION, deliver_to=("ris", "pager"), deliver_from=Importance.URGENT)
    service = hospital(configuration=configuration)
    service.submit([pair("1", "pneumothorax", "a"), pair("2", "b", "a")], by=SUBMITTER)
    with service.store.reading() as unit:
        assert unit.deliveries.waiting() == 0
    service.work(worker="one")
    with service.store.transaction() as unit:
        told = unit.deliveries.claim("sender", limit=9, now=service._context.now(), lease=timedelta(minutes=1))
    assert [(each.pair, each.target) for each in told] == [(1, "ris"), (1, "pager")]


def test_scoring_anew_under_a_new_signature_leaves_the_earlier_results() -> None:
    """A worker of the old signature does not take such a pair; afterwards both results stand side by side."""
    clock, store = Clock(), MemoryHospitalStore()
    old = hospital(store=store, clock=clock)
    old.submit([pair("1", "pneumothorax", "a")], by=SUBMITTER)
    old.work(worker="old")
    new = hospital(store=store, clock=clock, metrics=(Words("radot", "2"), Words("notation", "2")))
    assert rows(new)[0].state is PairState.WAITING
    assert (new.rescore(Search(), by=ADMIN), new.rescore(Search(), by=ADMIN)) == (1, 1)
    assert old.work(worker="old") == 0
    assert new.work(worker="new") == 1
    assert new.rescore(Search(), by=ADMIN) == 0
    record = new.pair(1, by=REVIEWER)
    assert len(record.results) == 4
    assert {str(result.signature) for result in record.current.values()} == set(new._context.signatures.values())
    signature = old._context.signatures["radot"]
    assert [row.pair for row in new.search(Search(signature=signature), by=REVIEWER).rows] == [1]


def _die_with_all(service: HospitalService, clock: Clock, first: timedelta = timedelta(0)) -> None:
    """A worker claims everything, and is never heard of again; its lease ends."""
    clock.time += first
    profile = profile_of(service._context.signatures)
    with service.store.transaction() as unit:
        unit.jobs.claim("dead", limit=9, now=clock.time, lease=timedelta(minutes=5), profile=profile)
    if not first:
        clock.move(minutes=6)


class _Picky(MemoryHospitalStore):
    """Takes no results that hold the finding "poison", as long as there is a fault to raise."""

    def __init__(self, fault: StoreError | None) -> None:
        super().__init__()
        self.fault = fault

    @contextmanager
    def transaction(self) -> Iterator[UnitOfWork]:
        with super().transaction() as unit:
            yield unit
            found = unit.tables.results.values()  # type: ignore[attr-defined]
            if self.fault and any(each.finding == "poison" for result in found for each in _found(result)):
                raise self.fault


def _found(result: EvaluationResult) -> Sequence[Discrepancy]:
    return result.discrepancies if result.is_scored else ()
