"""Webhooks on their way: posts them, and goes on until asked to stop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from threading import Event
from typing import Final

from overread.exceptions import ConfigurationError, StoreError
from overread.hospital.application.use_cases.delivering import Arrival, Delivered, Dispatcher, Parcel
from overread.hospital.infrastructure.exchange.asking import Answer, Asked, Limits, NoAnswer, ask
from overread.hospital.infrastructure.exchange.webhooks.messages import body_of
from overread.hospital.infrastructure.exchange.webhooks.signing import signed_headers
from overread.hospital.infrastructure.exchange.webhooks.targets import WebhookTarget
from overread.infrastructure.logs import get_logger

__all__ = ["WebhookCourier", "WebhookSender"]

_GONE: Final = 410
_NEVER: Final = Arrival(has_arrived=False, reason="unknown-target", is_hopeless=True)
_JSON: Final = {"Content-Type": "application/json", "User-Agent": "overread"}

_log: Final = get_logger("webhooks")


class WebhookCourier:
    """Posts parcels over HTTP. Only a status from 200 to 299 is an arrival; no redirect is followed.

    Args:
        targets: that there are.
        clock: tells the time with its zone.

    Raises:
        ConfigurationError: if two targets have one name.
    """

    def __init__(self, targets: Iterable[WebhookTarget], clock: Callable[[], datetime]) -> None:
        given = list(targets)
        self._targets = {target.name: target for target in given}
        self._clock = clock
        if len(self._targets) != len(given):
            raise ConfigurationError(["two webhooks have the same name"])

    def send(self, parcels: Sequence[Parcel]) -> list[Arrival]:
        """Post parcels; the outcome of each, in order. A target that is no longer configured gets nothing."""
        known = [(parcel, self._targets[parcel.target]) for parcel in parcels if parcel.target in self._targets]
        answers = ask([self._request_for(parcel, target) for parcel, target in known])
        arrivals = {parcel.id: _arrival(answer) for (parcel, _), answer in zip(known, answers, strict=True)}
        return [arrivals.get(parcel.id, _NEVER) for parcel in parcels]

    def _request_for(self, parcel: Parcel, target: WebhookTarget) -> Asked:
        body = body_of(parcel.about, target.pages)
        headers = _JSON | signed_headers(parcel.id, self._clock(), body, target.secrets)
        limits = Limits(seconds=target.seconds, authorities=target.authorities)
        return Asked(limits=limits, method="POST", url=target.url, headers=headers, body=body)


class WebhookSender:
    """Makes deliveries round after round, until asked to stop.

    Args:
        dispatcher: makes one round.
        worker: name of this one, unique among all that run.
        pause: between two looks where nothing is due.
    """

    def __init__(self, dispatcher: Dispatcher, *, worker: str, pause: timedelta = timedelta(seconds=2)) -> None:
        self._dispatcher = dispatcher
        self._worker = worker
        self._pause = pause

    def run(self, stop: Event) -> None:
        """Returns when ``stop`` is set and the round that runs is over. To be called in a thread of its own."""
        while not stop.is_set():
            if not self._round().total:
                stop.wait(self._pause.total_seconds())

    def _round(self) -> Delivered:
        try:
            done = self._dispatcher.deliver(self._worker)
        except StoreError:
            _log.error("webhooks_wait_for_the_store")
            return Delivered()
        if done.given_up:
            _log.error("webhooks_given_up", deliveries=done.given_up)
        if done.again:
            _log.warning("webhooks_are_tried_again", deliveries=done.again)
        return done


def _arrival(answer: Answer | NoAnswer) -> Arrival:
    """Only the receiver's 410 says that nothing more is wanted; everything else may be mended by tomorrow."""
    if isinstance(answer, NoAnswer):
        return Arrival(has_arrived=False, reason=answer.reason)
    if answer.is_success:
        return Arrival(has_arrived=True)
    return Arrival(
        has_arrived=False,
        reason=f"status-{answer.status}",
        wait=answer.asked_wait,
        is_hopeless=answer.status == _GONE,
    )
