"""Feeds as every store counts them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from overread.domain.differences.edits import Edits, EditType
from overread.hospital.application.coverage import NearMiss, near_misses_of
from overread.hospital.application.ports import EditTally, HospitalStore, NoticeKind, Sampled
from overread.hospital.application.requests import Refusal, Search
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.near_misses import KeyDifference
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.testing import MemoryHospitalStore

from .hospital_data import HOUR, NOW, PRESENT, add_compared, version

_QUARTER = timedelta(minutes=15)
_NORTH = Feed("hl7", "north")


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HospitalStore]:
    """A store of each kind, empty."""
    opened: Callable[[], Any] = {
        "memory": MemoryHospitalStore,
        "sqlite": lambda: open_hospital_store(tmp_path / "hospital.db", texts="plain"),
        "postgres": lambda: open_hospital_store(request.getfixturevalue("postgres_url"), texts="plain"),
    }[request.param]
    store = opened()
    yield store
    store.close()


def test_messages_versions_and_pairs_are_counted_by_quarter(store: HospitalStore) -> None:
    """A message of two versions is one; versions without a message count each; pairs count where their final came."""
    with store.transaction() as unit:
        add_compared(unit, "A1", message="m1")
        unit.versions.add(version("A2"), NOW + 14 * _QUARTER / 15)
        unit.versions.add(version("A3"), NOW + 14 * _QUARTER / 15)
        unit.versions.add(version("A4", source="fhir", about={"site": "south"}), NOW + _QUARTER)
        unit.versions.add(version("A5"), NOW + HOUR)
    with store.reading() as unit:
        counts = unit.feeds.counts(NOW, NOW + HOUR)
        last = unit.feeds.last()
    sums: dict[tuple[Feed, Any], Counter[str]] = {}
    for count in counts:
        numbers = {"messages": count.messages, "versions": count.versions, "pairs": count.pairs}
        sums.setdefault((count.feed, count.quarter), Counter()).update(numbers)
    assert sums == {
        (_NORTH, NOW): {"messages": 3, "versions": 4, "pairs": 1},
        (Feed("fhir", "south"), NOW + _QUARTER): {"messages": 1, "versions": 1, "pairs": 0},
    }
    assert last == {_NORTH: NOW + HOUR, Feed("fhir", "south"): NOW + _QUARTER}


def test_refusals_are_counted_by_reason(store: HospitalStore) -> None:
    """In the window alone."""
    with store.transaction() as unit:
        for minutes, reason in ((0, "no-text"), (14, "no-text"), (15, "no-text"), (1, "bad-rows"), (60, "no-text")):
            at = NOW + timedelta(minutes=minutes)
            unit.refusals.add(Refusal(at=at, source="hl7", message="m", reason=reason, detail="d"))
    with store.reading() as unit:
        refused = unit.feeds.refused(NOW, NOW + HOUR)
    assert sorted((each.door, each.reason, each.hour, each.messages) for each in refused) == [
        ("hl7", "bad-rows", NOW, 1),
        ("hl7", "no-text", NOW, 2),
        ("hl7", "no-text", NOW + _QUARTER, 1),
    ]


def test_what_lacks_its_counterpart_is_counted(store: HospitalStore) -> None:
    """Whenever the counterpart came: a final of before the window ends a preliminary report."""
    early, final, cancelled = ReportStatus.PRELIMINARY, ReportStatus.FINAL, ReportStatus.CANCELLED
    with store.transaction() as unit:
        unit.versions.add(version("B0", final), NOW - HOUR)
        for accession, status in (
            ("A1", early),
            ("A1", final),
            ("A2", final),
            ("A3", early),
            ("A3", early),
            ("A4", early),
            ("A4", cancelled),
            ("A5", ReportStatus.DRAFT),
            ("B0", early),
        ):
            said = {"model": "net"} if status is ReportStatus.DRAFT else {}
            unit.versions.add(version(accession, status, f"{accession} {status}", **said), NOW)
    with store.reading() as unit:
        assert unit.feeds.finals_alone(NOW, NOW + HOUR) == {_NORTH: 1}
        assert unit.feeds.preliminaries_open(NOW, NOW + HOUR) == {_NORTH: 2}
        assert unit.feeds.preliminaries_open(NOW + HOUR, NOW + 2 * HOUR) == {}


def test_near_misses_are_of_one_patient_modality_and_day(store: HospitalStore) -> None:
    """One without a final beside one with nothing else; patients who were merged are one."""
    early, final = ReportStatus.PRELIMINARY, ReportStatus.FINAL
    with store.transaction() as unit:
        for accession, status, patient, told in (
            ("0012", early, "P1", {}),
            ("12", final, "P1", {}),
            ("0013", early, "P2", {}),
            ("13", final, "P3", {}),  # of another patient
            ("0014", early, "P4", {}),
            ("14", final, "P4", {"modality": "MR"}),
            ("0015", early, "P5", {}),
            ("15", final, "P5", {"performed": NOW + 25 * HOUR}),
            ("0016", early, "", {}),
            ("16", final, "", {}),  # of nobody who is known
            ("17", early, "P7", {}),
            ("17", final, "P7", {"site": "south"}),
        ):
            unit.versions.add(version(accession, status, accession, about={"patient": patient, **told}), NOW)
    with store.reading() as unit:
        misses = near_misses_of(unit.feeds.twins(NOW, NOW + HOUR, 100))
        assert len(unit.feeds.twins(NOW, NOW + HOUR, 1)) == 1
    assert misses == [
        NearMiss(
            unfinished=ExaminationKey("north", "0012"),
            final=ExaminationKey("north", "12"),
            modality="CT",
            difference=KeyDifference.ZEROS,
        ),
        NearMiss(
            unfinished=ExaminationKey("north", "17"),
            final=ExaminationKey("south", "17"),
            modality="CT",
            difference=KeyDifference.SITE,
        ),
    ]


def test_a_silence_begins_and_ends_once(store: HospitalStore) -> None:
    """Whoever is second learns that it is known."""
    with store.transaction() as unit:
        assert unit.feeds.begin_silence(_NORTH, since=NOW, noticed=NOW + HOUR)
        assert not unit.feeds.begin_silence(_NORTH, since=NOW + HOUR, noticed=NOW + HOUR)
    with store.transaction() as unit:
        assert unit.feeds.silences() == {_NORTH: NOW}
        assert unit.feeds.end_silence(_NORTH) == NOW
        assert unit.feeds.end_silence(_NORTH) is None
        assert unit.feeds.silences() == {}


def test_arrivals_of_a_feed_are_told_in_order(store: HospitalStore) -> None:
    """Each moment once, of this feed alone."""
    with store.transaction() as unit:
        for accession, hours, source in (("A1", 2, "hl7"), ("A2", 1, "hl7"), ("A3", 1, "hl7"), ("A4", 1, "fhir")):
            unit.versions.add(version(accession, source=source), NOW + hours * HOUR)
    with store.reading() as unit:
        assert list(unit.feeds.arrivals(_NORTH, NOW)) == [NOW + HOUR, NOW + 2 * HOUR]
        assert list(unit.feeds.arrivals(_NORTH, NOW + 2 * HOUR)) == [NOW + 2 * HOUR]


def test_notices_wait_for_whoever_sends_them(store: HospitalStore) -> None:
    """Claimed by one, given back, sent or given up."""
    with store.transaction() as unit:
        unit.notices.add(NoticeKind.SILENT, _NORTH, since=NOW, at=NOW + HOUR, targets=["ris", "pager"])
        claimed = unit.notices.claim("one", limit=9, now=NOW, lease=HOUR)
        assert [(each.kind, each.feed, each.since, each.at, each.target, each.attempts) for each in claimed] == [
            (NoticeKind.SILENT, _NORTH, NOW, NOW + HOUR, target, 1) for target in ("ris", "pager")
        ]
        assert unit.notices.claim("two", limit=9, now=NOW, lease=HOUR) == []
        unit.notices.finish("two", [claimed[0].number])
        assert unit.notices.waiting() == 2
        unit.notices.finish("one", [claimed[0].number])
        unit.notices.release("one", [claimed[1].number], again=NOW + HOUR)
    with store.transaction() as unit:
        assert unit.notices.claim("two", limit=9, now=NOW, lease=HOUR) == []
        [again] = unit.notices.claim("two", limit=9, now=NOW + HOUR, lease=HOUR)
        assert (again.target, again.attempts) == ("pager", 2)
        unit.notices.release("two", [again.number], again=None)
        assert unit.notices.waiting() == 0


def test_edits_are_counted_over_what_a_search_finds(store: HospitalStore) -> None:
    """Of near copies alone, the newest count; a sample's pairs with their weights."""
    removed = Edits(types=(EditType.REMOVAL, EditType.REMOVAL, None), style=1)
    with store.transaction() as unit:
        one, other, third = (add_compared(unit, accession, risk=0.5) for accession in ("A1", "A2", "A3"))
        unit.pairs.add_edits({one: Edits(types=(EditType.ADDITION,)), other: Edits(types=()), third: removed})
        unit.pairs.add_edits({one: removed, third: None})
        sample = unit.samples.add([Sampled(pair=one, weight=3.0)], description="d", by="lead", made=NOW)
    with store.reading() as unit:
        tallies = {tally.type: tally for tally in unit.pairs.edit_tallies(Search(), PRESENT)}
        assert list(tallies) == list(EditType)
        assert tallies[EditType.REMOVAL] == EditTally(type=EditType.REMOVAL, edits=2, pairs=1, near_copies=2)
        assert tallies[EditType.STYLE] == EditTally(type=EditType.STYLE, edits=1, pairs=1, near_copies=2)
        assert tallies[EditType.ADDITION] == EditTally(type=EditType.ADDITION, edits=0, pairs=0, near_copies=2)
        drawn = {tally.type: tally for tally in unit.pairs.edit_tallies(Search(sample=sample), PRESENT)}
        assert drawn[EditType.REMOVAL] == EditTally(type=EditType.REMOVAL, edits=6, pairs=3, near_copies=3)
        assert unit.pairs.edit_tallies(Search(site="nowhere"), PRESENT) == []
        rows = {row.pair: row.edits for row in unit.pairs.search(Search(), PRESENT).rows}
        assert rows == {one: removed.counts, other: Edits(types=()).counts, third: None}


def test_edits_go_with_their_pair(store: HospitalStore) -> None:
    """As everything about it."""
    with store.transaction() as unit:
        pair = add_compared(unit, "A1", about={"patient": "P1"}, risk=0.5)
        unit.pairs.add_edits({pair: Edits(types=(EditType.REMOVAL,))})
        assert unit.erase_patient("north", "P1").pairs == 1
    with store.reading() as unit:
        assert unit.pairs.edit_tallies(Search(), PRESENT) == []
