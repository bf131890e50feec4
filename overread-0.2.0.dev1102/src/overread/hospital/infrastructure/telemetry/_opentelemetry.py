"""Spans through OpenTelemetry's API; a host brings the SDK and says where they go."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from opentelemetry import trace

from overread.infrastructure.logs import redact_value
from overread.raised import describe_error

__all__ = ["open_span"]


@contextmanager
def open_span(name: str, attributes: Mapping[str, object]) -> Iterator[Callable[..., None]]:
    """A span of harmless attributes; OpenTelemetry's own record of an exception would hold its message."""
    tracer = trace.get_tracer("overread")
    with tracer.start_as_current_span(
        f"overread.{name}", attributes=_harmless(attributes), record_exception=False, set_status_on_exception=False
    ) as span:
        try:
            yield lambda **later: span.set_attributes(_harmless(later))
        except BaseException as error:
            span.set_status(trace.StatusCode.ERROR, describe_error(error))
            raise


def _harmless(attributes: Mapping[str, object]) -> dict[str, str | float]:
    """Attributes as logs show them; OpenTelemetry knows none without a value."""
    visible = {f"overread.{key}": redact_value(key, value) for key, value in attributes.items()}
    return {key: "none" if value is None else value for key, value in visible.items()}
