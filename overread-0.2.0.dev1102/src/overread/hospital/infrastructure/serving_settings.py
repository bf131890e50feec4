"""The table [serve] of the settings file: where the service listens, and which ways in and out it has."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.exceptions import ConfigurationError
from overread.hospital.domain.feeds import ExpectedFeed
from overread.hospital.infrastructure.exchange.fhir.options import FhirOptions
from overread.hospital.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.hospital.infrastructure.exchange.fhir.servers import FhirServer
from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
from overread.hospital.infrastructure.exchange.hl7.options import Hl7Options, MllpOptions
from overread.hospital.infrastructure.exchange.mail.options import DigestOptions
from overread.hospital.infrastructure.exchange.secrets import secrets_converter
from overread.hospital.infrastructure.exchange.webhooks.targets import WebhookTarget
from overread.hospital.infrastructure.http.configuration import (
    LOOPBACK,
    HttpConfiguration,
    OidcConfiguration,
    ServerOptions,
)
from overread.loopback import is_loopback
from overread.structuring import structure

__all__ = ["AlertOptions", "ServeConfiguration", "serve_configuration"]


_NONE: Final = timedelta(0)


@frozen(kw_only=True)
class AlertOptions:
    """Alerts about feeds that fall silent.

    Attributes:
        feeds: that are expected.
        every: between two looks.
        least: shortest silence that can raise an alert of a feed for which no ``longest`` is set.
    """

    feeds: tuple[ExpectedFeed, ...] = field(default=(), converter=in_tuple)
    every: timedelta = timedelta(minutes=1)
    least: timedelta = timedelta(minutes=15)

    def __attrs_post_init__(self) -> None:
        durations = {"every": self.every, "least": self.least}
        problems = [f"alerts.{name} must be a duration above 0" for name, value in durations.items() if value <= _NONE]
        if len({feed.feed for feed in self.feeds}) < len(self.feeds):
            problems.append("alerts.feeds: two are of the same door and site")
        if problems:
            raise ConfigurationError(problems)


@frozen(kw_only=True)
class ServeConfiguration:
    """Ways in and out of a process of the service; each part except HTTP only where it is configured.

    Attributes:
        http: where HTTP is listened for.
        limits: of HTTP.
        oidc: an OpenID provider whose users may sign in.
        hl7: where HL7 messages are listened for.
        hl7_reading: how they are read, and those in the folder.
        folder: folder that reports are dropped into.
        fhir: how reports that are posted as FHIR are read.
        fhir_output: how results are written as FHIR.
        fhir_server: server that is asked for reports.
        webhooks: targets that are notified of important pairs.
        alerts: about feeds that fall silent; none is watched where omitted.
        digests: weekly mail to authors.
        workers: threads that score; 0 for a process that leaves it to others.
        drain: how long work that has begun may go on once the process is asked to end.
        tidy_every: interval between checks for what is older than the retention.
    """

    http: ServerOptions = field(factory=ServerOptions)
    limits: HttpConfiguration = field(factory=HttpConfiguration)
    oidc: OidcConfiguration | None = None
    hl7: MllpOptions | None = None
    hl7_reading: Hl7Options = field(factory=Hl7Options)
    folder: FolderOptions | None = None
    fhir: FhirOptions | None = None
    fhir_output: FhirOutput | None = None
    fhir_server: FhirServer | None = None
    webhooks: tuple[WebhookTarget, ...] = field(default=(), converter=in_tuple)
    alerts: AlertOptions | None = None
    digests: DigestOptions | None = None
    workers: int = 1
    drain: timedelta = timedelta(seconds=30)
    tidy_every: timedelta = timedelta(hours=1)

    def __attrs_post_init__(self) -> None:
        problems = []
        if self.workers < 0:
            problems.append("workers must be 0 or more")
        if self.drain < timedelta(0):
            problems.append("drain must be a duration of 0 or more")
        if self.tidy_every <= timedelta(0):
            problems.append("tidy_every must be a duration above 0")
        if self.folder is not None and not self.folder.path.is_dir():
            problems.append(f"folder.path: there is no folder {self.folder.path}; create it first")
        if self.limits.hosts == LOOPBACK and not is_loopback(self.http.host):
            problems.append(f"limits.hosts must name the hosts that clients use to reach {self.http.host}")
        if problems:
            raise ConfigurationError(problems)


def serve_configuration(table: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> ServeConfiguration:
    """The configuration that the table [serve] makes; what it does not name is as usual.

    Args:
        table: named as `ServeConfiguration` is, with a table for each part. Secrets stand elsewhere: session_secret of
            limits, client_secret of oidc, token of fhir_server, password of digests and secrets of a webhook are
            "env:NAME" or "file:PATH".
        environment: where secrets are looked up; of the process where omitted.

    Raises:
        ConfigurationError: naming every problem found.
    """
    converter = secrets_converter(os.environ if environment is None else environment)
    configuration = structure(ServeConfiguration, table, "serve", converter=converter)
    if "hl7_reading" in table and "hl7" not in table and "folder" not in table:
        problem = (
            "serve.hl7_reading says how messages are read, but nothing listens for them; add the table [serve.hl7], or "
            "[serve.folder] for files"
        )
        raise ConfigurationError([problem])
    return configuration
