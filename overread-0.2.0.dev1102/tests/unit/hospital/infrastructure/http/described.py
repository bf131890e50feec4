"""The OpenAPI document of a service, and what every answer of it must be."""

from __future__ import annotations

from typing import Any, Final

import schemathesis
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from overread.hospital.domain.audit_trail import Role
from overread.hospital.infrastructure.http import HttpConfiguration
from overread.hospital.infrastructure.http._openapi import document_of

from .quick import Doors

_LIMITS: Final = HttpConfiguration(
    session_secret=b"s" * 32, rate=1e6, burst=10**6, hosts=("testserver", "localhost", "127.0.0.1")
)
_DOORS: Final = Doors(_LIMITS, stopping=lambda: True)  # so that no stream of events waits for workers
_CHECKS: Final = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)


def described(*, covering: bool) -> schemathesis.schemas.BaseSchema:
    """The document; covering, every bound of every schema is tried on both of its sides."""
    found = schemathesis.openapi.from_dict(document_of(_DOORS.app, ""))
    found.app = _DOORS.app
    found.config.phases.coverage.enabled = covering
    return found


def answered(case: Any) -> None:
    """Sends a request; its answer is as the document says, and no 500."""
    case.call_and_validate(headers=_DOORS.bearer(Role.ADMIN), checks=_CHECKS)
