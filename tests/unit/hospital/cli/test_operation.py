"""Looking after a hospital's store from the command line: a trail that holds, a restore that was drilled, new keys."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from overread.cli.app import app
from overread.exceptions import ConfigurationError, OverreadError, StoreError
from overread.hospital.application.access import AccessControl
from overread.hospital.application.requests import Search
from overread.hospital.application.service import HospitalService
from overread.hospital.bootstrap.services import open_store_of
from overread.hospital.domain.audit_trail import AuditEvent, Role
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.domain.review import Radpeer, Review, Verdict, VerdictKind
from overread.hospital.infrastructure.hospital_settings import hospital_configuration
from overread.hospital.infrastructure.store.keys import make_key_file, read_keys

from ..application.hospital import ADMIN, REVIEWER, SUBMITTER, pair, scorer, version
from ..infrastructure.http.quick import FakeHasher

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
PHRASE = "Small left apical pneumothorax."
OLD = Path(__file__).parents[3] / "data" / "stores" / "results-schema-2.db"


class Hospital:
    """A folder with settings, a key and a store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.place = folder / "hospital.db"
        self.keys = folder / "keys"
        self.settings = folder / "overread.toml"
        make_key_file(self.keys)
        self.settings.write_text(f'[hospital]\nstore = "{self.place}"\nkey_file = "{self.keys}"\n')

    def add(self, accession: str) -> int:
        with self.opened() as store, store.transaction() as unit:
            examination = Examination(site="north", accession=accession, patient="P1")
            version = ReportVersion(
                examinations=(examination,), status=ReportStatus.FINAL, text=PHRASE, source="hl7", message=accession
            )
            unit.trail.append(AuditEvent(number=0, at=NOW, actor="ris", action="ingest", subject="version"))
            return int(unit.versions.add(version, NOW).number)

    def service(self) -> HospitalService:
        configuration = hospital_configuration({"store": str(self.place), "key_file": str(self.keys)})
        return HospitalService(open_store_of(configuration), scorer(), configuration)

    def pairs(self, number: int) -> None:
        """So many examinations with two versions each, scored."""
        with self.service() as service:
            versions = [
                version(status, text, accession=f"A{each}", message=f"{each}-{status}")
                for each in range(number)
                for status, text in ((ReportStatus.PRELIMINARY, "clear"), (ReportStatus.FINAL, PHRASE))
            ]
            service.ingest(versions, by=SUBMITTER)
            service.work(worker="w1")

    def review(self, pair: int, radpeer: Radpeer | None) -> None:
        """Say something of a pair."""
        with self.service() as service:
            signature = next(str(each.signature) for each in service.scorer.metrics if each.name == "notation")
            verdict = Verdict(discrepancy=0, kind=VerdictKind.DISAGREE, reason=PHRASE)
            service.review(pair, by=REVIEWER, signature=signature, verdicts=[verdict], radpeer=radpeer, comment="seen")

    def text(self, number: int) -> str:
        with self.opened() as store, store.reading() as unit:
            [kept] = unit.versions.get([number])
            return str(kept.version.text.text)

    def sealed_secret(self) -> tuple[str, bytes]:
        """The store's own secret as the newest key seals it."""
        with self.opened() as store:
            sealed = store._seals.seal(store._secret, "store:1")
            return sealed.key, sealed.body

    def actions(self) -> list[str]:
        with self.opened() as store, store.reading() as unit:
            return [event.action for event in unit.trail.events()]

    def opened(self) -> Any:
        return closing(open_store_of(hospital_configuration({"store": str(self.place), "key_file": self.keys})))

    def run(self, *arguments: object) -> Result:
        return CliRunner().invoke(app, [*map(str, arguments), "--config", str(self.settings)])


@pytest.fixture
def hospital(tmp_path: Path) -> Iterator[Hospital]:
    yield Hospital(tmp_path)  # noqa: PT022 - a name to type by


@pytest.fixture
def reviewed(hospital: Hospital) -> Hospital:
    """With two pairs, of which the first was reviewed twice."""
    hospital.pairs(2)
    hospital.review(1, Radpeer.EXPECTED_SIGNIFICANT)
    hospital.review(1, None)
    return hospital


def _done(result: Result, status: int = 0) -> str:
    assert result.exit_code == status, result.output
    return result.output


def test_a_trail_that_holds(hospital: Hospital) -> None:
    """Its events are counted; in JSON with the newest digest, which is what is to be kept elsewhere."""
    hospital.add("A1")
    hospital.add("A2")
    assert "all 2 events hold" in _done(hospital.run("audit", "verify"))
    told = json.loads(_done(hospital.run("audit", "verify", "-f", "json")))
    assert (told["holds"], told["events"], told["broken"], len(told["newest"])) == (True, 2, None, 64)


def test_a_changed_event_is_named(hospital: Hospital) -> None:
    """Whoever gets past the store's own refusal to change events is found out, with status 1."""
    for accession in ("A1", "A2", "A3"):
        hospital.add(accession)
    with closing(sqlite3.connect(hospital.place)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE audit_events SET actor = 'nobody' WHERE number = 2")
    output = _done(hospital.run("audit", "verify"), status=1)
    assert "event 2 does not hold: its digest does not match" in output
    assert "the 1 before it do" in output


REVIEWED = "all 2 reviews match them"
FORGED = (
    "INSERT INTO reviews SELECT 3, pair, reviewer, made, signature, verdicts, radpeer, proposed, "
    "stage, no_discrepancy, assignment FROM reviews WHERE id = 1"
)


def test_reviews_are_held_against_the_events_that_tell_of_them(reviewed: Hospital) -> None:
    """Without the keys of the words that they hold; what is erased with its patient is not missed."""
    reviewed.settings.write_text(f'[hospital]\nstore = "{reviewed.place}"\n')
    assert REVIEWED in _done(reviewed.run("audit", "verify"))
    told = json.loads(_done(reviewed.run("audit", "verify", "-f", "json")))
    assert (told["holds"], told["reviews"], told["problem"]) == (True, 2, "")
    with reviewed.service() as service:
        service.erase_patient("P1", by=ADMIN)
    assert "all 0 reviews match them" in _done(reviewed.run("audit", "verify"))


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE reviews SET radpeer = '1' WHERE id = 1", "review 1 of pair 1 differs from event 2"),
        ("UPDATE reviews SET reviewer = 'dr.who'", "review 1 of pair 1 differs from event 2"),
        ("UPDATE reviews SET signature = 'other' WHERE id = 2", "review 2 of pair 1 differs from event 3"),
        (
            "UPDATE reviews SET verdicts = replace(verdicts, 'disagree', 'agree')",
            "review 1 of pair 1 differs from event 2",
        ),
        ("DELETE FROM reviews WHERE id = 2", "the review of pair 1 that event 3 records is missing"),
        (FORGED, "review 3 of pair 1 is in no event: it was added outside the service or moved"),
        ("UPDATE compared_pairs SET radpeer = '1'", "pair 1 is shown with another RADPEER score than its reviews give"),
        ("UPDATE compared_pairs SET reviewed = 0, radpeer = NULL", "pair 1 is shown with another RADPEER score"),
        ("UPDATE compared_pairs SET reviewed = 1 WHERE id = 2", "pair 2 is shown as reviewed, but has no review"),
    ],
)
def test_a_review_that_was_changed_is_named(reviewed: Hospital, change: str, problem: str) -> None:
    """Its score goes into rates: whoever can write to the database must not move them unseen. Status 1."""
    with closing(sqlite3.connect(reviewed.place)) as connection, connection:
        connection.execute(change)
    output = _done(reviewed.run("audit", "verify"), status=1)
    assert problem in " ".join(output.split())
    assert json.loads(_done(reviewed.run("audit", "verify", "-f", "json"), status=1))["holds"] is False


def test_a_review_that_cannot_be_read_is_named(reviewed: Hospital) -> None:
    """With its pair, and without what stands in it."""
    with closing(sqlite3.connect(reviewed.place)) as connection, connection:
        connection.execute("UPDATE reviews SET radpeer = 'excellent'")
    error = reviewed.run("audit", "verify").exception
    assert isinstance(error, StoreError)
    assert str(error) == "review 1 of pair 1 cannot be read: it was written by other means"


ROWS = "all 6 versions and pairs match them"
COPIED = "INSERT INTO {0} SELECT (SELECT max(id) + 1 FROM {0}), {1} FROM {0} WHERE id = 2"
VERSION = "arrived, status, digest, length, reader, model, filler, placer, issued, source, message, site, coauthors"
OTHERS_SCORE = (
    "UPDATE results SET score = 0.1, record = replace(record, '\"score\": ', '\"score\": 0') WHERE metric = 'radot'"
)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE report_versions SET digest = 'x' WHERE id = 3", "version 3 differs from event 1"),
        ("UPDATE report_versions SET status = 'preliminary'", "version 2 differs from event 1"),
        (
            "UPDATE report_versions SET arrived = '2020-01-01 00:00:00.000000'",
            "version 1 differs from event 1",
        ),
        ("UPDATE report_versions SET reader = 'dr.who' WHERE id = 1", "version 1 differs from event 1"),
        (
            'UPDATE version_examinations SET told = replace(told, \'"patient": "\', \'"patient": "0\')',
            "version 1 differs from event 1",
        ),
        ("UPDATE version_examinations SET examination = 1 WHERE version = 4", "version 4 differs from event 1"),
        (COPIED.format("report_versions", VERSION), "version 5 is in no event: it was added outside the service"),
        ("DELETE FROM report_versions WHERE id = 3", "version 3 that event 1 records is missing"),
        ("DELETE FROM compared_pairs WHERE id = 2", "pair 2 that event 1 records is missing"),
        ("UPDATE compared_pairs SET digest = 'x' WHERE id = 1", "pair 1 differs from event 1"),
        ("UPDATE compared_pairs SET kind = 'draft-final'", "pair 1 differs from event 1"),
        ("UPDATE compared_versions SET is_candidate = 1 - is_candidate", "pair 1 differs from event 1"),
        ("UPDATE compared_pairs SET risk = 0 WHERE id = 2", "pair 2 is shown with values that differ"),
        ("UPDATE compared_pairs SET insignificant = 0", "pair 1 is shown with values that differ"),
        ("UPDATE compared_pairs SET state = 'waiting', profile = NULL", "pair 1 is shown with values that differ"),
        ("UPDATE outlines SET findings = '[]' WHERE pair = 1", "pair 1 is shown with values that differ"),
        (OTHERS_SCORE, "pair 1 is shown with values that differ"),
    ],
)
def test_a_version_a_pair_or_a_score_that_was_changed_is_named(hospital: Hospital, change: str, problem: str) -> None:
    """What was said, of whom, when and by whom, what is compared, and what a list shows of it. Status 1."""
    hospital.pairs(2)
    hospital.settings.write_text(f'[hospital]\nstore = "{hospital.place}"\n')  # no keys are needed
    assert ROWS in _done(hospital.run("audit", "verify"))
    with closing(sqlite3.connect(hospital.place)) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(change)
    output = _done(hospital.run("audit", "verify"), status=1)
    assert problem in " ".join(output.split())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("UPDATE access_keys SET roles = '[\"admin\"]'", "the key 'feed' differs from event 1"),
        ("UPDATE access_keys SET digest = 'own'", "the key 'feed' differs from event 1"),
        ("UPDATE access_keys SET expires = NULL", "the key 'feed' differs from event 1"),
        (
            "UPDATE access_keys SET name = 'other' WHERE id = 1",
            "the key 'other' is in no event: it was added outside the service",
        ),
        ("UPDATE access_keys SET revoked = NULL", "the key 'gone' is valid again, but event 3 revoked it"),
    ],
)
def test_an_access_key_that_was_changed_is_named(hospital: Hospital, change: str, problem: str) -> None:
    """Whoever can write to the database must not let themselves in unseen, nor anybody who was let go."""
    with hospital.service() as service:
        access = AccessControl(service.store, FakeHasher())
        access.issue("feed", [Role.SUBMITTER], lasting=timedelta(days=9), by=ADMIN)
        access.issue("gone", [Role.ADMIN], by=ADMIN)
        access.revoke("gone", by=ADMIN)
    assert "all 3 events hold" in _done(hospital.run("audit", "verify"))
    with closing(sqlite3.connect(hospital.place)) as connection, connection:
        connection.execute(change)
    assert problem in " ".join(_done(hospital.run("audit", "verify"), status=1).split())


@pytest.mark.parametrize(
    ("owner", "body", "problem"),
    [
        ("version", '["Normal chest.", [[null, null]]]', "version 1: its text is not the one that was stored"),
        ("version", '{"a": 1}', "version 1: its text is not the one that was stored"),
        ("pair", '["clear", "clear", null, null, null, null]', "pair 1: its text is not the one that was stored"),
        ("pair", "7", "pair 1: its text is not the one that was stored"),
    ],
)
def test_a_text_that_was_put_in_plain_is_not_restored(hospital: Hospital, owner: str, body: str, problem: str) -> None:
    """It opens without a key, and is not what the digests of its row say."""
    hospital.pairs(1)
    copy = hospital.folder / "copy.db"
    _done(hospital.run("backup", copy))
    again = _done(hospital.run("restore", copy, "--store", hospital.folder / "whole.db"))
    assert "every text opens" in again
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE texts SET key = '', body = ? WHERE owner = ?", (body.encode(), owner))
    result = hospital.run("restore", copy, "--store", hospital.folder / "forged.db")
    assert isinstance(result.exception, StoreError)
    assert problem in str(result.exception)
    assert not (hospital.folder / "forged.db").exists()


def test_what_is_merged_erased_and_scored_again_is_as_the_trail_tells(hospital: Hospital) -> None:
    """A patient's other name, rows that are gone by an event, and what was there under an earlier overread."""
    hospital.add("old")
    hospital.pairs(2)
    with hospital.service() as service:
        service.submit([pair("1", "clear", "clear")], by=SUBMITTER)
        service.work(worker="w")
        for surviving, merged in (("P2", "P1"), ("P3", "P2")):
            service.merge_patients([PatientMerge(site="north", surviving=surviving, merged=merged)], by=SUBMITTER)
        service.ingest([version(ReportStatus.FINAL, "clear", accession="C", patient="P2")], by=SUBMITTER)
        service.rescore(Search(), by=ADMIN)
    assert "all 9 versions and pairs match them" in _done(hospital.run("audit", "verify"))
    with hospital.service() as service:
        service.ingest([version(ReportStatus.FINAL, "clear", accession="D", patient="P9")], by=SUBMITTER)
        service.erase_patient("P1", by=ADMIN)
    assert "all 2 versions and pairs match them" in _done(hospital.run("audit", "verify"))


def test_pairs_of_a_merge_are_in_its_event(hospital: Hospital) -> None:
    """They are made then, and held against it."""
    with hospital.service() as service:
        told = ((ReportStatus.PRELIMINARY, "P1"), (ReportStatus.FINAL, "P2"))
        service.ingest([version(status, f"clear {status}", patient=patient) for status, patient in told], by=SUBMITTER)
        service.merge_patients([PatientMerge(site="north", surviving="P1", merged="P2")], by=SUBMITTER)
    assert "all 3 versions and pairs match them" in _done(hospital.run("audit", "verify"))
    with closing(sqlite3.connect(hospital.place)) as connection, connection:
        connection.execute("UPDATE compared_pairs SET kind = 'draft-final'")
    assert "pair 1 differs from event 2" in _done(hospital.run("audit", "verify"), status=1)


def test_reviews_of_an_earlier_overread_are_held_against_what_its_events_tell(hospital: Hospital) -> None:
    """They have no digest: reviewer, score and number of verdicts must do."""
    hospital.pairs(1)
    review = Review(reviewer="dr.lead", made=NOW, signature="s", radpeer=Radpeer.CONCUR)
    with hospital.opened() as store, store.transaction() as unit:
        unit.reviews.add(1, review)
        details = (("verdicts", "0"), ("radpeer", "1"))
        unit.trail.append(
            AuditEvent(number=0, at=NOW, actor="dr.lead", action="review", subject="pair:1", details=details)
        )
    assert "all 1 reviews match them" in _done(hospital.run("audit", "verify"))
    with closing(sqlite3.connect(hospital.place)) as connection, connection:
        connection.execute("UPDATE reviews SET radpeer = '2a'")
    assert "review 1 of pair 1 differs from event 2" in _done(hospital.run("audit", "verify"), status=1)


def test_a_trail_that_was_cut_shows_beside_an_export(hospital: Hospital, tmp_path: Path) -> None:
    """By itself it holds; the export names the first event that is gone."""
    for accession in ("A1", "A2", "A3"):
        hospital.add(accession)
    export = tmp_path / "trail.jsonl"
    _done(hospital.run("audit", "export", "-o", export))
    events = [json.loads(line) for line in export.read_text().splitlines()]
    assert [event["action"] for event in events] == ["ingest", "ingest", "ingest", "export-trail"]
    with closing(sqlite3.connect(hospital.place)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("DELETE FROM audit_events WHERE number >= 3")
    assert "all 2 events hold" in _done(hospital.run("audit", "verify"))
    assert "event 3 does not hold" in _done(hospital.run("audit", "verify", "--against", export), status=1)


def test_an_export_goes_on_where_the_last_one_ended(hospital: Hospital) -> None:
    """Only what came after a number is written, to standard output where no file is named."""
    hospital.add("A1")
    hospital.add("A2")
    lines = _done(hospital.run("audit", "export", "--after", 1)).splitlines()
    assert [json.loads(line)["number"] for line in lines] == [2, 3]


def test_an_export_that_is_none_is_refused(hospital: Hospital, tmp_path: Path) -> None:
    """By its row; nothing of the line is told."""
    hospital.add("A1")
    export = tmp_path / "trail.jsonl"
    export.write_text(PHRASE)
    result = hospital.run("audit", "verify", "--against", export)
    assert isinstance(result.exception, OverreadError)
    assert "row 1: is not an event of an audit trail" in str(result.exception)
    assert "pneumothorax" not in str(result.exception)


def test_a_restore_is_drilled(hospital: Hospital, tmp_path: Path) -> None:
    """The store is lost: what was stored before the backup is there again, sealed texts too, and the trail holds."""
    before = hospital.add("A1")
    copy = tmp_path / "backups" / "monday.db"
    copy.parent.mkdir()
    _done(hospital.run("backup", copy))
    later = hospital.add("A2")
    for file in hospital.folder.glob("hospital.db*"):
        file.unlink()
    output = _done(hospital.run("restore", copy))
    assert "its 2 events and 0 reviews hold, and every text opens" in " ".join(output.split())
    assert hospital.text(before) == PHRASE
    with pytest.raises(OverreadError, match=str(later)):
        hospital.text(later)
    assert hospital.actions() == ["ingest", "backup", "restore"]
    assert PHRASE.encode() not in copy.read_bytes()


def test_a_restore_stands_where_an_earlier_export_ends_to_hold(hospital: Hospital, tmp_path: Path) -> None:
    """The event that is named beside an export from after the backup is that of the restore."""
    hospital.add("A1")
    copy, export = tmp_path / "copy.db", tmp_path / "trail.jsonl"
    _done(hospital.run("backup", copy))
    hospital.add("A2")
    _done(hospital.run("audit", "export", "-o", export))
    for file in hospital.folder.glob("hospital.db*"):
        file.unlink()
    _done(hospital.run("restore", copy))
    told = json.loads(_done(hospital.run("audit", "verify", "--against", export, "-f", "json"), status=1))
    assert hospital.actions()[told["broken"] - 1] == "restore"
    _done(hospital.run("audit", "export", "-o", tmp_path / "anew.jsonl"))
    _done(hospital.run("audit", "verify", "--against", tmp_path / "anew.jsonl"))


def _lost(hospital: Hospital, copy: Path) -> None:
    """The store is gone, but for a copy."""
    _done(hospital.run("backup", copy))
    for file in hospital.folder.glob("hospital.db*"):
        file.unlink()


def _refused(hospital: Hospital, copy: Path, error: type[OverreadError] = StoreError) -> str:
    """What a restore says that is refused; nothing of it is left."""
    result = hospital.run("restore", copy)
    assert isinstance(result.exception, error), result.output
    assert list(hospital.folder.glob("hospital.db*")) == []
    return str(result.exception)


def test_a_backup_without_its_keys_is_of_no_use(hospital: Hospital, tmp_path: Path) -> None:
    """That is what sealing is for: the texts are lost, and nothing takes the place of the store."""
    hospital.add("A1")
    copy = tmp_path / "copy.db"
    _lost(hospital, copy)
    hospital.keys.unlink()
    make_key_file(hospital.keys)
    assert "key" in _refused(hospital, copy)
    hospital.keys.unlink()
    _refused(hospital, copy, ConfigurationError)


def test_a_key_that_is_missing_of_several_is_found_before_anything_is_restored(
    hospital: Hospital, tmp_path: Path
) -> None:
    """The newest opens the store itself; texts that an earlier one sealed are tried, too, each."""
    number = hospital.add("A1")
    [first] = read_keys(hospital.keys).keys
    _done(hospital.run("rotate-keys", "--new-key"))
    hospital.add("A2")
    with closing(sqlite3.connect(hospital.place)) as connection, connection:
        connection.execute("UPDATE texts SET key = ?, body = ? WHERE owner = 'store'", hospital.sealed_secret())
    copy = tmp_path / "copy.db"
    _lost(hospital, copy)
    whole = hospital.keys.read_text()
    hospital.keys.write_text(
        "".join(line for line in whole.splitlines(keepends=True) if not line.startswith(f"{first}:"))
    )
    assert f"version {number}: a text is sealed with the key {first!r}" in _refused(hospital, copy)
    hospital.keys.write_text(whole)
    _done(hospital.run("restore", copy))
    assert hospital.text(number) == PHRASE


def test_a_text_that_was_changed_keeps_a_copy_from_being_restored(hospital: Hospital, tmp_path: Path) -> None:
    """Where it stands is told, and nothing of it."""
    number = hospital.add("A1")
    copy = tmp_path / "copy.db"
    _lost(hospital, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE texts SET body = zeroblob(40) WHERE owner = 'version'")
    assert f"version {number}: a text does not open with the key" in _refused(hospital, copy)


def test_a_copy_whose_trail_does_not_hold_is_not_restored(reviewed: Hospital, tmp_path: Path) -> None:
    """Neither one of which an event was changed, nor one of which a review was."""
    copy = tmp_path / "copy.db"
    _lost(reviewed, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        connection.execute("UPDATE reviews SET radpeer = '1' WHERE id = 1")
    assert "review 1 of pair 1 differs from event 2" in _refused(reviewed, copy)
    with closing(sqlite3.connect(copy)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE audit_events SET actor = 'nobody' WHERE number = 2")
    assert "its audit trail does not hold: event 2: its digest does not match" in _refused(reviewed, copy)


def test_who_looks_after_a_store_needs_no_key_of_its_texts(hospital: Hospital, tmp_path: Path) -> None:
    """An auditor verifies and exports the trail, and an operator copies and lists keys; sealing asks for the keys."""
    hospital.add("A1")
    hospital.settings.write_text(f'[hospital]\nstore = "{hospital.place}"\n')
    for command in (("audit", "export"), ("backup", tmp_path / "copy"), ("keys", "list"), ("audit", "verify")):
        _done(hospital.run(*command))
    refused = hospital.run("rotate-keys").exception
    assert isinstance(refused, ConfigurationError)
    assert "name the file of the store's keys" in str(refused)


def test_a_locked_store_keeps_no_text(hospital: Hospital) -> None:
    """Neither in plain nor under another digest: what needs a key says so."""
    configuration = hospital_configuration({"store": str(hospital.place)})
    version = ReportVersion(
        examinations=(Examination(site="north", accession="A1"),),
        status=ReportStatus.FINAL,
        text=PHRASE,
        source="hl7",
        message="1",
    )
    with closing(open_store_of(configuration, locked=True)) as store, store.transaction() as unit:
        with pytest.raises(StoreError, match="without the keys"):
            unit.versions.add(version, NOW)
        with pytest.raises(StoreError, match="without the keys"):
            unit.erase_patient("north", "P1")


def test_nothing_is_looked_after_that_is_not_there(hospital: Hospital, tmp_path: Path) -> None:
    """No command makes a store by the way."""
    for command in (("backup", tmp_path / "copy"), ("audit", "verify"), ("upgrade",), ("rotate-keys",)):
        assert isinstance(hospital.run(*command).exception, StoreError)
    assert not hospital.place.exists()


def test_an_older_store_is_upgraded_when_asked(hospital: Hospital) -> None:
    """--check tells, changes nothing and has status 1; then nothing is left to do."""
    hospital.place.write_bytes(OLD.read_bytes())
    assert "schema 2" in _done(hospital.run("upgrade", "--check"), status=1)
    assert hospital.place.read_bytes() == OLD.read_bytes()
    assert "brought from schema 2 to" in _done(hospital.run("upgrade"))
    assert "up to date" in _done(hospital.run("upgrade", "--check"))


def test_keys_are_rotated(hospital: Hospital) -> None:
    """A new key, then all texts under it: the first one can be taken away, and every text is there."""
    number = hospital.add("A1")
    [first] = read_keys(hospital.keys).keys
    _done(hospital.run("rotate-keys", "--new-key"))
    assert hospital.text(number) == PHRASE
    output = _done(hospital.run("rotate-keys"))
    assert "texts were sealed again" in output
    assert "keep the earlier keys until every process has been restarted" in output
    lines = hospital.keys.read_text().splitlines()
    hospital.keys.write_text("\n".join(line for line in lines if not line.startswith(f"{first}:")) + "\n")
    assert first not in read_keys(hospital.keys).keys
    assert hospital.text(number) == PHRASE
    assert hospital.actions() == ["ingest", "seal"]


def test_a_key_file_is_made_once(hospital: Hospital, tmp_path: Path) -> None:
    """For a new installation: of its owner alone; without a file's name there is nothing to do."""
    path = tmp_path / "new-keys"
    _done(hospital.run("rotate-keys", "--new-key", "--key-file", path))
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(read_keys(path).keys) == 1
    hospital.settings.write_text(f'[hospital]\nstore = "{hospital.place}"\n')
    assert isinstance(hospital.run("rotate-keys", "--new-key").exception, ConfigurationError)
