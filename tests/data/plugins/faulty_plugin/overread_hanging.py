"""A metric that never answers."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Event
from typing import Any

from overread_faulty import Method, spec_of

from overread.plugins import hookimpl
from overread.plugins.specs import MetricSpec


def waits(_kind: str, _method: Method, _items: Any) -> Any:
    Event().wait()


@hookimpl
def overread_metrics() -> Iterable[MetricSpec]:
    return [spec_of("metric", waits)]
