"""Peer learning: points, conferences, actions, and authors with their own pairs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

import pytest
from attrs import define

from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.configuration import HospitalConfiguration, TextMode
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.learning import ActionKind, ActionState, LearningKind
from overread.hospital.domain.reading import ProtocolReader
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.infrastructure.store.keys import make_key_file
from overread.hospital.testing import MemoryHospitalStore

from ..hospital import ADMIN, NOON, SUBMITTER, Clock, hospital, pair, version

LEAD: Final = Actor(name="head", roles={Role.LEAD})
REVIEWER: Final = Actor(name="rita.review", roles={Role.REVIEWER})
KIM, LANG, NOBODY = (Actor(name=name, roles={Role.AUTHOR}) for name in ("a.kim", "b.lang", "r1"))
AUTHORS: Final = {"a.kim": ("R1", "Kim^Anna"), "b.lang": ("r2",)}


@define
class Ward:
    """A service with three scored pairs, of readers r1 and r2; the last has r9 for its second reader."""

    service: HospitalService
    clock: Clock

    def point(self, number: int, text: str = "Look behind the heart.", **more: Any) -> int:
        """The number of a new learning point."""
        given = {"kind": LearningKind.LEARNING_POINT, "by": REVIEWER, "text": text, **more}
        return self.service.add_learning_point(number, **given).number

    def own(self, by: Actor, **asked: Any) -> list[int]:
        """Numbers of somebody's own pairs."""
        return [row.pair for row in self.service.own_pairs(by=by, **asked).rows]


def _stores(request: pytest.FixtureRequest, folder: Path, kind: str) -> Any:
    opened: dict[str, Callable[[], Any]] = {
        "memory": MemoryHospitalStore,
        "sqlite": lambda: open_hospital_store(folder / "hospital.db", texts="plain"),
        "postgres": lambda: open_hospital_store(request.getfixturevalue("postgres_store"), texts="plain"),
    }
    return opened[kind]()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def ward(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ward]:
    clock = Clock()
    configuration = HospitalConfiguration(authors=AUTHORS)
    service = hospital(store=_stores(request, tmp_path, request.param), clock=clock, configuration=configuration)
    for accession, second in (("A1001", "r2"), ("A1002", "r2"), ("A1003", "r9")):
        for status, text, reader in (
            (ReportStatus.PRELIMINARY, f"clear see {accession}", "r1"),
            (ReportStatus.FINAL, "clear pneumothorax", second),
        ):
            patient = f"P{accession}"
            service.ingest([version(status, text, accession=accession, patient=patient, reader=reader)], by=SUBMITTER)
    while service.work(worker="w"):
        pass
    yield Ward(service, clock)
    service.close()


def blinded(ward: Ward, number: int, *, reader: str = "a.reader") -> int:
    """The number of an active blinded protocol over a pair."""
    plan = ProtocolPlan(name="study", readers=[ProtocolReader(name=reader)], per_pair=1, pairs=[number])
    return ward.service.create_protocol(plan, by=LEAD).protocol.number


def refused(call: Callable[[], object], words: str | None = None) -> None:
    """Holds that a call is refused."""
    with pytest.raises((InputError, NotFoundError), match=words):
        call()


def test_learning_points_are_kept_with_their_pair(ward: Ward) -> None:
    """As they were written, oldest first; those that are not sound are refused, and their words not repeated."""
    first = ward.point(1, "Look twice.", category=ErrorCategory.OMITTED_FINDING, finding="pneumothorax")
    ward.clock.move(minutes=1)
    second = ward.point(1, kind=LearningKind.GOOD_CALL, nominated=True)
    record = ward.service.learning_points(1, by=LEAD)
    assert [(point.number, point.kind, point.text) for point in record.points] == [
        (first, LearningKind.LEARNING_POINT, "Look twice."),
        (second, LearningKind.GOOD_CALL, "Look behind the heart."),
    ]
    point = record.points[0]
    assert (point.category, point.finding, point.nominated) == (ErrorCategory.OMITTED_FINDING, "pneumothorax", False)
    assert (point.made, point.made_by, point.pair) == (NOON, "rita.review", 1)
    assert ward.service.learning_points(2, by=LEAD).points == ()
    for more, words in (
        ({"text": " "}, "needs a text"),
        ({"text": "a\0"}, "NUL"),
        ({"text": "x" * 100_001}, "longer than"),
        ({"finding": "a small pneumothorax"}, "by its id"),
        ({"number": 99}, "99"),
    ):
        refused(lambda more=more: ward.point(**{"number": 1, **more}), words)  # type: ignore[misc]
    refused(lambda: ward.service.learning_points(99, by=LEAD))


def test_whoever_reads_blinded_neither_sees_nor_gives_any(ward: Ward) -> None:
    """Nor learns of actions; all others do."""
    ward.point(1)
    action = ward.service.add_action(1, by=LEAD, kind=ActionKind.CLINICIAN_TOLD)
    blinded(ward, 1, reader="rita.review")
    record = ward.service.learning_points(1, by=REVIEWER)
    assert (record.blinded, record.points, record.actions) == (True, (), ())
    assert ward.service.open_actions(by=REVIEWER).actions == ()
    refused(lambda: ward.point(1), "blinded")
    refused(lambda: ward.service.nominate(1, by=REVIEWER), "blinded")
    refused(lambda: ward.service.add_action(1, by=REVIEWER, kind=ActionKind.ADDENDUM_MADE), "blinded")
    refused(lambda: ward.service.change_action(action.number, by=REVIEWER, state=ActionState.DONE), "blinded")
    assert len(ward.service.learning_points(1, by=LEAD).points) == 1


def test_a_conference_names_nobody(ward: Ward) -> None:
    """Nominated pairs of a period with their texts and points, and without names and numbers that are known."""
    ward.point(2, "Ask rita.review.", nominated=True)
    ward.point(2, "Not for all.")
    ward.point(1)
    conference = ward.service.conference(by=REVIEWER)
    [case] = conference.cases
    assert (case.pair, case.modality, case.candidate, case.reference) == (
        2,
        "CR",
        "clear see [removed]",
        "clear pneumothorax",
    )
    assert [point.text for point in case.points] == ["Ask [removed]."]
    told = f"{conference!r} {case.candidate} {case.points[0].text}"
    assert [name for name in ("A1002", "PA1002", "r1", "r2", "rita", "north") if name in told] == []
    assert ward.service.conference(by=REVIEWER, since=NOON + timedelta(minutes=1)).cases == ()
    assert ward.service.conference(by=REVIEWER, until=NOON).cases == ()
    refused(lambda: ward.service.conference(by=REVIEWER, since=datetime(2026, 11, 1)), "time zone")  # noqa: DTZ001
    refused(lambda: ward.service.conference(by=REVIEWER, limit=0))


def test_what_was_presented_is_marked_until_it_is_nominated_again(ward: Ward) -> None:
    """Only a pair with a nominated point can be; pages go on where they ended."""
    points = [ward.point(number, nominated=True) for number in (1, 2, 3)]
    page = ward.service.conference(by=REVIEWER, limit=2)
    assert ([case.pair for case in page.cases], page.next) == ([1, 2], 2)
    assert [case.pair for case in ward.service.conference(by=REVIEWER, after=2).cases] == [3]
    assert ward.service.mark_presented(2, by=LEAD) == 1
    assert ward.service.mark_presented(2, by=LEAD) == 0
    assert [case.pair for case in ward.service.conference(by=REVIEWER, presented=False).cases] == [1, 3]
    [shown] = ward.service.conference(by=REVIEWER, presented=True).cases
    assert (shown.pair, shown.presented) == (2, NOON)
    assert ward.service.nominate(points[1], by=REVIEWER).presented is None
    assert not ward.service.nominate(points[0], by=REVIEWER, nominated=False).nominated
    assert [case.pair for case in ward.service.conference(by=REVIEWER, presented=False).cases] == [2, 3]
    refused(lambda: ward.service.mark_presented(1, by=LEAD), "not nominated")
    refused(lambda: ward.service.nominate(99, by=REVIEWER))


def test_pairs_of_a_blinded_protocol_wait(ward: Ward) -> None:
    """For conferences and for their authors, until it is closed; whoever asks, and whoever reads it."""
    ward.point(1, nominated=True)
    protocol = blinded(ward, 1)
    assert ward.service.conference(by=LEAD).cases == ()
    refused(lambda: ward.service.mark_presented(1, by=LEAD))
    assert ward.own(KIM) == [3, 2]
    assert ward.own(KIM, news=True) == []
    for call in (ward.service.own_pair, ward.service.acknowledge):
        refused(lambda call=call: call(1, by=KIM))  # type: ignore[misc]
    ward.service.close_protocol(protocol, by=LEAD)
    assert [case.pair for case in ward.service.conference(by=LEAD).cases] == [1]
    assert ward.own(KIM) == [3, 2, 1]


def test_actions_are_followed_until_they_are_done(ward: Ward) -> None:
    """Each with who last changed it and when; earlier states are in the trail."""
    due = NOON + timedelta(days=2)
    action = ward.service.add_action(1, by=REVIEWER, kind=ActionKind.FOLLOW_UP_BOOKED, due=due)
    other = ward.service.add_action(2, by=REVIEWER, kind=ActionKind.ADDENDUM_MADE, state=ActionState.PROPOSED)
    ward.service.add_action(3, by=REVIEWER, kind=ActionKind.NO_ACTION_NEEDED, state=ActionState.DONE)
    assert [each.number for each in ward.service.open_actions(by=LEAD).actions] == [action.number, other.number]
    page = ward.service.open_actions(by=LEAD, limit=1)
    assert ward.service.open_actions(by=LEAD, after=page.next or 0).actions == (other,)
    ward.clock.move(hours=1)
    done = ward.service.change_action(action.number, by=LEAD, state=ActionState.DONE)
    assert (done.due, done.made_by, done.changed_by, done.changed) == (due, "rita.review", "head", ward.clock.time)
    assert ward.service.learning_points(1, by=LEAD).actions == (done,)
    assert [each.pair for each in ward.service.open_actions(by=LEAD).actions] == [2]
    events = [event for event in ward.service.audit_trail(by=ADMIN) if event.action == "action"]
    assert [dict(event.details)["state"] for event in events] == ["open", "proposed", "done", "done"]
    assert dict(events[-1].details)["from"] == "open"
    refused(lambda: ward.service.change_action(99, by=LEAD, state=ActionState.DONE))
    refused(lambda: ward.service.add_action(99, by=LEAD, kind=ActionKind.CLINICIAN_TOLD))
    naive = datetime(2026, 11, 9)  # noqa: DTZ001
    refused(lambda: ward.service.add_action(1, by=LEAD, kind=ActionKind.CLINICIAN_TOLD, due=naive), "time zone")


def test_authors_see_their_own_pairs_and_no_other(ward: Ward) -> None:
    """By the names that the settings give them, however capitalised; a name to sign in with alone opens nothing."""
    assert (ward.own(KIM), ward.own(LANG), ward.own(NOBODY)) == ([3, 2, 1], [2, 1], [])
    assert (ward.own(KIM, limit=2), ward.own(KIM, before=2)) == ([3, 2], [1])
    assert ward.service.own_pairs(by=KIM, limit=2).next == 2
    [batch] = [ward.service.submit([pair("given", "a", "b")], by=SUBMITTER)]
    assert batch.pairs == 1
    for call in (ward.service.own_pair, ward.service.acknowledge):
        for number in (3, 4, 99):
            refused(lambda call=call, number=number: call(number, by=LANG))  # type: ignore[misc]
    refused(lambda: ward.service.answer(3, by=LANG, text="mine?"))
    ward.service.ingest([version(ReportStatus.CANCELLED, "", accession="A1002")], by=SUBMITTER)
    assert ward.own(KIM) == [3, 1]
    refused(lambda: ward.service.own_pair(2, by=KIM))


def test_authors_see_what_can_be_learnt_and_not_from_whom(ward: Ward) -> None:
    """The texts, the discrepancies and the points; neither reviewers nor the other author, nor what the latter says."""
    signature = str(ward.service.pair(1, by=ADMIN).current["notation"].signature)
    ward.service.review(1, by=REVIEWER, signature=signature, comment="SAID IN A REVIEW")
    ward.point(1)
    ward.service.answer(1, by=LANG, text="I saw it at once.")
    record = ward.service.own_pair(1, by=KIM)
    assert record.report_pair is not None
    assert record.report_pair.reference.text == "clear pneumothorax"
    assert [each.finding for each in record.discrepancies] == ["pneumothorax"]
    assert [(point.text, point.made) for point in record.points] == [("Look behind the heart.", NOON)]
    assert record.responses == ()
    told = f"{record!r} {record.points[0].text}"
    assert [word for word in ("rita", "r2", "b.lang", "PA1001", "SAID") if word in told] == []


def test_authors_acknowledge_and_answer(ward: Ward) -> None:
    """A point is new until its author has seen it; reviewers see when, and what they say, with their name."""
    ward.point(1)
    ward.point(3, by=KIM_REVIEWS)
    assert (ward.own(KIM, news=True), ward.own(LANG, news=True)) == ([1], [1])
    assert ward.service.own_pair(1, by=KIM).row.is_new
    ward.clock.move(minutes=5)
    assert not ward.service.acknowledge(1, by=KIM).row.is_new
    assert (ward.own(KIM, news=True), ward.own(LANG, news=True)) == ([], [1])
    ward.clock.move(minutes=5)
    answered = ward.service.answer(1, by=KIM, text="Shown in the lateral view only.")
    assert [(each.is_answer, each.text) for each in answered.responses] == [
        (False, ""),
        (True, "Shown in the lateral view only."),
    ]
    responses = ward.service.learning_points(1, by=REVIEWER).responses
    assert [(each.author, each.made) for each in responses] == [
        ("a.kim", NOON + timedelta(minutes=5)),
        ("a.kim", NOON + timedelta(minutes=10)),
    ]
    ward.clock.move(minutes=5)
    ward.point(1, "And on the frontal view.")
    assert ward.own(KIM, news=True) == [1]
    refused(lambda: ward.service.answer(1, by=KIM, text=" "), "needs a text")
    actions = [event.action for event in ward.service.audit_trail(by=ADMIN)]
    assert {"learning", "acknowledge", "answer", "own pairs", "read own", "read learning"} <= set(actions)


KIM_REVIEWS: Final = Actor(name="a.kim", roles={Role.AUTHOR, Role.REVIEWER})
"""Who writes a point to a pair of their own is told nothing new by it."""


def test_all_goes_with_the_patient(ward: Ward) -> None:
    """Points, actions and responses; those of others stay."""
    for number in (1, 2):
        ward.point(number, nominated=True)
        ward.service.add_action(number, by=LEAD, kind=ActionKind.CLINICIAN_TOLD)
        ward.service.answer(number, by=KIM, text="Seen.")
    ward.service.erase_patient("PA1001", by=ADMIN)
    assert [case.pair for case in ward.service.conference(by=LEAD).cases] == [2]
    assert [each.pair for each in ward.service.open_actions(by=LEAD).actions] == [2]
    refused(lambda: ward.service.learning_points(1, by=LEAD))
    refused(lambda: ward.service.nominate(1, by=LEAD))
    assert len(ward.service.learning_points(2, by=LEAD).responses) == 1


@pytest.mark.parametrize("texts", ["plain", "none"])
def test_words_go_with_the_texts(tmp_path: Path, texts: Literal["plain", "none"]) -> None:
    """When these are forgotten, or are not kept at all; that there were points and answers stays."""
    clock, place = Clock(), tmp_path / "hospital.db"
    configuration = HospitalConfiguration(
        authors=AUTHORS, keep_texts=timedelta(days=1), keep_data=timedelta(days=30), texts=TextMode(texts)
    )
    make_key_file(tmp_path / "keys")
    store = open_hospital_store(place, texts=texts, key_file=tmp_path / "keys")
    service = hospital(store=store, clock=clock, configuration=configuration)
    for status, reader in ((ReportStatus.PRELIMINARY, "r1"), (ReportStatus.FINAL, "r2")):
        service.ingest([version(status, "clear", reader=reader)], by=SUBMITTER)
    service.work(worker="w")
    ward = Ward(service, clock)
    ward.point(1, "QZXCANARY said.", nominated=True)
    service.answer(1, by=KIM, text="QZXCANARY answered.")
    assert (b"QZXCANARY" in _bytes(tmp_path)) is (texts == "plain")
    clock.move(days=2)
    service.retain(by=ADMIN)
    record = service.learning_points(1, by=LEAD)
    assert [point.text for point in record.points] == [""]
    assert [(each.is_answer, each.text) for each in record.responses] == [(True, "")]
    service.close()
    assert b"QZXCANARY" not in _bytes(tmp_path)


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir() if path.is_file())
