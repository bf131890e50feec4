"""A service that every process builds for itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from attrs import define, field

from overread.application.scoring.evaluate import EvaluationService

__all__ = ["ProcessService"]


@define(eq=False, slots=False)
class ProcessService:
    """Builds a service where and when it is first asked for; it may be forked, pickled and copied before and after.

    A fork may copy another thread's lock in its locked state, so what a parent built is not used; nor is it sent.

    Attributes:
        build: makes the service; it must be importable where this is sent.
    """

    build: Callable[[], EvaluationService] = field(repr=False)
    _service: EvaluationService | None = field(default=None, init=False, repr=False)
    _process: int = field(default=0, init=False, repr=False)

    @property
    def built(self) -> EvaluationService | None:
        """The service this process has built; None if it has not."""
        return self._service if self._process == os.getpid() else None

    def get(self) -> EvaluationService:
        """The service of this process."""
        if self._service is None or self._process != os.getpid():
            self._service, self._process = self.build(), os.getpid()
        return self._service

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_service": None}
