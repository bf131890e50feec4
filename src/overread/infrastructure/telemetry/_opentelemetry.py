"""Spans through OpenTelemetry's API; a host brings the SDK and says where they go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace

from overread.infrastructure.logs import shown
from overread.raised import told

__all__ = ["opened"]


@contextmanager
def opened(name: str, attributes: Mapping[str, object]) -> Iterator[None]:
    """A span of harmless attributes; OpenTelemetry's own record of an exception would hold its message."""
    harmless = {f"overread.{key}": _plain(shown(key, value)) for key, value in attributes.items()}
    tracer = trace.get_tracer("overread")
    with tracer.start_as_current_span(
        f"overread.{name}", attributes=harmless, record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield
        except BaseException as error:
            span.set_status(trace.StatusCode.ERROR, told(error))
            raise


def _plain(value: str | float | None) -> str | float:
    """OpenTelemetry knows no attribute without a value."""
    return "none" if value is None else value
