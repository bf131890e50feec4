"""Counts of pairs that the database keeps, and when examinations were performed: schema 13 of the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

revision: Final = "13"
down_revision: Final = "12"

_NUMBER: Final = sa.BigInteger().with_variant(sa.Integer, "sqlite")
_AT_ONCE: Final = 5_000
_EXAMINATIONS: Final = sa.table("examinations", sa.column("id", _NUMBER), sa.column("performed", sa.String))
_COMPARED: Final = sa.table(
    "compared_pairs", sa.column("examination", _NUMBER), sa.column("performed", sa.DateTime(timezone=True))
)
_PERFORMED: Final = sa.Table(
    "examinations_performed",
    sa.MetaData(),
    sa.Column("examination", _NUMBER, primary_key=True, autoincrement=False),
    sa.Column("moment", sa.DateTime(timezone=True), nullable=False),
    prefixes=["TEMPORARY"],
)

_FEW: Final = (
    ("compared_by_radpeer", "radpeer", "radpeer IS NOT NULL"),
    ("compared_without_score", "state", "state <> 'scored'"),
)
"""Indexes of what few pairs have."""

_ORDER: Final = ("gravity", "risk", "arrived", "id")

_MONTH: Final = {
    "postgresql": "to_char({moment} AT TIME ZONE 'UTC' + interval '{hours} hours', 'YYYY-MM')",
    "sqlite": "strftime('%Y-%m', {moment}, '{hours} hours')",
}
_QUARTER: Final = {
    "postgresql": """
        to_char({moment} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:') ||
        lpad((extract(minute FROM {moment} AT TIME ZONE 'UTC')::int / 15 * 15)::text, 2, '0') || ':00+00:00'
    """,
    "sqlite": """
        strftime('%Y-%m-%dT%H:', {moment}) || printf('%02d', strftime('%M', {moment}) / 15 * 15) || ':00+00:00'
    """,
}
"""Months and quarters of an hour as `overread.hospital.application.grouping` writes them."""

_ALIKE: Final = (
    "profile",
    "month",
    "examined",
    "kind",
    "site",
    "modality",
    "reader",
    "model",
    "state",
    "gravity",
    "significant",
    "radpeer",
    "reviewed",
    "withdrawn",
    "edit",
)
"""Columns in which the pairs of one count are alike."""

_SUMS: Final = ("pairs", "edited", "edits")
_INTO: Final = f"INSERT INTO pair_counts ({', '.join((*_ALIKE, *_SUMS, 'settled'))})"

_FEED_QUARTER: Final = {
    "postgresql": "floor(extract(epoch FROM {moment}) / 900)::int",
    "sqlite": "CAST(strftime('%s', {moment}) AS INTEGER) / 900",
}
_FEED_VERSIONS: Final = """
INSERT INTO feed_counts (quarter, source, site, messages, versions, pairs, settled)
SELECT {quarter}, source, site, count(DISTINCT nullif(message, '')) + sum(CASE WHEN message = '' THEN 1 ELSE 0 END),
    count(*), 0, true
FROM report_versions GROUP BY {quarter}, source, site
"""
_FEED_PAIRS: Final = """
INSERT INTO feed_counts (quarter, source, site, messages, versions, pairs, settled)
SELECT {quarter}, version.source, version.site, 0, 0, count(*), true FROM compared_pairs pair
JOIN compared_versions link ON link.pair = pair.id AND NOT link.is_candidate AND link.place = 0
JOIN report_versions version ON version.id = link.version
WHERE true GROUP BY {quarter}, version.source, version.site
ON CONFLICT (quarter, source, site) WHERE settled DO UPDATE SET pairs = excluded.pairs
"""
_LONE: Final = """
INSERT INTO lone_versions (version, examination, is_final, source, site, arrived)
SELECT version.id, link.examination, {is_final}, version.source, version.site, version.arrived
FROM report_versions version JOIN version_examinations link ON link.version = version.id
WHERE version.status IN ({own}) AND NOT EXISTS (
    SELECT 1 FROM version_examinations beside JOIN report_versions other ON other.id = beside.version
    WHERE beside.examination = link.examination AND other.status IN ({other})
)
"""
_EARLY: Final = "'draft', 'preliminary', 'partial'"
_FINAL: Final = "'final', 'corrected'"
_HALVES: Final = (("true", _FINAL, _EARLY), ("false", _EARLY, f"{_FINAL}, 'cancelled'"))

_ON_SQLITE: Final = {
    "pairs_counted": "AFTER INSERT ON compared_pairs BEGIN {added} END",
    "pairs_counted_anew": "AFTER UPDATE ON compared_pairs WHEN {changed} BEGIN {taken} {added} END",
    "pairs_not_counted": "BEFORE DELETE ON compared_pairs BEGIN {taken} END",
    "edits_counted": "AFTER INSERT ON pair_edits BEGIN {edit_added} END",
    "edits_counted_anew": "AFTER UPDATE ON pair_edits BEGIN {edit_taken} {edit_added} END",
    "edits_not_counted": "AFTER DELETE ON pair_edits BEGIN {edit_taken} END",
}
_ON_POSTGRES: Final = {
    "pairs_counted": "AFTER INSERT ON compared_pairs REFERENCING NEW TABLE AS added FOR EACH STATEMENT",
    "pairs_counted_anew": """
        AFTER UPDATE ON compared_pairs REFERENCING OLD TABLE AS taken NEW TABLE AS added FOR EACH STATEMENT
    """,
    "pairs_not_counted": "BEFORE DELETE ON compared_pairs FOR EACH ROW",
    "edits_counted": "AFTER INSERT ON pair_edits REFERENCING NEW TABLE AS added FOR EACH STATEMENT",
    "edits_counted_anew": """
        AFTER UPDATE ON pair_edits REFERENCING OLD TABLE AS taken NEW TABLE AS added FOR EACH STATEMENT
    """,
    "edits_not_counted": "AFTER DELETE ON pair_edits REFERENCING OLD TABLE AS taken FOR EACH STATEMENT",
}
"""Triggers by name. What is deleted with its pair is counted while the pair is still there."""


def upgrade() -> None:
    """Adds what is counted by, counts what is there, and has the database count from then on."""
    op.add_column("compared_pairs", sa.Column("performed", sa.DateTime(timezone=True)))
    _note_performed(op.get_bind())
    op.create_table(
        "pair_counts",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("profile", sa.Integer(), nullable=False),
        *(
            sa.Column(name, sa.String(), nullable=False)
            for name in ("month", "examined", "kind", "site", "modality", "reader", "model", "state")
        ),
        sa.Column("gravity", sa.Integer(), nullable=False),
        sa.Column("significant", sa.Boolean(), nullable=False),
        sa.Column("radpeer", sa.String(), nullable=False),
        sa.Column("reviewed", sa.Boolean(), nullable=False),
        sa.Column("withdrawn", sa.Boolean(), nullable=False),
        sa.Column("edit", sa.String(), nullable=False),
        *(sa.Column(name, _NUMBER, nullable=False) for name in _SUMS),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    settled, unsettled = sa.text("settled"), sa.text("NOT settled")
    op.create_index("one_count", "pair_counts", _ALIKE, unique=True, sqlite_where=settled, postgresql_where=settled)
    op.create_index("unsettled_counts", "pair_counts", ["id"], sqlite_where=unsettled, postgresql_where=unsettled)
    for name, column, wanted in _FEW:
        op.create_index(
            name, "compared_pairs", [column, *_ORDER], sqlite_where=sa.text(wanted), postgresql_where=sa.text(wanted)
        )
    _make_feed_counts()
    kind = op.get_bind().dialect.name
    for statement in count_anew(kind):
        _run(statement)
    for statement in _postgres_triggers() if kind == "postgresql" else _sqlite_triggers():
        _run(statement)


def _make_feed_counts() -> None:
    settled, unsettled = sa.text("settled"), sa.text("NOT settled")
    alike = ("quarter", "source", "site")
    op.create_table(
        "feed_counts",
        sa.Column("id", _NUMBER, nullable=False),
        sa.Column("quarter", sa.Integer(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("site", sa.String(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in ("messages", "versions", "pairs")),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("one_feed_count", "feed_counts", alike, unique=True, sqlite_where=settled, postgresql_where=settled)
    op.create_index("unsettled_feed_counts", "feed_counts", ["id"], sqlite_where=unsettled, postgresql_where=unsettled)
    op.create_table(
        "lone_versions",
        sa.Column("version", _NUMBER, sa.ForeignKey("report_versions.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("examination", _NUMBER, sa.ForeignKey("examinations.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("is_final", sa.Boolean(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        sa.Column("site", sa.String(), nullable=False),
        sa.Column("arrived", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_lone_versions_examination", "lone_versions", ["examination"])
    op.create_index("lone_by_arrival", "lone_versions", ["is_final", "arrived"])
    op.create_index("versions_by_message", "report_versions", ["message", "source"])


def count_anew(kind: str) -> tuple[str, ...]:
    """Statements that count all pairs, whatever was counted before.

    Args:
        kind: of the database, "postgresql" or "sqlite".
    """
    every = "(SELECT 1 AS sign, compared_pairs.* FROM compared_pairs)"
    return (
        "DELETE FROM pair_counts",
        _pairs(every, kind, settled="true"),
        _edits(every, kind, settled="true"),
        "DELETE FROM feed_counts",
        _FEED_VERSIONS.format(quarter=_FEED_QUARTER[kind].format(moment="arrived")),
        _FEED_PAIRS.format(quarter=_FEED_QUARTER[kind].format(moment="pair.arrived")),
        "DELETE FROM lone_versions",
        *(_LONE.format(is_final=is_final, own=own, other=other) for is_final, own, other in _HALVES),
    )


def downgrade() -> None:
    """Drops the counts, which are made anew on the way forward."""
    is_postgres = op.get_bind().dialect.name == "postgresql"
    for name in _ON_POSTGRES:
        table = "pair_edits" if name.startswith("edits") else "compared_pairs"
        op.execute(f"DROP TRIGGER {name} ON {table}" if is_postgres else f"DROP TRIGGER {name}")
        if is_postgres:
            op.execute(f"DROP FUNCTION note_{name}()")
    op.drop_index("versions_by_message", "report_versions")
    for index, _, _ in _FEW:
        op.drop_index(index, "compared_pairs")
    for table in ("lone_versions", "feed_counts", "pair_counts"):
        op.drop_table(table)
    op.drop_column("compared_pairs", "performed")


def _run(statement: str) -> None:
    op.execute(sa.text(statement.replace(":", r"\:")))


def _note_performed(connection: sa.Connection) -> None:
    """Repeats of pairs when their examinations were performed; the database changes all of them at once."""
    is_postgres = connection.dialect.name == "postgresql"
    _PERFORMED.create(connection)
    table, last = _EXAMINATIONS.c, 0
    while True:
        query = sa.select(table.id, table.performed).where(table.id > last).order_by(table.id).limit(_AT_ONCE)
        rows = connection.execute(query).all()
        if not rows:
            break
        last = rows[-1].id
        moments = [
            {"examination": number, "moment": datetime.fromisoformat(performed).astimezone(UTC)}
            for number, performed in rows
            if performed
        ]
        if moments:
            connection.execute(
                sa.insert(_PERFORMED), moments if is_postgres else [{**row, "moment": _naive(row)} for row in moments]
            )
    known = _COMPARED.c.examination == _PERFORMED.c.examination
    connection.execute(sa.update(_COMPARED).where(known).values(performed=_PERFORMED.c.moment))
    _PERFORMED.drop(connection)


def _naive(row: Mapping[str, Any]) -> datetime:
    """The moment without its zone, which SQLite has none of."""
    moment: datetime = row["moment"]
    return moment.replace(tzinfo=None)


def _pairs(rows: str, kind: str, *, settled: str = "false") -> str:
    """Statement that counts pairs: rows of the table with a sign, 1 for what is added and -1 for what is taken away."""
    alike = {**_alike(kind), "edit": "''"}
    sums = ("sum(pair.sign)", "0", "0")
    return f"{_INTO} {_select(alike, sums, settled)} FROM {rows} pair {_grouped(alike)} HAVING sum(pair.sign) <> 0;"


def _edits(rows: str, kind: str, *, settled: str = "false") -> str:
    """Statement that counts the edits of pairs by type, without reader and month of examination."""
    return _count_edits(f"{rows} pair JOIN pair_edits edit ON edit.pair = pair.id", "pair.sign", kind, settled)


def _count_edits(rows: str, sign: str, kind: str, settled: str = "false") -> str:
    alike = {**_alike(kind), "examined": "''", "reader": "''", "edit": "edit.type"}
    any_of_it = f"CASE WHEN edit.number > 0 THEN {sign} ELSE 0 END"
    sums = (f"sum({sign})", f"sum({any_of_it})", f"sum({sign} * edit.number)")
    changes = " OR ".join(f"{each} <> 0" for each in sums)
    return f"{_INTO} {_select(alike, sums, settled)} FROM {rows} {_grouped(alike)} HAVING {changes};"


def _select(alike: Mapping[str, str], sums: tuple[str, ...], settled: str) -> str:
    return f"SELECT {', '.join((*(alike[name] for name in _ALIKE), *sums, settled))}"


def _grouped(alike: Mapping[str, str]) -> str:
    # A constant is no place of a column.
    return f"GROUP BY {', '.join(each for name in _ALIKE if not (each := alike[name]).startswith(chr(39)))}"


def _alike(kind: str) -> dict[str, str]:
    """Properties that pairs are counted by, as expressions over a row that is called pair."""
    early, late = (_MONTH[kind].format(moment="pair.performed", hours=hours) for hours in ("-12", "+14"))
    moment = f"{_QUARTER[kind].format(moment='pair.performed')} || ' ' || pair.site"
    same = ("kind", "site", "modality", "reader", "model", "state", "gravity", "reviewed", "withdrawn")
    return {
        "profile": "coalesce(pair.profile, -1)",
        "month": _MONTH[kind].format(moment="pair.arrived", hours="0"),
        "examined": f"CASE WHEN pair.performed IS NULL THEN '' WHEN {early} = {late} THEN {early} ELSE {moment} END",
        "significant": "pair.significant > 0",
        "radpeer": "coalesce(pair.radpeer, '')",
        **{name: f"pair.{name}" for name in same},
    }


def _sqlite_triggers() -> Iterator[str]:
    """A trigger runs for each row, which it takes away as it was and adds as it is."""
    names = ("id", "profile", "arrived", "performed", "radpeer", *_same())
    names = (*dict.fromkeys(names),)
    parts = {
        part: _of_row(f"(SELECT {sign} AS sign, {', '.join(f'{row}.{name} AS {name}' for name in names)})")
        for part, row, sign in (("added", "NEW", 1), ("taken", "OLD", -1))
    }
    parts |= {
        f"edit_{part}": _of_edit(f"(SELECT {row}.pair AS pair, {row}.type AS type, {row}.number AS number)", sign)
        for part, row, sign in (("added", "NEW", "1"), ("taken", "OLD", "-1"))
    }
    parts["changed"] = " OR ".join(f"NEW.{name} IS NOT OLD.{name}" for name in names)
    for name, trigger in _ON_SQLITE.items():
        yield f"CREATE TRIGGER {name} {trigger.format(**parts)}"


def _same() -> tuple[str, ...]:
    return ("kind", "site", "modality", "reader", "model", "state", "gravity", "reviewed", "withdrawn", "significant")


def _of_row(row: str, kind: str = "sqlite") -> str:
    return f"{_pairs(row, kind)} {_edits(row, kind)}"


def _of_edit(edits: str, sign: str, kind: str = "sqlite") -> str:
    return _count_edits(f"{edits} edit JOIN compared_pairs pair ON pair.id = edit.pair", sign, kind)


def _postgres_triggers() -> Iterator[str]:
    """A trigger runs for each statement, or before a row is gone."""
    kind = "postgresql"
    both = "(SELECT 1 AS sign, added.* FROM added UNION ALL SELECT -1, taken.* FROM taken)"
    bodies = {
        "pairs_counted": _pairs("(SELECT 1 AS sign, added.* FROM added)", kind),
        "pairs_counted_anew": _of_row(both, kind),
        "pairs_not_counted": f"{_of_row('(SELECT -1 AS sign, OLD.*)', kind)} RETURN OLD;",
        "edits_counted": _of_edit("added", "1", kind),
        "edits_counted_anew": f"{_of_edit('taken', '-1', kind)} {_of_edit('added', '1', kind)}",
        "edits_not_counted": _of_edit("taken", "-1", kind),
    }
    for name, trigger in _ON_POSTGRES.items():
        body = bodies[name] if "RETURN OLD" in bodies[name] else f"{bodies[name]} RETURN NULL;"
        yield f"CREATE FUNCTION note_{name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN {body} END $$"
        yield f"CREATE TRIGGER {name} {trigger} EXECUTE FUNCTION note_{name}()"
