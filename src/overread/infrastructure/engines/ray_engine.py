"""The engine for a cluster: Ray Data, which is imported when the engine is opened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from overread.application.scoring.shards import Engine
from overread.extras import require
from overread.infrastructure.engines.workers import Scorer

__all__ = ["open_ray_engine"]


@contextmanager
def open_ray_engine(build: Callable[[], Scorer], workers: int, tell: Callable[[str], None]) -> Iterator[Engine]:
    """An engine whose shards are the rows of a Ray data set, scored by a pool of actors.

    The cluster is that of RAY_ADDRESS, or the one this process is connected to already; else one of this machine alone
    is started, and ended at the end.

    Args:
        build: makes what scores; it is called once in each actor.
        workers: number of actors.
        tell: is told what is waited for, in words.

    Raises:
        MissingDependencyError: if Ray is not installed.
        ConfigurationError: if the cluster cannot be reached.
    """
    require("the engine ray", "ray")
    from overread.infrastructure.engines._ray import RayEngine  # noqa: PLC0415 - ray is slow to import
    from overread.infrastructure.engines._ray_cluster import connect  # noqa: PLC0415 - as above

    with connect(workers, tell):
        yield RayEngine(build, workers, tell)
