"""Reading protocols over HTTP: whoever reads blinded learns nothing from any address until their review is kept."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest
from attrs import define

from overread.hospital.domain.audit_trail import Role
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer

from ...application.hospital import SUBMITTER, version
from .quick import ROOT, Doors

_AUTHORS: Final = ("dr.resident", "dr.consultant", "drafter")
_RATES: Final = "/api/v1/rates?group=reader&group=model"
_NO_SCORES: Final = '"3b": 0'
_SECRETS: Final = (*_AUTHORS, "omitted finding", "omission", '"3b"', '"urgent"', "WORDS OF ANOTHER")


@define
class Study:
    """Doors, with keys of people by name."""

    doors: Doors
    keys: dict[str, str]

    def ask(self, method: str, path: str, by: str, body: object = None) -> Any:
        """The answer of an address to somebody."""
        headers = {"Authorization": f"Bearer {self.keys[by]}", "Accept": "application/json"}
        return self.doors.client.request(method, path, headers=headers, json=body)


@pytest.fixture
def study() -> Iterator[Study]:
    """A pair that differs urgently, reviewed by another; ann, who may do everything, and ben read it blinded."""
    doors = Doors()
    hospital = doors.hospital
    hospital.ingest(
        [
            version(ReportStatus.DRAFT, "clear", reader="dr.resident", model="drafter"),
            version(ReportStatus.PRELIMINARY, "clear", reader="dr.resident"),
            version(ReportStatus.FINAL, "clear pneumothorax", reader="dr.consultant"),
        ],
        by=SUBMITTER,
    )
    while hospital.work(worker="w"):
        pass
    signature = str(hospital.pair(1, by=ROOT).current["notation"].signature)
    for pair in (1, 2):
        hospital.review(
            pair, by=ROOT, signature=signature, radpeer=Radpeer.EXPECTED_SIGNIFICANT, comment="WORDS OF ANOTHER"
        )
    keys = {
        name: doors.access.issue(name, roles, by=ROOT).secret
        for name, roles in {
            "ann": [Role.REVIEWER, Role.SUBMITTER, Role.ADMIN],
            "ben": [Role.REVIEWER],
            "dot": [Role.REVIEWER],
            "head": [Role.LEAD],
        }.items()
    }
    with doors.client:
        yield Study(doors, keys)


def plan(**more: Any) -> dict[str, Any]:
    """A protocol of one pair."""
    readers = [{"name": "ann"}, {"name": "ben"}]
    return {"name": "study", "readers": readers, "adjudicators": [{"name": "dot"}], "pairs": [1], **more}


def _answers(study: Study, by: str) -> dict[str, str]:
    """Everything that can be read of the pair, by address."""
    paths = (
        "/api/v1/pairs",
        "/api/v1/pairs?importance=urgent",
        "/api/v1/pairs?reader=dr.resident",
        "/api/v1/pairs?radpeer=3b&withdrawn=also",
        "/api/v1/pairs/1",
        "/api/v1/pairs/2",
        "/api/v1/pairs/1/explanation",
        "/api/v1/examinations?site=north&accession=A1",
        "/api/v1/fhir/pairs/1",
        _RATES,
        "/api/v1/fhir/rates?since=2026-01-01T00:00:00Z&until=2027-01-01T00:00:00Z&group=reader",
        "/api/v1/assignments",
        "/api/v1/assignments/1",
        "/api/v1/assignments/2",
    )
    texts = {}
    for path in paths:
        answer = study.ask("GET", path, by)
        assert answer.status_code in {200, 404}, path
        texts[path] = answer.text
    return texts


def test_no_address_gives_a_blinded_reader_more_than_the_reports(study: Study) -> None:
    """Not even an administrator's, whose export has the rows of others alone; the reports are there."""
    assert study.ask("POST", "/api/v1/protocols", "head", plan()).status_code == 201
    for by in ("ben", "ann", "dot"):
        texts = _answers(study, by)
        texts[_RATES] = texts[_RATES].replace(_NO_SCORES, "")
        assert [(path, secret) for path, text in texts.items() for secret in _SECRETS if secret in text] == []
        assert "pneumothorax" in texts["/api/v1/pairs/1"]
        assert json.loads(texts["/api/v1/pairs"])["total"] == 0
        assert json.loads(texts["/api/v1/pairs/1"])["blinded"]
    for path in ("/api/v1/export.csv", "/api/v1/export.jsonl"):
        assert not any(secret in study.ask("GET", path, "ann").text for secret in _SECRETS)
    assert "dr.resident" in study.ask("GET", "/api/v1/pairs/1", "head").text


def test_a_reader_sees_everything_when_their_review_is_kept(study: Study) -> None:
    """By the same addresses; the other reader still does not, and a difference goes to the adjudicator."""
    study.ask("POST", "/api/v1/protocols", "head", plan())
    [row] = study.ask("GET", "/api/v1/assignments", "ben").json()["rows"]
    claimed = study.ask("POST", f"/api/v1/assignments/{row['number']}/claims", "ben")
    assert (claimed.status_code, claimed.json()["claimant"]) == (201, "ben")
    verdict = {"discrepancy": None, "kind": "amend", "category": "B", "severity": "significant", "reason": "left out"}
    address = f"/api/v1/assignments/{row['number']}/reviews"
    assert study.ask("POST", address, "ben", {}).status_code == 422
    kept = study.ask("POST", address, "ben", {"verdicts": [verdict]})
    assert (kept.status_code, kept.json()["stage"]) == (201, "blinded")
    seen = _answers(study, "ben")["/api/v1/pairs/1"]
    assert all(secret in seen for secret in ("dr.resident", "3b", "WORDS OF ANOTHER"))
    assert json.loads(_answers(study, "ann")["/api/v1/pairs/1"])["blinded"]
    [own] = study.ask("GET", "/api/v1/assignments?state=open&reader=ann", "ann").json()["rows"]
    study.ask("POST", f"/api/v1/assignments/{own['number']}/reviews", "ann", {"no_discrepancy": True})
    [task] = study.ask("GET", "/api/v1/assignments", "dot").json()["rows"]
    record = study.ask("GET", f"/api/v1/assignments/{task['number']}", "dot").json()
    assert [reading["label"] for reading in record["readings"]] == ["reader 1", "reader 2"]
    assert record["record"]["blinded"]
    progress = study.ask("GET", "/api/v1/protocols/1", "head").json()
    assert (progress["different"], progress["pairs"]) == (1, 1)


def test_a_lead_plans_hands_on_and_closes(study: Study) -> None:
    """What is not sound is refused with its reason, and no name that was given is repeated."""
    made = study.ask("POST", "/api/v1/protocols", "head", plan(per_pair=1)).json()
    assert made["protocol"]["mode"] == "blinded"
    [row] = study.ask("GET", "/api/v1/assignments", "head").json()["rows"]
    other = "ben" if row["reader"] == "ann" else "ann"
    address = f"/api/v1/assignments/{row['number']}"
    assert study.ask("POST", f"{address}/reassignments", "head", {"reader": other}).json()["reader"] == other
    refused = study.ask("POST", f"{address}/reassignments", "head", {"reader": "QZXCANARY"})
    assert (refused.status_code, "QZXCANARY" in refused.text) == (422, False)
    assert study.ask("DELETE", f"{address}/claims", other).json()["reader"] == ""
    assert study.ask("GET", "/api/v1/protocols", "head").json()["protocols"][0]["number"] == 1
    assert study.ask("POST", "/api/v1/protocols/1/closings", "head").json()["closed"]
    assert study.ask("POST", f"{address}/claims", other).status_code == 422
    for body in (plan(readers=[]), plan(sample=1), plan(per_pair=9), plan(due="2026-11-01"), plan(mode="half")):
        assert study.ask("POST", "/api/v1/protocols", "head", body).status_code == 422
    assert study.ask("POST", "/api/v1/protocols", "head", plan(pairs=[77])).status_code == 404


def test_a_reviewer_sees_no_assignment_of_another(study: Study) -> None:
    """Neither in lists nor by its number."""
    study.ask("POST", "/api/v1/protocols", "head", plan(per_pair=1, readers=[{"name": "ann"}]))
    assert study.ask("GET", "/api/v1/assignments", "ben").json() == {"rows": [], "next": None}
    assert study.ask("GET", "/api/v1/assignments?reader=ann", "ben").status_code == 404
    for method, path in (("GET", ""), ("POST", "/claims"), ("DELETE", "/claims")):
        assert study.ask(method, f"/api/v1/assignments/1{path}", "ben").status_code == 404
    body = {"no_discrepancy": True}
    assert study.ask("POST", "/api/v1/assignments/1/reviews", "ben", body).status_code == 404
