"""Messages of webhooks: which pair or feed, how grave, and where to look. No text, patient or accession number."""

from __future__ import annotations

import json
from typing import Any, Final

from overread.hospital.application.ports import FeedNotice
from overread.hospital.application.requests import WorklistRow
from overread.hospital.domain.audit_signal import SIGNAL

__all__ = ["EVENT", "body_of"]

EVENT: Final = "pair.important"
"""The type of every message about a pair; those about feeds are of `NoticeKind`."""


def body_of(about: WorklistRow | FeedNotice, pages: str = "") -> bytes:
    """The message about a pair or a feed, as JSON in UTF-8: the same is the same bytes.

    Args:
        about: a row of the worklist, or what is told of a feed.
        pages: URL of the pages of overread; "" for a message without a link.
    """
    message = _of_feed(about) if isinstance(about, FeedNotice) else _of_pair(about)
    if pages:
        place = "coverage" if isinstance(about, FeedNotice) else f"pairs/{about.pair}"
        message["data"]["link"] = f"{pages.rstrip('/')}/{place}"
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()


def _of_pair(row: WorklistRow) -> dict[str, Any]:
    data: dict[str, Any] = {
        "pair": row.pair,
        "kind": row.kind.value,
        "state": row.state.value,
        "importance": row.importance.value if row.importance else None,
        "risk": row.risk,
        "significant": row.significant,
        "insignificant": row.insignificant,
        "site": row.examination.site,
        "modality": row.examination.modality,
        "review": row.review.value,
        "note": SIGNAL,
    }
    return {"type": EVENT, "timestamp": row.arrived.isoformat(), "data": data}


def _of_feed(notice: FeedNotice) -> dict[str, Any]:
    feed = notice.feed
    data: dict[str, Any] = {"door": feed.door, "site": feed.site, "last": notice.since.isoformat()}
    return {"type": notice.kind.value, "timestamp": notice.at.isoformat(), "data": data}
