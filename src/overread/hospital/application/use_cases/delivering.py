"""Word of important pairs is sent on, and tried again until it arrives or is given up."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Final, Protocol

from attrs import field, frozen, validators

from overread.exceptions import NotFoundError
from overread.hospital.application.ports import Delivery, HospitalStore, UnitOfWork
from overread.hospital.application.requests import Refusal, WorklistRow
from overread.hospital.application.use_cases.waits import doubled
from overread.hospital.domain.audit_trail import AuditEvent

__all__ = ["Arrival", "Courier", "Delivered", "DeliveryPlan", "Dispatcher", "Parcel"]

_SOURCE: Final = "webhook"
_ACTOR: Final = "webhooks"


@frozen(kw_only=True)
class Parcel:
    """Word of one pair for one target, without any text.

    Attributes:
        id: the same however often it is sent, so that a target can tell that it has it.
        target: name of the target.
        row: the pair as it stands in the worklist.
    """

    id: str
    target: str
    row: WorklistRow


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
        return doubled(self.first, attempts - 1, longest=self.longest)

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
    """Delivers what waits in the store. Each delivery arrives at least once, unless it is given up.

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
            due = unit.deliveries.claim(worker, limit=self._plan.at_once, now=self._clock(), lease=self._plan.lease)
        if not due:
            return Delivered()
        with self._store.reading() as unit:
            parcels = {delivery.number: self._parcel(unit, delivery) for delivery in due}
        sent = [parcel for parcel in parcels.values() if parcel is not None]
        arrivals = dict(zip((delivery.id for delivery in sent), self._courier.send(sent), strict=True)) if sent else {}
        with self._store.transaction() as unit:
            outcomes = [
                self._settle(unit, worker, delivery, arrivals.get(_id(delivery), _NOTHING_TO_SEND)) for delivery in due
            ]
        return Delivered(
            arrived=outcomes.count(_Outcome.ARRIVED),
            again=outcomes.count(_Outcome.AGAIN),
            given_up=outcomes.count(_Outcome.GIVEN_UP),
        )

    def _parcel(self, unit: UnitOfWork, delivery: Delivery) -> Parcel | None:
        """Make the parcel of a delivery; None for a pair that was erased or withdrawn meanwhile."""
        try:
            [row] = unit.pairs.rows([delivery.pair], self._signatures)
        except NotFoundError:
            return None
        return None if row.withdrawn else Parcel(id=_id(delivery), target=delivery.target, row=row)

    def _settle(self, unit: UnitOfWork, worker: str, delivery: Delivery, arrival: Arrival) -> _Outcome:
        if arrival.has_arrived:
            unit.deliveries.finish(worker, [delivery.number])
            return _Outcome.ARRIVED
        if arrival.is_hopeless or delivery.attempts >= self._plan.tries:
            unit.deliveries.release(worker, [delivery.number], again=None)
            self._tell(unit, delivery, arrival)
            return _Outcome.GIVEN_UP
        spread = self._plan.wait(delivery.attempts) * (0.5 + self._chance() / 2)
        wait = max(spread, min(arrival.wait or timedelta(), self._plan.longest))
        unit.deliveries.release(worker, [delivery.number], again=self._clock() + wait)
        return _Outcome.AGAIN

    def _tell(self, unit: UnitOfWork, delivery: Delivery, arrival: Arrival) -> None:
        """A delivery that is given up is kept where people look for what went wrong, and in the audit trail."""
        now, details = self._clock(), (("target", delivery.target), ("reason", arrival.reason))
        detail = f"the delivery of pair {delivery.pair} to {delivery.target} was given up: {arrival.reason}"
        unit.refusals.add(Refusal(at=now, source=_SOURCE, message=_id(delivery), reason="not-delivered", detail=detail))
        event = AuditEvent(
            number=0, at=now, actor=_ACTOR, action="give up delivery", subject=f"pair:{delivery.pair}", details=details
        )
        unit.trail.append(event)


def _id(delivery: Delivery) -> str:
    return f"overread-{delivery.number}-{delivery.pair}"
