"""What stands behind a listener in tests."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from overread.hospital.application.requests import MergeReceipt, Receipt, ReceiptKind, Refusal
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.patient_merge import MergeKind, PatientMerge
from overread.hospital.domain.report_version import ReportVersion

__all__ = ["FakeService"]


class FakeService:
    """Keeps what it is given; the next faults are raised in its place."""

    def __init__(self) -> None:
        self.versions: list[ReportVersion] = []
        self.merges: list[PatientMerge] = []
        self.refused: list[Refusal] = []
        self.faults: list[Exception] = []
        self.actors: set[Actor] = set()
        self.entered = asyncio.Event()
        self.gate = asyncio.Event()
        self.gate.set()

    async def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        self.entered.set()
        await self.gate.wait()
        if self.faults:
            raise self.faults.pop()
        self.actors.add(by)
        self.versions += versions
        return [Receipt(version=len(self.versions), kind=ReceiptKind.STORED) for _ in versions]

    async def record_merges(self, merges: Sequence[PatientMerge], *, by: Actor) -> list[MergeReceipt]:
        if self.faults:
            raise self.faults.pop()
        self.actors.add(by)
        backwards = {(merge.site, merge.merged, merge.surviving) for merge in self.merges}
        self.merges += merges
        return [
            MergeReceipt(kind=MergeKind.REVERSED, note="already merged the other way; nothing changed")
            if (merge.site, merge.surviving, merge.merged) in backwards
            else MergeReceipt(kind=MergeKind.MERGED, examinations=1)
            for merge in merges
        ]

    async def refuse(self, refusal: Refusal) -> None:
        if self.faults:
            raise self.faults.pop()
        self.refused.append(refusal)
