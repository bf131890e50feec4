"""Preferences between two candidates for one report, by several radiologists (GREEN, section 3.4.2)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from attrs import define, evolve, field

from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference, Target
from overread.studies.infrastructure.datasets.annotated_sets._account import Account
from overread.studies.infrastructure.datasets.annotated_sets._choices import (
    ALONE,
    CHOICE,
    CONFIDENCE,
    SIDE_WORDS,
    SIDES,
    SaidColumn,
    by_rater,
    check_codes,
    finite_or_nan,
    said_columns,
    to_vote,
)
from overread.studies.infrastructure.datasets.annotated_sets._files import Row, TableFile, one_table, unpack_tables
from overread.studies.infrastructure.datasets.annotated_sets._rows import Aliases, Distinct, Studies, label

__all__ = ["read_preferences"]


def _candidate_names(side: str) -> tuple[str, ...]:
    words = [word for word, other in SIDE_WORDS.items() if other == side]
    words.append(str(SIDES.index(side) + 1))
    stems = ("candidate", "report", "pred", "prediction", "generated", "response", "output")
    return tuple(
        name for stem in stems for word in words for name in (f"{stem}_{word}", f"{word}_{stem}", f"{stem}{word}")
    )


_REQUIRED: Final[Aliases] = {
    "reference": ("ref", "gt", "ground_truth", "gt_report", "reference_report", "original_report"),
    **{f"candidate_{side}": _candidate_names(side) for side in SIDES},
}
_OPTIONAL: Final[Aliases] = {
    "id": ("comparison_id", "pair_id", "sample_id", "case_id", "key"),
    "study": ("study_id", "report_id"),
    "rater": ("radiologist", "annotator", "reader", "rater_id", "rater_index", "annotator_id"),
    "generator_a": ("model_a", "system_a", "generator_1", "model_1", "system_1"),
    "generator_b": ("model_b", "system_b", "generator_2", "model_2", "system_2"),
    "subset": ("source", "dataset"),
}


@define
class _Said:
    """One rater's statement on a comparison; NaN where there is none."""

    vote: float = math.nan
    confidence: float = math.nan
    ratings: dict[str, float] = field(factory=dict)


@define
class _Comparison:
    """A comparison and what was said of it, by rater."""

    row: Row = field(repr=False)
    id: str
    study: str
    texts: tuple[str, str, str] = field(repr=False)
    generators: Mapping[str, str]
    strata: Mapping[str, str]
    said: dict[str, _Said] = field(factory=dict)


@define
class _Tally:
    """Tally over the whole file."""

    codes: set[float] = field(factory=set)
    one_sided: int = 0
    contradicted: int = 0


def read_preferences(path: Path, *, ratings: Literal["grades", "errors"] = "grades") -> HumanBenchmark:
    """Comparisons of two candidates for one reference, such as RadPref's: one row each, or one for each radiologist.

    Columns, case and signs apart:

    - ``reference``, ``candidate_a``, ``candidate_b``: the reports (also candidate_1 and _2, left and right).
    - ``choice``: A, B or tie; also left and right, first and second, or 1, 2 and 0 for a tie.
    - ``confidence`` in the choice: a number on a scale of the set's own.
    - ``rating_a``, ``rating_b``: of each candidate, in place of the choice or beside it. Without a choice the better
      rated candidate is preferred.
    - of several radiologists: one row for each with their name in a column ``rater``; or a column for each with the
      name at its end: ``choice_1``, ``confidence_1``, ``rating_a_1``; or, in JSON, one list or object for all.
    - where they are there: ``id`` (else the row's number), ``study`` (else comparisons with the same reference are
      one study), ``generator_a`` and ``generator_b``, and ``subset``, which becomes a stratum.

    Choices written as 0 and 1 alone are refused: 0 may be the first candidate or a tie.

    Args:
        path: a table, or a folder or archive with one.
        ratings: whether ratings are "grades", higher is better, or "errors", lower is better.

    Returns:
        Two pairs a comparison, ID:a and ID:b, with the target rating where there are such, and the preferences.

    Raises:
        InputError: if there is no such table, it has neither choices nor ratings, or its choices can be read in two
            ways, and at the first row that cannot be used.
    """
    with unpack_tables(path) as place:
        account = Account()
        tables = account.find(place)
        table = one_table(tables, _REQUIRED, "the table of comparisons", place) if place.is_dir() else tables[0]
        taken = {*table.columns(_REQUIRED).values(), *table.columns(_OPTIONAL).values()}
        tally = _Tally()
        comparisons = list(_comparisons(table, said_columns(table, taken), tally, account))
        check_codes(tally.codes, table)
    for comparison in comparisons:
        for statement in comparison.said.values():
            _settle(statement, tally, better=1.0 if ratings == "grades" else -1.0)
    benchmark = _benchmark(comparisons, tally, higher_is_better=ratings == "grades")
    return evolve(benchmark, understood=account.lines)


def _comparisons(
    table: TableFile, columns: Mapping[str, SaidColumn], tally: _Tally, account: Account
) -> Iterable[_Comparison]:
    made: dict[str, _Comparison] = {}
    studies, distinct = Studies(), Distinct("comparison and rater")
    long = table.column("rater", *_OPTIONAL["rater"]) is not None
    account.say("a row is one rater's word" if long else "a row is a comparison, with what all raters said of it")
    for row in account.read_aliased(table, _REQUIRED, {**_OPTIONAL, **dict.fromkeys(columns, ())}):
        if long and row.is_empty("id"):
            raise row.fault("id is missing", "rows of one comparison carry its id")
        name = label(row, "id") or str(row.number)
        rater = row.name("rater") if long else ""
        distinct.add((name, rater), row)
        comparison = _comparison(row, name, studies)
        known = made.setdefault(name, comparison)
        if known.texts != comparison.texts:
            raise row.fault(f"its reports are not those of row {known.row.number} with the same id")
        for who, statement in _all_said(row, columns, tally).items():
            known.said[rater if long and who == ALONE else who] = statement
    return made.values()


def _comparison(row: Row, name: str, studies: Studies) -> _Comparison:
    reference = row.text("reference")
    return _Comparison(
        row=row,
        id=name,
        study=label(row, "study") or studies.of(reference),
        texts=(reference, row.text("candidate_a"), row.text("candidate_b")),
        generators={side: label(row, f"generator_{side}") for side in SIDES},
        strata={} if row.is_empty("subset") else {"subset": row.name("subset")},
    )


def _all_said(row: Row, columns: Mapping[str, SaidColumn], tally: _Tally) -> dict[str, _Said]:
    """Statements of each rater in a row."""
    statements: dict[str, _Said] = {}
    for name, column in columns.items():
        for who, value in by_rater(row, name, column):
            mine = statements.setdefault(who, _Said())
            if column.role == CHOICE:
                mine.vote = to_vote(row, value, name, tally.codes)
            elif column.role == CONFIDENCE:
                mine.confidence = finite_or_nan(row, value, name)
            else:
                mine.ratings[column.side] = finite_or_nan(row, value, name)
    return statements


def _settle(said: _Said, tally: _Tally, *, better: float) -> None:
    """Takes the vote of a rater who chose nothing from the ratings."""
    first, second = (said.ratings.get(side, math.nan) for side in SIDES)
    difference = (first - second) * better
    tally.one_sided += math.isnan(first) != math.isnan(second)
    if math.isnan(difference):
        return
    by_rating = float((difference > 0) - (difference < 0))
    if math.isnan(said.vote):
        said.vote = by_rating
    tally.contradicted += by_rating * said.vote < 0


def _benchmark(comparisons: Sequence[_Comparison], tally: _Tally, *, higher_is_better: bool) -> HumanBenchmark:
    raters = tuple(dict.fromkeys(who for comparison in comparisons for who in comparison.said))
    every = [statement for comparison in comparisons for statement in comparison.said.values()]
    rated = any(math.isfinite(rating) for statement in every for rating in statement.ratings.values())
    confident = any(math.isfinite(statement.confidence) for statement in every)
    target = Target("rating", higher_is_better=higher_is_better, label="rating of the candidate")
    return HumanBenchmark(
        name="preferences",
        targets=(target,) if rated else (),
        raters=raters,
        pairs=tuple(_pair(one, side, raters, rated=rated) for one in comparisons for side in SIDES),
        preferences=tuple(_preference(one, raters, confident=confident) for one in comparisons),
        notes=tuple(_notes(comparisons, tally)),
    )


def _pair(comparison: _Comparison, side: str, raters: Sequence[str], *, rated: bool) -> AnnotatedPair:
    reference, *candidates = comparison.texts
    statements = [comparison.said.get(who, _Said()) for who in raters]
    return AnnotatedPair(
        pair=ReportPair(id=f"{comparison.id}:{side}", reference=reference, candidate=candidates[SIDES.index(side)]),
        study=comparison.study,
        ratings={"rating": tuple(one.ratings.get(side, math.nan) for one in statements)} if rated else {},
        generator=comparison.generators[side],
        strata=comparison.strata,
    )


def _preference(comparison: _Comparison, raters: Sequence[str], *, confident: bool) -> Preference:
    statements = [comparison.said.get(who, _Said()) for who in raters]
    return Preference(
        id=comparison.id,
        study=comparison.study,
        first=f"{comparison.id}:a",
        second=f"{comparison.id}:b",
        votes=tuple(one.vote for one in statements),
        confidence=tuple(one.confidence for one in statements) if confident else (),
        strata=comparison.strata,
    )


def _notes(comparisons: Sequence[_Comparison], tally: _Tally) -> Iterator[str]:
    silent = sum(
        all(math.isnan(statement.vote) for statement in comparison.said.values()) for comparison in comparisons
    )
    if silent:
        yield f"{silent} comparisons have nobody's choice"
    if tally.one_sided:
        yield f"{tally.one_sided} times a rater rated one candidate of two: no vote comes of it"
    if tally.contradicted:
        yield f"{tally.contradicted} times a rater chose the candidate that they rated worse; the choice is the vote"
