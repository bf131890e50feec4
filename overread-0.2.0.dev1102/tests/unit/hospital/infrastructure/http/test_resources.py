"""Results as FHIR over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from overread.hospital.domain.audit_trail import Role
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput

from ...application.hospital import SUBMITTER, hospital, version
from .quick import Doors

_PERIOD = {"since": "2026-11-01T00:00:00Z", "until": "2026-12-01T00:00:00Z"}


@pytest.fixture
def doors() -> Iterator[Doors]:
    """A service with one scored pair, whose final report tells of a pneumothorax."""
    service = hospital()
    service.ingest([version(ReportStatus.PRELIMINARY, "clear canary")], by=SUBMITTER)
    service.ingest([version(ReportStatus.FINAL, "clear canary pneumothorax")], by=SUBMITTER)
    service.work(worker="w")
    made = Doors(service=service, fhir_output=FhirOutput(system="urn:north"))
    with made.client:
        yield made


def _get(doors: Doors, path: str, role: Role, **query: str) -> Any:
    return doors.client.get(f"/api/v1/fhir/{path}", headers=doors.bearer(role), params=query)


def test_a_pair_is_a_bundle_without_text(doors: Doors) -> None:
    """Of the release that is asked for; a reviewer sees it, and the ids are this installation's."""
    answer = _get(doors, "pairs/1", Role.REVIEWER)
    assert answer.headers["content-type"] == "application/fhir+json"
    kinds = [each["resource"]["resourceType"] for each in answer.json()["entry"]]
    assert kinds.count("DetectedIssue") == 1
    assert "canary" not in answer.text
    newer = _get(doors, "pairs/1", Role.REVIEWER, release="5.0")
    names = [each["resource"].get("name") for each in newer.json()["entry"]]
    assert any(names)
    assert _get(doors, "pairs/1", Role.REVIEWER, release="3.0").status_code == 422
    assert _get(doors, "pairs/2", Role.REVIEWER).status_code == 404


def test_rates_are_a_measure_report_of_a_period(doors: Doors) -> None:
    """Without a period there is none."""
    report = _get(doors, "rates", Role.REVIEWER, **_PERIOD, group="site").json()
    assert report["resourceType"] == "MeasureReport"
    assert report["group"][0]["measureScore"]["value"] == 0.0
    assert report["group"][0]["stratifier"][0]["stratum"][0]["value"] == {"text": "north"}
    assert _get(doors, "rates", Role.REVIEWER).status_code == 422


def test_the_audit_trail_is_read_page_by_page(doors: Doors) -> None:
    """The link leads on until there is nothing more."""
    first = _get(doors, "audit", Role.ADMIN, limit="2").json()
    assert [each["resource"]["resourceType"] for each in first["entry"]] == ["AuditEvent", "AuditEvent"]
    after = first["link"][0]["url"].partition("after=")[2].partition("&")[0]
    second = _get(doors, "audit", Role.ADMIN, after=after).json()
    seen = {each["resource"]["id"] for each in first["entry"]}
    assert seen.isdisjoint(each["resource"]["id"] for each in second["entry"])
    assert "link" not in second
