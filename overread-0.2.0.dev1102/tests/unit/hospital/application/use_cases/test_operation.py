"""Operations: the permission before all else, and the span around it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import pytest
from attrs import define, field

from overread.exceptions import InputError, PermissionDeniedError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.service import HospitalService
from overread.hospital.application.use_cases.context import ServiceContext, UseCase
from overread.hospital.application.use_cases.operation import is_operation, operation
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.testing import MemoryHospitalStore

from ..hospital import NOON, REVIEWER, SUBMITTER, scorer, version


@define
class Spans:
    """A tracer that keeps each span that has ended, with its attributes and the kind of error that went through."""

    ended: list[tuple[str, dict[str, object], str]] = field(factory=list)

    @contextmanager
    def __call__(self, name: str, **attributes: object) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            self.ended.append((name, attributes, type(error).__name__))
            raise
        self.ended.append((name, attributes, ""))


def _context(tracer: Spans) -> ServiceContext:
    def now() -> datetime:
        return NOON

    configuration = HospitalConfiguration()
    return ServiceContext(
        store=MemoryHospitalStore(), scorer=scorer(), configuration=configuration, now=now, tracer=tracer
    )


class _Case(UseCase):
    """Operations by the names of two of the service's, which note down that they ran."""

    def __init__(self, context: ServiceContext) -> None:
        super().__init__(context)
        self.ran: list[str] = []

    @operation
    def search(self, words: str, *, by: Actor) -> Iterator[str]:
        """Words one by one."""
        self.ran.append(by.name)
        yield from words.split()

    @operation(span_counts="versions")
    def ingest(self, versions: Sequence[str], *, by: Actor, loud: bool = False) -> str:
        """Words in one."""
        self.ran.append(by.name)
        return "".join(versions).upper() if loud else "".join(versions)


def test_a_role_is_looked_at_when_an_operation_is_called() -> None:
    """Also where what it returns is read only later; nothing of the method runs for who may not call it."""
    case = _Case(_context(Spans()))
    with pytest.raises(PermissionDeniedError, match="search needs the role reviewer"):
        case.search("a b", by=SUBMITTER)
    assert case.ran == []
    assert list(case.search("a b", by=REVIEWER)) == ["a", "b"]
    assert case.ran == [REVIEWER.name]


def test_an_operation_is_a_span_with_the_number_of_what_it_is_given() -> None:
    """Whether by place or by name, and where it is refused; one that asks for no span is none."""
    spans = Spans()
    case = _Case(_context(spans))
    assert case.ingest(["a", "b"], by=SUBMITTER) == "ab"
    assert case.ingest(versions=["c"], by=SUBMITTER, loud=True) == "C"
    with pytest.raises(PermissionDeniedError):
        case.ingest(["d", "e", "f"], by=REVIEWER)
    list(case.search("a b", by=REVIEWER))
    assert spans.ended == [
        ("ingest", {"versions": 2}, ""),
        ("ingest", {"versions": 1}, ""),
        ("ingest", {"versions": 3}, "PermissionDeniedError"),
    ]
    assert case.ran == [SUBMITTER.name, SUBMITTER.name, REVIEWER.name]


def test_a_span_that_cannot_count_lets_the_operation_say_what_is_wrong() -> None:
    """A version alone in place of a sequence is refused by its name, not by a fault of the span."""
    spans = Spans()
    service = HospitalService(MemoryHospitalStore(), scorer(), tracer=spans)
    alone: Any = version(ReportStatus.FINAL, "clear")
    with pytest.raises(InputError, match="give a sequence"):
        service.ingest(alone, by=SUBMITTER)
    assert spans.ended == [("ingest", {"versions": None}, "InputError")]


def test_what_names_no_actor_or_has_no_permission_cannot_be_an_operation() -> None:
    """It is refused where it is written, before anybody can call it."""

    def search(_: UseCase, words: str) -> str:
        return words

    def rates(_: UseCase, by: Actor) -> str:
        return by.name

    def export(_: UseCase, *, by: Actor = REVIEWER) -> str:
        return by.name

    def leak(_: UseCase, *, by: Actor) -> str:
        return by.name

    for method in (search, rates, export):
        with pytest.raises(TypeError, match="must take the actor as the keyword by"):
            operation(method)
        assert not is_operation(method)
    with pytest.raises(TypeError, match="leak has no row"):
        operation(leak)
