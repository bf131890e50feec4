"""Number of threads that a process computes with: one, so that sums are made in the same order everywhere.

Several processes use several processors better than several threads do, and the last bits of a learned metric's score
depend on the number of threads.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from threading import Lock
from typing import Final

from attrs import define, field

from overread.forking import lock_for_forks

__all__ = ["few_threads", "thread_count", "thread_variables"]

_VARIABLE: Final = "OMP_NUM_THREADS"
_TORCH: Final = "torch"
_LIBRARIES: Final = (_VARIABLE, "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")


def thread_count() -> int:
    """The number in OMP_NUM_THREADS, the first of a list; 1 where there is none."""
    value = os.environ.get(_VARIABLE, "").partition(",")[0].strip()
    return int(value) if value.isdecimal() and int(value) > 0 else 1


def thread_variables() -> AbstractContextManager[None]:
    """The environment that gives libraries so many threads, if they are loaded in it or in a process started in it.

    Variables of single libraries say the same meanwhile, whatever they said: the one number tells how scores came.
    """
    return _VARIABLES.shared()


def few_threads() -> AbstractContextManager[None]:
    """Limits libraries to `thread_count` threads, both those loaded already and those loaded meanwhile.

    Afterwards the former have as many as before, and the latter as many as they would have taken by themselves.
    """
    return _LIMITS.shared()


@define(eq=False)
class _ProcessWide:
    """A change of the whole process, made by the first thread that wants it and undone by the last."""

    make: Callable[[], AbstractContextManager[None]]
    _wanted: int = 0
    _lock: Lock = field(factory=lock_for_forks)
    _made: ExitStack = field(factory=ExitStack)

    @contextmanager
    def shared(self) -> Iterator[None]:
        with self._lock:
            if self._wanted == 0:
                self._made.enter_context(self.make())
            self._wanted += 1
        try:
            yield
        finally:
            with self._lock:
                self._wanted -= 1
                if self._wanted == 0:
                    self._made.close()


@contextmanager
def _variables() -> Iterator[None]:
    values = dict.fromkeys(_LIBRARIES, str(thread_count())) | {"TOKENIZERS_PARALLELISM": "false"}
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


@contextmanager
def _limits() -> Iterator[None]:
    from threadpoolctl import (  # type: ignore[import-untyped]  # noqa: PLC0415 - it looks through all libraries
        ThreadpoolController,
    )

    loaded, had_torch = ThreadpoolController(), _TORCH in sys.modules
    try:
        with thread_variables(), loaded.limit(limits=thread_count()):
            yield
    finally:
        known = {library.filepath for library in loaded.lib_controllers}
        for library in ThreadpoolController().lib_controllers:
            if library.filepath not in known:
                library.set_num_threads(_usual_count())
        if not had_torch and _TORCH in sys.modules:  # which tells threads that are yet to come
            sys.modules[_TORCH].set_num_threads(_usual_count())


def _usual_count() -> int:
    """Number of threads that a library takes if it is loaded without `thread_variables`."""
    from joblib import cpu_count  # type: ignore[import-untyped]  # noqa: PLC0415 - asked at the end of a run alone

    return thread_count() if os.environ.get(_VARIABLE) else int(cpu_count(only_physical_cores=True))


_VARIABLES: Final = _ProcessWide(_variables)
_LIMITS: Final = _ProcessWide(_limits)
