"""Kept answers on real SQLite files."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from time import sleep
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.application.ports import Message, Request
from overread.domain.results.answer import Completion, Finish
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError, StoreError
from overread.infrastructure.store import open_store
from overread.infrastructure.store._answers import SqliteAnswerStore
from overread.infrastructure.store.answers import KeptModel, kept_model, open_answers

PHRASE = "Cavitating lesion of Mr Sample"
WHOLE: Final = Completion(PHRASE, Finish.LENGTH, "served@1", 120, 34)

ADD: Final = """
import sys
from overread.domain.results.answer import Completion
from overread.infrastructure.store.answers import open_answers
store = open_answers(sys.argv[1])
print("ready", flush=True)
for n in range(int(sys.argv[3])):
    key = f"{sys.argv[2]}{n}"
    store.add(key, Completion(f"answer {key} " * 200), prompt="p", model="m")
    print(key, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


@pytest.fixture
def store(path: Path) -> Iterator[SqliteAnswerStore]:
    with open_answers(path) as opened:
        yield opened


def add(store: SqliteAnswerStore, key: str, completion: Completion = WHOLE, model: str = "m") -> None:
    store.add(key, completion, prompt="green@1:0", model=model)


def test_an_answer_comes_back_as_it_was(store: SqliteAnswerStore, path: Path) -> None:
    """Also to another who opens the file; keys that are not kept are not in the answer."""
    plain = Completion("")
    add(store, "a")
    add(store, "b", plain)
    with open_answers(path) as again:
        assert again.find(["b", "x", "a", "a"]) == {"a": WHOLE, "b": plain}
        assert again.find([]) == {}


@given(st.text(st.characters(), max_size=50), st.sampled_from(Finish), st.none() | st.integers(0, 10**6))
def test_any_text_comes_back(
    tmp_path_factory: pytest.TempPathFactory, text: str, finish: Finish, tokens: int | None
) -> None:
    """Half characters and NULs too: an answer that is read again must be read alike."""
    completion = Completion(text, finish, "m", tokens, tokens)
    with open_answers(tmp_path_factory.getbasetemp() / "any.sqlite") as store:
        key = f"{text!a}{finish}{tokens}"
        add(store, key, completion)
        assert store.find([key]) == {key: completion}


def test_a_key_that_is_kept_stays_as_it_is(store: SqliteAnswerStore) -> None:
    """The first answer to a question stays, so that a score found again is the same score."""
    add(store, "a")
    add(store, "a", Completion("another"))
    assert store.find(["a"]) == {"a": WHOLE}


def test_more_keys_than_one_query_holds(store: SqliteAnswerStore) -> None:
    """SQLite limits the variables of a query; keys beyond that limit are found too."""
    for n in range(20):
        add(store, str(n * 100))
    assert set(store.find([str(n) for n in range(2000)])) == {str(n * 100) for n in range(20)}


def test_a_large_answer_is_kept(store: SqliteAnswerStore) -> None:
    """Ten million characters come back whole."""
    large = Completion("x" * 10_000_000)
    add(store, "a", large)
    assert store.find(["a"]) == {"a": large}


def test_models_come_by_how_much_they_answered(store: SqliteAnswerStore) -> None:
    """The model that answered most comes first, whatever its name."""
    assert store.models() == []
    for key, model in (("a", "rare"), ("b", "common"), ("c", "common")):
        add(store, key, model=model)
    assert store.models() == ["common", "rare"]


def test_only_kept_is_told_and_needs_a_file(path: Path) -> None:
    """A file that is not there would silently have no answers."""
    with pytest.raises(StoreError, match="no such file"):
        open_answers(path, only_kept=True)
    assert not path.exists()
    with open_answers(path) as first:
        assert not first.only_kept
    with open_answers(path, only_kept=True) as second:
        assert second.only_kept


def test_threads_share_a_store(store: SqliteAnswerStore) -> None:
    """Answers written by several threads at once all come back under their own keys."""
    keys = [str(n % 40) for n in range(120)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: add(store, key, Completion(key)), keys))
        found = list(pool.map(lambda key: store.find([key])[key].text, keys))
    assert found == keys


def adding(path: Path, prefix: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", ADD, str(path), prefix, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_processes_make_and_fill_one_file_together(path: Path) -> None:
    """All of them open it at once while it is not there, and add the same keys and others."""
    processes = [adding(path, prefix, 20) for prefix in ("a", "b", "a")]
    assert [process.communicate(timeout=300) and process.returncode for process in processes] == [0, 0, 0]
    with open_answers(path) as store:
        keys = [f"{prefix}{n}" for prefix in "ab" for n in range(20)]
        assert [store.find([key])[key].text for key in keys] == [f"answer {key} " * 200 for key in keys]


@pytest.mark.parametrize("seed", range(3))
def test_a_killed_process_loses_nothing_that_was_added(path: Path, seed: int) -> None:
    """Whatever it was doing when it was killed, and the file is in order."""
    process = adding(path, "k", 100_000)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    sleep(random.Random(seed).uniform(0.05, 0.4))  # noqa: S311 - it draws a moment
    os.kill(process.pid, signal.SIGKILL)
    keys = process.stdout.read().splitlines()
    process.wait()
    process.stdout.close()
    with open_answers(path) as store:
        assert set(store.find(keys)) == set(keys)
        add(store, "after")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_folder_and_a_missing_folder_are_refused(tmp_path: Path) -> None:
    """A place where no file can be is told in words and not as an error of SQLite."""
    for place, words in ((tmp_path, "is a folder"), (tmp_path / "none" / "a.sqlite", "does not exist")):
        with pytest.raises(StoreError, match=words):
            open_answers(place)


def test_another_file_is_not_taken_for_answers(path: Path, tmp_path: Path) -> None:
    """Nor is a result store, and neither is touched."""
    path.write_text("id,reference,candidate\n" * 100, encoding="utf-8")
    with pytest.raises(StoreError, match="is not a SQLite file"):
        open_answers(path)
    results = tmp_path / "results.db"
    open_store(results).close()
    with pytest.raises(StoreError, match="not a file of kept answers"):
        open_answers(results)
    open_answers(tmp_path / "own.sqlite").close()
    with pytest.raises(StoreError, match="not a store of overread"):
        open_store(tmp_path / "own.sqlite")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE schema_version SET version = 99", "was written by a newer overread"),
        ("DELETE FROM schema_version", "its schema version cannot be read"),
    ],
)
def test_another_version_is_told(store: SqliteAnswerStore, path: Path, statement: str, words: str) -> None:
    """A file of another schema is not guessed at."""
    store.close()
    change(path, statement)
    with pytest.raises(StoreError, match=words):
        open_answers(path)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE answers SET finish = 'odd'",
        "UPDATE answers SET finish = 'stop'",
        "UPDATE answers SET text = x'ff'",
        "UPDATE answers SET text = x'31'",
        "UPDATE answers SET text = 'Cavitating'",
        "UPDATE answers SET text = 5",
        "UPDATE answers SET model = x'00ff'",
        "UPDATE answers SET model = CAST(x'ff' AS TEXT)",
        "UPDATE answers SET prompt = 'other'",
        "UPDATE answers SET asked_of = 'other'",
        "UPDATE answers SET prompt_tokens = 'abc'",
        "UPDATE answers SET prompt_tokens = 1.5",
        "UPDATE answers SET prompt_tokens = -5",
        "UPDATE answers SET completion_tokens = NULL",
        "UPDATE answers SET digest = ''",
        "UPDATE answers SET digest = x'00'",
    ],
)
def test_a_damaged_answer_is_as_good_as_none(
    store: SqliteAnswerStore, path: Path, statement: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever has changed in it, and though it could still be read: it is told of once, and the next one replaces it.

    Not a word of it is in what is told.
    """
    add(store, "a")
    add(store, "b")
    change(path, f"{statement} WHERE key = 'a'")
    assert store.find(["a", "b"]) == {"b": WHOLE}
    assert store.find(["a"]) == {}
    [told] = [record.getMessage() for record in caplog.records]
    assert "damaged_answers_asked_anew" in told
    assert "count=1 first='a'" in told
    assert "Cavitating" not in told
    assert store.models() == ["m"]
    add(store, "a", Completion("again"))
    assert store.find(["a", "b"]) == {"a": Completion("again"), "b": WHOLE}


def test_an_answer_that_lies_under_another_key_is_damaged(store: SqliteAnswerStore, path: Path) -> None:
    """An answer holds its own key, so that a changed file cannot answer another question."""
    add(store, "a")
    change(path, "UPDATE answers SET key = 'b'")
    assert store.find(["b"]) == {}


def test_where_nothing_may_be_asked_a_damaged_answer_is_left_out(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """And told of as such."""
    with open_answers(path) as store:
        add(store, "a")
    change(path, "UPDATE answers SET text = x'31'")
    with open_answers(path, only_kept=True) as store:
        assert store.find(["a"]) == {}
    assert "damaged_answers_left_out" in caplog.text


def test_a_date_that_is_none_spoils_no_answer(store: SqliteAnswerStore, path: Path) -> None:
    """When an answer was kept is not part of it."""
    add(store, "a")
    change(path, "UPDATE answers SET created = 'zzz'")
    assert store.find(["a"]) == {"a": WHOLE}


@pytest.mark.parametrize("odd", ["x'00ff'", "5", "'other'", "CAST(x'ff' AS TEXT)"])
def test_a_damaged_name_of_a_model_does_not_count(store: SqliteAnswerStore, path: Path, odd: str) -> None:
    """Bytes where a name should be, or another name, are not taken for another model."""
    add(store, "a")
    add(store, "b")
    change(path, f"UPDATE answers SET asked_of = {odd} WHERE key = 'a'")  # noqa: S608 - ours
    assert store.models() == ["m"]


def test_no_damage_is_taken_for_an_answer(store: SqliteAnswerStore, path: Path) -> None:
    """Bytes of the file changed at random: an answer is as it was, is not there, or there is a `StoreError`."""
    whole = {str(n): Completion(f"{n} {PHRASE} " * 20, Finish.STOP, "served@1", n, n) for n in range(40)}
    for key, completion in whole.items():
        add(store, key, completion)
    store.close()
    change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    sound, draw = path.read_bytes(), random.Random(3)  # noqa: S311 - it draws places in a file
    told = 0
    for number in range(60):
        damaged = bytearray(sound)
        for _ in range(draw.choice([1, 3, 20])):
            damaged[draw.randrange(len(sound))] = draw.randrange(256)
        other = path.with_name(f"{number}.sqlite")
        other.write_bytes(bytes(damaged))
        try:
            with open_answers(other) as opened:
                found = opened.find(list(whole))
        except StoreError:
            told += 1
        else:
            assert found == {key: whole[key] for key in found}
            told += len(found) < len(whole)
    assert 10 < told < 60


def test_a_file_that_cannot_be_written_says_so_without_the_answer(store: SqliteAnswerStore, path: Path) -> None:
    """Neither the message nor its causes hold what was to be kept."""
    change(path, "DROP TABLE answers")
    with pytest.raises(StoreError, match="lacks a table") as caught:
        add(store, "a")
    assert PHRASE not in f"{caught.value!r} {caught.value.__cause__!r} {caught.value.__suppress_context__}"
    assert caught.value.__suppress_context__


def change(path: Path, statement: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()


def test_the_model_of_kept_answers_answers_nothing() -> None:
    """It lends its identity, so that keys and signatures are those of the model that was asked."""
    model, request = KeptModel("openai:m"), Request((Message("user", "one two"),))
    assert list(model.complete([request, request])) == [
        (n, Unscored("not asked", "only kept answers are read")) for n in (0, 1)
    ]
    assert (model.identity, model.note, model.count_tokens(request)) == ("openai:m", "", 2)


def test_answers_of_one_model_name_it(path: Path) -> None:
    """Kept answers name their model themselves, unless there are several to choose from."""
    assert kept_model(path, ["m"]) == KeptModel("m")
    with pytest.raises(StoreError, match="keeps no answers"):
        kept_model(path, [])
    with pytest.raises(ConfigurationError, match=r"several models; choose one with `model=\.\.\.`: m; n"):
        kept_model(path, ["m", "n"])
