"""Shards scored by Ray Data: one task reads them, a pool of actors scores them, this process commits them.

A fault travels as a row like any other, so that what was read before it is scored and committed first.
"""

from __future__ import annotations

import logging
import os
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import ray
import ray.data
from attrs import define, frozen

from overread.application.scoring.evaluate import Progress
from overread.application.scoring.shards import Shard, ShardRecord
from overread.exceptions import ConfigurationError
from overread.infrastructure.engines._ray_cluster import (
    LONGEST_WAIT_S,
    in_words,
    is_head_there,
    room,
    telling,
    wait_for_room,
)
from overread.infrastructure.engines.collecting import collect_seldom
from overread.infrastructure.engines.workers import Scorer, WorkerDiedError, pack_error, unpack_error

__all__ = ["RayEngine"]

_ATTEMPTS: Final = 2
_READER_CPUS: Final = 0
"""Other than an actor's, or Ray Data would make one operator of both, and one actor do all the work; and none, as the
actors may have taken all there are."""
_PATIENCE_S: Final = 60.0
_LOOK_EVERY_S: Final = 10.0

_Row = dict[str, Any]


@define(eq=False, slots=False)
class RayEngine:
    """Scores shards on a Ray cluster; an `Engine`.

    Attributes:
        build: makes what scores; it is called once in each actor, and must be importable on every machine.
        workers: number of actors.
        tell: is told, in words, what is waited for, and how long already.
        patience: seconds without a shard after which that is told, and again after as many.
        longest: seconds to wait for a processor of the cluster.
    """

    build: Callable[[], Scorer]
    workers: int
    tell: Callable[[str], None]
    patience: float = _PATIENCE_S
    longest: float = LONGEST_WAIT_S

    @cached_property
    def signatures(self) -> Mapping[str, str]:
        """Signature by metric, as the cluster has it.

        Raises:
            ConfigurationError: if no processor of it became free in time.
        """
        wait_for_room(self.workers, self.tell, self.longest)
        task = ray.remote(num_cpus=1, max_calls=1)(_signatures).remote(self.build, str(Path.cwd()))
        with telling(self.tell, self._busy):
            ready, _ = _await_result(partial(ray.wait, [task], timeout=self.longest))
        if not ready:
            ray.cancel(task, force=True)
            problem = f"no processor of the Ray cluster became free in {in_words(self.longest)}"
            raise ConfigurationError([f"{problem}; wait until others are done with it, or add a node"])
        by_metric, fault = _unpickle(_await_result(partial(ray.get, task)))
        if fault is not None:
            raise unpack_error(fault)
        return dict(by_metric)

    def score(self, shards: Iterable[Shard], on_progress: Progress) -> Iterator[ShardRecord]:
        """The records of the shards, as `Engine.score`.

        Raises:
            WorkerDiedError: if actors died of the same shard twice.
        """
        scoring = _actor(self.build, self.signatures, str(Path.cwd()))
        pool = ray.data.ActorPoolStrategy(size=self.workers)
        with _one_shard_a_block(), warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"ray\.")
            records = iter(
                ray.data.from_items([{"from": 0}])
                .flat_map(partial(_rows, shards, str(Path.cwd())), num_cpus=_READER_CPUS)
                .map(scoring, compute=pool, num_cpus=1)
                .iter_rows()
            )
            done, faults = 0, []
            while (row := self._next(records)) is not None:
                record, fault = _unpickle(row["record"])
                if fault is not None:
                    faults.append(fault)
                    continue
                done += record.rows
                yield record
                on_progress(done)
        if faults:
            raise unpack_error(faults[0])

    def _next(self, records: Iterator[_Row]) -> _Row | None:
        with telling(self.tell, self._quiet, _LOOK_EVERY_S):
            row: _Row | None = _await_result(partial(next, records, None))
        return row

    def _busy(self, seconds: float) -> str:
        waits = f"waiting for a free processor of the Ray cluster, which loads what scores ({in_words(seconds)}"
        return f"{waits} of at most {in_words(self.longest)})"

    def _quiet(self, seconds: float) -> str:
        if not is_head_there():
            return "the head of the Ray cluster does not answer; Ray ends this run if it is not back within a minute"
        if int(seconds // _LOOK_EVERY_S) % max(1, int(self.patience // _LOOK_EVERY_S)):
            return ""
        return f"no shard has come back from the Ray cluster for {in_words(seconds)}; {_state()}"


@frozen
class _Fault:
    """An error on its way to the caller who raises it."""

    parts: Any


def _rows(shards: Iterable[Shard], folder: str, _: _Row) -> Iterator[_Row]:
    """One row a shard, read as they are wanted; a fault in reading is the last."""
    _enter(folder)
    try:
        for shard in shards:
            yield {"shard": _pickle(shard)}
    except Exception as error:  # noqa: BLE001 - raised where the records are taken
        yield {"shard": _pickle(_Fault(pack_error(error)))}


def _actor(build: Callable[[], Scorer], signatures: Mapping[str, str], folder: str) -> type[Any]:
    """The class of the actors, which builds what scores once in each."""

    class Scoring:
        def __init__(self) -> None:
            collect_seldom()
            _enter(folder)
            self.scorer, self.fault = _attempt(lambda: _as_expected(build(), signatures))

        def __call__(self, row: _Row) -> _Row:
            shard = pickle.loads(row["shard"])  # noqa: S301 - made by `_rows`
            if isinstance(shard, _Fault):
                return {"record": _pickle((None, shard.parts))}
            if self.fault is not None:
                return {"record": _pickle((None, self.fault))}
            return {"record": _pickle(_attempt(lambda: _score_shard(self.scorer, shard)))}

    return Scoring


def _score_shard(scorer: Scorer, shard: Shard) -> ShardRecord:
    """The record; Ray tries again as often as an actor dies, which two of the same shard are enough of."""
    if scorer.files.attempts(shard.number) >= _ATTEMPTS:
        raise WorkerDiedError(f"of {shard.place}")
    return scorer.score(shard)


def _as_expected(scorer: Scorer, signatures: Mapping[str, str]) -> Scorer:
    if dict(scorer.signatures) != dict(signatures):
        raise ConfigurationError(
            ["the machines of the cluster have different versions of what scores; install the same"]
        )
    return scorer


def _signatures(build: Callable[[], Scorer], folder: str) -> bytes:
    _enter(folder)
    return _pickle(_attempt(lambda: dict(build().signatures)))


def _enter(folder: str) -> None:
    """Paths of the command and the settings may be relative; processes of a cluster start where it was started."""
    with suppress(OSError):  # whoever needs a path names it
        os.chdir(folder)


def _attempt(action: Callable[[], Any]) -> tuple[Any, Any]:
    """The result of an action, or the parts of the exception that it raised."""
    try:
        return action(), None
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - told to whoever waits for it
        return None, pack_error(error)


def _state() -> str:
    """State of the cluster, in words."""
    nodes = ray.nodes()
    alive = sum(bool(node["Alive"]) for node in nodes)
    return f"{alive} of {len(nodes)} nodes it has had are up, with processors for {room()} workers"


def _await_result(action: Callable[[], Any]) -> Any:
    """The result of an action of Ray, whose own errors quote what it was working on: only their type is reported."""
    try:
        return action()
    except ray.exceptions.RayError as error:
        raise WorkerDiedError(
            f"as Ray tells ({type(error).__name__}: is the same overread on every machine?)"
        ) from None


def _pickle(value: Any) -> bytes:
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def _unpickle(data: bytes) -> tuple[Any, Any]:
    value, fault = pickle.loads(data)  # noqa: S301 - made by `_pickle` in a process of this run
    return value, fault


@contextmanager
def _one_shard_a_block() -> Iterator[None]:
    """Makes Ray Data pass each shard on as soon as it is read, and be silent."""
    context, logger = ray.data.DataContext.get_current(), logging.getLogger("ray.data")
    level, before = logger.level, (context.target_max_block_size, context.enable_progress_bars)
    logger.setLevel(logging.ERROR)
    context.target_max_block_size, context.enable_progress_bars = 1, False
    try:
        yield
    finally:
        context.target_max_block_size, context.enable_progress_bars = before
        logger.setLevel(level)
