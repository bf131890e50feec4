"""overread's own format for any human-annotated set: JSON lines, or a table for what fits into one."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import evolve

from overread.application.corpus import BadRow
from overread.domain.annotation import AnnotatedPair, HumanBenchmark, Preference, ProvidedScores, Target
from overread.domain.report import ReportPair
from overread.exceptions import InputError
from overread.infrastructure.benchmarks._files import Row, TableFile, open_table, read_rows, shown_names
from overread.infrastructure.benchmarks._header import HEADER, PREFERENCE, Header, is_count, is_known
from overread.infrastructure.benchmarks._rows import Distinct, to_number
from overread.infrastructure.benchmarks._writing import write_generic
from overread.infrastructure.cells import RowError, identifier, is_missing, type_words
from overread.infrastructure.records import Record
from overread.infrastructure.tables import Columns, read_row

__all__ = ["read_generic", "write_generic"]

_COLUMNS: Final = Columns()
_REQUIRED: Final = ("id", "study", "reference", "candidate")
_OPTIONAL: Final = (*_COLUMNS.optional, "generator", "ratings", "strata", "scores", PREFERENCE, HEADER)
_STRATUM: Final = "strata."
_VOTES: Final = (1.0, 0.0, -1.0)

_Ratings = dict[str, tuple[float, ...] | None]
"""By target; None where nobody gave one."""


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

    Args:
        path: .jsonl, .ndjson, .csv, .tsv, .json (each also gzipped) or .parquet.
        preferences: a further file, with one comparison a row.
        higher_is_better: targets and metrics of which more is better, where neither header nor name tells.
        lower_is_better: those of which less is better.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, if the direction of a target is not
            told, and at the first row that repeats an id or has a rating, vote or score that cannot be used: NaN, a
            negative count, more or fewer ratings than there are raters.
    """
    told = {**dict.fromkeys(higher_is_better, True), **dict.fromkeys(lower_is_better, False)}
    if twice := sorted(set(higher_is_better) & set(lower_is_better)):
        raise InputError(str(path), f"both directions are told of {twice[0]}", remedy="more of it is better, or less")
    table = open_table(path)
    if missing := [name for name in _REQUIRED if name not in table.names]:
        remedy = "a pair that shares its reference with no other has its id for a study" if missing == ["study"] else ""
        problem = f"no column {' or '.join(missing)}; there is {shown_names(table.names)}"
        raise InputError(str(path), problem, remedy=remedy)
    reading = _Reading(path, told)
    for row in _all_rows(table):
        reading.add(row)
    if preferences is not None:
        for row in _all_rows(open_table(preferences)):
            held = row.cells.get(PREFERENCE)
            reading.prefer(row, row.cells if held is None else held)
    return reading.benchmark()


class _Reading:
    """Takes rows in order and puts a set together."""

    def __init__(self, path: Path, told: Mapping[str, bool]) -> None:
        self._path = path
        self._told = told
        self._header = Header()
        self._seen: dict[str, int] = {}
        self._pairs: list[tuple[AnnotatedPair, _Ratings]] = []
        self._preferences: list[Preference] = []
        self._comparisons = Distinct("id")
        self._targets: dict[str, Target] = {}
        self._scores: dict[str, dict[str, float]] = {}
        self._raters = 0
        self._awaited: list[tuple[Row, str]] = []

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
        told = Row(row.source, row.number, _object(row, held, PREFERENCE))
        name = told.name("id")
        self._comparisons.add(name, row)
        first, second = told.name("first"), told.name("second")
        self._awaited += [(row, first), (row, second)]
        votes = self._by_rater(row, told.cells.get("votes"), "votes")
        if votes is None or not all(math.isnan(vote) or vote in _VOTES for vote in votes):
            raise row.fault("votes are not each 1 for the first, -1 for the second, 0 for neither, or null")
        confidence = self._by_rater(row, told.cells.get("confidence"), "confidence") or ()
        study = "" if told.is_empty("study") else told.name("study")
        strata = dict(_strata(told))
        self._preferences.append(
            Preference(
                id=name,
                study=study,
                first=first,
                second=second,
                votes=votes,
                confidence=confidence,
                strata=strata,
            )
        )

    def benchmark(self) -> HumanBenchmark:
        """The set. Raises `InputError` if it holds no pair, or a comparison one that is not there."""
        if not self._pairs:
            raise InputError(str(self._path), "holds no pairs")
        studies = {pair.pair.id: pair.study for pair, _ in self._pairs}
        for row, name in self._awaited:
            if name not in studies:
                raise row.fault(f"compares pair {name!r}, which is not there", "first and second are ids of pairs")
        if unknown := [name for name in self._told if name not in self._targets and name not in self._scores]:
            there = ", ".join((*self._targets, *self._scores)) or "none"
            raise InputError(str(self._path), f"no target or metric is named {unknown[0]}; there is {there}")
        raters = self._header.raters or _raters(self._raters or 1)
        none = (math.nan,) * len(raters)
        targets = tuple(self._targets.values())
        pairs = [
            evolve(pair, ratings={target.name: ratings.get(target.name) or none for target in targets})
            for pair, ratings in self._pairs
        ]
        preferences = [evolve(each, study=each.study or studies[each.first]) for each in self._preferences]
        provided = [
            ProvidedScores(metric=name, higher_is_better=self._direction(None, name), scores=scores)
            for name, scores in self._scores.items()
        ]
        return HumanBenchmark(
            name=self._header.name,
            targets=targets,
            raters=raters,
            pairs=tuple(pairs),
            preferences=tuple(preferences),
            provided=tuple(provided),
            notes=self._header.notes,
        )

    def _begin(self, row: Row) -> None:
        if self._pairs or self._preferences or self._header != Header():
            raise row.fault("the header is not the first line")
        self._header = Header.read(row)
        self._raters = len(self._header.raters)
        for name, target in (self._header.targets or {}).items():
            self._targets[name] = evolve(target, higher_is_better=self._direction(row, name))
        self._scores = {name: {} for name in self._header.metrics}

    def _pair(self, row: Row) -> None:
        pair = read_row(Record(row.number, row.cells), _COLUMNS, self._seen)
        if isinstance(pair, BadRow):
            raise row.fault(pair.problem)
        ratings = {name: self._rating(row, name, value) for name, value in self._given(row)}
        for name, value in _object(row, row.cells.get("scores"), "scores").items():
            self._score(row, pair, name, value)
        annotated = AnnotatedPair(
            pair=pair,
            study=row.name("study"),
            ratings={},
            generator="" if row.is_empty("generator") else row.name("generator"),
            strata=dict(_strata(row)),
        )
        self._pairs.append((annotated, ratings))

    def _given(self, row: Row) -> Iterator[tuple[str, object]]:
        """Ratings as they stand: in their own object, then in columns of their own."""
        held = _object(row, row.cells.get("ratings"), "ratings")
        yield from held.items()
        for name, value in row.cells.items():
            if name not in held and name not in (*_REQUIRED, *_OPTIONAL) and self._is_target(name):
                yield name, value

    def _is_target(self, name: str) -> bool:
        return is_known(name) or name in self._told or name in self._targets

    def _rating(self, row: Row, name: str, value: object) -> tuple[float, ...] | None:
        if name not in self._targets:
            if self._header.targets is not None and name not in self._told:
                raise row.fault(f"the header does not name {_shown(row, name)} among its targets")
            self._targets[name] = Target(_shown(row, name), higher_is_better=self._direction(row, name))
        given = self._by_rater(row, value, name)
        if given and is_count(name) and any(number < 0 for number in given):
            raise row.fault(f"{name} is negative; it is a number of errors")
        return given

    def _by_rater(self, row: Row, value: object, name: str) -> tuple[float, ...] | None:
        """One number a rater, NaN for none; None where the whole cell is empty."""
        if value is None or (isinstance(value, str) and not value.strip()):
            return None
        if isinstance(value, str) and value.lstrip().startswith("["):
            value = _json(row, value, name)
        numbers = tuple(_number(row, entry, name) for entry in (value if isinstance(value, list) else [value]))
        self._raters = self._raters or len(numbers)
        if len(numbers) != self._raters:
            problem = f"{name} has {len(numbers)} numbers for {self._raters} raters"
            raise row.fault(problem, "write one a rater in the same order, null for none")
        return numbers

    def _score(self, row: Row, pair: ReportPair, name: str, value: object) -> None:
        self._direction(row, _shown(row, name))
        scores = self._scores.setdefault(name, {})
        if value is not None:
            scores[pair.id] = _number(row, value, name)

    def _direction(self, row: Row | None, name: str) -> bool:
        direction = self._header.direction(name, self._told)
        if direction is None:
            remedy = f"--higher-is-better {name} or --lower-is-better {name}, or a header"
            number = None if row is None else row.number
            raise InputError(
                str(self._path), f"nothing tells whether more of {name} is better", row=number, remedy=remedy
            )
        return direction


def _all_rows(table: TableFile) -> Iterator[Row]:
    return read_rows(table, {}, {name: name for name in table.names if name})


def _strata(row: Row) -> Iterator[tuple[str, str]]:
    """Strata of their own object, then those in columns of their own."""
    cells = {f"{_STRATUM}{key}": value for key, value in _object(row, row.cells.get("strata"), "strata").items()}
    cells |= {name: value for name, value in row.cells.items() if name.startswith(_STRATUM)}
    inner = Row(row.source, row.number, cells)
    for name in cells:
        if not inner.is_empty(name):
            yield _shown(row, name.removeprefix(_STRATUM)), inner.name(name)


def _object(row: Row, value: object, name: str) -> Mapping[str, Any]:
    """An object, or one that a cell of a table holds as JSON; an empty one for an empty cell."""
    if is_missing(value) or value == "":
        return {}
    if isinstance(value, str):
        value = _json(row, value, name)
    if not isinstance(value, Mapping):
        raise row.fault(f"{name} is {type_words(value)}, not an object")
    return value


def _json(row: Row, text: str, name: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise row.fault(f"{name} is text that is not valid JSON") from None


def _number(row: Row, value: object, name: str) -> float:
    return math.nan if value is None else to_number(row, value, name)


def _shown(row: Row, name: str) -> str:
    """A key that can be told in messages and tables."""
    try:
        return identifier(name)
    except RowError as error:
        raise row.fault(f"a key {error}") from None


def _raters(number: int) -> tuple[str, ...]:
    return ("people",) if number == 1 else tuple(f"rater {rater}" for rater in range(1, number + 1))
