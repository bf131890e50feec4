"""The same of more requests, others each time, and of those at the bounds of every schema."""

from __future__ import annotations

import os
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, settings

from .described import answered, described

schema: Final = described(covering=True)


@pytest.mark.slow
@schema.parametrize()
@settings(
    max_examples=int(os.environ.get("OVERREAD_EXAMPLES", "300")), deadline=None, suppress_health_check=list(HealthCheck)
)
def test_no_request_of_very_many_breaks_the_service(case: Any) -> None:
    """Whatever is asked is answered as the document says, and never by a 500."""
    answered(case)
