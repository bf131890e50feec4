"""A month's figures in one: rates, charts, open cases, and what a flag is worth."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from attrs import evolve, field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import InputError
from overread.hospital.application.cases import Case
from overread.hospital.application.charts import Alarm, Charts
from overread.hospital.application.flags import FlagsWorth
from overread.hospital.application.grouping import Grouping, GroupNames, Tally
from overread.hospital.application.rates import GroupRates, Rates

__all__ = ["MONTHLY_GROUPINGS", "MonthlyReport", "check_month", "last_months", "tallies_of_month"]

MONTHLY_GROUPINGS: Final = (
    Grouping.SITE,
    Grouping.MODALITY,
    Grouping.KIND,
    Grouping.MODEL,
    Grouping.AUTHOR_GROUP,
)
"""Groups that a monthly report tells rates by."""

_MONTH: Final = re.compile(r"\d{4}-(0[1-9]|1[0-2])")


@frozen(kw_only=True)
class MonthlyReport:
    """Report of one month of examinations.

    Attributes:
        month: for example "2026-03", in the time zone of each site.
        rates: of the month, by `MONTHLY_GROUPINGS`.
        trend: rates of all pairs of each of the twelve months to this one, in order; months without a pair are left
            out.
        charts: over all examinations to the end of the month.
        alarms: of the charts, in this month, the latest first.
        cases: that are open, or whose alarm was in this month.
        flags: what a flag is worth, from a reviewed sample; None without one.
        no_flags: why there is none; "" where there is one.
    """

    month: str
    rates: Rates
    trend: tuple[GroupRates, ...] = field(converter=in_tuple)
    charts: Charts
    alarms: tuple[Alarm, ...] = field(converter=in_tuple)
    cases: tuple[Case, ...] = field(converter=in_tuple)
    flags: FlagsWorth | None = None
    no_flags: str = ""


def check_month(month: str) -> None:
    """Refuse what is no month.

    Raises:
        InputError: if it is not written as "2026-03".
    """
    if not _MONTH.fullmatch(month):
        raise InputError("month", "must be a year and a month", remedy="write it as 2026-03")


def tallies_of_month(tallies: Iterable[Tally], month: str, names: GroupNames) -> Iterator[Tally]:
    """Yield the tallies of a month, without the month.

    Args:
        tallies: by `Grouping.EXAMINATION_MONTH` first.
        month: that is wanted.
        names: of groups.
    """
    for tally in tallies:
        if names.name(Grouping.EXAMINATION_MONTH, tally.names[0]) == month:
            yield evolve(tally, names=tally.names[1:])


def last_months(groups: Sequence[GroupRates], month: str, count: int = 12) -> list[GroupRates]:
    """Rates of the latest months to this one, of rates by month in order."""
    return [group for group in groups if group.name and group.name <= month][-count:]
