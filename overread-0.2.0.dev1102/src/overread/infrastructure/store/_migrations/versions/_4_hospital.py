"""The hospital: versions of reports, pairs, queues, reviews, samples, the audit trail, and texts apart."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa
from alembic import op

revision: Final = "4"
down_revision: Final = "3"

_NUMBER: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_MOMENT: Final = sa.DateTime(timezone=True)
_TABLES: Final = (
    "access_keys",
    "audit_events",
    "batches",
    "examinations",
    "profiles",
    "refusals",
    "report_versions",
    "samples",
    "texts",
    "compared_pairs",
    "version_examinations",
    "compared_examinations",
    "compared_versions",
    "deliveries",
    "found",
    "jobs",
    "outlines",
    "reviews",
    "sampled_pairs",
)
"""In the order made: each points at tables before it only."""

_SAID: Final = "events of the audit trail are neither changed nor deleted"
_ON_SQLITE: Final = """
CREATE TRIGGER audit_events_{action} BEFORE {action} ON audit_events
BEGIN SELECT RAISE(ABORT, '{said}'); END
"""
_ON_POSTGRES: Final = (
    """
    CREATE FUNCTION refuse_to_change_audit_events() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION '{said}'; END $$
    """,
    """
    CREATE TRIGGER audit_events_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_audit_events()
    """,
)


def upgrade() -> None:
    """Makes the tables, and the triggers by which the audit trail is only ever added to."""
    op.create_table(
        "access_keys",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("prefix", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("roles", sa.String(), nullable=False),
        sa.Column("created", _MOMENT, nullable=False),
        sa.Column("expires", _MOMENT),
        sa.Column("revoked", _MOMENT),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name"),
        sa.UniqueConstraint("prefix"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "audit_events",
        sa.Column("number", _NUMBER, autoincrement=False, nullable=False),
        sa.Column("made", _MOMENT, nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("action", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("details", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    op.create_table(
        "batches",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("made", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "one_batch_a_key",
        "batches",
        ["owner", "key"],
        unique=True,
        sqlite_where=sa.text("key <> ''"),
        postgresql_where=sa.text("key <> ''"),
    )
    op.create_table(
        "examinations",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("accession", sa.String(), nullable=False),
        sa.Column("patient", sa.String(), nullable=False),
        sa.Column("modality", sa.String(), nullable=False),
        sa.Column("procedure", sa.String(), nullable=False),
        sa.Column("body_part", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("performed", sa.String(), nullable=False),
        sa.Column("age", sa.Float()),
        sa.Column("sex", sa.String()),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("site", "accession", name="one_examination"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_examinations_accession", "examinations", ["accession"])
    op.create_index("ix_examinations_patient", "examinations", ["patient"])
    op.create_table(
        "profiles",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("risk", sa.String(), nullable=False),
        sa.Column("findings", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("risk", "findings", name="one_profile"),
    )
    op.create_table(
        "refusals",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("made", _MOMENT, nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("detail", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "report_versions",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("arrived", _MOMENT, nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("reader", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("filler", sa.String(), nullable=False),
        sa.Column("placer", sa.String(), nullable=False),
        sa.Column("issued", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("message", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_report_versions_arrived", "report_versions", ["arrived"])
    op.create_table(
        "samples",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("drawn_by", sa.String(), nullable=False),
        sa.Column("made", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "texts",
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("number", _NUMBER, nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("owner", "number"),
    )
    op.create_index("ix_texts_key", "texts", ["key"])
    op.create_table(
        "compared_pairs",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("made_of", sa.String()),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("batch", _NUMBER),
        sa.Column("made", _MOMENT, nullable=False),
        sa.Column("arrived", _MOMENT, nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("examination", _NUMBER),
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("accession", sa.String(), nullable=False),
        sa.Column("modality", sa.String(), nullable=False),
        sa.Column("device", sa.String(), nullable=False),
        sa.Column("reader", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("profile", sa.Integer()),
        sa.Column("risk", sa.Float(), nullable=False),
        sa.Column("gravity", sa.Integer(), nullable=False),
        sa.Column("significant", sa.Integer(), nullable=False),
        sa.Column("insignificant", sa.Integer(), nullable=False),
        sa.Column("findings", sa.String(), nullable=False),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.Column("radpeer", sa.String()),
        sa.ForeignKeyConstraint(["batch"], ["batches.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["examination"], ["examinations.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["profile"], ["profiles.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("made_of"),
        sqlite_autoincrement=True,
    )
    op.create_index("compared_by_site", "compared_pairs", ["site", "modality"])
    op.create_index("compared_of_batch", "compared_pairs", ["batch", "state"])
    op.create_index("ix_compared_pairs_accession", "compared_pairs", ["accession"])
    op.create_index("ix_compared_pairs_device", "compared_pairs", ["device"])
    op.create_index("ix_compared_pairs_digest", "compared_pairs", ["digest"])
    op.create_index("ix_compared_pairs_examination", "compared_pairs", ["examination"])
    op.create_index("ix_compared_pairs_modality", "compared_pairs", ["modality"])
    op.create_index("ix_compared_pairs_model", "compared_pairs", ["model"])
    op.create_index("ix_compared_pairs_profile", "compared_pairs", ["profile"])
    op.create_index("ix_compared_pairs_reader", "compared_pairs", ["reader"])
    op.create_index("worklist_by_arrival", "compared_pairs", ["arrived", "id"])
    op.create_index("worklist_by_importance", "compared_pairs", ["gravity", "risk", "arrived", "id"])
    op.create_index("worklist_by_risk", "compared_pairs", ["risk", "arrived", "id"])
    op.create_table(
        "version_examinations",
        sa.Column("version", _NUMBER, nullable=False),
        sa.Column("examination", _NUMBER, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("told", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["examination"], ["examinations.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["version"], ["report_versions.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("version", "examination"),
    )
    op.create_index("ix_version_examinations_examination", "version_examinations", ["examination"])
    op.create_table(
        "compared_examinations",
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("examination", _NUMBER, nullable=False),
        sa.ForeignKeyConstraint(["examination"], ["examinations.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pair", "examination"),
    )
    op.create_index("ix_compared_examinations_examination", "compared_examinations", ["examination"])
    op.create_table(
        "compared_versions",
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("version", _NUMBER, nullable=False),
        sa.Column("is_candidate", sa.Boolean(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["version"], ["report_versions.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("pair", "version", "is_candidate"),
    )
    op.create_index("ix_compared_versions_version", "compared_versions", ["version"])
    op.create_table(
        "deliveries",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("target", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String()),
        sa.Column("free", _MOMENT),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("pair", "target", name="one_delivery"),
        sqlite_autoincrement=True,
    )
    op.create_index("open_deliveries", "deliveries", ["state", "free"])
    op.create_table(
        "found",
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("profile", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("category", sa.String()),
        sa.Column("severity", sa.String(), nullable=False),
        sa.Column("finding", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["profile"], ["profiles.id"]),
        sa.PrimaryKeyConstraint("pair", "profile", "place"),
    )
    op.create_index("found_by_category", "found", ["category", "severity", "profile", "pair"])
    op.create_index("found_by_finding", "found", ["finding", "category", "severity", "profile", "pair"])
    op.create_index("found_by_severity", "found", ["severity", "profile", "pair"])
    op.create_table(
        "jobs",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("profile", sa.String(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String()),
        sa.Column("free", _MOMENT),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("pair", "profile", name="one_job"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_free", "jobs", ["free"])
    op.create_table(
        "outlines",
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("profile", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("risk", sa.Float(), nullable=False),
        sa.Column("gravity", sa.Integer(), nullable=False),
        sa.Column("significant", sa.Integer(), nullable=False),
        sa.Column("insignificant", sa.Integer(), nullable=False),
        sa.Column("findings", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["profile"], ["profiles.id"]),
        sa.PrimaryKeyConstraint("pair", "profile"),
    )
    op.create_index("ix_outlines_profile", "outlines", ["profile"])
    op.create_table(
        "reviews",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("reviewer", sa.String(), nullable=False),
        sa.Column("made", _MOMENT, nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.Column("verdicts", sa.String(), nullable=False),
        sa.Column("radpeer", sa.String()),
        sa.Column("proposed", sa.String()),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reviews_pair", "reviews", ["pair"])
    op.create_table(
        "sampled_pairs",
        sa.Column("sample", _NUMBER, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("pair", _NUMBER, nullable=False),
        sa.Column("weight", sa.Float(), nullable=False),
        sa.ForeignKeyConstraint(["pair"], ["compared_pairs.id"], ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["sample"], ["samples.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("sample", "place"),
    )
    op.create_index("ix_sampled_pairs_pair", "sampled_pairs", ["pair"])
    for statement in _triggers():
        op.execute(statement)


def downgrade() -> None:
    """Drops all that the hospital keeps; results stay."""
    for table in reversed(_TABLES):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION refuse_to_change_audit_events()")


def _triggers() -> list[str]:
    if op.get_bind().dialect.name == "postgresql":
        return [statement.format(said=_SAID) for statement in _ON_POSTGRES]
    return [_ON_SQLITE.format(action=action, said=_SAID) for action in ("UPDATE", "DELETE")]
