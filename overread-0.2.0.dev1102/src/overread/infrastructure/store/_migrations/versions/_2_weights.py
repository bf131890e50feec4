"""Discrepancies with what they weigh: schema 2 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "2"
down_revision: Final = "1"


def upgrade() -> None:
    """Adds the columns, empty for what is there: it was not weighed."""
    op.add_column("discrepancies", sa.Column("importance", sa.String(), nullable=True))
    op.add_column("discrepancies", sa.Column("extent", sa.Float(), nullable=True))
    op.add_column("discrepancies", sa.Column("weight", sa.Float(), nullable=True))


def downgrade() -> None:
    """Drops them; the results' records go on saying what each discrepancy weighs."""
    for name in ("weight", "extent", "importance"):
        op.drop_column("discrepancies", name)
