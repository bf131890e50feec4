"""Doing again what met others at the same in the store."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

import tenacity  # noqa: TID253 - every store loads what makes this heavy, asyncio

from overread.exceptions import StoreBusyError

__all__ = ["again_if_busy"]

P = ParamSpec("P")
T = TypeVar("T")

_PAUSES: Final = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Seconds to wait at most, each after another try; together as long as a caller of a service can be made to wait."""

_RETRYING: Final = tenacity.Retrying(
    retry=tenacity.retry_if_exception_type(StoreBusyError),
    stop=tenacity.stop_after_attempt(len(_PAUSES) + 1),
    wait=tenacity.wait_chain(*(tenacity.wait_random(0, pause) for pause in _PAUSES)),
    reraise=True,
)


def again_if_busy(unit_of_work: Callable[P, T]) -> Callable[P, T]:
    """Make a unit of work try again where the store was busy with others; a busy try keeps nothing.

    The waits are random, so that two that met do not meet again.
    """

    @wraps(unit_of_work)
    def retry(*args: P.args, **kwargs: P.kwargs) -> T:
        # tenacity's own decorator keeps its counts in one place for all threads.
        return _RETRYING.copy()(unit_of_work, *args, **kwargs)

    return retry
