"""Layout of a store of overread: its tables, and how they are brought up to date."""

from __future__ import annotations

from typing import Final

from attrs import evolve
from sqlalchemy import Connection

from overread.infrastructure.store.database import Layout
from overread.infrastructure.store.result_tables import SCHEMA_VERSION, ResultRow

__all__ = ["DURABLE", "STORE"]

_ADOPTED_BEFORE: Final = 3


def _bring(connection: Connection) -> int | None:
    from overread.infrastructure.store._migrations import move  # noqa: PLC0415 - slow to import, and rarely needed

    return move(connection, SCHEMA_VERSION)


def _caveat(found: int) -> str:
    if found < _ADOPTED_BEFORE:
        return "earlier results had no digests and are taken as they are; what cannot be read is scored again"
    return "results stay as they are; an earlier version of overread refuses the store from now on"


STORE: Final = Layout(
    version=SCHEMA_VERSION,
    bring=_bring,
    caveat=_caveat,
    mark=ResultRow.__tablename__,
    what="store of overread",
)
"""Results, which can be had again by scoring: a power cut may cost the newest."""

DURABLE: Final = evolve(STORE, durable=True)
"""The same for a hospital: what was acknowledged outlives a power cut."""
