"""overread's own format: any set is written and read as the same set, and what cannot be used is refused."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from attrs import asdict, evolve
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference, Target
from overread.domain.results.scores import MetricScores
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets.generic import read_generic, write_benchmark
from overread.tables.cells import is_missing

from .layouts import PRIVATE, refused, write_csv

HEADER: Final[dict[str, Any]] = {
    "name": "ward",
    "targets": [{"name": "rating", "higher_is_better": True, "label": "grade"}],
    "raters": ["first", "second"],
    "provided": [{"metric": "bleu4", "higher_is_better": True}],
    "notes": ["invented"],
}
PAIR: Final[dict[str, Any]] = {"id": "a", "study": "s", "reference": PRIVATE, "candidate": "No effusion."}
OTHER: Final[dict[str, Any]] = {**PAIR, "id": "b"}


def lines(path: Path, *records: Mapping[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def comparable(value: object) -> object:
    """A value in which NaN equals NaN, without what is no part of it."""
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else value
    if isinstance(value, tuple):
        return tuple(map(comparable, value))
    if isinstance(value, Mapping):
        return {key: comparable(inner) for key, inner in value.items()}
    if isinstance(value, HumanBenchmark | AnnotatedPair | Preference):
        fields = asdict(value, recurse=False, filter=lambda attribute, _: bool(attribute.eq))
        return {name: comparable(inner) for name, inner in fields.items()}
    return value


def says_something(text: str) -> bool:
    """Whether it is no "null" or the like, which stands for a cell that is missing."""
    return not is_missing(text)


words = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=("C", "Z")), min_size=1, max_size=8
).filter(says_something)
texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40).filter(says_something)
numbers = st.just(math.nan) | st.floats(allow_infinity=False, min_value=0)


@st.composite
def benchmarks(draw: st.DrawFn) -> HumanBenchmark:
    """Any set: every attribute is drawn."""
    raters = draw(st.lists(words, min_size=1, max_size=3, unique=True))
    names = draw(st.lists(words, max_size=3, unique=True))
    ids = draw(st.lists(words, min_size=1, max_size=4, unique=True))
    several = st.tuples(*[numbers] * len(raters))
    strata = st.dictionaries(words, words, max_size=2)
    context = st.builds(
        ClinicalContext,
        age=st.none() | st.integers(0, 480).map(lambda quarters: quarters / 4),
        sex=st.none() | st.sampled_from(["F", "M"]),
        indication=st.none() | st.just("cough"),
    )
    pairs = [
        AnnotatedPair(
            pair=ReportPair(id=name, reference=draw(texts), candidate=draw(texts), context=draw(context)),
            study=draw(words),
            ratings={target: draw(several) for target in names},
            generator=draw(st.just("") | words),
            strata=draw(strata),
        )
        for name in ids
    ]
    votes = st.tuples(*[st.sampled_from([1.0, 0.0, -1.0, math.nan])] * len(raters))
    preferences = [
        Preference(
            id=name,
            study=draw(words),
            first=draw(st.sampled_from(ids)),
            second=draw(st.sampled_from(ids)),
            votes=draw(votes),
            confidence=draw(st.just(()) | several),
            strata=draw(strata),
        )
        for name in draw(st.lists(words, max_size=2, unique=True))
    ]
    scores = st.dictionaries(st.sampled_from(ids), st.floats(allow_nan=False, allow_infinity=False)).map(
        lambda drawn: {name: drawn[name] for name in ids if name in drawn}
    )
    provided = [
        MetricScores.distributed(name, draw(scores), higher_is_better=draw(st.booleans()))
        for name in draw(st.lists(words, max_size=2, unique=True))
    ]
    assume(
        preferences
        or any(not math.isnan(number) for each in pairs for said in each.ratings.values() for number in said)
    )
    return HumanBenchmark(
        name=draw(words),
        targets=tuple(Target(name, draw(st.booleans()), draw(texts)) for name in names),
        raters=tuple(raters),
        pairs=tuple(pairs),
        preferences=tuple(preferences),
        provided=tuple(provided),
        notes=tuple(draw(st.lists(words, max_size=2, unique=True))),
    )


@settings(max_examples=40)
@given(benchmark=benchmarks())
def test_any_set_survives(benchmark: HumanBenchmark, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Written and read again, a set is the same: numbers to the last digit, gaps, order, directions and names."""
    path = tmp_path_factory.mktemp("sets") / "set.jsonl"
    write_benchmark(benchmark, path)
    assert comparable(read_generic(path)) == comparable(benchmark)


def test_lines_of_every_kind(tmp_path: Path) -> None:
    """A header, pairs and a comparison whose pairs may come after it."""
    preference = {"preference": {"id": "p", "first": "a", "second": "b", "votes": [1, None], "confidence": [0.5, 1]}}
    first = {**PAIR, "ratings": {"rating": [4, None]}, "strata": {"level": "line"}, "scores": {"bleu4": 0.25}}
    path = lines(tmp_path / "a.jsonl", {"benchmark": HEADER}, first, preference, {**OTHER, "generator": "m2"})
    benchmark = read_generic(path)
    assert (benchmark.name, benchmark.raters, benchmark.notes) == ("ward", ("first", "second"), ("invented",))
    assert benchmark.targets == (Target("rating", higher_is_better=True, label="grade"),)
    a, b = benchmark.pairs
    assert comparable(a.ratings) == {"rating": (4.0, "NaN")}
    assert comparable(b.ratings) == {"rating": ("NaN", "NaN")}
    assert (a.strata, b.generator) == ({"level": "line"}, "m2")
    (compared,) = benchmark.preferences
    assert comparable(compared.votes) == (1.0, "NaN")
    assert (compared.study, compared.confidence) == ("s", (0.5, 1.0))
    assert benchmark.provided == (MetricScores.distributed("bleu4", {"a": 0.25}, higher_is_better=True),)


def test_flat_columns_need_no_header(tmp_path: Path) -> None:
    """Counts have columns of their own and fewer is better; strata are columns too; an empty cell is no rating."""
    rows = [
        {**PAIR, "total": 3, "significant.B": "[1, null]", "strata.level": "sentence", "age": 67},
        {**OTHER, "total": "", "significant.B": "[0, 2]", "strata.level": "", "age": ""},
    ]
    rows[0]["total"] = "[3, 1]"
    benchmark = read_generic(write_csv(tmp_path / "a.csv", rows))
    assert [(target.name, target.higher_is_better) for target in benchmark.targets] == [
        ("total", False),
        ("significant.B", False),
    ]
    assert benchmark.raters == ("rater 1", "rater 2")
    assert comparable(benchmark.pairs[0].ratings) == {"total": (3.0, 1.0), "significant.B": (1.0, "NaN")}
    assert comparable(benchmark.pairs[1].ratings) == {"total": ("NaN", "NaN"), "significant.B": (0.0, 2.0)}
    assert [pair.strata for pair in benchmark.pairs] == [{"level": "sentence"}, {}]
    assert benchmark.pairs[0].pair.context.age == 67
    assert (benchmark.name, benchmark.notes) == ("pairs", ())


GRADES: Final = [("a", "ana", 4), ("a", "ben", 5), ("b", "ben", 2), ("b", "ana", ""), ("b", "cho", 1)]
"""Grades of pairs by rater; one of them is a gap, and one rater did not see both pairs."""


def assert_grades(benchmark: HumanBenchmark) -> None:
    assert benchmark.raters == ("ana", "ben", "cho")
    assert benchmark.targets == (Target("grade", higher_is_better=True),)
    assert [pair.pair.id for pair in benchmark.pairs] == ["a", "b"]
    assert [comparable(pair.ratings) for pair in benchmark.pairs] == [
        {"grade": (4.0, 5.0, "NaN")},
        {"grade": ("NaN", 2.0, 1.0)},
    ]


def test_a_row_for_each_rater(tmp_path: Path) -> None:
    """Rows of one id are one pair; a rater who has no row of it gave no rating."""
    rows = [{**PAIR, "id": name, "rater": rater, "grade": grade} for name, rater, grade in GRADES]
    assert_grades(read_generic(write_csv(tmp_path / "a.csv", rows), higher_is_better=["grade"]))
    header = {"benchmark": {"raters": ["ana", "ben", "cho"], "targets": [{"name": "grade", "higher_is_better": True}]}}
    records = [{**row, "ratings": {"grade": row.pop("grade") or None}} for row in reversed(rows[2:] + rows[:2])]
    read = read_generic(lines(tmp_path / "a.jsonl", header, *records))
    assert read.raters == ("ana", "ben", "cho")
    assert comparable(read.pairs[0].ratings) == {"grade": (4.0, 5.0, "NaN")}


def test_a_column_for_each_rater(tmp_path: Path) -> None:
    """TARGET:RATER names whose ratings a column holds, in the order of the columns."""
    by_pair = {name: {f"grade:{who}": given for pair, who, given in GRADES if pair == name} for name in ("a", "b")}
    blank = dict.fromkeys(("grade:ana", "grade:ben", "grade:cho"), "")
    rows = [{**PAIR, "id": name, **blank, **grades} for name, grades in by_pair.items()]
    assert_grades(read_generic(write_csv(tmp_path / "a.csv", rows), higher_is_better=["grade"]))


TURN: Final = {**PAIR, "rater": "ana", "total": 1}


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([TURN, {**TURN, "total": 2}], "row 2: its id and rater is also that of row 1"),
        ([TURN, {**TURN, "rater": "ben", "candidate": "x"}], "row 2: its id is that of row 1, but not its reports"),
        ([TURN, {**TURN, "rater": "ben", "study": "t"}], "row 2: its id is that of row 1, but not its study"),
        ([TURN, {**TURN, "rater": ""}], "row 2: rater is empty"),
        ([{**TURN, "total": "[1, 2]"}], "row 1: total has 2 numbers for one rater"),
        ([{**PAIR, "total": 1, "rating:ana": 1}], "row 1: rating identifies ana by name, but other raters by position"),
        ([{**PAIR, "total": 1}, {**PAIR, "total": 2}], "(one row a pair; where each rater has a row of a pair, a col"),
    ],
)
def test_faults_of_raters_by_name(tmp_path: Path, rows: list[dict[str, Any]], told: str) -> None:
    """A pair is told alike in each of its rows, and a rater has one of them."""
    path = write_csv(tmp_path / "a.csv", rows)
    assert told in refused(lambda: read_generic(path, higher_is_better=["rating"] if "rating:ana" in rows[0] else []))


def test_what_is_not_read_is_told(tmp_path: Path) -> None:
    """A set in which nothing is said names its columns; beside ratings, columns that are not read are in a note."""
    silent = write_csv(tmp_path / "a.csv", [{**PAIR, "grade_ana": 4, PRIVATE * 2: 1}])
    message = refused(lambda: read_generic(silent))
    assert "holds no rating and no preference" in message
    silent = lines(tmp_path / "a.jsonl", {"benchmark": HEADER}, {**PAIR, "rating_own": [3, 4]})
    message = refused(lambda: read_generic(silent))
    assert "it has benchmark, id, study, reference, candidate, rating_own (ratings stand in total" in message
    wide = write_csv(tmp_path / "b.csv", [{**PAIR, "grade_ana": 4, "total": 1}])
    assert "columns not read: grade_ana; one of a single rater is grade:RATER" in refused(
        lambda: read_generic(wide, higher_is_better=["grade"])
    )
    noted = write_csv(tmp_path / "c.csv", [{**PAIR, "total": 1, "remark": PRIVATE, "a" * 50: "", "strata.x": "y"}])
    (note,) = read_generic(noted).notes
    assert note.startswith("not read: remark, 1 more; a column of ratings needs")


def test_text_is_a_number_in_a_csv_alone(tmp_path: Path) -> None:
    """All cells of a CSV are text; JSON knows numbers, also within a cell."""
    assert read_generic(write_csv(tmp_path / "a.csv", [{**PAIR, "total": " 3"}])).pairs[0].ratings == {"total": (3.0,)}
    for record in ({"total": "3"}, {"ratings": {"total": ["3", 4]}}):
        path = lines(tmp_path / "a.jsonl", {**PAIR, **record})
        assert "row 1: total is not a number but text (write numbers without quotes" in refused(
            partial(read_generic, path)
        )
    quoted = write_csv(tmp_path / "b.csv", [{**PAIR, "total": '["3", 4]'}])
    assert "total is not a number but text" in refused(lambda: read_generic(quoted))


def test_parquet_holds_objects(tmp_path: Path) -> None:
    """Ratings and strata may be structures; a null in them is no rating."""
    rows = [
        {**PAIR, "ratings": {"total": [1.0, None], "insignificant": None}, "strata": {"level": "x"}},
        {**OTHER, "ratings": {"total": [2.0, 3.0], "insignificant": [0.0, 1.0]}, "strata": {"level": None}},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    benchmark = read_generic(tmp_path / "a.parquet")
    assert comparable(benchmark.pairs[0].ratings) == {"total": (1.0, "NaN"), "insignificant": ("NaN", "NaN")}
    assert [pair.strata for pair in benchmark.pairs] == [{"level": "x"}, {}]


def test_directions_are_told_by_options(tmp_path: Path) -> None:
    """A rating's direction is not guessed; the user's word goes before the header's."""
    path = lines(tmp_path / "a.jsonl", {**PAIR, "rating": 4, "quality": 2, "scores": {"own": 1}})
    message = refused(lambda: read_generic(path, higher_is_better=["quality"]))
    assert "row 1: it is not given whether more of rating is better (`higher_is_better=rating`" in message
    read = read_generic(path, higher_is_better=["rating"], lower_is_better=["own", "quality"])
    assert {target.name: target.higher_is_better for target in read.targets} == {"rating": True, "quality": False}
    assert not read.provided[0].higher_is_better
    assert read.raters == ("people",)
    assert "no target or metric is named grade; choose from rating, quality, own" in refused(
        lambda: read_generic(path, higher_is_better=["rating", "grade"], lower_is_better=["own", "quality"])
    )
    assert "both directions are given for own" in refused(
        lambda: read_generic(path, higher_is_better=["own"], lower_is_better=["own"])
    )
    headed = lines(tmp_path / "b.jsonl", {"benchmark": HEADER}, {**PAIR, "ratings": {"rating": [1, 2]}})
    assert not read_generic(headed, lower_is_better=["rating"]).targets[0].higher_is_better


def test_target_and_metric_of_one_name(tmp_path: Path) -> None:
    """Each has a direction of its own in the header."""
    targets = [{"name": "green", "higher_is_better": True}]
    header = {"targets": targets, "provided": [{"metric": "green", "higher_is_better": False}]}
    pair = {**PAIR, "ratings": {"green": 1}, "scores": {"green": 2}}
    read = read_generic(lines(tmp_path / "a.jsonl", {"benchmark": header}, pair))
    assert (read.targets[0].higher_is_better, read.provided[0].higher_is_better) == (True, False)


def test_preferences_in_a_second_file(tmp_path: Path) -> None:
    """One comparison a row; where there is no study it is that of its first pair."""
    pairs = lines(tmp_path / "a.jsonl", {**PAIR, "total": 1}, {**OTHER, "study": "t", "total": 2})
    rows = [{"id": "p", "first": "a", "second": "b", "votes": -1}, {"id": "q", "first": "b", "second": "a", "votes": 0}]
    preferences = read_generic(pairs, preferences=write_csv(tmp_path / "p.csv", rows)).preferences
    assert [(each.id, each.study, each.votes) for each in preferences] == [("p", "s", (-1.0,)), ("q", "t", (0.0,))]


RATED: Final = {**PAIR, "ratings": {"total": [1, 2]}}
COMPARED: Final = {"id": "p", "first": "a", "second": "a", "votes": [1, 0]}


@pytest.mark.parametrize(
    ("records", "told"),
    [
        ([RATED, RATED], "row 2: its id is also that of row 1"),
        ([{**RATED, "ratings": {"total": [1, float("nan")]}}], "row 1: total is not a finite number"),
        ([{**RATED, "ratings": {"total": [1, -2]}}], "row 1: total is negative"),
        ([{**RATED, "ratings": {"severity": -2}}], "row 1: severity is negative"),
        ([{**RATED, "ratings": {"total": [1, "two"]}}], "row 1: total is not a number"),
        ([{**RATED, "ratings": {"total": [1, True]}}], "row 1: total is true or false, not a number"),
        ([{**RATED, "ratings": PRIVATE}], "row 1: ratings is text that is not valid JSON"),
        ([RATED, {**OTHER, "ratings": {"total": [1, 2, 3]}}], "row 2: total has 3 numbers for 2 raters"),
        ([RATED, {**OTHER, "ratings": {"total": 1}}], "row 2: total has 1 numbers for 2 raters"),
        ([{**PAIR, "study": None, "total": 1}], "row 1: study is missing"),
        ([{**RATED, "reference": None}], "row 1: reference is null"),
        ([{"benchmark": HEADER}, RATED], "row 2: the header does not name total among its targets"),
        ([{"benchmark": HEADER}, {**PAIR, "ratings": {"rating": [1, 2, 3]}}], "rating has 3 numbers for 2 raters"),
        ([RATED, {"benchmark": HEADER}], "row 2: the header is not the first line"),
        (
            [{"benchmark": {**HEADER, "rater": []}}, RATED],
            "row 1: the header is not an object with the keys by_people, name",
        ),
        ([{"benchmark": {"targets": [{"name": "x"}]}}, RATED], "row 1: the header does not say whether more of x"),
        ([{"benchmark": {"raters": ["x", "x"]}}, RATED], "row 1: raters of the header names x twice"),
        ([{"benchmark": {"by_people": 1}}, RATED], "row 1: by_people of the header is neither true nor false"),
        ([{"benchmark": {"raters": 3}}, RATED], "row 1: raters of the header is not a list of names"),
        ([RATED, {"preference": {**COMPARED, "second": "z"}}], "row 2: compares pair 'z', which does not exist"),
        ([RATED, {"preference": COMPARED}, {"preference": COMPARED}], "row 3: its id is also that of row 2"),
        ([RATED, {"preference": {**COMPARED, "votes": [1, 2]}}], "row 2: votes are not each 1 for the first"),
        ([RATED, {"preference": {**COMPARED, "votes": None}}], "row 2: votes are not each 1 for the first"),
        ([RATED, {"preference": {**COMPARED, "votes": [1]}}], "row 2: votes has 1 numbers for 2 raters"),
        ([RATED, {"preference": "a"}], "row 2: preference is text that is not valid JSON"),
        ([{"benchmark": HEADER}, {"preference": COMPARED}], "no column id or study or reference or candidate"),
        ([{"id": 1, "reference": "x", "candidate": "y"}], "no column study"),
    ],
)
def test_faults_are_refused(tmp_path: Path, records: list[dict[str, Any]], told: str) -> None:
    """Each fault names file and row; nothing is made up in its place."""
    path = lines(tmp_path / "a.jsonl", *records)
    message = refused(lambda: read_generic(path))
    assert str(path) in message
    assert told in message


@pytest.mark.parametrize(
    ("header", "rated", "by_people"),
    [
        (HEADER, {**PAIR, "ratings": {"rating": [1, 2]}}, True),
        ({**HEADER, "by_people": False}, {**PAIR, "ratings": {"rating": [1, 2]}}, False),
        ({"name": "made"}, {**PAIR, "ratings": {"total": 3}}, False),
        ({"name": "asked"}, {**PAIR, "ratings": {"total": [3, 4]}}, True),
    ],
)
def test_who_judged_is_told_or_seen_by_the_raters(
    tmp_path: Path, header: dict[str, Any], rated: dict[str, Any], *, by_people: bool
) -> None:
    """One number that nobody is named for may come with how the pairs were made; what is written is read back."""
    found = read_generic(lines(tmp_path / "a.jsonl", {"benchmark": header}, rated))
    assert found.by_people is by_people
    assert found.judges == ("people" if by_people else "the labels")
    write_benchmark(found, tmp_path / "b.jsonl")
    assert read_generic(tmp_path / "b.jsonl").by_people is by_people


def test_set_without_pairs_is_refused(tmp_path: Path) -> None:
    """A header alone is no set."""
    rows = [dict.fromkeys(("id", "study", "reference", "candidate"), "x")]
    path = write_csv(tmp_path / "a.csv", rows)
    path.write_text(path.read_text(encoding="utf-8").splitlines()[0], encoding="utf-8")
    assert "holds no rows" in refused(lambda: read_generic(path))


def test_file_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    """A number that JSON cannot hold leaves the file that was there; a folder or another suffix is refused."""
    path = lines(tmp_path / "a.jsonl", RATED)
    benchmark, before = read_generic(path), path.read_bytes()
    broken = evolve(benchmark, pairs=(evolve(benchmark.pairs[0], ratings={"total": (math.inf, 1.0)}),))
    with pytest.raises(ValueError, match="JSON compliant"):
        write_benchmark(broken, path)
    assert path.read_bytes() == before
    with pytest.raises(InputError, match=r"use \.jsonl or \.ndjson"):
        write_benchmark(benchmark, tmp_path / "a.csv")
    with pytest.raises(InputError, match=r"the folder .* does not exist"):
        write_benchmark(benchmark, tmp_path / "nowhere" / "a.jsonl")
