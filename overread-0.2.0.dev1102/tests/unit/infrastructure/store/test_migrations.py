"""Tables are brought forward and back, with what stands in them, by whoever comes first."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from attrs import evolve

from overread.domain.differences.edits import Edits, EditType
from overread.domain.results.result import Unscored
from overread.exceptions import StoreError
from overread.hospital.application.cases import CaseOutcome
from overread.hospital.application.charts import Alarm
from overread.hospital.application.protocols import ProtocolPair
from overread.hospital.application.requests import Search, Withdrawn
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.learning import LearningKind, LearningPoint
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.reading import ProtocolReader, ReadingMode, ReadingProtocol
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer, Review
from overread.hospital.infrastructure.store import _hospital_tables, open_hospital_store
from overread.infrastructure.store import maintenance, open_store
from overread.infrastructure.store._migrations import move
from overread.infrastructure.store.result_tables import SCHEMA_VERSION, StoreTable

from ...hospital.infrastructure.store.hospital_data import HOUR, NOW, PRESENT, add_compared, version
from .test_results import make_older, pair, result, rows

OLD = Path(__file__).parents[3] / "data" / "stores"
METADATA = StoreTable.metadata


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_migrations_make_the_tables_that_the_code_means(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """Column by column, index by index."""
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else tmp_path / "new.db"
    with open_store(place) as store, store._database.transaction() as session:
        context = MigrationContext.configure(session.connection(), opts={"compare_type": True})
        assert compare_metadata(context, METADATA) == []
        assert _hospital_tables.JOBS.metadata is METADATA


def test_a_store_goes_back_and_forth_with_its_results(tmp_path: Path) -> None:
    """To each revision and up again: what each knows of a result stays; the file is as yesterday's code left it."""
    path = tmp_path / "results.db"
    shutil.copy(OLD / "results-schema-2.db", path)
    with open_store(path) as store:
        store.add("new", [pair("a")], [result(pair("a"))])
        before = store.results()
        newer = SCHEMA_VERSION
        for version in range(SCHEMA_VERSION - 1, 0, -1):
            with store._database.transaction(write=True) as session:
                assert move(session.connection(), version) == newer
            newer = version
            assert rows(path, "SELECT version FROM schema_version") == [(version,)]
            assert rows(path, "SELECT count(*) FROM results") == [(7,)]
        with store._database.transaction(write=True) as session:
            assert move(session.connection(), SCHEMA_VERSION) == 1
        assert store.results() == before
        assert store.damaged() == []


def test_all_of_a_migration_is_kept_or_nothing(tmp_path: Path) -> None:
    """A process that ends within one leaves the file as it was."""
    path = tmp_path / "results.db"
    shutil.copy(OLD / "results-schema-2.db", path)
    with closing(sqlite3.connect(path)) as connection:
        before = list(connection.iterdump())
        connection.execute("CREATE TABLE jobs (in_the_way INTEGER)")
        connection.commit()
    with pytest.raises(StoreError, match=r"results\.db"):
        open_store(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE jobs")
        connection.commit()
        assert list(connection.iterdump()) == before


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_store_of_before_alembic_is_taken_over(
    tmp_path: Path, version: int, caplog: pytest.LogCaptureFixture
) -> None:
    """With its results, its discrepancies and its reports; whoever opens it first says so, once."""
    path = tmp_path / "results.db"
    with open_store(path, store_text=True) as store:
        store.add("run", [pair("a"), pair("b", "other")], [result(pair("a")), result(pair("b", "other"))])
        before = store.results()
    make_older(path, version)
    assert rows(path, "SELECT name FROM sqlite_master WHERE name IN ('alembic_version', 'jobs')") == []
    with open_store(path) as store:
        assert store.results() == before
        assert store.damaged() == []
    open_hospital_store(path, texts="plain").close()
    assert rows(path, "SELECT count(*), count(reference) FROM pairs") == [(2, 2)]
    assert rows(path, "SELECT version_num FROM alembic_version") == [(str(SCHEMA_VERSION),)]
    [told] = [record.getMessage() for record in caplog.records]
    assert f"from_schema={version} to_schema={SCHEMA_VERSION}" in told


def test_a_hospitals_store_goes_back_to_sessions_that_end_by_time_alone(tmp_path: Path) -> None:
    """And forward again; everything else stays."""
    path = tmp_path / "hospital.db"
    with open_hospital_store(path, texts="plain") as store, store.transaction() as unit:
        add_compared(unit, "A1", risk=0.5)
        assert unit.sessions.add("one", now=NOW, until=NOW + HOUR)
    maintenance.downgrade(path, 4)
    assert rows(path, "SELECT count(*) FROM sqlite_master WHERE tbl_name = 'ended_sessions'") == [(0,)]
    with open_hospital_store(path, texts="plain") as store, store.reading() as unit:
        assert unit.pairs.search(Search(), PRESENT).total == 1
        assert not unit.sessions.has(["one"], until=NOW + HOUR)


def test_a_hospitals_store_goes_back_to_patients_that_are_not_merged(tmp_path: Path) -> None:
    """What was merged stays together, and forward again what comes does not follow it."""
    path = tmp_path / "hospital.db"
    with open_hospital_store(path, texts="plain") as store, store.transaction() as unit:
        unit.versions.add(version("A1", about={"patient": "1"}), NOW)
        unit.merge_patients(PatientMerge(site="north", surviving="2", merged="1"))
    maintenance.downgrade(path, 5)
    assert rows(path, "SELECT count(*) FROM sqlite_master WHERE tbl_name = 'merged_patients'") == [(0,)]
    with open_hospital_store(path, texts="plain") as store, store.transaction() as unit:
        unit.versions.add(version("A2", about={"patient": "1"}), NOW)
        assert unit.erase_patient("north", "2").examinations == 1
        assert unit.erase_patient("north", "1").examinations == 1


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_hospitals_store_goes_back_to_pairs_that_are_never_withdrawn(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """Forward again, what was withdrawn before is marked by what the versions tell, and nothing else is."""
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else tmp_path / "hospital.db"
    with open_hospital_store(place, texts="plain") as store, store.transaction() as unit:
        pairs = [add_compared(unit, accession, risk=0.5) for accession in ("A1", "A2", "A3")]
        unit.versions.add(version("A1", ReportStatus.CANCELLED, ""), NOW + HOUR)
        unit.versions.add(version("A2", ReportStatus.CANCELLED, "", filler="another"), NOW + HOUR)
        unit.versions.add(version("A3", ReportStatus.CANCELLED, "", issued=NOW - 2 * HOUR), NOW + HOUR)
        unit.pairs.withdraw(pairs)
    maintenance.downgrade(place, 6)
    with open_hospital_store(place, texts="plain") as store, store.reading() as unit:
        rows = unit.pairs.rows(pairs, PRESENT)
        assert [row.withdrawn for row in rows] == [True, False, False]
        assert unit.pairs.numbers(Search(withdrawn=Withdrawn.ONLY), PRESENT) == pairs[:1]
        assert unit.pairs.search(Search(), PRESENT).total == 2


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_hospitals_store_goes_back_to_pairs_of_which_all_seems_read(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """Forward again, each pair tells what its result does, also under the signatures of before; others tell nothing."""
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else tmp_path / "hospital.db"
    with open_hospital_store(place, texts="plain") as store, store.transaction() as unit:
        shares = (0.25, 1.0, None)
        pairs = [add_compared(unit, f"A{share}", risk=0.0, read=share) for share in shares]
        pairs += [add_compared(unit, "waits"), add_compared(unit, "none", risk=Unscored("empty", "both are"))]
        before = unit.pairs.rows(pairs, PRESENT)
    assert [row.read for row in before] == [0.25, 1.0, None, None, None]
    maintenance.downgrade(place, 7)
    with open_hospital_store(place, texts="plain") as store, store.reading() as unit:
        assert unit.pairs.rows(pairs, PRESENT) == before


def test_a_hospitals_store_goes_back_to_scores_of_whoever_spoke_last(tmp_path: Path) -> None:
    """Forward again, the first reviewer's newest score is shown; no protocol is left, and reviews stay."""
    path = tmp_path / "hospital.db"
    with open_hospital_store(path, texts="plain") as store, store.transaction() as unit:
        pairs = [add_compared(unit, accession, risk=0.5) for accession in ("A1", "A2", "A3")]
        scores = (
            ("a", Radpeer.CONCUR),
            ("b", Radpeer.EXPECTED_SIGNIFICANT),
            ("a", Radpeer.UNDERSTANDABLE_INSIGNIFICANT),
        )
        for reviewer, score in scores:
            unit.reviews.add(pairs[0], Review(reviewer=reviewer, made=NOW, signature="s", radpeer=score))
        unit.reviews.add(pairs[1], Review(reviewer="a", made=NOW, signature="s", radpeer=Radpeer.CONCUR))
        reader = ProtocolReader(name="a")
        protocol = ReadingProtocol(
            number=0, name="study", mode=ReadingMode.BLINDED, readers=[reader], per_pair=1, made=NOW, made_by="lead"
        )
        unit.protocols.add(protocol, [ProtocolPair(pair=pairs[2])])
        assert unit.protocols.blinded("a", pairs) == {pairs[2]}
        before = [[*each] for each in unit.reviews.of(pairs)]
        shown = dict(unit.reviews.shown())
    maintenance.downgrade(path, 8)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE compared_pairs SET radpeer = '3b' WHERE id = ?", (pairs[0],))
        connection.commit()
    with open_hospital_store(path, texts="plain") as store, store.reading() as unit:
        assert unit.reviews.shown() == shown
        assert shown == {pairs[0]: Radpeer.UNDERSTANDABLE_INSIGNIFICANT, pairs[1]: Radpeer.CONCUR}
        assert [[*each] for each in unit.reviews.of(pairs)] == before
        assert (unit.protocols.page(), unit.protocols.blinded("a", pairs)) == ([], frozenset())


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_hospitals_store_goes_back_to_charts_without_cases(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """With the words of who closed one; forward again, numbers begin anew, and alarms can open cases again."""
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else tmp_path / "hospital.db"
    alarm = Alarm(chart="major/site/north", pair=3, at=NOW, change=NOW - HOUR, pairs=[2, 3], events=[3])
    with open_hospital_store(place, texts="plain") as store, store.transaction() as unit:
        assert unit.cases.add([alarm, alarm], opened=NOW) == [1]
        unit.cases.close(1, outcome=CaseOutcome.CHANCE, why="nothing", by="ruth", at=NOW)
        assert unit.cases.get(1).why == "nothing"
    maintenance.downgrade(place, 9)
    with open_hospital_store(place, texts="plain") as store, store.transaction() as unit:
        assert unit.cases.every() == []
        assert unit.cases.add([alarm], opened=NOW) == [1]
        assert unit.cases.get(1).why == ""


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_hospitals_store_goes_back_to_feeds_that_nobody_counts(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """Forward again, each version has the site of its first examination; edits and silences are forgotten."""
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else tmp_path / "hospital.db"
    with open_hospital_store(place, texts="plain") as store, store.transaction() as unit:
        pair = add_compared(unit, "A1", risk=0.5)
        unit.pairs.add_edits({pair: Edits(types=(EditType.REMOVAL,))})
        unit.feeds.begin_silence(Feed("hl7", "north"), since=NOW, noticed=NOW + HOUR)
        before = unit.feeds.last()
    assert [(feed.door, feed.site) for feed in before] == [("hl7", "north")]
    maintenance.downgrade(place, 10)
    with open_hospital_store(place, texts="plain") as store, store.reading() as unit:
        assert unit.feeds.last() == before
        assert unit.feeds.silences() == {}
        assert [row.edits for row in unit.pairs.rows([pair], PRESENT)] == [None]


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_hospitals_store_goes_back_to_pairs_from_which_nobody_learns(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str
) -> None:
    """Forward again, points, actions and answers are gone with their words; the pair and its numbers are as before."""
    place = request.getfixturevalue("postgres_url") if kind == "postgres" else tmp_path / "hospital.db"
    with open_hospital_store(place, texts="plain") as store, store.transaction() as unit:
        pair = add_compared(unit, "A1", risk=0.5)
        point = LearningPoint(
            number=0, pair=pair, kind=LearningKind.GOOD_CALL, text="CANARY-2", made_by="ruth", made=NOW, nominated=True
        )
        assert unit.learning.get(unit.learning.add(point)).text == "CANARY-2"
        before = unit.pairs.rows([pair], PRESENT)
    maintenance.downgrade(place, 11)
    with open_hospital_store(place, texts="plain") as store, store.transaction() as unit:
        assert list(unit.learning.of([pair])) == [[]]
        assert unit.pairs.rows([pair], PRESENT) == before
        assert unit.learning.get(unit.learning.add(evolve(point, text="anew"))).text == "anew"


def test_a_hospitals_store_goes_back_to_results_alone(tmp_path: Path) -> None:
    """And forward to an empty hospital; no text of it is left in the file, and yesterday's overread knows the rest."""
    path = tmp_path / "hospital.db"
    with open_hospital_store(path, texts="plain") as store, store.transaction() as unit:
        add_compared(unit, "CANARY-1", risk=0.5)
    assert b"CANARY-1" in path.read_bytes()
    maintenance.downgrade(path, 3)
    assert b"CANARY-1" not in path.read_bytes()
    tables = {name for (name,) in rows(path, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables - {"sqlite_sequence"} == {
        "alembic_version",
        "discrepancies",
        "pairs",
        "results",
        "runs",
        "schema_version",
    }
    with open_hospital_store(path, texts="plain") as store, store.reading() as unit:
        assert unit.pairs.search(Search(), PRESENT).total == 0
    assert rows(path, "SELECT count(*) FROM results") == [(2,)]
