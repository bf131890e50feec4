"""What a store must bear in a real PostgreSQL: many at once, restarts, and addresses that lead nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from time import sleep
from typing import Final

import psycopg
import pytest

from overread.exceptions import StoreBusyError, StoreError
from overread.hospital.application.requests import Search
from overread.hospital.domain.audit_trail import verify
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Review
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.infrastructure.store._hospital import SqlHospitalStore
from overread.infrastructure.store import _postgres as postgres_module
from overread.infrastructure.store import open_store
from overread.infrastructure.store.maintenance import newest_schema

from ....postgres import Server, running_server
from ...hospital.infrastructure.store.hospital_data import (
    HOUR,
    NOW,
    PRESENT,
    add_compared,
    event,
    report_pair,
    results,
    version,
)
from .test_results import pair, result

_SOURCE: Final = Path(__file__).parents[4] / "src"
_LOOK: Final = 0.01
_CLAIM: Final = """
import sys
from datetime import UTC, datetime, timedelta
from overread.hospital.infrastructure.store import open_hospital_store
place, worker = sys.argv[1:]
with open_hospital_store(place, texts="plain") as store:
    print("ready", flush=True)
    sys.stdin.readline()
    while True:
        with store.transaction() as unit:
            now = datetime.now(UTC)
            jobs = unit.jobs.claim(worker, limit=3, now=now, lease=timedelta(hours=1), profile="")
            done = unit.jobs.finish(worker, [job.number for job in jobs])
        assert list(done) == [job.number for job in jobs]
        print(*(job.pair for job in jobs), flush=True)
        if not jobs:
            break
"""


def test_processes_share_the_work_without_a_double(postgres_store: str) -> None:
    """Each job goes to one of them, and all are done."""
    with open_hospital_store(postgres_store, texts="plain") as store, store.transaction() as unit:
        given = [report_pair(f"p{n}") for n in range(120)]
        pairs = unit.pairs.add_given(given, owner="o", batch=None, made=NOW)
        unit.jobs.add(pairs)
    workers = [_worker(postgres_store, name) for name in ("a", "b", "c")]
    for worker in workers:
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
    outputs = [worker.communicate("go\n") for worker in workers]
    assert [(worker.returncode, errors) for worker, (_, errors) in zip(workers, outputs, strict=True)] == [(0, "")] * 3
    claimed = [int(number) for output, _ in outputs for number in output.split()]
    assert sorted(claimed) == list(pairs)


def _worker(place: str, name: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _CLAIM, place, name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(_SOURCE)},
    )


def test_claims_pass_over_what_others_are_claiming(postgres_store: str) -> None:
    """Without waiting for them to end."""
    with open_hospital_store(postgres_store, texts="plain") as store:
        with store.transaction() as unit:
            pairs = unit.pairs.add_given([report_pair("a"), report_pair("b")], owner="o", batch=None, made=NOW)
            unit.jobs.add(pairs)
        with store.transaction() as one, store.transaction() as other:
            [first] = one.jobs.claim("one", limit=1, now=NOW, lease=HOUR, profile="")
            [second] = other.jobs.claim("other", limit=9, now=NOW, lease=HOUR, profile="")
        assert [first.pair, second.pair] == list(pairs)


def test_a_server_that_was_restarted_is_found_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """While it is away that is said; what was under way is not kept; afterwards all goes on by itself."""
    monkeypatch.setattr(postgres_module, "_AGAIN_S", 0.2)
    with running_server() as server, open_hospital_store(server.url, texts="plain") as store:
        with store.transaction() as unit:
            add_compared(unit, "A1")
        with pytest.raises(StoreError, match="postgresql://"):
            _stopped_within(server, store)
        for attempt in (store.check, lambda: store.transaction().__enter__()):
            with pytest.raises(StoreError, match="cannot be reached"):
                attempt()
        server.start()
        store.check()
        with store.transaction() as unit:
            add_compared(unit, "A3")
        with store.reading() as unit:
            assert unit.pairs.search(Search(), PRESENT).total == 2


def _stopped_within(server: Server, store: object) -> None:
    with store.transaction() as unit:  # type: ignore[attr-defined]
        add_compared(unit, "A2")
        server.stop()


def test_a_transaction_waits_for_a_server_that_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes in that moment need not do it again."""
    monkeypatch.setattr(postgres_module, "_AGAIN_S", 60.0)
    with running_server() as server, open_hospital_store(server.url, texts="plain") as store:
        server.stop()
        with ThreadPoolExecutor(1) as threads:
            writing = threads.submit(_write, store)
            server.start()
            assert writing.result(timeout=60) == 1


def _write(store: object) -> int:
    with store.transaction() as unit:  # type: ignore[attr-defined]
        return int(add_compared(unit))


def test_many_may_open_an_empty_database_at_once(postgres_url: str) -> None:
    """One makes the tables; the others wait and find them."""
    with ThreadPoolExecutor(4) as threads:
        for store in threads.map(lambda _: open_hospital_store(postgres_url, texts="plain"), range(4)):
            store.check()
            store.close()


def test_writers_do_not_branch_the_trail(postgres_store: str) -> None:
    """Each knows the one before, though all write at once."""
    with open_hospital_store(postgres_store, texts="plain") as store:

        def write(name: int) -> None:
            for _ in range(10):
                with store.transaction() as unit:
                    unit.trail.append(event(f"by {name}"))

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(write, range(4)))
        with store.reading() as unit:
            events = unit.trail.events()
    assert len(events) == 40
    assert verify(events).holds


def test_versions_of_an_examination_are_added_one_after_the_other(postgres_store: str) -> None:
    """Whoever locks it sees what those before them added."""
    with open_hospital_store(postgres_store, texts="plain") as store:

        def add(name: str) -> bool:
            with store.transaction() as unit:
                unit.versions.lock([ExaminationKey("north", "A1")])
                given = version("A1", ReportStatus.FINAL, "the same", message=name)
                if unit.versions.resent(given) is not None:
                    return False
                unit.versions.add(given, NOW)
                return True

        with ThreadPoolExecutor(4) as threads:
            assert sorted(threads.map(add, "abcd")) == [False, False, False, True]


def test_versions_of_different_examinations_come_in_side_by_side(postgres_store: str) -> None:
    """Those who add them hold no lock that another of them needs before it ends."""
    with open_hospital_store(postgres_store, texts="plain") as store:
        both = Barrier(2)

        def add(accession: str) -> None:
            with store.transaction() as unit:
                unit.versions.lock([ExaminationKey("north", accession)])
                unit.versions.add(version(accession), NOW)
                both.wait()
                unit.trail.append(event())

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(add, "ab"))


def test_those_who_wait_for_each_other_are_told_to_try_again(postgres_store: str) -> None:
    """One of them; nothing of theirs was kept."""
    with open_hospital_store(postgres_store, texts="plain") as store:
        both = Barrier(2)

        def lock(accessions: str) -> None:
            with store.transaction() as unit:
                unit.versions.lock([ExaminationKey("north", accessions[0])])
                both.wait()
                unit.versions.lock([ExaminationKey("north", accessions[1])])

        with ThreadPoolExecutor(2) as threads:
            futures = [threads.submit(lock, order) for order in ("ab", "ba")]
            errors = [future.exception() for future in futures]
    [told] = [error for error in errors if error]
    assert isinstance(told, StoreBusyError)
    assert "do the same again" in str(told)


def test_equal_pairs_are_scored_by_two_at_once(postgres_store: str) -> None:
    """As where many reports say that all is normal: whoever comes second waits, and keeps nothing twice."""
    with open_hospital_store(postgres_store, texts="plain") as store:
        with store.transaction() as unit:
            one, other = unit.pairs.add_given([report_pair("a", candidate="b")] * 2, owner="o", batch=None, made=NOW)
        with store.transaction() as unit:
            unit.pairs.add_results({one: results("a")})
            second = _beside(postgres_store, lambda: _keep(store, other))
        second.result(timeout=60)
        with store.reading() as unit:
            assert [len(kept) for kept in unit.pairs.results([one, other])] == [2, 2]
            assert [row.risk for row in unit.pairs.rows([one, other], PRESENT)] == [0.5, 0.5]


def _keep(store: SqlHospitalStore, pair: int) -> None:
    with store.transaction() as unit:
        unit.pairs.add_results({pair: results("a")})


def test_a_version_that_comes_in_while_its_examination_is_erased_goes_too_or_stays_whole(postgres_store: str) -> None:
    """It may not be left with its text, and without the examination by which it would be found."""
    with open_hospital_store(postgres_store, texts="plain") as store:
        with store.transaction() as unit:
            unit.versions.add(version(about={"patient": "4711"}), NOW)
        with store.transaction() as unit:
            unit.versions.lock([ExaminationKey("north", "A1")])
            unit.versions.add(version(text="later", about={"patient": "4711"}), NOW)
            erasing = _beside(postgres_store, lambda: _erase(store))
        erasing.result(timeout=60)
        with store.reading() as unit:
            kept = unit.versions.related([ExaminationKey("north", "A1")])
    assert _texts(postgres_store, "version") == len(kept)


def test_words_of_a_review_that_is_written_while_its_pair_is_erased_go_too(postgres_store: str) -> None:
    """They may quote the report."""
    with open_hospital_store(postgres_store, texts="plain") as store:
        with store.transaction() as unit:
            pair = add_compared(unit, about={"patient": "4711"})
        with store.transaction() as unit:
            unit.reviews.add(pair, Review(reviewer="r", made=NOW, signature="s", comment="why"))
            erasing = _beside(postgres_store, lambda: _erase(store))
        erasing.result(timeout=60)
    assert _texts(postgres_store, "review") == 0


def _erase(store: SqlHospitalStore) -> None:
    with store.transaction() as unit:
        unit.erase_patient(None, "4711")


def _texts(place: str, owner: str) -> int:
    with psycopg.connect(place) as connection:
        rows = connection.execute("SELECT 1 FROM texts WHERE owner = %s", [owner])
        return len(rows.fetchall())


def _beside(place: str, call: Callable[[], None]) -> Future[None]:
    """A call in another thread, once it has come so far that it waits for somebody's lock, or is done."""
    threads = ThreadPoolExecutor(1)
    called = threads.submit(call)
    threads.shutdown(wait=False)
    with psycopg.connect(place, autocommit=True) as connection:
        while not called.done():
            if connection.execute("SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'").fetchone():
                break
            sleep(_LOOK)
    return called


@pytest.mark.parametrize(
    "statement",
    ["UPDATE audit_events SET actor = 'x'", "DELETE FROM audit_events", "TRUNCATE audit_events"],
)
def test_the_trail_is_only_added_to(postgres_store: str, statement: str) -> None:
    """Whoever tries otherwise is refused by the database."""
    with open_hospital_store(postgres_store, texts="plain") as store, store.transaction() as unit:
        unit.trail.append(event())
    with (
        psycopg.connect(postgres_store) as connection,
        pytest.raises(psycopg.errors.RaiseException, match="neither changed nor deleted"),
    ):
        connection.execute(statement)


def test_results_are_kept_and_found_in_postgres(postgres_store: str) -> None:
    """The result store is the same there."""
    with open_store(postgres_store, store_text=True) as store:
        store.add("run", [pair("a"), pair("b", "other")], [result(pair("a")), result(pair("b", "other"))])
        store.add("run", [pair("a")], [result(pair("a"))])
        assert store.find([pair("a")], "radot", str(result(pair("a")).signature)) == [result(pair("a"))]
        assert [row["pair_id"] for row in store.results()] == ["b", "a"]
        assert [run["results"] for run in store.runs()] == [2]
        assert store.damaged() == []
        assert str(store.runs()[0]["started"]).endswith("+00:00")


def test_an_address_that_leads_nowhere_is_told_without_its_password(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No server, no database, no such kind, no address: each with what to do."""
    monkeypatch.setattr(postgres_module, "_AGAIN_S", 0.0)
    wrong = {
        "postgresql://u:SECRET@127.0.0.1:9/x": "cannot be reached",
        postgres.url.replace("/postgres?", "/SECRETnone?"): "no such database",
        "mysql://u:SECRET@h/x": "no such kind of store",
        "postgresql://u:SECRET@h:port/x": "cannot be read",
    }
    for url, words in wrong.items():
        with pytest.raises(StoreError, match=words) as caught:
            open_hospital_store(url, texts="plain")
        assert "SECRET@" not in str(caught.value)


def test_somebody_elses_database_is_left_alone(postgres_url: str) -> None:
    """Nothing is made in it."""
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute("CREATE TABLE patients (name TEXT)")
        with pytest.raises(StoreError, match="something else"):
            open_hospital_store(postgres_url, texts="plain")
        found = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()").fetchone()
    assert found == (1,)


def test_a_newer_overread_is_named(postgres_url: str) -> None:
    """As for a file."""
    open_hospital_store(postgres_url, texts="plain").close()
    with psycopg.connect(postgres_url) as connection:
        connection.execute("UPDATE schema_version SET version = 99")
    with pytest.raises(StoreError, match=rf"newer overread \(schema 99, this one knows {newest_schema()}\)"):
        open_hospital_store(postgres_url, texts="plain")
