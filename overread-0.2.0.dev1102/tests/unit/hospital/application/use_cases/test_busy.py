"""A store where others are at the same: what met them is done again, whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
import tenacity

from overread.exceptions import StoreBusyError
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.requests import PairState, Search
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer
from overread.hospital.testing import MemoryHospitalStore

from ..hospital import ADMIN, REVIEWER, SUBMITTER, hospital, pair, version


class _Busy(MemoryHospitalStore):
    """Every unit of work fails at its end at first, and so often."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.times = times
        self.left = times

    @contextmanager
    def transaction(self) -> Iterator[UnitOfWork]:
        with super().transaction() as unit:
            yield unit
            if self.left:
                self.left -= 1
                raise StoreBusyError("others were at the same")
        self.left = self.times


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tenacity.nap, "time", SimpleNamespace(sleep=lambda _: None))


def _day(service: HospitalService) -> None:
    """Everything that writes."""
    service.ingest([version(ReportStatus.PRELIMINARY, "a"), version(ReportStatus.FINAL, "b")], by=SUBMITTER)
    service.submit([pair("1", "b", "a")], by=SUBMITTER)
    service.work(worker="one")
    [first, _] = service.search(Search(), by=REVIEWER).rows
    signature = str(service.pair(first.pair, by=REVIEWER).current["notation"].signature)
    service.review(first.pair, by=REVIEWER, signature=signature, radpeer=Radpeer.CONCUR)
    service.rescore(Search(), by=ADMIN)
    service.retain(by=ADMIN)
    service.erase_patient("P1", by=ADMIN)


def test_what_met_others_is_done_again_and_once() -> None:
    """A day on a store that is busy each time ends as on one that never is, audit trail included."""
    calm, crowded = hospital(), hospital(store=_Busy(3))
    for service in (calm, crowded):
        _day(service)
    trails = [[(event.action, event.details) for event in s.audit_trail(by=ADMIN)] for s in (calm, crowded)]
    assert trails[0] == trails[1]
    [row] = crowded.search(Search(), by=REVIEWER).rows
    assert row.state is PairState.SCORED


def test_a_store_that_stays_busy_is_told() -> None:
    """After six tries; the caller may try again: nothing was kept."""
    store = _Busy(99)
    service = hospital(store=store)
    with pytest.raises(StoreBusyError):
        service.ingest([version(ReportStatus.FINAL, "a")], by=SUBMITTER)
    assert store.left == 93
    with service.store.reading() as unit:
        assert unit.trail.events() == []
