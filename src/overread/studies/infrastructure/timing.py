"""Timing in a process of its own, whose peak memory is therefore that of what is timed."""

from __future__ import annotations

import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from queue import Empty
from typing import Any, Final, TypeVar

from overread.application.scoring.evaluate import EvaluationService
from overread.domain.reports.report import ReportPair
from overread.exceptions import OverreadError
from overread.studies.application.cards.timed import Timing

__all__ = ["BrokenOffError", "in_process", "peak_mib", "time_service"]

T = TypeVar("T")

_FIRST: Final = "The heart is normal in size. {} effusion. No pneumothorax."
"""Makes a pair that is long enough for a second reader, so that its network is loaded before pairs are timed."""

_IN_MIB: Final = 1024**2 if sys.platform == "darwin" else 1024
"""Of the system's unit of peak memory: macOS tells bytes, others KiB."""


class BrokenOffError(OverreadError):
    """A process that was to measure ended without an answer."""


def in_process(target: Callable[..., T], *arguments: Any) -> T:
    """Call ``target(*arguments)`` in a fresh process, and return what it returns.

    Raises:
        BrokenOffError: if it ends without returning; what it raised is on standard error.
    """
    context = multiprocessing.get_context("spawn")
    queue: multiprocessing.Queue[T] = context.Queue()
    process = context.Process(target=_put, args=(queue, target, arguments))
    process.start()
    try:
        while True:
            try:
                return queue.get(timeout=1.0)
            except Empty:
                if not process.is_alive():
                    raise BrokenOffError("a process that was to measure broke off") from None
    finally:
        process.join()


def time_service(build: Callable[[], EvaluationService], pairs: Sequence[ReportPair]) -> Timing:
    """A service, from building it on, over the pairs twice; ask for it `in_process`."""
    started = time.perf_counter()
    service = build()
    service.evaluate([ReportPair(id="first", reference=_FIRST.format("No"), candidate=_FIRST.format("Small"))])
    ready = time.perf_counter() - started
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        for _result in service.stream(pairs):
            pass
        seconds.append(time.perf_counter() - started)
    return Timing(pairs=len(pairs), start=ready, cold=seconds[0], warm=seconds[1], peak=peak_mib())


def peak_mib() -> float:
    """Peak memory of this process so far; NaN where the system does not tell."""
    try:
        import resource  # noqa: PLC0415 - there is none on Windows
    except ImportError:
        return float("nan")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / _IN_MIB


def _put(queue: multiprocessing.Queue[Any], target: Callable[..., Any], arguments: Sequence[Any]) -> None:
    queue.put(target(*arguments))
