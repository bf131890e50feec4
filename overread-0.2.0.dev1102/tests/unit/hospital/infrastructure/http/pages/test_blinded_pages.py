"""Pages of a reader who reads blinded: the reports, and nothing of what others or the program made of them."""

from __future__ import annotations

import re

from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.reading import ProtocolReader
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer
from overread.hospital.infrastructure.http.pages import Vocabulary, pages_router

from ....application.hospital import SUBMITTER, hospital, version
from ..quick import ROOT, Doors


def test_pages_are_blinded_until_the_review_is_kept() -> None:
    """The worklist is without the pair; its page and that of its examination name no author, result or review."""
    service = hospital()
    for status, text, reader in (
        (ReportStatus.PRELIMINARY, "clear", "r.one"),
        (ReportStatus.FINAL, "clear mass", "r.two"),
    ):
        service.ingest([version(status, text, reader=reader)], by=SUBMITTER)
    service.work(worker="w")
    signature = str(service.pair(1, by=ROOT).current["notation"].signature)
    service.review(1, by=ROOT, signature=signature, radpeer=Radpeer.EXPECTED_SIGNIFICANT, comment="SAID BEFORE")
    doors = Doors(service=service, routers=(pages_router(Vocabulary({}, str)),))
    reviewer = f"a {Role.REVIEWER}"
    plan = ProtocolPlan(name="study", readers=[ProtocolReader(name=reviewer)], per_pair=1, pairs=[1])
    service.create_protocol(plan, by=ROOT)
    paths = ("/worklist", "/pairs/1", "/pairs/1?explain=true", "/pairs/1/examinations/1", "/rates", "/rates.csv")
    secrets = ("r.one", "r.two", "SAID BEFORE", signature)
    with doors.client as browser:
        browser.follow_redirects = True
        token = re.search(r'name="csrf_token" value="([^"]+)"', browser.get("/login").text)
        assert token is not None
        browser.post("/login", data={"csrf_token": token[1], "key": doors.secrets[Role.REVIEWER], "next": "/help"})
        pages = {path: browser.get(path).text for path in paths}
        assert [(path, secret) for path, text in pages.items() for secret in secrets if secret in text] == []
        assert [word for word in ("omitted", "incidental") if word in pages["/pairs/1"]] == []
        assert "clear mass" in re.sub(r"<[^>]+>", "", pages["/pairs/1"])
        assert "blinded" in pages["/pairs/1"]
        assert 'id="review"' not in pages["/pairs/1"]
        assert "No pairs." in pages["/worklist"]
        [row] = service.assignments(by=ROOT).rows
        service.review_assignment(row.number, by=reviewer_named(reviewer), no_discrepancy=True)
        shown = browser.get("/pairs/1").text
        assert all(secret in shown for secret in ("r.one", "r.two", "SAID BEFORE", 'id="review"'))
        assert (shown.count("(read blinded)"), shown.count("<p>No discrepancy.</p>")) == (1, 1)
        assert browser.get("/worklist").text.count('class="open"') == 1


def reviewer_named(name: str) -> Actor:
    """A reviewer by name."""
    return Actor(name=name, roles={Role.REVIEWER})
