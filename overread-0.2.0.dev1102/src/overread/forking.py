"""Renewal after a fork: locks that other threads of the parent held, and computing without their threads.

A fork copies memory but only the thread that forks. A lock that another thread held at that moment would never open in
the child, and a thread pool would wait there for threads that do not exist.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cached_property
from threading import Lock, RLock
from typing import Final
from weakref import WeakMethod, WeakSet

__all__ = ["after_fork_in_child", "lock_for_forks", "was_forked_from_torch"]

_LOCKS: Final[WeakSet[Lock]] = WeakSet()
_RENEWED: Final[list[WeakMethod[Callable[[], None]]]] = []
_TORCH_BEFORE_FORK: Final[list[bool]] = []


def lock_for_forks() -> Lock:
    """A lock that is open in a child forked from this process, whoever held it."""
    lock = Lock()
    _LOCKS.add(lock)
    return lock


def after_fork_in_child(renew: Callable[[], None]) -> None:
    """Calls a method in each forked child, as long as its object lives."""
    _RENEWED[:] = [known for known in _RENEWED if known() is not None]
    _RENEWED.append(WeakMethod(renew))


def was_forked_from_torch() -> bool:
    """Returns whether this process or an ancestor was forked with torch loaded, whose threads it may wait for in vain.

    Only forks that came after this module was imported are known.
    """
    return bool(_TORCH_BEFORE_FORK)


def _renew() -> None:
    for lock in _LOCKS:
        lock._at_fork_reinit()  # type: ignore[attr-defined]  # noqa: SLF001 - as Python's own modules do
    for properties in _guarded_properties():
        vars(properties)["lock"] = RLock()
    for known in _RENEWED:
        if (renew := known()) is not None:
            renew()
    if "torch" in sys.modules:
        _TORCH_BEFORE_FORK.append(True)


def _guarded_properties() -> list[cached_property[object]]:
    """Those of ours that Python before 3.12 guards by a lock, one for all objects of a class."""
    return [
        value
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] == __package__
        for kind in list(vars(module).values())
        if isinstance(kind, type)
        for value in vars(kind).values()
        if isinstance(value, cached_property) and "lock" in vars(value)
    ]


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)
