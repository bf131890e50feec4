"""Weekly digests through a real mail server on this machine: when, to whom, once, and without a word of what is new."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from threading import Event
from typing import Any, Final

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword
from attrs import define, evolve, field

from overread.exceptions import ConfigurationError, StoreError
from overread.hospital.application.configuration import HospitalConfiguration
from overread.hospital.application.protocols import ProtocolPlan
from overread.hospital.application.use_cases.digesting import Digester, DigestRound, Schedule, Weekday
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.domain.learning import LearningKind
from overread.hospital.domain.reading import ProtocolReader
from overread.hospital.domain.report_version import ReportStatus
from overread.hospital.infrastructure.exchange.mail.options import DigestOptions, MailSecurity
from overread.hospital.infrastructure.exchange.mail.sending import DigestSender, SmtpPostman
from overread.hospital.infrastructure.store import open_hospital_store
from overread.hospital.testing import MemoryHospitalStore

from ....application.hospital import ADMIN, SUBMITTER, Clock, hospital, version
from ..certificates import signs_itself

KIM: Final = Actor(name="a.kim", roles={Role.AUTHOR})
REVIEWER: Final = Actor(name="rita.review", roles={Role.REVIEWER})
CONFIGURATION: Final = HospitalConfiguration(authors={"a.kim": ("r1",), "b.lang": ("r2",)})
WEDNESDAY: Final = datetime(2026, 11, 4, 12, tzinfo=UTC)
MONDAY: Final = datetime(2026, 11, 9, 6, tzinfo=UTC)
"""Seven o'clock in Berlin."""


@define
class Inbox:
    """Handler of a mail server that keeps what comes in."""

    port: int = 0
    mail: list[tuple[list[str], bytes]] = field(factory=list)
    refuses: bool = False

    async def handle_DATA(self, _: object, __: object, envelope: Any) -> str:  # noqa: N802 - aiosmtpd's name
        if self.refuses:
            return "451 Try again later"
        self.mail.append((list(envelope.rcpt_tos), envelope.content))
        return "250 OK"

    @property
    def messages(self) -> list[Message]:
        return [message_from_bytes(content) for _, content in self.mail]


class _Server(Controller):
    """A server on a port that is free; aiosmtpd asks the port whether it listens."""

    def _trigger_server(self) -> None:
        server: Any = self.server
        self.port = server.sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]


@contextmanager
def serving(**more: Any) -> Iterator[Inbox]:
    """A mail server on this machine."""
    inbox = Inbox()
    controller = _Server(inbox, hostname="127.0.0.1", port=0, **more)
    controller.start()
    try:
        inbox.port = controller.port
        yield inbox
    finally:
        controller.stop()


def options(inbox: Inbox, **more: Any) -> DigestOptions:
    given: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": inbox.port,
        "security": MailSecurity.PLAIN,
        "sender": "overread@hospital.example",
        "addresses": {"a.kim": "kim@hospital.example", "b.lang": "lang@hospital.example"},
        "public_url": "https://overread.hospital.example/",
        "weekday": "monday",
        "hour": 7,
        "zone": "Europe/Berlin",
    }
    return DigestOptions(**given | more)


@define
class Desk:
    """A service with a learning point on two pairs of a.kim, one of them also b.lang's."""

    service: Any
    clock: Clock

    def digester(self, chosen: DigestOptions) -> Digester:
        return Digester(
            store=self.service.store,
            configuration=CONFIGURATION,
            addresses=chosen.addresses,
            postman=SmtpPostman(chosen, self.clock),
            schedule=chosen.schedule,
            clock=self.clock,
        )


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Desk]:
    opened: dict[str, Callable[[], Any]] = {
        "memory": MemoryHospitalStore,
        "sqlite": lambda: open_hospital_store(tmp_path / "hospital.db", texts="plain"),
        "postgres": lambda: open_hospital_store(request.getfixturevalue("postgres_store"), texts="plain"),
    }
    clock = Clock(WEDNESDAY)
    service = hospital(store=opened[request.param](), clock=clock, configuration=CONFIGURATION)
    for accession, second in (("A1001", "r2"), ("A1002", "r9")):
        for status, reader in ((ReportStatus.PRELIMINARY, "r1"), (ReportStatus.FINAL, second)):
            text = f"QZXCANARY {status}"
            service.ingest([version(status, text, accession=accession, patient="PQZX", reader=reader)], by=SUBMITTER)
    for number in (1, 2):
        service.add_learning_point(number, by=REVIEWER, kind=LearningKind.LEARNING_POINT, text="QZXCANARY")
    yield Desk(service, clock)
    service.close()


def test_each_author_gets_one_digest_a_week(desk: Desk) -> None:
    """Not before it is due, nor twice; it holds a number and a link, and nothing of the reports."""
    with serving() as inbox:
        digester = desk.digester(options(inbox))
        assert digester.work("w").sent == 0
        desk.clock.time = MONDAY - timedelta(seconds=1)
        assert digester.work("w").sent == 0
        desk.clock.time = MONDAY
        assert digester.work("w") == DigestRound(sent=2)
        assert digester.work("w") == DigestRound()
        desk.clock.move(days=1)
        assert digester.work("w") == DigestRound()
        desk.clock.time = MONDAY + timedelta(days=7)
        assert digester.work("w") == DigestRound()
    recipients = [to for to, _ in inbox.mail]
    assert recipients == [["kim@hospital.example"], ["lang@hospital.example"]]
    [kim, lang] = inbox.messages
    assert "2 of your reports have something new" in kim.get_payload()
    assert "1 of your reports has something new" in lang.get_payload()
    assert "https://overread.hospital.example/own?news=true" in kim.get_payload()
    assert (kim["From"], kim["Auto-Submitted"]) == ("overread@hospital.example", "auto-generated")
    for secret in (b"QZX", b"A1001", b"r1", b"rita", b"a.kim", b"CR", b"north"):
        assert [content for _, content in inbox.mail if secret in content.partition(b"Message-ID")[0]] == []
        assert [message for message in inbox.messages if secret in str(message.get_payload()).encode()] == []
    events = [event for event in desk.service.audit_trail(by=ADMIN) if event.action == "digest"]
    assert [dict(event.details) for event in events] == [
        {"author": "a.kim", "pairs": "2"},
        {"author": "b.lang", "pairs": "1"},
    ]


def test_there_is_no_digest_without_news(desk: Desk) -> None:
    """Of what was seen already, or waits for a blinded protocol."""
    desk.clock.move(minutes=1)
    desk.service.acknowledge(2, by=KIM)
    plan = ProtocolPlan(name="study", readers=[ProtocolReader(name="reader")], per_pair=1, pairs=[1])
    desk.service.create_protocol(plan, by=ADMIN)
    with serving() as inbox:
        desk.clock.time = MONDAY
        assert desk.digester(options(inbox)).work("w") == DigestRound()
    assert inbox.mail == []


def test_several_processes_send_it_once(desk: Desk) -> None:
    """Whichever claims it; the others pass it by."""
    with serving() as inbox:
        desk.clock.time = MONDAY
        digester = desk.digester(options(inbox))
        with ThreadPoolExecutor(4) as threads:
            rounds = list(threads.map(digester.work, ["a", "b", "c", "d"]))
    assert sum(done.sent for done in rounds) == len(inbox.mail) == 2


def test_what_could_not_be_sent_is_tried_again(desk: Desk) -> None:
    """After a while, by whoever comes first; after two days it is too late."""
    with serving() as inbox:
        digester = desk.digester(options(inbox))
        desk.clock.time = MONDAY
        inbox.refuses = True
        assert digester.work("w") == DigestRound(failed=2)
        inbox.refuses = False
        assert digester.work("w") == DigestRound()
        desk.clock.move(minutes=15)
        assert digester.work("other") == DigestRound(sent=2)
        late = evolve(digester, schedule=Schedule(weekday=Weekday.FRIDAY))
        desk.clock.time = datetime(2026, 11, 9, 0, 0, 1, tzinfo=UTC)
        assert late.work("w") == DigestRound()
    assert len(inbox.mail) == 2


def test_a_claim_that_ended_is_anybodys(desk: Desk) -> None:
    """A process that died with it keeps nobody's digest for ever."""
    with serving() as inbox:
        desk.clock.time = MONDAY
        digester = desk.digester(options(inbox))
        with desk.service.store.transaction() as unit:
            lease = timedelta(minutes=10)
            assert unit.digests.claim("a.kim", MONDAY, worker="dead", now=MONDAY, lease=lease)
        assert digester.work("w").sent == 1
        desk.clock.move(minutes=10)
        assert digester.work("w").sent == 1
        with desk.service.store.transaction() as unit:
            unit.digests.release("a.kim", MONDAY, worker="dead", again=MONDAY)
            assert not unit.digests.claim("a.kim", MONDAY, worker="x", now=desk.clock.time, lease=lease)
    assert len(inbox.mail) == 2


@pytest.mark.parametrize(
    ("now", "due"),
    [
        ("2026-11-09T06:00:00+00:00", "2026-11-09T06:00:00+00:00"),
        ("2026-11-09T05:59:59+00:00", "2026-11-02T06:00:00+00:00"),
        ("2026-10-26T05:59:00+00:00", "2026-10-19T05:00:00+00:00"),
        ("2026-10-26T06:00:00+00:00", "2026-10-26T06:00:00+00:00"),
    ],
)
def test_digests_are_due_by_the_clocks_of_their_zone(now: str, due: str) -> None:
    """Seven o'clock in Berlin is five in UTC in summer, and six in winter, from 25 October 2026 on."""
    schedule = Schedule(hour=7, zone="Europe/Berlin")
    assert schedule.last_due(datetime.fromisoformat(now)).isoformat() == due


@pytest.mark.filterwarnings("ignore:Requiring AUTH")  # it takes TLS from the beginning for none
@pytest.mark.parametrize("security", [MailSecurity.STARTTLS, MailSecurity.TLS])
def test_the_way_to_the_server_is_tls(tmp_path: Path, security: MailSecurity) -> None:
    """With a user who signs in; a server whose certificate is not trusted gets nothing."""
    certificate, key = signs_itself(tmp_path, "localhost")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    told: list[bytes] = []

    def authenticates(*given: Any) -> AuthResult:
        data = given[-1]
        assert isinstance(data, LoginPassword)
        told.append(data.password)
        return AuthResult(success=data.password == b"s3cret")

    is_tls = security is MailSecurity.TLS
    way = {"ssl_context": context} if is_tls else {"tls_context": context, "require_starttls": True}
    more = {"authenticator": authenticates, "auth_require_tls": not is_tls, "auth_required": True}
    with serving(**way, **more) as inbox:
        given = {"user": "overread", "password": "s3cret", "authorities": certificate}
        chosen = options(inbox, host="localhost", security=security, **given)
        clock = Clock(MONDAY)
        assert SmtpPostman(chosen, clock).send("a.kim", 1)
        assert not SmtpPostman(evolve(chosen, authorities=None), clock).send("a.kim", 1)
        assert not SmtpPostman(
            options(inbox, host="localhost", security=security, **given | {"password": "wrong"}), clock
        ).send("a.kim", 1)
    assert (told, len(inbox.mail)) == ([b"s3cret", b"wrong"], 1)
    assert "s3cret" not in repr(chosen)
    assert "kim@" not in repr(chosen)


def test_a_server_without_tls_gets_nothing_that_is_to_be_private() -> None:
    """Nor is one that is not there a fault of the service."""
    with serving() as inbox:
        assert not SmtpPostman(options(inbox, security=MailSecurity.STARTTLS), Clock()).send("a.kim", 1)
    assert inbox.mail == []
    assert not SmtpPostman(options(inbox), Clock()).send("a.kim", 1)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"host": "mail.example"}, "allow_plain"),
        ({"host": " "}, "host"),
        ({"port": 0}, "port"),
        ({"user": "overread"}, "together"),
        ({"sender": "overread"}, "sender"),
        ({"addresses": {}}, "addresses"),
        ({"addresses": {"a.kim": "kim\nBcc: x@y.example"}}, "addresses"),
        ({"public_url": "http://overread.example"}, "public_url"),
        ({"weekday": "someday"}, "weekday"),
        ({"hour": 24}, "hour"),
        ({"authorities": Path("/nonesuch")}, "authorities"),
    ],
)
def test_options_that_cannot_be_used_are_named(more: dict[str, Any], words: str) -> None:
    """Plain mail beyond this machine above all; no address of a person is repeated."""
    with pytest.raises(ConfigurationError, match=words) as error:
        options(Inbox(port=25), **more)
    assert "kim" not in str(error.value)
    if words == "allow_plain":
        assert options(Inbox(port=25), **more, allow_plain=True).host == "mail.example"


def test_a_sender_goes_on_until_it_is_stopped() -> None:
    """A store that fails is told of, and tried again."""
    stop = Event()
    outcomes: list[object] = [StoreError("down"), DigestRound(sent=1, failed=1)]

    class Failing:
        def work(self, worker: str) -> object:
            assert worker == "w"
            outcome = outcomes.pop(0)
            problems.append(sender.problem)
            if not outcomes:
                stop.set()
            if isinstance(outcome, Exception):
                raise outcome
            return outcome

    problems: list[str] = []
    sender = DigestSender(Failing(), worker="w", pause=timedelta(0))  # type: ignore[arg-type]
    sender.run(stop)
    assert (problems, sender.problem) == (["", "store"], "")
