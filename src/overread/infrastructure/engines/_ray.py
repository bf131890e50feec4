"""Shards scored by Ray Data: one task reads them, a pool of actors scores them, this process commits them.

A fault travels as a row like any other, so that what was read before it is scored and committed first.
"""

from __future__ import annotations

import logging
import os
import pickle
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import ray
import ray._private.ray_constants
import ray._private.worker
import ray.data
from attrs import define, frozen

from overread.application.scoring.evaluate import Progress
from overread.application.scoring.shards import Shard, ShardRecord
from overread.exceptions import ConfigurationError
from overread.infrastructure.engines.collecting import collect_seldom
from overread.infrastructure.engines.threads import thread_count, thread_variables
from overread.infrastructure.engines.workers import Scorer, WorkerDiedError, packed, unpacked
from overread.infrastructure.files.scratch import scratch_folder

__all__ = ["RayEngine", "connected"]

_ATTEMPTS: Final = 2
_READER_CPUS: Final = 0.5
"""Other than an actor's, or Ray Data would make one operator of both, and one actor do all the work."""
_OBJECT_BYTES: Final = 512 * 1024 * 1024
"""Memory for shards on their way, of a cluster that is started here."""
_OTHER_BYTES: Final = 64 * 1024 * 1024
"""Of what else such a cluster keeps in its folder: sockets and logs."""
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a file system in memory, where there is one
_SHORT: Final = Path("/tmp")  # noqa: S108 - paths of sockets must be short

_ENVIRONMENT: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
}
_ALONE: Final = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""On any system: a cluster of one machine, none of whose ports can be reached from another."""

_Row = dict[str, Any]


@define(eq=False, slots=False)
class RayEngine:
    """Scores shards on a Ray cluster; an `Engine`.

    Attributes:
        build: makes what scores; it is called once in each actor, and must be importable on every machine.
        workers: number of actors.
    """

    build: Callable[[], Scorer]
    workers: int

    @cached_property
    def signatures(self) -> Mapping[str, str]:
        """Signature by metric, as the cluster has it."""
        task = ray.remote(num_cpus=1, max_calls=1)(_signatures)
        found, fault = _unpickled(_awaited(partial(ray.get, task.remote(self.build))))
        if fault is not None:
            raise unpacked(fault)
        return dict(found)

    def score(self, shards: Iterable[Shard], on_progress: Progress) -> Iterator[ShardRecord]:
        """The records of the shards, as `Engine.score`.

        Raises:
            WorkerDiedError: if actors died of the same shard twice.
        """
        scoring = _actor(self.build, self.signatures)
        pool = ray.data.ActorPoolStrategy(size=self.workers)
        with _one_shard_a_block():
            records = iter(
                ray.data.from_items([{"from": 0}])
                .flat_map(partial(_rows, shards), num_cpus=_READER_CPUS)
                .map(scoring, compute=pool, num_cpus=1)
                .iter_rows()
            )
            done, faults = 0, []
            while (row := _awaited(partial(next, records, None))) is not None:
                record, fault = _unpickled(row["record"])
                if fault is not None:
                    faults.append(fault)
                    continue
                done += record.rows
                yield record
                on_progress(done)
        if faults:
            raise unpacked(faults[0])


@contextmanager
def connected(workers: int) -> Iterator[None]:
    """A connection to a cluster."""
    if ray.is_initialized():
        yield
        return
    with ExitStack() as stack:
        stack.enter_context(_variables(_ENVIRONMENT))
        stack.enter_context(_changed(ray._private.worker, "_worker_logs_enabled", value=False))  # noqa: SLF001
        address = os.environ.get("RAY_ADDRESS")
        place = {"address": address} if address else stack.enter_context(_this_machine(workers))
        try:
            with _silence():
                # By itself Ray gives an actor as many threads as processors, which are one.
                variables = {"env_vars": {"OMP_NUM_THREADS": str(thread_count())}} if thread_count() > 1 else None
                ray.init(**place, runtime_env=variables, log_to_driver=False, logging_level=logging.ERROR)
        except Exception as error:
            where = f"at RAY_ADDRESS {address}" if address else "of this machine"
            raise ConfigurationError([f"there is no Ray cluster {where}: {type(error).__name__}"]) from error
        try:
            yield
        finally:
            ray.shutdown()


@contextmanager
def _this_machine(workers: int) -> Iterator[dict[str, Any]]:
    """How to start a cluster of this machine alone, whose files are in memory: shards hold reports."""
    is_memory = _MEMORY.is_dir()
    if is_memory and (free := shutil.disk_usage(_MEMORY).free) < _OBJECT_BYTES + _OTHER_BYTES:
        needed = (_OBJECT_BYTES + _OTHER_BYTES) >> 20
        problem = (
            f"Ray keeps reports in {_MEMORY}, which has {free >> 20} MiB free of the {needed} it takes; give it more "
            "(docker run --shm-size=1g), or leave --engine ray out: --workers alone need none"
        )
        raise ConfigurationError([problem])
    with (
        scratch_folder(_MEMORY if is_memory else _SHORT, "overread-ray-") as folder,
        _variables(_ALONE),
        _changed(ray._private.ray_constants, "ENABLE_RAY_CLUSTER", value=False),  # noqa: SLF001 - as _ALONE, here
        thread_variables(),
    ):
        yield {
            "address": "local",
            "num_cpus": workers + 1,  # one reads
            "object_store_memory": _OBJECT_BYTES,
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",
            "_temp_dir": str(folder / "r"),  # which Ray opens to everybody, inside of one that is not
            "_system_config": {"automatic_object_spilling_enabled": False},
        }


@frozen
class _Fault:
    """What went wrong, on its way to whoever raises it."""

    parts: Any


def _rows(shards: Iterable[Shard], _: _Row) -> Iterator[_Row]:
    """One row a shard, read as they are wanted; a fault in reading is the last."""
    try:
        for shard in shards:
            yield {"shard": _pickled(shard)}
    except Exception as error:  # noqa: BLE001 - raised where the records are taken
        yield {"shard": _pickled(_Fault(packed(error)))}


def _actor(build: Callable[[], Scorer], signatures: Mapping[str, str]) -> type[Any]:
    """The class of the actors, which builds what scores once in each."""

    class Scoring:
        def __init__(self) -> None:
            collect_seldom()
            self.scorer, self.fault = _attempted(lambda: _as_expected(build(), signatures))

        def __call__(self, row: _Row) -> _Row:
            shard = pickle.loads(row["shard"])  # noqa: S301 - made by `_rows`
            if isinstance(shard, _Fault):
                return {"record": _pickled((None, shard.parts))}
            if self.fault is not None:
                return {"record": _pickled((None, self.fault))}
            return {"record": _pickled(_attempted(lambda: _scored(self.scorer, shard)))}

    return Scoring


def _scored(scorer: Scorer, shard: Shard) -> ShardRecord:
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


def _signatures(build: Callable[[], Scorer]) -> bytes:
    return _pickled(_attempted(lambda: dict(build().signatures)))


def _attempted(action: Callable[[], Any]) -> tuple[Any, Any]:
    """What an action gives, or the parts of what it raised."""
    try:
        return action(), None
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - told to whoever waits for it
        return None, packed(error)


def _awaited(action: Callable[[], Any]) -> Any:
    """What Ray gives; its own errors quote what it was working on, so they are told by name."""
    try:
        return action()
    except ray.exceptions.RayError as error:
        raise WorkerDiedError(f"as Ray tells ({type(error).__name__})") from None


def _pickled(value: Any) -> bytes:
    return pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)


def _unpickled(data: bytes) -> tuple[Any, Any]:
    value, fault = pickle.loads(data)  # noqa: S301 - made by `_pickled` in a process of this run
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


@contextmanager
def _changed(module: Any, name: str, *, value: bool) -> Iterator[None]:
    """Another value for a name of a module, for a time."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


@contextmanager
def _silence() -> Iterator[None]:
    """Nothing on standard error, also not from code that is not Python's."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


@contextmanager
def _variables(values: Mapping[str, str]) -> Iterator[None]:
    """Sets environment variables that are not set, and takes them back."""
    new = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)
