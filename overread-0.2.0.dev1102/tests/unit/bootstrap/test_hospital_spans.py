"""What OpenTelemetry hears of a hospital: how much came in and was scored, not a word of it."""

from __future__ import annotations

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from overread.hospital.bootstrap.services import open_hospital
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.testing import MemoryHospitalStore

RIS = Actor(name="ris", roles={Role.SUBMITTER})


def test_what_comes_in_and_what_is_scored_are_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    """One for each call that takes versions in, one for each batch that is scored; looking for work is none."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    hospital = open_hospital(store=MemoryHospitalStore())
    texts = {ReportStatus.PRELIMINARY: "Qzxcanary: clear.", ReportStatus.FINAL: "Qzxcanary: pneumothorax."}
    examination = Examination(site="north", accession="Qzxcanary", patient="Qzxcanary")
    for status, text in texts.items():
        hospital.ingest([ReportVersion(examinations=[examination], status=status, text=text, source="hl7")], by=RIS)
    assert [hospital.work(worker="w1"), hospital.work(worker="w1")] == [1, 0]
    spans = [(span.name, dict(span.attributes or {})) for span in exporter.get_finished_spans()]
    assert spans == [
        ("overread.ingest", {"overread.versions": 1}),
        ("overread.ingest", {"overread.versions": 1}),
        ("overread.score", {"overread.pairs": 1}),
    ]
    assert not any("anary" in span.to_json() for span in exporter.get_finished_spans())
