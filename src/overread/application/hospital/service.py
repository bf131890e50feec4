"""The hospital service: everything that hosts, the command line, HTTP and pages do goes through it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from overread.application.hospital.requests import (
    BatchState,
    Erased,
    ExaminationRecord,
    PairRecord,
    Receipt,
    Refusal,
    Search,
    WorklistPage,
    WorklistRow,
)
from overread.application.scoring.evaluate import PairResults
from overread.domain.hospital.audit_trail import Actor, AuditEvent
from overread.domain.hospital.examination import ExaminationKey
from overread.domain.hospital.report_version import ReportVersion
from overread.domain.hospital.review import Radpeer, Review, Verdict
from overread.domain.report import ReportPair

__all__ = ["HospitalService"]


class HospitalService:
    """Reports in, pairs scored, results searched and reviewed. Safe for threads.

    Every call names on whose behalf it is made, is refused with `PermissionDeniedError` where their roles do not allow
    it, and leaves an audit event where it reads or changes patient data.
    """

    # --- scoring now, and in batches -------------------------------------------------------------------------------

    def evaluate(self, pairs: Sequence[ReportPair], *, by: Actor) -> list[PairResults]:
        """Results of pairs, now; nothing is stored. Same length, order and ids. Submitter."""
        raise NotImplementedError

    def submit(self, pairs: Sequence[ReportPair], *, by: Actor, name: str = "", key: str = "") -> BatchState:
        """Accept a batch to be scored; what is accepted survives a kill. Submitter.

        Args:
            pairs: with distinct ids.
            by: on whose behalf.
            name: to know it by.
            key: of the submitter's choice; the same key again is the same batch, and nothing is submitted twice.
        """
        raise NotImplementedError

    def batch(self, number: int, *, by: Actor) -> BatchState:
        """How far a batch is. Submitter (own batches), reviewer."""
        raise NotImplementedError

    def batch_results(self, number: int, *, by: Actor, after: int = 0, limit: int = 500) -> Sequence[PairRecord]:
        """Records of a batch's pairs in the order submitted, from the one after ``after`` pairs on; as `batch`."""
        raise NotImplementedError

    # --- reports in ------------------------------------------------------------------------------------------------

    def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        """Keep versions of reports, make the pairs that follow, and queue them; all of them or none. Submitter."""
        raise NotImplementedError

    def refuse(self, refusal: Refusal) -> None:
        """Keep that a message was not taken."""
        raise NotImplementedError

    def refusals(self, *, by: Actor, limit: int = 100) -> Sequence[Refusal]:
        """The newest refusals first. Reviewer."""
        raise NotImplementedError

    # --- looking ---------------------------------------------------------------------------------------------------

    def search(self, search: Search, *, by: Actor) -> WorklistPage:
        """A page of pairs without text. Reviewer."""
        raise NotImplementedError

    def pair(self, number: int, *, by: Actor, explain: bool = False) -> PairRecord:
        """All of one pair. Reviewer; a submitter what it submitted itself.

        Args:
            number: of the pair.
            by: on whose behalf.
            explain: whether to score the pair anew, so that its present results carry their evidence.
        """
        raise NotImplementedError

    def examination(self, key: ExaminationKey, *, by: Actor) -> ExaminationRecord:
        """An examination's versions and pairs in time. Reviewer."""
        raise NotImplementedError

    # --- reviewing -------------------------------------------------------------------------------------------------

    def review(
        self,
        number: int,
        *,
        by: Actor,
        signature: str,
        verdicts: Sequence[Verdict] = (),
        radpeer: Radpeer | None = None,
        comment: str = "",
    ) -> Review:
        """Keep what a person says of a pair's result. Reviewer."""
        raise NotImplementedError

    # --- re-scoring, export, deletion --------------------------------------------------------------------------------

    def rescore(self, search: Search, *, by: Actor) -> int:
        """Queue the pairs found that have no result under the present signatures; earlier results stay. Admin."""
        raise NotImplementedError

    def export(self, search: Search, *, by: Actor) -> Iterator[WorklistRow]:
        """Every row that a search finds, whatever its limit. Admin."""
        raise NotImplementedError

    def erase_patient(self, patient: str, *, by: Actor, site: str | None = None) -> Erased:
        """Delete a patient's data. Admin."""
        raise NotImplementedError

    def retain(self, *, by: Actor, now: datetime | None = None) -> Erased:
        """Delete what is older than the configured retention, and the texts that are. Admin."""
        raise NotImplementedError

    def audit_trail(self, *, by: Actor, after: int = 0, limit: int = 1000) -> Sequence[AuditEvent]:
        """Events in order. Admin."""
        raise NotImplementedError

    # --- work ------------------------------------------------------------------------------------------------------

    def work(self, *, worker: str, limit: int = 64) -> int:
        """Score queued pairs; the number done. Called again and again by whoever runs the workers."""
        raise NotImplementedError
