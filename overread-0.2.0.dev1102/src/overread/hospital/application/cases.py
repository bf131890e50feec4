"""Cases: alarms of charts that people look into, and what came of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from enum import StrEnum

from attrs import field, frozen, validators

from overread.domain.vocabulary.members import member_of
from overread.hospital.application.charts import Alarm

__all__ = ["Case", "CaseOutcome", "CaseState", "new_alarms"]


class CaseState(StrEnum):
    """Progress of a case."""

    OPEN = "open"
    CLOSED = "closed"


class CaseOutcome(StrEnum):
    """Cause of an alarm, as people see it."""

    CHANGE = "change"
    """Reports differ more often than before: something was changed, or is to be."""

    CASES = "cases"
    """Other patients, examinations or ways of dictating: not the readers' or the model's doing."""

    DATA = "data"
    """A fault of an interface, of the settings or of the program."""

    CHANCE = "chance"
    """Nothing was found: a false alarm."""


@frozen(kw_only=True)
class Case:
    """An alarm that is kept for people to look into.

    Attributes:
        number: of the case.
        alarm: with its pairs; a pair that was deleted since is still named.
        opened: when, in UTC.
        state: of the case.
        closed: when, in UTC; None while it is open.
        closed_by: name of who closed it; "" while it is open.
        outcome: what the alarm was due to; None while it is open.
        why: in the words of who closed it; "" where words are not kept. It may quote a report: it is stored as report
            text is.
    """

    number: int
    alarm: Alarm
    opened: datetime
    state: CaseState = field(default=CaseState.OPEN, validator=member_of(CaseState))
    closed: datetime | None = None
    closed_by: str = ""
    outcome: CaseOutcome | None = field(default=None, validator=validators.optional(member_of(CaseOutcome)))
    why: str = field(default="", repr=False)


def new_alarms(alarms: Iterable[Alarm], cases: Sequence[Case]) -> Iterator[Alarm]:
    """Yield the alarms that want a case: of each chart the first that no case of it stands for.

    While a case is open, further alarms of its chart are the same change, which goes on; so are those of examinations
    before it was closed. A pair that arrives late may move an alarm to another pair: one that shares any pair with a
    case of its chart is that case's.

    Args:
        alarms: of charts, in order of time.
        cases: all that there are.
    """
    known: dict[str, list[Case]] = {}
    for case in cases:
        known.setdefault(case.alarm.chart, []).append(case)
    seen = set[str]()
    for alarm in alarms:
        if alarm.chart not in seen and not any(_stands_for(case, alarm) for case in known.get(alarm.chart, ())):
            seen.add(alarm.chart)
            yield alarm


def _stands_for(case: Case, alarm: Alarm) -> bool:
    is_before = case.closed is None or alarm.at <= case.closed
    return is_before or not set(case.alarm.pairs).isdisjoint(alarm.pairs)
