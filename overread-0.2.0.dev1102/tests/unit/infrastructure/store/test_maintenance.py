"""Copies of a store, the revisions of its tables, and new keys."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest

from overread.exceptions import ConfigurationError, StoreError
from overread.hospital.application.requests import Search
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.infrastructure.store._hospital import SqlHospitalStore
from overread.hospital.infrastructure.store.keys import add_key, make_key_file
from overread.hospital.infrastructure.store.maintenance import rotate
from overread.infrastructure.store import maintenance, open_store

from ...hospital.infrastructure.store.hospital_data import NOW, PRESENT, add_compared, event
from .test_results import pair, result, rows

OLD = Path(__file__).parents[3] / "data" / "stores"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "hospital.db"


def filled(path: Path | str) -> SqlHospitalStore:
    """An open store with a scored pair and an event."""
    store = open_hospital_store(path, texts="plain")
    with store.transaction() as unit:
        add_compared(unit, risk=0.5)
        unit.trail.append(event())
    return store


def test_a_copy_is_made_while_the_store_is_used_and_put_back(path: Path, tmp_path: Path) -> None:
    """All that was committed is in it; it is its owner's alone, and so is what is put back."""
    copy, again = tmp_path / "copy.db", tmp_path / "again.db"
    with filled(path) as store, store.transaction() as unit:
        add_compared(unit, "A2")
        maintenance.backup(path, copy)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    maintenance.restore(copy, f"sqlite:///{again}")
    assert stat.S_IMODE(again.stat().st_mode) == 0o600
    with open_hospital_store(again, texts="plain") as store, store.reading() as unit:
        assert unit.pairs.search(Search(), PRESENT).total == 1
        assert len(unit.trail.events()) == 1


def test_a_copy_takes_nobodys_place(path: Path, tmp_path: Path) -> None:
    """Neither that of an earlier copy, nor that of a store, nor beside what SQLite left of one."""
    copy = tmp_path / "copy.db"
    filled(path).close()
    maintenance.backup(path, copy)
    with pytest.raises(StoreError, match="already exists"):
        maintenance.backup(path, copy)
    with pytest.raises(StoreError, match="already exists"):
        maintenance.restore(copy, path)
    (tmp_path / "new.db-wal").touch()
    with pytest.raises(StoreError, match=r"new\.db-wal"):
        maintenance.restore(copy, tmp_path / "new.db")


def test_a_damaged_copy_is_not_put_back(path: Path, tmp_path: Path) -> None:
    """Nor what is no store at all; nothing is left in the place."""
    copy, other = tmp_path / "copy.db", tmp_path / "other.db"
    filled(path).close()
    maintenance.backup(path, copy)
    whole = copy.read_bytes()
    copy.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(StoreError, match=r"copy\.db"):
        maintenance.restore(copy, other)
    copy.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match=r"copy\.db"):
        maintenance.restore(copy, other)
    assert not other.exists()


def test_postgres_is_copied_and_restored_by_its_own_tools(tmp_path: Path) -> None:
    """Which the messages name, whether a server is there or not."""
    address = "postgresql://127.0.0.1:1/overread"
    with pytest.raises(StoreError, match="pg_dump"):
        maintenance.backup(address, tmp_path / "copy")
    with pytest.raises(StoreError, match="pg_restore"):
        maintenance.restore(tmp_path / "copy", address)


def test_revisions_are_told_and_moved(path: Path) -> None:
    """A look changes nothing; back and forward again leaves the results."""
    shutil.copy(OLD / "results-schema-2.db", path)
    before = path.read_bytes()
    assert maintenance.schema_of(path) == 2
    assert path.read_bytes() == before
    assert maintenance.upgrade(path) == 2
    assert maintenance.schema_of(path) == maintenance.newest_schema() == 12
    assert maintenance.downgrade(path, 3) == 12
    assert maintenance.schema_of(path) == 3
    assert rows(path, "SELECT count(*) FROM results") == [(6,)]
    with pytest.raises(StoreError, match="give 1 to 3"):
        maintenance.downgrade(path, 4)
    with pytest.raises(StoreError, match="no such file"):
        maintenance.schema_of(path.with_name("none.db"))


def test_revisions_of_postgres(postgres_url: str) -> None:
    """With the results that stand in it."""
    with open_store(postgres_url) as store:
        store.add("run", [pair("a")], [result(pair("a"))])
    filled(postgres_url).close()
    assert maintenance.downgrade(postgres_url, 3) == 12
    assert maintenance.schema_of(postgres_url) == 3
    assert maintenance.upgrade(postgres_url) == 3
    with open_store(postgres_url) as store:
        assert {row["pair_id"] for row in store.results()} >= {"a"}
        assert store.damaged() == []


def test_new_keys_seal_what_is_there(path: Path, tmp_path: Path) -> None:
    """From plain to sealed, to another key, and back; texts are read at every step, and not without their key."""
    keys, fewer = tmp_path / "keys", tmp_path / "fewer"
    filled(path).close()
    make_key_file(keys)
    assert rotate(path, key_file=keys) == 3
    assert _text(path, keys) == "Not clear. A1"
    add_key(keys)
    assert _text(path, keys) == "Not clear. A1"
    assert rotate(path, key_file=keys) == 4
    assert rotate(path, key_file=keys) == 0
    fewer.touch(mode=0o600)
    fewer.write_text(keys.read_text(encoding="ascii").splitlines()[1], encoding="ascii")
    assert _text(path, fewer) == "Not clear. A1"
    make_key_file(tmp_path / "others")
    with pytest.raises(StoreError, match="key"):
        _text(path, tmp_path / "others")
    assert rotate(path, texts="plain", key_file=keys) == 4
    with open_hospital_store(path, texts="plain") as store, store.reading() as unit:
        assert unit.versions.get([2])[0].version.text.text == "Not clear. A1"
    with pytest.raises(ConfigurationError):
        rotate(path)


def _text(path: Path, keys: Path) -> str:
    with open_hospital_store(path, key_file=keys) as store, store.reading() as unit:
        text: str = unit.versions.get([2])[0].version.text.text
        assert unit.versions.get([2])[0].arrived == NOW
        return text
