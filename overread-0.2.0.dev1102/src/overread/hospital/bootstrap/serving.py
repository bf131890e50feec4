"""One process of the hospital service: ways in, workers, pages and ways out, begun and ended in their order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from uuid import uuid4

from attrs import evolve, frozen

from overread.bootstrap.interface import list_plugins
from overread.exceptions import ConfigurationError
from overread.hospital.application.access import AccessControl
from overread.hospital.application.aio import AsyncHospitalService
from overread.hospital.application.service import HospitalService
from overread.hospital.application.use_cases.delivering import DeliveryPlan, Dispatcher
from overread.hospital.application.use_cases.digesting import Digester
from overread.hospital.application.use_cases.listening import FeedWatch
from overread.hospital.application.workers import Workers
from overread.hospital.bootstrap.serving_parts import (
    Drain,
    Part,
    Scoring,
    Tidying,
    mllp_part,
    task_part,
    thread_part,
    workers_part,
)
from overread.hospital.domain.audit_trail import Actor, Role
from overread.hospital.infrastructure.exchange.hl7.listener import MllpListener
from overread.hospital.infrastructure.exchange.mail.options import DigestOptions
from overread.hospital.infrastructure.exchange.mail.sending import DigestSender, SmtpPostman
from overread.hospital.infrastructure.exchange.webhooks.sending import WebhookCourier, WebhookSender
from overread.hospital.infrastructure.http import create_app, create_server, secret_hasher
from overread.hospital.infrastructure.http.pages import Vocabulary, pages_router
from overread.hospital.infrastructure.serving_settings import AlertOptions, ServeConfiguration
from overread.infrastructure.logs import get_logger

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Listening", "ServiceProcess"]

_log: Final = get_logger("serve")
_ITSELF: Final = Actor(name="overread", roles={Role.ADMIN})
_POLLER: Final = Actor(name="fhir", roles={Role.SUBMITTER})


@frozen(kw_only=True)
class Listening:
    """Addresses where a process can be reached.

    Attributes:
        url: of HTTP.
        hl7: address and port of HL7 over MLLP; None where it is not listened for.
        folder: that reports may be dropped into, if any.
    """

    url: str
    hl7: tuple[str, int] | None = None
    folder: Path | None = None


class ServiceProcess:
    """A process of the service.

    Its parts begin from the inside out, workers first and HTTP last, and end the other way round: first nothing more
    comes in, then what came in is finished as far as time allows. What is not finished stays in the store and is done
    by whoever works next: what was acknowledged is not lost, however the process ends.

    Args:
        hospital: the service; it is closed at the end.
        configuration: of the parts.

    Raises:
        ConfigurationError: if webhooks and `HospitalConfiguration.deliver_to` are not of the same names: one would be
            told of nothing, or what is for another never arrive. Without webhooks another process may have them. So if
            digests are to go to somebody whom `HospitalConfiguration.authors` does not name.
    """

    def __init__(self, hospital: HospitalService, configuration: ServeConfiguration) -> None:
        _check_targets(hospital.configuration.deliver_to, [target.name for target in configuration.webhooks])
        _check_authors(hospital.configuration.authors, configuration.digests)
        self._hospital = hospital
        self._configuration = configuration
        self._face = AsyncHospitalService(hospital)
        self._access = AccessControl(hospital.store, secret_hasher())
        self._stopping = False
        self._drain = Drain(configuration.drain)
        self._scoring = Scoring(hospital.scorer)
        self._parts: list[Part] = []

    @property
    def access(self) -> AccessControl:
        """The keys by which clients come in."""
        return self._access

    def has_keys(self) -> bool:
        """Return whether any access key has been issued."""
        return bool(self._access.every(by=_ITSELF))

    async def run(self, stop: asyncio.Event, ready: Callable[[Listening], None] = lambda _: None) -> None:
        """Run until told to stop.

        Args:
            stop: tells it to.
            ready: called once everything listens.

        Raises:
            ConfigurationError: if a part cannot begin; those that began have ended then.
        """
        await asyncio.to_thread(self._scoring.check)  # what is slow to load is loaded now
        server = create_server(self._app(), self._configuration.http)
        listener = self._listener()
        async with AsyncExitStack() as ending:
            ending.push_async_callback(self._face.close)
            for part in self._inner_parts():
                await self._begun(part, ending)
            if listener is not None:
                await self._begun(mllp_part(listener), ending)
            await self._begun(server, ending)
            _log.info("serving", port=server.port)
            hl7 = self._configuration.hl7
            folder = self._configuration.folder
            ready(
                Listening(
                    url=server.url,
                    hl7=(hl7.host, listener.port) if hl7 is not None and listener is not None else None,
                    folder=folder.path if folder is not None else None,
                )
            )
            await stop.wait()
            self._stopping = True
            _log.info("stopping")
        _log.info("stopped")

    def works(self) -> dict[str, bool]:
        """Return for each part whether it works."""
        return {part.name: part.works for part in self._parts}

    async def _begun(self, part: Part, ending: AsyncExitStack) -> None:
        await part.start()
        self._parts.append(part)
        ending.push_async_callback(self._drain.end, part)

    def _inner_parts(self) -> Iterator[Part]:
        """Everything but what listens."""
        configuration, hospital = self._configuration, self._hospital
        yield thread_part("scoring", self._scoring.run, lambda: self._scoring.problem)
        if configuration.workers:
            workers = Workers(hospital, threads=configuration.workers, log=get_logger("workers"))
            yield workers_part(workers, self._scoring)
        if configuration.webhooks:
            yield thread_part("webhooks", self._sender().run)
        if configuration.digests is not None:
            digests = self._digests(configuration.digests)
            yield thread_part("digests", digests.run, lambda: digests.problem)
        tidying = Tidying(hospital, _ITSELF, configuration.tidy_every)
        yield thread_part("retention", tidying.run, lambda: tidying.problem)
        if configuration.alerts is not None:
            watch = self._watch(configuration.alerts)
            yield thread_part("alerts", watch.run, lambda: watch.problem)
        if configuration.folder is not None:
            from overread.hospital.infrastructure.exchange.folder.drop import FolderDrop

            yield task_part("folder", FolderDrop(hospital, configuration.folder, configuration.hl7_reading).watch)
        if configuration.fhir_server is not None:
            from overread.hospital.infrastructure.exchange.fhir.polling import FhirPoller

            poller = FhirPoller(hospital, configuration.fhir_server, by=_POLLER)
            yield thread_part("fhir", poller.run, lambda: poller.problem)

    def _listener(self) -> MllpListener | None:
        if self._configuration.hl7 is None:
            return None
        return MllpListener(self._face, self._configuration.hl7, self._configuration.hl7_reading)

    def _watch(self, alerts: AlertOptions) -> FeedWatch:
        return FeedWatch(
            store=self._hospital.store,
            configuration=self._hospital.configuration,
            feeds=alerts.feeds,
            every=alerts.every,
            least=alerts.least,
            clock=_now,
            log=get_logger("alerts"),
        )

    def _sender(self) -> WebhookSender:
        courier = WebhookCourier(self._configuration.webhooks, _now)
        signatures = [str(metric.signature) for metric in self._hospital.scorer.metrics]
        dispatcher = Dispatcher(self._hospital.store, courier, signatures, plan=DeliveryPlan(), clock=_now)
        return WebhookSender(dispatcher, worker=f"webhooks-{uuid4().hex[:12]}")

    def _digests(self, options: DigestOptions) -> DigestSender:
        digester = Digester(
            store=self._hospital.store,
            configuration=self._hospital.configuration,
            addresses=options.addresses,
            postman=SmtpPostman(options, _now),
            schedule=options.schedule,
            clock=_now,
        )
        return DigestSender(digester, worker=f"digests-{uuid4().hex[:12]}")

    def _app(self) -> FastAPI:
        configuration = self._configuration
        limits = evolve(configuration.limits, https=configuration.limits.https or configuration.http.is_sealed)
        return create_app(
            self._hospital,
            self._access,
            limits,
            oidc=configuration.oidc,
            routers=[pages_router(_vocabulary())],
            parts=self.works,
            plugins=list_plugins,
            fhir=configuration.fhir,
            fhir_server=configuration.fhir_server,
            fhir_output=configuration.fhir_output,
            stopping=lambda: self._stopping,
            feeds=[feed.feed for feed in configuration.alerts.feeds] if configuration.alerts else (),
        )


def _check_targets(told: Sequence[str], webhooks: Sequence[str]) -> None:
    if not webhooks:
        return
    problems = [f"hospital.deliver_to names {name}, but there is no webhook with that name" for name in told]
    problems = [problem for problem, name in zip(problems, told, strict=True) if name not in webhooks]
    untold = [name for name in webhooks if name not in told]
    problems += [f"webhook {name} is never sent anything; add it to hospital.deliver_to" for name in untold]
    if problems:
        raise ConfigurationError(problems)


def _check_authors(authors: Collection[str], digests: DigestOptions | None) -> None:
    unknown = [] if digests is None else [name for name in digests.addresses if name not in authors]
    if unknown:
        problems = [f"serve.digests.addresses names {name}, but hospital.authors does not" for name in unknown]
        raise ConfigurationError(problems)


def _now() -> datetime:
    return datetime.now(UTC)


def _vocabulary() -> Vocabulary:
    """The lexicon's names, as pages show them."""
    from overread.adapters.lexicon import load_knowledge, sign_reader

    knowledge = load_knowledge()
    names = {finding.id: finding.name for finding in knowledge.lexicon.findings.values()}
    return Vocabulary(names, knowledge.lexicon.name, sign_reader(knowledge))
