"""Feeds as they are: sites of versions, silences and word of them, and edits of pairs: schema 11 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "11"
down_revision: Final = "10"

_NUMBER: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_SITES: Final = """
UPDATE report_versions SET site = coalesce((
    SELECT examinations.site FROM version_examinations
    JOIN examinations ON examinations.id = version_examinations.examination
    WHERE version_examinations.version = report_versions.id
    ORDER BY version_examinations.place LIMIT 1
), '')
"""


def upgrade() -> None:
    """Adds the tables and columns, and notes of each version the site of its first examination.

    Edits of pairs that were scored before are not counted: what they are is in the texts, which may be sealed.
    """
    op.add_column("report_versions", sa.Column("site", sa.String(), nullable=False, server_default=""))
    op.execute(_SITES)
    op.create_index("versions_by_feed", "report_versions", ["source", "site", "arrived"])
    op.create_index("refusals_by_time", "refusals", ["made", "source", "reason"])
    op.create_table(
        "pair_edits",
        sa.Column("pair", _NUMBER, sa.ForeignKey("compared_pairs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("type", sa.String(), primary_key=True),
        sa.Column("number", sa.Integer(), nullable=False),
    )
    op.create_table(
        "silences",
        sa.Column("door", sa.String(), primary_key=True),
        sa.Column("site", sa.String(), primary_key=True),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("noticed", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "notices",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("type", sa.String(), nullable=False),
        sa.Column("door", sa.String(), nullable=False),
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(), nullable=True),
        sa.Column("free", sa.DateTime(timezone=True), nullable=True),
        sqlite_autoincrement=True,
    )
    op.create_index("open_notices", "notices", ["state", "free"])


def downgrade() -> None:
    """Drops them; word of silences that waits is lost."""
    for table in ("notices", "silences", "pair_edits"):
        op.drop_table(table)
    op.drop_index("refusals_by_time", "refusals")
    op.drop_index("versions_by_feed", "report_versions")
    op.drop_column("report_versions", "site")
