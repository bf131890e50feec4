"""What the benchmarks of the hospital service share: real processes, clients that try again, and what was accepted."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2  # noqa: TID253 - clients are what this is about
from attrs import define, field

SETTINGS = ("hospital.texts=plain", "hospital.lease=20 s", "hospital.attempts=50")
_READY_S = 180.0
_AGAIN_S = 0.1


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
    return port


@define
class Process:
    """A process of the service, which can be killed and begun again at the same port."""

    store: str
    port: int = field(factory=free_port)
    log: Path = Path(os.devnull)
    _running: list[subprocess.Popen[bytes]] = field(factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def begin(self) -> None:
        options = [part for setting in SETTINGS for part in ("--set", setting)]
        command = [sys.executable, "-m", "overread", "serve", "--store", self.store, "--port", str(self.port), *options]
        with self.log.open("ab") as log:
            self._running = [subprocess.Popen(command, stdout=log, stderr=log)]  # noqa: S603 - our own command

    def wait(self) -> None:
        """Until it is ready."""
        until = time.monotonic() + _READY_S
        while time.monotonic() < until:
            try:
                if httpx2.get(f"{self.url}/readyz", trust_env=False).status_code == 200:
                    return
            except httpx2.HTTPError:
                time.sleep(0.2)
        raise SystemExit(f"the service is not ready after {_READY_S:g} s; see {self.log}")

    def kill(self) -> None:
        """By SIGKILL, which leaves it no time for anything."""
        for running in self._running:
            running.kill()
            running.wait()

    def end(self) -> int:
        """By SIGTERM; its exit status."""
        for running in self._running:
            running.terminate()
        return max((running.wait(60) for running in self._running), default=0)


def keys(store: str, count: int) -> list[str]:
    """Secrets of so many keys that may do everything but manage."""
    from overread.hospital.application.access import AccessControl
    from overread.hospital.domain.audit_trail import Actor, Role
    from overread.hospital.infrastructure.http import secret_hasher

    with opened(store) as kept:
        access, root = AccessControl(kept, secret_hasher()), Actor(name="benchmark", roles={Role.ADMIN})
        roles = (Role.SUBMITTER, Role.REVIEWER)
        return [access.issue(f"client {number}", roles, by=root).secret for number in range(count)]


@contextmanager
def opened(store: str) -> Iterator[Any]:
    """The store itself, beside the service."""
    from overread.hospital.infrastructure.store import open_hospital_store

    kept = open_hospital_store(store, texts="plain")
    try:
        yield kept
    finally:
        kept.close()


@define
class Accepted:
    """What the service acknowledged, and how it answered.

    Attributes:
        batches: pairs by number of the batch.
        versions: numbers of versions by their message.
        pairs: numbers of pairs by accession.
        statuses: of answers; 0 for a connection that broke.
        seconds: of each answer, by what was asked.
        twice: idempotency keys and messages that became two things.
    """

    batches: dict[int, int] = field(factory=dict)
    versions: dict[str, int] = field(factory=dict)
    pairs: dict[str, set[int]] = field(factory=dict)
    statuses: Counter[int] = field(factory=Counter)
    seconds: dict[str, list[float]] = field(factory=dict)
    twice: list[str] = field(factory=list)


@define
class Client:
    """One client: it asks one thing after the other, and goes on asking until it has an answer.

    Attributes:
        name: of the client.
        urls: of the processes; where one does not answer it turns to the next.
        secret: of its key.
        rows: reference and candidate of invented pairs.
        accepted: where what was acknowledged is written down.
        source: of chance.
        until: moment at which it stops, by `time.monotonic`.
    """

    name: str
    urls: Sequence[str]
    secret: str
    rows: Sequence[dict[str, str]]
    accepted: Accepted
    source: random.Random
    until: float
    _number: int = 0

    async def run(self) -> None:
        limits = httpx2.Limits(max_connections=1)
        headers = {"Authorization": f"Bearer {self.secret}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60, limits=limits, trust_env=False) as http:
            while time.monotonic() < self.until:
                self._number += 1
                action = self.source.choices(
                    (self._submit, self._ingest, self._evaluate, self._search), weights=(1, 4, 3, 4)
                )[0]
                await action(http)

    async def _submit(self, http: httpx2.AsyncClient) -> None:
        key = f"{self.name}-{self._number}"
        pairs = [{"id": str(number), **row} for number, row in enumerate(self._drawn(3))]
        answer = await self._asked(http, "POST", "/batches", {"pairs": pairs}, {"Idempotency-Key": key})
        if answer is not None:
            self.accepted.batches[answer["number"]] = len(pairs)

    async def _ingest(self, http: httpx2.AsyncClient) -> None:
        accession = f"{self.name}-{self._number}"
        [row] = self._drawn(1)
        for status, text in (("preliminary", row["candidate"]), ("final", row["reference"])):
            version = {
                "examinations": [{"site": "bench", "accession": accession, "modality": "CR"}],
                "status": status,
                "text": text,
                "message": f"{accession}-{status}",
            }
            answer = await self._asked(http, "POST", "/reports", {"versions": [version]})
            if answer is None:
                return
            [receipt] = answer["receipts"]
            self.accepted.versions[version["message"]] = receipt["version"]
            self.accepted.pairs.setdefault(accession, set()).update(receipt["pairs"])

    async def _evaluate(self, http: httpx2.AsyncClient) -> None:
        pairs = [{"id": str(number), **row} for number, row in enumerate(self._drawn(1))]
        await self._asked(http, "POST", "/evaluate", {"pairs": pairs})

    async def _search(self, http: httpx2.AsyncClient) -> None:
        query = self.source.choice(("importance=urgent", "site=bench", "state=scored&order=newest", "min_risk=0.5"))
        await self._asked(http, "GET", f"/pairs?{query}")

    def _drawn(self, count: int) -> list[dict[str, str]]:
        rows = self.source.sample(range(len(self.rows)), count)
        return [{name: self.rows[row][name] for name in ("reference", "candidate")} for row in rows]

    async def _asked(
        self, http: httpx2.AsyncClient, method: str, path: str, body: Any = None, headers: Any = None
    ) -> Any:
        """The answer; the same is asked again until there is one. None if time is over before."""
        attempt = 0
        while time.monotonic() < self.until or attempt:
            began = time.monotonic()
            url = self.urls[(self._number + attempt) % len(self.urls)]
            attempt += 1
            try:
                answer = await http.request(method, f"{url}/api/v1{path}", json=body, headers=headers)
            except httpx2.HTTPError:
                self.accepted.statuses[0] += 1
                if time.monotonic() > self.until + _READY_S:
                    return None
                await asyncio.sleep(_AGAIN_S)
                continue
            self.accepted.statuses[answer.status_code] += 1
            if answer.is_success:
                self.accepted.seconds.setdefault(f"{method} {path.partition('?')[0]}", []).append(
                    time.monotonic() - began
                )
                return answer.json()
            if time.monotonic() > self.until:
                return None
            await asyncio.sleep(min(5.0, float(answer.headers.get("retry-after", _AGAIN_S))))
        return None


def clients(
    count: int, urls: Sequence[str], secrets: Sequence[str], rows: Sequence[dict[str, str]], *, seconds: float
) -> tuple[list[Client], Accepted]:
    """Clients that ask for so many seconds from now on, and what they are told."""
    accepted, until = Accepted(), time.monotonic() + seconds
    made = [
        Client(f"c{number}", urls, secrets[number], rows, accepted, random.Random(number), until)
        for number in range(count)
    ]
    return made, accepted


def wait_until_scored(store: str, seconds: float) -> int:
    """Jobs that are left after so many seconds at most."""
    until = time.monotonic() + seconds
    with opened(store) as kept:
        while True:
            with kept.reading() as unit:
                waiting: int = unit.jobs.waiting()
            if not waiting or time.monotonic() > until:
                return waiting
            time.sleep(0.5)


def faults(store: str, accepted: Accepted, *, scored: bool) -> list[str]:
    """What is not in the store as it was acknowledged, or is there twice; nothing where all is well.

    Args:
        store: where the service keeps everything.
        accepted: what it acknowledged.
        scored: whether every pair must be scored, once under each signature.
    """
    from overread.exceptions import NotFoundError
    from overread.hospital.domain.examination import ExaminationKey

    found = list(accepted.twice)
    with opened(store) as kept, kept.reading() as unit:
        of_batches = {batch: unit.pairs.of_batch(batch) for batch in accepted.batches}
        found += [
            f"batch {batch} has {len(of_batches[batch])} pairs, not {count}"
            for batch, count in accepted.batches.items()
            if len(set(of_batches[batch])) != count
        ]
        by_message: dict[str, set[int]] = {}
        for accession, pairs in accepted.pairs.items():
            related = unit.versions.related([ExaminationKey("bench", accession)])
            for each in related:
                by_message.setdefault(each.version.message, set()).add(each.number)
            known = unit.pairs.of_versions([each.number for each in related])
            if len(related) == 2 and len(set(known)) != 1:
                found.append(f"examination {accession} has {len(set(known))} pairs, not 1")
            if not pairs <= set(known):
                found.append(f"a pair of examination {accession} was acknowledged and is gone")
        found += [
            f"version {message} is there {len(by_message.get(message, ()))} times"
            for message, number in accepted.versions.items()
            if by_message.get(message) != {number}
        ]
        numbers = [number for pairs in (*of_batches.values(), *accepted.pairs.values()) for number in pairs]
        for start in range(0, len(numbers) if scored else 0, 500):
            part = numbers[start : start + 500]
            try:
                results = unit.pairs.results(part)
            except NotFoundError:
                found.append("an acknowledged pair is gone")
                continue
            wrong = [number for number, each in zip(part, results, strict=True) if len(each) != 2]
            found += [f"pair {number} has not one result of each metric" for number in wrong]
    return found


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0
