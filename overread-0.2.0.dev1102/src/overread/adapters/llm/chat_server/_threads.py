"""Work in threads, its results as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from typing import TypeVar

__all__ = ["as_they_come"]

T = TypeVar("T")


def as_they_come(work: Callable[[int], T], count: int, *, threads: int, stop: Event) -> Iterator[tuple[int, T]]:
    """Does ``work(0)`` to ``work(count - 1)`` and yields each index and result when it is there.

    Closing the iterator, an error in ``work`` (raised here) and Ctrl-C set ``stop``; then nothing more is begun. The
    threads are daemons, as those of an executor would keep the process from ending until the last server answers.

    Args:
        work: called in several threads.
        count: 0 or more.
        threads: at most.
        stop: may also be watched, or set, by the work itself.
    """
    waiting: SimpleQueue[int] = SimpleQueue()
    done: SimpleQueue[tuple[int, Future[T]]] = SimpleQueue()
    for index in range(count):
        waiting.put(index)

    def run() -> None:
        with suppress(Empty):
            while not stop.is_set():
                index, future = waiting.get_nowait(), Future[T]()
                try:
                    future.set_result(work(index))
                except BaseException as error:  # noqa: BLE001 - it is raised where the results are taken
                    future.set_exception(error)
                done.put((index, future))

    try:
        for number in range(min(threads, count)):
            Thread(target=run, name=f"overread-request-{number}", daemon=True).start()
        for _ in range(count):
            index, future = done.get()
            yield index, future.result()
    finally:
        stop.set()
