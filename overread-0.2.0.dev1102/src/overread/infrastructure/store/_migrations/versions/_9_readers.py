"""Reading protocols, and what reviews were made for: schema 9 of the store."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "9"
down_revision: Final = "8"

_NUMBER: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_MOMENT: Final = sa.DateTime(timezone=True)
_SHOW: Final = "overread.hospital.infrastructure.store.standing:show_standing_scores"
"""Shows scores by the hospital's rules; named as text, as the store does not know who keeps what in it."""


def upgrade() -> None:
    """Adds tables and columns, and shows of each pair the score that stands: it was the newest of whoever gave one."""
    op.create_table(
        "reading_protocols",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("mode", sa.String(), nullable=False),
        sa.Column("per_pair", sa.Integer(), nullable=False),
        sa.Column("chosen", sa.String(), nullable=False),
        sa.Column("due", _MOMENT),
        sa.Column("asks_radpeer", sa.Boolean(), nullable=False),
        sa.Column("claim_minutes", sa.Integer(), nullable=False),
        sa.Column("made", _MOMENT, nullable=False),
        sa.Column("made_by", sa.String(), nullable=False),
        sa.Column("closed", _MOMENT),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "protocol_people",
        sa.Column("protocol", _NUMBER, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("known_as", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["protocol"], ["reading_protocols.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("protocol", "name"),
    )
    op.create_index("ix_protocol_people_name", "protocol_people", ["name"])
    op.create_table(
        "protocol_pairs",
        sa.Column("protocol", _NUMBER, nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("progress", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("barred", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["protocol"], ["reading_protocols.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("protocol", "pair"),
    )
    op.create_index("ix_protocol_pairs_pair", "protocol_pairs", ["pair"])
    op.create_table(
        "assignments",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("protocol", _NUMBER, nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("task", sa.String(), nullable=False),
        sa.Column("reader", sa.String(), nullable=False),
        sa.Column("claimant", sa.String(), nullable=False),
        sa.Column("claimed_until", _MOMENT),
        sa.Column("due", _MOMENT),
        sa.Column("done", _MOMENT),
        sa.ForeignKeyConstraint(["protocol"], ["reading_protocols.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("assignments_by_reader", "assignments", ["reader", "done", "id"])
    op.create_index("assignments_of_protocol", "assignments", ["protocol", "pair"])
    op.create_index("ix_assignments_pair", "assignments", ["pair"])
    op.add_column("reviews", sa.Column("stage", sa.String(), nullable=False, server_default="open"))
    op.add_column("reviews", sa.Column("no_discrepancy", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("reviews", sa.Column("assignment", _NUMBER))
    resolve_name(_SHOW)(op.get_bind())


def downgrade() -> None:
    """Drops them; reviews stay, and nobody is blinded any more."""
    for column in ("assignment", "no_discrepancy", "stage"):
        op.drop_column("reviews", column)
    for table in ("assignments", "protocol_pairs", "protocol_people", "reading_protocols"):
        op.drop_table(table)
