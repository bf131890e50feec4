"""Threads that work off the queue for as long as a host runs."""

from __future__ import annotations

from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Final, Protocol, Self
from uuid import uuid4

from attrs import define, field, validators

from overread.exceptions import OverreadError
from overread.hospital.application.service import HospitalService
from overread.raised import describe_error

__all__ = ["Workers"]

_LONGEST_PAUSE: Final = 30.0


class _Log(Protocol):
    def warning(self, event: str, **values: object) -> object: ...


@define(eq=False)
class Workers:
    """Works off the queue of a service in threads of its own, between `start` and `stop`.

    New work that comes in through this service is begun at once; what other processes queue is looked for every
    ``idle`` seconds. A fault of the model or the store is logged and tried again, first after ``pause`` seconds, then
    after twice as long each time, up to half a minute.

    Attributes:
        service: whose queue it is.
        threads: number of workers, 1 or more. Scoring takes turns within a process: a second one keeps results while
            the first scores, more are of no use.
        limit: pairs that a worker claims at once, 1 or more.
        idle: seconds between looks at an empty queue.
        pause: seconds after a fault.
        log: told of faults, without report text.
    """

    service: HospitalService
    threads: int = field(default=1, validator=validators.ge(1))
    limit: int = field(default=64, validator=validators.ge(1))
    idle: float = field(default=2.0, validator=validators.gt(0))
    pause: float = field(default=1.0, validator=validators.gt(0))
    log: _Log | None = None
    _running: list[Thread] = field(factory=list, init=False)
    _stopping: Event = field(factory=Event, init=False)
    _fault: str = field(default="", init=False)

    def start(self) -> None:
        """Begin to work.

        Raises:
            RuntimeError: if it has begun.
        """
        if self._running:
            raise RuntimeError("the workers have been started already")
        self._stopping.clear()
        name = f"worker-{uuid4().hex[:12]}"
        names = [f"{name}-{number}" for number in range(1, self.threads + 1)]
        self._running = [
            Thread(target=self._run, args=(thread_name,), name=thread_name, daemon=True) for thread_name in names
        ]
        for thread in self._running:
            thread.start()

    def stop(self, seconds: float = 30.0) -> bool:
        """Finish what is being scored, claim no more, and end; whether all did so within so many seconds.

        What a worker could not finish is given back when its lease ends.
        """
        self._stopping.set()
        self.service.queued.notify()
        until = monotonic() + seconds
        for thread in self._running:
            thread.join(max(0.0, until - monotonic()))
        left = [thread for thread in self._running if thread.is_alive()]
        self._running = left
        return not left

    @property
    def problem(self) -> str:
        """Reason why no pair is being scored, "" while all is well; for checks of readiness."""
        if self._stopping.is_set() or not self._running:
            return "the workers are stopped"
        if not all(thread.is_alive() for thread in self._running):
            return "a worker has ended"
        return self._fault

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _run(self, name: str) -> None:
        pause = self.pause
        while not self._stopping.is_set():
            seen = self.service.queued.count
            try:
                done = self.service.work(worker=name, limit=self.limit)
            except Exception as error:  # noqa: BLE001 - whatever it is, the next pairs are waiting
                self._tell(name, error)
                self._stopping.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            pause, self._fault = self.pause, ""
            if not done:
                self.service.queued.wait(seen, self.idle)

    def _tell(self, name: str, error: Exception) -> None:
        problem = str(error) if isinstance(error, OverreadError) else describe_error(error)
        self._fault = f"scoring fails: {problem}"
        if self.log is not None:
            self.log.warning("work_failed", worker=name, error=describe_error(error))
