"""What a way in asks of the service."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from overread.application.hospital.requests import Receipt, Refusal
from overread.domain.hospital.audit_trail import Actor
from overread.domain.hospital.report_version import ReportVersion

__all__ = ["BlockingInlet", "Inlet"]


class Inlet(Protocol):
    """The part of the service's asyncio face that brings reports in."""

    async def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        """Keep versions; when it returns they are stored. All of them or none."""
        ...

    async def refuse(self, refusal: Refusal) -> None:
        """Keep that a message was not taken."""
        ...


class BlockingInlet(Protocol):
    """The same of the service itself."""

    def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        """Keep versions; when it returns they are stored. All of them or none."""
        ...

    def refuse(self, refusal: Refusal) -> None:
        """Keep that a message was not taken."""
        ...
