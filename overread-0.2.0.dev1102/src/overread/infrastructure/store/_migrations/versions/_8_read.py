"""The share of a pair's reports that was read: schema 8 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

from overread.infrastructure.store._reading import note_shares

revision: Final = "8"
down_revision: Final = "7"

_TABLES: Final = ("compared_pairs", "outlines")


def upgrade() -> None:
    """Adds the columns, and takes what results tell into them."""
    for table in _TABLES:
        op.add_column(table, sa.Column("read", sa.Float(), nullable=False, server_default=sa.text("-1")))
    note_shares(op.get_bind())


def downgrade() -> None:
    """Drops them; results still tell."""
    for table in _TABLES:
        op.drop_column(table, "read")
