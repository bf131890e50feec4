"""Claims of a process that was killed: whoever begins to work alone takes them back at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Final

import pytest

from overread.hospital.application.ports import Job
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.infrastructure.store._hospital import SqlHospitalStore
from overread.infrastructure.store import _joining as joining

from ...hospital.infrastructure.store.hospital_data import HOUR, NOW, report_pair

_SOURCE: Final = Path(__file__).parents[4] / "src"
_PATIENCE_S: Final = 60.0
_CLAIM: Final = """
import sys
from datetime import datetime, timedelta
from overread.infrastructure.store import _joining as joining
from overread.hospital.infrastructure.store import open_hospital_store
place, now = sys.argv[1:]
with open_hospital_store(place, texts="plain") as store:
    store.join()
    with store.transaction() as unit:
        claim = {"limit": 9, "now": datetime.fromisoformat(now), "lease": timedelta(hours=1)}
        jobs = unit.jobs.claim("dead", profile="", **claim)
        deliveries = unit.deliveries.claim("dead", **claim)
    print(len(jobs), len(deliveries), flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(params=["file", "postgres"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A store with three jobs and one delivery."""
    found = str(tmp_path / "hospital.db") if request.param == "file" else request.getfixturevalue("postgres_store")
    with open_hospital_store(found, texts="plain") as store, store.transaction() as unit:
        pairs = unit.pairs.add_given([report_pair(name) for name in "abc"], owner="o", batch=None, made=NOW)
        unit.jobs.add(pairs)
        unit.deliveries.add(pairs[:1], "ris")
    return str(found)


@contextmanager
def _working(place: str) -> Iterator[subprocess.Popen[str]]:
    """A process that works and has claimed everything."""
    command = [sys.executable, "-c", _CLAIM, place, NOW.isoformat()]
    environment = {**os.environ, "PYTHONPATH": str(_SOURCE)}
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "3 1\n"
            yield process
        finally:
            process.kill()


def _claimed(store: SqlHospitalStore) -> tuple[list[Job], int]:
    """Jobs and number of deliveries that can be claimed long before the lease ends."""
    store.join()
    with store.transaction() as unit:
        jobs = list(unit.jobs.claim("next", limit=9, now=NOW, lease=HOUR, profile=""))
        return jobs, len(unit.deliveries.claim("next", limit=9, now=NOW, lease=HOUR))


def test_who_works_alone_takes_back_what_was_claimed(place: str) -> None:
    """Of a process that was killed; what was tried counts as tried, so that a pair that kills is given up."""
    with _working(place) as process:
        process.kill()
        process.wait()
    until, jobs, deliveries = monotonic() + _PATIENCE_S, list[Job](), 0
    while not jobs and monotonic() < until:  # a server takes a moment to notice
        with open_hospital_store(place, texts="plain") as store:
            jobs, deliveries = _claimed(store)
        sleep(0.01)
    assert ([job.attempts for job in jobs], deliveries) == ([2, 2, 2], 1)


def test_what_others_work_on_is_left_to_them(place: str) -> None:
    """As long as they live: two processes on one store do not take each other's claims."""
    with _working(place), open_hospital_store(place, texts="plain") as store:
        assert _claimed(store) == ([], 0)


def test_who_has_begun_takes_back_nothing_more(place: str) -> None:
    """Not its own claims as it goes on, nor those of another store of the same process."""
    with open_hospital_store(place, texts="plain") as one, open_hospital_store(place, texts="plain") as other:
        assert len(_claimed(one)[0]) == 3
        assert _claimed(one) == _claimed(other) == ([], 0)
        one.close()
        assert _claimed(other) == ([], 0)


def test_a_folder_without_room_for_a_lock_has_leases_alone(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody can be known to be alone, claims run out as they did; work goes on."""
    if place.startswith("postgresql"):
        pytest.skip("a server has its own locks")
    monkeypatch.setattr(joining, "_ENDING", "/no/such/folder")
    with _working(place) as process:
        process.kill()
        process.wait()
    with open_hospital_store(place, texts="plain") as store:
        assert _claimed(store) == ([], 0)
