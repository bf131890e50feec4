"""A small FHIR server on this machine: versions, histories, pages and inclusion, as far as pollers ask for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.parse import parse_qs, urlsplit

from attrs import define, field

from ..listening import Came, Listener, Reply, listening

Json = dict[str, Any]


@define
class SmallServer:
    """Keeps every version of every report that is put to it.

    Attributes:
        versions: of each report by id, the oldest first.
        others: resources that reports refer to.
        faults: what is answered instead, by the beginning of the path.
        has_history: whether histories can be asked for.
        token: that every request must bear; "" for none.
        next_link: what the link to a following page is made into, to mislead.
    """

    versions: dict[str, list[Json]] = field(factory=dict)
    others: list[Json] = field(factory=list)
    faults: dict[str, Reply] = field(factory=dict)
    has_history: bool = True
    is_sorted: bool = True
    token: str = ""
    next_link: str = ""

    def put(self, report: Json, updated: str) -> None:
        """A new version of a report."""
        known = self.versions.setdefault(report["id"], [])
        meta = {"versionId": str(len(known) + 1), "lastUpdated": updated}
        known.append(report | {"meta": meta})

    def answer(self, came: Came) -> Reply:
        """As a server of FHIR answers a search or the question for a history."""
        parts = urlsplit(came.path)
        fault = next((reply for path, reply in self.faults.items() if parts.path.startswith(path)), None)
        if fault is not None:
            return fault
        if self.token and came.headers.get("authorization") != f"Bearer {self.token}":
            return Reply(401)
        if parts.path.endswith("/_history"):
            return self._history(parts.path.split("/")[-2])
        return self._search(parts.path, {name: values[-1] for name, values in parse_qs(parts.query).items()}, came)

    def _history(self, name: str) -> Reply:
        if not self.has_history:
            return Reply(405)
        return _json([{"resource": each} for each in reversed(self.versions[name])], "history")

    def _search(self, path: str, query: Mapping[str, str], came: Came) -> Reply:
        since = query.get("_lastUpdated", "ge0001-01-01T00:00:00+00:00").removeprefix("ge")
        newest = [known[-1] for known in self.versions.values()]
        found = [each for each in newest if _time(each) >= datetime.fromisoformat(since)]
        found.sort(key=_time, reverse=not self.is_sorted)
        start, count = int(query.get("page", 0)), int(query["_count"])
        entries = [{"resource": each, "search": {"mode": "match"}} for each in found[start : start + count]]
        entries += [{"resource": each, "search": {"mode": "include"}} for each in self.others]
        links = []
        if len(found) > start + count:
            kept = "&".join(part for part in came.path.partition("?")[2].split("&") if not part.startswith("page="))
            following = f"{path}?{kept}&page={start + count}"
            links = [{"relation": "next", "url": self.next_link or following}]
        reply = _json(entries, "searchset", links)
        tag = f'W/"{sha256(reply.body).hexdigest()}"'
        if came.headers.get("if-none-match") == tag:
            return Reply(304)
        return Reply(200, reply.body, {**reply.headers, "ETag": tag})


@contextmanager
def serving(server: SmallServer) -> Iterator[Listener]:
    """The server at a port of this machine."""
    with listening(server.answer) as listener:
        yield listener


def _json(entries: list[Json], kind: str, links: list[Json] | None = None) -> Reply:
    bundle = {"resourceType": "Bundle", "type": kind, "link": links or [], "entry": entries}
    return Reply(200, json.dumps(bundle).encode(), {"Content-Type": "application/fhir+json"})


def _time(report: Json) -> datetime:
    return datetime.fromisoformat(report["meta"]["lastUpdated"])
