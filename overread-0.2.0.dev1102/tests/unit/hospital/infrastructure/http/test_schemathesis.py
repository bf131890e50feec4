"""The whole OpenAPI document against the service, with requests that nobody would write by hand."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import HealthCheck, settings

from .described import answered, described

schema: Final = described(covering=False)


@schema.parametrize()
@settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
def test_no_request_breaks_the_service(case: Any) -> None:
    """Whatever is asked is answered as the document says, and never by a 500."""
    answered(case)
