"""Digests on their way: one message a week for each author with news, through the site's mail server."""

from __future__ import annotations

import smtplib
import ssl
from collections.abc import Callable
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid
from threading import Event
from typing import Final

from attrs import define, field

from overread.exceptions import StoreError
from overread.hospital.application.use_cases.digesting import Digester
from overread.hospital.infrastructure.exchange.mail.options import DigestOptions, MailSecurity
from overread.infrastructure.logs import get_logger

__all__ = ["DigestSender", "SmtpPostman"]

_OWN_PAGE: Final = "/own?news=true"
_log: Final = get_logger("digests")


@define(eq=False)
class SmtpPostman:
    """Carries digests through a mail server. A message says how many reports have news, and nothing of them.

    Attributes:
        options: of the server, and of the messages.
        clock: tells the time with its zone.
    """

    options: DigestOptions
    clock: Callable[[], datetime]

    def send(self, author: str, pairs: int) -> bool:
        """Send word to an author of how many pairs have something new; whether the server took it."""
        try:
            with self._server() as server:
                server.send_message(self._message(self.options.addresses[author], pairs))
        except (OSError, smtplib.SMTPException) as error:
            _log.warning("digest_not_sent", reason=type(error).__name__)
            return False
        return True

    def _server(self) -> smtplib.SMTP:
        """A connection on which nothing has been said of anybody yet; TLS and signed in, as far as is asked."""
        options = self.options
        trusted = ssl.create_default_context(cafile=options.authorities)
        if options.security is MailSecurity.TLS:
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                options.host, options.port, timeout=options.seconds, context=trusted
            )
        else:
            server = smtplib.SMTP(options.host, options.port, timeout=options.seconds)
        try:
            if options.security is MailSecurity.STARTTLS:
                server.starttls(context=trusted)
            if options.user:
                server.login(options.user, options.password)
        except BaseException:
            server.close()
            raise
        return server

    def _message(self, address: str, pairs: int) -> EmailMessage:
        what = "1 of your reports has" if pairs == 1 else f"{pairs:,} of your reports have"
        message = EmailMessage()
        message["From"], message["To"] = self.options.sender, address
        message["Subject"] = "Something new on your reports"
        message["Date"] = format_datetime(self.clock())
        message["Message-ID"] = make_msgid("digest", domain=self.options.sender.rpartition("@")[2])
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(
            f"{what} something new to learn from since last week:\n\n"
            f"{self.options.public_url.rstrip('/')}{_OWN_PAGE}\n\n"
            "You have to sign in to see it. This message is sent once a week.\n",
            cte="7bit",
        )
        return message


@define(eq=False)
class DigestSender:
    """Sends digests when they are due, until asked to stop.

    Attributes:
        digester: makes one round.
        worker: name of this one, unique among all that run.
        pause: between two looks.
        problem: why the last round failed; "" where it did not. A mail server that fails is logged, and is no reason to
            take the service for broken.
    """

    digester: Digester
    worker: str
    pause: timedelta = timedelta(minutes=1)
    problem: str = field(default="", init=False)

    def run(self, stop: Event) -> None:
        """Returns when ``stop`` is set and the round that runs is over. To be called in a thread of its own."""
        while not stop.is_set():
            self.look()
            stop.wait(self.pause.total_seconds())

    def look(self) -> None:
        """One round; a fault is logged, and the next round tries again."""
        try:
            done = self.digester.work(self.worker)
        except StoreError:
            self.problem = "store"
            _log.error("digests_wait_for_the_store")
            return
        self.problem = ""
        if done.sent or done.failed:
            _log.info("digests", sent=done.sent, failed=done.failed)
