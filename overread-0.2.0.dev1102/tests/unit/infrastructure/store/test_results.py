"""The result store on real SQLite files."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Timer

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event

from overread.domain.reports.report import ClinicalContext, ReportPair, Span
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Outcome, Scale, Scored, Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory
from overread.exceptions import StoreError
from overread.infrastructure.store import open_store, pair_digest
from overread.infrastructure.store._results import SqlResultStore

PHRASE = "Cavitating lesion of Mr Sample"
SIGNATURE = Signature("radot", (("aligner", "balanced,eps=0.2"), ("version", "1")))
EVERYTHING = (
    "SELECT * FROM pairs ORDER BY 1",
    "SELECT * FROM results ORDER BY 1",
    "SELECT * FROM discrepancies ORDER BY 1",
)
FOUND = tuple(
    Discrepancy(
        category=ErrorCategory.FALSE_FINDING,
        aspect=ErrorAspect.NEGATION,
        type=None,
        severity=severity,
        reason="asserted",
        finding="pneumothorax",
        candidate_spans=(Span(0, 4),),
    )
    for severity in (Severity.CRITICAL, Severity.SIGNIFICANT, Severity.INSIGNIFICANT)
)


def pair(name: str, reference: str = PHRASE, candidate: str = "Clear.") -> ReportPair:
    return ReportPair(id=name, reference=reference, candidate=candidate)


def pairs(count: int) -> list[ReportPair]:
    return [pair(f"p{n}", reference=f"{PHRASE} {n}") for n in range(count)]


def result(
    of: ReportPair, outcome: Outcome | None = None, *, metric: str = "radot", signature: Signature = SIGNATURE
) -> EvaluationResult:
    return EvaluationResult(
        pair_id=of.id,
        metric=metric,
        scale=Scale(0.0, float("inf"), higher_is_better=False),
        signature=signature,
        outcome=outcome or Scored(score=1.0, discrepancies=FOUND),
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.db"


@pytest.fixture
def store(path: Path) -> Iterator[SqlResultStore]:
    with open_store(path) as opened:
        yield opened


def rows(path: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def test_what_was_added_is_found_again(store: SqlResultStore, path: Path) -> None:
    """In the order of the pairs, None where there is none, also from a new process's point of view."""
    known = pairs(3)
    added = [result(p, Scored(score=float(n), subscores={"total": 1.0})) for n, p in enumerate(known)]
    store.add("run", known, added)
    asked = [known[2], pair("new", "unseen"), known[0]]
    assert store.find(asked, "radot", str(SIGNATURE)) == [added[2], None, added[0]]
    store.close()
    with open_store(path) as again:
        assert again.find(asked, "radot", str(SIGNATURE)) == [added[2], None, added[0]]


def test_discrepancies_and_unscored_results_come_back(store: SqlResultStore) -> None:
    """A stored result is the result that was added, scored or not."""
    known = pairs(2)
    added = [result(known[0]), result(known[1], Unscored("too long", "more than 300 units"))]
    store.add("run", known, added)
    assert store.find(known, "radot", str(SIGNATURE)) == added


def test_another_metric_or_signature_is_another_result(store: SqlResultStore) -> None:
    """A result is found only under the signature it was made with, so that no setting is mixed up."""
    known = pair("a")
    store.add("run", [known], [result(known)])
    other = SIGNATURE.with_parts([("seed", "2")])
    assert store.find([known], "notation", str(SIGNATURE)) == [None]
    assert store.find([known], "radot", str(other)) == [None]
    store.add("run", [known], [result(known, Scored(score=5.0), signature=other)])
    [found] = store.find([known], "radot", str(other))
    assert found is not None
    assert found.score == 5.0


def test_a_pair_under_another_id_is_the_same_pair(store: SqlResultStore) -> None:
    """The result carries the id that is asked with, twice if it is asked twice."""
    store.add("run", [pair("old")], [result(pair("old"))])
    found = store.find([pair("new"), pair("newer")], "radot", str(SIGNATURE))
    assert [r.pair_id for r in found if r] == ["new", "newer"]


def test_another_text_or_context_is_another_pair(store: SqlResultStore) -> None:
    """The id alone does not make a pair the same: texts, their sides and the context do."""
    known = pair("a")
    store.add("run", [known], [result(known)])
    others = [
        pair("a", reference=PHRASE + " "),
        pair("a", candidate="Clear"),
        evolve(known, context=ClinicalContext(age=40.0)),
        evolve(known, reference=known.candidate, candidate=known.reference),
    ]
    assert store.find(others, "radot", str(SIGNATURE)) == [None] * 4


def test_storing_the_same_again_changes_nothing(store: SqlResultStore, path: Path) -> None:
    """The first result stays, from whichever run, even when one call brings it twice."""
    known = pair("a")
    twin = pair("b")
    store.add("first", [known, twin], [result(known), result(twin)])
    before = [rows(path, query) for query in EVERYTHING]
    store.add("second", [known], [result(known, Scored(score=9.0))])
    assert [rows(path, query) for query in EVERYTHING] == before
    assert [len(table) for table in before] == [1, 1, 3]


@pytest.mark.parametrize("reason", ["error", "no answer", "not asked", "out of memory", "timed out"])
def test_what_may_be_different_next_time_is_tried_again(store: SqlResultStore, reason: str) -> None:
    """A metric that broke or a model that was silent: listed but not found, and a good result takes its place.

    Never the other way round.
    """
    known = pair("a")
    broken = result(known, Unscored(reason, "the metric raised ValueError"))
    store.add("run", [known], [broken])
    assert store.find([known], "radot", str(SIGNATURE)) == [None]
    assert [row["reason"] for row in store.results()] == [reason]
    store.add("run", [known], [result(known)])
    store.add("run", [known], [broken])
    assert store.find([known], "radot", str(SIGNATURE)) == [result(known)]
    assert len(store.results()) == 1


def test_many_pairs(store: SqlResultStore) -> None:
    """More than a SQLite of the smallest build takes variables in one query."""
    known = pairs(1201)
    store.add("run", known, [result(p, Scored(score=float(n))) for n, p in enumerate(known)])
    store.close()
    event.listen(store._database.engine, "connect", lambda c, _: c.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 999))
    found = store.find(known, "radot", str(SIGNATURE))
    assert [r.score for r in found if r] == [float(n) for n in range(1201)]


def test_no_text_unless_asked_for(path: Path) -> None:
    """A digest tells pairs apart; the words of a report are nowhere in the file."""
    with open_store(path) as store:
        store.add("run", [pair("a")], [result(pair("a"))])
    assert b"Cavitating" not in path.read_bytes()
    assert rows(path, "SELECT reference, candidate FROM pairs") == [(None, None)]


def test_text_where_it_is_asked_for(path: Path) -> None:
    """Also for a pair that is there already without."""
    with open_store(path) as store:
        store.add("run", [pair("a")], [result(pair("a"))])
    with open_store(path, store_text=True) as store:
        store.add("run", [pair("a")], [result(pair("a"))])
    with open_store(path) as store:
        store.add("run", [pair("a")], [result(pair("a"), metric="notation")])
    assert rows(path, "SELECT reference, candidate FROM pairs") == [(PHRASE, "Clear.")]


def test_a_failing_batch_leaves_nothing_behind(store: SqlResultStore, path: Path) -> None:
    """All of it or none."""
    known = pairs(3)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(
            "CREATE TRIGGER no_third BEFORE INSERT ON results WHEN NEW.pair_name = 'p2' "
            "BEGIN SELECT RAISE(ABORT, 'no'); END"
        )
        connection.commit()
    with pytest.raises(StoreError) as caught:
        store.add("run", known, [result(p) for p in known])
    assert [rows(path, query) for query in EVERYTHING] == [[], [], []]
    assert "Cavitating" not in str(caught.value)


def test_results_of_several_metrics_are_matched_by_id(store: SqlResultStore) -> None:
    """Results need not come in the order of their pairs."""
    known = pairs(2)
    notation = Signature("notation")
    store.add(
        "run", known, [result(known[1]), result(known[0]), result(known[1], metric="notation", signature=notation)]
    )
    assert store.find(known, "radot", str(SIGNATURE)) == [result(p) for p in known]
    assert [r is None for r in store.find(known, "notation", "notation")] == [True, False]


def test_results_that_fit_no_pair_are_refused(store: SqlResultStore) -> None:
    """Rather than be stored under the wrong one."""
    with pytest.raises(StoreError, match="belong"):
        store.add("run", pairs(1), [result(pair("other"))])
    with pytest.raises(StoreError, match="belong"):
        store.add("run", [pair("a", "x"), pair("a", "y")], [result(pair("a"))])


def test_equal_ids_in_order_are_told_apart(store: SqlResultStore) -> None:
    """Pairs that share an id are told apart by their texts."""
    twins = [pair("a", "x"), pair("a", "y")]
    added = [result(twins[0], Scored(score=1.0)), result(twins[1], Scored(score=2.0))]
    store.add("run", twins, added)
    assert store.find(twins, "radot", str(SIGNATURE)) == added


def test_history(store: SqlResultStore) -> None:
    """Newest first, with the run that added it and how many discrepancies matter."""
    first, second = pair("a", "x"), pair("b", "y")
    store.add("monday", [first], [result(first)])
    store.add("tuesday", [first, second], [result(first), result(second, Unscored("too long"))])
    listed = store.results()
    assert [(r["pair_id"], r["run"], r["status"], r["score"], r["reason"]) for r in listed] == [
        ("b", "tuesday", "unscored", None, "too long"),
        ("a", "monday", "scored", 1.0, None),
    ]
    assert (listed[1]["significant"], listed[1]["insignificant"]) == (2, 1)
    assert listed[1]["signature"] == str(SIGNATURE)
    assert [r["pair_id"] for r in store.results(run="monday")] == ["a"]
    assert [r["pair_id"] for r in store.results(limit=1)] == ["b"]
    assert [(r["run"], r["results"], r["pairs"]) for r in store.runs()] == [("tuesday", 1, 1), ("monday", 1, 1)]
    assert all(str(r["started"]).endswith("+00:00") for r in store.runs())


def test_a_new_file_knows_its_schema_and_mode(path: Path) -> None:
    """A new store writes ahead, so that others may read while it is written."""
    open_store(path).close()
    assert rows(path, "SELECT version FROM schema_version") == [(12,)]
    assert rows(path, "PRAGMA journal_mode") == [("wal",)]


def test_a_discrepancy_is_stored_with_its_weight(store: SqlResultStore, path: Path) -> None:
    """Importance, extent, their product, by hand 0.5 x 0.45, and probability; nothing where it was not weighed."""
    weighed = evolve(FOUND[0], importance=Importance.ACTIONABLE, extent=0.45, probability=0.75)
    added = result(pair("a"), Scored(score=1.0, discrepancies=(weighed, FOUND[1])))
    store.add("run", [pair("a")], [added])
    assert store.find([pair("a")], "radot", str(SIGNATURE)) == [added]
    assert rows(path, "SELECT importance, extent, weight, probability FROM discrepancies ORDER BY id") == [
        ("actionable", 0.45, pytest.approx(0.225), 0.75),
        (None, None, None, 1.0),
    ]


def make_older(path: Path, version: int = 1) -> None:
    """Turn the tables of a store into those of an earlier version, as its code made them: none knew Alembic.

    Version 2 has no digests and no probabilities, version 1 no weights either.
    """
    since = {1: ("importance", "extent", "weight"), 2: ("probability", "digest")}
    gone = [name for before, names in since.items() if version <= before for name in names]
    with closing(sqlite3.connect(path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        kept = {"schema_version", "runs", "pairs", "results", "discrepancies", "sqlite_sequence"}
        for name in set(tables) - kept:
            connection.execute(f"DROP TABLE {name}")
        for name in gone:
            connection.execute(f"ALTER TABLE discrepancies DROP COLUMN {name}")
        if "digest" in gone:
            connection.execute("ALTER TABLE results DROP COLUMN digest")
        connection.execute("UPDATE schema_version SET version = ?", [version])
        connection.commit()


def test_an_older_store_is_brought_up_to_date(path: Path) -> None:
    """What it holds is found as before, and what is added is weighed."""
    with open_store(path) as store:
        store.add("run", [pair("a")], [result(pair("a"))])
    make_older(path)
    added = result(
        pair("b", "other"), Scored(score=1.0, discrepancies=(evolve(FOUND[0], importance=Importance.URGENT),))
    )
    with open_store(path) as store:
        assert store.find([pair("a")], "radot", str(SIGNATURE)) == [result(pair("a"))]
        store.add("run", [pair("b", "other")], [added])
    assert rows(path, "SELECT version FROM schema_version") == [(12,)]
    assert rows(path, "SELECT importance FROM discrepancies ORDER BY id") == [(None,), (None,), (None,), ("urgent",)]


def test_two_may_bring_a_store_up_to_date_at_once(path: Path) -> None:
    """The second finds it done."""
    open_store(path).close()
    make_older(path)
    with ThreadPoolExecutor(4) as threads:
        for store in threads.map(lambda _: open_store(path), range(4)):
            store.close()
    assert rows(path, "SELECT version FROM schema_version") == [(12,)]


def test_a_repeated_result_is_refused_by_the_file_itself(store: SqlResultStore, path: Path) -> None:
    """Whoever else writes into it."""
    store.add("run", [pair("a")], [result(pair("a"))])
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.IntegrityError):
        connection.execute(
            "INSERT INTO results (pair_digest, metric, signature, run_id, pair_name, status, record, created) "
            "SELECT pair_digest, metric, signature, run_id, pair_name, status, record, created FROM results"
        )


def test_two_may_write_at_once(path: Path) -> None:
    """Each waits for the other, and a result is kept once."""
    known = pairs(40)

    def write(name: str) -> None:
        with open_store(path) as store:
            for one in known:
                store.add(name, [one], [result(one)])

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(write, ["one", "other"]))
    with open_store(path) as store:
        assert len(store.results(limit=100)) == len(known)
        assert sum(run["results"] for run in store.runs()) == len(known)


def test_a_file_that_another_is_making_is_waited_for(path: Path) -> None:
    """SQLite itself gives up at once when the log's mode is to be changed."""
    with closing(sqlite3.connect(path, check_same_thread=False, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        release = Timer(0.3, other.execute, ["ROLLBACK"])
        release.start()
        try:
            with open_store(path) as store:
                assert store.results() == []
        finally:
            release.join()


def test_an_empty_file_becomes_a_store(path: Path) -> None:
    """A file made beforehand, as by a temporary name, is no obstacle."""
    path.touch()
    with open_store(path) as store:
        assert store.results() == []


def test_a_newer_schema_is_named(path: Path) -> None:
    """A file of a newer version is named with both versions instead of being read wrongly."""
    open_store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE schema_version SET version = 99")
        connection.commit()
    with pytest.raises(StoreError, match=r"newer overread \(schema 99, this one knows 12\)"):
        open_store(path)


@pytest.mark.parametrize("change", ["DELETE FROM schema_version", "UPDATE schema_version SET version = 0"])
def test_an_unreadable_schema_version_is_named(path: Path, change: str) -> None:
    """A store whose version is missing or impossible is not guessed at."""
    open_store(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(change)
        connection.commit()
    with pytest.raises(StoreError, match="schema version"):
        open_store(path)


def test_somebody_elses_database_is_left_alone(path: Path) -> None:
    """Not a byte is written to a database that is not a store."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE patients (name TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not a store of overread"):
        open_store(path)
    assert path.read_bytes() == before


def test_a_file_that_is_no_database(path: Path) -> None:
    """Text in place of a database is told without quoting it."""
    path.write_text(PHRASE * 100)
    with pytest.raises(StoreError, match="not a SQLite file"):
        open_store(path)


def test_a_damaged_file(path: Path) -> None:
    """One whose pages are overwritten after it was made."""
    with open_store(path) as store:
        store.add("run", pairs(200), [result(p) for p in pairs(200)])
    data = bytearray(path.read_bytes())
    data[4096:] = os.urandom(16) * ((len(data) - 4096) // 16)
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"results\.db"), open_store(path) as store:
        store.results()


def test_a_table_that_is_gone(store: SqlResultStore, path: Path) -> None:
    """A store that lacks a table is told in words and not as an error of SQLite."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE pairs")
    with pytest.raises(StoreError, match="lacks a table"):
        store.add("run", [pair("a")], [result(pair("a"))])


def test_a_folder_and_a_missing_folder(tmp_path: Path) -> None:
    """A place where no file can be is told before anything is scored."""
    with pytest.raises(StoreError, match="is a folder"):
        open_store(tmp_path)
    with pytest.raises(StoreError, match="does not exist"):
        open_store(tmp_path / "none" / "results.db")


def test_odd_names_and_half_characters(tmp_path: Path) -> None:
    """What SQLite's own addresses would misread, and what UTF-8 cannot hold."""
    odd = tmp_path / "a?b#c %20.db"
    known = pair("id \ud800", "text \udfff")
    with open_store(odd, store_text=True) as store:
        store.add("run \ud800", [known], [result(known)])
        assert store.find([known], "radot", str(SIGNATURE)) == [result(known)]
        assert len(store.results(run="run \ud800")) == 1
    assert odd.is_file()


texts = st.text(max_size=8)


@given(texts, texts, texts, texts)
def test_digests_differ_where_texts_do(a: str, b: str, c: str, d: str) -> None:
    """Equal for equal texts and for no others: fields do not run together."""
    same = (a, b) == (c, d)
    assert (pair_digest(pair("1", a, b)) == pair_digest(pair("2", c, d))) is same


def test_a_digest_stays_the_same_across_versions() -> None:
    """Stored results are found by it. The number is that of ``printf '1:x2:é4:40.01:F--' | sha256sum``."""
    known = ReportPair(id="1", reference="x", candidate="é", context=ClinicalContext(age=40, sex="F"))
    assert pair_digest(known) == "5861c72c8047cf3beb17512123501f9854c71bf931c2827ea53d77367f86da12"


def test_importing_the_package_is_cheap() -> None:
    """The database library is slow to import and loads only when a store is opened."""
    code = "import sys, overread.infrastructure.store; sys.exit('sqlmodel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, env={"PYTHONPATH": "src"}).returncode == 0


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_opens_the_file_for_itself(store: SqlResultStore, path: Path) -> None:
    """A connection that came through a fork may damage the file; both go on with one of their own."""
    store.add("", pairs(2), [result(one) for one in pairs(2)])
    child = os.fork()
    if child == 0:
        status = 1
        try:
            store.add("", [pair("child", reference="Clear.")], [result(pair("child"))])
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    store.add("", [pair("parent", reference="Clear lungs.")], [result(pair("parent"))])
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM results").fetchone() == (4,)
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
