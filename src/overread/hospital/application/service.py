"""The hospital service: everything that hosts, the command line, HTTP and pages do goes through it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Self

from overread.application.scoring.evaluate import EvaluationService, PairResults
from overread.domain.reports.report import ReportPair
from overread.exceptions import ConfigurationError, OverreadError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.grouping import Grouping
from overread.hospital.application.permissions import permit
from overread.hospital.application.ports import HospitalStore
from overread.hospital.application.rates import Rates
from overread.hospital.application.requests import (
    BatchState,
    Erased,
    EvaluationRequest,
    ExaminationRecord,
    PairRecord,
    Receipt,
    Refusal,
    Search,
    WorklistPage,
    WorklistRow,
)
from overread.hospital.application.sampling import DrawnSample, SamplePlan
from overread.hospital.application.use_cases.context import ServiceContext
from overread.hospital.application.use_cases.counting import Counting
from overread.hospital.application.use_cases.ingesting import Ingesting
from overread.hospital.application.use_cases.keeping import Keeping
from overread.hospital.application.use_cases.looking import Looking
from overread.hospital.application.use_cases.notification import Notification
from overread.hospital.application.use_cases.reviewing import Reviewing
from overread.hospital.application.use_cases.submitting import Submitting
from overread.hospital.application.use_cases.working import Working
from overread.hospital.application.worklist import DISCREPANCIES_OF, RISK_OF
from overread.hospital.domain.audit_trail import Actor, AuditEvent
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportVersion
from overread.hospital.domain.review import Radpeer, Review, Verdict

__all__ = ["HospitalService"]


def _now() -> datetime:
    return datetime.now(UTC)


class HospitalService:
    """Reports in, pairs scored, results searched and reviewed. Safe for threads.

    Every call names on whose behalf it is made, is refused with `PermissionDeniedError` where their roles do not allow
    it, and leaves an audit event where it reads or changes patient data.

    Args:
        store: keeps everything; it is closed by `close`.
        scorer: scores pairs, with radot and notation among its metrics and without a store of its own.
        configuration: how the service behaves; as usual where omitted.
        now: the clock, in UTC; the system's where omitted.

    Raises:
        ConfigurationError: if the scorer does not fit.
    """

    def __init__(
        self,
        store: HospitalStore,
        scorer: EvaluationService,
        configuration: HospitalConfiguration | None = None,
        *,
        now: Callable[[], datetime] = _now,
    ) -> None:
        _check(scorer)
        self._context = ServiceContext(
            store=store,
            scorer=scorer,
            configuration=configuration or HospitalConfiguration(),
            now=now,
            queued=Notification(),
            done=Notification(),
        )
        self._submitting = Submitting(self._context)
        self._ingesting = Ingesting(self._context)
        self._looking = Looking(self._context, self._submitting)
        self._reviewing = Reviewing(self._context)
        self._counting = Counting(self._context)
        self._keeping = Keeping(self._context)
        self._working = Working(self._context)

    @property
    def store(self) -> HospitalStore:
        """The store that keeps everything."""
        return self._context.store

    @property
    def configuration(self) -> HospitalConfiguration:
        """The configuration of the service."""
        return self._context.configuration

    @property
    def scorer(self) -> EvaluationService:
        """The scorer of pairs."""
        return self._context.scorer

    @property
    def queued(self) -> Notification:
        """Notifies when pairs were queued by this service, but not by others that share the store."""
        return self._context.queued

    def close(self) -> None:
        """Let go of the store, and of what scores. They are taken up again on next use."""
        with ExitStack() as stack:
            stack.callback(self._context.store.close)
            stack.callback(self._context.scorer.close)

    def __enter__(self) -> Self:
        """Enter a ``with`` block, which closes the service at its end."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the service."""
        self.close()

    # --- scoring now, and in batches -------------------------------------------------------------------------------

    def evaluate(self, pairs: Sequence[ReportPair], *, by: Actor) -> list[PairResults]:
        """Results of pairs, now; nothing is stored. Same length, order and ids. Submitter."""
        permit("evaluate", by)
        return self._submitting.evaluate(pairs, by)

    def evaluate_together(self, requests: Sequence[EvaluationRequest]) -> list[list[PairResults] | OverreadError]:
        """Evaluate several requests, whoever made them, at once, which takes less time; see `evaluate`.

        Returns:
            The results of each request, or the error that it is refused with; a refused request keeps no other from
            being answered.

        Raises:
            OverreadError: if nothing can be scored, or the store is unavailable; no request is answered then.
        """
        return self._submitting.evaluate_together(requests)

    def submit(self, pairs: Sequence[ReportPair], *, by: Actor, name: str = "", key: str = "") -> BatchState:
        """Accept a batch to be scored; what is accepted survives a kill. Submitter.

        Args:
            pairs: with distinct ids.
            by: on whose behalf.
            name: to know it by.
            key: of the submitter's choice; the same key again is the same batch, and nothing is submitted twice.
        """
        permit("submit", by)
        return self._submitting.submit(pairs, name, key, by)

    def batch(self, number: int, *, by: Actor) -> BatchState:
        """Progress of a batch. Submitter (own batches), reviewer."""
        permit("batch", by)
        return self._submitting.batch(number, by)

    def batch_results(self, number: int, *, by: Actor, after: int = 0, limit: int = 500) -> Sequence[PairRecord]:
        """Records of a batch's pairs in the order submitted, from the one after ``after`` pairs on; as `batch`."""
        permit("batch_results", by)
        return self._looking.batch_results(number, by, after=after, limit=limit)

    def follow(self, number: int, *, by: Actor, every: float = 1.0) -> Iterator[BatchState]:
        """The state of a batch now and whenever it changes, until it is done. As `batch`.

        Args:
            number: of the batch.
            by: on whose behalf.
            every: seconds after which it is looked for what other processes did; what this one does shows at once.
        """
        permit("follow", by)
        return self._submitting.follow(number, by, every)

    # --- reports in ------------------------------------------------------------------------------------------------

    def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        """Keep versions of reports, make the pairs that follow, and queue them; all of them or none. Submitter."""
        permit("ingest", by)
        return self._ingesting.ingest(versions, by)

    def merge_patients(self, merges: Sequence[PatientMerge], *, by: Actor) -> int:
        """Keep under the surviving identifiers what was and will be kept under the merged ones; all of them or none.

        The same again changes nothing. What was merged cannot be told apart any more. Submitter.

        Returns:
            The number of examinations that changed hands.
        """
        permit("merge_patients", by)
        return self._ingesting.merge_patients(merges, by)

    def refuse(self, refusal: Refusal) -> None:
        """Keep that a message was not taken."""
        self._ingesting.refuse(refusal)

    def refusals(self, *, by: Actor, limit: int = 100) -> Sequence[Refusal]:
        """The newest refusals first. Reviewer."""
        permit("refusals", by)
        return self._ingesting.refusals(limit)

    # --- looking ---------------------------------------------------------------------------------------------------

    def search(self, search: Search, *, by: Actor) -> WorklistPage:
        """A page of pairs without text. Reviewer."""
        permit("search", by)
        return self._looking.search(search, by)

    def pair(self, number: int, *, by: Actor, explain: bool = False) -> PairRecord:
        """All of one pair. Reviewer; a submitter the pairs it gave in batches.

        Args:
            number: of the pair.
            by: on whose behalf.
            explain: whether to score the pair anew, so that its present results carry their evidence.
        """
        permit("pair", by)
        return self._looking.pair(number, by, explain=explain)

    def examination(self, key: ExaminationKey, *, by: Actor) -> ExaminationRecord:
        """An examination's versions and pairs in time. Reviewer."""
        permit("examination", by)
        return self._looking.examination(key, by)

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
        permit("review", by)
        return self._reviewing.review(
            number, by=by, signature=signature, verdicts=verdicts, radpeer=radpeer, comment=comment
        )

    # --- sampling and counting --------------------------------------------------------------------------------------

    def draw_sample(self, search: Search, plan: SamplePlan, *, by: Actor) -> DrawnSample:
        """Draw a sample of the pairs that a search finds, and keep it, with how many pairs each stands for. Reviewer.

        Args:
            search: finds the pairs to draw from; its order and limit do not count. What was withdrawn is not drawn.
            plan: how to draw.
            by: on whose behalf.

        Raises:
            NotFoundError: if the search finds no pair.
            ConfigurationError: if the sample is too small to have a pair of each group.
        """
        permit("draw_sample", by)
        return self._counting.draw_sample(search, plan, by)

    def rates(self, search: Search, *, by: Actor, groupings: Sequence[Grouping] = ()) -> Rates:
        """Rates of concordance of the pairs that a search finds, unbiased for all where they are a sample. Reviewer.

        Args:
            search: finds the pairs; its order and limit do not count. What was withdrawn is in no rate.
            by: on whose behalf.
            groupings: by what to tell them apart, besides the rates of all.
        """
        permit("rates", by)
        return self._counting.rates(search, groupings, by)

    # --- re-scoring, export, deletion --------------------------------------------------------------------------------

    def rescore(self, search: Search, *, by: Actor) -> int:
        """Queue the pairs found that have no result under the present signatures; their number. Admin.

        So are those without a score for a cause that may be gone: "gave up", "error", "no answer" and "not asked".
        Earlier results stay; a score takes the place of a reason why there was none.
        """
        permit("rescore", by)
        return self._keeping.rescore(search, by)

    def export(self, search: Search, *, by: Actor) -> Iterator[WorklistRow]:
        """Every row that a search finds, whatever its limit. Admin."""
        permit("export", by)
        return self._keeping.export(search, by)

    def erase_patient(self, patient: str, *, by: Actor, site: str | None = None) -> Erased:
        """Delete a patient's data. Admin."""
        permit("erase_patient", by)
        return self._keeping.erase_patient(patient, by, site)

    def retain(self, *, by: Actor, now: datetime | None = None) -> Erased:
        """Delete what is older than the configured retention, and the texts that are. Admin."""
        permit("retain", by)
        return self._keeping.retain(by, now)

    def audit_trail(self, *, by: Actor, after: int = 0, limit: int = 1000) -> Sequence[AuditEvent]:
        """Events in order. Admin."""
        permit("audit_trail", by)
        return self._keeping.audit_trail(by, after=after, limit=limit)

    # --- work ------------------------------------------------------------------------------------------------------

    def work(self, *, worker: str, limit: int = 64) -> int:
        """Score queued pairs; the number done. Called again and again by whoever runs the workers."""
        return self._working.work(worker, limit)


def _check(scorer: EvaluationService) -> None:
    problems = []
    lacking = [name for name in (RISK_OF, DISCREPANCIES_OF) if name not in {metric.name for metric in scorer.metrics}]
    if lacking:
        reason = f"the worklist's risk is {RISK_OF}'s score and its discrepancies are {DISCREPANCIES_OF}'s"
        problems.append(
            f"the metrics lack {' and '.join(lacking)}: {reason}; add them to metrics, or leave metrics out"
        )
    if scorer.store is not None:
        problems.append("the scorer has a store of results: the hospital's own keeps them; leave store out")
    if problems:
        raise ConfigurationError(problems)
