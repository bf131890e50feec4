"""The hospital service: everything that hosts, the command line, HTTP and pages do goes through it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from typing import Self

from overread.application.scoring.evaluate import EvaluationService
from overread.application.scoring.tracing import Tracer, open_no_span
from overread.exceptions import ConfigurationError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.ports import HospitalStore
from overread.hospital.application.use_cases.agreeing import Agreeing
from overread.hospital.application.use_cases.assigning import Assigning
from overread.hospital.application.use_cases.charting import Charting
from overread.hospital.application.use_cases.context import ServiceContext
from overread.hospital.application.use_cases.counting import Counting
from overread.hospital.application.use_cases.covering import Covering
from overread.hospital.application.use_cases.following import Following
from overread.hospital.application.use_cases.ingesting import Ingesting
from overread.hospital.application.use_cases.keeping import Keeping
from overread.hospital.application.use_cases.learning import Learning
from overread.hospital.application.use_cases.looking import Looking
from overread.hospital.application.use_cases.notification import Notification
from overread.hospital.application.use_cases.owning import Owning
from overread.hospital.application.use_cases.planning import Planning
from overread.hospital.application.use_cases.reviewing import Reviewing
from overread.hospital.application.use_cases.submitting import Submitting
from overread.hospital.application.use_cases.working import Working
from overread.hospital.application.worklist import DISCREPANCIES_OF, RISK_OF

__all__ = ["HospitalService"]


def _now() -> datetime:
    return datetime.now(UTC)


class HospitalService(
    Submitting,
    Ingesting,
    Looking,
    Reviewing,
    Planning,
    Assigning,
    Agreeing,
    Counting,
    Charting,
    Covering,
    Learning,
    Following,
    Owning,
    Keeping,
    Working,
):
    """Reports in, pairs scored, results searched and reviewed. Safe for threads.

    Every call names on whose behalf it is made, is refused with `PermissionDeniedError` where their roles do not allow
    it, and leaves an audit event where it reads or changes patient data.

    Args:
        store: keeps everything; it is closed by `close`.
        scorer: scores pairs, with radot and notation among its metrics and without a store of its own.
        configuration: how the service behaves; as usual where omitted.
        now: the clock, in UTC; the system's where omitted.
        tracer: opens a span for each call of `ingest`; none where omitted. The scorer has a tracer of its own.

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
        tracer: Tracer = open_no_span,
    ) -> None:
        _check(scorer)
        context = ServiceContext(
            store=store,
            scorer=scorer,
            configuration=configuration or HospitalConfiguration(),
            now=now,
            tracer=tracer,
        )
        super().__init__(context)

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


def _check(scorer: EvaluationService) -> None:
    problems = []
    lacking = [name for name in (RISK_OF, DISCREPANCIES_OF) if name not in {metric.name for metric in scorer.metrics}]
    if lacking:
        reason = f"the worklist's risk is {RISK_OF}'s score and its discrepancies are {DISCREPANCIES_OF}'s"
        problems.append(
            f"the metrics lack {' and '.join(lacking)}: {reason}; add them to metrics, or leave metrics out"
        )
    if scorer.store is not None:
        problems.append("the scorer has a store of results, but the hospital's store keeps them; leave store out")
    if problems:
        raise ConfigurationError(problems)
