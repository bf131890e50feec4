"""Notes beside pairs how much of their reports was read, of before a store did so."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Final

from sqlalchemy import BigInteger, Connection, Float, Integer, String, column, select, table, update

from overread.domain.differences.unread import least_read

__all__ = ["note_shares"]

_AT_ONCE: Final = 500

# As the tables were when the columns were added, whatever they become.
_COMPARED: Final = table(
    "compared_pairs",
    column("id", BigInteger),
    column("digest", String),
    column("profile", Integer),
    column("read", Float),
)
_OUTLINES: Final = table(
    "outlines", column("pair", BigInteger), column("profile", Integer), column("state", String), column("read", Float)
)
_PROFILES: Final = table("profiles", column("id", Integer), column("findings", String))
_RESULTS: Final = table(
    "results", column("pair_digest", String), column("signature", String), column("status", String), column("record")
)


def note_shares(connection: Connection) -> None:
    """Writes beside each scored outline, and beside each pair that shows it, what its result tells."""
    last = -1
    while True:
        query = select(_COMPARED.c.id).where(_COMPARED.c.id > last).order_by(_COMPARED.c.id).limit(_AT_ONCE)
        numbers = [int(number) for number in connection.execute(query).scalars()]
        if not numbers:
            return
        _note(connection, numbers)
        last = numbers[-1]


def _note(connection: Connection, numbers: list[int]) -> None:
    scored = (_OUTLINES.c.state == "scored", _RESULTS.c.status == "scored", _OUTLINES.c.pair.in_(numbers))
    query = (
        select(_OUTLINES.c.pair, _OUTLINES.c.profile, _RESULTS.c.record)
        .join(_COMPARED, _COMPARED.c.id == _OUTLINES.c.pair)
        .join(_PROFILES, _PROFILES.c.id == _OUTLINES.c.profile)
        .join(
            _RESULTS,
            (_RESULTS.c.pair_digest == _COMPARED.c.digest) & (_RESULTS.c.signature == _PROFILES.c.findings),
        )
        .where(*scored)
    )
    for pair, profile, record in connection.execute(query).all():
        share = None
        with suppress(ValueError, TypeError, KeyError):  # a result that is damaged tells nothing
            share = least_read(json.loads(record)["subscores"])
        if share is not None:
            outline = (_OUTLINES.c.pair == pair, _OUTLINES.c.profile == profile)
            connection.execute(update(_OUTLINES).where(*outline).values(read=share))
            shown = (_COMPARED.c.id == pair, _COMPARED.c.profile == profile)
            connection.execute(update(_COMPARED).where(*shown).values(read=share))
