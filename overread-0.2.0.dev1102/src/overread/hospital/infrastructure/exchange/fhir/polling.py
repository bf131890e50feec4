"""A FHIR server is asked for reports again and again; each version is ingested, none is lost."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from threading import Event
from typing import Any, Final
from urllib.parse import urlencode, urljoin

from attrs import frozen

from overread.exceptions import ConfigurationError, InputError, OverreadError, StoreError
from overread.hospital.application.requests import Refusal
from overread.hospital.application.service import HospitalService
from overread.hospital.application.use_cases.waits import double_wait
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.report_version import ReportVersion
from overread.hospital.infrastructure.exchange.addresses import same_origin
from overread.hospital.infrastructure.exchange.asking import Answer
from overread.hospital.infrastructure.exchange.fhir._elements import Resource, every, moment, words
from overread.hospital.infrastructure.exchange.fhir.cursor import Cursor
from overread.hospital.infrastructure.exchange.fhir.reading import SOURCE, read_each
from overread.hospital.infrastructure.exchange.fhir.servers import FhirServer, PollError, ServerAsker
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.infrastructure.logs import get_logger

__all__ = ["FhirPoller", "FhirServer", "PollError", "Polled"]

_ID: Final = re.compile(r"[A-Za-z0-9.-]{1,64}")
_NO_HISTORY: Final = frozenset(
    {HTTPStatus.NOT_FOUND, HTTPStatus.GONE, HTTPStatus.METHOD_NOT_ALLOWED, HTTPStatus.NOT_IMPLEMENTED}
)
_PROBLEMS: Final = {StoreError: "store", ConfigurationError: "configuration"}
_PENDING: Final = "no-report-yet"

_log: Final = get_logger("fhir")


@frozen(kw_only=True)
class Polled:
    """Result of a poll, in numbers of versions."""

    ingested: int = 0
    refused: int = 0

    def __add__(self, other: Polled) -> Polled:
        return Polled(ingested=self.ingested + other.ingested, refused=self.refused + other.refused)


class FhirPoller:
    """Asks a server for reports that changed, reads all versions of each, and has them ingested.

    How far it got is written down after each page, once the page's versions are stored: a poller that is killed reads
    some again, which the service knows as resent, and misses none.

    Args:
        service: takes versions and refusals.
        server: that is asked.
        by: on whose behalf; a submitter.
        environment: where tokens are looked up.
        clock: tells the time in UTC.
        chance: draws a number on [0, 1), by which waits are spread.
    """

    def __init__(
        self,
        service: HospitalService,
        server: FhirServer,
        *,
        by: Actor,
        environment: Mapping[str, str] = os.environ,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._service = service
        self._server = server
        self._by = by
        self._asker = ServerAsker(server, environment)
        self._clock = clock
        self._chance = chance
        self._unchanged = ("", "")
        self._failures = 0
        self._problem = ""

    @property
    def problem(self) -> str:
        """Code word for why the last poll failed; "" if it did not."""
        return self._problem

    def run(self, stop: Event) -> None:
        """Polls until ``stop`` is set. To be called in a thread of its own."""
        while not stop.is_set():
            stop.wait(self._step().total_seconds())

    def poll(self) -> Polled:
        """Reads what is new, once.

        Raises:
            PollError: if the server does not answer as it should.
            StoreError: if the service or the cursor cannot keep what was read.
            ConfigurationError: if there is no token where one is told.
        """
        cursor = Cursor.load(self._server.cursor, self._server.overlap)
        since, done = cursor.since, Polled()
        for page in self._pages(self._first(cursor), cursor):
            done += self._take_page(page, cursor, since)
            cursor.save(self._server.cursor)
        return done

    def _step(self) -> timedelta:
        """One poll, and how long to wait after it."""
        try:
            done = self.poll()
        except OverreadError as error:
            self._failures += 1
            self._problem = error.reason if isinstance(error, PollError) else _PROBLEMS.get(type(error), "service")
            wait = self._wait(error)
            _log.warning("fhir_poll_failed", reason=self._problem, seconds=round(wait.total_seconds()))
            return wait
        self._failures, self._problem = 0, ""
        if done.ingested or done.refused:
            _log.info("fhir_polled", versions=done.ingested, count=done.refused)
        return self._server.every

    def _wait(self, error: OverreadError) -> timedelta:
        grown = double_wait(self._server.every, self._failures, longest=self._server.longest)
        asked = error.wait if isinstance(error, PollError) and error.wait else timedelta()
        spread = grown * (0.5 + self._chance() / 2)
        return max(spread, min(asked, self._server.longest))

    # --- asking ----------------------------------------------------------------------------------------------------

    def _first(self, cursor: Cursor) -> str:
        since = cursor.since or self._server.start
        parameters = list(self._server.query.items())
        parameters += [("_lastUpdated", f"ge{since.astimezone(UTC).isoformat()}")] if since else []
        parameters += [("_include", f"DiagnosticReport:{name}") for name in self._server.included]
        parameters += [("_sort", "_lastUpdated"), ("_count", str(self._server.count))]
        return f"{self._server.url.rstrip('/')}/DiagnosticReport?{urlencode(parameters)}"

    def _pages(self, url: str, cursor: Cursor) -> Iterator[Resource]:
        """The pages of the search, by time; none where the server says that nothing has changed since.

        Pages of what is known already do not count, or a poll would never come to the end of an overlap in which many
        reports were updated. There are no more of them than known versions, but for those on which is no report.
        """
        reached, new, old = None, 0, 0
        while new < self._server.most_pages and old < self._server.most_pages + len(cursor.known):
            known = {"If-None-Match": self._unchanged[1]} if self._unchanged[0] == url else {}
            [answer] = self._asker.ask([url], known)
            if answer.status == HTTPStatus.NOT_MODIFIED and known:
                return
            page = self._asker.bundle(answer)
            reached = _newest_time(page, reached)
            is_new = any(
                _is_report(resource) and not cursor.has(_key(resource)) for resource in every(page, "entry.resource")
            )
            new, old = (new + 1, old) if is_new else (new, old + 1)
            yield page
            following = self._next(page, url)
            if not following:
                # New reports come last: only of the last page can an ETag say that there are none.
                self._unchanged = (url, answer.headers["etag"]) if "etag" in answer.headers else ("", "")
                return
            url = following

    def _next(self, page: Resource, url: str) -> str:
        """URL of the page that follows; "" at the end. It may lie nowhere else: a token goes with every request."""
        links = [words(link, "url") for link in every(page, "link") if words(link, "relation") == "next"]
        if not links:
            return ""
        with suppress(ValueError):
            following = urljoin(url, links[0])
            if same_origin(following, self._server.url):
                return following
        raise PollError("foreign-link")

    # --- taking ----------------------------------------------------------------------------------------------------

    def _take_page(self, page: Resource, cursor: Cursor, since: datetime | None) -> Polled:
        """Every version of the page's reports that is not known yet."""
        reports = [
            resource
            for resource in every(page, "entry.resource")
            if _is_report(resource) and not cursor.has(_key(resource))
        ]
        entries = [entry for entry in every(page, "entry") if isinstance(entry, Mapping)]
        beside = [entry for entry in entries if not _is_report(entry.get("resource"))]
        done = Polled()
        for versions in self._versions(reports, cursor, since):
            for outcome in self._read([*({"resource": resource} for resource in versions), *beside]):
                done += self._take(outcome)
            for version in versions:
                cursor.note(_key(version), _update_time(version) or self._clock())
        return done

    def _read(self, entries: Sequence[Resource]) -> Sequence[ReportVersion | RefusedMessageError]:
        try:
            return read_each({"resourceType": "Bundle", "type": "history", "entry": entries}, self._server.reading)
        except RefusedMessageError as error:
            return [error]

    def _versions(
        self, reports: Sequence[Resource], cursor: Cursor, since: datetime | None
    ) -> Iterator[list[Resource]]:
        """Yield the new versions of each report, as a history has them: the newest first."""
        changed = [
            resource
            for resource in reports
            if words(resource, "meta.versionId") not in {"", "1"} and _is_named(resource)
        ]
        urls = [
            f"{self._server.url.rstrip('/')}/DiagnosticReport/{words(resource, 'id')}/_history" for resource in changed
        ]
        answers = dict(zip(map(_key, changed), zip(urls, self._asker.ask(urls), strict=True), strict=True))
        for report in reports:
            url_and_answer = answers.get(_key(report))
            history = list(self._history(*url_and_answer)) if url_and_answer else []
            new = [resource for resource in history if not cursor.has(_key(resource)) and _is_since(resource, since)]
            is_told = any(_key(resource) == _key(report) for resource in new)
            yield new if is_told else [report, *new]

    def _history(self, url: str, answer: Answer) -> Iterator[Resource]:
        """All versions that a server tells; none where it keeps no history."""
        if answer.status in _NO_HISTORY:
            return
        for _ in range(self._server.most_pages):
            page = self._asker.bundle(answer)
            yield from (resource for resource in every(page, "entry.resource") if _is_report(resource))
            url = self._next(page, url)
            if not url:
                return
            [answer] = self._asker.ask([url])

    def _take(self, found: ReportVersion | RefusedMessageError) -> Polled:
        """A version is stored, or refused and told to whoever looks; of one that is to come nothing is told."""
        if isinstance(found, RefusedMessageError):
            if found.code == _PENDING:
                return Polled()
            self._service.refuse(found.refusal(at=self._clock(), source=SOURCE))
            return Polled(refused=1)
        try:
            self._service.ingest([found], by=self._by)
        except InputError as error:
            refusal = Refusal(
                at=self._clock(), source=SOURCE, message=found.message, reason="not-accepted", detail=str(error)
            )
            self._service.refuse(refusal)
            return Polled(refused=1)
        return Polled(ingested=1)


def _newest_time(page: Resource, before: datetime | None) -> datetime | None:
    """The newest time of a page.

    Raises:
        PollError: if the server does not sort by time: what is written down of how far it was read would be wrong.
    """
    reports = (item for item in every(page, "entry.resource") if _is_report(item))
    times = [before, *map(_update_time, reports)]
    known = [item for item in times if item is not None]
    if known != sorted(known):
        raise PollError("unsorted")
    return known[-1] if known else None


def _is_report(resource: Any) -> bool:
    return words(resource, "resourceType") == "DiagnosticReport"


def _is_named(report: Resource) -> bool:
    return _ID.fullmatch(words(report, "id")) is not None


def _key(report: Resource) -> str:
    return f"{words(report, 'id')}/{words(report, 'meta.versionId') or words(report, 'meta.lastUpdated')}"


def _update_time(report: Resource) -> datetime | None:
    try:
        return moment(report, "meta.lastUpdated")
    except RefusedMessageError:
        return None


def _is_since(report: Resource, since: datetime | None) -> bool:
    """Return whether a version may be from the period not read before; one without a time may be."""
    updated = _update_time(report)
    return since is None or updated is None or updated >= since
