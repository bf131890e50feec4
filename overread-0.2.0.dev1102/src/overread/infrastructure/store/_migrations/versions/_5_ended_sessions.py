"""Sessions that were signed out, for all processes to know: schema 5 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "5"
down_revision: Final = "4"


def upgrade() -> None:
    """Adds the table."""
    op.create_table(
        "ended_sessions",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_ended_sessions_until", "ended_sessions", ["until"])


def downgrade() -> None:
    """Drops it; sessions that were signed out end by time alone again."""
    op.drop_table("ended_sessions")
