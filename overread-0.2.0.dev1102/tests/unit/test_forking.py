"""What a forked child finds: locks are open, and what asked to be renewed is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from threading import Event, Thread

import pytest

from overread import forking
from overread.domain.differences.unread import Coverage

pytestmark = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")


def in_child(holds: Callable[[], bool]) -> bool:
    """Whether it holds in a forked child, which does nothing else."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            status = 0 if holds() else 1
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


@contextmanager
def another_thread(work: Callable[[Event, Event], None]) -> Iterator[None]:
    """Within, the work has said that it is in the middle; afterwards it may end."""
    begun, may_end = Event(), Event()
    thread = Thread(target=work, args=(begun, may_end))
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        may_end.set()
        thread.join()


def test_a_lock_that_another_thread_held_is_open() -> None:
    """In the child, more than once; in the parent it stays held."""
    lock = forking.lock_for_forks()

    def hold(begun: Event, may_end: Event) -> None:
        with lock:
            begun.set()
            may_end.wait()

    def is_open() -> bool:
        with lock:
            pass
        return lock.acquire(blocking=False)

    with another_thread(hold):
        assert in_child(is_open)
        assert not lock.acquire(blocking=False)


def test_a_property_that_another_thread_computed_can_be_had() -> None:
    """Python 3.11 has one lock for the property of all objects of a class."""
    begun, may_end = Event(), Event()

    def wait(_: object) -> int:
        if not may_end.is_set() and not begun.is_set():
            begun.set()
            may_end.wait()
        return 1

    slow = cached_property(wait)
    slow.__set_name__(Coverage, "slow")

    def compute(told: Event, end: Event) -> None:
        thread = Thread(target=lambda: slow.__get__(_Bearer(), _Bearer))
        thread.start()
        begun.wait()
        told.set()
        end.wait()
        may_end.set()
        thread.join()

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Coverage, "slow", slow, raising=False)
        with another_thread(compute):
            assert in_child(lambda: slow.__get__(_Bearer(), _Bearer) == 1)


class _Bearer:
    """Of a property's value."""


class _Line:
    """Something that a child must not share with its parent."""

    def __init__(self) -> None:
        self.is_open = True

    def close(self) -> None:
        self.is_open = False


def test_what_must_not_be_shared_is_renewed_as_long_as_it_lives() -> None:
    """In the child alone; what is gone is not kept for it."""
    line, gone = _Line(), _Line()
    for one in (line, gone):
        forking.after_fork_in_child(one.close)
    del gone, one
    assert in_child(lambda: not line.is_open)
    assert line.is_open
    forking.after_fork_in_child(line.close)
    assert [known() for known in forking._RENEWED].count(None) == 0


def test_a_fork_is_known_in_the_child() -> None:
    """Where torch was loaded before, as its threads were left behind; the parent is no child."""
    import torch  # noqa: F401, PLC0415 - if no test has loaded it yet

    assert not forking.was_forked_from_torch()
    assert in_child(forking.was_forked_from_torch)
    assert in_child(lambda: in_child(forking.was_forked_from_torch))
