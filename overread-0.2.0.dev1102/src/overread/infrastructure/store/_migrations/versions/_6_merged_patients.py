"""Identifiers of patients that were merged: schema 6 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "6"
down_revision: Final = "5"


def upgrade() -> None:
    """Adds the table."""
    op.create_table(
        "merged_patients",
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("merged", sa.String(), nullable=False),
        sa.Column("surviving", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("site", "merged"),
    )
    op.create_index("ix_merged_patients_surviving", "merged_patients", ["surviving"])


def downgrade() -> None:
    """Drops it; what was merged stays under the identifier that stands, and what comes later does not follow it."""
    op.drop_table("merged_patients")
