"""A hospital to try things on: a store in memory, invented metrics, a clock that stands until it is moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar, Final

from attrs import define, field

from overread.application.scoring.evaluate import EvaluationService, NamedMetric
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EMPTY_PAIR, Outcome, Scale, Scored
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.ports import HospitalStore
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.testing import MemoryHospitalStore

__all__ = ["ADMIN", "NOON", "REVIEWER", "SUBMITTER", "Clock", "Words", "hospital", "pair", "scorer", "version"]

NOON: Final = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)
SUBMITTER: Final = Actor(name="pacs", roles=frozenset({Role.SUBMITTER}))
REVIEWER: Final = Actor(name="lead", roles=frozenset({Role.REVIEWER}))
ADMIN: Final = Actor(name="root", roles=frozenset({Role.ADMIN}))


@define
class Clock:
    """Tells a time of its own."""

    time: datetime = NOON

    def __call__(self) -> datetime:
        return self.time

    def move(self, **by: float) -> None:
        self.time += timedelta(**by)


@define(eq=False)
class Words:
    """Every word of a reference that the candidate lacks is an omission; risk is their share.

    "pneumothorax" is urgent, all else is incidental. ``fault`` is raised where a batch holds the word "poison", and
    ``during`` is called while a batch is scored.
    """

    name: str
    version: str = "1"
    fault: BaseException | None = None
    asked: list[tuple[str, ...]] = field(factory=list)
    during: Callable[[], object] | None = None
    scale: ClassVar[Scale] = Scale(0.0, 1.0, higher_is_better=False)

    @property
    def signature_parts(self) -> tuple[tuple[str, str], ...]:
        return (("words", self.version),)

    def evaluate(self, pairs: Sequence[ReportPair]) -> list[Outcome]:
        self.asked.append(tuple(each.id for each in pairs))
        if self.during is not None:
            self.during()
        return [self._outcome(each) for each in pairs]

    def _outcome(self, pair: ReportPair) -> Outcome:
        if pair.is_blank:
            return EMPTY_PAIR
        reference, candidate = (set(report.text.lower().split()) for report in (pair.reference, pair.candidate))
        if self.fault is not None and "poison" in reference | candidate:
            raise self.fault
        missing = sorted(reference - candidate)
        return Scored(
            score=len(missing) / max(len(reference), 1),
            discrepancies=tuple(_omission(word) for word in missing) if self.name == "notation" else (),
        )


def _omission(word: str) -> Discrepancy:
    urgent = word == "pneumothorax"
    return Discrepancy(
        category=ErrorCategory.OMITTED_FINDING,
        aspect=ErrorAspect.DESCRIPTION,
        type=ErrorType.OMISSION,
        severity=Severity.SIGNIFICANT if urgent else Severity.INSIGNIFICANT,
        reason="left out",
        finding=word,
        importance=Importance.URGENT if urgent else Importance.INCIDENTAL,
        extent=1.0,
    )


def scorer(*metrics: Words) -> EvaluationService:
    chosen = metrics or (Words("radot"), Words("notation"))
    return EvaluationService([NamedMetric(each.name, "1", each.scale, each) for each in chosen])


def hospital(
    *,
    store: HospitalStore | None = None,
    metrics: Sequence[Words] = (),
    clock: Clock | None = None,
    configuration: HospitalConfiguration | None = None,
) -> HospitalService:
    clock = clock or Clock()
    return HospitalService(store or MemoryHospitalStore(), scorer(*metrics), configuration, now=clock)


def version(
    status: ReportStatus, text: str, *, accession: str = "A1", patient: str = "P1", **more: Any
) -> ReportVersion:
    examination = Examination(site="north", accession=accession, patient=patient, modality="CR")
    told: dict[str, Any] = {"examinations": (examination,), "source": "test", **more}
    return ReportVersion(status=status, text=text, **told)


def pair(ident: str, reference: str, candidate: str) -> ReportPair:
    return ReportPair(id=ident, reference=reference, candidate=candidate)
