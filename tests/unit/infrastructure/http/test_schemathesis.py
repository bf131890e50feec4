"""The whole OpenAPI document against the service, with requests that nobody would write by hand."""

from __future__ import annotations

import os
from typing import Any, Final

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from overread.domain.hospital.audit_trail import Role
from overread.infrastructure.http import HttpConfiguration
from overread.infrastructure.http._openapi import document_of

from .quick import Doors

_LIMITS: Final = HttpConfiguration(session_secret=b"s" * 32, rate=1e6, burst=10**6, hosts=("*",))
_DOORS: Final = Doors(_LIMITS, stopping=lambda: True)  # so that no stream of events waits for workers
_CHECKS: Final = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)


def _described(*, covering: bool) -> schemathesis.schemas.BaseSchema:
    """The document; covering, every bound of every schema is tried on both of its sides."""
    found = schemathesis.openapi.from_dict(document_of(_DOORS.app, ""))
    found.app = _DOORS.app
    found.config.phases.coverage.enabled = covering
    return found


schema: Final = _described(covering=False)
whole: Final = _described(covering=True)


def _examples(case: Any) -> None:
    case.call_and_validate(headers=_DOORS.bearer(Role.ADMIN), checks=_CHECKS)


@schema.parametrize()
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_request_breaks_the_service(case: Any) -> None:
    """Whatever is asked is answered as the document says, and never by a 500."""
    _examples(case)


@pytest.mark.slow
@whole.parametrize()
@settings(
    max_examples=int(os.environ.get("OVERREAD_EXAMPLES", "300")), deadline=None, suppress_health_check=list(HealthCheck)
)
def test_no_request_of_very_many_breaks_the_service(case: Any) -> None:
    """The same of more requests, others each time, and of those at the bounds of every schema."""
    _examples(case)
