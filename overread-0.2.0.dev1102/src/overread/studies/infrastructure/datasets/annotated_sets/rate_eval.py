"""RaTE-Eval (RaTEScore, section 3): graded sentences, graded reports, and triads of rewritten reports."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from attrs import define, field, frozen

from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference, Target
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets._account import Account
from overread.studies.infrastructure.datasets.annotated_sets._files import Row, TableFile, no_table, unpack_tables
from overread.studies.infrastructure.datasets.annotated_sets._grades import GRADES, grades_in, rater_columns
from overread.studies.infrastructure.datasets.annotated_sets._rows import (
    Aliases,
    Distinct,
    Studies,
    check_readable,
    label,
)

__all__ = ["LEVELS", "read_rate_eval"]

LEVELS: Final = ("sentence", "paragraph", "synthetic")
"""The three tasks."""

_REFERENCE: Final = ("ref", "gt", "ground_truth", "gt_report", "reference_report", "original", "original_report", "raw")
_PAIR: Final[Aliases] = {
    "reference": _REFERENCE,
    "candidate": ("cand", "pred", "prediction", "candidate_report", "generated", "hypothesis", "hyp"),
}
_TRIAD: Final[Aliases] = {
    "reference": (*_REFERENCE, "report"),
    "synonym": ("synonymous", "synonymous_report", "synonyms", "syn", "rewrite", "rewritten"),
    "antonym": ("antonymous", "antonymous_report", "antonyms", "anonymous", "ant", "opposite", "negation"),
}
_COMMON: Final[Aliases] = {
    "id": ("pair_id", "sample_id", "case_id", "index", "key"),
    "study": ("study_id", "report_id"),
    "level": ("task",),
    "split": (),
    "modality": (),
    "anatomy": ("region", "organ"),
}
_LEVEL_WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("sentence", "sentences", "sent", "short"), "sentence"),
    **dict.fromkeys(("paragraph", "paragraphs", "para", "long"), "paragraph"),
}
_SPLIT_WORDS: Final[Mapping[str, str]] = {"train": "train", "test": "test", "dev": "dev", "validation": "dev"}
_MIDDLE: Final = {"sentence": 0.5, "paragraph": 2.5}
_REWRITING: Final = "rewriting"
_RATING: Final = Target("rating", higher_is_better=True, label="grade: of sentences to 1, of paragraphs 0 to 5")
_ERRORS: Final = Target("total", higher_is_better=False, label="errors counted in a sentence, not normalised")


@frozen(kw_only=True)
class _Rated:
    """A pair with the grades that it has, by rater; none at all in a triad."""

    pair: ReportPair
    study: str
    strata: Mapping[str, str]
    grades: Mapping[str, float] = field(factory=dict)
    errors: Mapping[str, float] = field(factory=dict)


@define
class _Reading:
    """State of the reading so far."""

    sentence_grades: str
    levels: Collection[str]
    rated: list[_Rated] = field(factory=list)
    triads: dict[str, tuple[_Rated, _Rated]] = field(factory=dict)
    ungraded: int = 0
    passed_over: int = 0
    account: Account = field(factory=Account)
    distinct: Distinct = field(factory=lambda: Distinct("id"))
    studies: Studies = field(factory=Studies)


def read_rate_eval(
    path: Path, *, levels: Collection[str] = (), sentence_grades: Literal["errors", "quality"] = "errors"
) -> HumanBenchmark:
    """RaTE-Eval, one table a task; tasks in one folder are read together and told apart by the stratum level.

    Columns, each under one of several names, case and signs apart:

    - sentence: ``reference``, ``candidate`` and the grade: ``errors`` and ``potential`` (errors that could have been
      made), or ``rating``, the first over the second; of several radiologists ``rating_1``, ``rating_2``, or
      ``errors_rater1``, ``potential_rater1`` and so on, or a JSON list ``ratings``.
    - paragraph: ``reference``, ``candidate`` and ``rating``, 0 to 5, or several as above.
    - synthetic: ``reference``, ``synonym`` and ``antonym``.
    - in each, where they are there: ``id``, ``study`` (else pairs with the same reference are one study), ``split``,
      ``modality`` and ``anatomy``, which become strata.

    "sentence" or "paragraph" must stand in the name of the file or its folder, or in a column ``level``; a table with
    potential errors holds sentences.

    A sentence's grade is 1 less errors per potential error (RaTEScore, Fig. 3), so that higher is better at every
    level. Where nothing could have been wrong there is no grade; such pairs are counted in the notes.

    Args:
        path: a table, or a folder or archive of such.
        levels: the tasks to read, all if empty; others are passed over.
        sentence_grades: what the column ``rating`` of sentences holds: "errors", the share of potential errors that
            were made, 0 is best, as the paper describes it; or "quality", where 1 is best.

    Returns:
        Targets rating and, where sentences have counts, total; a preference for the synonymous report of each triad,
        the vote of a rater "rewriting". Where the file tells but one grade the rater is "mean".

    Raises:
        InputError: if there is no such table, its level is not told, or equal texts are graded worse than others,
            and at the first row that cannot be used.
        ValueError: if there is no such level.
    """
    if not set(levels) <= set(LEVELS):
        raise ValueError(f"levels must be among {', '.join(LEVELS)}")
    reading = _Reading(sentence_grades, levels or LEVELS)
    with unpack_tables(path) as place:
        tables = reading.account.find(place)
        check_readable(tables)
        usable = [table for table in tables if _is_triad(table) or _has_grades(table)]
        if not usable:
            raise no_table(
                tables, dict.fromkeys(("reference", "candidate", "rating"), ()), "a task of RaTE-Eval", place
            )
        names = [_words(table, place) for table in usable]
        for table, words in zip(usable, names, strict=True):
            prefix = "" if names.count(words) == 1 else str(table.path.relative_to(place).with_suffix(""))
            _read(reading, table, words, prefix)
    if not reading.rated and not reading.triads:
        raise InputError(str(path), f"holds no pairs of the level {' or '.join(levels)}", remedy="name another level")
    for level in LEVELS:
        _check_direction([rated for rated in reading.rated if rated.strata["level"] == level], path)
    return _benchmark(reading)


def _is_triad(table: TableFile) -> bool:
    return table.has(_TRIAD)


def _has_grades(table: TableFile) -> bool:
    graded = table.columns(GRADES).keys() & {"rating", "ratings", "errors"} or rater_columns(table)
    return table.has(_PAIR) and bool(graded)


def _words(table: TableFile, place: Path) -> tuple[str, str]:
    """Level and split that the name of a file or its folders tells, "" where it does not."""
    name = table.path.name if table.path == place else str(table.path.relative_to(place))
    words = re.findall(r"[a-z]+", name.lower())
    levels = {_LEVEL_WORDS[word] for word in words if word in _LEVEL_WORDS}
    splits = {_SPLIT_WORDS[word] for word in words if word in _SPLIT_WORDS}
    level = "synthetic" if _is_triad(table) else levels.pop() if len(levels) == 1 else ""
    return level, splits.pop() if len(splits) == 1 else ""


def _read(reading: _Reading, table: TableFile, words: tuple[str, str], prefix: str) -> None:
    """Adds the rows of a table to what was read."""
    triad, by_rater = _is_triad(table), rater_columns(table)
    optional = _COMMON if triad else {**_COMMON, **GRADES, **dict.fromkeys(by_rater, ())}
    for row in reading.account.read_aliased(table, _TRIAD if triad else _PAIR, optional, "triad" if triad else "pair"):
        level = "synthetic" if triad else _level(row, words[0], counted="potential" in row.cells)
        if level not in reading.levels:
            reading.passed_over += 1
            continue
        split = label(row, "split") or words[1]
        strata = {"level": level, **({"split": split} if split else {})}
        strata |= {name: label(row, name) for name in ("modality", "anatomy") if not row.is_empty(name)}
        own = label(row, "id") or str(row.number)
        name = f"{prefix}-{own}" if prefix else "-".join(filter(None, (level, split, own)))
        reading.distinct.add(name, row)
        reference = row.text("reference")
        study = label(row, "study") or reading.studies.of(reference)
        if triad:
            synonym, antonym = (
                _Rated(
                    pair=ReportPair(id=f"{name}:{kind}", reference=reference, candidate=row.text(kind)),
                    study=study,
                    strata={**strata, "rewriting": kind},
                )
                for kind in ("synonym", "antonym")
            )
            reading.triads[name] = (synonym, antonym)
            continue
        grades, errors = grades_in(row, by_rater, level, reading.sentence_grades)
        reading.ungraded += not any(math.isfinite(grade) for grade in grades.values())
        pair = ReportPair(id=name, reference=reference, candidate=row.text("candidate"))
        reading.rated.append(_Rated(pair=pair, study=study, strata=strata, grades=grades, errors=errors))


def _level(row: Row, said: str, *, counted: bool) -> str:
    level = _LEVEL_WORDS.get(label(row, "level").lower().removesuffix("-level"), "") or said
    if not level and not counted:
        remedy = "put sentence or paragraph into the name of the file, or into a column level"
        raise row.fault("it is not given whether this is a sentence or a paragraph", remedy)
    return level or "sentence"


def _check_direction(rated: Sequence[_Rated], path: Path) -> None:
    """Raises `InputError` where equal texts are graded worse than others: then the grades are turned round."""
    alike: list[float] = []
    others: list[float] = []
    for one in rated:
        same = one.pair.reference.text.split() == one.pair.candidate.text.split()
        (alike if same else others).extend(grade for grade in one.grades.values() if math.isfinite(grade))
    if not alike or not others:
        return
    level = rated[0].strata["level"]
    if _average(alike) < min(_average(others), _MIDDLE[level]):
        remedy = "read it with sentence-grades quality" if level == "sentence" else "a grade of 5 is the best"
        raise InputError(str(path), f"grades equal texts of the {level} level worse than others", remedy=remedy)


def _average(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _benchmark(reading: _Reading) -> HumanBenchmark:
    raters = tuple(dict.fromkeys(who for rated in reading.rated for who in rated.grades))
    raters += (_REWRITING,) if reading.triads else ()
    counted = any(rated.errors for rated in reading.rated)
    targets = ((_RATING,) if reading.rated else ()) + ((_ERRORS,) if counted else ())
    every = [*reading.rated, *(rated for both in reading.triads.values() for rated in both)]
    return HumanBenchmark(
        name="rate-eval",
        targets=targets,
        raters=raters,
        pairs=tuple(_annotated_pair(rated, targets, raters) for rated in every),
        preferences=tuple(_rewriting_preference(name, *both, raters) for name, both in reading.triads.items()),
        understood=reading.account.lines,
        notes=tuple(_notes(reading)),
    )


def _annotated_pair(rated: _Rated, targets: Sequence[Target], raters: Sequence[str]) -> AnnotatedPair:
    values = {_RATING.name: rated.grades, _ERRORS.name: rated.errors}
    return AnnotatedPair(
        pair=rated.pair,
        study=rated.study,
        ratings={target.name: tuple(values[target.name].get(who, math.nan) for who in raters) for target in targets},
        strata=rated.strata,
    )


def _rewriting_preference(name: str, synonym: _Rated, antonym: _Rated, raters: Sequence[str]) -> Preference:
    return Preference(
        id=name,
        study=synonym.study,
        first=synonym.pair.id,
        second=antonym.pair.id,
        votes=tuple(1.0 if who == _REWRITING else math.nan for who in raters),
        strata={key: value for key, value in synonym.strata.items() if key != "rewriting"},
    )


def _notes(reading: _Reading) -> Iterator[str]:
    levels = {rated.strata["level"] for rated in reading.rated}
    if "sentence" in levels:
        yield "a sentence's grade is 1 less the share of potential errors that were made"
    if len(levels) > 1:
        yield "sentences and paragraphs are graded on different scales: read the figures of each level alone"
    if reading.passed_over:
        yield f"{reading.passed_over} rows are of a level that is not asked for"
    if reading.ungraded:
        yield f"{reading.ungraded} pairs have no grade, or no potential error to divide by"
