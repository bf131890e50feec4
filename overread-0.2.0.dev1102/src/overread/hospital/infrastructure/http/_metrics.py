"""Counts and times for Prometheus: of routes by their patterns, never of people, patients or texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from attrs import define, field
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from overread.hospital.domain.feeds import Feed
from overread.hospital.infrastructure.http._feed_look import FeedFigures

__all__ = ["CONTENT_TYPE", "FeedGauges", "Instruments"]

CONTENT_TYPE: Final = CONTENT_TYPE_PLAIN_0_0_4
"""Of `Instruments.exposition`."""

_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
_PAIRS: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)


class FeedGauges:
    """Gauges of the feeds, by labels that settings name.

    Args:
        registry: that they belong to.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        def gauge(name: str, words: str, *labels: str) -> Gauge:
            return Gauge(f"overread_{name}", words, labels, registry=registry)

        self._last = gauge("feed_last_message_seconds", "Unix time of the last message of a feed.", "door", "site")
        self._messages = gauge("feed_messages", "Messages taken in the last hour.", "door", "site")
        self._versions = gauge("feed_versions", "Versions of reports in the last hour.", "door", "site")
        self._pairs = gauge("feed_pairs", "Pairs whose reference came in the last hour.", "door", "site")
        self._refused = gauge("feed_refused", "Messages refused in the last hour.", "door", "reason")
        self._silent = gauge("feed_silent", "Whether a feed that is watched is silent.", "door", "site")
        self._unmatched = gauge("unmatched", "Examinations of the last seven days that lack a counterpart.", "kind")

    def show(self, figures: FeedFigures) -> None:
        """Set every gauge; labels that there are no more disappear."""
        _set(self._last, {feed: at.timestamp() for feed, at in figures.last.items()})
        _set(self._messages, figures.messages)
        _set(self._versions, figures.versions)
        _set(self._pairs, figures.pairs)
        _set(self._silent, figures.silent)
        self._refused.clear()
        for (door, reason), number in figures.refused.items():
            self._refused.labels(door, reason).set(number)
        for kind, number in figures.unmatched.items():
            self._unmatched.labels(kind).set(number)


def _set(gauge: Gauge, values: Mapping[Feed, float]) -> None:
    gauge.clear()
    for feed, value in values.items():
        gauge.labels(feed.door, feed.site).set(value)


@define(eq=False)
class Instruments:
    """Everything that is counted and measured of one application, in a registry of its own."""

    _registry: CollectorRegistry = field(factory=CollectorRegistry, init=False, repr=False)
    _requests: Counter = field(init=False, repr=False)
    _seconds: Histogram = field(init=False, repr=False)
    _joined: Histogram = field(init=False, repr=False)
    _waiting: Gauge = field(init=False, repr=False)
    _parts: Gauge = field(init=False, repr=False)
    _notifications: Counter = field(init=False, repr=False)
    _notified: Gauge = field(init=False, repr=False)
    _feeds: FeedGauges = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        registry = self._registry
        labels = ("route", "method", "status")
        self._requests = Counter("overread_http_requests", "Requests answered.", labels, registry=registry)
        self._seconds = Histogram(
            "overread_http_request_seconds",
            "Time to the end of an answer.",
            ("route",),
            buckets=_SECONDS,
            registry=registry,
        )
        self._joined = Histogram(
            "overread_evaluated_pairs", "Pairs scored together on request.", buckets=_PAIRS, registry=registry
        )
        self._waiting = Gauge("overread_waiting", "Entries on a queue of the store.", ("queue",), registry=registry)
        self._parts = Gauge("overread_part_up", "Whether a part of the process works.", ("part",), registry=registry)
        self._notifications = Counter(
            "overread_fhir_notifications", "Notifications of FHIR subscriptions.", ("kind",), registry=registry
        )
        self._notified = Gauge(
            "overread_fhir_last_notification_timestamp_seconds",
            "Time of the last notification of a FHIR subscription; 0 before the first.",
            registry=registry,
        )
        self._feeds = FeedGauges(registry)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        """Counts a request that was answered.

        Args:
            route: the pattern of its route.
            method: of HTTP, or "other".
            status: of the answer.
            seconds: that it took.
        """
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def joined(self, pairs: int) -> None:
        """Counts a batch of pairs that are scored at once."""
        self._joined.observe(pairs)

    def notified(self, kind: str) -> None:
        """Counts a notification of a subscription, by which its server shows that it is there.

        Args:
            kind: as FHIR names it, for example "heartbeat".
        """
        self._notifications.labels(kind).inc()
        self._notified.set_to_current_time()

    def exposition(
        self, waiting: Mapping[str, int], parts: Mapping[str, bool], feeds: FeedFigures | None = None
    ) -> bytes:
        """Everything in the text format of Prometheus.

        Args:
            waiting: number on each queue.
            parts: whether each works.
            feeds: figures of them, if they are told.
        """
        for queue, number in waiting.items():
            self._waiting.labels(queue).set(number)
        for part, works in parts.items():
            self._parts.labels(part).set(works)
        if feeds is not None:
            self._feeds.show(feeds)
        return generate_latest(self._registry)
