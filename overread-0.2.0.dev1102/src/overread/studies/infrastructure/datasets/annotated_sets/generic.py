"""overread's own format for any human-annotated set: JSON lines, or a table for what fits into one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from attrs import evolve

from overread.application.scoring.corpus import BadRow
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference, Target
from overread.domain.results.scores import MetricScores
from overread.exceptions import InputError
from overread.infrastructure.files.tables import Columns, read_row
from overread.studies.infrastructure.datasets.annotated_sets._account import Account
from overread.studies.infrastructure.datasets.annotated_sets._files import Row, TableFile, open_table, shown_names
from overread.studies.infrastructure.datasets.annotated_sets._header import (
    HEADER,
    PREFERENCE,
    Header,
    is_count,
    is_known,
)
from overread.studies.infrastructure.datasets.annotated_sets._ratings import (
    RATER,
    Raters,
    numbers,
    to_object,
    told_name,
)
from overread.studies.infrastructure.datasets.annotated_sets._rows import Distinct
from overread.studies.infrastructure.datasets.annotated_sets._writing import write_benchmark, write_pairs
from overread.tables.columns import are_shown
from overread.tables.records import Record

__all__ = ["read_generic", "write_benchmark", "write_pairs"]

_COLUMNS: Final = Columns()
_REQUIRED: Final = ("id", "study", "reference", "candidate")
_OPTIONAL: Final = (*_COLUMNS.optional, "generator", "ratings", "strata", "scores", "rated", RATER, PREFERENCE, HEADER)
_STRATUM: Final = "strata."
_OF_RATER: Final = ":"
_VOTES: Final = (1.0, 0.0, -1.0)

_TOLD: Final = "`higher_is_better` or `lower_is_better`"
_ANY_NAME: Final = f"ratings stand in total, significant, insignificant, or in a column that {_TOLD} names"
_ONE_ROW: Final = "one row a pair; where each rater has a row of a pair, a column rater tells whose it is"

_Ratings = dict[str, dict[str, float]]
"""By target and rater."""


def read_generic(
    path: Path,
    *,
    preferences: Path | None = None,
    higher_is_better: Sequence[str] = (),
    lower_is_better: Sequence[str] = (),
) -> HumanBenchmark:
    """A set in overread's own format, which docs/benchmarks.md describes.

    A line is a pair: id, study, reference, candidate, and as they are known generator, ratings (by target a number, or
    a list with one a rater, null for none), strata and scores (by metric a number). Targets may stand in columns of
    their own instead: total, significant, insignificant, these for a category as significant.A, rating, and any
    whose direction is told; so may strata, as strata.NAME. A line {"preference": {...}} is a comparison of two pairs
    (id, first, second, votes, confidence, strata), and the first line may be {"benchmark": {...}}, which tells targets,
    their directions, raters and notes. In tables, what is no text or number is written as JSON.

    Raters may also be told by name: in columns, as total:ANA, or by a column ``rater``; then rows of one id are one
    pair, as each of them rated it. Columns that are not read are told in a note.

    Args:
        path: .jsonl, .ndjson, .csv, .tsv, .json (each also gzipped) or .parquet.
        preferences: a further file, with one comparison a row.
        higher_is_better: targets and metrics of which more is better, where neither header nor name tells.
        lower_is_better: those of which less is better.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, or neither a rating nor a preference,
            if the direction of a target is not told, and at the first row that repeats an id or has a rating, vote or
            score that cannot be used: NaN, a negative count, more or fewer ratings than there are raters; or that
            tells another study or other reports of a pair than the row of another rater.
    """
    directions = {**dict.fromkeys(higher_is_better, True), **dict.fromkeys(lower_is_better, False)}
    if twice := sorted(set(higher_is_better) & set(lower_is_better)):
        raise InputError(
            str(path), f"both directions are given for {twice[0]}", remedy="say whether more of it is better, or less"
        )
    table = open_table(path)
    if missing := [name for name in _REQUIRED if name not in table.names]:
        remedy = "a pair that shares its reference with no other has its id for a study" if missing == ["study"] else ""
        problem = f"no column {' or '.join(missing)}; it has {shown_names(table.names)}"
        raise InputError(str(path), problem, remedy=remedy)
    reading = _Reading(table, directions)
    for row in reading.rows(table):
        reading.add(row)
    if preferences is not None:
        for row in reading.rows(open_table(preferences)):
            held = row.cells.get(PREFERENCE)
            reading.prefer(row, row.cells if held is None else held)
    return reading.benchmark()


class _Reading:
    """Takes rows in order and puts a set together."""

    def __init__(self, table: TableFile, told: Mapping[str, bool]) -> None:
        self._path = table.path
        self._columns = table.names
        self._told = told
        self._header = Header()
        self._seen: dict[str, int] = {}
        self._pairs: dict[str, tuple[Row, AnnotatedPair]] = {}
        self._ratings: dict[str, _Ratings] = {}
        self._preferences: list[tuple[Row, Preference]] = []
        self._comparisons = Distinct("id")
        self._turns = Distinct("id and rater")
        self._targets: dict[str, Target] = {}
        self._scores: dict[str, dict[str, float]] = {}
        self._raters = Raters()
        self._account = Account()

    def rows(self, table: TableFile) -> Iterator[Row]:
        """The rows of a table, with every column."""
        return self._account.rows(table, {}, {name: name for name in table.names if name})

    def add(self, row: Row) -> None:
        """A line: the header, a comparison or a pair."""
        if row.cells.get(HEADER) is not None:
            self._begin(row)
        elif row.cells.get(PREFERENCE) is not None:
            self.prefer(row, row.cells[PREFERENCE])
        else:
            self._pair(row)

    def prefer(self, row: Row, held: object) -> None:
        """A comparison of two pairs, which may come later."""
        comparison = Row(row.source, row.number, to_object(row, held, PREFERENCE))
        name = comparison.name("id")
        self._comparisons.add(name, row)
        first, second = comparison.name("first"), comparison.name("second")
        votes = self._votes(row, comparison.cells.get("votes"), "votes")
        if not votes or not all(math.isnan(vote) or vote in _VOTES for vote in votes):
            raise row.fault("votes are not each 1 for the first, -1 for the second, 0 for neither, or null")
        confidence = self._votes(row, comparison.cells.get("confidence"), "confidence")
        study = "" if comparison.is_empty("study") else comparison.name("study")
        strata = dict(_strata(comparison))
        preference = Preference(
            id=name, study=study, first=first, second=second, votes=votes, confidence=confidence, strata=strata
        )
        self._preferences.append((row, preference))

    def benchmark(self) -> HumanBenchmark:
        """The set. Raises `InputError` if it holds no pair, nothing said of one, or a comparison of one not there."""
        if not self._pairs:
            raise InputError(str(self._path), "holds no pairs")
        for row, preference in self._preferences:
            for name in (preference.first, preference.second):
                if name not in self._pairs:
                    raise row.fault(
                        f"compares pair {name!r}, which does not exist", "first and second are ids of pairs"
                    )
        self._check_said()
        raters, targets = self._raters.names, tuple(self._targets.values())
        pairs = [
            evolve(pair, ratings={target.name: _in_order(by_target.get(target.name, {}), raters) for target in targets})
            for (_, pair), by_target in zip(self._pairs.values(), self._ratings.values(), strict=True)
        ]
        preferences = [
            evolve(compared, study=compared.study or self._pairs[compared.first][1].study)
            for _, compared in self._preferences
        ]
        provided = [
            MetricScores.distributed(name, scores, higher_is_better=self._direction(None, name, of_metric=True))
            for name, scores in self._scores.items()
        ]
        unread = self._unread()
        self._account.leave(self._strange())
        by_people = self._header.by_people
        hint = f"a column of ratings needs its direction, one of a single rater is NAME{_OF_RATER}RATER"
        return HumanBenchmark(
            name=self._header.name,
            targets=targets,
            raters=raters,
            pairs=tuple(pairs),
            preferences=tuple(preferences),
            provided=tuple(provided),
            understood=self._account.lines,
            notes=(*self._header.notes, *([f"not read: {unread}; {hint}"] if unread else [])),
            # One set of numbers that nobody is named for may well come with how the pairs were made.
            by_people=bool(self._header.raters) or len(raters) > 1 if by_people is None else by_people,
        )

    def _check_said(self) -> None:
        there = ", ".join((*self._targets, *self._scores)) or "none"
        unread = self._unread()
        for name in self._told:
            if name not in self._targets and name not in self._scores:
                problem = f"no target or metric is named {name}; choose from {there}"
                remedy = (
                    f"columns not read: {unread}; one of a single rater is {name}{_OF_RATER}RATER" if unread else ""
                )
                raise InputError(str(self._path), problem, remedy=remedy)
        rated = (
            number
            for by_target in self._ratings.values()
            for by_rater in by_target.values()
            for number in by_rater.values()
        )
        if not self._preferences and all(map(math.isnan, rated)):
            problem = f"holds no rating and no preference; it has {shown_names(self._columns)}"
            remedy = f"{_ANY_NAME}; one of a single rater is NAME{_OF_RATER}RATER"
            raise InputError(str(self._path), problem, remedy=remedy)

    def _strange(self) -> list[str]:
        known = (*_REQUIRED, *_OPTIONAL)
        return [
            name
            for name in self._columns
            if name and name not in known and not name.startswith(_STRATUM) and self._target(name) is None
        ]

    def _unread(self) -> str:
        """Columns that are none of the format, in words."""
        names = self._strange()
        shown = [name for name in names if are_shown([name])]
        return ", ".join([*shown, *([f"{len(names) - len(shown)} more"] if len(shown) < len(names) else [])])

    def _begin(self, row: Row) -> None:
        if self._pairs or self._preferences or self._header != Header():
            raise row.fault("the header is not the first line")
        self._header = Header.read(row)
        self._raters = Raters(self._header.raters)
        for name, target in (self._header.targets or {}).items():
            self._targets[name] = evolve(target, higher_is_better=self._direction(row, name))
        self._scores = {name: {} for name in self._header.metrics}

    def _pair(self, row: Row) -> None:
        by_row = RATER in row.cells
        pair = read_row(Record(row.number, row.cells), _COLUMNS, {} if by_row else self._seen)
        if isinstance(pair, BadRow):
            raise row.fault(pair.problem, _ONE_ROW if pair.id in self._pairs else "")
        annotated = AnnotatedPair(
            pair=pair,
            study=row.name("study"),
            ratings={},
            generator="" if row.is_empty("generator") else row.name("generator"),
            strata=dict(_strata(row)),
            rated="" if row.is_empty("rated") else row.name("rated"),
        )
        rater = row.name(RATER) if by_row else ""
        if by_row:
            self._turns.add((pair.id, rater), row)
        before, same = self._pairs.setdefault(pair.id, (row, annotated))
        for what, name in (
            ("reports", "pair"),
            ("study", "study"),
            ("generator", "generator"),
            ("strata", "strata"),
            ("rated", "rated"),
        ):
            if getattr(annotated, name) != getattr(same, name):
                raise row.fault(f"its id is that of row {before.number}, but not its {what}", _ONE_ROW)
        ratings = self._ratings.setdefault(pair.id, {})
        for target, given in self._row_ratings(row, rater):
            ratings.setdefault(target, {}).update(given)
        for name, value in to_object(row, row.cells.get("scores"), "scores").items():
            self._score(row, pair, name, value)

    def _row_ratings(self, row: Row, rater: str) -> Iterator[tuple[str, dict[str, float]]]:
        """Ratings by target and rater: those in their own object, then those in columns of their own."""
        held = to_object(row, row.cells.get("ratings"), "ratings")
        for name, value in held.items():
            yield name, self._ratings_by_rater(row, name, numbers(row, value, name), rater)
        for column, value in row.cells.items():
            target = self._target(column)
            if target is not None and column not in held:
                _, _, one = column[len(target) :].partition(_OF_RATER)
                given = numbers(row, value, column, cell=True)
                yield target, self._ratings_by_rater(row, target, given, told_name(row, one) if one else rater)

    def _target(self, column: str) -> str | None:
        """The target whose ratings a column holds, of all raters or, as TARGET:RATER, of one."""
        if column in (*_REQUIRED, *_OPTIONAL):
            return None
        for name in (column, column.rpartition(_OF_RATER)[0]):
            if is_known(name) or name in self._told or name in self._targets:
                return name
        return None

    def _ratings_by_rater(self, row: Row, name: str, given: tuple[float, ...] | None, rater: str) -> dict[str, float]:
        if name not in self._targets:
            if self._header.targets is not None and name not in self._told:
                raise row.fault(f"the header does not name {told_name(row, name)} among its targets")
            self._targets[name] = Target(told_name(row, name), higher_is_better=self._direction(row, name))
        if given and is_count(name) and any(number < 0 for number in given):
            raise row.fault(f"{name} is negative; it is a number of errors")
        if rater:
            return self._raters.by_name(row, rater, given, name)
        return {} if given is None else self._raters.by_place(row, given, name)

    def _votes(self, row: Row, value: object, name: str) -> tuple[float, ...]:
        given = numbers(row, value, name, cell=True)
        return () if given is None else tuple(self._raters.by_place(row, given, name).values())

    def _score(self, row: Row, pair: ReportPair, name: str, value: object) -> None:
        self._direction(row, told_name(row, name), of_metric=True)
        scores = self._scores.setdefault(name, {})
        given = numbers(row, value, name)
        if given is None or all(map(math.isnan, given)):
            return
        if len(given) != 1 or scores.setdefault(pair.id, given[0]) != given[0]:
            raise row.fault(f"{name} is not one number for the pair")

    def _direction(self, row: Row | None, name: str, *, of_metric: bool = False) -> bool:
        direction = self._header.direction(name, self._told, of_metric=of_metric)
        if direction is None:
            remedy = f"`higher_is_better={name}` or `lower_is_better={name}`, or a header"
            number = None if row is None else row.number
            raise InputError(
                str(self._path), f"it is not given whether more of {name} is better", row=number, remedy=remedy
            )
        return direction


def _in_order(said: Mapping[str, float], raters: Sequence[str]) -> tuple[float, ...]:
    return tuple(said.get(rater, math.nan) for rater in raters)


def _strata(row: Row) -> Iterator[tuple[str, str]]:
    """Strata of their own object, then those in columns of their own."""
    cells = {f"{_STRATUM}{key}": value for key, value in to_object(row, row.cells.get("strata"), "strata").items()}
    cells |= {name: value for name, value in row.cells.items() if name.startswith(_STRATUM)}
    inner = Row(row.source, row.number, cells)
    for name in cells:
        if not inner.is_empty(name):
            yield told_name(row, name.removeprefix(_STRATUM)), inner.name(name)
