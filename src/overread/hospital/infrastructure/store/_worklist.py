"""The worklist: pairs found, in order, a page at a time, without reading a result or a text of a report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from attrs import define, evolve, field, frozen
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    CompoundSelect,
    Connection,
    Select,
    String,
    and_,
    case,
    false,
    func,
    literal,
    literal_column,
    or_,
    select,
    true,
    tuple_,
)
from sqlalchemy.sql.selectable import FromClause

from overread.domain.differences.edits import EditType
from overread.domain.vocabulary.severity import Importance
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.grouping import MOST_AHEAD, MOST_BEHIND, Drawable, Grouping, MonthSpan, Tally
from overread.hospital.application.observations import Observation
from overread.hospital.application.ports import EditTally
from overread.hospital.application.requests import Order, PairState, Search, Withdrawn, WorklistPage, WorklistRow
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.review import Radpeer, ReviewState
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.store._counts import CountedMonths, counted_in, counted_months
from overread.hospital.infrastructure.store._feed_counts import QUARTER_S, quarter_column
from overread.hospital.infrastructure.store._hospital_tables import (
    COMPARED,
    COMPARED_EXAMINATIONS,
    EDITS,
    EXAMINATIONS,
    FOUND,
    OUTLINES,
    PAIR_COUNTS,
    SAMPLED,
    SAMPLES,
)
from overread.hospital.infrastructure.store._outlines import (
    BLANK,
    NO_RISK,
    NOT_KNOWN,
    gravity_of,
    importance_of,
    profile_of,
    profiles_alone,
    profiles_of_findings,
    profiles_with,
)
from overread.hospital.infrastructure.store._texts import Texts
from overread.hospital.infrastructure.store._versions import examinations_of, find_numbered
from overread.infrastructure.store.columns import Moment, plain
from overread.infrastructure.store.database import chunks
from overread.infrastructure.store.statements import Row, is_postgres

__all__ = ["Worklist"]

_COUNTED: Final = 10_000
_BITS: Final = 64
_MOST_RANK: Final = 2**31
"""Above every rank, and what a column of whole numbers holds."""

_ISO_POSTGRES: Final = 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"'
_ISO_SQLITE: Final = "%Y-%m-%dT%H:%M:%S+00:00"
_NO_PROFILE: Final = -1
_SORTED: Final[Mapping[Order, Sequence[str]]] = {
    Order.IMPORTANCE: ("gravity", "risk", "arrived", "id"),
    Order.RISK: ("risk", "arrived", "id"),
    Order.NEWEST: ("arrived", "id"),
}
"""Columns that each order sorts by, the greatest first; an index has each of them."""


@frozen
class _View:
    """Pairs beside what they came to under signatures.

    Attributes:
        source: tables to select from.
        columns: by name: those of `ComparedRow`, with what is outlined under the signatures.
        signatures: of the metrics.
        only: which pairs are seen this way.
        counted: which counts are of these pairs; none where pairs are seen under others than their newest results.
    """

    source: FromClause
    columns: Mapping[str, ColumnElement[Any]]
    signatures: Sequence[str]
    only: ColumnElement[bool]
    counted: ColumnElement[bool] = field(factory=false)


@define
class Worklist:
    """Searches pairs within one transaction.

    Attributes:
        connection: of the transaction.
        texts: of examinations.
        hidden: numbers of pairs that no search finds; None for none.
    """

    connection: Connection
    texts: Texts
    hidden: CompoundSelect[Any] | None = None

    def page(self, search: Search, signatures: Sequence[str]) -> WorklistPage:
        """A page of what a search finds; one row more is read to know whether others follow."""
        names = _SORTED[search.order]
        rows: list[Row] = []
        total = 0
        for view, query in self._select_by_view(search, signatures):
            keys = [view.columns[name].desc() for name in names]
            following = query.where(*_after(search, view)).order_by(*keys).limit(search.limit + 1)
            rows += self.connection.execute(following).mappings().all()
            counted = query.with_only_columns(literal(1)).limit(_COUNTED).subquery()
            total += self.connection.execute(select(func.count()).select_from(counted)).scalar_one()
        rows.sort(key=lambda row: [row[name] for name in names], reverse=True)
        shown = rows[: search.limit]
        following_at = _place(shown[-1], names) if len(rows) > search.limit else None
        return WorklistPage(rows=self._worklist_rows(shown), total=min(total, _COUNTED), next=following_at)

    def numbers(self, search: Search, signatures: Sequence[str]) -> list[int]:
        """Numbers of all pairs that a search finds, in number order."""
        return sorted(
            int(number)
            for _, query in self._select_by_view(search, signatures)
            for number in self.connection.execute(query.with_only_columns(COMPARED.c.id)).scalars()
        )

    def tallies(
        self, search: Search, signatures: Sequence[str], by: Sequence[Grouping], months: MonthSpan | None = None
    ) -> list[Tally]:
        """All pairs that a search finds, counted by what is alike in them: the database counts, no row is read."""
        sums: Counter[tuple[Any, ...]] = Counter()
        is_sample = search.sample is not None
        for sign, view, query in self._count(search, signatures, counted_months(search)):
            if view.source is PAIR_COUNTS:
                wanted = [PAIR_COUNTS.c.edit == "", *([] if months is None else [counted_in(months)])]
                counts = _add_alike(query.where(*wanted), [_counted_name(each) for each in by])
            else:
                wanted = [] if months is None else [self._may_be_of(months)]
                counts = _count_alike(
                    query.where(*wanted), [self._name(each, view) for each in by], view, is_sample=is_sample
                )
            for state, differ, major, radpeer, weight, pairs, *names in self.connection.execute(counts).all():
                sums[(*names,), state, bool(differ), bool(major), radpeer or None, weight] += sign * int(pairs)
        return [
            Tally(
                names=names,
                state=PairState(state),
                concordant=not differ,
                major=major,
                radpeer=Radpeer(radpeer) if radpeer else None,
                weight=weight,
                pairs=pairs,
            )
            for (names, state, differ, major, radpeer, weight), pairs in sums.items()
            if pairs
        ]

    def observations(
        self, search: Search, signatures: Sequence[str], before: datetime | None = None
    ) -> list[Observation]:
        """All pairs that a search finds, in number order, as charts take them."""
        at = func.coalesce(COMPARED.c.performed, COMPARED.c.arrived)
        earlier = [] if before is None else [at < literal(before, Moment)]
        weight = literal(1.0) if search.sample is None else SAMPLED.c.weight
        names = (
            "id",
            "site",
            "modality",
            "reader",
            "model",
            "arrived",
            "state",
            "significant",
            "gravity",
            "risk",
            "radpeer",
        )
        rows = (
            row
            for view, query in self._select_by_view(search, signatures)
            for row in self.connection.execute(
                query.with_only_columns(
                    *(view.columns[name].label(name) for name in names),
                    COMPARED.c.performed,
                    weight.label("weight"),
                ).where(*earlier)
            )
        )
        return sorted(map(_observation, rows), key=lambda observation: observation.pair)

    def edit_tallies(self, search: Search, signatures: Sequence[str]) -> list[EditTally]:
        """Edits by type in all pairs that a search finds: the database counts."""
        sums: dict[str, list[float]] = {}
        for sign, view, query in self._count(search, signatures, counted_months(search, without=("reader",))):
            if view.source is PAIR_COUNTS:
                names = (PAIR_COUNTS.c[name] for name in ("edits", "edited", "pairs"))
                counts = query.where(PAIR_COUNTS.c.edit != "").with_only_columns(
                    PAIR_COUNTS.c.edit, *(func.sum(column) for column in names)
                )
                counts = counts.group_by(PAIR_COUNTS.c.edit)
            else:
                counts = _count_edits(query, is_sample=search.sample is not None)
            for name, *numbers in self.connection.execute(counts):
                known = sums.get(name, [0.0, 0.0, 0.0])
                sums[name] = [one + sign * float(other) for one, other in zip(known, numbers, strict=True)]
        return [
            EditTally(type=kind, edits=edits, pairs=pairs, near_copies=copies)
            for kind in EditType
            if kind.value in sums
            for edits, pairs, copies in (sums[kind.value],)
            if copies
        ]

    def drawables(self, search: Search, signatures: Sequence[str], by: Grouping) -> list[Drawable]:
        """All pairs that a search finds, in number order, with what samples are drawn by."""
        weight = literal(1.0) if search.sample is None else SAMPLED.c.weight
        rows = (
            row
            for view, query in self._select_by_view(search, signatures)
            for row in self.connection.execute(
                query.with_only_columns(COMPARED.c.id, self._name(by, view), view.columns["risk"], weight)
            )
        )
        return [
            Drawable(pair=pair, group=group, risk=None if risk == NO_RISK else risk, weight=stands_for)
            for pair, group, risk, stands_for in sorted(rows)
        ]

    def _name(self, grouping: Grouping, view: _View) -> ColumnElement[Any]:
        """Group of a pair in a grouping, as `Grouping.of` has it."""
        match grouping:
            case Grouping.EXAMINATION_MONTH:
                return self._month_key(view.columns["site"])
            case Grouping.AUTHOR_GROUP:
                return view.columns["reader"]
            case Grouping.SITE | Grouping.MODALITY | Grouping.KIND | Grouping.MODEL | Grouping.READER:
                return view.columns[grouping.value]
        return self._month(view.columns["arrived"])

    def _month(self, moment: ColumnElement[Any], offset: timedelta = timedelta(0)) -> ColumnElement[str]:
        if is_postgres(self.connection):
            return func.to_char(func.timezone("UTC", moment) + offset, "YYYY-MM", type_=String())
        return func.strftime("%Y-%m", moment, f"{offset.total_seconds():+.0f} seconds", type_=String())

    def _may_be_of(self, months: MonthSpan) -> ColumnElement[bool]:
        """Condition as of `MonthSpan.may_have`."""
        moment = COMPARED.c.performed
        return and_(self._month(moment, -MOST_BEHIND) <= months.last, self._month(moment, MOST_AHEAD) >= months.first)

    def _month_key(self, site: ColumnElement[str]) -> ColumnElement[str]:
        """Key of the month of examination, as `month_key` and the counts have it."""
        moment = COMPARED.c.performed
        earliest, latest = self._month(moment, -MOST_BEHIND), self._month(moment, MOST_AHEAD)
        # Seconds have more than 32 bits from 2038 on.
        seconds = quarter_column(self.connection, moment) * literal(QUARTER_S, BigInteger)
        if is_postgres(self.connection):
            quarter = func.to_char(func.timezone("UTC", func.to_timestamp(seconds)), _ISO_POSTGRES, type_=String())
        else:
            quarter = func.strftime(_ISO_SQLITE, seconds, "unixepoch", type_=String())
        return case((moment.is_(None), ""), (earliest == latest, earliest), else_=quarter + " " + site)

    def rows(self, numbers: Sequence[int], signatures: Sequence[str]) -> list[WorklistRow]:
        """The rows of these pairs, in that order."""
        rows_by_number: dict[int, WorklistRow] = {}
        for view in self._views(signatures):
            for chunk in chunks(numbers):
                query = _select_pairs(view, None).where(COMPARED.c.id.in_(chunk))
                rows_by_number.update(
                    {row.pair: row for row in self._worklist_rows(self.connection.execute(query).mappings().all())}
                )
        return [find_numbered(rows_by_number, number, "pair") for number in numbers]

    def _select_by_view(self, search: Search, signatures: Sequence[str]) -> list[tuple[_View, Select[Any]]]:
        if search.sample is not None:
            self._check_sample(search.sample)
        views = self._views(_signatures_to_show(search, signatures))
        return [(view, self._select(search, view)) for view in views]

    def _select(self, search: Search, view: _View) -> Select[Any]:
        """The pairs of a view that a search finds, without those that are hidden."""
        seen = [] if self.hidden is None else [COMPARED.c.id.not_in(self.hidden)]
        return _select_pairs(view, search.sample).where(*seen, *_conditions(search, view))

    def _count(
        self, search: Search, signatures: Sequence[str], months: CountedMonths | None
    ) -> Iterator[tuple[int, _View, Select[Any]]]:
        """Queries that are to be added up, and with which sign, to count the pairs of a search.

        Where the counts answer it: they, and the pairs of the months that are not whole, without the pairs that are
        hidden. Pairs that are seen under others than their newest results are counted one by one.
        """
        (own, every), *others = self._select_by_view(search, signatures)
        yield from ((1, view, query) for view, query in others)
        if months is None:
            yield 1, own, every
            return
        counted = evolve(own, source=PAIR_COUNTS, columns=dict(PAIR_COUNTS.c.items()), only=own.counted)
        criteria = evolve(search, since=None, until=None)
        conditions = (*months.conditions, *_conditions(criteria, counted))
        yield 1, counted, select(*PAIR_COUNTS.c).where(counted.only, *conditions)
        for rest in months.rest:
            yield 1, own, self._select(rest, own)
        if self.hidden is not None:
            found = _select_pairs(own, None).where(*_conditions(months.search, own))
            yield -1, own, found.where(COMPARED.c.id.in_(self.hidden))

    def _check_sample(self, sample: int) -> None:
        if self.connection.execute(select(SAMPLES.c.id).where(SAMPLES.c.id == sample)).first() is None:
            raise NotFoundError(f"there is no sample {sample}")

    def _views(self, signatures: Sequence[str]) -> list[_View]:
        """Pairs whose newest results are those asked for, or that have none, as they stand; and the others, if any.

        So a page reads an index in its order, and looks for earlier results of those alone that have other newest ones.
        """
        profile = profile_of(self.connection, signatures)
        profile = _NO_PROFILE if profile is None else profile
        columns: dict[str, ColumnElement[Any]] = dict(COMPARED.c.items())
        counted = PAIR_COUNTS.c.profile.in_((_NO_PROFILE, profile))
        if not self._has_others(profile):
            return [_View(COMPARED, columns, signatures, true(), counted)]
        # The index of the order is to be used, and none for this; PostgreSQL is to know that these are nearly all.
        own = func.coalesce(COMPARED.c.profile, profile) == profile
        if is_postgres(self.connection):
            own = or_(COMPARED.c.profile.is_(None), COMPARED.c.profile == profile)
        joined = and_(OUTLINES.c.pair == COMPARED.c.id, OUTLINES.c.profile == profile)
        alone, lone = OUTLINES.alias(), profiles_alone(self.connection, signatures)
        reasons = and_(alone.c.pair == COMPARED.c.id, alone.c.profile.in_(lone), OUTLINES.c.pair.is_(None))
        outlined = {
            name: func.coalesce(OUTLINES.c[name], alone.c[name], blank).label(name) for name, blank in BLANK.items()
        }
        source = COMPARED.outerjoin(OUTLINES, joined).outerjoin(alone, reasons)
        others = or_(COMPARED.c.profile < profile, COMPARED.c.profile > profile)
        return [
            _View(COMPARED, columns, signatures, own, counted),
            _View(source, columns | outlined, signatures, others),
        ]

    def _has_others(self, profile: int) -> bool:
        """Return whether any pair's newest results are under another profile, so that its own columns do not serve."""
        return any(
            self.connection.execute(select(COMPARED.c.id).where(other).limit(1)).first() is not None
            for other in (COMPARED.c.profile < profile, COMPARED.c.profile > profile)
        )

    def _worklist_rows(self, rows: Sequence[Row]) -> list[WorklistRow]:
        about = examinations_of(self.connection, self.texts, {row["examination"] for row in rows if row["examination"]})
        edits = self._edits([row["id"] for row in rows])
        return [
            _row(
                row,
                about.get(row["examination"]) or Examination(site="", accession=row["name"]),
                edits.get(row["id"]),
            )
            for row in rows
        ]

    def _edits(self, numbers: Sequence[int]) -> dict[int, dict[EditType, int]]:
        edits: dict[int, dict[EditType, int]] = {}
        for chunk in chunks(numbers):
            query = select(EDITS).where(EDITS.c.pair.in_(chunk))
            for row in self.connection.execute(query):
                edits.setdefault(row.pair, dict.fromkeys(EditType, 0))[EditType(row.type)] = row.number
        return edits


def _signatures_to_show(search: Search, signatures: Sequence[str]) -> Sequence[str]:
    """The signatures to show: that which is asked for in place of the present one of its metric."""
    if search.signature is None:
        return signatures
    metric = search.signature.partition("|")[0]
    return [*(line for line in signatures if line.partition("|")[0] != metric), search.signature]


def _select_pairs(view: _View, sample: int | None) -> Select[Any]:
    """All pairs of a view, or those of a sample with their weights."""
    if sample is None:
        query = select(*view.columns.values(), literal(1.0).label("weight")).select_from(view.source)
        return query.where(view.only)
    drawn = and_(SAMPLED.c.pair == COMPARED.c.id, SAMPLED.c.sample == sample)
    source = view.source.join(SAMPLED, drawn)
    return select(*view.columns.values(), SAMPLED.c.weight).select_from(source).where(view.only)


def _count_alike(
    found: Select[Any], names: Sequence[ColumnElement[Any]], view: _View, *, is_sample: bool
) -> Select[Any]:
    """Count pairs alike in state, in having a significant discrepancy, in RADPEER score, in weight and in names."""
    columns = view.columns
    asked: list[ColumnElement[Any]] = [
        columns["state"],
        columns["significant"] > 0,
        columns["gravity"] >= gravity_of(Importance.ACTIONABLE),
        columns["radpeer"],
        SAMPLED.c.weight if is_sample else literal(1.0),
        *names,
    ]
    # Named anew: a database must see that what is selected is what is grouped by.
    alike = found.with_only_columns(*(column.label(f"a{place}") for place, column in enumerate(asked))).subquery()
    state, differ, major, radpeer, weight, *others = alike.c
    return select(state, differ, major, radpeer, weight, func.count(), *others).group_by(*alike.c)


def _add_alike(found: Select[Any], names: Sequence[ColumnElement[Any]]) -> Select[Any]:
    """Add up counts, as `_count_alike` counts pairs."""
    columns = PAIR_COUNTS.c
    major = columns.gravity >= gravity_of(Importance.ACTIONABLE)
    alike = [columns.state, columns.significant, major, columns.radpeer]
    asked = found.with_only_columns(
        *(column.label(f"a{place}") for place, column in enumerate([*alike, literal(1.0), *names])), columns.pairs
    ).subquery()
    *groups, pairs = asked.c
    state, differ, grave, radpeer, weight, *others = groups
    return select(state, differ, grave, radpeer, weight, func.sum(pairs), *others).group_by(*groups)


def _counted_name(grouping: Grouping) -> ColumnElement[Any]:
    """Column of the counts that is the key of a grouping."""
    names = {Grouping.EXAMINATION_MONTH: "examined", Grouping.AUTHOR_GROUP: "reader"}
    return PAIR_COUNTS.c[names.get(grouping, grouping.value)]


def _count_edits(found: Select[Any], *, is_sample: bool) -> Select[Any]:
    """Count edits by type: all of them, the pairs with any, and the pairs in which they were looked for."""
    weight = SAMPLED.c.weight if is_sample else literal(1.0)
    edited = found.join(EDITS, EDITS.c.pair == COMPARED.c.id)
    columns = (EDITS.c.type.label("t"), EDITS.c.number.label("n"), weight.label("w"))
    each = edited.with_only_columns(*columns).subquery()
    any_of_it = case((each.c.n > 0, each.c.w), else_=0.0)
    counts = select(each.c.t, func.sum(each.c.n * each.c.w), func.sum(any_of_it), func.sum(each.c.w))
    return counts.group_by(each.c.t)


def _observation(row: Any) -> Observation:
    return Observation(
        pair=row.id,
        site=row.site,
        modality=row.modality,
        reader=row.reader,
        model=row.model,
        performed=row.performed,
        arrived=row.arrived,
        state=PairState(row.state),
        concordant=row.significant == 0,
        importance=importance_of(row.gravity),
        risk=None if row.risk == NO_RISK else row.risk,
        radpeer=Radpeer(row.radpeer) if row.radpeer else None,
        weight=row.weight,
    )


def _conditions(search: Search, view: _View) -> list[ColumnElement[bool]]:
    columns = view.columns
    equal = {
        "kind": search.kind,
        "state": search.state,
        "radpeer": search.radpeer,
        "batch": search.batch,
        **{name: getattr(search, name) for name in ("site", "modality", "reader", "model", "device")},
    }
    conditions = [
        columns[name] == (plain(value) if isinstance(value, str) else value)
        for name, value in equal.items()
        if value is not None
    ]
    if search.since is not None:
        conditions.append(columns["arrived"] >= search.since)
    if search.until is not None:
        conditions.append(columns["arrived"] < search.until)
    if search.importance is not None:
        conditions.append(columns["gravity"] >= gravity_of(search.importance))
    if search.min_risk is not None or search.max_risk is not None:
        conditions.append(columns["risk"] >= max(search.min_risk or 0.0, 0.0))
    if search.max_risk is not None:
        conditions.append(columns["risk"] <= search.max_risk)
    if search.state not in {None, PairState.SCORED}:  # said so that the index of these few is used
        conditions.append(columns["state"] != literal_column(f"'{PairState.SCORED.value}'"))
    if search.withdrawn is not Withdrawn.ALSO:
        conditions.append(columns["withdrawn"].is_(search.withdrawn is Withdrawn.ONLY))
    if search.review is not None:
        conditions.append(columns["reviewed"].is_(search.review is ReviewState.REVIEWED))
    return [*conditions, *_memberships(search, view)]


def _memberships(search: Search, view: _View) -> list[ColumnElement[bool]]:
    """Conditions of a search that are looked up in other tables."""
    conditions: list[ColumnElement[bool]] = []
    if search.accession is not None:
        accession, link = plain(search.accession), COMPARED_EXAMINATIONS
        about = select(link.c.pair).join(EXAMINATIONS, EXAMINATIONS.c.id == link.c.examination)
        own = COMPARED.alias()  # a database looks two indexes up and joins them, but goes through all pairs for an OR
        named = select(own.c.id).where(own.c.accession == accession)
        conditions.append(COMPARED.c.id.in_(named.union(about.where(EXAMINATIONS.c.accession == accession))))
    if search.signature is not None:
        scored = select(OUTLINES.c.pair).where(OUTLINES.c.profile.in_(profiles_with(search.signature)))
        conditions.append(COMPARED.c.id.in_(scored))
    asked = {name: getattr(search, name) for name in ("finding", "category", "severity")}
    wanted = [FOUND.c[name] == value for name, value in asked.items() if value is not None]
    if wanted:
        one = select(FOUND.c.pair).where(FOUND.c.profile.in_(profiles_of_findings(view.signatures)), *wanted)
        conditions.append(COMPARED.c.id.in_(one))
    return conditions


def _after(search: Search, view: _View) -> list[ColumnElement[bool]]:
    """The condition that a row comes after the place at which the page before ended."""
    if search.after is None:
        return []
    names = _SORTED[search.order]
    # Of the types of the columns: PostgreSQL uses no index of whole numbers to compare them with others.
    values = [
        literal(value, COMPARED.c[name].type)
        for name, value in zip(names, _read_place(search.after, names), strict=True)
    ]
    return [tuple_(*(view.columns[name] for name in names)) < tuple_(*values)]


def _place(row: Row, names: Sequence[str]) -> str:
    return json.dumps([row[name].isoformat() if name == "arrived" else row[name] for name in names])


def _read_place(after: str, names: Sequence[str]) -> list[Any]:
    with suppress(ValueError, TypeError, OverflowError, RecursionError):
        *ranks, timestamp, number = json.loads(after)
        ranks = [int(rank) if name == "gravity" else float(rank) for name, rank in zip(names[:-2], ranks, strict=True)]
        arrived, number = datetime.fromisoformat(timestamp), int(number)
        is_held = all(abs(rank) < _MOST_RANK for rank in ranks) and number.bit_length() < _BITS
        if is_held and arrived.tzinfo is not None:
            return [*ranks, arrived.astimezone(UTC), number]
    raise InputError("search", "after is not a place in this order", remedy="use the value that the previous page gave")


def _row(row: Row, examination: Examination, edits: Mapping[EditType, int] | None) -> WorklistRow:
    return WorklistRow(
        pair=row["id"],
        examination=examination,
        kind=PairKind(row["kind"]),
        state=PairState(row["state"]),
        reason=row["reason"],
        arrived=row["arrived"],
        reader=row["reader"],
        model=row["model"],
        risk=None if row["risk"] == NO_RISK else row["risk"],
        importance=importance_of(row["gravity"]),
        significant=row["significant"],
        insignificant=row["insignificant"],
        findings=tuple(json.loads(row["findings"])),
        review=ReviewState.REVIEWED if row["reviewed"] else ReviewState.OPEN,
        radpeer=Radpeer(row["radpeer"]) if row["radpeer"] else None,
        weight=row["weight"],
        withdrawn=row["withdrawn"],
        read=None if row["read"] == NOT_KNOWN else row["read"],
        edits=edits,
    )
