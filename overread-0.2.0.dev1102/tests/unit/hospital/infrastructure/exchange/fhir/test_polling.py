"""A FHIR server is polled: every version arrives once, whatever happens on the way."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import attrs
import pytest
from attrs import define, evolve, field

from overread.exceptions import ConfigurationError, InputError, StoreError
from overread.hospital.application.requests import Receipt, ReceiptKind, Refusal
from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.polling import FhirPoller, FhirServer, Polled, PollError
from overread.hospital.infrastructure.serving_settings import serve_configuration

from ....application.hospital import REVIEWER, SUBMITTER, hospital
from ..listening import Listener, Reply
from .fhir_server import SmallServer, serving
from .invented import OPTIONS, form, identifier, patient, report

_PACS = Actor(name="pacs", roles=[Role.SUBMITTER])
_NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@define
class _Service:
    """Takes what it is given, unless it is told to fail."""

    ingested: list[ReportVersion] = field(factory=list)
    refused: list[Refusal] = field(factory=list)
    fault: Exception | None = None

    def ingest(self, versions: list[ReportVersion], *, by: Actor) -> list[Receipt]:
        assert by == _PACS
        if self.fault is not None:
            raise self.fault
        self.ingested += versions
        return [Receipt(version=len(self.ingested), kind=ReceiptKind.STORED)]

    def refuse(self, refusal: Refusal) -> None:
        self.refused.append(refusal)

    @property
    def said(self) -> list[tuple[str, ReportStatus]]:
        return [(each.message, each.status) for each in self.ingested]


@define
class _Ward:
    """A server, a service and what lies between."""

    server: SmallServer
    service: _Service
    listener: Listener
    told: FhirServer

    def poller(self, **told: Any) -> FhirPoller:
        """A new one each time, as after a restart."""
        environment = {"TOKEN": "t0ken"}
        service: Any = self.service
        assert set(dir(_Service)) & {"ingest", "refuse"} <= set(dir(HospitalService))
        return FhirPoller(
            service,
            evolve(self.told, **told),
            by=_PACS,
            environment=environment,
            clock=lambda: _NOON,
            chance=lambda: 1.0,
        )

    def poll(self, **told: Any) -> Polled:
        return self.poller(**told).poll()

    def paths(self) -> list[str]:
        return [each.path.partition("?")[0] for each in self.listener.came]


@pytest.fixture
def ward(tmp_path: Path) -> Iterator[_Ward]:
    """An empty server, polled for the first time."""
    server = SmallServer()
    with serving(server) as listener:
        told = FhirServer(
            url=f"{listener.url}/fhir", reading=OPTIONS, cursor=tmp_path / "state" / "cursor.json", count=2
        )
        yield _Ward(server, _Service(), listener, told)


def _preliminary(name: str = "r1") -> dict[str, Any]:
    return report(id=name, status="preliminary", presentedForm=[form("Clear lungs.")])


def test_all_versions_of_a_report_arrive_oldest_first(ward: _Ward) -> None:
    """The final has taken the preliminary's place; the history still has it."""
    ward.server.put(_preliminary(), "2026-03-01T08:00:00Z")
    ward.server.put(report(), "2026-03-01T09:00:00Z")
    assert ward.poll() == Polled(ingested=2)
    assert ward.service.said == [("north/r1/1", ReportStatus.PRELIMINARY), ("north/r1/2", ReportStatus.FINAL)]


def test_what_is_known_is_not_read_again_not_even_after_a_restart(ward: _Ward) -> None:
    """The time before the newest report is asked for again: servers show some late. What was there is left out."""
    ward.server.put(report(), "2026-03-01T09:00:00Z")
    assert ward.poll() == Polled(ingested=1)
    assert ward.poll() == Polled()
    late = report(id="r2")
    ward.server.put(late, "2026-03-01T08:58:00Z")
    assert ward.poll() == Polled(ingested=1)
    ward.server.put(report(status="corrected"), "2026-03-01T09:30:00Z")
    assert ward.poll() == Polled(ingested=1)
    assert ward.service.said[-1] == ("north/r1/2", ReportStatus.CORRECTED)


def test_pages_are_followed_to_the_end(ward: _Ward) -> None:
    """Two reports a page; the order is that of their updates."""
    for at in range(5):
        ward.server.put(report(id=f"r{at}"), f"2026-03-01T09:0{at}:00Z")
    assert ward.poll() == Polled(ingested=5)
    assert [message for message, _ in ward.service.said] == [f"north/r{at}/1" for at in range(5)]
    assert len(ward.listener.came) == 3


def test_a_poll_that_breaks_off_goes_on_where_it_was(ward: _Ward) -> None:
    """What a page brought is written down when it is stored; the rest comes with the next poll."""
    for at in range(5):
        ward.server.put(report(id=f"r{at}"), f"2026-03-01T09:{at}0:00Z")
    assert ward.poll(most_pages=1) == Polled(ingested=2)
    assert ward.poll() == Polled(ingested=3)


def test_more_reports_at_a_time_than_a_poll_reads_hold_it_up_nowhere(ward: _Ward) -> None:
    """As where a server is filled from an archive: what is known of the overlap is passed over, and not counted."""
    for at in range(9):
        ward.server.put(report(id=f"r{at}"), "2026-03-01T09:00:00Z")
    assert [ward.poll(most_pages=2).ingested for _ in range(4)] == [4, 4, 1, 0]


def test_a_service_that_fails_loses_nothing(ward: _Ward) -> None:
    """The cursor stays before what is not stored."""
    ward.server.put(report(), "2026-03-01T09:00:00Z")
    ward.service.fault = StoreError("the disk is full")
    with pytest.raises(StoreError):
        ward.poll()
    ward.service.fault = None
    assert ward.poll() == Polled(ingested=1)


def test_what_cannot_be_taken_is_refused_once_and_keeps_nothing_out(ward: _Ward) -> None:
    """Reports that cannot be read, or that the service does not take, are told to whoever looks."""
    ward.server.put(report(status="unknown"), "2026-03-01T08:00:00Z")
    ward.server.put(report(id="r2", status="registered"), "2026-03-01T08:30:00Z")
    ward.server.put(report(id="r3"), "2026-03-01T09:00:00Z")
    assert ward.poll() == Polled(ingested=1, refused=1)
    assert ward.poll() == Polled()
    [refusal] = ward.service.refused
    assert (refusal.source, refusal.message, refusal.reason) == ("fhir", "north/r1/1", "unknown-status")
    ward.service.fault = InputError("reports", "it is too long")
    ward.server.put(report(id="r4"), "2026-03-01T09:01:00Z")
    assert ward.poll() == Polled(refused=1)
    assert ward.service.refused[-1].reason == "not-accepted"


def test_included_resources_tell_of_the_patient(ward: _Ward) -> None:
    """What the search includes is there for every version."""
    ward.server.others.append(patient())
    for status in ("preliminary", "final"):
        ward.server.put(
            report(status=status, subject={"reference": "Patient/p1"}), f"2026-03-01T09:00:0{len(status) % 3}Z"
        )
    ward.poll()
    assert [each.examinations[0].patient for each in ward.service.ingested] == ["MRN-5", "MRN-5"]


@pytest.mark.parametrize("status", [404, 405, 410, 501])
def test_a_server_without_histories_gives_what_it_has(ward: _Ward, status: int) -> None:
    """The version that stands now is better than none."""
    ward.server.put(_preliminary(), "2026-03-01T08:00:00Z")
    ward.server.put(report(), "2026-03-01T09:00:00Z")
    ward.server.faults["/fhir/DiagnosticReport/"] = Reply(status)
    assert ward.poll() == Polled(ingested=1)
    assert ward.service.said == [("north/r1/2", ReportStatus.FINAL)]


def test_a_history_that_fails_is_asked_for_again(ward: _Ward) -> None:
    """A server that is down for a moment must not cost the preliminary."""
    ward.server.put(_preliminary(), "2026-03-01T08:00:00Z")
    ward.server.put(report(), "2026-03-01T09:00:00Z")
    ward.server.faults["/fhir/DiagnosticReport/"] = Reply(503)
    with pytest.raises(PollError, match="status-503"):
        ward.poll()
    ward.server.faults.clear()
    assert ward.poll() == Polled(ingested=2)


def test_nothing_new_costs_one_short_answer(ward: _Ward) -> None:
    """The tag of the last page says that nothing has changed; a new report changes it."""
    ward.server.put(report(), "2026-03-01T09:00:00Z")
    poller = ward.poller()
    assert [poller.poll(), poller.poll(), poller.poll()] == [Polled(ingested=1), Polled(), Polled()]
    assert "if-none-match" in ward.listener.came[-1].headers
    ward.server.put(report(id="r2"), "2026-03-01T09:01:00Z")
    assert poller.poll() == Polled(ingested=1)


@pytest.mark.parametrize(
    "link", ["http://169.254.169.254/latest", "https://127.0.0.1:{port}/x", "http://[", "http://a@127.0.0.1:{port}/"]
)
def test_a_link_to_another_place_is_not_followed(ward: _Ward, link: str) -> None:
    """The token would go there too."""
    for at in range(3):
        ward.server.put(report(id=f"r{at}"), f"2026-03-01T09:0{at}:00Z")
    ward.server.next_link = link.format(port=ward.listener.port)
    with pytest.raises(PollError, match="foreign-link"):
        ward.poll()
    assert len(ward.listener.came) == 1


def test_links_that_lead_in_a_circle_come_to_an_end(ward: _Ward) -> None:
    """However long a server goes on, a poll has a most of pages."""
    for at in range(3):
        ward.server.put(report(id=f"r{at}"), "2026-03-01T09:00:00Z")
    ward.server.next_link = "/fhir/DiagnosticReport?_count=2&page=0&_sort=_lastUpdated"
    assert ward.poll(most_pages=7) == Polled(ingested=2)
    assert len(ward.listener.came) == 1 + 7 + 2  # the first was new; then as many old ones, and one for each known


def test_a_redirect_is_a_failure(ward: _Ward) -> None:
    """Servers that move must be told anew."""
    ward.server.faults["/fhir"] = Reply(302, headers={"Location": "http://127.0.0.1:1/"})
    with pytest.raises(PollError, match="status-302"):
        ward.poll()


def test_the_token_goes_along_and_is_looked_up_each_time(ward: _Ward, tmp_path: Path) -> None:
    """From the environment, or from a file that somebody may change while the poller runs."""
    ward.server.token = "t0ken"  # noqa: S105 - invented
    assert ward.poll(token="env:TOKEN") == Polled()  # noqa: S106 - the name of a place
    place = tmp_path / "token"
    place.write_text("old\n", encoding="ascii")
    poller = ward.poller(token=f"file:{place}")
    with pytest.raises(PollError, match="status-401"):
        poller.poll()
    place.write_text("t0ken\n", encoding="ascii")
    assert poller.poll() == Polled()
    with pytest.raises(ConfigurationError):
        ward.poll(token="env:NONE")  # noqa: S106 - as above


def test_a_server_that_does_not_sort_is_not_trusted(ward: _Ward) -> None:
    """How far it was read could not be told by a time."""
    ward.server.is_sorted = False
    for at in range(2):
        ward.server.put(report(id=f"r{at}"), f"2026-03-01T09:0{at}:00Z")
    with pytest.raises(PollError, match="unsorted"):
        ward.poll()


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(200, b"<Bundle/>"), "not-fhir"),
        (Reply(200, b"{"), "unreadable"),
        (Reply(200, b'{"resourceType": "OperationOutcome"}'), "no-bundle"),
        (Reply(200, b" " * 3000), "too-large"),
        (Reply(200, b"x", {"Content-Encoding": "gzip"}), "packed"),
        (Reply(429, headers={"Retry-After": "120"}), "status-429"),
    ],
)
def test_answers_that_are_none_are_told_apart(ward: _Ward, reply: Reply, reason: str) -> None:
    """Each has its reason; nothing of what came is in it."""
    ward.server.faults["/"] = reply
    with pytest.raises(PollError) as caught:
        ward.poll(reading=evolve(OPTIONS, max_bytes=2000))
    assert caught.value.reason == reason
    assert caught.value.wait == (timedelta(minutes=2) if reason == "status-429" else None)


@pytest.mark.parametrize(
    "written",
    [
        "{}",
        "[]",
        "",
        '{"format": "overread-fhir-cursor-1"}',
        '{"format": "overread-fhir-cursor-1", "reached": "noon", "known": {}}',
        '{"format": "overread-fhir-cursor-1", "reached": null, "known": []}',
    ],
)
def test_a_cursor_that_is_none_stops_the_poller(ward: _Ward, written: str) -> None:
    """To begin anew is for a person to decide."""
    ward.told.cursor.parent.mkdir()
    ward.told.cursor.write_text(written, encoding="utf-8")
    with pytest.raises(StoreError, match="cursor"):
        ward.poll()


def test_a_start_leaves_older_reports_out_and_not_their_versions(ward: _Ward) -> None:
    """A final of today is compared with its preliminary of yesterday."""
    ward.server.put(report(id="r0"), "2026-02-01T08:00:00Z")
    ward.server.put(_preliminary(), "2026-02-28T22:00:00Z")
    ward.server.put(report(), "2026-03-01T09:00:00Z")
    assert ward.poll(start=datetime(2026, 3, 1, tzinfo=UTC)) == Polled(ingested=2)


def test_waits_grow_while_a_server_fails_and_end_with_it(ward: _Ward) -> None:
    """The problem is told while it lasts; a stop ends the loop at once."""
    ward.server.faults["/fhir"] = Reply(503)
    poller = ward.poller(every=timedelta(milliseconds=5), longest=timedelta(milliseconds=20))
    stop = Event()
    thread = Thread(target=poller.run, args=(stop,), daemon=True)
    thread.start()
    _until(lambda: len(ward.listener.came) >= 3)
    assert poller.problem == "status-503"
    ward.server.put(report(), "2026-03-01T09:00:00Z")
    ward.server.faults.clear()
    _until(lambda: len(ward.service.ingested) == 1 and not poller.problem)
    stop.set()
    thread.join(30)
    assert not thread.is_alive()


def _until(holds: Any) -> None:
    """Waits for another thread; a minute is far more than it takes."""
    tick = Event()
    for _ in range(6000):
        if holds():
            return
        tick.wait(0.01)
    pytest.fail("it did not come to pass")


_PAGE = (Path(__file__).parents[6] / "docs" / "fhir.md").read_text(encoding="utf-8")


def test_the_settings_that_the_document_shows_poll_a_server(tmp_path: Path) -> None:
    """As they stand there, but for the places of the server and the cursor."""
    [shown] = re.findall(r"^```toml\n(.*?)^```$", _PAGE, re.MULTILINE | re.DOTALL)
    own = SmallServer(token="abc")  # noqa: S106 - invented
    own.put(report(identifier=[identifier("A1", "ACSN", "urn:oid:2.16.840.1.113883.2.9.1")]), "2026-11-02T09:00:00Z")
    own.put(report(id="old"), "2026-10-02T09:00:00Z")
    environment = {"OVERREAD_FHIR_TOKEN": "abc"}
    with serving(own) as listener:
        table = tomllib.loads(shown)["serve"]
        assert table["fhir_server"]["url"] == "https://pacs.hospital.example/fhir"
        table["fhir_server"] |= {"url": f"{listener.url}/fhir", "cursor": str(tmp_path / "cursor.json")}
        server = serve_configuration(table, environment).fhir_server
        assert server is not None
        service = hospital()
        assert FhirPoller(service, server, by=SUBMITTER, environment=environment).poll() == Polled(ingested=1)
    assert "category=RAD" in listener.came[0].path
    assert service.examination(ExaminationKey("south", "A1"), by=REVIEWER).versions


@pytest.mark.parametrize(
    ("heading", "settings"), [("## Polling a server", FhirServer), ("### How reports are read", FhirOptions)]
)
def test_the_document_has_every_setting(heading: str, settings: type) -> None:
    """In its own table, and none that there is not."""
    table = _PAGE.partition(heading)[2].partition("| setting | default | meaning |\n")[2].partition("\n\n")[0]
    documented = re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)
    assert sorted(documented) == sorted(attribute.name for attribute in attrs.fields(settings))
