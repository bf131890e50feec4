"""Worker threads: they begin at once, go on after faults, and end when told to."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest
from attrs import define, field

from overread.exceptions import StoreError
from overread.hospital.application.service import HospitalService
from overread.hospital.application.workers import Workers

from .hospital import SUBMITTER, hospital, pair

_LONG = 60.0


@define(eq=False)
class _Log:
    lines: list[tuple[str, dict[str, object]]] = field(factory=list)

    def warning(self, event: str, **values: object) -> None:
        self.lines.append((event, values))


class _Scripted(HospitalService):
    """Works as a script says: raises, waits, or scores."""

    def __init__(self, script: list[Any]) -> None:
        plain = hospital()
        super().__init__(plain.store, plain.scorer)
        self.script = script
        self.worked = Event()

    def work(self, *, worker: str, limit: int = 64) -> int:
        step = self.script.pop(0) if self.script else 0
        if isinstance(step, Exception):
            raise step
        if isinstance(step, Event):
            self.worked.set()
            assert step.wait(_LONG)
            return 1
        self.worked.set()
        return super().work(worker=worker, limit=limit)


def test_what_is_queued_is_scored_without_being_waited_for() -> None:
    """Submitting rings the bell that idle workers wait for, however long they would have slept."""
    service = hospital()
    with Workers(service, idle=_LONG) as workers:
        batch = service.submit([pair("1", "a b", "a")], by=SUBMITTER)
        last = list(service.follow(batch.number, by=SUBMITTER, every=_LONG))[-1]
        assert (last.scored, last.is_done, workers.problem) == (1, True, "")
    assert workers.problem == "the workers are stopped"


def test_a_fault_is_told_and_the_work_goes_on() -> None:
    """A store that was away is told in the log by kind and place, in full where one asks, and tried again."""
    service = _Scripted([StoreError("the database is away")])
    log = _Log()
    with Workers(service, idle=_LONG, pause=0.001, log=log):
        assert service.worked.wait(_LONG)
    [(event, values)] = log.lines
    assert event == "work_failed"
    assert str(values["error"]).startswith("StoreError")


def test_what_foreign_code_says_is_not_told() -> None:
    """The message of another's exception may quote a report."""
    service = _Scripted([ValueError("Secret text")])
    log = _Log()
    with Workers(service, idle=_LONG, pause=0.001, log=log):
        assert service.worked.wait(_LONG)
    assert "Secret" not in repr(log.lines)


def test_stopping_waits_for_what_is_being_scored_but_not_for_ever() -> None:
    """A worker that does not end in time is told of, and ends when its batch does."""
    held = Event()
    service = _Scripted([held])
    workers = Workers(service, idle=_LONG)
    workers.start()
    assert service.worked.wait(_LONG)
    assert not workers.stop(seconds=0.01)
    held.set()
    assert workers.stop(seconds=_LONG)


def test_workers_are_started_once() -> None:
    """A second start would leave threads that nobody stops; after a stop there may be another."""
    workers = Workers(hospital(), idle=_LONG)
    with workers, pytest.raises(RuntimeError):
        workers.start()
    with workers:
        assert workers.problem == ""
