"""Shows the scores that stand for pairs, where a store showed the newest of whoever gave one."""

from __future__ import annotations

from typing import Final

from sqlalchemy import BigInteger, Connection, String, column, func, select, table, update

from overread.hospital.domain.review import Radpeer
from overread.infrastructure.store.database import chunks

__all__ = ["show_standing_scores"]

# As the tables were when this was added, whatever they become.
_REVIEWS: Final = table(
    "reviews",
    column("id", BigInteger),
    column("pair", BigInteger),
    column("reviewer", String),
    column("radpeer", String),
)
_COMPARED: Final = table("compared_pairs", column("id", BigInteger), column("radpeer", String))


def show_standing_scores(connection: Connection) -> None:
    """Shows for each pair that several people gave a score the newest of the one who gave the first.

    All reviews of that time were made in the open, outside of any protocol.
    """
    scored = _REVIEWS.c.radpeer.is_not(None)
    several = select(_REVIEWS.c.pair).where(scored).group_by(_REVIEWS.c.pair)
    several = several.having(func.count(func.distinct(_REVIEWS.c.reviewer)) > 1)
    for chunk in chunks(connection.execute(several).scalars().all()):
        scores: dict[int, dict[str, str]] = {}
        query = select(_REVIEWS).where(_REVIEWS.c.pair.in_(chunk), scored).order_by(_REVIEWS.c.id)
        for row in connection.execute(query):
            scores.setdefault(row.pair, {})[row.reviewer] = row.radpeer
        for pair, by_reviewer in scores.items():
            stands = Radpeer(next(iter(by_reviewer.values())))
            connection.execute(update(_COMPARED).where(_COMPARED.c.id == pair).values(radpeer=stands.value))
