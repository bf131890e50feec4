"""Feeds that fall silent raise one alert, and one when they are heard again."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from threading import Event
from typing import Any, cast

from attrs import define, evolve, field

from overread.exceptions import StoreError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.ports import HospitalStore, NoticeKind
from overread.hospital.application.service import HospitalService
from overread.hospital.application.use_cases.delivering import Arrival, DeliveryPlan, Dispatcher, Parcel
from overread.hospital.application.use_cases.listening import FeedWatch
from overread.hospital.domain.feeds import ExpectedFeed, Feed, Weekday
from overread.hospital.domain.report_version import ReportStatus

from ..hospital import ADMIN, NOON, SUBMITTER, Clock, hospital, version

_CONFIGURATION = HospitalConfiguration(deliver_to=("pager",))
_HALF_HOUR = ExpectedFeed(door="hl7", site="north", longest=timedelta(minutes=30))


@define
class _Log:
    told: list[tuple[str, dict[str, object]]] = field(factory=list)

    def warning(self, event: str, **values: object) -> None:
        self.told.append((event, values))

    info = warning


@define
class _Courier:
    arrival: Arrival
    carried: list[Parcel] = field(factory=list)

    def send(self, parcels: Sequence[Parcel]) -> list[Arrival]:
        self.carried += parcels
        return [self.arrival] * len(parcels)


@define
class _Ward:
    """A service with one feed that is watched."""

    expected: ExpectedFeed = _HALF_HOUR
    clock: Clock = field(factory=Clock)
    log: _Log = field(factory=_Log)
    service: HospitalService = field(init=False)
    watch: FeedWatch = field(init=False)
    messages: int = 0

    def __attrs_post_init__(self) -> None:
        self.service = hospital(configuration=_CONFIGURATION, clock=self.clock)
        self.watch = self.watcher()

    def watcher(self) -> FeedWatch:
        return FeedWatch(
            store=self.service.store,
            configuration=_CONFIGURATION,
            feeds=[self.expected],
            every=timedelta(minutes=1),
            least=timedelta(minutes=15),
            clock=self.clock,
            log=self.log,
        )

    def receive(self) -> None:
        self.messages += 1
        sent = version(ReportStatus.FINAL, "clear lungs", accession=f"A{self.messages}")
        self.service.ingest([evolve(sent, source="hl7")], by=SUBMITTER)

    def look(self, **after: float) -> list[str]:
        """Events of the log once so much time has passed."""
        self.clock.move(**after)
        before = len(self.log.told)
        self.watch.check()
        return [event for event, _ in self.log.told[before:]]

    def notices(self) -> list[tuple[NoticeKind, str]]:
        with self.service.store.transaction() as unit:
            claimed = unit.notices.claim("w", limit=99, now=self.clock(), lease=timedelta(days=1))
        return [(notice.kind, notice.target) for notice in claimed]


def test_a_silence_is_told_once_when_it_begins_and_once_when_it_ends() -> None:
    """By the log and to each target; never with the name of a site in the log."""
    ward = _Ward()
    assert ward.look() == []  # a feed that never began is not silent
    ward.receive()
    assert ward.look(minutes=30) == []
    assert ward.look(minutes=1) == ["feed_silent"]
    assert ward.look(hours=9) == []
    ward.receive()
    assert ward.look(minutes=1) == ["feed_heard"]
    assert ward.look(minutes=1) == []
    assert ward.notices() == [(NoticeKind.SILENT, "pager"), (NoticeKind.HEARD, "pager")]
    assert ward.log.told[0] == ("feed_silent", {"source": "hl7", "number": 1, "seconds": 31 * 60})
    assert ward.look(minutes=30) == ["feed_silent"]


def test_several_processes_tell_of_a_silence_once() -> None:
    """The first to keep it does, and the first to see that it is over."""
    ward = _Ward()
    ward.receive()
    other = ward.watcher()
    ward.clock.move(hours=1)
    ward.watch.check()
    other.check()
    ward.receive()
    other.check()
    ward.watch.check()
    assert [event for event, _ in ward.log.told] == ["feed_silent", "feed_heard"]
    assert len(ward.notices()) == 2


def test_a_message_that_came_between_two_looks_ends_one_silence_and_begins_another() -> None:
    """Both are told."""
    ward = _Ward()
    ward.receive()
    ward.look(hours=1)
    ward.receive()
    assert ward.look(hours=1) == ["feed_heard", "feed_silent"]


def test_hours_in_which_nothing_is_expected_do_not_count() -> None:
    """Noon of 2 November 2026 is a Monday; the weekend after it is quiet."""
    ward = _Ward(ExpectedFeed(door="hl7", site="north", longest=timedelta(hours=1), weekdays=(Weekday.MON,)))
    ward.receive()
    ward.clock.time = NOON + timedelta(hours=11, minutes=59)
    ward.receive()
    assert ward.look(days=6) == []
    assert ward.look(hours=1, minutes=1) == ["feed_silent"]


def test_usual_silences_are_learnt() -> None:
    """A message every ten minutes for days: a quarter of an hour is the least that can be unusual."""
    ward = _Ward(ExpectedFeed(door="hl7", site="north"))
    for _ in range(60):
        ward.clock.move(minutes=10)
        ward.receive()
    ward.clock.time = NOON + timedelta(days=1)
    ward.receive()
    assert ward.look(minutes=15) == []
    assert ward.look(minutes=1) == []  # the day class alone has few gaps: nothing is known of noon
    for _ in range(60):
        ward.clock.move(minutes=2)
        ward.receive()
    assert ward.look(minutes=14) == []
    ward.look(hours=1)
    assert ("feed_silent", {"source": "hl7", "number": 1, "seconds": 74 * 60}) in ward.log.told


def test_the_watch_goes_on_after_a_fault_of_the_store() -> None:
    """And says that it does not work meanwhile."""
    ward = _Ward()
    stop = Event()

    class Faulty:
        def reading(self) -> Any:
            stop.set()
            raise StoreError("the store is away")

    broken = evolve(ward.watch, store=cast("HospitalStore", Faulty()))
    broken.run(stop)
    assert broken.problem == "alerts"
    assert [event for event, _ in ward.log.told] == ["feeds_not_watched"]


def test_word_of_a_feed_is_delivered_or_given_up() -> None:
    """As word of a pair is, under an id of its own that stays the same."""
    ward = _Ward()
    ward.receive()
    ward.look(hours=1)
    failed, arrived = _Courier(Arrival(has_arrived=False, reason="status-500")), _Courier(Arrival(has_arrived=True))
    plan = DeliveryPlan(give_up_after=timedelta(seconds=30))
    for courier in (failed, arrived):
        ward.clock.move(minutes=5)
        Dispatcher(ward.service.store, courier, [], plan=plan, clock=ward.clock).deliver("w")
    [first], [second] = failed.carried, arrived.carried
    assert (first.id, first.target) == (second.id, second.target) == ("overread-feed-1", "pager")
    ward.receive()
    ward.look()
    gone = _Courier(Arrival(has_arrived=False, reason="status-410", is_hopeless=True))
    Dispatcher(ward.service.store, gone, [], plan=plan, clock=ward.clock).deliver("w")
    assert [parcel.id for parcel in gone.carried] == ["overread-feed-2"]
    [refusal] = ward.service.refusals(by=ADMIN)
    assert refusal.detail == "the delivery of notice 2 to pager was given up: status-410"
    with ward.service.store.reading() as unit:
        assert unit.notices.waiting() == 0
        assert unit.feeds.silences() == {}
    assert Feed("hl7", "north") == ward.expected.feed
