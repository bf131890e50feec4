"""The API, from a report that comes in to what is said of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import jsonschema
import pytest
from attrs import evolve
from fastapi.routing import APIRoute

from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.requests import Refusal
from overread.hospital.domain.audit_trail import Role
from overread.hospital.domain.feeds import Feed
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.http._records import answer
from overread.hospital.infrastructure.http.api import _scoring
from overread.hospital.testing import MemoryHospitalStore

from ...application.hospital import NOON, SUBMITTER, hospital, version
from .quick import ROOT, Doors

_PAIR = {"id": "a", "reference": "small pneumothorax", "candidate": "small"}
_IDENTIFIERS = "http://terminology.hl7.org/CodeSystem/v2-0203"
_CANARY = "XYLOPHONE-7713"


@pytest.fixture
def doors() -> Iterator[Doors]:
    made = Doors()
    with made.client:
        yield made


def _post(doors: Doors, path: str, body: object, role: Role = Role.SUBMITTER, *, key: str = "") -> Any:
    headers = {**doors.bearer(role), **({"Idempotency-Key": key} if key else {})}
    return doors.client.post(f"/api/v1{path}", json=body, headers=headers)


def _get(doors: Doors, path: str, role: Role = Role.REVIEWER) -> Any:
    return doors.client.get(f"/api/v1{path}", headers=doors.bearer(role))


def _version(status: str, text: str, **more: Any) -> dict[str, Any]:
    examination = {"site": "north", "accession": "A1", "patient": "P1", "modality": "CR"}
    return {"examinations": [examination], "status": status, "text": text, **more}


def _ingested(doors: Doors) -> int:
    """A preliminary and a final report, paired and scored; the pair's number."""
    assert _post(doors, "/reports", {"versions": [_version("preliminary", "small")]}).status_code == 201
    final = _post(doors, "/reports", {"versions": [_version("final", "small pneumothorax")]})
    [number] = final.json()["receipts"][0]["pairs"]
    assert doors.hospital.work(worker="w1") == 1
    return int(number)


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def test_pairs_are_scored_now(doors: Doors) -> None:
    """In the order asked for, by metric, with the record that result files have; nothing is kept."""
    other = {**_PAIR, "id": "b", "candidate": "small pneumothorax"}
    answer = _post(doors, "/evaluate", {"pairs": [_PAIR, other]})
    first, second = answer.json()["results"]
    assert [first["radot"]["id"], first["radot"]["score"], second["radot"]["score"]] == ["a", 0.5, 0.0]
    assert first["notation"]["discrepancies"][0]["finding"] == "pneumothorax"
    assert _get(doors, "/pairs").json()["total"] == 0


def test_results_are_written_beside_the_event_loop(doors: Doors, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a thousand pairs take a tenth of a second, in which nobody else would be answered."""
    loops: list[bool] = []

    def written(*given: Any, **more: Any) -> Any:
        loops.append(_is_in_loop())
        return answer(*given, **more)

    monkeypatch.setattr(_scoring, "answer", written)
    assert _post(doors, "/evaluate", {"pairs": [_PAIR]}).status_code == 200
    assert loops == [False]


def test_a_batch_is_submitted_once(doors: Doors) -> None:
    """The same key is the same batch; another batch under it is refused; its progress and results can be followed."""
    body = {"name": "night", "pairs": [_PAIR]}
    first = _post(doors, "/batches", body, key="k-1")
    again = _post(doors, "/batches", body, key="k-1")
    assert (first.status_code, first.json()) == (202, again.json())
    assert first.headers["location"] == f"/api/v1/batches/{first.json()['number']}"
    changed = _post(doors, "/batches", {"pairs": [{**_PAIR, "candidate": "c"}]}, key="k-1")
    assert changed.status_code == 422
    number = first.json()["number"]
    assert _get(doors, f"/batches/{number}").json()["waiting"] == 1
    doors.hospital.work(worker="w1")
    page = _get(doors, f"/batches/{number}/results?limit=1").json()
    assert page["next"] == 1
    assert page["pairs"][0]["current"]["radot"]["score"] == 0.5
    assert _get(doors, f"/batches/{number}/results?after=1").json() == {"pairs": [], "next": None}


def test_progress_is_told_as_events(doors: Doors) -> None:
    """The state at once, and the end where nothing waits."""
    number = _post(doors, "/batches", {"pairs": [_PAIR]}).json()["number"]
    doors.hospital.work(worker="w1")
    answer = _get(doors, f"/batches/{number}/events")
    assert answer.headers["content-type"].startswith("text/event-stream")
    event, data, *_ = answer.text.splitlines()
    assert event == "event: done"
    assert json.loads(data.removeprefix("data: "))["scored"] == 1
    assert _get(doors, "/batches/999/events").status_code == 404


def test_a_batch_is_its_submitters(doors: Doors) -> None:
    """Another submitter is told that it is not there."""
    other = doors.access.issue("another", [Role.SUBMITTER], by=ROOT).secret
    number = _post(doors, "/batches", {"pairs": [_PAIR]}).json()["number"]
    stranger = {"Authorization": f"Bearer {other}"}
    assert doors.client.get(f"/api/v1/batches/{number}", headers=stranger).status_code == 404
    assert doors.client.get(f"/api/v1/batches/{number}/events", headers=stranger).status_code == 404


def test_a_report_comes_in_and_its_pair_is_found_and_reviewed(doors: Doors) -> None:
    """The whole way: ingest, worklist, pair, explanation, review, examination."""
    number = _ingested(doors)
    page = _get(doors, "/pairs?importance=urgent&site=north&kind=preliminary-final").json()
    assert [row["pair"] for row in page["rows"]] == [number]
    assert _get(doors, "/pairs?site=south").json()["rows"] == []
    record = _get(doors, f"/pairs/{number}").json()
    assert record["report_pair"]["reference"] == "small pneumothorax"
    assert record["versions"][0]["version"]["source"] == "http"
    assert _get(doors, f"/pairs/{number}/explanation").json()["current"]["radot"]["score"] == 0.5
    signature = record["current"]["notation"]["signature"]
    verdict = {"discrepancy": 0, "kind": "agree"}
    said = {"signature": signature, "verdicts": [verdict], "radpeer": "2b", "comment": "Hidden by the clavicle."}
    review = _post(doors, f"/pairs/{number}/reviews", said, Role.REVIEWER)
    assert (review.status_code, review.json()["reviewer"]) == (201, "a reviewer")
    assert _get(doors, "/pairs?review=reviewed&radpeer=2b").json()["total"] == 1
    history = _get(doors, "/examinations?site=north&accession=A1").json()
    assert [each["version"]["status"] for each in history["versions"]] == ["preliminary", "final"]


def test_a_resend_is_told(doors: Doors) -> None:
    """The same version again changes nothing."""
    body = {"versions": [_version("final", "small", message="m1")]}
    first, again = _post(doors, "/reports", body).json(), _post(doors, "/reports", body).json()
    assert [each["receipts"][0]["kind"] for each in (first, again)] == ["stored", "resent"]


def test_fhir_comes_in_or_is_refused_with_its_reason(doors: Doors) -> None:
    """A report is stored; one whose status is unknown is refused, kept among the refusals, and not repeated."""
    report = {
        "resourceType": "DiagnosticReport",
        "id": "r1",
        "status": "final",
        "code": {"text": "Chest radiograph"},
        "identifier": [
            {
                "type": {"coding": [{"system": "http://terminology.hl7.org/CodeSystem/v2-0203", "code": "ACSN"}]},
                "value": "A7",
            }
        ],
        "conclusion": "No pneumothorax.",
    }
    headers = {**doors.bearer(Role.SUBMITTER), "Content-Type": "application/fhir+json"}

    def post(document: object, query: str = "?site=north") -> Any:
        return doors.client.post(f"/api/v1/fhir{query}", content=json.dumps(document), headers=headers)

    assert post(report).json()["receipts"][0]["kind"] == "stored"
    refused = post({**report, "status": _CANARY, "conclusion": _CANARY})
    assert refused.status_code == 422
    assert _CANARY not in refused.text
    kept = _get(doors, "/refusals").json()["refusals"]
    assert [each["source"] for each in kept] == ["fhir"]
    assert refused.json()["type"] == f"urn:overread:problem:{kept[0]['reason']}"
    assert post(report, "").status_code == 422
    xml = doors.client.post("/api/v1/fhir?site=n", content="<a/>", headers={**headers, "Content-Type": "text/xml"})
    assert xml.status_code == 415


def test_a_merge_is_answered_with_what_became_of_it(doors: Doors) -> None:
    """It moves what was there; again and the other way it changes nothing, which is told."""
    _ingested(doors)

    def merge(surviving: str, merged: str) -> Any:
        return _post(doors, "/merges", {"site": "north", "surviving": surviving, "merged": merged})

    assert merge("P9", "P1").json() == {"kind": "merged", "examinations": 1, "note": ""}
    assert merge("P9", "P1").json()["kind"] == "known"
    back = merge("P1", "P9").json()
    assert back == {"kind": "reversed", "examinations": 0, "note": "already merged the other way; nothing changed"}
    for wrong in (merge("P1", "P1"), merge("P1", ""), merge("P1", "UNKNOWN")):
        assert (wrong.status_code, wrong.json()["type"]) == (422, "urn:overread:problem:invalid-input")


def test_a_sample_is_drawn_and_rates_are_told(doors: Doors) -> None:
    """The sample can be searched, and rates are of it or of all, by the groups asked for."""
    number = _ingested(doors)
    drawn = _post(doors, "/samples", {"plan": {"size": 5, "method": "risk"}}, Role.REVIEWER)
    assert (drawn.status_code, drawn.json()["pairs"]) == (201, [{"pair": number, "weight": 1.0}])
    sample = drawn.json()["number"]
    assert _get(doors, f"/pairs?sample={sample}").json()["total"] == 1
    told = _get(doors, f"/rates?sample={sample}&group=site&group=kind").json()
    assert (told["overall"]["scored"], told["overall"]["concordant"]["value"]) == (1, 0.0)
    assert [grouping for grouping, _ in told["groups"]] == ["site", "kind"]


def test_charts_and_cases_and_the_report_of_a_month(doors: Doors) -> None:
    """Without a reference there is no chart but the reason; a case that is not there cannot be closed."""
    _ingested(doors)
    charts = _get(doors, "/charts?odds=3").json()
    assert charts["plan"]["odds"] == 3.0
    assert {each["reason"] for each in charts["uncharted"]} == {"no period of reference is set"}
    assert charts["funnels"][0]["funnel"]["points"][0]["name"] == "north"
    assert _get(doors, "/charts?sample=1").status_code == 422
    assert _post(doors, "/alarms", None, Role.REVIEWER).json() == {"cases": []}
    assert _get(doors, "/cases?state=open").json() == {"cases": []}
    closing = {"outcome": "chance", "why": "nothing"}
    assert _post(doors, "/cases/9/closing", closing, Role.REVIEWER).status_code == 404
    assert _post(doors, "/cases/9/closing", {"outcome": "maybe"}, Role.REVIEWER).status_code == 422
    report = _get(doors, "/months/2026-11").json()
    assert (report["month"], report["no_flags"]) == ("2026-11", "no reviewed sample was named")
    assert _get(doors, "/months/2026-13").status_code == 422
    assert "from a drawn sample alone" in _get(doors, "/flags").json()["detail"]
    assert _get(doors, "/radpeer").json()["groups"][0]["pairs"] == 1
    assert _get(doors, "/radpeer.csv").text.splitlines()[1] == ",north,CR,1,0,0,0,0,0,0"


def test_rows_are_exported(doors: Doors) -> None:
    """As CSV and JSON lines, without text."""
    _ingested(doors)
    lines = _get(doors, "/export.jsonl", Role.ADMIN).text.splitlines()
    assert [json.loads(line)["accession"] for line in lines] == ["A1"]
    table = _get(doors, "/export.csv?site=north", Role.ADMIN)
    assert table.headers["content-disposition"] == 'attachment; filename="overread.csv"'
    assert len(table.text.splitlines()) == 2


def test_an_export_is_sent_in_pieces_of_many_rows(doors: Doors) -> None:
    """Neither all at once, which no memory holds, nor row by row, which takes three times as long."""
    pairs = [{**_PAIR, "id": str(number)} for number in range(500)]
    assert _post(doors, "/batches", {"pairs": pairs}).status_code == 202
    with doors.client.stream("GET", "/api/v1/export.jsonl", headers=doors.bearer(Role.ADMIN)) as answer:
        pieces = [piece.count(b"\n") for piece in answer.iter_raw()]
    assert pieces == [200, 200, 100]


def test_an_administrator_deletes_and_sees_the_trail(doors: Doors) -> None:
    """A patient's data is gone; the trail tells what was done, page by page."""
    number = _ingested(doors)
    erased = _post(doors, "/erasures", {"patient": "P1"}, Role.ADMIN).json()
    assert (erased["examinations"], erased["pairs"]) == (1, 1)
    assert _get(doors, f"/pairs/{number}").status_code == 404
    assert _post(doors, "/retentions", None, Role.ADMIN).status_code == 200
    page = _get(doors, "/audit?limit=2", Role.ADMIN).json()
    assert page["next"] == 2
    actions = [event["action"] for event in _get(doors, "/audit?after=2", Role.ADMIN).json()["events"]]
    assert {"erase", "retain"} <= set(actions)
    assert _post(doors, "/rescorings", {}, Role.ADMIN).json() == {"pairs": 0}


def test_keys_are_issued_shown_once_and_revoked(doors: Doors) -> None:
    """A new key works at once, and no more once it is revoked; no list holds a secret."""
    issued = _post(doors, "/keys", {"name": "triage engine", "roles": ["reviewer"], "days": 30}, Role.ADMIN).json()
    mine = {"Authorization": f"Bearer {issued['secret']}"}
    assert doors.client.get("/api/v1/me", headers=mine).json() == {"name": "triage engine", "roles": ["reviewer"]}
    listed = _get(doors, "/keys", Role.ADMIN)
    assert "triage engine" in {key["name"] for key in listed.json()["keys"]}
    assert issued["secret"][-20:] not in listed.text
    revoked = doors.client.delete("/api/v1/keys/triage%20engine", headers=doors.bearer(Role.ADMIN))
    assert revoked.json()["revoked"]
    assert doors.client.get("/api/v1/me", headers=mine).status_code == 401


@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        ("/evaluate", {"pairs": [{"id": _CANARY, "reference": 5, "candidate": _CANARY}]}, "$.pairs[0].reference"),
        ("/evaluate", {"pairs": [], _CANARY: 1}, "$"),
        ("/reports", {"versions": [_version(_CANARY, _CANARY)]}, "$.versions[0].status"),
        ("/batches", {"pairs": "all"}, "$.pairs"),
        ("/batches", [_CANARY], "$"),
    ],
)
def test_a_body_that_is_wrong_is_told_by_places(doors: Doors, path: str, body: object, where: str) -> None:
    """Without a word of it."""
    answer = _post(doors, path, body)
    assert answer.status_code == 422
    assert where in [each["where"] for each in answer.json()["problems"]]
    assert _CANARY not in answer.text


@pytest.mark.parametrize(
    "text", ["", "{", "[" * 100_000, '{"pairs": NaN}', '{"pairs": [{"id": "\\u0000"}]}', "<!DOCTYPE a>"]
)
def test_a_body_that_is_no_json_is_refused(doors: Doors, text: str) -> None:
    """However deep or broken."""
    headers = {**doors.bearer(Role.SUBMITTER), "Content-Type": "application/json"}
    assert doors.client.post("/api/v1/evaluate", content=text, headers=headers).status_code == 422


def test_only_json_is_taken(doors: Doors) -> None:
    """A form, which a page of somebody else's can send, is none."""
    headers = {**doors.bearer(Role.SUBMITTER), "Content-Type": "text/plain"}
    assert doors.client.post("/api/v1/evaluate", content="{}", headers=headers).status_code == 415


@pytest.mark.parametrize(
    "query",
    [
        "importence=urgent",
        "importance=grave",
        "importance=urgent&importance=follow-up",
        "site=north&limit=5&site=south",
        "limit=0",
        "limit=501",
        "min_risk=nan",
        "since=2026-01-01T00:00:00",
        "since=9999-12-31T23:00:00-12:00",
        "until=0001-01-01T00:00:00%2B14:00",
        "site=%00",
    ],
)
def test_a_search_is_not_guessed(doors: Doors, query: str) -> None:
    """A filter that is misspelt, out of bounds or without a zone is refused, not left out."""
    assert _get(doors, f"/pairs?{query}").status_code == 422


@pytest.mark.parametrize("text", ["", " \n\t"])
def test_a_report_without_text_is_refused(doors: Doors, text: str) -> None:
    """It would pass for one that leaves all out; a withdrawn one needs none."""
    answer = _post(doors, "/reports", {"versions": [_version("final", text)]})
    assert (answer.status_code, "only a cancelled report" in answer.text) == (422, True)
    assert _post(doors, "/reports", {"versions": [_version("cancelled", text)]}).status_code == 201


def test_a_moment_without_a_zone_is_answered_with_one_that_has_it(doors: Doors) -> None:
    """A day alone is none; the moment that the answer shows is taken."""
    [problem] = _get(doors, "/pairs?since=2026-11-01").json()["problems"]
    [shown] = [word for word in problem["what"].split() if word.startswith("2026")]
    assert _get(doors, f"/pairs?since={shown}").status_code == 200


def test_traversal_finds_nothing(doors: Doors) -> None:
    """Paths lead to routes alone."""
    for path in (
        "/../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/pairs/..%2f..%2fkeys",
        "/keys/../me/../../healthz%00",
    ):
        assert doors.client.get(f"/api/v1{path}", headers=doors.bearer(Role.ADMIN)).status_code in {404, 405, 422}


def test_health_and_readiness(doors: Doors) -> None:
    """Alive for everybody; ready only while every part works."""
    assert doors.client.get("/healthz").json() == {"status": "ok"}
    assert doors.client.get("/readyz").json() == {"status": "ready", "parts": {"store": "ok", "room": "ok"}}
    with (broken := Doors(parts=lambda: {"workers": True, "mllp": False})).client:
        answer = broken.client.get("/readyz")
        assert (answer.status_code, answer.json()["parts"]["mllp"]) == (503, "failed")


class _Crowded(MemoryHospitalStore):
    def has_room(self) -> bool:
        return False


def test_a_store_that_is_nearly_full_is_not_ready_and_takes_what_it_can() -> None:
    """Readiness names the want of room before the store refuses anything; until it does, reports are kept."""
    with (doors := Doors(service=hospital(store=_Crowded()))).client:
        answer = doors.client.get("/readyz")
        assert (answer.status_code, answer.json()["parts"]) == (503, {"store": "ok", "room": "failed"})
        assert _ingested(doors)


def test_metrics_name_routes_and_nobody(doors: Doors) -> None:
    """Counts by pattern, method and status; queues and parts; no id, name or path of a request."""
    number = _ingested(doors)
    _get(doors, f"/pairs/{number}")
    doors.client.get(f"/{_CANARY}")
    doors.client.request("BREW", "/api/v1/pairs")
    text = doors.client.get("/metrics", headers=doors.bearer(Role.REVIEWER)).text
    assert 'overread_http_requests_total{method="get",route="/api/v1/pairs/{number}",status="200"} 1.0' in text
    assert 'overread_waiting{queue="jobs"} 0.0' in text
    assert 'method="other"' in text
    assert all(word not in text for word in (_CANARY, "reviewer", "A1", "north", "BREW"))


def test_metrics_of_feeds_name_what_settings_name() -> None:
    """A site that no setting names may be anything; so may the source and the reason that a host gives."""
    service = hospital(configuration=HospitalConfiguration(site_zones={"north": "Europe/Berlin"}))
    sent = version(ReportStatus.FINAL, "clear lungs", accession="A7")
    elsewhere = evolve(sent, examinations=[evolve(sent.examinations[0], site=_CANARY)], source=_CANARY)
    service.ingest([evolve(sent, source="hl7"), elsewhere], by=SUBMITTER)
    for source, reason in (("hl7", "no-text"), (_CANARY, f"{_CANARY} said")):
        refusal = Refusal(at=datetime.now(UTC), source=source, message=_CANARY, reason=reason, detail=_CANARY)
        service.refuse(refusal)
    with service.store.transaction() as unit:
        unit.feeds.begin_silence(Feed("folder", "west"), since=NOON, noticed=NOON)
    with (doors := Doors(service=service, feeds=[Feed("folder", "west"), Feed("hl7", "north")])).client:
        text = doors.client.get("/metrics", headers=doors.bearer(Role.REVIEWER)).text
    assert 'overread_feed_last_message_seconds{door="hl7",site="north"}' in text
    assert 'overread_feed_last_message_seconds{door="other",site="other"}' in text
    assert 'overread_feed_silent{door="folder",site="west"} 1.0' in text
    assert 'overread_feed_silent{door="hl7",site="north"} 0.0' in text
    assert 'overread_feed_refused{door="hl7",reason="no-text"} 1.0' in text
    assert 'overread_feed_refused{door="other",reason="other"} 1.0' in text
    assert _CANARY not in text


def test_coverage_is_told_for_a_window(doors: Doors) -> None:
    """By door, site and hour; a window that is none is refused."""
    _ingested(doors)
    told = _get(doors, "/coverage?until=2026-11-03T00:00:00Z&open_hours=0").json()
    [feed] = [feed for feed in told["feeds"] if feed["door"] == "http"]
    assert (feed["site"], feed["zone"], feed["versions"] > 0) == ("north", "UTC", True)
    assert {"since", "until", "hours", "refused", "near_misses", "near_misses_total"} <= told.keys()
    address = "/api/v1/coverage?since=2026-01-01T00:00:00Z&until=2026-12-01T00:00:00Z"
    refused = doors.client.get(address, headers=doors.bearer(Role.REVIEWER))
    assert (refused.status_code, "92 days" in refused.json()["detail"]) == (422, True)


def test_the_document_describes_every_route_with_examples_that_hold(doors: Doors) -> None:
    """Each body's example is of its own schema, and every address of the API is in the document."""
    document = _get(doors, "/openapi.json").json()
    paths = {route.path for route in doors.app.routes if isinstance(route, APIRoute) and route.path.startswith("/api")}
    assert set(document["paths"]) == paths - {"/api/v1/openapi.json"}
    examples = 0
    for operations in document["paths"].values():
        for operation in operations.values():
            assert operation["description"]
            assert "Args:" not in operation["description"]
            for content in operation.get("requestBody", {}).get("content", {}).values():
                schema = {**content["schema"], "components": document["components"]}
                if "example" in content:
                    jsonschema.validate(content["example"], schema)
                    examples += 1
    assert examples >= 6


def test_a_withdrawn_pair_is_told_where_it_is_asked_for(doors: Doors) -> None:
    """In lists only so, as a pair always; it is in no rate and no sample, and its FHIR is entered in error."""
    number = _ingested(doors)
    assert _post(doors, "/reports", {"versions": [_version("cancelled", "")]}).status_code == 201
    assert _get(doors, "/pairs").json()["total"] == 0
    for asked in ("also", "only"):
        [row] = _get(doors, f"/pairs?withdrawn={asked}").json()["rows"]
        assert (row["pair"], row["withdrawn"]) == (number, True)
        assert _get(doors, f"/rates?withdrawn={asked}").status_code == 422
    assert _get(doors, "/pairs?withdrawn=perhaps").status_code == 422
    assert _get(doors, "/rates").json()["overall"]["pairs"] == 0
    assert _get(doors, f"/pairs/{number}").json()["withdrawn"]
    sample = {"search": {"withdrawn": "only"}, "plan": {"size": 1}}
    assert _post(doors, "/samples", sample, Role.REVIEWER).status_code == 422
    entries = [entry["resource"] for entry in _get(doors, f"/fhir/pairs/{number}").json()["entry"]]
    statuses = {each["status"] for each in entries if each["resourceType"] in {"Observation", "DetectedIssue"}}
    assert statuses == {"entered-in-error"}
    exported = doors.client.get("/api/v1/export.jsonl?withdrawn=also", headers=doors.bearer(Role.ADMIN))
    assert json.loads(exported.text)["withdrawn"]


def _sent(doors: Doors, path: str, content: bytes, kind: str = "application/json") -> Any:
    headers = {**doors.bearer(Role.SUBMITTER), "Content-Type": kind}
    return doors.client.post(f"/api/v1{path}", content=content, headers=headers)


def test_a_body_of_countless_elements_is_refused(doors: Doors) -> None:
    """Two megabytes of nothing would take hundreds in memory; so would what is wrong with each of them."""
    flood = b'{"versions": [' + b",".join([b"{}"] * 600_000) + b"]}"
    answer = _sent(doors, "/reports", flood)
    assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (413, "too-large")
    many = _sent(doors, "/reports", b'{"versions": [' + b",".join([b"{}"] * 20_000) + b"]}")
    assert many.status_code == 422
    assert len(many.json()["problems"]) == 300
    late = b'{"versions": [' + b",".join([json.dumps(_version("final", "x")).encode()] * 250 + [b"5"]) + b"]}"
    assert [each["where"] for each in _sent(doors, "/reports", late).json()["problems"]] == ["$.versions[250]"]


@pytest.mark.parametrize("element", ["{}", "1", "[]", '{"value": "1"}'])
def test_a_fhir_document_of_countless_elements_is_refused(doors: Doors, element: str) -> None:
    """Before it is held against any definition, which takes a hundred times its bytes."""
    for many in (30_000, 600_000):
        start = '{"resourceType": "DiagnosticReport", "status": "final", "code": {"text": "CT"}, "identifier": ['
        document = f"{start}{','.join([element] * many)}]}}".encode()
        answer = _sent(doors, "/fhir?site=north", document, "application/fhir+json")
        assert (answer.status_code, answer.json()["type"].rpartition(":")[2]) == (422, "too-large")
    head, foot = "<DiagnosticReport xmlns='http://hl7.org/fhir'>", "</DiagnosticReport>"
    tags = f"{head}{'<identifier/>' * 70_000}{foot}".encode()
    answer = _sent(doors, "/fhir?site=north", tags, "application/fhir+xml")
    assert answer.json()["type"].rpartition(":")[2] == "too-large"


def test_a_text_that_is_given_twice_is_refused(doors: Doors) -> None:
    """Of two values under one key the first would be lost."""
    body = json.dumps({"versions": [_version("final", "clear")]})
    twice = body.replace('"text": "clear"', '"text": "small pneumothorax", "text": "clear"')
    answer = _sent(doors, "/reports", twice.encode())
    assert answer.status_code == 422
    assert "twice" in answer.text
    assert _get(doors, "/pairs").json()["total"] == 0


@pytest.mark.parametrize("text", ["<p>Small</p> pneumothorax.", r"{\rtf1\ansi Small pneumothorax.}", "B&nbsp;lines."])
def test_the_source_of_a_document_is_no_report(doors: Doors, text: str) -> None:
    """By whatever way it comes; what came as FHIR is kept among the refusals, and none repeats it."""
    answer = _post(doors, "/reports", {"versions": [_version("final", text)]})
    assert (answer.status_code, "plain text" in answer.text) == (422, True)
    identifier = {"type": {"coding": [{"system": _IDENTIFIERS, "code": "ACSN"}]}, "value": "A1"}
    report = {
        "resourceType": "DiagnosticReport",
        "status": "final",
        "code": {"text": "CT"},
        "identifier": [identifier],
        "conclusion": text,
    }
    refused = _sent(doors, "/fhir?site=north", json.dumps(report).encode(), "application/fhir+json")
    assert refused.status_code == 422
    [kept] = _get(doors, "/refusals").json()["refusals"]
    assert (kept["source"], kept["reason"]) == ("fhir", "not-accepted")
    assert text not in answer.text + refused.text + kept["detail"]
