"""Pages of readers, adjudicators and those who lead them, as a browser without scripts sees them."""

from __future__ import annotations

import html as entities
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import pytest
from attrs import define, field
from starlette.testclient import TestClient

from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.reading import ProtocolReader, ReadingMode
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.domain.review import Radpeer, ReviewStage, VerdictKind
from overread.hospital.infrastructure.http.pages import Vocabulary, pages_router

from .....infrastructure.views.reading import Markup
from ....application.hospital import SUBMITTER, hospital, version
from ..quick import ROOT, Doors

_AUTHORS: Final = ("dr.resident", "dr.consultant", "drafter")
_PEOPLE: Final = ("ann.reader", "ben.reader", "dot.decides", "head.leads")
_SECRETS: Final = (*_AUTHORS, "left out", "omission", "Proposed", "WORDS OF ANOTHER", "incidental", "urgent")
_NAMES: Final = {"pneumothorax": "pneumothorax", "rib_fracture": "rib fracture"}


@define(eq=False)
class Study:
    """Doors with the pages, and people who have signed in."""

    doors: Doors
    clients: dict[str, TestClient] = field(factory=dict)

    @property
    def hospital(self) -> Any:
        return self.doors.hospital

    def get(self, path: str, by: str) -> Any:
        """The page of an address, for somebody."""
        return self.clients[by].get(path)

    def post(self, path: str, by: str, **form: str) -> Any:
        """The page that a form leads to; it carries the session's token."""
        return self.clients[by].post(path, data={"csrf_token": _token(self.get("/help", by).text), **form})

    def plan(self, **more: Any) -> int:
        """A protocol of all pairs, each for two readers."""
        readers = [ProtocolReader(name="ann.reader"), ProtocolReader(name="ben.reader")]
        whole = {"readers": readers, "adjudicators": [ProtocolReader(name="dot.decides")], "per_pair": 2, **more}
        made = self.hospital.create_protocol(ProtocolPlan(name="Night & day", pairs=[1, 2], **whole), by=ROOT)
        return int(made.protocol.number)


def _token(html: str) -> str:
    found = re.search(r'name="csrf_token" value="([^"]+)"', html)
    assert found is not None
    return found[1]


def _words(html: str) -> str:
    return " ".join(entities.unescape(re.sub(r"<[^>]+>", " ", html)).split())


@pytest.fixture
def study() -> Iterator[Study]:
    """Two pairs that differ and were reviewed by another; five people who have signed in."""
    service = hospital()
    for place, final in enumerate(("clear pneumothorax", "clear opacity"), 1):
        versions = (
            (ReportStatus.PRELIMINARY, "clear", {"reader": "dr.resident", "model": "drafter"}),
            (ReportStatus.FINAL, final, {"reader": "dr.consultant"}),
        )
        for status, text, more in versions:
            service.ingest([version(status, text, accession=f"A{place}", **more)], by=SUBMITTER)
    while service.work(worker="w"):
        pass
    signature = str(service.pair(1, by=ROOT).current["notation"].signature)
    for pair in (1, 2):
        service.review(
            pair, by=ROOT, signature=signature, radpeer=Radpeer.EXPECTED_SIGNIFICANT, comment="WORDS OF ANOTHER"
        )
    doors = Doors(service=service, routers=(pages_router(Vocabulary(_NAMES, lambda name: _NAMES.get(name, name))),))
    study = Study(doors)
    roles = {name: [Role.REVIEWER] for name in _PEOPLE} | {"head.leads": [Role.LEAD], "root.reads": [Role.ADMIN]}
    for name, given in roles.items():
        client = doors.browser(headers={"accept": "text/html"})
        client.follow_redirects = True
        key = doors.access.issue(name, given, by=ROOT).secret
        token = _token(client.get("/login").text)
        client.post("/login", data={"csrf_token": token, "key": key, "next": "/help"})
        study.clients[name] = client
    with doors.client:
        yield study


def test_a_blinded_page_has_no_name_in_any_byte(study: Study) -> None:
    """Neither of authors nor of other readers, and nothing of the program or of reviews; not for an administrator."""
    study.plan(readers=[ProtocolReader(name="root.reads"), ProtocolReader(name="ben.reader")])
    for by, client in study.clients.items():
        if by not in {"root.reads", "ben.reader"}:
            continue
        others = {*_PEOPLE, "root.reads"} - {by}
        opened = study.post("/assignments/next", by)
        own = opened.url.path
        amiss = study.post(f"{own}/review", by)
        room = study.post(f"{own}/review", by, action="another")
        pages = [client.get("/assignments"), opened, amiss, room, client.get(f"{own}?explain=true&kept=2")]
        for answer in pages:
            text = answer.text + repr(answer.headers)
            assert [secret for secret in (*_SECRETS, *others) if secret in text] == [], answer.url
        assert "clear" in _words(opened.text)
        assert (amiss.status_code, room.status_code) == (422, 200)


def test_a_reader_goes_from_pair_to_pair(study: Study) -> None:
    """The next one opens when one is kept; what was kept can be looked at with what others see, and reviewed again."""
    study.plan(per_pair=1, readers=[ProtocolReader(name="ann.reader")], adjudicators=[])
    assert "0 of 2 done" in _words(study.get("/assignments", "ann.reader").text)
    first = study.post("/assignments/next", "ann.reader")
    assert first.url.path.startswith("/assignments/")
    second = study.post(
        f"{first.url.path}/review",
        "ann.reader",
        **{"added-0-severity": "significant", "added-0-finding": "pneumothorax", "action": "next"},
    )
    assert second.url.path != first.url.path
    number = int(first.url.path.rpartition("/")[2])
    assert f'href="/assignments/{number}"' in second.text
    assert "dr.consultant" not in second.text
    seen = study.get(first.url.path, "ann.reader")
    assert all(word in seen.text for word in ("dr.consultant", "WORDS OF ANOTHER", "Omitted finding"))
    row = study.hospital.assignment(number, by=Actor(name="ann.reader", roles={Role.REVIEWER})).assignment
    signature = re.search(r'name="signature" value="([^"]+)"', seen.text)
    assert signature is not None
    study.post(
        f"/pairs/{row.pair}/review",
        "ann.reader",
        signature=entities.unescape(signature[1]),
        comment="I had not seen the edge.",
        action="confirm",
    )
    last = study.post(f"{second.url.path}/review", "ann.reader", none="1", action="next")
    assert last.url.path == "/assignments"
    assert "All that is assigned to you is done." in last.text
    reviews = [each for each in study.hospital.pair(row.pair, by=ROOT).reviews if each.reviewer == "ann.reader"]
    assert [each.stage for each in reviews] == [ReviewStage.BLINDED, ReviewStage.UNBLINDED]
    [verdict] = reviews[0].verdicts
    assert (verdict.kind, verdict.finding, verdict.reason) == (VerdictKind.AMEND, "pneumothorax", "pneumothorax")


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ({}, "Name a discrepancy, or state that there is none."),
        ({"none": "1", "added-0-severity": "critical", "added-0-reason": "a"}, "and name one."),
        ({"added-0-reason": "left out"}, "Discrepancy 1: Say how grave it is."),
        ({"added-0-severity": "critical"}, "Discrepancy 1: Name the finding, or describe it in words."),
        ({"added-0-severity": "critical", "added-0-finding": "rip fracture"}, "Did you mean rib fracture?"),
        ({"none": "1"}, "Give a RADPEER score."),
        ({"none": "1", "radpeer": "1", "comment": "x" * 4001}, "Write 4,000 characters at most."),
    ],
)
def test_what_is_amiss_is_told_and_what_was_filled_in_stays(study: Study, form: dict[str, str], told: str) -> None:
    """Nothing is kept until it is a reading that the protocol takes."""
    study.plan(asks_radpeer=True)
    path = study.post("/assignments/next", "ann.reader").url.path
    answer = study.post(f"{path}/review", "ann.reader", **form)
    assert answer.status_code == 422
    assert told in entities.unescape(answer.text)
    assert all(value in answer.text for value in form.values())
    assert study.hospital.protocol(1, by=ROOT).loads[0].done == 0


def test_a_radpeer_score_is_asked_for_by_the_protocol_alone(study: Study) -> None:
    """Where it does not ask, the form has no room for one."""
    study.plan()
    assert 'name="radpeer"' not in study.post("/assignments/next", "ann.reader").text
    study.plan(asks_radpeer=True, readers=[ProtocolReader(name="dot.decides")], per_pair=1, adjudicators=[])
    opened = study.post("/assignments/next", "dot.decides")
    assert 'name="radpeer"' in opened.text
    study.post(f"{opened.url.path}/review", "dot.decides", none="1", radpeer="2a")
    [load] = study.hospital.protocol(2, by=ROOT).loads
    assert load.done == 1


def test_an_adjudicator_sees_what_was_said_and_not_by_whom(study: Study) -> None:
    """As reader 1 and reader 2; either can be taken over into the form; the decision settles the pair."""
    study.plan()
    said = {"added-0-severity": "critical", "added-0-category": "B", "added-0-reason": "LEFT OUT", "comment": "HARD"}
    for by, form in (("ann.reader", said), ("ben.reader", {"none": "1"})):
        path = study.post("/assignments/next", by).url.path
        while path != "/assignments":
            path = study.post(f"{path}/review", by, **form).url.path
    listed = study.get("/assignments", "dot.decides").text
    assert "Next adjudication" in listed
    opened = study.post("/assignments/next", "dot.decides", task="adjudication")
    words = _words(opened.text)
    assert all(told in words for told in ("Reader 1", "Reader 2", "No discrepancy.", "LEFT OUT", "HARD"))
    secrets = (*_AUTHORS, "ann.reader", "ben.reader", "WORDS OF ANOTHER", "omission", "Proposed")
    assert [secret for secret in secrets if secret in opened.text] == []
    place = 1 if words.index("LEFT OUT") < words.index("Reader 2") else 2
    path = opened.url.path
    taken = study.post(f"{path}/review", "dot.decides", action=f"take-{place}").text
    assert ">LEFT OUT</textarea>" in taken
    assert 'value="critical" aria-keyshortcuts="3" data-then="added-0-category" checked' in taken
    assert '<option value="B" selected>' in taken
    assert ">HARD</textarea>" not in taken
    other = study.post(f"{path}/review", "dot.decides", action=f"take-{3 - place}").text
    assert re.search(r'id="none"[^>]* checked', other)
    kept = study.post(f"{path}/review", "dot.decides", action="see", **said)
    assert kept.url.path == path
    assert "Your decision of" in kept.text
    assert "ann.reader" in kept.text
    assert study.hospital.protocol(1, by=ROOT).adjudicated == 1


def test_an_open_protocol_asks_for_verdicts_on_what_was_found(study: Study) -> None:
    """The reader sees all, and the review completes the assignment under the result's signature."""
    study.plan(mode=ReadingMode.OPEN, per_pair=1, readers=[ProtocolReader(name="ann.reader")], adjudicators=[])
    opened = study.post("/assignments/next", "ann.reader")
    assert 'name="listed-0-kind"' in opened.text
    assert "dr.consultant" in opened.text
    signature = re.search(r'name="signature" value="([^"]+)"', opened.text)
    assert signature is not None
    form = {"signature": entities.unescape(signature[1]), "listed-0-kind": "agree"}
    assert study.post(f"{opened.url.path}/review", "ann.reader", **{**form, "signature": "old"}).status_code == 422
    study.post(f"{opened.url.path}/review", "ann.reader", **form)
    [load] = study.hospital.protocol(1, by=ROOT).loads
    assert load.done == 1


def test_an_assignment_is_given_back_and_taken_by_another(study: Study) -> None:
    """Then it is nobody's: whoever may do it takes it, and for others it is not there."""
    study.plan(per_pair=1)
    path = study.post("/assignments/next", "ann.reader").url.path
    assert study.get(path, "ben.reader").status_code == 404
    assert study.post(f"{path}/release", "ann.reader").url.path == "/assignments"
    free = study.get(path, "ben.reader").text
    assert "This is nobody’s yet." in free
    assert 'id="review"' not in free
    taken = study.post(f"{path}/claim", "ben.reader")
    assert 'id="review"' in taken.text
    assert study.get(path, "dot.decides").status_code == 404


def test_a_lead_makes_follows_hands_on_and_closes(study: Study) -> None:
    """With what was filled in kept where something is amiss, and agreement once there are readings."""
    assert study.get("/worklist", "head.leads").text.count("/protocols/new?") == 1
    assert "/protocols/new?" not in study.get("/worklist", "ann.reader").text
    form = {
        "name": "November",
        "which": "pairs",
        "pairs": "1, 2",
        "readers": "ann.reader = 4711; Kim, A.\nben.reader",
        "adjudicators": "dot.decides",
        "per_pair": "2",
        "mode": "blinded",
        "due": "2030-01-31",
        "claim_minutes": "60",
        "seed": "7",
    }
    for wrong, told in (
        ({"pairs": "one"}, "Pairs: give their numbers"),
        ({"per_pair": "3"}, "Each pair can have 1 to 2 of the readers."),
        ({"pairs": "1 99"}, "no pair 99"),
        ({"due": "soon"}, "Due: give a date"),
        ({"which": "sample", "sample": ""}, "Sample: give a number from 1 on."),
    ):
        refused = study.post("/protocols", "head.leads", **{**form, **wrong})
        assert (refused.status_code, told in refused.text) == (422, True), told
        assert "ann.reader = 4711; Kim, A." in refused.text
    made = study.post("/protocols", "head.leads", **form)
    assert made.url.path == "/protocols/1"
    protocol = study.hospital.protocol(1, by=ROOT).protocol
    assert protocol.readers[0] == ProtocolReader(name="ann.reader", known_as=("4711", "Kim, A."))
    assert protocol.due is not None
    assert protocol.due.isoformat() == "2030-01-31T23:59:00+00:00"
    assert "November" in study.get("/protocols", "head.leads").text
    [row] = study.hospital.assignments(by=ROOT, reader="ann.reader", limit=1).rows
    refused = study.post(f"/assignments/{row.number}/reassign", "head.leads", reader="ben.reader")
    assert (refused.status_code, "another assignment of this pair" in refused.text) == (422, True)
    back = study.post(f"/assignments/{row.number}/release", "head.leads", back="protocol")
    assert "nobody yet" in _words(back.text)
    study.post(f"/assignments/{row.number}/reassign", "head.leads", reader="ann.reader")
    for by in ("ann.reader", "ben.reader"):
        path = study.post("/assignments/next", by).url.path
        study.post(f"{path}/review", by, none="1")
    figures = study.get("/protocols/1/agreement", "head.leads").text
    assert "ann.reader" in figures
    assert "Readers with each other" in figures
    assert "ann.reader" in study.get("/protocols/1/agreement.csv", "head.leads").text
    study.post("/protocols/1/close", "head.leads")
    assert study.hospital.protocol(1, by=ROOT).protocol.closed is None
    assert "closed" in study.post("/protocols/1/close", "head.leads", sure="1").text
    assert study.hospital.protocol(1, by=ROOT).protocol.closed is not None


def test_a_lead_who_reads_blinded_is_not_told_the_agreement(study: Study) -> None:
    """A note says when it is told."""
    study.plan(readers=[ProtocolReader(name="head.leads"), ProtocolReader(name="ben.reader")])
    answer = study.get("/protocols/1/agreement", "head.leads")
    assert (answer.status_code, "told when it is closed" in answer.text) == (200, True)


def test_pairs_short_of_readers_are_listed_with_the_reason(study: Study) -> None:
    """An author does not read their own report."""
    readers = [ProtocolReader(name="ann.reader", known_as=["dr.resident"]), ProtocolReader(name="ben.reader")]
    study.plan(readers=readers)
    told = _words(study.get("/protocols/1", "head.leads").text)
    assert "Pair 1 : it has 1 of 2 readers: the others are authors of its versions" in told


def test_the_list_of_a_lead_has_their_own_alone(study: Study) -> None:
    """What others are to do stands on the protocol's page, by state and by reader."""
    study.plan(readers=[ProtocolReader(name="ann.reader"), ProtocolReader(name="ben.reader")])
    assert "Nothing is assigned to you." in study.get("/assignments", "head.leads").text
    assert study.post("/assignments/next", "head.leads").url.path == "/assignments"
    opened = study.get("/protocols/1", "head.leads").text
    narrowed = study.get("/protocols/1?state=open&reader=ann.reader", "head.leads").text
    assert (opened.count("/reassign"), narrowed.count("/reassign")) == (4, 2)
    assert "There is none of these." in study.get("/protocols/1?state=overdue", "head.leads").text


def test_menus_have_what_each_role_works_with(study: Study) -> None:
    """Readers their assignments, those who lead the protocols besides."""
    menus = {by: re.findall(r'<li><a href="(/[^"?]*)"', study.get("/help", by).text) for by in study.clients}
    assert "/assignments" in menus["ann.reader"]
    assert "/protocols" not in menus["ann.reader"]
    assert {"/assignments", "/protocols"} <= {*menus["head.leads"]} & {*menus["root.reads"]}


def test_pages_of_readings_are_whole_and_have_nothing_inline(study: Study) -> None:
    """Tags nest, ids are unique, headings go down step by step, fields have labels, and the policy is strict."""
    study.plan(asks_radpeer=True)
    study.plan(mode=ReadingMode.OPEN, per_pair=1, readers=[ProtocolReader(name="head.leads")], adjudicators=[])
    path = study.post("/assignments/next", "ann.reader").url.path
    opened = study.post("/assignments/next", "head.leads").url.path
    kept = study.post(f"{path}/review", "ann.reader", none="1", radpeer="1", action="see").url.path
    pages = [study.get(each, "ann.reader") for each in ("/assignments", "/assignments?state=done", kept)]
    pages += [study.post(f"{study.post('/assignments/next', 'ann.reader').url.path}/review", "ann.reader")]
    lead = ("/protocols", "/protocols/new", "/protocols/1", "/protocols/1/agreement", opened)
    pages += [study.get(each, "head.leads") for each in lead]
    for answer in pages:
        address = answer.url.path
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert not re.search(r"\sstyle=|\son\w+=|javascript:|<script(?! src=\"/assets/)", answer.text)
        whole = answer.text.replace("<!DOCTYPE html>", "")
        markup = Markup(re.sub(r"<(meta|link|input|col)\b([^>]*)>", r"<\1\2/>", whole))
        assert markup.headings[0] == 1, address
        assert all(after <= before + 1 for before, after in pairwise(markup.headings)), address
        labels = set(markup.values("for"))
        fields = [each for tag in ("input", "select", "textarea") for each in markup.of(tag)]
        plain = [each for each in fields if each.get("type") not in {"hidden", "radio", "checkbox"}]
        assert {each.get("id", "") for each in plain} <= labels, address
