"""FHIR resources sent one by one, and notifications of subscriptions, through the application."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from fhir.resources.R4B import get_fhir_model_class as model_r4b

from overread.hospital.domain.audit_trail import Role
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.servers import FhirServer

from ..exchange.fhir.invented import OPTIONS, TEXT, Json, bundle, form, identifier, report
from ..exchange.fhir.subscribed import BASE, deletion, notification, parameters, reference, status
from ..exchange.listening import Came, Reply, listening
from .quick import Doors


@pytest.fixture
def doors() -> Iterator[Doors]:
    made = Doors(fhir=OPTIONS)
    with made.client:
        yield made


def _send(doors: Doors, method: str, path: str, resource: Any = None, kind: str = "application/fhir+json") -> Any:
    headers = {**doors.bearer(Role.SUBMITTER), "Content-Type": kind}
    content = resource if isinstance(resource, bytes) else json.dumps(resource).encode()
    return doors.client.request(method, f"/api/v1/fhir{path}", content=content, headers=headers)


def _told(answer: Any) -> tuple[int, list[tuple[str, str]]]:
    """Status and, of each issue of the OperationOutcome, severity and our code."""
    assert answer.headers["content-type"] == "application/fhir+json"
    outcome = answer.json()
    model_r4b("OperationOutcome").model_validate(outcome)
    issues = [(issue["severity"], issue["details"]["coding"][0]["code"]) for issue in outcome["issue"]]
    return answer.status_code, issues


def _refusals(doors: Doors) -> list[tuple[str, str]]:
    answer = doors.client.get("/api/v1/refusals", headers=doors.bearer(Role.REVIEWER))
    return [(refusal["reason"], refusal["message"]) for refusal in answer.json()["refusals"]]


def _scrape(doors: Doors) -> dict[str, float]:
    lines = doors.client.get("/metrics", headers=doors.bearer(Role.REVIEWER)).text.splitlines()
    return {
        line.rpartition(" ")[0]: float(line.rpartition(" ")[2]) for line in lines if "_fhir_" in line and line[0] != "#"
    }


def test_a_version_is_put_where_its_source_has_it(doors: Doors) -> None:
    """New versions are stored, each beside the one before; the same again is no new one."""
    early = report(status="preliminary", meta={"versionId": "1"}, issued="2026-03-01T07:00:00Z")
    assert _told(_send(doors, "PUT", "/DiagnosticReport/r1", early)) == (201, [("information", "stored")])
    final = _send(doors, "PUT", "/DiagnosticReport/r1?_format=json", report(presentedForm=[form("Clear.")]))
    assert _told(final) == (201, [("information", "stored")])
    assert "1 new pairs" in final.json()["issue"][0]["details"]["text"]
    assert "location" not in final.headers
    assert _told(_send(doors, "PUT", "/DiagnosticReport/r1", early)) == (200, [("information", "resent")])


@pytest.mark.parametrize("kind", ["application/fhir+json", "application/json"])
def test_a_resource_is_posted(doors: Doors, kind: str) -> None:
    """Without an id, as FHIR creates it; in XML as well."""
    whole = report(id=None, meta=None)
    answer = _send(doors, "POST", "/DiagnosticReport", whole, kind)
    assert _told(answer) == (201, [("information", "stored")])
    assert "location" not in answer.headers
    named = _send(doors, "POST", "/DiagnosticReport", report(presentedForm=[form("Clear.")]), kind)
    assert named.headers["location"] == "/api/v1/fhir/DiagnosticReport/r1/_history/2"
    xml = model_r4b("DiagnosticReport").model_validate(report(id="r2")).model_dump_xml()
    assert _told(_send(doors, "PUT", "/DiagnosticReport/r2", xml, "application/fhir+xml"))[0] == 201


def test_other_resources_are_taken_by_themselves(doors: Doors) -> None:
    """A document, a bundle with what belongs to a report, and a patient of whom nothing follows."""
    document = {
        "resourceType": "DocumentReference",
        "id": "d1",
        "status": "current",
        "docStatus": "final",
        "type": {"coding": [{"system": "http://loinc.org", "code": "18748-4"}]},
        "identifier": [identifier("A7", "ACSN")],
        "content": [{"attachment": form(TEXT)}],
    }
    assert _told(_send(doors, "PUT", "/DocumentReference/d1", document)) == (201, [("information", "stored")])
    assert _told(_send(doors, "POST", "/Bundle", bundle(report(), kind="batch"))) == (201, [("information", "stored")])
    patient = {"resourceType": "Patient", "id": "p1"}
    assert _told(_send(doors, "PUT", "/Patient/p1", patient)) == (200, [("information", "nothing-new")])


def test_a_patient_that_is_replaced_is_merged(doors: Doors) -> None:
    """Once; the other way changes nothing, and the answer warns of it."""
    _send(doors, "PUT", "/DiagnosticReport/r1", report(subject={"reference": "Patient/p1"}))

    def put(name: str, other: str) -> Any:
        link = {"other": {"reference": f"Patient/{other}"}, "type": "replaced-by"}
        return _send(doors, "PUT", f"/Patient/{name}", {"resourceType": "Patient", "id": name, "link": [link]})

    first = put("p1", "p2")
    assert _told(first) == (200, [("information", "merged")])
    assert "1 examinations" in first.json()["issue"][0]["details"]["text"]
    assert _told(put("p1", "p2")) == (200, [("warning", "known")])
    back = put("p2", "p1")
    assert _told(back) == (200, [("warning", "reversed")])
    assert back.json()["issue"][0]["details"]["text"] == "already merged the other way; nothing changed"
    events = [event for event in doors.trail() if event.action == "merge"]
    assert [dict(event.details).get("reversed") for event in events] == [None, None, "1"]


@pytest.mark.parametrize(
    ("path", "resource", "status", "code"),
    [
        ("/DiagnosticReport/r1", report(status="unknown"), 422, "unknown-status"),
        ("/DiagnosticReport/r1", report(identifier=None), 422, "no-accession"),
        ("/DiagnosticReport/r1", report(code=5), 400, "not-fhir"),
        ("/DiagnosticReport/r1", b"{", 400, "unreadable"),
        ("/DiagnosticReport/r2", report(), 400, "wrong-id"),
        ("/Patient/r1", report(), 400, "not-a-report"),
        ("/Bundle/b1", {"resourceType": "Bundle", "id": "b1", "type": "collection"}, 400, "not-a-report"),
    ],
)
def test_what_cannot_be_taken_is_refused_as_fhir_has_it(
    doors: Doors, path: str, resource: Any, status: int, code: str
) -> None:
    """With our code, where it is in the resource, and no word of it; and it is kept among the refusals."""
    answer = _send(doors, "PUT", path, resource)
    assert _told(answer) == (status, [("error", code)])
    assert "effusion" not in answer.text
    assert [reason for reason, _ in _refusals(doors)] == [code]


def test_the_place_of_a_fault_is_an_expression(doors: Doors) -> None:
    """Of FHIRPath, as clients look for it; the sentence is for people."""
    [issue] = _send(doors, "PUT", "/DiagnosticReport/r1", report(status="unknown")).json()["issue"]
    assert (issue["code"], issue["expression"]) == ("code-invalid", ["DiagnosticReport.status"])
    assert issue["details"]["text"].startswith("the status must be one of")


def test_a_deletion_is_refused_with_the_remedy(doors: Doors) -> None:
    """Nobody can tell whether the report was wrong; who sent it is told how to withdraw one."""
    _send(doors, "PUT", "/DiagnosticReport/r1", report())
    answer = _send(doors, "DELETE", "/DiagnosticReport/r1")
    assert _told(answer) == (405, [("error", "unknown-request")])
    assert "entered-in-error" in answer.text
    assert answer.headers["allow"] == "PUT"
    assert _refusals(doors) == [("unknown-request", "north/DiagnosticReport/r1")]
    _send(doors, "DELETE", "/Patient/MRN-5")  # whose id may be a patient's number
    assert [message for _, message in _refusals(doors)] == ["", "north/DiagnosticReport/r1"]


def test_problems_of_these_addresses_are_outcomes(doors: Doors) -> None:
    """Of keys, of types of bodies, of what is not taken at all, and of what a store does not take."""
    path = "/api/v1/fhir/DiagnosticReport/r1"
    assert _told(doors.client.put(path)) == (401, [("error", "unauthorised")])
    assert _told(doors.client.put(path, headers=doors.bearer(Role.REVIEWER))) == (403, [("error", "forbidden")])
    assert _told(_send(doors, "PUT", "/DiagnosticReport/r1", report(), "text/plain"))[0] == 415
    assert _told(_send(doors, "PUT", "/Observation/o1", report())) == (404, [("error", "not-supported")])
    assert _told(_send(doors, "PUT", "/DiagnosticReport/r1?odd=1", report())) == (422, [("error", "unknown-parameter")])
    long = report(presentedForm=[form("Clear. " * 20_000)])
    assert _told(_send(doors, "PUT", "/DiagnosticReport/r1", long)) == (422, [("error", "invalid-input")])
    assert [reason for reason, _ in _refusals(doors)] == ["not-accepted"]


def test_a_site_must_be_known() -> None:
    """By the settings, or by the address."""
    doors = Doors()
    with doors.client:
        assert _told(_send(doors, "PUT", "/DiagnosticReport/r1", report())) == (422, [("error", "invalid-request")])
        assert _told(_send(doors, "PUT", "/DiagnosticReport/r1?site=south", report()))[0] == 201


def test_what_is_accepted_is_stated(doors: Doors) -> None:
    """As a CapabilityStatement of R4 that has each resource with what may be done."""
    answer = doors.client.get("/api/v1/fhir/metadata?_format=json", headers=doors.bearer(Role.SUBMITTER))
    statement = answer.json()
    model_r4b("CapabilityStatement").model_validate(statement)
    assert (answer.status_code, statement["fhirVersion"]) == (200, "4.0.1")
    [rest] = statement["rest"]
    assert [each["type"] for each in rest["resource"]] == ["DiagnosticReport", "DocumentReference", "Bundle", "Patient"]
    codes = {code["code"] for each in rest["resource"] for code in each["interaction"]}
    assert codes == {"create", "update"}
    assert statement["implementation"]["url"] == "http://localhost/api/v1/fhir"


# --- notifications -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("made", [parameters, status])
def test_a_sign_of_life_is_counted(doors: Doors, made: Any) -> None:
    """Handshake and heartbeat are answered 200, and tell that the server is there."""
    for kind in ("handshake", "heartbeat", "heartbeat"):
        answer = _send(doors, "POST", "", notification(made(kind)))
        assert (answer.status_code, answer.json()) == (200, {"receipts": [], "merges": [], "notification": kind})
    told = _scrape(doors)
    assert told['overread_fhir_notifications_total{kind="heartbeat"}'] == 2
    assert told["overread_fhir_last_notification_timestamp_seconds"] > 0
    assert _refusals(doors) == []


def test_an_event_with_its_resource_is_stored(doors: Doors) -> None:
    """Like a report that was posted; a notification without any resource is refused with the remedy."""
    url = f"{BASE}/DiagnosticReport/r1"
    whole = notification(parameters("event-notification", url), {"fullUrl": url, "resource": report()})
    answer = _send(doors, "POST", "", whole)
    assert (answer.status_code, answer.json()["receipts"][0]["kind"]) == (201, "stored")
    assert answer.json()["notification"] == "event-notification"
    gone = notification(parameters("event-notification", url), deletion("DiagnosticReport/r1"))
    assert _send(doors, "POST", "", gone).status_code == 200
    for poor in (parameters("event-notification"), parameters("event-notification", url)):
        refused = _send(doors, "POST", "", notification(poor))
        assert (refused.status_code, refused.json()["type"]) == (422, "urn:overread:problem:no-resources")
        assert "full-resource" in refused.text
    assert [reason for reason, _ in _refusals(doors)] == ["no-resources"] * 2


def _searched(versions: Mapping[str, Json]) -> Any:
    """A server that answers the search for one report with it and its patient."""

    def answer(came: Came) -> Reply:
        found = [each for name, each in versions.items() if f"_id={name}&" in came.path]
        patient = {"resourceType": "Patient", "id": "p1", "identifier": [identifier("MRN-5", "MR")]}
        document = bundle(*found, *([patient] if found else []), kind="searchset")
        return Reply(200, json.dumps(document).encode(), {"Content-Type": "application/fhir+json"})

    return answer


def _with_server(url: str, folder: Path) -> Doors:
    server = FhirServer(url=f"{url}/fhir", reading=FhirOptions(site="south"), cursor=folder / "cursor.json")
    return Doors(fhir=OPTIONS, fhir_server=server)


def test_what_a_notification_names_is_fetched_from_the_configured_server(tmp_path: Path) -> None:
    """With what it refers to, and read as that server is; what is gone since is no fault."""
    whole = report(subject={"reference": "Patient/p1"})
    with listening(_searched({"r1": whole})) as source:
        doors = _with_server(source.url, tmp_path)
        url = f"{source.url}/fhir/DiagnosticReport/r1"
        with doors.client:
            named = notification(status("event-notification", url), reference(url))
            answer = _send(doors, "POST", "", named)
            assert (answer.status_code, len(answer.json()["receipts"])) == (201, 1)
            again = notification(status("event-notification", "DiagnosticReport/r1", "DiagnosticReport/r9"))
            assert _send(doors, "POST", "", again).json()["receipts"][0]["kind"] == "resent"
            empty = _send(doors, "POST", "", notification(status("event-notification")))
            assert (empty.status_code, empty.json()["receipts"]) == (200, [])
            found = doors.client.get(
                "/api/v1/examinations?site=south&accession=A100", headers=doors.bearer(Role.REVIEWER)
            )
            assert found.json()["examination"]["patient"] == "MRN-5"
    assert source.came[0].path.startswith("/fhir/DiagnosticReport?_id=r1&_include=DiagnosticReport%3Asubject")
    assert len(source.came) == 3


@pytest.mark.parametrize(
    "name",
    [
        "https://elsewhere.example/fhir/DiagnosticReport/r1",
        "Practitioner/p1",
        "DiagnosticReport/../../admin",
        "DiagnosticReport/r1?_include=x",
        "urn:uuid:00000000-0000-4000-8000-000000000002",
    ],
)
def test_nothing_is_fetched_from_anywhere_else(tmp_path: Path, name: str) -> None:
    """A notification cannot send the service to an address of its choice."""
    with listening(lambda _: Reply(200)) as source:
        doors = _with_server(source.url, tmp_path)
        with doors.client:
            answer = _send(doors, "POST", "", notification(status("event-notification", name)))
            assert (answer.status_code, answer.json()["type"]) == (422, "urn:overread:problem:foreign-reference")
    assert source.came == []


def test_a_server_that_does_not_answer_makes_the_notification_come_again(tmp_path: Path) -> None:
    """The sender is asked to; nothing of it was stored, and it is no refusal."""
    with listening(lambda _: Reply(503, b"", {"Retry-After": "7"})) as source:
        doors = _with_server(source.url, tmp_path)
        with doors.client:
            answer = _send(doors, "POST", "", notification(status("event-notification", "DiagnosticReport/r1")))
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "7")
            assert _refusals(doors) == []
