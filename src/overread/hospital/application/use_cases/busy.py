"""Doing again what met others at the same in the store."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import wraps
from time import sleep
from typing import Final, ParamSpec, TypeVar

from overread.exceptions import StoreBusyError

__all__ = ["again_if_busy"]

P = ParamSpec("P")
T = TypeVar("T")

_PAUSES: Final = (0.01, 0.03, 0.1, 0.3, 1.0)
"""Seconds to wait at most, each after another try; together as long as a caller of a service can be made to wait."""


def again_if_busy(unit_of_work: Callable[P, T]) -> Callable[P, T]:
    """Make a unit of work try again where the store was busy with others; a busy try keeps nothing.

    The waits are random, so that two that met do not meet again.
    """

    @wraps(unit_of_work)
    def tried(*args: P.args, **kwargs: P.kwargs) -> T:
        for pause in _PAUSES:
            try:
                return unit_of_work(*args, **kwargs)
            except StoreBusyError:
                sleep(random.uniform(0, pause))  # noqa: S311 - no secret
        return unit_of_work(*args, **kwargs)

    return tried
