"""Engines for a corpus: this process, several, or a Ray cluster; each makes the same files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Literal

from attrs import evolve, frozen

from overread.application.scoring.evaluate import Progress
from overread.application.scoring.shards import Engine, Shard, ShardRecord, ShardScorer
from overread.bootstrap._services import open_run
from overread.exceptions import ConfigurationError
from overread.infrastructure.engines.shards import ShardFolder
from overread.infrastructure.settings import Settings

__all__ = ["InProcessEngine", "open_workers"]


@frozen(eq=False)
class InProcessEngine:
    """Scores shards here, one after another."""

    scorer: ShardScorer

    @property
    def signatures(self) -> Mapping[str, str]:
        """Signature by metric."""
        return self.scorer.signatures

    def score(self, shards: Iterable[Shard], on_progress: Progress) -> Iterator[ShardRecord]:
        """The records of the shards, in order."""
        done = 0
        for shard in shards:
            yield self.scorer.score(shard, partial(_told, on_progress, done))
            done += len(shard.rows)


def _told(on_progress: Progress, before: int, rows: int) -> None:
    on_progress(before + rows)


@contextmanager
def open_workers(
    settings: Settings,
    files: ShardFolder,
    *,
    engine: Literal["local", "ray"] = "local",
    workers: int,
    tell: Callable[[str], None],
) -> Iterator[Engine]:
    """An engine of several processes. Each builds the service of the settings once.

    Args:
        settings: which components and options to use.
        files: where shards lie; for a cluster, in a folder that all its machines share.
        engine: "local" for processes of this machine, "ray" for Ray, whose cluster is that of RAY_ADDRESS, else one
            of this machine alone that is started and ended here.
        workers: how many.
        tell: is told of workers that died, in words.

    Raises:
        ConfigurationError: if what is to be used cannot be used by several processes.
        MissingDependencyError: if Ray is asked for and not installed.
        InputError, PluginError: as they arise in a worker.
    """
    if settings.store is not None:
        problem = "a store is written by one process; leave --store out, or score with --workers 1 on the local engine"
        raise ConfigurationError([problem])
    build = partial(_scorer, evolve(settings, answers=None), files)
    if engine == "ray":
        from overread.infrastructure.engines.ray_engine import open_ray_engine

        with open_ray_engine(build, workers) as ray_engine:
            yield ray_engine
        return
    from overread.infrastructure.engines.workers import WorkerPool

    with WorkerPool(build, workers, tell) as pool:
        yield pool


def _scorer(settings: Settings, files: ShardFolder) -> ShardScorer:
    """What a worker builds."""
    from overread.infrastructure.logs import configure

    configure(settings.log_level)
    run = open_run(settings)
    if run.model is not None:
        problem = (
            "a metric asks a language model, whose answers are kept by one process; score with --workers 1 on the "
            "local engine, and for more requests at once set model.concurrency"
        )
        raise ConfigurationError([problem])
    return ShardScorer(run.service, files)
