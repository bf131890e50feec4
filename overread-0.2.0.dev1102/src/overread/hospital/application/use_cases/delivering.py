"""Word of important pairs is sent on, and tried again until it arrives or is given up."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final, Protocol

from attrs import field, frozen, validators

from overread.exceptions import NotFoundError
from overread.hospital.application.ports import Delivery, FeedNotice, HospitalStore, UnitOfWork
from overread.hospital.application.requests import Refusal, WorklistRow
from overread.hospital.application.use_cases.waits import double_wait
from overread.hospital.domain.audit_trail import AuditEvent

__all__ = ["Arrival", "Courier", "Delivered", "DeliveryPlan", "Dispatcher", "Parcel"]

_SOURCE: Final = "webhook"
_ACTOR: Final = "webhooks"


@frozen(kw_only=True)
class Parcel:
    """Word of one pair, or of a feed, for one target, without any text.

    Attributes:
        id: the same however often it is sent, so that a target can tell that it has it.
        target: name of the target.
        about: the pair as it stands in the worklist, or what is told of a feed.
    """

    id: str
    target: str
    about: WorklistRow | FeedNotice


@frozen(kw_only=True)
class Arrival:
    """Outcome of sending a parcel.

    Attributes:
        has_arrived: whether the target has it.
        reason: why not; short and stable.
        wait: time that the target asked for before the next try; None where it asked for none.
        is_hopeless: whether no later try can succeed.
    """

    has_arrived: bool
    reason: str = ""
    wait: timedelta | None = None
    is_hopeless: bool = False


_NOTHING_TO_SEND: Final = Arrival(has_arrived=True)


_Word = Delivery | FeedNotice
"""Word that waits in one of the queues."""


class _Outcome(Enum):
    ARRIVED = auto()
    AGAIN = auto()
    GIVEN_UP = auto()


class Courier(Protocol):
    """Carries parcels to their targets."""

    def send(self, parcels: Sequence[Parcel]) -> Sequence[Arrival]:
        """Send parcels; return each outcome in order. A target that fails raises nothing."""
        ...


@frozen(kw_only=True)
class DeliveryPlan:
    """Plan of how often and how long a delivery is tried.

    Attributes:
        at_once: deliveries claimed together.
        lease: how long they are this worker's; longer than all of them may take.
        first: wait after the first failure; each further one doubles it.
        longest: longest wait between two tries.
        give_up_after: time over which it is tried.
    """

    at_once: int = field(default=16, validator=validators.ge(1))
    lease: timedelta = timedelta(minutes=5)
    first: timedelta = field(default=timedelta(seconds=15), validator=validators.gt(timedelta()))
    longest: timedelta = timedelta(hours=2)
    give_up_after: timedelta = timedelta(days=3)

    def wait(self, attempts: int) -> timedelta:
        """Return the longest wait after a number of tries.

        >>> plan = DeliveryPlan()
        >>> [plan.wait(attempts).total_seconds() for attempts in (1, 2, 3, 100)]
        [15.0, 30.0, 60.0, 7200.0]
        """
        return double_wait(self.first, attempts - 1, longest=self.longest)

    @property
    def tries(self) -> int:
        """Number of tries that the time allows; the first is immediate.

        >>> DeliveryPlan(give_up_after=timedelta(minutes=2)).tries
        5
        """
        waited, tries = timedelta(), 1
        while waited < self.give_up_after:
            waited += self.wait(tries)
            tries += 1
        return tries


@frozen(kw_only=True)
class Delivered:
    """Numbers of one round by outcome."""

    arrived: int = 0
    again: int = 0
    given_up: int = 0

    @property
    def total(self) -> int:
        """All that were tried."""
        return self.arrived + self.again + self.given_up


class Dispatcher:
    """Delivers what waits in the store, of pairs and of feeds. Each arrives at least once, unless it is given up.

    What a worker had claimed that is killed is made by others when its lease ends, or at once by the next to begin
    where there are no others. What a target has but could not confirm comes again under the same id.

    Args:
        store: where deliveries wait.
        courier: who carries them.
        signatures: lines of the present signatures, under which the worklist's rows are made.
        plan: of the tries.
        clock: tells the time in UTC.
        chance: draws a number on [0, 1), by which tries are spread.
    """

    def __init__(
        self,
        store: HospitalStore,
        courier: Courier,
        signatures: Sequence[str],
        *,
        plan: DeliveryPlan,
        clock: Callable[[], datetime],
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._store = store
        self._courier = courier
        self._signatures = tuple(signatures)
        self._plan = plan
        self._clock = clock
        self._chance = chance

    def deliver(self, worker: str) -> Delivered:
        """One round: what is due now, up to what is claimed at once.

        Args:
            worker: whose claims they are; unique among all that run.

        Raises:
            StoreError: for a fault of the store; what was claimed is due again when its lease ends.
        """
        self._store.join()
        with self._store.transaction() as unit:
            limit, now, lease = self._plan.at_once, self._clock(), self._plan.lease
            due: list[_Word] = [
                *unit.deliveries.claim(worker, limit=limit, now=now, lease=lease),
                *unit.notices.claim(worker, limit=limit, now=now, lease=lease),
            ]
        if not due:
            return Delivered()
        with self._store.reading() as unit:
            parcels = [self._parcel(unit, word) for word in due]
        sent = [parcel for parcel in parcels if parcel is not None]
        arrivals = dict(zip((delivery.id for delivery in sent), self._courier.send(sent), strict=True)) if sent else {}
        with self._store.transaction() as unit:
            outcomes = [self._settle(unit, worker, word, arrivals.get(_id(word), _NOTHING_TO_SEND)) for word in due]
        return Delivered(
            arrived=outcomes.count(_Outcome.ARRIVED),
            again=outcomes.count(_Outcome.AGAIN),
            given_up=outcomes.count(_Outcome.GIVEN_UP),
        )

    def _parcel(self, unit: UnitOfWork, word: _Word) -> Parcel | None:
        """Make the parcel of a word; None for a pair that was erased or withdrawn meanwhile."""
        if isinstance(word, FeedNotice):
            return Parcel(id=_id(word), target=word.target, about=word)
        try:
            [row] = unit.pairs.rows([word.pair], self._signatures)
        except NotFoundError:
            return None
        return None if row.withdrawn else Parcel(id=_id(word), target=word.target, about=row)

    def _settle(self, unit: UnitOfWork, worker: str, word: _Word, arrival: Arrival) -> _Outcome:
        queue = unit.notices if isinstance(word, FeedNotice) else unit.deliveries
        if arrival.has_arrived:
            queue.finish(worker, [word.number])
            return _Outcome.ARRIVED
        if arrival.is_hopeless or word.attempts >= self._plan.tries:
            queue.release(worker, [word.number], again=None)
            self._tell(unit, word, arrival)
            return _Outcome.GIVEN_UP
        spread = self._plan.wait(word.attempts) * (0.5 + self._chance() / 2)
        wait = max(spread, min(arrival.wait or timedelta(), self._plan.longest))
        queue.release(worker, [word.number], again=self._clock() + wait)
        return _Outcome.AGAIN

    def _tell(self, unit: UnitOfWork, word: _Word, arrival: Arrival) -> None:
        """A delivery that is given up is kept where people look for what went wrong, and in the audit trail."""
        now, details = self._clock(), (("target", word.target), ("reason", arrival.reason))
        what = f"notice {word.number}" if isinstance(word, FeedNotice) else f"pair {word.pair}"
        detail = f"the delivery of {what} to {word.target} was given up: {arrival.reason}"
        unit.refusals.add(Refusal(at=now, source=_SOURCE, message=_id(word), reason="not-delivered", detail=detail))
        subject = what.replace(" ", ":")
        event = AuditEvent(number=0, at=now, actor=_ACTOR, action="give up delivery", subject=subject, details=details)
        unit.trail.append(event)


def _id(word: _Word) -> str:
    if isinstance(word, FeedNotice):
        return f"overread-feed-{word.number}"
    return f"overread-{word.number}-{word.pair}"
