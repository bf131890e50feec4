"""Word of important pairs is tried until it arrives or is given up."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import pytest
from attrs import define, field
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.vocabulary.severity import Importance
from overread.hospital.application.ports import HospitalStore
from overread.hospital.application.requests import WorklistRow
from overread.hospital.application.use_cases.delivering import Arrival, Delivered, DeliveryPlan, Dispatcher, Parcel
from overread.hospital.domain.report_version import ReportStatus

from ..hospital import ADMIN, SUBMITTER, Clock, hospital, version

_PLAN = DeliveryPlan(at_once=2, first=timedelta(seconds=10), give_up_after=timedelta(seconds=60))
_FAILED = Arrival(has_arrived=False, reason="status-500")


@define
class _Courier:
    """Answers with the next of its arrivals, and with the last of them from then on."""

    arrivals: Sequence[Arrival] = (Arrival(has_arrived=True),)
    carried: list[Parcel] = field(factory=list)

    def send(self, parcels: Sequence[Parcel]) -> list[Arrival]:
        self.carried += parcels
        last = len(self.arrivals) - 1
        return [self.arrivals[min(len(self.carried) - len(parcels) + at, last)] for at in range(len(parcels))]


@define
class _Office:
    """A hospital with scored urgent pairs, word of which is queued."""

    store: HospitalStore
    courier: _Courier
    clock: Clock
    dispatcher: Dispatcher

    def deliver(self, worker: str = "w") -> Delivered:
        return self.dispatcher.deliver(worker)

    def waiting(self) -> int:
        with self.store.reading() as unit:
            return unit.deliveries.waiting()


def _office(*arrivals: Arrival, pairs: int = 1, plan: DeliveryPlan = _PLAN) -> _Office:
    clock = Clock()
    service = hospital(clock=clock)
    for at in range(pairs):
        said = {"accession": f"A{at}", "patient": f"P{at}"}
        service.ingest([version(ReportStatus.PRELIMINARY, "clear lungs", **said)], by=SUBMITTER)
        service.ingest([version(ReportStatus.FINAL, "clear lungs pneumothorax", **said)], by=SUBMITTER)
    service.work(worker="w")
    with service.store.transaction() as unit:
        unit.deliveries.add(range(1, pairs + 1), "ris")
    courier = _Courier(arrivals) if arrivals else _Courier()
    signatures = [str(metric.signature) for metric in service.scorer.metrics]
    dispatcher = Dispatcher(service.store, courier, signatures, plan=plan, clock=clock, chance=lambda: 1.0)
    return _Office(service.store, courier, clock, dispatcher)


def test_a_parcel_tells_of_a_pair_and_arrives_once() -> None:
    """What the target has is not sent again."""
    office = _office()
    assert office.deliver() == Delivered(arrived=1)
    [parcel] = office.courier.carried
    assert isinstance(parcel.about, WorklistRow)
    assert (parcel.target, parcel.about.pair, parcel.about.importance) == ("ris", 1, Importance.URGENT)
    assert (office.deliver(), office.waiting()) == (Delivered(), 0)


def test_what_fails_is_tried_again_later_and_under_the_same_id() -> None:
    """The wait doubles; a target that got it the first time knows the second by its id."""
    office = _office(_FAILED, _FAILED, Arrival(has_arrived=True))
    assert office.deliver() == Delivered(again=1)
    assert office.deliver() == Delivered()
    office.clock.move(seconds=10)
    assert office.deliver() == Delivered(again=1)
    office.clock.move(seconds=10)
    assert office.deliver() == Delivered()
    office.clock.move(seconds=10)
    assert office.deliver() == Delivered(arrived=1)
    assert len({parcel.id for parcel in office.courier.carried}) == 1


def test_a_target_that_asks_for_time_gets_it() -> None:
    """Its Retry-After counts where it is longer than the plan's wait, up to the longest of the plan."""
    plan = DeliveryPlan(first=timedelta(seconds=10), longest=timedelta(seconds=40))
    office = _office(Arrival(has_arrived=False, wait=timedelta(days=2)), plan=plan)
    office.deliver()
    office.clock.move(seconds=39)
    assert office.deliver() == Delivered()
    office.clock.move(seconds=1)
    assert office.deliver().total == 1


def test_what_never_arrives_is_given_up_and_told_of() -> None:
    """After the tries that the plan allows there is a refusal to be seen and an event in the trail, without text."""
    office = _office(_FAILED)
    rounds = []
    for _ in range(_PLAN.tries):
        rounds.append(office.deliver())
        office.clock.move(minutes=1)
    assert rounds == [Delivered(again=1)] * (_PLAN.tries - 1) + [Delivered(given_up=1)]
    assert office.waiting() == 0
    with office.store.reading() as unit:
        [refusal] = unit.refusals.newest(1)
        event = unit.trail.events()[-1]
    assert (refusal.source, refusal.reason) == ("webhook", "not-delivered")
    assert (event.action, event.subject) == ("give up delivery", "pair:1")
    assert dict(event.details) == {"target": "ris", "reason": "status-500"}


def test_what_is_hopeless_is_given_up_at_once() -> None:
    """A target that says it wants no more is not asked again."""
    office = _office(Arrival(has_arrived=False, reason="status-410", is_hopeless=True))
    assert office.deliver() == Delivered(given_up=1)


def test_a_round_has_a_size_and_one_bad_delivery_stops_no_other() -> None:
    """Each is settled on its own."""
    office = _office(_FAILED, Arrival(has_arrived=True), pairs=3)
    assert office.deliver() == Delivered(arrived=1, again=1)
    assert office.deliver() == Delivered(arrived=1)


def test_word_of_an_erased_pair_goes_nowhere() -> None:
    """Deletion takes what was to be sent with it."""
    office = _office()
    with office.store.transaction() as unit:
        unit.erase_patient(None, "P0")
    assert (office.deliver().again, office.courier.carried, office.waiting()) == (0, [], 0)


def test_a_killed_worker_leaves_its_deliveries_to_others() -> None:
    """A claim ends with its lease: what was under way when a process died is made by the next."""
    office = _office()
    with office.store.transaction() as unit:
        assert unit.deliveries.claim("dead", limit=9, now=office.clock(), lease=_PLAN.lease)
    assert office.deliver() == Delivered()
    office.clock.move(minutes=6)
    assert office.deliver("other") == Delivered(arrived=1)


@pytest.mark.parametrize(("days", "tries"), [(0.001, 4), (1.0, 21), (3.0, 45)])
def test_the_number_of_tries_follows_from_the_time(days: float, tries: int) -> None:
    """Added up by hand: 15 s doubled nine times is 2 h 08; from then on it is 2 h."""
    assert DeliveryPlan(give_up_after=timedelta(days=days)).tries == tries


@given(attempts=st.integers(1, 10_000))
def test_waits_never_shrink_and_have_an_end(attempts: int) -> None:
    """However long a target is away."""
    plan = DeliveryPlan()
    assert plan.first <= plan.wait(attempts) <= plan.wait(attempts + 1) <= plan.longest


def test_admin_is_not_needed_to_deliver() -> None:
    """Deliveries are the service's own doing: nobody's roles stand behind them, and its trail names it."""
    office = _office(Arrival(has_arrived=False, is_hopeless=True))
    office.deliver()
    with office.store.reading() as unit:
        assert unit.trail.events()[-1].actor not in {ADMIN.name, SUBMITTER.name}
