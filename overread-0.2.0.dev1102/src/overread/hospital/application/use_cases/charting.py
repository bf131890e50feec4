"""Charts for a quality lead: control charts and their cases, the value of flags, and the report of a month."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from attrs import evolve, fields

from overread.domain.vocabulary.members import check_member
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.cases import Case, CaseOutcome, CaseState, new_alarms
from overread.hospital.application.charts import Alarm, ChartPlan, Charts, ChartScope, charts_of
from overread.hospital.application.flags import FlagsWorth, FlagTarget, worth_of_flags
from overread.hospital.application.grouping import Grouping, GroupNames
from overread.hospital.application.monthly import (
    MONTHLY_GROUPINGS,
    MonthlyReport,
    check_month,
    last_months,
    tallies_of_month,
)
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.rates import rates_of_tallies
from overread.hospital.application.requests import Search
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase, is_storable
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.use_cases.searching import describe_search
from overread.hospital.domain.audit_trail import Actor

__all__ = ["Charting"]

_OF_FLAGS: Final = frozenset(
    {
        "kind",
        "site",
        "modality",
        "reader",
        "model",
        "device",
        "since",
        "until",
        "signature",
        "sample",
        "order",
        "after",
        "limit",
    }
)
"""Criteria that tell nothing of what was found: others would choose pairs by what is to be measured."""

_MOST_A_DAY: Final = 1_000_000


class Charting(UseCase):
    """Draws charts, keeps the cases that their alarms open, and tells what a flag is worth."""

    @operation
    def charts(self, search: Search, *, by: Actor, plan: ChartPlan | None = None) -> Charts:
        """Control charts and funnel plots of the pairs that a search finds. Reviewer.

        Args:
            search: finds the pairs; its order and limit do not count. A sample is refused: a chart needs every pair.
            by: on whose behalf.
            plan: of the charts; that of the settings where omitted.
        """
        if search.sample is not None or search.withdrawn is not None:
            raise InputError("search", "a chart is of all pairs that stand", remedy="leave sample and withdrawn out")
        charts = self._charts(search, plan, hidden_from=by.name)
        self._context.tell(by, "charts", details={"charts": len(charts.charts), **describe_search(search)})
        return charts

    @operation
    def alarms(self, *, by: Actor) -> tuple[Case, ...]:
        """Open a case for each chart of all pairs with an alarm that no case stands for; the new cases. Reviewer.

        The charts are those of the settings; see `new_alarms`. Calling it again opens nothing twice.
        """
        return self._open(by, self._charts(Search(), None))

    @operation
    def cases(self, *, by: Actor, state: CaseState | None = None) -> tuple[Case, ...]:
        """Cases, the newest first. Reviewer.

        Args:
            by: on whose behalf.
            state: only those in it.
        """
        if state is not None:
            check_member(CaseState, "state", state)
        with self._context.store.reading() as unit:
            every = [case for case in unit.cases.every() if state in (None, case.state)]
            cases = _unblinded(unit, every, by)
        self._context.tell(by, "cases", details={"cases": len(cases)})
        return cases

    @operation
    @again_if_busy
    def close_case(self, number: int, *, by: Actor, outcome: CaseOutcome, why: str = "") -> Case:
        """Close a case, with what the alarm was due to. Reviewer.

        Args:
            number: of the case.
            by: who closes it.
            outcome: what the alarm was due to.
            why: in their own words; kept as reviewers' words are.

        Raises:
            NotFoundError: if there is no such case.
            InputError: if it is closed, or the words cannot be kept.
        """
        check_member(CaseOutcome, "outcome", outcome)
        if len(why) > self._context.configuration.longest_report or not is_storable(why):
            raise InputError("why", "is too long, or contains a NUL or half a surrogate pair")
        with self._context.store.transaction() as unit:
            case = unit.cases.get(number)
            if not _unblinded(unit, [case], by):
                raise NotFoundError(f"there is no case {number}")
            if case.state is CaseState.CLOSED:
                raise InputError("case", f"case {number} is closed")
            unit.cases.close(number, outcome=outcome, why=why, by=by.name, at=self._context.now())
            self._context.note(unit, by, "close-case", f"case:{number}", {"outcome": outcome.value})
            return _unblinded(unit, [unit.cases.get(number)], by)[0]

    @operation
    def flag_worth(
        self,
        search: Search,
        *,
        by: Actor,
        target: FlagTarget = FlagTarget.DISCORDANT,
        pairs_a_day: float | None = None,
    ) -> FlagsWorth:
        """Value of a flag here, from a drawn sample of which every scored pair was reviewed. Reviewer.

        Args:
            search: names the sample, and may narrow it to a site, kind, modality, reader, model, device or time; its
                order and limit do not count.
            by: on whose behalf.
            target: what a flag shall find.
            pairs_a_day: how many come in, above 0; as the sample has it where omitted.

        Raises:
            InputError: if no sample is named, it was not reviewed, or too few of its pairs are discordant.
        """
        check_member(FlagTarget, "target", target)
        worth = self._flag_worth(search, target, pairs_a_day)
        self._context.tell(by, "flag-worth", details={"reviewed": worth.reviewed, **describe_search(search)})
        return worth

    @operation
    def monthly_report(self, month: str, *, by: Actor, sample: int | None = None) -> MonthlyReport:
        """Rates of a month of examinations, with charts to its end, cases, and what a flag is worth. Reviewer.

        Args:
            month: for example "2026-03", in the time zone of each site.
            by: on whose behalf.
            sample: number of a reviewed sample that tells what a flag is worth.
        """
        check_month(month)
        names, lines = self._context.configuration.group_names, self._context.signature_lines
        by_month = (Grouping.EXAMINATION_MONTH, *MONTHLY_GROUPINGS)
        with self._context.store.reading() as unit:
            tallies = unit.pairs.tallies(Search(), lines, by_month, hidden_from=by.name)
            cases = _unblinded(unit, unit.cases.every(), by)
        trend = rates_of_tallies(tallies, by=by_month, names=names).by(Grouping.EXAMINATION_MONTH)
        charts = self._charts(Search(), None, hidden_from=by.name, until_month=month)
        alarms = [alarm for alarm in charts.alarms if _month_of(alarm, names) == month]
        flags, reason = None, "no reviewed sample was named"
        if sample is not None:
            try:
                flags, reason = self._flag_worth(Search(sample=sample), FlagTarget.DISCORDANT, None), ""
            except InputError as error:
                reason = f"{error.problem} ({error.remedy})" if error.remedy else error.problem
        report = MonthlyReport(
            month=month,
            rates=rates_of_tallies(tallies_of_month(tallies, month, names), by=MONTHLY_GROUPINGS, names=names),
            trend=last_months(trend, month),
            charts=charts,
            alarms=alarms,
            cases=[case for case in cases if case.state is CaseState.OPEN or _month_of(case.alarm, names) == month],
            flags=flags,
            no_flags=reason,
        )
        self._context.tell(by, "monthly-report", details={"month": month, "pairs": report.rates.overall.pairs})
        return report

    @again_if_busy
    def _open(self, by: Actor, charts: Charts) -> tuple[Case, ...]:
        with self._context.store.transaction() as unit:
            before = unit.cases.every()
            alarms = list(new_alarms(reversed(charts.alarms), before))
            numbers = unit.cases.add(alarms, opened=self._context.now())
            for number, alarm in zip(numbers, alarms, strict=True):
                self._context.note(unit, by, "open-case", f"case:{number}", {"chart": alarm.chart, "pair": alarm.pair})
            return _unblinded(unit, [unit.cases.get(number) for number in numbers], by)

    def _charts(
        self, search: Search, plan: ChartPlan | None, *, hidden_from: str = "", until_month: str = ""
    ) -> Charts:
        names = self._context.configuration.group_names
        with self._context.store.reading() as unit:
            pairs = unit.pairs.observations(search, self._context.signature_lines, hidden_from=hidden_from)
        if until_month:
            pairs = [each for each in pairs if names.month(each.at, each.site) <= until_month]
        return charts_of(pairs, plan or self._context.configuration.chart_plan)

    def _flag_worth(self, search: Search, target: FlagTarget, pairs_a_day: float | None) -> FlagsWorth:
        if search.sample is None:
            problem = "what a flag is worth can be told from a drawn sample alone, all of which was reviewed"
            raise InputError("sample", problem, remedy="draw a sample, review it, and name it")
        chosen = [each.name for each in fields(Search) if each.name not in _OF_FLAGS and _is_given(search, each.name)]
        if chosen:
            problem = f"{', '.join(chosen)} would choose pairs by what is to be measured"
            raise InputError("search", problem, remedy="leave it out")
        if pairs_a_day is not None and not 0 < pairs_a_day <= _MOST_A_DAY:
            raise InputError("pairs_a_day", f"must be above 0, and {_MOST_A_DAY:,} at most")
        with self._context.store.reading() as unit:
            pairs = unit.pairs.observations(search, self._context.signature_lines)
        return worth_of_flags(pairs, sample=search.sample, target=target, pairs_a_day=pairs_a_day)


def _unblinded(unit: UnitOfWork, cases: Sequence[Case], by: Actor) -> tuple[Case, ...]:
    """Cases without what they would tell of pairs that a protocol blinds to somebody.

    A case whose alarm was raised at such a pair is left out, since that pair is an event.
    """
    pairs = {pair for case in cases for pair in case.alarm.pairs}
    blinded = unit.protocols.blinded(by.name, sorted(pairs)) if pairs else frozenset()
    if not blinded:
        return tuple(cases)
    return tuple(
        evolve(
            case,
            alarm=evolve(
                case.alarm,
                pairs=[pair for pair in case.alarm.pairs if pair not in blinded],
                events=[pair for pair in case.alarm.events if pair not in blinded],
            ),
        )
        for case in cases
        if case.alarm.pair not in blinded
    )


def _month_of(alarm: Alarm, names: GroupNames) -> str:
    """The month of an alarm: at its site, where its chart is of one."""
    _, scope, group = alarm.chart.split("/", 2)
    return names.month(alarm.at, group if scope == ChartScope.SITE else "")


def _is_given(search: Search, name: str) -> bool:
    return getattr(search, name) is not None
