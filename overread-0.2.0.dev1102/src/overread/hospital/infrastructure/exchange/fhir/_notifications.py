"""Notifications of a topic-based subscription: R5's, and R4's by the guide Subscriptions R5 Backport."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple
from overread.hospital.infrastructure.exchange.fhir._elements import Resource, every, words
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["Notification", "NotificationKind", "notification_of"]

_BUNDLES: Final = frozenset({"history", "subscription-notification"})


class NotificationKind(StrEnum):
    """Kind of a notification, as FHIR names it."""

    HANDSHAKE = "handshake"
    HEARTBEAT = "heartbeat"
    EVENT = "event-notification"
    QUERY_STATUS = "query-status"
    QUERY_EVENT = "query-event"


@frozen(kw_only=True)
class Notification:
    """Contents of a notification, besides the resources that came with it.

    Attributes:
        kind: what it is sent for.
        absent: references to what it is about that did not come with it.
        has_events: whether it tells what happened, if only by reference.
    """

    kind: NotificationKind
    absent: tuple[str, ...] = field(default=(), converter=in_tuple)
    has_events: bool = False

    @property
    def is_sign_of_life(self) -> bool:
        """True if it tells nothing but that the server is there."""
        return self.kind in (NotificationKind.HANDSHAKE, NotificationKind.HEARTBEAT, NotificationKind.QUERY_STATUS)


def notification_of(root: Resource) -> Notification | None:
    """The notification that a document is; None for any other document.

    Raises:
        RefusedMessageError: if it is one of an unknown kind.
    """
    if words(root, "resourceType") != "Bundle" or words(root, "type") not in _BUNDLES:
        return None
    entries = [entry for entry in every(root, "entry") if isinstance(entry, Mapping)]
    status = next((resource for entry in entries[:1] for resource in every(entry, "resource")), None)
    kind, foci = _status(status)
    if kind is None:
        return None
    if kind not in set(NotificationKind):
        detail = f"the type of a notification must be one of {', '.join(NotificationKind)}"
        raise RefusedMessageError("unknown-notification", detail, location="SubscriptionStatus.type")
    known = {name for entry in entries[1:] for name in _names(entry)}
    empty = [words(entry, "fullUrl", "request.url") for entry in entries[1:] if not every(entry, "resource")]
    wanted = {_local(url): url for url in [*empty, *foci] if url}
    return Notification(
        kind=NotificationKind(kind),
        absent=[url for name, url in wanted.items() if name not in known],
        has_events=bool(foci) or len(entries) > 1,
    )


def _status(resource: Resource | None) -> tuple[str | None, list[str]]:
    """Kind of a notification and what it is about: of a SubscriptionStatus, or of the Parameters that stand for it."""
    if words(resource, "resourceType") == "SubscriptionStatus":
        return words(resource, "type"), [str(url) for url in every(resource, "notificationEvent.focus.reference")]
    if words(resource, "resourceType") != "Parameters":
        return None, []
    parameters = every(resource, "parameter")
    if not any(words(parameter, "name") == "subscription" for parameter in parameters):
        return None, []
    kind = next((words(each, "valueCode") for each in parameters if words(each, "name") == "type"), "")
    parts = [part for each in parameters if words(each, "name") == "notification-event" for part in every(each, "part")]
    return kind, [words(part, "valueReference.reference") for part in parts if words(part, "name") == "focus"]


def _names(entry: Resource) -> set[str]:
    """Names of the resource that an entry brings, or tells the deletion of."""
    resource = next(iter(every(entry, "resource")), None)
    if resource is None:
        is_deletion = words(entry, "request.method") == "DELETE"
        return {_local(words(entry, "fullUrl", "request.url"))} if is_deletion else set()
    return {_local(words(entry, "fullUrl")), f"{words(resource, 'resourceType')}/{words(resource, 'id')}"}


def _local(url: str) -> str:
    """Type and id of what a URL names; the URL itself where it names none so."""
    return "/".join(url.partition("/_history/")[0].split("/")[-2:])
