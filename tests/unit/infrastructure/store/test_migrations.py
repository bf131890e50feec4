"""Tables are brought forward and back, with what stands in them, by whoever comes first."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext

from overread.exceptions import StoreError
from overread.infrastructure.store import _hospital_tables, open_store
from overread.infrastructure.store._migrations import move
from overread.infrastructure.store._result_tables import StoreTable

from .test_results import pair, result, rows

OLD = Path(__file__).parents[3] / "data" / "stores"
METADATA = StoreTable.metadata


def test_migrations_make_the_tables_that_the_code_means(tmp_path: Path) -> None:
    """Column by column, index by index."""
    with open_store(tmp_path / "new.db") as store, store._database.transaction() as session:
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
        for version in (3, 2, 1):
            with store._database.transaction(write=True) as session:
                assert move(session.connection(), version) == version + 1
            assert rows(path, "SELECT version FROM schema_version") == [(version,)]
            assert rows(path, "SELECT count(*) FROM results") == [(7,)]
        with store._database.transaction(write=True) as session:
            assert move(session.connection(), 4) == 1
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
