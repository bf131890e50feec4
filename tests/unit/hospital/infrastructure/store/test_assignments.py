"""Assignments as every store orders and counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from attrs import evolve

from overread.hospital.application.ports import HospitalStore, UnitOfWork
from overread.hospital.application.protocols import AssignmentQuery, ProtocolPair
from overread.hospital.domain.reading import (
    TO_DO,
    AssignmentState,
    ProtocolReader,
    ReadingMode,
    ReadingProtocol,
    ReadingTask,
)
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.testing import MemoryHospitalStore

from .hospital_data import HOUR, NOW, add_compared

_READERS = ("ruth", "carl", "dina")


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HospitalStore]:
    """A store in a database, filled."""
    place = tmp_path / "hospital.db" if request.param == "sqlite" else request.getfixturevalue("postgres_url")
    with open_hospital_store(place, texts="plain") as store:
        with store.transaction() as unit:
            fill(unit)
        yield store


def fill(unit: UnitOfWork) -> None:
    """Two protocols, one of them closed, with tasks in every state, of each reader and of nobody."""
    pairs = [add_compared(unit, f"A{number}") for number in range(8)]
    for name in ("first", "second"):
        protocol = ReadingProtocol(
            number=0,
            name=name,
            mode=ReadingMode.OPEN,
            readers=[ProtocolReader(name=reader) for reader in _READERS],
            per_pair=2,
            made=NOW,
            made_by="lead",
        )
        number = unit.protocols.add(protocol, [ProtocolPair(pair=pair) for pair in pairs])
        for task in ReadingTask:
            for place, pair in enumerate(pairs):
                slots = [(pair, _READERS[place % 3]), (pair, "")]
                due = NOW + HOUR if place in {1, 4, 6} else None
                first, free = unit.assignments.add(number, slots, task=task, due=due)
                if place % 4 == 0:
                    unit.assignments.finish(first, _READERS[place % 3], NOW)
                if place in {1, 2, 7}:
                    unit.assignments.claim(free, _READERS[place % 2], now=NOW, until=NOW + place * HOUR)
        if name == "second":
            unit.protocols.close(number, NOW)


@pytest.mark.parametrize("now", [NOW, NOW + HOUR + timedelta(minutes=1), NOW + 5 * HOUR])
def test_what_is_to_be_done_comes_in_one_order(store: HospitalStore, now: datetime) -> None:
    """Overdue first, then claimed, then open; their own before those of nobody: as a store in memory has it."""
    memory = MemoryHospitalStore()
    with memory.transaction() as unit:
        fill(unit)
    with store.reading() as ours, memory.reading() as theirs:
        for reader in _READERS:
            for task in (None, *ReadingTask):
                query = AssignmentQuery(reader=reader, task=task, now=now, limit=500)
                due = ours.assignments.to_do(query)
                assert due == theirs.assignments.to_do(query)
                assert list(ours.assignments.to_do(evolve(query, limit=2))) == list(due)[:2]
                states = [TO_DO.index(each.state(query.now)) for each in due]
                assert states == sorted(states)
                counts = ours.assignments.counts(query)
                assert set(counts) == set(theirs.assignments.counts(query))
                numbers = Counter[AssignmentState]()
                for each in counts:
                    numbers[each.state] += each.number
                for state in AssignmentState:
                    assert numbers[state] == len(ours.assignments.page(evolve(query, state=state)))
