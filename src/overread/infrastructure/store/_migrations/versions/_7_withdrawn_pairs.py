"""Pairs of which a report was withdrawn: schema 7 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

from overread.infrastructure.store._withdrawing import withdraw_cancelled

revision: Final = "7"
down_revision: Final = "6"


def upgrade() -> None:
    """Adds the column, and marks the pairs whose reports were withdrawn before."""
    op.add_column("compared_pairs", sa.Column("withdrawn", sa.Boolean(), nullable=False, server_default=sa.false()))
    withdraw_cancelled(op.get_bind())


def downgrade() -> None:
    """Drops it; pairs of withdrawn reports are among the others again."""
    op.drop_column("compared_pairs", "withdrawn")
