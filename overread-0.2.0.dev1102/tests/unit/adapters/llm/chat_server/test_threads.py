"""Results as they come, and the end of what has not begun."""

from __future__ import annotations

import signal
import subprocess
import sys
from threading import Barrier, Event, Lock

import pytest

from overread.adapters.llm.chat_server._threads import as_they_come


def test_results_come_in_the_order_in_which_they_are_done() -> None:
    """What is done first is not held up by what was begun first."""
    first_may_end = Event()

    def work(index: int) -> int:
        if index == 0:
            assert first_may_end.wait(300)
        return index * index

    results = as_they_come(work, 3, threads=2, stop=Event())
    assert [next(results), next(results)] == [(1, 1), (2, 4)]
    first_may_end.set()
    assert list(results) == [(0, 0)]


def test_no_more_threads_work_than_allowed() -> None:
    """The option bounds the load on a server."""
    lock, at_once, most = Lock(), 0, 0
    first = Barrier(3, timeout=300)

    def work(index: int) -> None:
        nonlocal at_once, most
        with lock:
            at_once += 1
            most = max(most, at_once)
        if index < 3:
            first.wait()
        with lock:
            at_once -= 1

    assert len(list(as_they_come(work, 20, threads=3, stop=Event()))) == 20
    assert most == 3


def test_nothing_is_begun_after_the_iterator_is_closed() -> None:
    """Who stops taking answers pays for no more of them."""
    begun: list[int] = []
    may_end = Event()

    def work(index: int) -> int:
        begun.append(index)
        if index:
            assert may_end.wait(300)
        return index

    stop = Event()
    results = as_they_come(work, 100, threads=2, stop=stop)
    assert next(results) == (0, 0)
    results.close()  # type: ignore[attr-defined]
    may_end.set()
    assert stop.is_set()
    Event().wait(0.05)
    assert len(begun) <= 4


def test_ctrl_c_does_not_wait_for_answers_under_way() -> None:
    """An answer may take minutes."""
    code = (
        "import sys, time, threading;"
        "from overread.adapters.llm.chat_server._threads import as_they_come;"
        "begin = lambda _: (print('begun', flush=True), time.sleep(3600));"
        "list(as_they_come(begin, 9, threads=1, stop=threading.Event()))"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=300)
    assert b"KeyboardInterrupt" in error
    assert process.returncode != 0


def test_an_error_is_raised_where_results_are_taken_and_ends_the_rest() -> None:
    """A fault in a thread is not lost, and the rest is not paid for."""
    stop = Event()

    def work(index: int) -> int:
        raise KeyError(index)

    with pytest.raises(KeyError):
        list(as_they_come(work, 50, threads=1, stop=stop))
    assert stop.is_set()


def test_nothing_to_do() -> None:
    """No work comes to no result, and no call waits."""
    assert list(as_they_come(str, 0, threads=4, stop=Event())) == []
