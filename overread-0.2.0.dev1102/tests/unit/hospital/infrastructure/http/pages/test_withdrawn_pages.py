"""What was withdrawn, on the pages: out of the list unless it is asked for, and marked wherever it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from overread.hospital.application.service import HospitalService
from overread.hospital.domain.audit_trail import Role
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer
from overread.hospital.infrastructure.http.pages import Vocabulary, pages_router

from ....application.hospital import REVIEWER, SUBMITTER, hospital, version
from ..quick import Doors


@pytest.fixture
def client() -> Iterator[TestClient]:
    """A reviewer signed in to a hospital with one pair that was reviewed and then withdrawn, and one that stands."""
    doors = Doors(service=_ward(), routers=(pages_router(Vocabulary({}, str)),))
    with doors.client as browser:
        browser.follow_redirects = True
        token = re.search(r'name="csrf_token" value="([^"]+)"', browser.get("/login").text)
        assert token is not None
        browser.post("/login", data={"csrf_token": token[1], "key": doors.secrets[Role.REVIEWER], "next": "/help"})
        yield browser


def _ward() -> HospitalService:
    service = hospital()
    for accession in ("A1", "B1"):
        for status, text in ((ReportStatus.PRELIMINARY, "clear"), (ReportStatus.FINAL, "clear pneumothorax")):
            service.ingest([version(status, text, accession=accession, patient=accession)], by=SUBMITTER)
    service.work(worker="w")
    signature = str(service.pair(1, by=REVIEWER).current["notation"].signature)
    service.review(1, by=REVIEWER, signature=signature, radpeer=Radpeer.CONCUR)
    service.ingest([version(ReportStatus.CANCELLED, "", patient="A1")], by=SUBMITTER)
    return service


def _accessions(page: str) -> list[str]:
    return re.findall(r'<a class="open"[^>]*>(\w+)</a>', page)


def test_the_list_leaves_it_out_until_it_is_asked_for(client: TestClient) -> None:
    """Then it bears a badge of its own in place of its importance, and the filter can be taken away again."""
    assert _accessions(client.get("/worklist").text) == ["B1"]
    also, only = (client.get(f"/worklist?withdrawn={asked}").text for asked in ("also", "only"))
    assert (sorted(_accessions(also)), _accessions(only)) == (["A1", "B1"], ["A1"])
    assert (also.count('">withdrawn</span>'), also.count("Withdrawn pairs: shown too")) == (1, 1)
    assert 'value="only" selected' in only


def test_the_pair_says_that_it_is_withdrawn_and_keeps_its_review(client: TestClient) -> None:
    """And so does its examination, beside the pair and the versions."""
    pair, other = client.get("/pairs/1").text, client.get("/pairs/2").text
    assert ("This pair is withdrawn" in pair, "This pair is withdrawn" in other) == (True, False)
    assert "RADPEER 1: concur" in pair
    examination = client.get("/pairs/1/examinations/1").text
    assert (examination.count('">withdrawn</span>'), examination.count("It was withdrawn.")) == (1, 2)


def test_rates_and_samples_leave_the_filter_out_and_say_so(client: TestClient) -> None:
    """A link from the list leads to pages that count what stands."""
    for address in ("/rates?withdrawn=also", "/samples?withdrawn=only"):
        page = client.get(address)
        assert page.status_code == 200
        assert "Withdrawn pairs are not counted in rates or samples" in page.text
        assert "Withdrawn pairs: shown" not in page.text
