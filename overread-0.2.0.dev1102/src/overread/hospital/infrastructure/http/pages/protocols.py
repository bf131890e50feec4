"""Reading protocols as pages show them, and the form by which one is made."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Final

from attrs import evolve, field, frozen

from overread.application.statistics.tabulation import Tabulation
from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.application.protocols import ProtocolPlan, ProtocolRecord, ReaderLoad, plan_problems
from overread.hospital.application.requests import Search
from overread.hospital.domain.reading import AssignmentState, ProtocolReader, ReadingMode, ReadingProtocol, ReadingTask
from overread.hospital.infrastructure.http.pages import words
from overread.hospital.infrastructure.http.pages.assignments import MODES, TASKS
from overread.hospital.infrastructure.http.pages.counting import RatesPart, rates_parts
from overread.infrastructure.views.table_words import MINUS
from overread.infrastructure.views.wording import format_count, one_line

__all__ = [
    "LoadLine",
    "ProtocolLine",
    "ProtocolView",
    "agreement_parts",
    "plan_of_form",
    "protocol_lines",
    "protocol_view",
    "state_counts",
]

_KNOWN_AS: Final = " = "
"""Separates the name that somebody signs in with from those by which reports name them, which ";" separates."""

_NEGATIVE: Final = re.compile(r"^-(?=\d)")
_LARGEST: Final = 2**63 - 1
_LONGEST_NUMBER: Final = 18


@frozen(kw_only=True)
class ProtocolLine:
    """A protocol in a list."""

    number: int
    name: str
    mode: str
    readers: str
    made: str
    due: str
    is_closed: bool


@frozen(kw_only=True)
class LoadLine:
    """Load of one person; numbers as in `ReaderLoad`."""

    reader: str
    task: str
    assigned: int
    open: int
    claimed: int
    overdue: int
    done: int

    @property
    def is_nobody(self) -> bool:
        """True for assignments that are nobody's yet."""
        return not self.reader


@frozen(kw_only=True)
class ProtocolView:
    """A protocol with its progress, in words.

    Attributes:
        facts: of the plan: heading and words.
        steps: of its pairs: name and number, from being read to adjudicated.
        settled: pairs of which nothing is left to be done.
        people: names by task, for whom an assignment can be handed to.
    """

    number: int
    name: str
    is_closed: bool
    is_blinded: bool
    facts: tuple[tuple[str, str], ...] = field(converter=in_tuple)
    steps: tuple[tuple[str, int], ...] = field(converter=in_tuple)
    pairs: int
    settled: int
    loads: tuple[LoadLine, ...] = field(converter=in_tuple)
    short: tuple[tuple[int, str], ...] = field(converter=in_tuple)
    people: Mapping[ReadingTask, Sequence[str]]


def protocol_lines(protocols: Iterable[ReadingProtocol]) -> list[ProtocolLine]:
    """Protocols as a list shows them: those that are open first, the newest of them first."""
    ordered = sorted(protocols, key=lambda protocol: (protocol.closed is not None, -protocol.number))
    return [
        ProtocolLine(
            number=protocol.number,
            name=one_line(protocol.name),
            mode=MODES[protocol.mode],
            readers=f"{protocol.per_pair} of {len(protocol.readers)}",
            made=words.moment(protocol.made),
            due=words.moment(protocol.due) if protocol.due else "no date",
            is_closed=protocol.closed is not None,
        )
        for protocol in ordered
    ]


def agreement_parts(tabulation: Tabulation) -> list[RatesPart]:
    """The tables of agreement in words, each with its drawing; figures below 0 have a minus sign."""
    return [
        evolve(
            part,
            rows=[tuple(evolve(cell, text=_NEGATIVE.sub(MINUS, cell.text)) for cell in row) for row in part.rows],
        )
        for part in rates_parts(tabulation)
    ]


def state_counts(view: ProtocolView, reader: str) -> dict[AssignmentState, int]:
    """Numbers of assignments by state, of all people or of one."""
    loads = [load for load in view.loads if reader in {"", load.reader}]
    return {
        AssignmentState.OVERDUE: sum(load.overdue for load in loads),
        AssignmentState.CLAIMED: sum(load.claimed for load in loads),
        AssignmentState.OPEN: sum(load.open for load in loads),
        AssignmentState.DONE: sum(load.done for load in loads),
    }


def protocol_view(record: ProtocolRecord) -> ProtocolView:
    """A protocol with its progress, in words."""
    protocol = record.protocol
    return ProtocolView(
        number=protocol.number,
        name=one_line(protocol.name),
        is_closed=protocol.closed is not None,
        is_blinded=protocol.mode is ReadingMode.BLINDED,
        facts=list(_facts(protocol)),
        steps=[
            ("being read", record.reading),
            ("agreed", record.agreed),
            ("to be adjudicated", record.different),
            ("adjudicated", record.adjudicated),
        ],
        pairs=record.pairs,
        settled=record.agreed + record.adjudicated,
        loads=[_load(load) for load in record.loads],
        short=[(short.pair, short.reason) for short in record.short],
        people={task: [person.name for person in protocol.people(task)] for task in ReadingTask},
    )


def plan_of_form(form: Mapping[str, str], search: Search) -> tuple[ProtocolPlan | None, list[str]]:
    """The plan of a protocol as a form states it; None, with every problem, where something is amiss.

    Args:
        form: its fields.
        search: the filters that came along with it.
    """
    problems: list[str] = []
    numbers = {
        "per_pair": ("Readers of each pair", 1, 100),
        "claim_minutes": ("Claims last", 1, 7 * 24 * 60),
        "seed": ("Seed", 0, _LARGEST),
    }
    whole = {name: _number(form.get(name, ""), *bounds, problems) for name, bounds in numbers.items()}
    due = _due(form.get("due", ""), problems)
    which = form.get("which", "search")
    sample = _number(form.get("sample", ""), "Sample", 1, _LARGEST, problems) if which == "sample" else None
    pairs = _pairs(form.get("pairs", ""), problems) if which == "pairs" else []
    plan = ProtocolPlan(
        name=form.get("name", "").strip(),
        mode=ReadingMode.OPEN if form.get("mode") == ReadingMode.OPEN else ReadingMode.BLINDED,
        readers=_people(form.get("readers", "")),
        adjudicators=_people(form.get("adjudicators", "")),
        per_pair=whole["per_pair"] or 1,
        sample=sample,
        search=search if which == "search" else None,
        pairs=pairs,
        due=due,
        asks_radpeer="asks_radpeer" in form,
        claim_minutes=whole["claim_minutes"] or 1,
        seed=whole["seed"] or 0,
    )
    if not problems:
        problems += [f"{problem[:1].upper()}{problem[1:]}." for problem in plan_problems(plan)]
    return (None if problems else plan), problems


def _facts(protocol: ReadingProtocol) -> Iterable[tuple[str, str]]:
    yield "Readers know", "the reports alone (blinded)" if protocol.mode is ReadingMode.BLINDED else "all (open)"
    yield "Readers of each pair", f"{protocol.per_pair} of {len(protocol.readers)}"
    yield "Pairs", one_line(protocol.chosen)
    yield "Due", words.moment(protocol.due) if protocol.due else "no date"
    yield "RADPEER", "asked for" if protocol.asks_radpeer else "not asked for"
    yield "Claims last", format_count(protocol.claim_minutes, "minute")
    yield "Made", f"{words.moment(protocol.made)} by {one_line(protocol.made_by)}"
    if protocol.closed is not None:
        yield "Closed", words.moment(protocol.closed)


def _load(load: ReaderLoad) -> LoadLine:
    return LoadLine(
        reader=one_line(load.reader),
        task=TASKS[load.task],
        assigned=load.assigned,
        open=load.open,
        claimed=load.claimed,
        overdue=load.overdue,
        done=load.done,
    )


def _people(text: str) -> list[ProtocolReader]:
    """People, one a line.

    >>> _people("a.kim = 4711; Kim, A.")
    [ProtocolReader(name='a.kim', known_as=('4711', 'Kim, A.'))]
    """
    people = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, known_as = line.partition(_KNOWN_AS)
        people.append(
            ProtocolReader(name=name.strip(), known_as=[each.strip() for each in known_as.split(";") if each.strip()])
        )
    return people


def _number(given: str, name: str, least: int, most: int, problems: list[str]) -> int | None:
    given = given.strip()
    number = int(given) if given.isascii() and given.isdigit() and len(given) <= _LONGEST_NUMBER else None
    if number is None or not least <= number <= most:
        bounds = f"from {least} to {most:,}" if most < _LARGEST else f"from {least} on"
        problems.append(f"{name}: give a number {bounds}.")
        return None
    return number


def _pairs(text: str, problems: list[str]) -> list[int]:
    parts = text.replace(",", " ").split()
    if not parts or any(not (part.isascii() and part.isdigit()) or len(part) > _LONGEST_NUMBER for part in parts):
        problems.append("Pairs: give their numbers, with spaces or commas between them.")
        return []
    return [int(part) for part in parts]


def _due(given: str, problems: list[str]) -> datetime | None:
    """End of a day in UTC."""
    try:
        return datetime.combine(date.fromisoformat(given), time(23, 59), UTC) if given else None
    except ValueError:
        problems.append("Due: give a date such as 2026-03-31.")
        return None
