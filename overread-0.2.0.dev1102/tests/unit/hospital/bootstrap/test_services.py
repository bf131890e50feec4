"""The hospital service as it is opened by settings, on the real store and the real metrics."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from overread.application.scoring.evaluate import EvaluationService
from overread.bootstrap.services import build_service
from overread.exceptions import ConfigurationError
from overread.hospital.application.configuration import HospitalConfiguration, TextMode
from overread.hospital.application.requests import Search
from overread.hospital.application.service import HospitalService
from overread.hospital.bootstrap.services import open_hospital, open_store_of
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.http.pages.words import differs
from overread.hospital.testing import check_hospital_service
from overread.infrastructure.settings import Settings

_ADMIN = Actor(name="root", roles={Role.ADMIN})


@pytest.fixture(scope="module")
def scorer() -> EvaluationService:
    """The real metrics, read in once."""
    return build_service(Settings())


def _opening(folder: Path, scorer: EvaluationService, texts: TextMode) -> Callable[[], HospitalService]:
    """Each call opens a service over a new file."""
    numbers = count()

    def opened() -> HospitalService:
        configuration = HospitalConfiguration(store=str(folder / f"{next(numbers)}.db"), texts=texts)
        return HospitalService(open_store_of(configuration), scorer, configuration)

    return opened


def test_the_service_keeps_its_promises_on_sqlite_with_the_real_metrics(
    tmp_path: Path, scorer: EvaluationService
) -> None:
    """As a hospital has it: a file, radot and notation."""
    check_hospital_service(_opening(tmp_path, scorer, TextMode.PLAIN))


def test_a_row_of_which_little_was_read_says_so(tmp_path: Path, scorer: EvaluationService) -> None:
    """That nothing was found in a tenth of a report is not that nothing differs: list, rows and registry tell."""
    said = "The lungs are clear. Thrimbles of the vorpal gyre were outgrabe near mimsy borogoves with brillig toves."
    examination = Examination(site="north", accession="A1")
    told = ((ReportStatus.PRELIMINARY, said), (ReportStatus.FINAL, f"{said} No effusion."))
    with _opening(tmp_path, scorer, TextMode.PLAIN)() as service:
        for status, text in told:
            service.ingest([ReportVersion(examinations=[examination], status=status, text=text)], by=_ADMIN)
        service.work(worker="w")
        [row] = service.search(Search(), by=_ADMIN).rows
    assert (row.significant, row.insignificant) == (0, 0)
    assert row.read is not None
    assert row.read < 0.5
    assert differs(row) == f"no discrepancy found in what was read ({row.read:.0%} of a report)"


def test_a_hospital_is_opened_by_its_settings(tmp_path: Path) -> None:
    """The table [hospital] says where the store is, and the metrics are radot and notation."""
    service = open_hospital({"hospital": {"store": str(tmp_path / "h.db"), "texts": "plain", "attempts": 2}})
    assert service.configuration.attempts == 2
    assert [metric.name for metric in service.scorer.metrics] == ["radot", "notation"]
    service.store.check()
    service.close()
    assert (tmp_path / "h.db").stat().st_mode & 0o777 == 0o600


def test_what_comes_in_and_what_is_scored_are_spans(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With their numbers, and without a word of the reports."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(trace, "get_tracer", provider.get_tracer)
    examination = Examination(site="north", accession="A1")
    versions = [
        ReportVersion(examinations=[examination], status=status, text="No effusion.")
        for status in (ReportStatus.PRELIMINARY, ReportStatus.FINAL)
    ]
    with open_hospital({"hospital": {"store": str(tmp_path / "h.db"), "texts": "plain"}}) as service:
        service.ingest(versions, by=_ADMIN)
        assert service.work(worker="one") == 1
    spans = [(span.name, dict(span.attributes or {})) for span in exporter.get_finished_spans()]
    assert spans == [("overread.ingest", {"overread.versions": 2}), ("overread.score", {"overread.pairs": 1})]


def test_text_is_sealed_unless_told_otherwise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without keys nothing is opened: a hospital decides how report text is kept, and says so."""
    monkeypatch.delenv("OVERREAD_TEXT_KEYS", raising=False)
    with pytest.raises(ConfigurationError, match="key"):
        open_hospital({"hospital": {"store": str(tmp_path / "h.db")}})


def test_metrics_that_make_no_worklist_are_refused(tmp_path: Path) -> None:
    """With what is missing and what it is needed for."""
    table = {"store": str(tmp_path / "h.db"), "texts": "plain"}
    with pytest.raises(ConfigurationError, match=r"the metrics lack radot: .*worklist's risk"):
        open_hospital({"hospital": table}, metrics=["notation", "bleu"])
