"""Spans: what they tell, what they keep to themselves, and nothing at all without OpenTelemetry."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from overread.hospital.infrastructure.http._guards import Envelope
from overread.hospital.infrastructure.telemetry import span

PHRASE = "Cavitating lesion of Mr Sample"


@pytest.fixture
def exported(monkeypatch: pytest.MonkeyPatch) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    yield exporter
    provider.shutdown()


def test_a_span_within_another(exported: InMemorySpanExporter) -> None:
    """Both are exported, the inner one as a child of the outer; attributes, also those told later, have our prefix."""
    with span("request") as tell, span("score", pairs=3, worker="w1", digest=None):
        tell(route="/v1/pairs/{number}", status=200, path="/v1/pairs/17")
    inner, outer = exported.get_finished_spans()
    assert (inner.name, outer.name) == ("overread.score", "overread.request")
    assert inner.parent is not None
    assert inner.parent.span_id == outer.context.span_id
    assert dict(outer.attributes or {}) == {
        "overread.route": "/v1/pairs/{number}",
        "overread.status": 200,
        "overread.path": "<str, 12 characters>",
    }
    assert dict(inner.attributes or {}) == {"overread.pairs": 3, "overread.worker": "w1", "overread.digest": "none"}


def test_no_text_gets_into_a_span(exported: InMemorySpanExporter) -> None:
    """Not as an attribute, known or unknown, not as the message of an error; the error itself goes on."""
    with pytest.raises(ValueError, match="Cavitating"), span("score", metric=PHRASE, text=PHRASE, pairs=PHRASE):
        raise ValueError(PHRASE)
    [told] = exported.get_finished_spans()
    assert "Cavitating" not in told.to_json()
    assert told.status.status_code is trace.StatusCode.ERROR
    assert (told.status.description or "").startswith("ValueError at ")
    assert not told.events


def test_a_request_is_a_span(exported: InMemorySpanExporter) -> None:
    """By the pattern of its route; what names somebody in the address, a header or the body is not in it."""
    app = FastAPI()
    app.add_middleware(Envelope, https=False, answered=lambda *_: None)
    app.add_api_route("/examinations/{accession}", lambda accession: accession)
    with TestClient(app, headers={"X-Patient": PHRASE}) as client:
        assert client.get("/examinations/Miller-1970", params={"q": PHRASE}).status_code == 200
    [told] = exported.get_finished_spans()
    attributes = dict(told.attributes or {})
    assert attributes.pop("overread.request_id")
    assert attributes == {
        "overread.method": "get",
        "overread.route": "/examinations/{accession}",
        "overread.status": 200,
    }
    assert "Miller" not in told.to_json()


def test_without_the_package_nothing_happens() -> None:
    """The extra is optional: what is done within a span is done all the same."""
    code = """
import sys
sys.modules["opentelemetry"] = None
from overread.hospital.infrastructure.telemetry import span
with span("score", pairs=1) as tell:
    tell(pairs=2)
    print("done")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "done\n"
