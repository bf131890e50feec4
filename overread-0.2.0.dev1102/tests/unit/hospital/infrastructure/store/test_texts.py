"""Where report text stands, and that it stands nowhere once it is not to."""

from __future__ import annotations

import os
import pickle
import sqlite3
import stat
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event

from overread.domain.reports.report import ClinicalContext
from overread.exceptions import ConfigurationError, StoreError
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Review, Verdict, VerdictKind
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.infrastructure.store._hospital import SqlHospitalStore
from overread.hospital.infrastructure.store._seals import Seals
from overread.hospital.infrastructure.store._texts import reseal_some
from overread.hospital.infrastructure.store.keys import ENVIRONMENT, TextKeys, add_key, make_key_file, read_keys
from overread.infrastructure.store.layout import DURABLE
from overread.infrastructure.store.opening import open_database

from .hospital_data import HOUR, NOW, examination, finish, report_pair, results, version

CANARY: Final = "canary-7f3a-of-a-report"
PATIENT: Final = "MRN-0815-4711"


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """A key file, in a folder of its own."""
    folder = tmp_path / "keys"
    folder.mkdir()
    make_key_file(folder / "texts")
    return folder / "texts"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the store is, alone."""
    folder = tmp_path / "store"
    folder.mkdir()
    return folder


class Clock:
    """The time, as a test sets it."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def opened(folder: Path, texts: str, keys: Path, clock: Clock | None = None) -> SqlHospitalStore:
    """A store whose time a test sets."""
    seals = Seals(read_keys(keys), seals=texts != "plain")
    hold = timedelta(days=30) if texts == "none" else None
    return SqlHospitalStore(open_database(folder / "hospital.db", DURABLE), seals, hold=hold, now=clock or Clock())


def fill(store: SqlHospitalStore, *, score: bool = True) -> int:
    """A preliminary and a final report, their pair, a review and a given pair, with a canary in each text."""
    about = examination(patient=PATIENT, context=ClinicalContext(indication=f"{CANARY} indication"))
    with store.transaction() as unit:
        sides = [
            unit.versions.add(version(status=status, text=f"{CANARY} {status}", examinations=(about,)), NOW).number
            for status in (ReportStatus.PRELIMINARY, ReportStatus.FINAL)
        ]
        pair = VersionPair(kind=PairKind.PRELIMINARY_FINAL, candidate=(sides[0],), reference=(sides[1],))
        number, _ = unit.pairs.add(pair, report_pair("p", f"{CANARY} final", f"{CANARY} preliminary"), made=NOW)
        [given_pair] = unit.pairs.add_given([report_pair("g", CANARY)], owner="o", batch=None, made=NOW)
        unit.jobs.add([number, given_pair])
    if score:
        with store.transaction() as unit:
            finish(unit, number, results("p"))
            finish(unit, given_pair, results("g"))
        verdict = Verdict(discrepancy=None, kind=VerdictKind.AMEND, reason=f"{CANARY} reason")
        review = Review(reviewer="r", made=NOW, signature="s", verdicts=(verdict,), comment=f"{CANARY} comment")
        with store.transaction() as unit:
            unit.reviews.add(number, review)
    return number


def found(folder: Path, text: str = CANARY) -> set[str]:
    """Files in which a text stands."""
    return {file.name for file in folder.iterdir() if text.encode() in file.read_bytes()}


def test_sealed_texts_stand_nowhere_in_the_files_and_are_read_as_they_were(folder: Path, keys: Path) -> None:
    """While the store is in use and after; nor does the patient's identifier."""
    with opened(folder, "sealed", keys) as store:
        number = fill(store)
        assert len(list(folder.iterdir())) == 3
        assert (found(folder), found(folder, PATIENT)) == (set(), set())
        with store.reading() as unit:
            [kept] = unit.pairs.get([number])
            [[review]] = unit.reviews.of([number])
            [first, _] = unit.versions.get([1, 2])
    assert kept.report_pair == report_pair("p", f"{CANARY} final", f"{CANARY} preliminary")
    assert (review.comment, review.verdicts[0].reason) == (f"{CANARY} comment", f"{CANARY} reason")
    assert first.version.examinations[0].context.indication == f"{CANARY} indication"
    assert (found(folder), found(folder, PATIENT)) == (set(), set())


def test_plain_texts_do_not_outlive_their_erasure(folder: Path, keys: Path) -> None:
    """No byte of them is left, in the file or beside it, though it was in use all the time."""
    with opened(folder, "plain", keys) as store:
        fill(store)
        assert found(folder)
        assert found(folder, PATIENT) == set()
        with store.transaction() as unit:
            unit.erase_patient(None, PATIENT)
            unit.erase_before(NOW + HOUR)
        assert found(folder) == set()


def test_forgotten_texts_leave_no_byte(folder: Path, keys: Path) -> None:
    """Those of pairs, of reviews and of indications as well."""
    with opened(folder, "plain", keys) as store:
        fill(store)
        with store.transaction() as unit:
            assert unit.versions.forget_texts(NOW + HOUR) == 2
            assert unit.pairs.forget_texts(NOW + HOUR) == 1
        assert found(folder) == set()


def test_what_a_reader_keeps_is_erased_when_they_have_gone(folder: Path, keys: Path) -> None:
    """A reader sees their moment to its end; the next that writes leaves nothing of it."""
    with opened(folder, "plain", keys) as store:
        fill(store)
        with store.reading() as unit:
            unit.versions.get([1])
            with store.transaction() as writing:
                writing.erase_before(NOW + HOUR)
            assert CANARY in unit.versions.get([1])[0].version.text.text
        with store.transaction():
            pass
        assert found(folder) == set()


def test_a_fault_in_cleaning_is_no_fault_of_what_was_kept(
    folder: Path, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever erased is not told that nothing was; the next that writes leaves nothing of it."""
    with opened(folder, "plain", keys) as store:
        fill(store)
        with monkeypatch.context() as while_full:
            while_full.setattr(store._database, "erase_for_good", _disk_is_full)
            with store.transaction() as unit:
                unit.erase_before(NOW + HOUR)
        assert found(folder)
        with store.transaction():
            pass
        assert found(folder) == set()


def _disk_is_full() -> bool:
    raise StoreError("cannot be written: the disk is full")


def test_texts_that_are_not_kept_are_gone_when_scored(folder: Path, keys: Path) -> None:
    """But for the newest signed one, which may be corrected; while held, all are sealed. Words of reviews never are."""
    clock = Clock()
    with opened(folder, "none", keys, clock) as store:
        number = fill(store, score=False)
        with store.reading() as unit:
            assert unit.pairs.get([number])[0].report_pair is not None
        assert found(folder) == set()
    clock.now += HOUR
    with opened(folder, "none", keys, clock) as store:
        with store.transaction() as unit:
            finish(unit, number, results("p"))
            unit.reviews.add(number, Review(reviewer="r", made=NOW, signature="s", comment=CANARY))
        with store.reading() as unit:
            assert unit.pairs.get([number])[0].report_pair is None
            assert [kept.has_text for kept in unit.versions.get([1, 2])] == [False, True]
            assert [review.comment for review in unit.reviews.of([number])[0]] == [""]
            assert unit.pairs.rows([number], ["radot|version:1", "notation|version:1"])[0].risk == 0.5
        clock.now += timedelta(days=30)
        with store.transaction():
            pass
        with store.reading() as unit:
            assert [kept.has_text for kept in unit.versions.get([1, 2])] == [False, False]
        assert found(folder) == set()
    with closing(sqlite3.connect(folder / "hospital.db")) as connection:
        owners = [owner for (owner,) in connection.execute("SELECT owner FROM texts ORDER BY owner")]
    assert owners == ["pair", "store"]  # the given pair has not been scored


def test_a_look_for_texts_held_too_long_passes_over_those_that_are_gone(folder: Path, keys: Path) -> None:
    """It asks the store no more than one that never held any: versions without a text grow in number for years."""
    asked: list[list[str]] = []
    for many in (0, 600):
        (place := folder / str(many)).mkdir()
        clock = Clock()
        with opened(place, "none", keys, clock) as store:
            with store.transaction() as unit:
                for number in range(many):
                    unit.versions.add(version(f"A{number}"), NOW)
            clock.now += timedelta(days=31)
            with store.transaction():
                pass
            with store.reading() as unit:
                assert not any(kept.has_text for kept in unit.versions.get(range(1, many + 1)))
            clock.now += HOUR
            event.listen(store._database.engine, "before_cursor_execute", lambda *given: asked[-1].append(given[2]))
            asked.append([])
            with store.transaction():
                pass
    assert asked[0] == asked[1]
    assert any("DELETE FROM texts" in statement for statement in asked[0])


def test_a_correction_is_compared_though_texts_are_not_kept(folder: Path, keys: Path) -> None:
    """It finds the final's text; the final's is gone once that pair is scored, and the correction's stays."""
    with opened(folder, "none", keys) as store:
        fill(store)
        with store.transaction() as unit:
            kept = unit.versions.add(version(status=ReportStatus.CORRECTED, text="c"), NOW)
            assert unit.versions.get([2])[0].has_text
            pair = VersionPair(kind=PairKind.FINAL_CORRECTED, candidate=(2,), reference=(kept.number,))
            number, _ = unit.pairs.add(pair, report_pair("q"), made=NOW)
            unit.jobs.add([number])
        with store.transaction() as unit:
            finish(unit, number, results("q"))
        with store.reading() as unit:
            assert [each.has_text for each in unit.versions.get([1, 2, 3])] == [False, False, True]


_MOVED: Final = """
    UPDATE texts SET body = (SELECT body FROM texts WHERE owner = 'version' AND number = 2)
    WHERE owner = 'version' AND number = 1
"""


@pytest.mark.parametrize(
    "change",
    [
        _MOVED,
        "UPDATE texts SET body = zeroblob(40) WHERE owner = 'version' AND number = 1",
        "UPDATE texts SET body = x'00' WHERE owner = 'version' AND number = 1",
        "UPDATE texts SET key = 'other' WHERE owner = 'version' AND number = 1",
    ],
)
def test_a_sealed_text_that_was_changed_or_moved_does_not_open(folder: Path, keys: Path, change: str) -> None:
    """It is bound to its row; the message names the key and quotes nothing."""
    with opened(folder, "sealed", keys) as store:
        fill(store)
    with closing(sqlite3.connect(folder / "hospital.db")) as connection:
        connection.execute(change)
        connection.commit()
    with opened(folder, "sealed", keys) as store, store.reading() as unit, pytest.raises(StoreError, match="key"):
        unit.versions.get([1])


def test_a_rotation_that_was_broken_off_goes_on(folder: Path, keys: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was sealed anew stays so, and all is read in between."""
    with opened(folder, "sealed", keys) as store:
        fill(store)
    add_key(keys)
    monkeypatch.setattr("overread.hospital.infrastructure.store._hospital._RESEALED", 2)
    with opened(folder, "sealed", keys) as store:
        with store.transaction() as unit:
            assert reseal_some(unit.texts.connection, unit.texts.seals, 2) == 2
        with store.reading() as unit:
            assert [kept.has_text for kept in unit.versions.get([1, 2])] == [True, True]
        assert store.rotate() == 5
        assert store.rotate() == 0


def test_a_store_of_other_keys_is_not_opened(folder: Path, keys: Path, tmp_path: Path) -> None:
    """Rather than be filled with texts and digests that fit no others."""
    opened(folder, "sealed", keys).close()
    other = tmp_path / "other"
    make_key_file(other)
    with pytest.raises(StoreError, match="key"):
        opened(folder, "sealed", other)


def test_no_key_no_sealed_store(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is said before a file is made; a key of the environment does."""
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    with pytest.raises(ConfigurationError, match=ENVIRONMENT):
        open_hospital_store(folder / "hospital.db")
    assert list(folder.iterdir()) == []
    monkeypatch.setenv(ENVIRONMENT, "k1:" + "A" * 43 + "=")
    open_hospital_store(folder / "hospital.db").close()


def test_key_files_are_their_owners_alone(tmp_path: Path) -> None:
    """Made so, whatever the umask, and refused where others may read them; nothing is overwritten."""
    path = tmp_path / "keys"
    before = os.umask(0)
    try:
        first = make_key_file(path)
        second = add_key(path)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(read_keys(path).keys) == [first, second]
    assert read_keys(path).current == second
    with pytest.raises(ConfigurationError, match="cannot be made"):
        make_key_file(path)
    path.chmod(0o640)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        read_keys(path)


def test_credentials_of_systemd_may_show_a_mask_where_the_groups_rights_stand(tmp_path: Path) -> None:
    """0440 since systemd 254, in the folder that it names and in no other; more than that is refused there, too."""
    folder = tmp_path / "credentials"
    folder.mkdir()
    path = folder / "text-keys"
    name = make_key_file(path)
    environment = {"CREDENTIALS_DIRECTORY": str(folder)}
    path.chmod(0o440)
    assert list(read_keys(path, environment).keys) == [name]
    for elsewhere in ({}, {"CREDENTIALS_DIRECTORY": ""}, {"CREDENTIALS_DIRECTORY": str(tmp_path / "other")}):
        with pytest.raises(ConfigurationError, match="chmod 600"):
            read_keys(path, elsewhere)
    outside = tmp_path / "linked"
    (folder / "link").symlink_to(outside)
    make_key_file(outside)
    outside.chmod(0o440)
    with pytest.raises(ConfigurationError, match="chmod 600"):
        read_keys(folder / "link", environment)
    for mode in (0o460, 0o444):
        path.chmod(mode)
        with pytest.raises(ConfigurationError, match="chmod 600"):
            read_keys(path, environment)


@pytest.mark.parametrize("content", ["", "# none\n", "x", "k:short", "k:" + "A" * 43 + "=\nk:" + "B" * 43 + "=", "é:x"])
def test_a_key_file_without_keys_is_named(tmp_path: Path, content: str) -> None:
    """With what a key looks like, and without quoting it."""
    path = tmp_path / "keys"
    path.write_text(content, encoding="utf-8")
    path.chmod(0o600)
    with pytest.raises(ConfigurationError, match="ID:BASE64") as caught:
        read_keys(path)
    assert "AAAA" not in str(caught.value)


@given(st.binary(), st.text(), st.text())
def test_a_sealed_text_opens_in_its_place_alone(text: bytes, place: str, other: str) -> None:
    """As it was; under another key or at another place it does not."""
    seals = Seals(TextKeys({"a": b"1" * 32}), seals=True)
    sealed = seals.seal(text, place)
    assert seals.open(sealed, place) == text
    strangers: list[Any] = [Seals(TextKeys({"a": b"2" * 32}), seals=True), Seals(None, seals=False)]
    for seal in strangers:
        with pytest.raises(StoreError):
            seal.open(sealed, place)
    if other != place:
        with pytest.raises(StoreError):
            seals.open(sealed, other)


def test_keys_are_neither_shown_nor_sent(tmp_path: Path) -> None:
    """Not in a repr, and not to another process."""
    make_key_file(tmp_path / "keys")
    keys = read_keys(tmp_path / "keys")
    assert repr(keys) == "TextKeys()"
    with pytest.raises(TypeError):
        pickle.dumps(keys)
