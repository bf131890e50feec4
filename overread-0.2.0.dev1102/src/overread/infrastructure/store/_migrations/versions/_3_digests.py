"""Results and discrepancies with digests, and discrepancies with their probability: schema 3 of the store."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

from overread.infrastructure.store.rows import adopt

revision: Final = "3"
down_revision: Final = "2"


def upgrade() -> None:
    """Adds the columns and gives what is there its digests, as it stands."""
    op.add_column("results", sa.Column("digest", sa.String(), nullable=False, server_default=""))
    op.add_column("discrepancies", sa.Column("probability", sa.Float(), nullable=True))
    op.add_column("discrepancies", sa.Column("digest", sa.String(), nullable=False, server_default=""))
    adopt(op.get_bind())


def downgrade() -> None:
    """Drops them; the results' records go on saying how probable each discrepancy is."""
    op.drop_column("discrepancies", "digest")
    op.drop_column("discrepancies", "probability")
    op.drop_column("results", "digest")
