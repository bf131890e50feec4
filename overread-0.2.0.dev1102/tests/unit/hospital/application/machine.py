"""A machine that does to a hospital whatever may happen to it, in any order, and looks at it after each step."""

from __future__ import annotations

from datetime import timedelta

from attrs import evolve
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from overread.domain.vocabulary.severity import Importance
from overread.hospital.application.ports import HospitalStore
from overread.hospital.application.requests import PairState, ReceiptKind, Search, Withdrawn, WorklistRow
from overread.hospital.application.use_cases.working import profile_of
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.pairing_rules import pairs_of, withdrawn_of
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.domain.review import Radpeer, ReviewState
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.testing import MemoryHospitalStore

from .hospital import ADMIN, REVIEWER, SUBMITTER, Clock, Words, hospital, pair, version

accessions = st.sampled_from(["A1", "A2", "A3"])
statuses = st.sampled_from(ReportStatus)
texts = st.sampled_from(["clear", "clear lungs", "clear lungs pneumothorax", ""])
_LEASE = timedelta(minutes=5)
_EVERY = Search(withdrawn=Withdrawn.ALSO)


__all__ = ["HospitalMachine"]


class HospitalMachine(RuleBasedStateMachine):
    """A hospital, and what must be true of it, kept beside it in plain lists.

    Whatever comes, and whoever dies: nothing accepted is lost, and nothing is there twice.
    """

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock()
        self.metrics = (Words("radot"), Words("notation"))
        self.service = hospital(store=self.open_store(), metrics=self.metrics, clock=self.clock)
        self.kept: list[KeptVersion] = []
        self.sent: list[ReportVersion] = []
        self.pairs: dict[int, VersionPair] = {}
        self.given: dict[int, int] = {}
        self.reviewed: dict[int, Radpeer] = {}

    def open_store(self) -> HospitalStore:
        """Empty; a machine over another kind of store opens that."""
        return MemoryHospitalStore()

    @rule(accession=accessions, status=statuses, text=texts)
    def ingest(self, accession: str, status: ReportStatus, text: str) -> None:
        self.clock.move(seconds=1)
        message = f"m{len(self.sent)}"
        sent = version(status, text, accession=accession, message=message, patient=f"P-{accession}")
        self._ingest(sent)
        self.sent.append(sent)

    @precondition(lambda self: self.sent)
    @rule(data=st.data())
    def resend(self, data: st.DataObject) -> None:
        sent = data.draw(st.sampled_from(self.sent))
        known = [kept.version for kept in self.kept]
        before = len(self.kept)
        self._ingest(sent)
        if sent in known:
            assert len(self.kept) == before, "a resend was taken for a new version"

    def _ingest(self, sent: ReportVersion) -> None:
        [receipt] = self.service.ingest([sent], by=SUBMITTER)
        if receipt.kind is ReceiptKind.RESENT:
            [repeated] = [kept for kept in self.kept if kept.number == receipt.version]
            told = ("keys", "status", "text")
            assert all(getattr(repeated.version, name) == getattr(sent, name) for name in told)
            assert receipt.pairs == ()
            return
        self.kept.append(KeptVersion(number=receipt.version, arrived=self.clock(), version=sent))
        related = [kept for kept in self.kept if kept.version.keys == sent.keys]
        new = [made for made in pairs_of(related) if made not in self.pairs.values()]
        assert len(receipt.pairs) == len(new)
        self.pairs.update(zip(receipt.pairs, new, strict=True))

    @rule(many=st.integers(1, 3), key=st.sampled_from(["", "k"]))
    def submit(self, many: int, key: str) -> None:
        pairs = [pair(str(each), "a pneumothorax", "a" * (each % 2)) for each in range(many if not key else 2)]
        state = self.service.submit(pairs, by=SUBMITTER, key=key)
        assert state.pairs == len(pairs)
        self.given[state.number] = len(pairs)

    @rule(limit=st.integers(1, 3))
    def work(self, limit: int) -> None:
        self.service.work(worker="one", limit=limit)

    @rule()
    def a_worker_dies(self) -> None:
        """It has claimed pairs, and nobody hears of it again."""
        self._claim("dead")

    @rule()
    def a_worker_is_late(self) -> None:
        """Its lease ends while it scores, and another takes its pairs; what it brings then is not kept twice."""

        def overtaken() -> None:
            self.clock.move(seconds=_LEASE.total_seconds() + 1)
            self._claim("thief")

        self.metrics[0].during = overtaken
        self.service.work(worker="late")
        self.metrics[0].during = None

    @rule()
    def time_passes(self) -> None:
        self.clock.move(seconds=_LEASE.total_seconds() + 1)

    @precondition(lambda self: self.pairs)
    @rule(data=st.data(), radpeer=st.sampled_from(Radpeer))
    def review(self, data: st.DataObject, radpeer: Radpeer) -> None:
        number = data.draw(st.sampled_from(sorted(self.pairs)))
        record = self.service.pair(number, by=REVIEWER)
        if "notation" in record.current:
            signature = str(record.current["notation"].signature)
            self.service.review(number, by=REVIEWER, signature=signature, radpeer=radpeer)
            self.reviewed[number] = radpeer

    @rule(accession=accessions)
    def erase(self, accession: str) -> None:
        erased = self.service.erase_patient(f"P-{accession}", by=ADMIN)
        gone = {kept.number for kept in self.kept if kept.version.keys[0].accession == accession}
        lost = [number for number, each in self.pairs.items() if gone.intersection((*each.candidate, *each.reference))]
        assert (erased.versions, erased.pairs) == (len(gone), len(lost))
        self.kept = [kept for kept in self.kept if kept.number not in gone]
        self.sent = [sent for sent in self.sent if sent.keys[0].accession != accession]
        for number in lost:
            del self.pairs[number]
            self.reviewed.pop(number, None)

    @invariant()
    def every_version_is_kept_once(self) -> None:
        keys = {key for kept in self.kept for key in kept.version.keys}
        with self.service.store.reading() as unit:
            found = unit.versions.related(sorted(keys))
        assert [_said(kept) for kept in found] == [_said(kept) for kept in self.kept]

    @invariant()
    def every_pair_is_there_once(self) -> None:
        rows = list(self.service.export(_EVERY, by=ADMIN))
        assert len(rows) == len(self.pairs) + sum(self.given.values())
        with self.service.store.reading() as unit:
            kept = unit.pairs.get([row.pair for row in rows if row.kind is not PairKind.GIVEN])
        assert {each.number: each.pair for each in kept} == self.pairs

    @invariant()
    def no_preliminary_report_stands_in_the_place_of_a_final_one(self) -> None:
        status = {kept.number: kept.version.status for kept in self.kept}
        final = {ReportStatus.FINAL, ReportStatus.CORRECTED}
        assert all(status[number] in final for each in self.pairs.values() for number in each.reference)

    @invariant()
    def what_is_withdrawn_is_out_of_the_list(self) -> None:
        gone = withdrawn_of([]).union(
            *(withdrawn_of([kept for kept in self.kept if kept.version.keys == keys]) for keys in self._keys())
        )
        made = {number for number, each in self.pairs.items() if gone.intersection((*each.candidate, *each.reference))}
        only = self.service.export(Search(withdrawn=Withdrawn.ONLY), by=ADMIN)
        assert {row.pair for row in only if row.withdrawn} == made
        assert not made.intersection(row.pair for row in self.service.export(Search(), by=ADMIN))

    def _keys(self) -> set[tuple[ExaminationKey, ...]]:
        return {kept.version.keys for kept in self.kept}

    @invariant()
    def reviews_stay_with_their_pairs(self) -> None:
        rows = self.service.export(evolve(_EVERY, review=ReviewState.REVIEWED), by=ADMIN)
        assert {row.pair: row.radpeer for row in rows} == self.reviewed

    @invariant()
    def what_waits_is_on_the_queue(self) -> None:
        """There may be more on the queue: a pair whose texts were scored before has its results at once."""
        rows = list(self.service.export(_EVERY, by=ADMIN))
        with self.service.store.reading() as unit:
            waiting = unit.jobs.waiting()
        assert sum(row.state is PairState.WAITING for row in rows) <= waiting

    @rule(
        accession=st.none() | accessions,
        importance=st.none() | st.sampled_from([Importance.URGENT, Importance.INCIDENTAL]),
        state=st.none() | st.sampled_from(PairState),
        least=st.none() | st.sampled_from([0.0, 0.3, 0.9]),
    )
    def search(
        self, accession: str | None, importance: Importance | None, state: PairState | None, least: float | None
    ) -> None:
        """What a search finds is what one who looks at each row finds, page by page in the same order."""
        asked = Search(accession=accession, importance=importance, state=state, min_risk=least, limit=2)
        wanted = [
            row
            for row in self.service.export(Search(), by=ADMIN)
            if accession in (None, row.examination.accession)
            and (importance is None or (row.importance is not None and row.importance.weight >= importance.weight))
            and state in (None, row.state)
            and (least is None or (row.risk is not None and row.risk >= least))
        ]
        assert list(self._pages(asked)) == wanted

    def _pages(self, search: Search) -> list[WorklistRow]:
        found: list[WorklistRow] = []
        page = self.service.search(search, by=REVIEWER)
        found.extend(page.rows)
        while page.next is not None:
            page = self.service.search(evolve(search, after=page.next), by=REVIEWER)
            found.extend(page.rows)
        return found

    def _claim(self, worker: str) -> None:
        profile = profile_of({each.name: str(each.signature) for each in self.service.scorer.metrics})
        with self.service.store.transaction() as unit:
            unit.jobs.claim(worker, limit=9, now=self.clock(), lease=_LEASE, profile=profile)

    def teardown(self) -> None:
        """In the end every pair has its results, each metric's once."""
        self.time_passes()
        while self.service.work(worker="last"):
            pass
        rows = list(self.service.export(_EVERY, by=ADMIN))
        assert all(row.state is not PairState.WAITING for row in rows)
        with self.service.store.reading() as unit:
            for results in unit.pairs.results([row.pair for row in rows]):
                assert sorted(result.metric for result in results) == ["notation", "radot"]
        for batch, many in self.given.items():
            state = self.service.batch(batch, by=SUBMITTER)
            assert (state.pairs, state.waiting) == (many, 0)
        self.service.close()


def _said(kept: KeptVersion) -> tuple[object, ...]:
    """All but the patient, whose identifier a store may not give back."""
    return (kept.number, kept.arrived, kept.version.keys, kept.version.status, kept.version.text, kept.version.message)
