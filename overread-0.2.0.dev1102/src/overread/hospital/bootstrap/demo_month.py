"""A service that has an invented month: taken in as it came, read by readers who do not know, and scored."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import TYPE_CHECKING, Final

from attrs import evolve, field, frozen

from overread.application.statistics.resampling import DRAWS
from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.agreement import Agreement
from overread.hospital.application.charts import Charts
from overread.hospital.application.coverage import Coverage
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.protocols import ProtocolPlan, ProtocolRecord
from overread.hospital.application.rates import Rates
from overread.hospital.application.requests import Search
from overread.hospital.application.sampling import SamplePlan
from overread.hospital.bootstrap.demo import DEMONSTRATOR
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.reading import ProtocolReader, ReadingTask
from overread.hospital.infrastructure.demo_month import Arrival, hospital_month, month_plan, month_readings

if TYPE_CHECKING:
    from overread.hospital.application.service import HospitalService
    from overread.infrastructure.settings import Settings

__all__ = [
    "MonthClock",
    "MonthOutcome",
    "begin_readings",
    "load_month",
    "month_hospital",
    "outcome_of_month",
    "silent_days",
    "take_in_month",
]

_SYSTEMS: Final = Actor(name="demo systems", roles=frozenset({Role.SUBMITTER}))
_LEAD: Final = Actor(name="demo lead", roles=frozenset({Role.LEAD}))
_MOST_ASSIGNMENTS: Final = 200
_FIRST: Final = 1
"""Number of the month's protocol, and of its sample."""

_BETWEEN: Final = timedelta(minutes=3)
"""Time between two reviews."""

Told = Callable[[int], None]
"""Called with the number of reports taken so far."""


class MonthClock:
    """Clock of an invented month: it stands at a moment it is set to, until it is let go from there."""

    def __init__(self, moment: datetime) -> None:
        self._moment = moment.astimezone(UTC)
        self._since: float | None = None

    def __call__(self) -> datetime:
        """Return the time, in UTC."""
        passed = 0.0 if self._since is None else time.monotonic() - self._since
        return self._moment + timedelta(seconds=passed)

    def stand_at(self, moment: datetime) -> None:
        """Set the time, at which the clock stands."""
        self._moment, self._since = moment.astimezone(UTC), None

    def go_from(self, moment: datetime) -> None:
        """Set the time, from which the clock goes."""
        self._moment, self._since = moment.astimezone(UTC), time.monotonic()


@frozen(kw_only=True)
class MonthOutcome:
    """Outcome of the month.

    Attributes:
        rates: by site and by model.
        charts: of all examinations.
        coverage: of the whole month.
        silent: sites and days on which nothing came from them.
        protocol: how far the readings are.
        agreement: of its readers.
        confirmed: rates of the sample that was read.
    """

    rates: Rates
    charts: Charts
    coverage: Coverage
    silent: tuple[tuple[str, date], ...] = field(converter=in_tuple)
    protocol: ProtocolRecord
    agreement: Agreement
    confirmed: Rates


def month_hospital(settings: Settings, clock: MonthClock) -> HospitalService:
    """The service that the month comes to: its zones and charts are those of the plan, all else as settings have it."""
    from overread.hospital.bootstrap.services import open_hospital

    table = {**month_plan().hospital, **settings.hospital}
    return open_hospital(evolve(settings, hospital=table), now=clock)


def load_month(service: HospitalService, clock: MonthClock, *, told: Told | None = None) -> None:
    """Take in all reports of the month, each at its hour, and read the sample; nothing is scored by this.

    Nobody else may work for the service meanwhile, since its clock jumps.

    Args:
        service: with an empty store.
        clock: that the service has; it goes on from the end of the month.
        told: is called as it goes.
    """
    take_in_month(service, clock, told=told)
    begin_readings(service, clock)
    for task in ReadingTask:
        _read(service, clock, task)
    clock.go_from(month_plan().after)


def take_in_month(service: HospitalService, clock: MonthClock, *, told: Told | None = None) -> None:
    """Take in all reports of the month, those of an hour together; ``told`` is called as it goes."""
    taken = 0
    for _, together in groupby(hospital_month(), _hour):
        arrivals = list(together)
        clock.stand_at(arrivals[-1].at)
        service.ingest([arrival.version for arrival in arrivals], by=_SYSTEMS)
        taken += len(arrivals)
        if told is not None:
            told(taken)


def begin_readings(service: HospitalService, clock: MonthClock) -> int:
    """Draw the sample and share it out to its readers; the number of the protocol.

    The draw does not depend on any score.
    """
    plan = month_plan()
    clock.stand_at(plan.read)
    sample = service.draw_sample(Search(), SamplePlan(size=plan.sample, seed=plan.seed), by=_LEAD)
    reading_plan = ProtocolPlan(
        name=plan.protocol,
        readers=[ProtocolReader(name=each.name, known_as=each.known_as) for each in plan.readers],
        adjudicators=[ProtocolReader(name=each.name, known_as=each.known_as) for each in plan.adjudicators],
        per_pair=plan.per_pair,
        sample=sample.number,
        asks_radpeer=True,
        seed=plan.seed,
    )
    return service.create_protocol(reading_plan, by=_LEAD).protocol.number


def outcome_of_month(service: HospitalService, *, by: Actor = DEMONSTRATOR, draws: int = DRAWS) -> MonthOutcome:
    """Sum up what came of the month, once all is scored.

    Args:
        service: that has had it.
        by: on whose behalf; admin.
        draws: of the intervals of agreement.
    """
    plan = month_plan()
    groupings = (Grouping.SITE, Grouping.MODEL)
    until = plan.after
    coverage = service.coverage(by=by, since=until - timedelta(days=33), until=until)
    return MonthOutcome(
        rates=service.rates(Search(), by=by, groupings=groupings),
        charts=service.charts(Search(), by=by),
        coverage=coverage,
        silent=silent_days(coverage),
        protocol=service.protocol(_FIRST, by=by),
        agreement=service.agreement(_FIRST, by=by, draws=draws),
        confirmed=service.rates(Search(sample=_FIRST), by=by, groupings=groupings),
    )


def silent_days(coverage: Coverage) -> tuple[tuple[str, date], ...]:
    """Sites and days between their first and last message on which nothing came from them."""
    days: dict[str, set[date]] = {}
    for hour in coverage.hours:
        days.setdefault(hour.site, set()).add(hour.hour.date())
    return tuple(
        (site, day)
        for site, heard in sorted(days.items())
        for day in (min(heard) + timedelta(days=number) for number in range((max(heard) - min(heard)).days))
        if day not in heard
    )


def _hour(arrival: Arrival) -> datetime:
    return arrival.at.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def _read(service: HospitalService, clock: MonthClock, task: ReadingTask) -> None:
    """Keep all that was said in one task, in its order."""
    said = [reading for reading in month_readings() if reading.task is task]
    actors = {reading.reader: Actor(name=reading.reader, roles=frozenset({Role.REVIEWER})) for reading in said}
    numbers = {
        (name, row.examination.accession): row.number
        for name, actor in actors.items()
        for row in service.assignments(by=actor, limit=_MOST_ASSIGNMENTS).rows
    }
    for reading in said:
        clock.stand_at(clock() + _BETWEEN)
        service.review_assignment(
            numbers[reading.reader, reading.accession],
            by=actors[reading.reader],
            verdicts=reading.verdicts,
            no_discrepancy=reading.severity is None,
            radpeer=reading.radpeer,
        )
