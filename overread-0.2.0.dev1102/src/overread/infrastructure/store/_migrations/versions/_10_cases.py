"""Cases that alarms of charts opened: schema 10 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "10"
down_revision: Final = "9"

_NUMBER: Final = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Adds the table."""
    op.create_table(
        "cases",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("chart", sa.String(), nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("crossed", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed", sa.DateTime(timezone=True), nullable=False),
        sa.Column("pairs", sa.String(), nullable=False),
        sa.Column("events", sa.String(), nullable=False),
        sa.Column("opened", sa.DateTime(timezone=True), nullable=False),
        sa.Column("outcome", sa.String(), nullable=True),
        sa.Column("closed", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_by", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("chart", "pair", name="one_case"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Drops it, and the words of who closed a case; charts give the alarms again, and cases are opened anew."""
    op.execute("DELETE FROM texts WHERE owner = 'case'")
    op.drop_table("cases")
