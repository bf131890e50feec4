"""Pairs of which a report was withdrawn: schema 7 of the store."""

from __future__ import annotations

from pkgutil import resolve_name
from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "7"
down_revision: Final = "6"

_WITHDRAW: Final = "overread.hospital.infrastructure.store.withdrawing:withdraw_cancelled"
"""Marks pairs by the hospital's rules; named as text, as the store does not know who keeps what in it."""


def upgrade() -> None:
    """Adds the column, and marks the pairs whose reports were withdrawn before."""
    op.add_column("compared_pairs", sa.Column("withdrawn", sa.Boolean(), nullable=False, server_default=sa.false()))
    resolve_name(_WITHDRAW)(op.get_bind())


def downgrade() -> None:
    """Drops it; pairs of withdrawn reports are among the others again."""
    op.drop_column("compared_pairs", "withdrawn")
