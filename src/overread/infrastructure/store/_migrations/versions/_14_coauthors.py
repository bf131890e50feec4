"""All authors whom a message names: schema 14 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "14"
down_revision: Final = "13"


def upgrade() -> None:
    """Adds the column. Of versions that came before, the messages' other authors are not known."""
    op.add_column("report_versions", sa.Column("coauthors", sa.String(), nullable=False, server_default="[]"))
    op.create_index("ix_report_versions_coauthors", "report_versions", ["coauthors"])


def downgrade() -> None:
    """Drops it."""
    op.drop_index("ix_report_versions_coauthors", "report_versions")
    op.drop_column("report_versions", "coauthors")
