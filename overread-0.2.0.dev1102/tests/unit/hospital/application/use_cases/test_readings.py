"""Reading protocols: who reads what, what they see of it meanwhile, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any, Final

import pytest
from attrs import define, evolve

from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.protocols import AssignmentRow, ProtocolPlan, ProtocolRecord
from overread.hospital.application.requests import Search
from overread.hospital.application.review_check import ReviewCheck
from overread.hospital.application.sampling import SampleMethod, SamplePlan
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role, TrailCheck, verify
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.reading import AssignmentState, ProtocolReader, ReadingMode, ReadingTask
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer, Review, ReviewStage, Verdict, VerdictKind
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.testing import MemoryHospitalStore

from ..hospital import ADMIN, SUBMITTER, Clock, hospital, version

LEAD: Final = Actor(name="lead", roles={Role.LEAD})
ANN, BEN, CAY, DOT, EVE = (Actor(name=name, roles={Role.REVIEWER}) for name in ("ann", "ben", "cay", "dot", "eve"))
PLAN: Final = ProtocolPlan(
    name="Night readings",
    readers=[ProtocolReader(name="ann"), ProtocolReader(name="ben")],
    adjudicators=[ProtocolReader(name="dot")],
    search=Search(),
)


@define
class Ward:
    """A service with pairs of reports that were scored."""

    service: HospitalService
    clock: Clock

    def read(self, by: Actor, pair: int, **said: Any) -> Review:
        """The review of somebody's own assignment of a pair."""
        [row] = [row for row in self.rows(by) if row.pair == pair and row.state is not AssignmentState.DONE]
        given: dict[str, Any] = said or {"no_discrepancy": True}
        return self.service.review_assignment(row.number, by=by, **given)

    def rows(self, by: Actor, **asked: Any) -> list[AssignmentRow]:
        """Assignments of somebody."""
        return list(self.service.assignments(by=by, reader=by.name, **asked).rows)

    def start(self, plan: ProtocolPlan = PLAN, **more: Any) -> ProtocolRecord:
        """A protocol over all pairs."""
        return self.service.create_protocol(evolve(plan, **more), by=LEAD)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def ward(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ward]:
    """Three pairs: the first differs urgently, by readers r1 and r2, the others are the same; all are scored."""
    clock = Clock()
    opened: Callable[[], Any] = {
        "memory": MemoryHospitalStore,
        "sqlite": lambda: open_hospital_store(tmp_path / "hospital.db", texts="plain"),
        "postgres": lambda: open_hospital_store(request.getfixturevalue("postgres_store"), texts="plain"),
    }[request.param]
    service = hospital(store=opened(), clock=clock)
    for accession, text in (("A1", "clear"), ("A2", "clear pneumothorax"), ("A3", "clear pneumothorax")):
        service.ingest(
            [
                version(ReportStatus.PRELIMINARY, text, accession=accession, reader="r1", model=""),
                version(ReportStatus.FINAL, "clear pneumothorax", accession=accession, reader="r2"),
            ],
            by=SUBMITTER,
        )
    while service.work(worker="w"):
        pass
    yield Ward(service, clock)
    service.close()


def seen(severity: Severity = Severity.SIGNIFICANT, reason: str = "there is one") -> Verdict:
    """A discrepancy that a reader sees."""
    category = ErrorCategory.OMITTED_FINDING
    return Verdict(discrepancy=None, kind=VerdictKind.AMEND, category=category, severity=severity, reason=reason)


def refused(call: Callable[[], object], words: str | None = None) -> None:
    """Holds that a call is refused."""
    with pytest.raises((InputError, NotFoundError), match=words):
        call()


def test_every_pair_goes_to_its_readers(ward: Ward) -> None:
    """Each reader finds their own and no other's, in one order for all; the lead sees everybody's and their loads."""
    record = ward.start(per_pair=2)
    assert (record.pairs, record.reading, record.short) == (3, 3, ())
    assert [(load.reader, load.task, load.assigned, load.open) for load in record.loads] == [
        ("ann", ReadingTask.READING, 3, 3),
        ("ben", ReadingTask.READING, 3, 3),
        ("dot", ReadingTask.ADJUDICATION, 0, 0),
    ]
    assert [row.pair for row in ward.rows(ANN)] == [row.pair for row in ward.rows(BEN)]
    assert {row.reader for row in ward.rows(ANN)} == {"ann"}
    assert ward.rows(CAY) == []
    assert len(ward.service.assignments(by=LEAD).rows) == 6
    refused(lambda: ward.service.assignments(by=ANN, reader="ben"))
    refused(lambda: ward.service.assignment(ward.rows(BEN)[0].number, by=ANN))


def test_pairs_are_chosen_once(ward: Ward) -> None:
    """By a sample, by a search, or by their numbers; what comes later does not come in."""
    sample = ward.service.draw_sample(Search(), SamplePlan(size=2, method=SampleMethod.RANDOM), by=LEAD)
    assert ward.start(search=None, sample=sample.number).pairs == 2
    assert ward.start(search=None, pairs=(3, 1)).pairs == 2
    assert ward.start(search=Search(accession="A1")).protocol.chosen == "search: accession given"
    for plan, words in (
        ({"search": None}, "one of these"),
        ({"sample": 1}, "one of these"),
        ({"per_pair": 3}, "1 to 2 of the readers"),
        ({"adjudicators": [ProtocolReader(name="ann")]}, "named twice"),
        ({"search": None, "pairs": (1, 99)}, "99"),
        ({"search": Search(site="nowhere")}, "no pairs"),
        ({"search": None, "sample": 99}, "99"),
        ({"name": " "}, "a name"),
    ):
        refused(lambda plan=plan: ward.start(**plan), words)  # type: ignore[misc]


def test_authors_do_not_read_their_own(ward: Ward) -> None:
    """Under any of their names; the pair is left short, and the reason is told."""
    known = ProtocolReader(name="ben", known_as=("R2",))
    record = ward.start(readers=[ProtocolReader(name="ann"), known])
    assert {row.reader for row in ward.service.assignments(by=LEAD).rows} == {"ann"}
    assert [short.pair for short in record.short] == [1, 2, 3]
    assert "1 of 2 readers: the others are authors" in record.short[0].reason
    ward.read(ANN, 1)
    assert ward.service.protocol(1, by=LEAD).agreed == 1


def test_who_has_reviewed_a_pair_is_not_blind_to_it(ward: Ward) -> None:
    """They do not read it blinded, but do so in an open protocol."""
    signature = str(ward.service.pair(1, by=ANN).current["notation"].signature)
    ward.service.review(1, by=ANN, signature=signature, radpeer=Radpeer.CONCUR)
    assert [short.pair for short in ward.start().short] == [1]
    assert ward.start(mode=ReadingMode.OPEN).short == ()


def test_a_blinded_reader_sees_the_reports_alone(ward: Ward) -> None:
    """By no call is there an author, a result, a proposal, a review or a place in an order; then all of it."""
    other = ward.service
    signature = str(other.pair(1, by=EVE).current["notation"].signature)
    other.review(1, by=EVE, signature=signature, radpeer=Radpeer.EXPECTED_SIGNIFICANT, comment="SECRET")
    ward.start()
    for explain in (False, True):
        record = other.pair(1, by=ANN, explain=explain)
        assert record.blinded
        assert record.report_pair is not None
        assert (record.results, record.current, record.proposed, record.reasons, record.reviews) == (
            {},
            {},
            None,
            (),
            (),
        )
        assert {(each.version.reader, each.version.model) for each in record.versions} == {("", "")}
    examination = other.examination(ExaminationKey("north", "A1"), by=ANN)
    assert (examination.blinded, examination.pairs) == (True, ())
    assert {each.version.reader for each in examination.versions} == {""}
    assert other.search(Search(), by=ANN).total == 0
    assert other.search(Search(accession="A1"), by=ANN).rows == ()
    assert other.rates(Search(), by=ANN).overall.pairs == 0
    refused(lambda: other.draw_sample(Search(), SamplePlan(size=1), by=ANN), "no pairs")
    boss = Actor(name="ann", roles={Role.ADMIN})
    assert list(other.export(Search(), by=boss)) == []
    assert other.pair(1, by=boss).blinded
    refused(lambda: other.review(1, by=ANN, signature=signature, radpeer=Radpeer.CONCUR), "blinded")
    for everyone in (EVE, LEAD, ADMIN):
        assert not other.pair(1, by=everyone).blinded
        assert other.search(Search(), by=everyone).total == 3
    ward.read(ANN, 1)
    record = other.pair(1, by=ANN)
    assert not record.blinded
    assert record.proposed is Radpeer.EXPECTED_SIGNIFICANT
    assert [review.reviewer for review in record.reviews] == ["eve", "ann"]
    assert [row.pair for row in other.search(Search(), by=ANN).rows] == [1]
    assert other.pair(1, by=BEN).blinded


def test_pairs_of_the_same_examination_are_blinded_too(ward: Ward) -> None:
    """The correction of a final report tells what was wrong with it, and who wrote it."""
    ward.start(search=None, pairs=(1,))
    corrected = version(ReportStatus.CORRECTED, "clear pneumothorax now", accession="A1", reader="r3")
    [receipt] = ward.service.ingest([corrected], by=SUBMITTER)
    [later] = receipt.pairs
    assert ward.service.pair(later, by=ANN).blinded
    assert sorted(row.pair for row in ward.service.search(Search(), by=ANN).rows) == [2, 3]
    ward.read(ANN, 1)
    assert not ward.service.pair(later, by=ANN).blinded


def test_a_batch_shows_its_submitter_nothing_that_they_read_blinded(ward: Ward) -> None:
    """A reader who may submit as well sees the results of their own batch only when they have read it."""
    ann = Actor(name="ann", roles={Role.REVIEWER, Role.SUBMITTER})
    from ..hospital import pair as given  # noqa: PLC0415 - a name of its own here

    batch = ward.service.submit([given("1", "clear pneumothorax", "clear")], by=ann)
    ward.service.work(worker="w")
    number = ward.service.batch_results(batch.number, by=ann)[0].number
    ward.start(search=None, pairs=(number,))
    [record] = ward.service.batch_results(batch.number, by=ann)
    assert (record.blinded, record.current, record.proposed) == (True, {}, None)


def test_a_blinded_review_stays_and_an_answer_comes_beside_it(ward: Ward) -> None:
    """What was said blind is not changed by what was said to the program's discrepancies after."""
    ward.start(asks_radpeer=True)
    blind = ward.read(ANN, 1, verdicts=[seen()], radpeer=Radpeer.UNDERSTANDABLE_SIGNIFICANT)
    assert (blind.stage, blind.signature, blind.proposed) == (ReviewStage.BLINDED, "", None)
    signature = str(ward.service.pair(1, by=ANN).current["notation"].signature)
    agree = Verdict(discrepancy=0, kind=VerdictKind.AGREE)
    later = ward.service.review(1, by=ANN, signature=signature, verdicts=[agree], radpeer=Radpeer.EXPECTED_SIGNIFICANT)
    assert later.stage is ReviewStage.UNBLINDED
    assert list(ward.service.pair(1, by=LEAD).reviews) == [blind, later]
    [row] = ward.service.search(Search(accession="A1"), by=LEAD).rows
    assert row.radpeer is Radpeer.UNDERSTANDABLE_SIGNIFICANT
    number = blind.assignment or 0
    refused(lambda: ward.service.review_assignment(number, by=ANN, no_discrepancy=True), "done")


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"comment": "fine"}, "state that there is none"),
        ({"no_discrepancy": True, "verdicts": [seen()]}, "names one"),
        ({"verdicts": [evolve(seen(), severity=None)]}, "needs a severity"),
        ({"verdicts": [Verdict(discrepancy=0, kind=VerdictKind.AGREE)]}, "not among the 0"),
        ({"no_discrepancy": True, "radpeer": Radpeer.CONCUR}, "asks for no RADPEER"),
        ({"no_discrepancy": True, "signature": "notation|1"}, "of no result"),
    ],
)
def test_a_blinded_review_is_whole_and_of_no_result(ward: Ward, said: dict[str, Any], words: str) -> None:
    """Otherwise nothing is kept, and the pair stays blinded."""
    ward.start()
    refused(lambda: ward.read(ANN, 1, **said), words)
    assert ward.service.pair(1, by=ANN).blinded
    assert ward.service.pair(1, by=LEAD).reviews == ()


def test_a_score_is_asked_for_where_the_protocol_says_so(ward: Ward) -> None:
    """And not left out then."""
    ward.start(asks_radpeer=True)
    refused(lambda: ward.read(ANN, 1), "asks for a RADPEER")
    assert ward.read(ANN, 1, no_discrepancy=True, radpeer=Radpeer.CONCUR).radpeer is Radpeer.CONCUR


def test_readers_who_differ_are_adjudicated(ward: Ward) -> None:
    """By somebody who sees what they said and not who said it; what is adjudicated stands, theirs stays."""
    ward.start(asks_radpeer=True)
    ward.read(ANN, 1, verdicts=[seen(reason="OMITS IT")], radpeer=Radpeer.EXPECTED_SIGNIFICANT)
    assert ward.rows(DOT) == []
    ward.read(BEN, 1, no_discrepancy=True, radpeer=Radpeer.CONCUR)
    [row] = ward.service.search(Search(accession="A1"), by=LEAD).rows
    assert row.radpeer is None
    [task] = ward.rows(DOT)
    assert (task.task, task.reader, task.pair) == (ReadingTask.ADJUDICATION, "", 1)
    record = ward.service.assignment(task.number, by=DOT)
    assert record.record.blinded
    assert {reading.label for reading in record.readings} == {"reader 1", "reader 2"}
    assert {reading.no_discrepancy for reading in record.readings} == {True, False}
    assert "OMITS IT" in {verdict.reason for reading in record.readings for verdict in reading.verdicts}
    assert not {"ann", "ben"} & set(repr(record).replace("'", '"').split('"'))
    ward.service.claim_assignment(task.number, by=DOT)
    review = ward.read(DOT, 1, verdicts=[seen()], radpeer=Radpeer.UNDERSTANDABLE_SIGNIFICANT)
    assert review.stage is ReviewStage.ADJUDICATED
    [row] = ward.service.search(Search(accession="A1"), by=LEAD).rows
    assert row.radpeer is Radpeer.UNDERSTANDABLE_SIGNIFICANT
    assert [each.reviewer for each in ward.service.pair(1, by=DOT).reviews] == ["ann", "ben", "dot"]
    progress = ward.service.protocol(1, by=LEAD)
    assert (progress.reading, progress.adjudicated, progress.different) == (2, 1, 0)


def test_readers_who_agree_need_nobody_else(ward: Ward) -> None:
    """The pair is settled, and whoever would have adjudicated it sees it as others do."""
    ward.start()
    assert ward.service.pair(1, by=DOT).blinded
    for reader in (ANN, BEN):
        ward.read(reader, 1, verdicts=[seen()])
    assert ward.service.protocol(1, by=LEAD).agreed == 1
    assert ward.rows(DOT) == []
    assert not ward.service.pair(1, by=DOT).blinded


def test_a_pair_that_nobody_can_adjudicate_says_so(ward: Ward) -> None:
    """An author of it is no adjudicator, and not every protocol has one."""
    for number, adjudicators in enumerate(([ProtocolReader(name="dot", known_as=("r1",))], []), 1):
        ward.start(adjudicators=adjudicators)
        ward.read(ANN, 1 + number, verdicts=[seen()])
        ward.read(BEN, 1 + number)
        record = ward.service.protocol(number, by=LEAD)
        assert record.different == 1
        assert [short.reason for short in record.short if short.pair == 1 + number and "differ" in short.reason]
        assert ward.rows(DOT) == []
        ward.service.close_protocol(number, by=LEAD)


def test_an_open_protocol_hides_nothing(ward: Ward) -> None:
    """Its readers review as ever, and their assignment is done by it."""
    ward.start(mode=ReadingMode.OPEN)
    record = ward.service.pair(1, by=ANN)
    assert not record.blinded
    signature = str(record.current["notation"].signature)
    agree = Verdict(discrepancy=0, kind=VerdictKind.AGREE)
    refused(lambda: ward.service.review(1, by=ANN, signature=signature, comment="seen"), "name a discrepancy")
    review = ward.service.review(1, by=ANN, signature=signature, verdicts=[agree])
    assert (review.stage, review.assignment) == (ReviewStage.OPEN, ward.rows(ANN, state=AssignmentState.DONE)[0].number)
    ward.read(BEN, 1, signature=signature, verdicts=[agree])
    assert ward.service.protocol(1, by=LEAD).agreed == 1


def test_a_claim_keeps_others_away_until_it_ends(ward: Ward) -> None:
    """Of what is nobody's; then somebody else may take it, and the first finds it taken."""
    ward.start(per_pair=1, readers=[ProtocolReader(name=name) for name in ("ann", "ben", "cay")], claim_minutes=30)
    [own] = ward.rows(ANN)
    assert own.state is AssignmentState.OPEN
    claimed = ward.service.claim_assignment(own.number, by=ANN)
    assert (claimed.state, claimed.claimant) == (AssignmentState.CLAIMED, "ann")
    released = ward.service.release_assignment(own.number, by=ANN)
    assert (released.reader, released.state) == ("", AssignmentState.OPEN)
    assert own.number in [row.number for row in ward.rows(BEN)]
    until = ward.service.claim_assignment(own.number, by=BEN).claimed_until
    assert until is not None
    assert own.number not in [row.number for row in ward.rows(CAY)]
    refused(lambda: ward.service.claim_assignment(own.number, by=CAY), "claimed")
    refused(lambda: ward.service.review_assignment(own.number, by=CAY, no_discrepancy=True), "claimed")
    refused(lambda: ward.service.release_assignment(own.number, by=CAY), "not claimed by you")
    ward.clock.move(minutes=30)
    assert own.number in [row.number for row in ward.rows(CAY)]
    ward.service.claim_assignment(own.number, by=CAY)
    refused(lambda: ward.service.review_assignment(own.number, by=BEN, no_discrepancy=True), "claimed")
    ward.service.review_assignment(own.number, by=CAY, no_discrepancy=True)
    refused(lambda: ward.service.claim_assignment(own.number, by=CAY), "done")


def test_nobody_reads_a_pair_twice(ward: Ward) -> None:
    """Neither by claiming what another gave back, nor by the lead's hand; nor an author, nor a stranger."""
    readers = [ProtocolReader(name="ann"), ProtocolReader(name="ben"), ProtocolReader(name="cay", known_as=("r1",))]
    ward.start(readers=readers, search=None, pairs=(1,))
    [own], [other] = ward.rows(ANN), ward.rows(BEN)
    ward.service.release_assignment(own.number, by=ANN)
    assert own.number not in [row.number for row in ward.rows(BEN)]
    refused(lambda: ward.service.claim_assignment(own.number, by=BEN))
    for name, words in (("ben", "another"), ("cay", "author"), ("eve", "not among"), ("dot", "not among")):
        refused(lambda name=name: ward.service.reassign(own.number, reader=name, by=LEAD), words)  # type: ignore[misc]
    assert ward.service.reassign(own.number, reader="ann", by=LEAD).reader == "ann"
    ward.read(BEN, 1)
    refused(lambda: ward.service.reassign(other.number, reader="ann", by=LEAD), "done")


def test_what_is_late_is_overdue(ward: Ward) -> None:
    """From its due date on, until it is done; lists can be asked for each state."""
    ward.start(due=ward.clock.time.replace(hour=13))
    ward.service.claim_assignment(ward.rows(ANN)[0].number, by=ANN)
    assert [len(ward.rows(ANN, state=state)) for state in AssignmentState] == [2, 1, 0, 0]
    ward.clock.move(hours=1)
    ward.read(ANN, 2)
    assert [len(ward.rows(ANN, state=state)) for state in AssignmentState] == [0, 0, 2, 1]
    [load, *_] = ward.service.protocol(1, by=LEAD).loads
    assert (load.open, load.claimed, load.overdue, load.done) == (0, 0, 2, 1)


def test_a_list_comes_page_by_page(ward: Ward) -> None:
    """Each page tells where the next goes on."""
    ward.start()
    numbers, after = [], 0
    for _ in range(3):
        page = ward.service.assignments(by=LEAD, after=after, limit=2)
        numbers += [row.number for row in page.rows]
        after = page.next or 0
    assert (numbers, after) == ([1, 2, 3, 4, 5, 6], 0)


def test_a_closed_protocol_blinds_nobody(ward: Ward) -> None:
    """What is not done is dropped; what is stays."""
    ward.start()
    ward.read(ANN, 1)
    [left] = ward.rows(BEN)[:1]
    assert ward.service.close_protocol(1, by=LEAD).closed == ward.clock.time
    assert not ward.service.pair(1, by=BEN).blinded
    assert ward.service.search(Search(), by=BEN).total == 3
    assert ward.rows(BEN) == []
    assert [row.pair for row in ward.rows(ANN)] == [1]
    refused(lambda: ward.service.review_assignment(left.number, by=BEN, no_discrepancy=True), "closed")
    assert [each.number for each in ward.service.protocols(by=LEAD)] == [1]


def test_what_is_withdrawn_or_has_no_text_is_not_read(ward: Ward) -> None:
    """It is listed with the reason."""
    ward.service.ingest([version(ReportStatus.CANCELLED, "", accession="A2")], by=SUBMITTER)
    record = ward.start(search=None, pairs=(1, 2))
    assert [(short.pair, short.reason) for short in record.short] == [(2, "a report of it was withdrawn")]
    assert [row.pair for row in ward.rows(ANN)] == [1]


def test_erasing_a_patient_takes_their_assignments_along(ward: Ward) -> None:
    """Whoever had them has none, and the protocol counts what is left."""
    ward.start()
    ward.read(ANN, 1)
    ward.service.erase_patient("P1", by=ADMIN)
    assert ward.rows(ANN) == ward.rows(BEN) == []
    assert ward.service.protocol(1, by=LEAD).pairs == 0
    with ward.service.store.reading() as unit:
        assert unit.assignments.of(1) == []


def test_everything_that_is_done_is_in_the_trail(ward: Ward) -> None:
    """Without a word of a report or a review; reviews hold against their events."""
    ward.start()
    [row, *_] = ward.rows(ANN)
    ward.service.claim_assignment(row.number, by=ANN)
    ward.service.release_assignment(row.number, by=ANN)
    ward.service.reassign(row.number, reader="ann", by=LEAD)
    ward.service.assignment(row.number, by=ANN)
    ward.read(ANN, row.pair, verdicts=[seen(reason="SECRET")], comment="SECRET")
    ward.service.protocols(by=LEAD)
    ward.service.close_protocol(1, by=LEAD)
    events = ward.service.audit_trail(by=ADMIN)
    actions = [event.action for event in events]
    assert {"protocol", "assignments", "claim", "release", "reassign", "review", "close protocol"} <= set(actions)
    assert "SECRET" not in repr(events)
    assert verify(events).holds
    check = ReviewCheck()
    for event in events:
        check.note(event)
    with ward.service.store.reading() as unit:
        outcome = check.against(unit, TrailCheck(events=len(events), newest=""))
    assert (outcome.reviews, outcome.problem) == (1, "")


def test_agreement_is_of_what_was_said_for_the_protocol(ward: Ward) -> None:
    """Blinded readings count, what was said after does not; those who still read are not told."""
    ward.start()
    ward.read(ANN, 1, verdicts=[seen()])
    signature = str(ward.service.pair(1, by=ANN).current["notation"].signature)
    disagree = Verdict(discrepancy=0, kind=VerdictKind.DISAGREE, reason="x")
    ward.service.review(1, by=ANN, signature=signature, verdicts=[disagree])
    ward.read(BEN, 1)
    for reader in (ANN, BEN):
        ward.read(reader, 2)
    agreement = ward.service.agreement(1, by=LEAD, draws=20)
    assert agreement.pairs == 2
    assert [row.pairs for row in agreement.verdict] == [1, 1, 1]
    assert agreement.readers[0].significant.value == pytest.approx(0.0)
    assert agreement.program[0].significant.value == pytest.approx(1.0)
    ward.read(DOT, 1, verdicts=[seen()])
    assert ward.service.agreement(1, by=LEAD, draws=20).verdict[1].significant.value == pytest.approx(0.0)
    chief = Actor(name="ann", roles={Role.LEAD})
    refused(lambda: ward.service.agreement(1, by=chief, draws=20), "when it is closed")
    ward.service.close_protocol(1, by=LEAD)
    assert ward.service.agreement(1, by=chief, draws=20).pairs == 2


def test_readings_are_not_told_to_a_lead_who_reads_for_the_protocol(ward: Ward) -> None:
    """They may have to read the pair yet; a lead who does not sees what everybody said."""
    readers = [ProtocolReader(name=name) for name in ("ann", "ben", "cay")]
    ward.start(readers=readers, search=None, pairs=(1,))
    busy = {row.reader for row in ward.service.assignments(by=LEAD).rows}
    [idle] = {"ann", "ben", "cay"} - busy
    for place, name in enumerate(sorted(busy)):
        said = {"verdicts": [seen()]} if place else {"no_discrepancy": True}
        ward.read(Actor(name=name, roles={Role.REVIEWER}), 1, **said)
    [task] = ward.rows(DOT)
    chief = Actor(name=idle, roles={Role.LEAD})
    record = ward.service.assignment(task.number, by=chief)
    assert (record.record.blinded, record.readings) == (True, ())
    assert len(ward.service.assignment(task.number, by=LEAD).readings) == 2


def test_readers_who_finish_one_pair_at_once_settle_it_once(ward: Ward) -> None:
    """Neither is left waiting for the other, nor is it adjudicated twice."""
    for number in (1, 2, 3):
        ward.start(search=None, pairs=(number,))
    for number in (1, 2, 3):
        barrier = Barrier(2)

        def read(reader: Actor, barrier: Barrier = barrier, pair: int = number) -> None:
            said: dict[str, Any] = {"verdicts": [seen()]} if reader is ANN else {"no_discrepancy": True}
            [row] = [row for row in ward.rows(reader) if row.pair == pair]
            barrier.wait(10)
            ward.service.review_assignment(row.number, by=reader, **said)

        with ThreadPoolExecutor(2) as threads:
            list(threads.map(read, [ANN, BEN]))
        assert ward.service.protocol(number, by=LEAD).different == 1
        assert [row.pair for row in ward.rows(DOT, protocol=number)] == [number]
