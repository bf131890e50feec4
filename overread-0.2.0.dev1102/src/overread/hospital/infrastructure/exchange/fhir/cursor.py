"""Position up to which a server was read, kept on disk."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from attrs import define, field

from overread.exceptions import StoreError
from overread.tables.replacing import replacing, sync

__all__ = ["Cursor"]

_FORMAT: Final = "overread-fhir-cursor-1"


@define
class Cursor:
    """Position up to which a server was read: a moment, and the versions known from right before it.

    A server may show a report later than the time it gives it, so the period right before is read again each time;
    versions of it that were read already are left out.

    Attributes:
        reached: newest time of an update that was read; None before the first.
        known: versions that were read, by id and version, with the time of their update.
        overlap: how long before ``reached`` is read again.
    """

    overlap: timedelta
    reached: datetime | None = None
    known: dict[str, datetime] = field(factory=dict)

    @property
    def since(self) -> datetime | None:
        """Time to read from; None for the beginning."""
        return None if self.reached is None else self.reached - self.overlap

    def has(self, key: str) -> bool:
        """Return whether a version was read."""
        return key in self.known

    def note(self, key: str, updated: datetime) -> None:
        """A version was read, and is kept safe elsewhere."""
        self.known[key] = updated
        self.reached = max(updated, self.reached or updated)

    def save(self, path: Path) -> None:
        """Keep it; what was kept before stays until this is on the disk.

        Raises:
            StoreError: if it cannot be written.
        """
        since = self.since
        self.known = {key: updated for key, updated in self.known.items() if since is None or updated >= since}
        record = {
            "format": _FORMAT,
            "reached": self.reached.isoformat() if self.reached else None,
            "known": {key: updated.isoformat() for key, updated in self.known.items()},
        }
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(path, durable=True) as partial, partial.open("w", encoding="utf-8") as stream:
                json.dump(record, stream)
                sync(stream)
        except OSError:
            raise StoreError("the cursor of a FHIR server cannot be written") from None

    @classmethod
    def load(cls, path: Path, overlap: timedelta) -> Cursor:
        """The one that was kept, or one at the beginning where none was.

        Raises:
            StoreError: if what is there is none.
        """
        try:
            record: Any = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return cls(overlap)
        except (OSError, ValueError):
            record = None
        with suppress(KeyError, TypeError, ValueError, AttributeError):
            if record["format"] == _FORMAT:
                reached = datetime.fromisoformat(record["reached"]) if record["reached"] else None
                known = {key: datetime.fromisoformat(updated) for key, updated in record["known"].items()}
                return cls(overlap, reached, known)
        raise StoreError("the cursor of a FHIR server cannot be read; remove it to read the server from the beginning")
