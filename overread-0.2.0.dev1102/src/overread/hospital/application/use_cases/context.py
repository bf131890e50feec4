"""Context of the hospital's use cases: what each of them is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from attrs import field, frozen

from overread.application.scoring.evaluate import EvaluationService
from overread.application.scoring.tracing import Tracer, open_no_span
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.ports import HospitalStore, UnitOfWork
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.notification import Notification
from overread.hospital.domain.audit_trail import Actor, AuditEvent

__all__ = ["ServiceContext", "UseCase", "is_storable", "is_storable_moment"]


@frozen(kw_only=True, eq=False)
class ServiceContext:
    """Context that the use cases of one service share.

    Attributes:
        store: keeps everything.
        scorer: scores pairs; without a store of its own.
        configuration: of the service.
        now: the clock, in UTC.
        queued: notifies when pairs were queued here.
        done: notifies when pairs were scored here.
        tracer: opens the spans of operations.
    """

    store: HospitalStore
    scorer: EvaluationService
    configuration: HospitalConfiguration
    now: Callable[[], datetime]
    queued: Notification = field(factory=Notification)
    done: Notification = field(factory=Notification)
    tracer: Tracer = open_no_span

    @property
    def signatures(self) -> Mapping[str, str]:
        """The present signatures by metric."""
        return {metric.name: str(metric.signature) for metric in self.scorer.metrics}

    @property
    def signature_lines(self) -> list[str]:
        """The present signatures, in the order of the metrics."""
        return list(self.signatures.values())

    @again_if_busy
    def tell(self, by: Actor, action: str, subject: str = "", details: Mapping[str, str | int] | None = None) -> None:
        """Adds an event to the audit trail, of what was not done in a unit of work."""
        with self.store.transaction() as unit:
            self.note(unit, by, action, subject, details)

    def note(
        self,
        unit: UnitOfWork,
        by: Actor,
        action: str,
        subject: str = "",
        details: Mapping[str, str | int] | None = None,
    ) -> None:
        """Adds an event to the audit trail, in the unit of work that does the thing; details are names and numbers."""
        items = tuple((name, str(value)) for name, value in (details or {}).items())
        unit.trail.append(
            AuditEvent(number=0, at=self.now(), actor=by.name, action=action, subject=subject, details=items)
        )


class UseCase:
    """Operations of one kind on a context, which the other use cases of the service have as well."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context


def is_storable(text: str) -> bool:
    """Returns whether every store can hold a text: PostgreSQL has no NUL, and UTF-8 no half of a surrogate pair."""
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def is_storable_moment(moment: datetime) -> bool:
    """Returns whether every store can hold a moment with its zone: at either end of the calendar, UTC may lack it.

    >>> is_storable_moment(datetime.fromisoformat("9999-12-31T23:59:59-12:00"))
    False
    """
    try:
        moment.astimezone(UTC)
    except OverflowError:
        return False
    return True
