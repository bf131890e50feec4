"""The table [serve] of the settings file: where the service listens, and which ways in and out it has."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

from attrs import field, frozen

from overread.domain.equality import in_tuple
from overread.exceptions import ConfigurationError
from overread.infrastructure.exchange.addresses import is_loopback
from overread.infrastructure.exchange.fhir.options import FhirOptions
from overread.infrastructure.exchange.fhir.out.options import FhirOutput
from overread.infrastructure.exchange.fhir.polling import FhirServer
from overread.infrastructure.exchange.folder.options import FolderOptions
from overread.infrastructure.exchange.hl7.options import Hl7Options, MllpOptions
from overread.infrastructure.exchange.secrets import secret_words
from overread.infrastructure.exchange.webhooks.targets import WebhookTarget, secrets_from
from overread.infrastructure.http.configuration import (
    LOOPBACK,
    HttpConfiguration,
    OidcConfiguration,
    ServerOptions,
)
from overread.infrastructure.tables import read_table

__all__ = ["ServeConfiguration", "serve_configuration"]

_SESSION: Final = "serve.limits.session_secret"
_SEVERAL: Final = ("serve.webhooks.secrets",)
_SECRETS: Final = (_SESSION, "serve.oidc.client_secret", *_SEVERAL)


@frozen(kw_only=True)
class ServeConfiguration:
    """What a process of the service listens to, asks and tells; each part but HTTP only where it is configured.

    Attributes:
        http: where HTTP is listened for.
        limits: of HTTP.
        oidc: an OpenID provider whose people may sign in.
        hl7: where messages of HL7 are listened for.
        hl7_reading: how they are read.
        folder: that reports are dropped into.
        fhir: how reports that are posted as FHIR are read.
        fhir_output: how results are written as FHIR.
        fhir_server: that is asked for reports.
        webhooks: that are told of important pairs.
        workers: threads that score; 0 for a process that leaves it to others.
        drain: for which what has begun may go on once the process is asked to end.
        tidy_every: between two looks for what is older than the retention.
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
    workers: int = 1
    drain: timedelta = timedelta(seconds=30)
    tidy_every: timedelta = timedelta(hours=1)

    def __attrs_post_init__(self) -> None:
        problems = []
        if self.workers < 0:
            problems.append("workers must be 0 or more")
        if self.drain < timedelta(0) or self.tidy_every <= timedelta(0):
            problems.append("drain must not be below 0, and tidy_every be above it")
        if self.folder is not None and not self.folder.path.is_dir():
            problems.append(f"folder.path: there is no folder {self.folder.path}; make it first")
        if self.limits.hosts == LOOPBACK and not is_loopback(self.http.host):
            problems.append(f"limits.hosts must name the hosts by which clients reach {self.http.host}")
        if problems:
            raise ConfigurationError(problems)


def serve_configuration(table: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> ServeConfiguration:
    """The configuration that the table [serve] makes; what it does not name is as usual.

    Args:
        table: named as `ServeConfiguration` is, with a table for each part. Secrets stand elsewhere: session_secret of
            limits, client_secret of oidc and secrets of a webhook are "env:NAME" or "file:PATH".
        environment: where secrets are looked up; of the process where omitted.

    Raises:
        ConfigurationError: naming every problem found.
    """
    environment = os.environ if environment is None else environment
    problems: list[str] = []

    def secret(value: object, what: str) -> Any:
        try:
            return secrets_from(str(value), environment) if what in _SEVERAL else _one(str(value), what, environment)
        except ConfigurationError as error:
            problems.extend(error.problems)
            return value

    looked_up = {name: _with_secrets(value, f"serve.{name}", secret) for name, value in table.items()}
    try:
        configuration = read_table(ServeConfiguration, looked_up, "serve")
    except ConfigurationError as error:
        raise ConfigurationError([*problems, *error.problems]) from None
    if problems:
        raise ConfigurationError(problems)
    return configuration


def _with_secrets(value: Any, place: str, secret: Callable[[object, str], Any]) -> Any:
    """A table whose places of secrets have become the secrets, and so within it."""
    if isinstance(value, list):
        return [_with_secrets(each, place, secret) for each in value]
    if not isinstance(value, Mapping):
        return secret(value, place) if place in _SECRETS else value
    return {name: _with_secrets(each, f"{place}.{name}", secret) for name, each in value.items()}


def _one(told: str, what: str, environment: Mapping[str, str]) -> str | bytes:
    [word, *_] = secret_words(told, what, environment)
    return word.encode() if what == _SESSION else word
