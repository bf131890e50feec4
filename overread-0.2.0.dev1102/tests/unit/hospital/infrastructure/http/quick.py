"""A service behind its doors, quick to make: a store in memory, invented metrics, a hasher that takes no time."""

from __future__ import annotations

from typing import Any

from attrs import define
from fastapi import APIRouter
from starlette.testclient import TestClient

from overread.hospital.application.access import AccessControl
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, AuditEvent, Role
from overread.hospital.infrastructure.http import HttpConfiguration, create_app

from ...application.hospital import hospital

__all__ = ["ROOT", "Doors", "FakeHasher"]

ROOT = Actor(name="root", roles={Role.ADMIN})


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


class Doors:
    """An application, a key of each role, and a client that is not signed in."""

    def __init__(
        self,
        limits: HttpConfiguration | None = None,
        *,
        service: HospitalService | None = None,
        routers: tuple[APIRouter, ...] = (),
        **more: Any,
    ) -> None:
        self.hospital = service or hospital()
        self.access = AccessControl(self.hospital.store, FakeHasher())
        self.secrets = {role: self.access.issue(f"a {role}", [role], by=ROOT).secret for role in Role}
        self.limits = limits or HttpConfiguration(session_secret=b"s" * 32)
        self.app = create_app(self.hospital, self.access, self.limits, routers=routers, **more)
        self.client = self.browser()

    def browser(self, **more: Any) -> TestClient:
        """A client with cookies of its own."""
        scheme = "https" if self.limits.https else "http"
        return TestClient(self.app, base_url=f"{scheme}://localhost", follow_redirects=False, **more)

    def bearer(self, role: Role) -> dict[str, str]:
        """The header of a role's key."""
        return {"Authorization": f"Bearer {self.secrets[role]}"}

    def trail(self) -> list[AuditEvent]:
        """What the audit trail holds."""
        with self.hospital.store.reading() as unit:
            return list(unit.trail.events())
