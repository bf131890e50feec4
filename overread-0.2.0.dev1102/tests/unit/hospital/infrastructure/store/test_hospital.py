"""The hospital's store: the same promises in memory, in a SQLite file and in a real PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

from overread.domain.reports.report import ClinicalContext, Report, ReportPart
from overread.domain.results.result import Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import ConfigurationError, NotFoundError
from overread.hospital.application.ports import HospitalStore, Sampled
from overread.hospital.application.requests import Erased, Order, PairState, Refusal, Search
from overread.hospital.domain.access import AccessKey
from overread.hospital.domain.audit_trail import Role, verify
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.patient_merge import MergeKind, PatientMerge
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.domain.review import Radpeer, Review, ReviewState, Verdict, VerdictKind
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.testing import MemoryHospitalStore
from overread.infrastructure.store import _file

from .hospital_data import (
    FINDINGS,
    HOUR,
    NOW,
    PRESENT,
    add_compared,
    discrepancy,
    event,
    examination,
    finish,
    report_pair,
    results,
    version,
    without_patient,
)


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[HospitalStore]:
    """A store of each kind, empty."""
    opened: Callable[[], Any] = {
        "memory": MemoryHospitalStore,
        "sqlite": lambda: open_hospital_store(tmp_path / "hospital.db", texts="plain"),
        "postgres": lambda: open_hospital_store(request.getfixturevalue("postgres_store"), texts="plain"),
    }[request.param]
    store = opened()
    yield store
    store.close()


def test_a_version_comes_back_as_it_arrived(store: HospitalStore) -> None:
    """With what it tells of each examination, odd characters and zones included; the patient is nowhere."""
    given = version(
        text="Größe 3 mm.\r\nLine\ttwo \ud800 \x00 end",
        examinations=(
            examination("A1", procedure="CT head", performed=NOW.astimezone(), body_part="HEAD"),
            examination("A2", context=ClinicalContext(age=66.5, sex="F", indication="Fall?", comparison="None.")),
        ),
        issued=NOW,
        message="m1",
        placer="p",
        model="m 1.0",
    )
    with store.transaction() as unit:
        kept = unit.versions.add(given, NOW)
    with store.reading() as unit:
        [found] = unit.versions.get([kept.number])
    assert found.version == without_patient(given)
    assert (found.arrived, found.has_text) == (NOW, True)


def test_a_resend_is_known_by_its_message_or_its_text(store: HospitalStore) -> None:
    """The newest of a report counts, so that a text that comes back after another is a version of its own."""
    with store.transaction() as unit:
        first = unit.versions.add(version(text="a", message="m1"), NOW).number
        assert unit.versions.resent(version(text="a", message="m1")) == first
        assert unit.versions.resent(version(text="a", message="m2")) == first
        assert unit.versions.resent(version(text="b", message="m1")) is None
        assert unit.versions.resent(version(text="a", message="m1", status=ReportStatus.CORRECTED)) is None
        assert unit.versions.resent(version("A2", text="a", filler="FA1")) is None
        second = unit.versions.add(version(text="b", message="m2"), NOW).number
        assert unit.versions.resent(version(text="a", message="m3")) is None
        assert unit.versions.resent(version(text="a", message="m1")) == first
        assert unit.versions.resent(version(text="b", message="m4")) == second


def test_what_comes_again_after_a_cancellation_is_no_resend(store: HospitalStore) -> None:
    """Nor is the second cancellation of a report that was sent between; the same message always is."""
    with store.transaction() as unit:

        def sent(message: str, **told: Any) -> ReportVersion:
            return version(text="a", message=message, **told)

        first = unit.versions.add(sent("m1"), NOW).number
        withdrawn = unit.versions.add(sent("m2", status=ReportStatus.CANCELLED), NOW).number
        assert unit.versions.resent(sent("m1")) == first
        assert unit.versions.resent(sent("m3")) is None
        assert unit.versions.resent(sent("m4", status=ReportStatus.CANCELLED)) == withdrawn
        again = unit.versions.add(sent("m3"), NOW).number
        assert unit.versions.resent(sent("m5")) == again
        assert unit.versions.resent(sent("m6", status=ReportStatus.CANCELLED)) is None
        other = unit.versions.add(sent("m7", filler="other"), NOW).number
        unit.versions.add(sent("m8", status=ReportStatus.CANCELLED), NOW)
        assert unit.versions.resent(sent("m9", filler="other")) == other


def test_versions_are_related_over_shared_reports(store: HospitalStore) -> None:
    """A report on A and B ties A's versions to B's, over any number of steps; others stay out."""
    with store.transaction() as unit:
        one = unit.versions.add(version("A"), NOW).number
        both = unit.versions.add(version(examinations=(examination("A"), examination("B"))), NOW).number
        far = unit.versions.add(version(examinations=(examination("B"), examination("C"))), NOW).number
        unit.versions.add(version("D"), NOW)
        unit.versions.add(version(examinations=(examination("A", site="south"),)), NOW)
        unit.versions.lock([ExaminationKey("north", "A"), ExaminationKey("north", "B")])
        related = unit.versions.related([ExaminationKey("north", "C")])
    assert [kept.number for kept in related] == [one, both, far]


def test_an_examination_is_what_its_versions_tell(store: HospitalStore) -> None:
    """The later word counts, and silence takes nothing back."""
    with store.transaction() as unit:
        told = examination(patient="4711", procedure="CT head", context=ClinicalContext(age=66, indication="Fall."))
        unit.versions.add(version(examinations=(told,)), NOW)
        later = examination(modality="", device="scanner 2", context=ClinicalContext(sex="F", comparison="None."))
        unit.versions.add(version(examinations=(later,), text="b"), NOW)
        found = evolve(unit.versions.examination(told.key), patient="")
        with pytest.raises(NotFoundError):
            unit.versions.examination(ExaminationKey("north", "none"))
    context = ClinicalContext(age=66, sex="F", indication="Fall.", comparison="None.")
    assert found == evolve(told, patient="", device="scanner 2", context=context)


def test_texts_of_old_versions_are_forgotten(store: HospitalStore) -> None:
    """With the pairs that repeat them; what is known beside the text stays, and a resend is still known."""
    with store.transaction() as unit:
        old = add_compared(unit, "A1", at=NOW, risk=0.5)
        new = add_compared(unit, "A2", at=NOW + HOUR, risk=0.5)
        assert unit.versions.forget_texts(NOW + HOUR) == 2
        assert unit.versions.forget_texts(NOW + HOUR) == 0
    with store.reading() as unit:
        gone, kept = unit.pairs.get([old, new])
        [blank] = unit.versions.get(gone.pair.reference)
        assert (blank.has_text, blank.version.text, blank.version.reader) == (False, Report(""), "r1")
        assert gone.report_pair is None
        assert gone.digest
        assert kept.report_pair is not None
        assert unit.versions.resent(version("A1", text="Not clear. A1")) == blank.number


def test_the_same_versions_make_one_pair(store: HospitalStore) -> None:
    """Whoever makes it again is told its number."""
    with store.transaction() as unit:
        numbers = [unit.versions.add(version(text=text), NOW).number for text in "abc"]
        pair = VersionPair(kind=PairKind.DRAFT_FINAL, candidate=tuple(numbers[:2]), reference=(numbers[2],))
        given = report_pair("x")
        first, is_new = unit.pairs.add(pair, given, made=NOW)
        assert is_new
        assert unit.pairs.add(pair, given, made=NOW + HOUR) == (first, False)
        other, is_new = unit.pairs.add(evolve(pair, kind=PairKind.PRELIMINARY_FINAL), None, made=NOW)
        assert is_new
    with store.reading() as unit:
        kept, textless = unit.pairs.get([first, other])
        assert (kept.pair, kept.report_pair, kept.owner, kept.batch) == (pair, given, "", None)
        assert textless.report_pair is None
        assert unit.pairs.of_versions([numbers[1]]) == [first, other]
        with pytest.raises(NotFoundError):
            unit.pairs.get([first, 999])


def test_the_parts_of_joined_reports_are_kept(store: HospitalStore) -> None:
    """A pair comes back with them, and is another than one of the same texts without."""
    whole = report_pair("x")
    parted = evolve(whole, candidate=Report(whole.candidate.text, [ReportPart(0, 2, frozenset({0, 3}))]))
    with store.transaction() as unit:
        numbers = [unit.versions.add(version(text=text), NOW).number for text in "ab"]
        pair = VersionPair(kind=PairKind.DRAFT_FINAL, candidate=numbers[:1], reference=numbers[1:])
        first, _ = unit.pairs.add(pair, parted, made=NOW)
        second, _ = unit.pairs.add(evolve(pair, kind=PairKind.PRELIMINARY_FINAL), whole, made=NOW)
    with store.reading() as unit:
        kept, other = unit.pairs.get([first, second])
        assert (kept.report_pair, other.report_pair) == (parted, whole)
        assert kept.digest != other.digest


def test_a_batch_is_submitted_once_and_followed(store: HospitalStore) -> None:
    """A key is its owner's; pairs wait, and then are scored or not."""
    with store.transaction() as unit:
        batch, is_new = unit.batches.add("night", owner="pacs", key="k", made=NOW)
        assert is_new
        assert unit.batches.add("night", owner="pacs", key="k", made=NOW) == (batch, False)
        assert unit.batches.add("night", owner="other", key="k", made=NOW)[1]
        assert (
            unit.batches.add("", owner="pacs", key="", made=NOW)[0]
            != unit.batches.add("", owner="pacs", key="", made=NOW)[0]
        )
        given = [report_pair(f"p{n}") for n in range(4)]
        numbers = unit.pairs.add_given(given, owner="pacs", batch=batch, made=NOW)
        unit.jobs.add(numbers)
    assert [kept.report_pair for kept in _pairs(store, numbers)] == given
    with store.transaction() as unit:
        assert unit.batches.state(batch)[0].waiting == 4
        finish(unit, numbers[0], results("p0"))
        finish(unit, numbers[1], results("p1", Unscored("too long", "it is")))
    with store.reading() as unit:
        state, owner = unit.batches.state(batch)
        assert (state.name, state.pairs, state.scored, state.unscored, state.waiting) == ("night", 4, 1, 1, 2)
        assert (owner, state.is_done) == ("pacs", False)
        assert list(unit.pairs.of_batch(batch)) == list(numbers)
        assert [each.state for each in unit.pairs.get(numbers)] == [
            PairState.SCORED,
            PairState.UNSCORED,
            PairState.WAITING,
            PairState.WAITING,
        ]
        with pytest.raises(NotFoundError):
            unit.batches.state(999)


def test_results_are_kept_once_and_beside_earlier_ones(store: HospitalStore) -> None:
    """The same pair under the same signature: a score after a reason takes its place, and never the other way round."""
    later = (Signature("radot", (("version", "2"),)), Signature("notation", (("version", "2"),)))
    with store.transaction() as unit:
        pair = add_compared(unit)
        name = _pairs_of(unit, pair)
        unscored = results(name, Unscored("gave up", "three times"))
        unit.pairs.add_results({pair: unscored})
        assert _by_metric(unit, pair) == unscored
        scored = results(name, 0.25, [discrepancy()])
        unit.pairs.add_results({pair: scored})
        unit.pairs.add_results({pair: unscored})
        unit.pairs.add_results({pair: results(name, 0.75)})
        assert _by_metric(unit, pair) == scored
        anew = results(name, 0.5, signatures=later)
        unit.pairs.add_results({pair: anew})
    with store.reading() as unit:
        [found] = unit.pairs.results([pair])
        assert list(found) == [*scored.values(), *anew.values()]
        with pytest.raises(NotFoundError):
            unit.pairs.results([999])


def test_jobs_are_claimed_by_one_until_their_lease_ends(store: HospitalStore) -> None:
    """The oldest first; one whose worker died is claimed again, and that worker's word counts no more."""
    with store.transaction() as unit:
        pairs = unit.pairs.add_given([report_pair(f"p{n}") for n in range(3)], owner="o", batch=None, made=NOW)
        unit.jobs.add([*pairs, pairs[0]])
        unit.jobs.add(pairs[:1])
        assert unit.jobs.waiting() == 3
        first = unit.jobs.claim("a", limit=2, now=NOW, lease=HOUR, profile="x")
        second = unit.jobs.claim("b", limit=2, now=NOW, lease=HOUR, profile="x")
        assert [job.pair for job in first] == list(pairs[:2])
        assert [job.pair for job in second] == list(pairs[2:])
        assert unit.jobs.claim("c", limit=2, now=NOW + HOUR / 2, lease=HOUR, profile="x") == []
        numbers = [job.number for job in first]
        assert list(unit.jobs.extend("a", numbers[:1], until=NOW + 3 * HOUR)) == numbers[:1]
        again = unit.jobs.claim("c", limit=9, now=NOW + HOUR, lease=HOUR, profile="x")
        assert [(job.pair, job.attempts) for job in again] == [(pairs[1], 2), (pairs[2], 2)]
        assert list(unit.jobs.finish("a", numbers)) == numbers[:1]
        assert list(unit.jobs.extend("a", numbers, until=NOW + 9 * HOUR)) == []
        unit.jobs.release("c", [again[0].number, 999], again=NOW + 5 * HOUR)
        assert unit.jobs.claim("d", limit=9, now=NOW + 4 * HOUR, lease=HOUR, profile="x")[0].pair == pairs[2]
        [given_back] = unit.jobs.claim(
            "d", limit=1, now=NOW + 5 * HOUR - timedelta(seconds=1) + HOUR, lease=HOUR, profile="x"
        )
        assert (given_back.pair, given_back.attempts) == (pairs[1], 2)
        assert unit.jobs.waiting() == 2


def test_a_job_waits_for_a_worker_of_its_profile(store: HospitalStore) -> None:
    """One without a profile is anybody's; a pair is queued once for each."""
    with store.transaction() as unit:
        [pair] = unit.pairs.add_given([report_pair("p")], owner="o", batch=None, made=NOW)
        unit.jobs.add([pair], profile="new")
        unit.jobs.add([pair], profile="new")
        unit.jobs.add([pair])
        old = unit.jobs.claim("a", limit=9, now=NOW, lease=HOUR, profile="old")
        new = unit.jobs.claim("a", limit=9, now=NOW, lease=HOUR, profile="new")
    assert [job.profile for job in (*old, *new)] == ["", "new"]


def test_deliveries_are_kept_until_they_arrive(store: HospitalStore) -> None:
    """Once for a pair and a target, sent or not; what is given up is not tried again."""
    with store.transaction() as unit:
        pairs = unit.pairs.add_given([report_pair(f"p{n}") for n in range(2)], owner="o", batch=None, made=NOW)
        unit.deliveries.add(pairs, "registry")
        unit.deliveries.add(pairs, "registry")
        unit.deliveries.add(pairs[:1], "chat")
        sent, failed, hopeless = unit.deliveries.claim("a", limit=9, now=NOW, lease=HOUR)
        assert unit.deliveries.claim("b", limit=9, now=NOW, lease=HOUR) == []
        unit.deliveries.finish("b", [sent.number])
        unit.deliveries.finish("a", [sent.number])
        unit.deliveries.release("a", [failed.number], again=NOW + 2 * HOUR)
        unit.deliveries.release("a", [hopeless.number], again=None)
        unit.deliveries.add(pairs, "registry")
        assert unit.deliveries.waiting() == 1
        assert unit.deliveries.claim("b", limit=9, now=NOW + HOUR, lease=HOUR) == []
        [again] = unit.deliveries.claim("b", limit=9, now=NOW + 2 * HOUR, lease=HOUR)
    assert (again.number, again.pair, again.target, again.attempts) == (failed.number, pairs[1], "registry", 2)


def test_reviews_come_back_as_they_were_written(store: HospitalStore) -> None:
    """All of a pair, oldest first; what was confirmed last shows in the worklist."""
    said = Review(
        reviewer="ruth",
        made=NOW,
        signature=str(FINDINGS),
        verdicts=(
            Verdict(discrepancy=0, kind=VerdictKind.AGREE),
            Verdict(
                discrepancy=None,
                kind=VerdictKind.AMEND,
                category=ErrorCategory.LOCATION,
                severity=Severity.CRITICAL,
                finding="rib fracture",
                reason="Left, not “right”.",
            ),
        ),
        radpeer=Radpeer.UNDERSTANDABLE_SIGNIFICANT,
        proposed=Radpeer.CONCUR,
        comment="Näher ansehen.\n",
    )
    with store.transaction() as unit:
        first, second = add_compared(unit, "A1", risk=0.5), add_compared(unit, "A2", risk=0.5)
        unit.reviews.add(first, said)
        unit.reviews.add(first, evolve(said, verdicts=(), radpeer=None, comment=""))
        with pytest.raises(NotFoundError):
            unit.reviews.add(999, said)
    with store.reading() as unit:
        assert [list(each) for each in unit.reviews.of([second, first])] == [
            [],
            [said, evolve(said, verdicts=(), radpeer=None, comment="")],
        ]
        row, open_row = unit.pairs.rows([first, second], PRESENT)
        assert (row.review, row.radpeer) == (ReviewState.REVIEWED, Radpeer.UNDERSTANDABLE_SIGNIFICANT)
        assert (open_row.review, open_row.radpeer) == (ReviewState.OPEN, None)
        wordless = evolve(said, verdicts=[evolve(each, reason="") for each in said.verdicts], comment="")
        bare = evolve(wordless, verdicts=(), radpeer=None)
        assert [(kept.pair, kept.review) for kept in unit.reviews.stated()] == [(first, wordless), (first, bare)]
        [last] = unit.reviews.stated(after=unit.reviews.stated(limit=1)[0].number)
        assert last.review == bare
        assert unit.reviews.shown() == {first: Radpeer.UNDERSTANDABLE_SIGNIFICANT}


def test_a_sample_is_searched_with_its_weights(store: HospitalStore) -> None:
    """In the order of the worklist; a sample that is not there is named."""
    with store.transaction() as unit:
        pairs = [add_compared(unit, f"A{n}", risk=n / 10) for n in range(4)]
        drawn = [Sampled(pair=pairs[2], weight=2.5), Sampled(pair=pairs[0], weight=7.0)]
        sample = unit.samples.add(drawn, description="random", by="ruth", made=NOW)
    with store.reading() as unit:
        assert list(unit.samples.get(sample)) == drawn
        page = unit.pairs.search(Search(sample=sample, order=Order.RISK), PRESENT)
        assert [(row.pair, row.weight) for row in page.rows] == [(pairs[2], 2.5), (pairs[0], 7.0)]
        for ask in (unit.samples.get, lambda n: unit.pairs.search(Search(sample=n), PRESENT)):
            with pytest.raises(NotFoundError):
                ask(999)


def test_refusals_come_newest_first(store: HospitalStore) -> None:
    """As many as asked for."""
    refusals = [Refusal(at=NOW, source="hl7", message=str(n), reason="unknown status", detail="...") for n in range(3)]
    with store.transaction() as unit:
        for refusal in refusals:
            unit.refusals.add(refusal)
    with store.reading() as unit:
        assert list(unit.refusals.newest(2)) == [refusals[2], refusals[1]]


def test_the_trail_is_a_chain(store: HospitalStore) -> None:
    """Each event sealed to the one before, over units of work."""
    for actions in (["login", "search"], ["erase"]):
        with store.transaction() as unit:
            for action in actions:
                added = unit.trail.append(event(action, pairs="3", odd="\x00 \ud800"))
    with store.reading() as unit:
        events = unit.trail.events()
        assert [each.action for each in events] == ["login", "search", "erase"]
        assert events[-1] == added
        assert verify(events).holds
        assert unit.trail.events(after=1, limit=1) == [events[1]]


def test_refusals_of_before_a_moment_are_forgotten(store: HospitalStore) -> None:
    """Those of the moment itself and later ones stay."""
    with store.transaction() as unit:
        for at in (NOW, NOW + HOUR, NOW + 2 * HOUR):
            unit.refusals.add(Refusal(at=at, source="folder", message="day.csv", reason="bad-rows", detail="row 1"))
        assert unit.refusals.forget(NOW + HOUR) == 1
        assert unit.refusals.forget(NOW + HOUR) == 0
    with store.reading() as unit:
        assert [each.at for each in unit.refusals.newest(9)] == [NOW + 2 * HOUR, NOW + HOUR]


def test_access_keys(store: HospitalStore) -> None:
    """By prefix; a name is one's own; a key that was revoked stays known, with the first time that it was."""
    key = AccessKey(name="pacs", prefix="abc", digest="$argon2$x", roles={Role.SUBMITTER, Role.ADMIN}, created=NOW)
    with store.transaction() as unit:
        unit.keys.add(key)
        with pytest.raises(ConfigurationError):
            unit.keys.add(evolve(key, prefix="other"))
        unit.keys.add(evolve(key, name="b", prefix="def", expires=NOW + HOUR))
        unit.keys.revoke("pacs", NOW + HOUR)
        unit.keys.revoke("pacs", NOW + 2 * HOUR)
        with pytest.raises(NotFoundError):
            unit.keys.revoke("none", NOW)
    with store.reading() as unit:
        assert unit.keys.by_prefix("abc") == evolve(key, revoked=NOW + HOUR)
        assert unit.keys.by_prefix("none") is None
        assert [each.name for each in unit.keys.every()] == ["pacs", "b"]


def test_a_store_has_room(store: HospitalStore) -> None:
    """Here; of a server's disk nothing is known."""
    assert store.has_room()


def test_a_file_wants_room_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is asked of the file system that it stands on, which has less than a disk that nobody has."""
    with open_hospital_store(tmp_path / "hospital.db", texts="plain") as store:
        monkeypatch.setattr(_file, "LEAST_ROOM", 2**70)
        assert not store.has_room()


def test_ended_sessions(store: HospitalStore) -> None:
    """A session ends once, and is remembered until it would have ended anyway."""
    ends = NOW + HOUR
    with store.transaction() as unit:
        assert unit.sessions.add("one", now=NOW, until=ends)
        assert not unit.sessions.add("one", now=NOW, until=ends)
        assert unit.sessions.add("two", now=NOW, until=NOW + 2 * HOUR)
    with store.reading() as unit:
        assert [unit.sessions.has([name], until=ends) for name in ("one", "two", "three")] == [True, True, False]
    with store.transaction() as unit:
        assert unit.sessions.add("three", now=NOW + HOUR, until=NOW + 2 * HOUR)
    with store.reading() as unit:
        assert [unit.sessions.has([name], until=ends) for name in ("one", "two", "three")] == [False, True, True]


def test_sessions_that_are_ended_by_what_they_have_in_common(store: HospitalStore) -> None:
    """Those that had begun end; those that begin afterwards, and so end later, do not until they are ended too."""
    with store.transaction() as unit:
        assert unit.sessions.add("mark", now=NOW, until=NOW + HOUR)
    with store.reading() as unit:
        assert unit.sessions.has(["its id", "mark"], until=NOW + HOUR)
        assert not unit.sessions.has(["its id", "mark"], until=NOW + 2 * HOUR)
        assert not unit.sessions.has(["its id"], until=NOW + HOUR)
    with store.transaction() as unit:
        assert unit.sessions.add("mark", now=NOW, until=NOW + 2 * HOUR)
        assert not unit.sessions.add("mark", now=NOW, until=NOW + HOUR)
    with store.reading() as unit:
        assert unit.sessions.has(["mark"], until=NOW + 2 * HOUR)


def test_a_unit_of_work_is_kept_whole_or_not_at_all(store: HospitalStore) -> None:
    """What raises in it leaves nothing behind."""

    def fail() -> None:
        with store.transaction() as unit:
            add_compared(unit)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with store.reading() as unit:
        assert unit.pairs.search(Search(), PRESENT).total == 0
        assert unit.jobs.waiting() == 0
        assert unit.versions.related([ExaminationKey("north", "A1")]) == []


def test_reading_sees_one_moment(store: HospitalStore) -> None:
    """What others write meanwhile does not show, and they are not kept waiting."""
    with store.transaction() as unit:
        add_compared(unit, "A1")
    with store.reading() as reading:
        assert reading.pairs.search(Search(), PRESENT).total == 1
        with store.transaction() as unit:
            add_compared(unit, "A2")
        assert reading.pairs.search(Search(), PRESENT).total == 1
    with store.reading() as reading:
        assert reading.pairs.search(Search(), PRESENT).total == 2


def test_a_store_that_is_well_says_nothing(store: HospitalStore) -> None:
    """And is none the worse for being asked, or for being closed and used again."""
    store.check()
    store.close()
    store.check()


def test_a_patient_is_erased_with_all_that_hangs_on_them(store: HospitalStore) -> None:
    """At one site or all; others with the same number elsewhere stay, and results that they share."""
    with store.transaction() as unit:
        mine = add_compared(unit, "A1", about={"patient": "4711"}, risk=0.5, found=[discrepancy()])
        others = add_compared(unit, "A2", about={"patient": "4712"}, risk=0.5)
        south = examination("A1", site="south", patient="4711")
        elsewhere = add_compared(unit, "A9", examinations=(south,), risk=0.25)
        review = Review(reviewer="r", made=NOW, signature="s", comment="why")
        unit.reviews.add(mine, review)
        sample = unit.samples.add(
            [Sampled(pair=n, weight=1.0) for n in (mine, others)], description="", by="", made=NOW
        )
        unit.deliveries.add([mine], "registry")
    with store.transaction() as unit:
        assert unit.erase_patient("north", "none") == Erased()
        erased = unit.erase_patient("north", "4711")
        assert erased == Erased(examinations=1, versions=2, texts=2, pairs=1, results=2, reviews=1)
    with store.reading() as unit:
        assert {row.pair for row in unit.pairs.search(Search(), PRESENT).rows} == {others, elsewhere}
        assert unit.versions.related([ExaminationKey("north", "A1")]) == []
        assert [each.pair for each in unit.samples.get(sample)] == [others]
        assert unit.deliveries.waiting() == 0
        with pytest.raises(NotFoundError):
            unit.pairs.get([mine])
    with store.transaction() as unit:
        assert unit.erase_patient(None, "4711").examinations == 1
        assert unit.pairs.get([others])[0].state is PairState.SCORED


@pytest.mark.parametrize("asked", ["4711", "4712"])
def test_a_patient_of_two_identifiers_is_erased_under_each(store: HospitalStore, asked: str) -> None:
    """After a merge later versions tell another identifier; nothing of the examination is left under the former one."""
    with store.transaction() as unit:
        unit.versions.add(version(text="a", about={"patient": "4711"}), NOW)
        unit.versions.add(version(text="b", about={"patient": "4712"}), NOW)
        unit.versions.add(version("A2", text="c", about={"patient": "4713"}), NOW)
    with store.transaction() as unit:
        erased = unit.erase_patient("north", asked)
        assert (erased.examinations, erased.versions, erased.texts) == (1, 2, 2)
        assert unit.versions.related([ExaminationKey("north", "A1")]) == []
        assert len(unit.versions.related([ExaminationKey("north", "A2")])) == 1


def _merge(surviving: str, merged: str, site: str = "north") -> PatientMerge:
    return PatientMerge(site=site, surviving=surviving, merged=merged)


@pytest.mark.parametrize("asked", ["1", "2", "3"])
def test_patients_that_were_merged_are_erased_as_one(store: HospitalStore, asked: str) -> None:
    """Under any of their identifiers, what came before and after; another site's patient of the same name stays."""
    with store.transaction() as unit:
        unit.versions.add(version("A1", text="a", about={"patient": "1"}), NOW)
        unit.versions.add(version("A2", text="b", about={"patient": "2"}), NOW)
        unit.versions.add(version("A2", text="corrected", about={"patient": "9"}), NOW)
        unit.versions.add(version("B1", examinations=[examination("B1", "south", patient="1")]), NOW)
        unit.versions.add(version("A4", about={"patient": "4"}), NOW)
    with store.transaction() as unit:
        assert [unit.merge_patients(each) for each in (_merge("2", "1"), _merge("3", "2"))] == [1, 2]
        again = [_merge("2", "1"), _merge("3", "2"), _merge("1", "3")]
        assert [unit.merge_patients(each) for each in again] == [0, 0, 0]
        unit.versions.add(version("A5", text="later", about={"patient": "1"}), NOW)
    with store.transaction() as unit:
        assert unit.erase_patient("north", asked).examinations == 3
        left = [ExaminationKey("north", "A4"), ExaminationKey("south", "B1")]
        gone = [ExaminationKey("north", accession) for accession in ("A1", "A2", "A5")]
        assert [len(unit.versions.related([key])) for key in (*left, *gone)] == [1, 1, 0, 0, 0]
        unit.versions.add(version("A6", about={"patient": "1"}), NOW)
        assert unit.erase_patient("north", "3") == Erased()


def test_what_a_merge_would_do_is_known_before(store: HospitalStore) -> None:
    """The same again, the other way, and through a third identifier: two that are one are not merged again."""
    with store.transaction() as unit:
        assert unit.merge_kind(_merge("2", "1")) is MergeKind.MERGED
        unit.merge_patients(_merge("2", "1"))
        asked = [_merge("2", "1"), _merge("1", "2"), _merge("1", "2", "south")]
        assert [unit.merge_kind(each) for each in asked] == [MergeKind.KNOWN, MergeKind.REVERSED, MergeKind.MERGED]
        unit.merge_patients(_merge("3", "2"))
        asked = [_merge("2", "1"), _merge("2", "3"), _merge("1", "3"), _merge("4", "1")]
        kinds = [MergeKind.KNOWN, MergeKind.REVERSED, MergeKind.REVERSED, MergeKind.MERGED]
        assert [unit.merge_kind(each) for each in asked] == kinds


def test_erasing_at_all_sites_goes_by_what_was_merged_at_each(store: HospitalStore) -> None:
    """Where an identifier was merged at one site, another's patient of the surviving name is somebody else."""
    with store.transaction() as unit:
        for site in ("north", "south"):
            for patient in ("1", "2"):
                about = examination(f"{site} {patient}", site, patient=patient)
                unit.versions.add(version(examinations=[about], filler=f"{site} {patient}"), NOW)
        unit.merge_patients(_merge("2", "1"))
    with store.transaction() as unit:
        assert unit.erase_patient(None, "1").examinations == 3
        assert len(unit.versions.related([ExaminationKey("south", "south 2")])) == 1


def test_what_is_older_than_a_moment_is_erased(store: HospitalStore) -> None:
    """An examination by its last version, a given pair by when it was made; results go with the last of their pairs."""
    with store.transaction() as unit:
        old = add_compared(unit, "A1", at=NOW, risk=0.5)
        living = add_compared(unit, "A2", at=NOW)
        unit.versions.add(version("A2", ReportStatus.CORRECTED, "c"), NOW + HOUR)
        given = [report_pair("g1"), report_pair("g2")]
        gone, _ = unit.pairs.add_given(given, owner="o", batch=None, made=NOW)
        [same] = unit.pairs.add_given(given[:1], owner="o", batch=None, made=NOW + HOUR)
        unit.pairs.add_results({gone: results("g1"), same: results("g1")})
        erased = unit.erase_before(NOW + HOUR)
    assert erased == Erased(examinations=1, versions=2, texts=4, pairs=3, results=2)
    with store.reading() as unit:
        left = {row.pair for row in unit.pairs.search(Search(), PRESENT).rows}
        assert left == {living, same}
        assert len(unit.pairs.results([same])[0]) == 2
        assert old not in left


def test_an_examination_that_is_told_of_later_shows_in_the_worklist(store: HospitalStore) -> None:
    """Its modality and device are searched by as they are known now."""
    with store.transaction() as unit:
        number = add_compared(unit, "Z1", about={"modality": "", "device": ""})
        unit.versions.add(version("Z1", ReportStatus.ADDENDUM, "More.", about={"modality": "US"}), NOW)
        [row] = unit.pairs.search(Search(accession="Z1", modality="US"), PRESENT).rows
    assert (row.pair, row.examination.modality) == (number, "US")


def test_texts_of_given_pairs_are_forgotten_unless_they_wait(store: HospitalStore) -> None:
    """Those that were made before a moment."""
    with store.transaction() as unit:
        given = [report_pair(f"p{n}") for n in range(3)]
        done, waiting, _ = unit.pairs.add_given(given, owner="o", batch=None, made=NOW)
        [new] = unit.pairs.add_given(given[:1], owner="o", batch=None, made=NOW + HOUR)
        unit.jobs.add([waiting])
        assert unit.pairs.forget_texts(NOW + HOUR) == 2
        kept = unit.pairs.get([done, waiting, new])
    assert [each.report_pair is None for each in kept] == [True, False, False]


def _pairs(store: HospitalStore, numbers: Any) -> Any:
    with store.reading() as unit:
        return unit.pairs.get(numbers)


def _pairs_of(unit: Any, number: int) -> str:
    [kept] = unit.pairs.get([number])
    name: str = kept.report_pair.id
    return name


def _by_metric(unit: Any, number: int) -> Any:
    [found] = unit.pairs.results([number])
    return {result.metric: result for result in found}
