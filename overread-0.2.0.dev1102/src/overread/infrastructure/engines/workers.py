"""Worker processes: each builds what scores shards once, and scores one shard after another."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from time import monotonic
from traceback import format_tb
from types import TracebackType
from typing import Any, Final, Protocol, Self

from attrs import define, field

from overread.application.scoring.evaluate import Progress
from overread.application.scoring.shards import Shard, ShardFiles, ShardRecord
from overread.exceptions import OverreadError
from overread.infrastructure.engines.collecting import collect_seldom
from overread.infrastructure.engines.threads import thread_variables

__all__ = ["Scorer", "WorkerDiedError", "WorkerPool", "pack_error", "unpack_error"]

_ATTEMPTS: Final = 2
_GRACE_S: Final = 2.0
_PATIENCE_S: Final = 300.0


class Scorer(Protocol):
    """The scorer that a worker builds."""

    @property
    def files(self) -> ShardFiles:
        """Files of the shards."""
        ...

    @property
    def signatures(self) -> Mapping[str, str]:
        """Signature by metric."""
        ...

    def score(self, shard: Shard, on_progress: Progress | None = None) -> ShardRecord:
        """The record of a shard, whose file is then on the disk."""
        ...


class WorkerDiedError(OverreadError):
    """Workers ended without a word: killed, out of memory, or crashed in somebody else's code."""

    def __init__(self, what: str) -> None:
        super().__init__(
            f"two workers died {what}; what was scored is kept (is there too little memory for so many `workers`, "
            "or does a metric crash on a report? try fewer workers and other `shard_rows`; a Python "
            'script must ask for workers under if __name__ == "__main__":)'
        )


@define(eq=False)
class WorkerPool:
    """Scores shards in processes of their own; an `Engine`, to be used in a ``with`` statement.

    A worker that dies is replaced, and its shard is tried once more. Workers end with this process, however it ends.

    Attributes:
        build: makes what scores; it is called in each worker, and must be importable there.
        size: number of workers.
        tell: is told of workers that died, and of those that have not got on for long, in words.
        patience: seconds after which the latter is told.

    Raises:
        WorkerDiedError: if workers died of the same shard twice, or while they were being made.
    """

    build: Callable[[], Scorer]
    size: int
    tell: Callable[[str], None]
    patience: float = _PATIENCE_S
    _workers: list[_Worker] = field(factory=list, init=False)
    _signatures: Mapping[str, str] = field(factory=dict, init=False)
    _work: _Work = field(factory=lambda: _Work(iter(())), init=False)

    def __enter__(self) -> Self:
        self._workers = [_Worker.start(self.build) for _ in range(self.size)]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            worker.end()
        self._workers = []

    @property
    def signatures(self) -> Mapping[str, str]:
        """Signature by metric, as soon as one worker is ready."""
        while not self._signatures:
            for _ in self._heard():
                pass
            self._work.check()
        return self._signatures

    def score(self, shards: Iterable[Shard], on_progress: Progress) -> Iterator[ShardRecord]:
        """The records of the shards, as `Engine.score`; one more than there are workers is held at a time."""
        self._work, done = _Work(iter(shards)), 0
        while True:
            for worker in self._workers:
                if worker.is_idle and self._work.is_left:
                    worker.give(self._work.take())
            if not self._work.is_left and not any(worker.shard for worker in self._workers):
                break
            for record in self._heard():
                done += record.rows
                yield record
            on_progress(done + sum(worker.rows for worker in self._workers))
        self._work.check()

    def _heard(self) -> Iterator[ShardRecord]:
        """Waits until workers say something, die, or seem to hang."""
        connections = {worker.connection: worker for worker in self._workers}
        spoke = wait(list(connections), self.patience)
        self._tell_slow()
        for connection in spoke:
            worker = connections[connection]  # type: ignore[index]
            worker.is_slow, worker.since = False, monotonic()
            try:
                kind, content = worker.connection.recv()
            except (EOFError, OSError):
                self._replace(worker)
                continue
            if kind == "ready":
                worker.is_ready, self._signatures = True, content
            elif kind == "rows":
                worker.rows = content
            elif kind == "done":
                worker.shard, worker.rows = None, 0
                yield content
            else:
                self._work.stop(unpack_error(content))
                self._dismiss(worker)

    def _tell_slow(self) -> None:
        """Once of each worker that said nothing for long; it may still come to an end."""
        for worker in self._workers:
            seconds = monotonic() - worker.since
            if worker.shard is not None and not worker.is_slow and seconds >= self.patience:
                worker.is_slow = True
                done = f", of which {worker.rows:,} are done" if worker.rows else ""
                how_long = f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} s"  # noqa: PLR2004
                who = f"a worker (process {worker.process.pid})"
                self.tell(f"{who} has made no progress for {how_long}; it scores {worker.shard.place}{done}")

    def _replace(self, worker: _Worker) -> None:
        worker.process.join(_GRACE_S)  # it let go of its end a moment before it ended
        how, shard = self._dismiss(worker), worker.shard
        what = "while it was being made" if shard is None else f"of {shard.place}"
        if self._work.may_try_again(shard):
            self.tell(f"a worker died {what} ({how}); another tries again")
            self._workers.append(_Worker.start(self.build))
        else:
            self._work.stop(WorkerDiedError(f"{what} ({how})"))

    def _dismiss(self, worker: _Worker) -> str:
        self._workers.remove(worker)
        return worker.end()


@define(eq=False)
class _Work:
    """Shards that are still to be handed out; after a fault there are none."""

    _coming: Iterator[Shard]
    _ahead: list[Shard] = field(factory=list)
    _failed: list[int | None] = field(factory=list)
    _fault: BaseException | None = None

    @property
    def is_left(self) -> bool:
        """True if there is another; reads it if that was not done yet."""
        if not self._ahead and self._fault is None:
            try:
                self._ahead += [shard for shard in [next(self._coming, None)] if shard is not None]
            except Exception as error:  # noqa: BLE001 - kept until the shards before are scored, then raised
                self._fault = error
        return bool(self._ahead) and self._fault is None

    def take(self) -> Shard:
        """The next."""
        return self._ahead.pop(0)

    def may_try_again(self, shard: Shard | None) -> bool:
        """Return whether to try again after a worker died of a shard (then put back) or at its start (None)."""
        self._failed.append(None if shard is None else shard.number)
        if self._failed.count(self._failed[-1]) >= _ATTEMPTS:
            return False
        self._ahead[:0] = [] if shard is None else [shard]
        return True

    def stop(self, fault: BaseException) -> None:
        """Hand out no more."""
        self._fault = self._fault or fault

    def check(self) -> None:
        """Raises the fault, if there was one."""
        if self._fault is not None:
            raise self._fault


@define(eq=False)
class _Worker:
    """A process and what it is doing."""

    process: BaseProcess
    connection: Connection[Any, Any]
    is_ready: bool = False
    shard: Shard | None = None
    rows: int = 0
    since: float = field(factory=monotonic)
    is_slow: bool = False

    @classmethod
    def start(cls, build: Callable[[], Scorer]) -> _Worker:
        context = multiprocessing.get_context("spawn")
        own_end, its = context.Pipe()
        process = context.Process(target=_serve, args=(its, build), name="overread-worker")
        with thread_variables():
            process.start()
        its.close()  # so that its end is noticed
        return cls(process, own_end)

    @property
    def is_idle(self) -> bool:
        return self.is_ready and self.shard is None

    def give(self, shard: Shard) -> None:
        self.shard, self.since = shard, monotonic()
        with suppress(OSError):  # it died: that is heard next
            self.connection.send(shard)

    def end(self) -> str:
        """Ends the process; how it ended, in words. What it had finished is on the disk."""
        self.connection.close()
        self.process.kill()
        self.process.join()
        status = self.process.exitcode or 0
        return f"signal {-status}" if status < 0 else f"exit status {status}"


def pack_error(error: BaseException) -> tuple[type[Exception], str, dict[str, Any], list[str]]:
    """An exception as parts that can be sent, whatever its own pickling makes of it.

    The message of somebody else's exception may quote a report: only its type is sent, and where it was raised. Of
    ours, what cannot be sent stays behind: attributes, and a class that is unknown elsewhere in favour of its base.
    """
    if isinstance(error, OverreadError):
        kind = next(base for base in type(error).__mro__ if _can_be_sent(base))
        return kind, str(error), {name: value for name, value in vars(error).items() if _can_be_sent(value)}, []
    return RuntimeError, f"a worker met {type(error).__name__}", {}, format_tb(error.__traceback__)


def _can_be_sent(value: object) -> bool:
    try:
        pickle.dumps(value)
    except Exception:  # noqa: BLE001 - whatever its own pickling raises
        return False
    return True


def unpack_error(parts: tuple[type[Exception], str, dict[str, Any], list[str]]) -> Exception:
    """The exception of `pack_error`."""
    kind, message, attributes, trace = parts
    error = kind.__new__(kind, message)
    vars(error).update(attributes)
    if trace:
        error.add_note("".join(trace))
    return error


def _serve(connection: Connection[Any, Any], build: Callable[[], Scorer]) -> None:
    """The life of a worker."""
    collect_seldom()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes of a terminal: one of them answers
    sys.stdout = sys.stderr  # results go through the pipe; what a plugin prints may not stand among them
    threading.Thread(target=_end_with_parent, daemon=True).start()
    try:
        scorer = build()
        connection.send(("ready", dict(scorer.signatures)))
        while True:
            record = scorer.score(connection.recv(), lambda rows: connection.send(("rows", rows)))
            connection.send(("done", record))
    except (EOFError, BrokenPipeError):
        return
    except BaseException as error:  # noqa: BLE001 - told to whoever waits for it; Ctrl-C is none of them here
        connection.send(("failed", pack_error(error)))


def _end_with_parent() -> None:
    """A worker that outlived a killed run could still write into the folder of the next."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
