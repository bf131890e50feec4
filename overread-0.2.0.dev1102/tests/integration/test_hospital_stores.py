"""The service keeps its promises on the stores that hospitals have: a SQLite file, and a real PostgreSQL."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing, suppress
from itertools import count
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from overread.exceptions import StoreError
from overread.hospital.application.ports import HospitalStore
from overread.hospital.application.requests import Order, PairState, Search
from overread.hospital.application.service import HospitalService
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.infrastructure.store.keys import make_key_file
from overread.hospital.testing import check_hospital_service

from ..postgres import emptied
from ..unit.hospital.application.hospital import REVIEWER, SUBMITTER, Clock, hospital, pair
from ..unit.hospital.application.machine import HospitalMachine

_ANY_ORDER = settings(
    max_examples=3,
    stateful_step_count=20,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("texts", ["plain", "sealed", "none"])
def test_promises_are_kept_on_sqlite(tmp_path: Path, texts: Literal["plain", "sealed", "none"]) -> None:
    """Each check on a file of its own, however text is kept."""
    numbers, keys = count(), tmp_path / "keys"
    make_key_file(keys)

    def opened() -> HospitalService:
        store = open_hospital_store(tmp_path / f"{next(numbers)}.db", texts=texts, key_file=keys)
        return hospital(store=store)

    check_hospital_service(opened)


def test_a_text_that_does_not_open_stops_no_other_pair(tmp_path: Path) -> None:
    """It is given up like any pair that cannot be scored."""
    place, keys, clock = tmp_path / "hospital.db", tmp_path / "keys", Clock()
    make_key_file(keys)
    with hospital(store=open_hospital_store(place, key_file=keys), clock=clock) as service:
        service.submit([pair("1", "a", "b"), pair("2", "a", "a")], by=SUBMITTER)
        with closing(sqlite3.connect(place)) as connection, connection:
            connection.execute("UPDATE texts SET body = zeroblob(40) WHERE owner = 'pair' AND number = 1")
        for _ in range(2 * service.configuration.attempts):
            with suppress(StoreError):
                service.work(worker="one")
            clock.move(minutes=5)
        rows = service.search(Search(order=Order.NEWEST), by=REVIEWER).rows
    assert {row.pair: (row.state, row.reason) for row in rows} == {
        1: (PairState.UNSCORED, "gave up"),
        2: (PairState.SCORED, ""),
    }


def test_promises_are_kept_on_postgres(postgres_store: str) -> None:
    """Each check on a database without a row."""

    def opened() -> HospitalService:
        emptied(postgres_store)
        return hospital(store=open_hospital_store(postgres_store, texts="plain"))

    check_hospital_service(opened)


def test_nothing_is_lost_on_sqlite_in_any_order() -> None:
    """What may happen to a hospital happens, step by step, and all of it is there afterwards once."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = count()

        class OnSqlite(HospitalMachine):
            def open_store(self) -> HospitalStore:
                return open_hospital_store(Path(folder) / f"{next(numbers)}.db", texts="plain")

        run_state_machine_as_test(OnSqlite, settings=_ANY_ORDER)


@pytest.mark.slow
def test_nothing_is_lost_on_postgres_in_any_order(postgres_store: str) -> None:
    """The same on a server."""

    class OnPostgres(HospitalMachine):
        def open_store(self) -> HospitalStore:
            emptied(postgres_store)
            return open_hospital_store(postgres_store, texts="plain")

    run_state_machine_as_test(OnPostgres, settings=_ANY_ORDER)
