"""RadEvalX (Calamida et al., PhysioNet): generated reports of 100 studies, errors of eight categories, six scores."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from attrs import evolve, field, frozen

from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, told_count
from overread.domain.results.scores import MetricScores
from overread.domain.vocabulary.taxonomy import ErrorCategory
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets._account import Account
from overread.studies.infrastructure.datasets.annotated_sets._counts import count_targets, sum_counts
from overread.studies.infrastructure.datasets.annotated_sets._files import (
    Row,
    TableFile,
    no_table,
    one_table,
    open_table,
    unpack_tables,
)
from overread.studies.infrastructure.datasets.annotated_sets._rows import Aliases, Distinct, number

__all__ = ["BLANKS", "METRICS", "read_radevalx"]

BLANKS: Final = ("gap", "none")
"""What a blank cell among the counts may be: nothing that is known, or no error."""

GENERATOR: Final = "M2Tr"
"""The Memory-Driven Transformer that wrote every candidate."""

METRICS: Final = ("bleu4", "bleu2", "bertscore", "chexbert", "radgraph_f1", "radcliq")
"""Scores that are distributed with the set; more is better but for RadCliQ, a risk (RadOT-Eval, section V-B)."""

_RISK: Final = "radcliq"
_CATEGORIES: Final = tuple(ErrorCategory)
_NUMBERED: Final = {str(category.radevalx_column): category for category in ErrorCategory}
_ID: Final[Aliases] = {"report_id": ()}
_ERRORS: Final[Aliases] = {
    **_ID,
    "ground_truth": ("gt_report", "reference"),
    "M2Tr-Generation": ("M2Tr", "generation", "candidate"),
    **dict.fromkeys(_NUMBERED, ()),
}
_TEXTS: Final = ("ground_truth", "M2Tr-Generation")
_SCORES: Final[Aliases] = {
    "bleu4": ("bleu_4",),
    "bleu2": ("bleu_2",),
    "bertscore": (),
    "chexbert": (),
    "radgraph_f1": ("radgraph",),
    "radcliq": (),
}
_INSIGNIFICANT: Final = re.compile(r"insig|no[nt][-_ .]*(clin|sig)", re.IGNORECASE)
_SIGNIFICANT: Final = re.compile(r"sig|clin", re.IGNORECASE)


def read_radevalx(
    path: Path,
    *,
    significant: Path | None = None,
    insignificant: Path | None = None,
    blank: Literal["gap", "none"] = "gap",
) -> HumanBenchmark:
    """RadEvalX 1.0.0 as PhysioNet distributes it.

    Two tables of errors (report_id, ground_truth, M2Tr-Generation, and a column for each category, 1 to 8, as
    RadOT-Eval Table IX lists them) are told apart by their file names: insig, nonsig or "not significant" in it
    against sig or clin. A table of scores (report_id, bleu4, bleu_2, bertscore, CheXbert, radgraph_f1, radcliq) is
    used where it is there. The set has one count a pair and category: its raters cannot be told apart.

    Blank cells are counted in the notes. A row without an id or without a report is left out. A blank count is a gap:
    the category has no rating of that pair, nor have the sums that it is part of. In a table without a single zero,
    which lists only what was found, it is none.

    Args:
        path: the folder, one that holds it, or an archive of it (.zip, .tar, .tar.gz).
        significant: the table of clinically significant errors, where its name does not tell; a path, or a name below
            ``path``.
        insignificant: the table of the others.
        blank: "none" takes every blank count for no error.

    Raises:
        InputError: if a table or column is missing or the two cannot be told apart, if they are not about the same
            reports, and at the first row with a repeated id or a cell that cannot be used.
        ValueError: if ``blank`` is neither.
    """
    if blank not in BLANKS:
        raise ValueError(f"blank must be gap or none, not {blank!r}")
    with unpack_tables(path) as folder:
        account = Account()
        tables = account.find(folder)
        first, second = _told_apart(tables, folder, significant, insignificant)
        account.say(f"{first.path.name} counts significant errors, {second.path.name} the others")
        account.say("the tables are joined by report_id")
        both = _Errors.read(first, account), _Errors.read(second, account)
        filled = [errors.filled(account, always=blank == "none") for errors in both]
        pairs = tuple(_pairs(*filled))
        for errors in both:
            errors.say_range(account)
        there = {pair.pair.id for pair in pairs}
        partial = any(errors.nameless or errors.textless for errors in both)
        provided = tuple(_provided_scores(tables, folder, there, account, partial=partial))
    return HumanBenchmark(
        name="radevalx",
        targets=count_targets(_CATEGORIES),
        raters=("experts",),
        pairs=pairs,
        provided=provided,
        understood=account.lines,
        notes=(*(note for errors in both for note in errors.notes(pairs)), *_notes(provided, pairs)),
    )


def _told_apart(
    tables: Sequence[TableFile], folder: Path, significant: Path | None, insignificant: Path | None
) -> tuple[TableFile, TableFile]:
    """The tables of significant and of insignificant errors: those named, else by their names."""
    given = [_open_named(file, folder) if file else None for file in (significant, insignificant)]
    taken = {table.path.resolve() for table in given if table}
    if len(taken) < sum(table is not None for table in given):
        problem = "is named both for the significant errors and for the others"
        raise InputError(str(significant), problem, remedy="name one table for each")
    rest = [table for table in tables if table.has(_ERRORS) and table.path.resolve() not in taken]
    if len(taken) + len(rest) < len(given):
        raise no_table(tables, _ERRORS, _missing_table(given, rest), folder)
    if len(taken) == 1 and len(rest) == 1:
        given = [table or rest[0] for table in given]
    first, second = (table or _by_name(rest, folder, kind) for table, kind in zip(given, (True, False), strict=True))
    return first, second


def _missing_table(given: Sequence[TableFile | None], rest: Sequence[TableFile]) -> str:
    """Names the table of errors that is missing of the two, as far as the other one shows."""
    kind = given[1] is not None if any(given) else None
    if kind is None and rest and (named := _is_significant(rest[0].path.name)) is not None:
        kind = not named
    if kind is None:
        return "one of the two tables of errors"
    return f"the table of {'' if kind else 'in'}significant errors"


def _open_named(file: Path, folder: Path) -> TableFile:
    inside = folder / file
    table = open_table(inside if inside.is_file() else file)
    return one_table([table], _ERRORS, "the table of errors", table.path)


def _by_name(tables: Sequence[TableFile], folder: Path, significant: bool) -> TableFile:  # noqa: FBT001
    matching = [table for table in tables if _is_significant(table.path.name) is significant]
    if len(matching) != 1:
        names = ", ".join(table.path.name for table in tables)
        problem = (
            f"which table counts {'' if significant else 'in'}significant errors cannot be told from the names {names}"
        )
        raise InputError(
            str(folder),
            problem,
            remedy=(
                "name one with `significant=FILE` or `insignificant=FILE`; the other of two tables then counts the rest"
            ),
        )
    return matching[0]


def _is_significant(name: str) -> bool | None:
    """Returns whether a file's name says that its errors are significant, None if it says nothing."""
    if _INSIGNIFICANT.search(name):
        return False
    return True if _SIGNIFICANT.search(name) else None


@frozen
class _Errors:
    """One table of errors.

    Attributes:
        name: of the file.
        pairs: by id, with the row they stand in.
        counts: by id; NaN where the cell is blank.
        empty: rows of blanks alone.
        nameless: further rows without an id.
        textless: ids of reports of which a text is blank.
    """

    name: str
    pairs: Mapping[str, tuple[Row, ReportPair]] = field(repr=False)
    counts: Mapping[str, Mapping[ErrorCategory, float]]
    empty: int
    nameless: int
    textless: frozenset[str]

    @classmethod
    def read(cls, table: TableFile, account: Account) -> _Errors:
        """Every row of the table that says something."""
        pairs: dict[str, tuple[Row, ReportPair]] = {}
        counts: dict[str, dict[ErrorCategory, float]] = {}
        empty, nameless, textless = 0, 0, set[str]()
        names = Distinct("report_id")
        for row in account.rows(table, table.columns(_ERRORS), what="report"):
            if row.is_empty("report_id"):
                is_blank = all(map(row.is_empty, _ERRORS))
                empty, nameless = empty + is_blank, nameless + (not is_blank)
                continue
            key = row.name("report_id")
            names.add(key, row)
            if any(map(row.is_empty, _TEXTS)):
                textless.add(key)
                continue
            reference, candidate = map(row.text, _TEXTS)
            pairs[key] = row, ReportPair(id=key, reference=reference, candidate=candidate)
            counts[key] = {
                category: math.nan if row.is_empty(column) else row.count(column)
                for column, category in _NUMBERED.items()
            }
        return cls(table.path.name, pairs, counts, empty, nameless, frozenset(textless))

    @property
    def blanks(self) -> int:
        """Blank cells among the counts."""
        return sum(math.isnan(number) for counts in self.counts.values() for number in counts.values())

    def say_range(self, account: Account) -> None:
        """Puts down the least and the largest count, and how many are no whole numbers."""
        numbers = [number for counts in self.counts.values() for number in counts.values() if not math.isnan(number)]
        if numbers:
            broken = sum(not number.is_integer() for number in numbers)
            remark = f"; {broken} of {len(numbers)} are not whole numbers" if broken else ""
            account.say(f"{self.name}: counts from {min(numbers):g} to {max(numbers):g}{remark}")

    def filled(self, account: Account, *, always: bool) -> _Errors:
        """The same with no error for each blank cell, if that is what it is; the account says why."""
        numbers = [number for counts in self.counts.values() for number in counts.values()]
        if not self.blanks or not (always or 0 not in numbers):
            return self
        why = "as told" if always else "as the table holds no zero and so lists only what was found"
        account.say(f"{self.name}: a blank count is no error, {why}")
        counts = {
            key: {category: 0.0 if math.isnan(number) else number for category, number in given.items()}
            for key, given in self.counts.items()
        }
        return evolve(self, counts=counts)

    def notes(self, pairs: Sequence[AnnotatedPair]) -> Iterator[str]:
        """Notes on how many cells were blank, and what came of it."""
        if self.blanks:
            reports = sum(any(map(math.isnan, counts.values())) for counts in self.counts.values())
            unrated = sum(math.isnan(pair.mean("total")) for pair in pairs)
            gaps = f"; {_are(unrated, 'pair', 'have')} no sum of errors" if unrated else ""
            yield f"{self.name}: {told_count(self.blanks, 'count')} of {_are(reports, 'report', 'are')} blank{gaps}"
        if self.empty:
            yield f"{self.name}: {_are(self.empty, 'row', 'hold')} nothing"
        if self.nameless:
            were = "was" if self.nameless == 1 else "were"
            yield f"{self.name}: {told_count(self.nameless, 'row')} without a report_id {were} left out"
        if self.textless:
            yield f"{self.name}: {_are(len(self.textless), 'report', 'were')} left out, as one of their texts is blank"

    def check_same(self, other: _Errors) -> None:
        """Raises `InputError` at the first report that another table lacks or has with another text."""
        for key, (row, pair) in self.pairs.items():
            if key in other.textless or (key not in other.pairs and other.nameless):
                continue
            if key not in other.pairs:
                raise row.fault(f"report {key} is not in {other.name}", "both tables must hold every report")
            if _words(other.pairs[key][1]) != _words(pair):
                raise row.fault(f"report {key} has another text in {other.name}", "both tables must be of one release")


def _words(pair: ReportPair) -> tuple[list[str], list[str]]:
    return pair.reference.text.split(), pair.candidate.text.split()


def _pairs(significant: _Errors, insignificant: _Errors) -> Iterator[AnnotatedPair]:
    """The pairs with the counts of both tables."""
    significant.check_same(insignificant)
    insignificant.check_same(significant)
    for key, (_, pair) in significant.pairs.items():
        if key not in insignificant.pairs:
            continue
        counts = {
            (matters, category): number
            for matters, errors in ((True, significant), (False, insignificant))
            for category, number in errors.counts[key].items()
        }
        ratings = {name: (number,) for name, number in sum_counts(counts).items()}
        yield AnnotatedPair(pair=pair, study=key, ratings=ratings, generator=GENERATOR)


def _provided_scores(
    tables: Sequence[TableFile], folder: Path, there: Collection[str], account: Account, *, partial: bool
) -> Iterator[MetricScores]:
    """The scores of the metrics' table, where there is one; ``partial`` where rows of errors were left out."""
    fitting = [table for table in tables if table.has(_ID) and table.columns(_SCORES)]
    if not fitting:
        return
    table = one_table(fitting, _ID, "the table of scores", folder)
    columns = table.columns(_SCORES)
    scores: dict[str, dict[str, float]] = {metric: {} for metric in columns}
    names = Distinct("report_id")
    for row in account.rows(table, {**table.columns(_ID), **columns}, what="report"):
        if row.is_empty("report_id"):
            continue
        key = row.name("report_id")
        names.add(key, row)
        if key not in there:
            if partial:
                continue
            raise row.fault(f"report {key} is in neither table of errors", "the tables must use the same report ids")
        given = {metric: number(row, metric) for metric in columns}
        for metric, score in given.items():
            if not math.isnan(score):
                scores[metric][key] = score
    for metric, by_id in scores.items():
        yield MetricScores.distributed(metric, by_id, higher_is_better=metric != _RISK)


def _are(count: int, noun: str, verb: str) -> str:
    """A count with its noun and verb, which is given as of several."""
    one = {"are": "is", "were": "was", "have": "has", "hold": "holds"}
    return f"{told_count(count, noun)} {one[verb] if count == 1 else verb}"


def _notes(provided: Sequence[MetricScores], pairs: Sequence[AnnotatedPair]) -> Iterator[str]:
    missing = [metric for metric in METRICS if metric not in {scores.metric for scores in provided}]
    if missing:
        yield f"no scores are distributed for {', '.join(missing)}"
    for scores in provided:
        if len(scores.ids) < len(pairs):
            yield f"{_are(len(pairs) - len(scores.ids), 'pair', 'have')} no score of {scores.metric}"
