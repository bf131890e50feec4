"""Parts of the service that a way in needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from overread.hospital.application.requests import MergeReceipt, Receipt, Refusal
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.patient_merge import PatientMerge
from overread.hospital.domain.report_version import ReportVersion

__all__ = ["BlockingInlet", "Inlet"]


class Inlet(Protocol):
    """The part of the service's asyncio face that brings reports in, and merges of patients."""

    async def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        """Keep versions; when it returns they are stored. All of them or none."""
        ...

    async def record_merges(self, merges: Sequence[PatientMerge], *, by: Actor) -> list[MergeReceipt]:
        """Keep under the surviving identifiers what was kept under the merged ones; all of them or none."""
        ...

    async def refuse(self, refusal: Refusal) -> None:
        """Keep that a message was not taken."""
        ...


class BlockingInlet(Protocol):
    """The part of the service itself that brings reports in."""

    def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        """Keep versions; when it returns they are stored. All of them or none."""
        ...

    def refuse(self, refusal: Refusal) -> None:
        """Keep that a message was not taken."""
        ...
