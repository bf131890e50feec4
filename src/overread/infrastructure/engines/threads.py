"""How many threads a process computes with: one, so that sums are made in the same order wherever they are made.

Several processes use several processors better than several threads, and of learned metrics the last bits of a score
depend on the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

__all__ = ["few_threads", "thread_count", "thread_variables"]

_VARIABLE: Final = "OMP_NUM_THREADS"
_LIBRARIES: Final = (_VARIABLE, "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS")


def thread_count() -> int:
    """What OMP_NUM_THREADS says, of a list its first number; 1 where it says nothing."""
    said = os.environ.get(_VARIABLE, "").partition(",")[0].strip()
    return int(said) if said.isdecimal() and int(said) > 0 else 1


@contextmanager
def thread_variables() -> Iterator[None]:
    """The environment that gives libraries so many threads, if they are loaded in it or in a process started in it.

    Variables of single libraries say the same meanwhile, whatever they said: the one number tells how scores came.
    """
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
def few_threads() -> Iterator[None]:
    """So many threads for libraries that are loaded already, and for those that are loaded meanwhile."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # noqa: PLC0415 - it looks through all libraries

    with thread_variables(), threadpool_limits(limits=thread_count()):
        yield
