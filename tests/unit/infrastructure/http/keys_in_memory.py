"""A store that keeps access keys and the audit trail in memory, and a quick hasher."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import SimpleNamespace
from typing import Any

from attrs import define, evolve, field

from overread.domain.hospital.access import AccessKey
from overread.domain.hospital.audit_trail import AuditEvent
from overread.exceptions import ConfigurationError, NotFoundError


@define
class FakeKeys:
    kept: dict[str, AccessKey] = field(factory=dict)

    def add(self, key: AccessKey) -> None:
        if key.name in self.kept:
            raise ConfigurationError(["a key of this name was issued before"])
        self.kept[key.name] = key

    def by_prefix(self, prefix: str) -> AccessKey | None:
        return next((key for key in self.kept.values() if key.prefix == prefix), None)

    def every(self) -> Sequence[AccessKey]:
        return list(self.kept.values())

    def revoke(self, name: str, at: datetime) -> None:
        if name not in self.kept:
            raise NotFoundError("no key of that name")
        self.kept[name] = evolve(self.kept[name], revoked=at)


@define
class FakeTrail:
    kept: list[AuditEvent] = field(factory=list)

    def append(self, event: AuditEvent) -> AuditEvent:
        self.kept.append(event)
        return event


@define(eq=False)
class FakeKeyStore:
    keys: FakeKeys = field(factory=FakeKeys)
    trail: FakeTrail = field(factory=FakeTrail)

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        yield SimpleNamespace(keys=self.keys, trail=self.trail)

    reading = transaction


@define
class FakeHasher:
    """Counts what a slow hasher would be slow with."""

    made: int = 0
    checked: int = 0

    def digest(self, secret: str) -> str:
        self.made += 1
        return f"digest of {secret[::-1]}"

    def holds(self, digest: str, secret: str) -> bool:
        self.checked += 1
        return digest == f"digest of {secret[::-1]}"
