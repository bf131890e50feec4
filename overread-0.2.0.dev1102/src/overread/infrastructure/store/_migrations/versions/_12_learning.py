"""Learning points, actions, responses of authors and their digests: schema 12 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "12"
down_revision: Final = "11"

_NUMBER: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_MOMENT: Final = sa.DateTime(timezone=True)
_TEXTS: Final = sa.table("texts", sa.column("owner", sa.String))


def upgrade() -> None:
    """Adds tables, and finds versions by their readers."""
    op.create_table(
        "learning_points",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("category", sa.String()),
        sa.Column("finding", sa.String(), nullable=False),
        sa.Column("nominated", sa.Boolean(), nullable=False),
        sa.Column("presented", _MOMENT),
        sa.Column("made", _MOMENT, nullable=False),
        sa.Column("made_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_learning_points_pair", "learning_points", ["pair"])
    op.create_index("nominated_points", "learning_points", ["nominated", "made"])
    op.create_table(
        "pair_actions",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("due", _MOMENT),
        sa.Column("made", _MOMENT, nullable=False),
        sa.Column("made_by", sa.String(), nullable=False),
        sa.Column("changed", _MOMENT, nullable=False),
        sa.Column("changed_by", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_pair_actions_pair", "pair_actions", ["pair"])
    op.create_index("actions_by_state", "pair_actions", ["state", "id"])
    op.create_table(
        "author_responses",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("made", _MOMENT, nullable=False),
        sa.Column("is_answer", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("responses_of_pair", "author_responses", ["pair", "author"])
    op.create_table(
        "author_digests",
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("due", _MOMENT, nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column("free", _MOMENT),
        sa.Column("sent", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("author", "due"),
    )
    op.create_index("ix_report_versions_reader", "report_versions", ["reader"])


def downgrade() -> None:
    """Drops them, with what people wrote."""
    op.execute(sa.delete(_TEXTS).where(_TEXTS.c.owner.in_(("learning", "response"))))
    op.drop_index("ix_report_versions_reader", "report_versions")
    for table in ("author_digests", "author_responses", "pair_actions", "learning_points"):
        op.drop_table(table)
