"""Runs, pairs, results and their discrepancies: schema 1 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "1"
down_revision: Final = None

_TABLES: Final = ("runs", "pairs", "results", "discrepancies")


def upgrade() -> None:
    """Makes the tables."""
    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("started", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "pairs",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("reference", sa.String(), nullable=True),
        sa.Column("candidate", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("ix_pairs_name", "pairs", ["name"])
    op.create_table(
        "results",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pair_digest", sa.String(), nullable=False),
        sa.Column("metric", sa.String(), nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("pair_name", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True),
        sa.Column("record", sa.String(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["pair_digest"], ["pairs.digest"]),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("pair_digest", "metric", "signature"),
    )
    op.create_index("ix_results_run_id", "results", ["run_id"])
    op.create_table(
        "discrepancies",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("result_id", sa.Integer(), nullable=False),
        sa.Column("category", sa.String(), nullable=True),
        sa.Column("aspect", sa.String(), nullable=False),
        sa.Column("type", sa.String(), nullable=True),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("finding", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["result_id"], ["results.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("ix_discrepancies_result_id", "discrepancies", ["result_id"])


def downgrade() -> None:
    """Drops all of it."""
    for table in reversed(_TABLES):
        op.drop_table(table)
