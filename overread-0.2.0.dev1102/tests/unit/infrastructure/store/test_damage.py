"""Stores that were damaged, changed, made by an older version, or cannot be used: nothing is trusted blindly."""

from __future__ import annotations

import json
import os
import random
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import overread
from overread.domain.results.result import EvaluationResult, Scored, Unscored
from overread.exceptions import StoreError
from overread.infrastructure.serialise import result_record
from overread.infrastructure.settings import Settings
from overread.infrastructure.store import _file as files
from overread.infrastructure.store import open_store
from overread.infrastructure.store.answers import open_answers
from overread.infrastructure.store.result_tables import SCHEMA_VERSION

from .test_results import FOUND, PHRASE, SIGNATURE, pair, pairs, result, rows

OLD = Path(__file__).parents[3] / "data" / "stores"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "results.db"


@pytest.fixture
def filled(path: Path) -> Path:
    """A store with a result of each of three pairs."""
    with open_store(path) as store:
        known = [pair(name, name) for name in "abc"]
        store.add("run", known, [result(one, Scored(score=0.5, discrepancies=FOUND)) for one in known])
    return path


def change(path: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement, values)
        connection.commit()


def edited(key: str, value: Any) -> Callable[[Path], None]:
    """Another value in a record, with a digest of its own that holds."""

    def edit(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            [text] = connection.execute("SELECT record FROM results WHERE pair_name = 'a'").fetchone()
        record = {**json.loads(text), key: value}
        record.pop("digest")
        change(path, "UPDATE results SET record = ? WHERE pair_name = 'a'", json.dumps(record))

    return edit


def column(name: str, value: str) -> Callable[[Path], None]:
    """Another value in a column."""
    return lambda path: change(path, f"UPDATE results SET {name} = {value} WHERE pair_name = 'a'")  # noqa: S608 - ours


DAMAGE = [
    edited("score", 42.0),
    edited("score", 0.75),
    edited("score", None),
    edited("range", [0.0, 0.1]),
    edited("status", "unscored"),
    edited("metric", "other"),
    edited("signature", "radot|other:1"),
    edited("discrepancies", []),
    edited("schema_version", 99),
    column("record", "'{}'"),
    column("record", "'[1'"),
    column("record", "x'00ff'"),
    column("record", "CAST(x'ff' AS TEXT)"),
    column("record", "''"),
    column("record", "5"),
    column("score", "42.0"),
    column("score", "'PRIVATE'"),
    column("score", "NULL"),
    column("status", "'unscored'"),
    column("reason", "'error'"),
    column("digest", "''"),
    column("digest", "x'00'"),
    column("digest", "'0'"),
]


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_row_is_named_and_scored_anew(
    filled: Path, damage: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever was changed in it; rows beside it are found, and the new result takes its place."""
    damage(filled)
    known = [pair(name, name) for name in "abc"]
    with open_store(filled) as store:
        for _ in range(2):
            found = store.find(known, "radot", str(SIGNATURE))
            assert [each is None for each in found] == [True, False, False]
        [told] = [record.getMessage() for record in caplog.records]
        assert "damaged_results_scored_anew" in told
        assert "count=1 first='a (radot)'" in told
        assert [(each["pair_id"], each["metric"]) for each in store.damaged()] == [("a", "radot")]
        anew = result(known[0], Scored(score=0.25, discrepancies=FOUND[:1]))
        store.add("again", known[:1], [anew])
        assert store.find(known[:1], "radot", str(SIGNATURE)) == [anew]
        assert store.damaged() == []
    assert len(rows(filled, "SELECT * FROM results")) == 3
    assert len(rows(filled, "SELECT * FROM discrepancies")) == 7


@pytest.mark.parametrize(
    "damage", [*DAMAGE, column("pair_name", "x'ff'"), column("created", "'zzz'"), column("run_id", "99")]
)
def test_history_survives_a_damaged_row_and_says_which(filled: Path, damage: Callable[[Path], None]) -> None:
    """It stands in its place with what is wrong; the others are as they were."""
    change(filled, "PRAGMA foreign_keys = OFF")
    damage(filled)
    with open_store(filled) as store:
        listed = store.results()
        assert [row["run"] for row in store.runs()] == ["run"]
    assert [(row["pair_id"], row["status"], row["score"], row["significant"]) for row in listed[:2]] == [
        ("c", "scored", 0.5, 2),
        ("b", "scored", 0.5, 2),
    ]
    assert json.dumps(listed, allow_nan=False)
    assert "PRIVATE" not in json.dumps(listed)
    assert listed[2]["status"] in ("damaged", "scored")
    assert (listed[2]["score"] is None) == (listed[2]["status"] == "damaged") == bool(listed[2]["reason"])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE discrepancies SET severity = 'insignificant' WHERE result_id = 1",
        "UPDATE discrepancies SET probability = 0.5 WHERE result_id = 1",
        "UPDATE discrepancies SET digest = '' WHERE result_id = 1",
        "UPDATE discrepancies SET finding = x'ff' WHERE result_id = 1",
        "UPDATE discrepancies SET result_id = 2 WHERE result_id = 1",
        "DELETE FROM discrepancies WHERE id = 1",
    ],
)
def test_damaged_discrepancies_are_named(filled: Path, statement: str) -> None:
    """Their table is for counting: the result is read from its record, which holds."""
    change(filled, statement)
    with open_store(filled) as store:
        [listed] = [row for row in store.results() if row["pair_id"] == "a"]
        assert listed["status"] == "damaged"
        assert listed["reason"] == "the rows of its discrepancies are not those of its record"
        assert store.find([pair("a", "a")], "radot", str(SIGNATURE)) == [
            result(pair("a", "a"), Scored(score=0.5, discrepancies=FOUND))
        ]


def test_a_result_that_lies_under_another_pair_is_none(filled: Path) -> None:
    """A result holds the key that it is stored under."""
    change(filled, "DELETE FROM results WHERE pair_name = 'b'")
    [[b]] = [rows(filled, "SELECT digest FROM pairs WHERE name = 'b'")]
    change(filled, "UPDATE results SET pair_digest = ? WHERE pair_name = 'a'", b[0])
    with open_store(filled) as store:
        assert store.find([pair("b", "b")], "radot", str(SIGNATURE)) == [None]


def test_a_service_scores_damaged_rows_anew(path: Path) -> None:
    """The score that comes out is that of the pair, not that of the file."""
    service = overread.open_service(Settings(store=path), metrics=["rouge"])
    known = pair("a", "No pneumothorax.", "No effusion.")
    [first] = service.evaluate([known])
    change(path, "UPDATE results SET score = 42.0, record = replace(record, '0.', '42.')")
    assert service.evaluate([known]) == [first]
    assert overread.open_store(path).damaged() == []


def test_any_result_comes_back_from_its_row(path: Path) -> None:
    """SQLite keeps neither the sign of a zero nor a number's own type; the record does."""
    known = pairs(4)
    kept = [
        result(known[0], Scored(score=-0.0, subscores={"x": -0.0})),
        result(known[1], Scored(score=3)),
        result(known[2], Scored(score=1e308, discrepancies=(evolve(FOUND[0], extent=0.0, probability=0.0),))),
        result(known[3], Unscored("too long", "é")),
    ]
    with open_store(path) as store:
        store.add("run", known, kept)
        found = store.find(known, "radot", str(SIGNATURE))
        assert found == kept
        assert [result_record(each) for each in found if each] == [result_record(each) for each in kept]
        assert {row["status"] for row in store.results()} == {"scored", "unscored"}


def test_no_damage_is_taken_for_a_result(path: Path) -> None:
    """Bytes of the file changed at random: a result is as it was, is not there, or there is a `StoreError`."""
    known = pairs(40)
    kept: list[EvaluationResult | None] = [result(one, Scored(score=float(n))) for n, one in enumerate(known)]
    with open_store(path) as store:
        store.add("run", known, [each for each in kept if each])
    change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    sound, draw = path.read_bytes(), random.Random(5)  # noqa: S311 - it draws places in a file
    told = 0
    for number in range(60):
        damaged = bytearray(sound)
        for _ in range(draw.choice([1, 3, 20])):
            damaged[draw.randrange(len(sound))] = draw.randrange(256)
        other = path.with_name(f"{number}.db")
        other.write_bytes(bytes(damaged))
        try:
            with open_store(other) as store:
                found = store.find(known, "radot", str(SIGNATURE))
                listed = store.results()
        except StoreError as error:
            told += 1
            assert str(other) in str(error)  # noqa: PT017 - either is right
            assert "(" in str(error)  # noqa: PT017 - the remedy
        else:
            assert all(now in (None, before) for now, before in zip(found, kept, strict=True))
            assert json.dumps(listed, allow_nan=False)
    assert 5 < told < 60


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("linked", [False, True])
def test_a_new_store_is_its_owners_alone(tmp_path: Path, umask: int, *, linked: bool) -> None:
    """With the files that stand beside it as it is written, also where a link leads to a file that is not there yet."""
    place = tmp_path / "results.db"
    if linked:
        place.symlink_to(tmp_path / "elsewhere.db")
    before = os.umask(umask)
    try:
        with open_store(place, store_text=True) as store:
            store.add("run", [pair("a")], [result(pair("a"))])
            modes = {stat.S_IMODE(file.stat().st_mode) for file in tmp_path.iterdir()}
            assert len(list(tmp_path.iterdir())) >= 3
    finally:
        os.umask(before)
    assert modes == {0o600}


def test_a_store_that_is_there_keeps_its_rights(path: Path) -> None:
    """A group that shares one goes on sharing it."""
    open_store(path).close()
    path.chmod(0o660)
    open_store(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_a_store_of_the_version_before_is_brought_up_to_date(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """One that it wrote: its results are found as they stood, which is said, and get digests and probabilities."""
    path = tmp_path / "old.db"
    shutil.copy(OLD / "results-schema-2.db", path)
    with open_store(path) as store:
        assert [(row["pair_id"], row["metric"], row["status"]) for row in store.results()] == [
            ("a3", "rouge", "unscored"),
            ("a2", "rouge", "scored"),
            ("a1", "rouge", "scored"),
            ("a3", "notation", "unscored"),
            ("a2", "notation", "scored"),
            ("a1", "notation", "scored"),
        ]
        assert store.damaged() == []
    [told] = [record.getMessage() for record in caplog.records]
    assert f"from_schema=2 to_schema={SCHEMA_VERSION}" in told
    assert "taken as they are" in told
    assert rows(path, "SELECT probability, length(digest) FROM discrepancies") == [(1.0, 64)] * 2
    caplog.clear()
    open_store(path).close()
    assert not caplog.records


def test_a_changed_row_of_an_older_store_is_not_taken_over(tmp_path: Path) -> None:
    """As far as one can tell without a digest: a score beyond its scale, a record that is none, columns at odds."""
    path = tmp_path / "old.db"
    shutil.copy(OLD / "results-schema-2.db", path)
    change(path, "UPDATE results SET score = 42.0 WHERE id = 1")
    change(path, "UPDATE results SET record = '{}' WHERE id = 2")
    change(
        path,
        "UPDATE results SET record = replace(record, '\"score\": 0.', '\"score\": 42.'), score = 42.5 WHERE id = 4",
    )
    with open_store(path) as store:
        assert [(each["pair_id"], each["metric"]) for each in store.damaged()] == [
            ("a1", "notation"),
            ("a2", "notation"),
            ("a1", "rouge"),
        ]


def test_answers_of_the_version_before_are_read(tmp_path: Path) -> None:
    """Their digests were there before."""
    path = tmp_path / "old.sqlite"
    shutil.copy(OLD / "answers-schema-1.sqlite", path)
    with open_answers(path) as store:
        assert store.find(["k1"])["k1"].text == "yes"


OPENED = pytest.mark.parametrize("opened", [open_store, open_answers])


@OPENED
@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"id,reference,candidate\n" * 100, "is not a SQLite file"),
        (random.Random(1).randbytes(9000), "is not a SQLite file"),  # noqa: S311 - it draws bytes
        (b"SQLite format 3\0" + b"\0" * 200, "is not a SQLite file|is damaged"),
    ],
)
def test_a_file_of_something_else_is_named(
    path: Path, opened: Callable[[Path], Any], content: bytes, words: str
) -> None:
    """With what to do, and left as it is."""
    path.write_bytes(content)
    with pytest.raises(StoreError, match=words) as caught, opened(path) as store:
        store.find([])
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith(")")
    assert path.read_bytes() == content


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95])
def test_a_store_that_was_cut_is_named(filled: Path, share: float) -> None:
    """Wherever it was cut; a page that is not asked for may be missing, and then what is found is right."""
    change(filled, "PRAGMA wal_checkpoint(TRUNCATE)")
    whole, known = filled.read_bytes(), [pair(name, name) for name in "abc"]
    filled.write_bytes(whole[: int(len(whole) * share)])
    try:
        with open_store(filled) as store:
            found = store.find(known, "radot", str(SIGNATURE))
    except StoreError as error:
        assert str(filled) in str(error)  # noqa: PT017 - either is right
        assert str(error).endswith(")")  # noqa: PT017
    else:
        assert found == [result(one, Scored(score=0.5, discrepancies=FOUND)) for one in known]
        assert share > 0.9


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.95])
def test_answers_that_were_cut_are_named(path: Path, share: float) -> None:
    """As are results."""
    with open_answers(path) as store:
        for n in range(50):
            store.add(str(n), overread_completion(n), prompt="p", model="m")
    change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(StoreError) as caught:
        open_answers(path).find([str(n) for n in range(50)])
    assert str(path) in str(caught.value)
    assert str(caught.value).endswith(")")


def overread_completion(number: int) -> Any:
    from overread.domain.results.answer import Completion  # noqa: PLC0415 - for this alone

    return Completion(f"{number} {PHRASE} " * 40)


@OPENED
def test_a_pipe_is_no_store(tmp_path: Path, opened: Callable[[Path], Any]) -> None:
    """Nothing waits for somebody to write into it."""
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", Path(os.devnull)):
        with pytest.raises(StoreError, match=r"is a pipe or a device, not a file \(name another"):
            opened(place)


@OPENED
def test_a_store_in_use_is_named(path: Path, opened: Callable[[Path], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """After a wait, which is short here."""
    monkeypatch.setattr(files, "_WAIT_S", 0.05)
    with opened(path) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"is in use by another process \(wait until") as caught:
            _write(store)
    assert str(path) in str(caught.value)


@OPENED
@pytest.mark.parametrize(
    ("pragma", "words"),
    [
        ("query_only = ON", r"cannot be written \(see that you may write"),
        ("max_page_count = 1", r"cannot be written: the disk is full \(make room"),
    ],
)
def test_a_store_that_takes_nothing_is_named(
    path: Path, opened: Callable[[Path], Any], pragma: str, words: str
) -> None:
    """As on a disk that may not be written to, or is full; nothing is stored in part."""
    from sqlalchemy import event  # noqa: PLC0415 - for this alone

    with opened(path) as store:
        store.close()
        event.listen(store._database.engine, "connect", lambda connection, _: connection.execute(f"PRAGMA {pragma}"))
        with pytest.raises(StoreError, match=words) as caught:
            _write(store)
    assert str(path) in str(caught.value)
    assert PHRASE not in str(caught.value)


def _write(store: Any) -> None:
    if hasattr(store, "results"):
        many = pairs(300)
        store.add("run", many, [result(one) for one in many])
    else:
        store.add("k", evolve(overread_completion(1), text=PHRASE * 10_000), prompt="p", model="m")
