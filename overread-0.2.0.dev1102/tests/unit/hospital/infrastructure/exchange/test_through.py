"""From a FHIR server through the service to a webhook, over a store on disk; a sender is killed on the way."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest

from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.requests import Search
from overread.hospital.application.service import HospitalService
from overread.hospital.application.use_cases.delivering import Delivered, DeliveryPlan, Dispatcher
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.out.pairs import pair_bundle
from overread.hospital.infrastructure.exchange.fhir.polling import FhirPoller, FhirServer, Polled
from overread.hospital.infrastructure.exchange.registry import registry_csv
from overread.hospital.infrastructure.exchange.webhooks.sending import WebhookCourier
from overread.hospital.infrastructure.exchange.webhooks.signing import is_genuine_webhook
from overread.hospital.infrastructure.exchange.webhooks.targets import WebhookTarget
from overread.hospital.infrastructure.store import open_hospital_store

from ...application.hospital import ADMIN, REVIEWER, SUBMITTER, Clock, scorer
from .fhir.fhir_server import SmallServer, serving
from .fhir.invented import OPTIONS, form, report
from .listening import Came, Reply, listening

_SECRET = b"k" * 32
_SENDER = """
import sys
from datetime import UTC, datetime
from overread.hospital.application.use_cases.delivering import DeliveryPlan, Dispatcher
from overread.hospital.infrastructure.exchange.webhooks.sending import WebhookCourier
from overread.hospital.infrastructure.exchange.webhooks.targets import WebhookTarget
from overread.hospital.infrastructure.store import open_hospital_store

store, url, *signatures = sys.argv[1:]
clock = lambda: datetime.now(UTC)
courier = WebhookCourier([WebhookTarget(name="ris", url=url, secrets=[b"k" * 32], seconds=600.0)], clock)
hospital = open_hospital_store(store, texts="plain")
Dispatcher(hospital, courier, signatures, plan=DeliveryPlan(), clock=clock).deliver("first")
"""


def _scored(folder: Path) -> HospitalService:
    """A preliminary report and the final one that took its place, as a server had them; their pair is scored."""
    server = SmallServer()
    server.put(report(status="preliminary", presentedForm=[form("clear canary")]), "2026-03-01T08:00:00Z")
    server.put(report(presentedForm=[form("clear canary pneumothorax")]), "2026-03-01T09:00:00Z")
    configuration = HospitalConfiguration(deliver_to=("ris",))
    store = open_hospital_store(folder / "hospital.db", texts="plain")
    service = HospitalService(store, scorer(), configuration, now=Clock())
    with serving(server) as listener:
        told = FhirServer(url=f"{listener.url}/fhir", reading=OPTIONS, cursor=folder / "cursor.json")
        assert FhirPoller(service, told, by=SUBMITTER).poll() == Polled(ingested=2)
    assert service.work(worker="w") == 1
    return service


@pytest.mark.slow
def test_word_of_a_polled_report_arrives_though_its_sender_is_killed(tmp_path: Path) -> None:
    """What the killed one had sent comes again under the same id: nothing is lost, and a receiver can tell."""
    service = _scored(tmp_path)
    signatures = [str(metric.signature) for metric in service.scorer.metrics]
    came, is_over = Event(), Event()
    plan = DeliveryPlan()

    def hang(_: Came) -> Reply:
        came.set()
        is_over.wait(120)
        return Reply()

    with listening(hang) as receiver:
        where = [str(tmp_path / "hospital.db"), receiver.url]
        first = subprocess.Popen([sys.executable, "-c", _SENDER, *where, *signatures])
        assert came.wait(120)
        first.kill()
        first.wait(60)
        is_over.set()
        assert _deliver(service, signatures, receiver.url, lambda: datetime.now(UTC)) == Delivered()
        later = datetime.now(UTC) + plan.lease
        assert _deliver(service, signatures, receiver.url, lambda: later) == Delivered(arrived=1)
        messages = list(receiver.came)
    service.close()
    assert len({each.headers["webhook-id"] for each in messages}) == 1
    assert len(messages) == 2
    for each in messages:
        sent = datetime.fromtimestamp(int(each.headers["webhook-timestamp"]), UTC)
        assert is_genuine_webhook(each.headers, each.body, _SECRET, now=sent)
        assert b"canary" not in each.body
        assert b"A100" not in each.body


def _deliver(service: HospitalService, signatures: list[str], url: str, clock: Callable[[], datetime]) -> Delivered:
    courier = WebhookCourier([WebhookTarget(name="ris", url=url, secrets=[_SECRET])], clock)
    return Dispatcher(service.store, courier, signatures, plan=DeliveryPlan(), clock=clock).deliver("second")


def test_a_polled_report_goes_out_as_fhir_and_as_a_row(tmp_path: Path) -> None:
    """The pair that the history gave has its issue, and its row names the examination; neither has the text."""
    service = _scored(tmp_path)
    record = service.pair(1, by=REVIEWER)
    bundle = pair_bundle(record, FhirOutput(), at=datetime(2026, 3, 2, tzinfo=UTC) + timedelta(hours=1))
    issues = [each["resource"] for each in bundle["entry"] if each["resource"]["resourceType"] == "DetectedIssue"]
    [_, row] = registry_csv(service.export(Search(), by=ADMIN))
    service.close()
    assert [issue["severity"] for issue in issues] == ["high"]
    assert row.startswith("1,preliminary-final,north,A100,CT,CT chest")
    assert "canary" not in f"{bundle}{row}"
