"""Messages of webhooks: which pair, how grave, and where to look. No text, no patient, no accession number."""

from __future__ import annotations

import json
from typing import Any, Final

from overread.hospital.application.requests import WorklistRow
from overread.hospital.domain.audit_signal import SIGNAL

__all__ = ["EVENT", "body_of"]

EVENT: Final = "pair.important"
"""The type of every message."""


def body_of(row: WorklistRow, pages: str = "") -> bytes:
    """The message about a pair, as JSON in UTF-8: the same row is the same bytes.

    Args:
        row: of the worklist.
        pages: URL of the pages of overread; "" for a message without a link.
    """
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
    if pages:
        data["link"] = f"{pages.rstrip('/')}/pairs/{row.pair}"
    message = {"type": EVENT, "timestamp": row.arrived.isoformat(), "data": data}
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode()
