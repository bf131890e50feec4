"""ReXVal (Yu et al., PhysioNet): four retrieved candidates a study, and the errors that six radiologists counted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Final

from attrs import evolve, frozen

from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, told_count
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorCategory
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets._account import Account
from overread.studies.infrastructure.datasets.annotated_sets._counts import Counted, count_targets, sum_counts
from overread.studies.infrastructure.datasets.annotated_sets._files import (
    Row,
    TableFile,
    one_table,
    plain,
    unpack_tables,
)
from overread.studies.infrastructure.datasets.annotated_sets._rows import Aliases, Distinct

__all__ = ["GENERATORS", "IDENTICAL", "read_rexval"]

IDENTICAL: Final = ("keep", "drop")
"""What to do with pairs whose candidate equals the reference."""

GENERATORS: Final = ("radgraph", "bertscore", "s_emb", "bleu")
"""Metrics that the candidates were retrieved by, as the columns are named."""

_REPORTS_FILE: Final = "50_samples_gt_and_candidates.csv"
_ERRORS_FILE: Final = "6_valid_raters_per_rater_error_categories.csv"
_RATERS: Final = 6
_MOST_SHOWN: Final = 5

_STUDY: Final = ("study_id", "study")
_KEY: Final[Aliases] = {"study_number": _STUDY}
_TRUTH: Final[Aliases] = {"gt_report": ("ground_truth", "reference")}
_REPORTS: Final[Aliases] = {**_TRUTH, **dict.fromkeys(GENERATORS, ())}
_ERRORS: Final[Aliases] = {
    "study_number": _STUDY,
    "candidate_type": ("candidate",),
    "error_category": ("category",),
    "clinically_significant": ("significant",),
    "num_errors": ("number_of_errors",),
    "rater_index": ("rater", "rater_id"),
}
_KINDS: Final = tuple(product((True, False), REXVAL_SIX))

_Key = tuple[str, str, str]
"""Study, generator, rater."""


def read_rexval(path: Path, *, identical: str = "keep") -> HumanBenchmark:
    """ReXVal 1.0.0 as PhysioNet distributes it.

    Two tables are found by their columns: the reports (study_id or study_number, gt_report, and under each generator's
    name its candidate: radgraph, bertscore, s_emb, bleu) and the errors by rater (study_number, candidate_type,
    error_category 1 to 6, clinically_significant, num_errors, rater_index).

    Studies that both tables name alike are joined by name. Where no name is in both and the errors' numbers run from 0
    to one less than there are reports, a number is the place of the report's row. Four columns after gt_report of which
    none bears a generator's name are taken in the order above. If the table of errors holds no zero at all, it is taken
    to list only what was found, and a category without a row counts none. Each is told among what was understood.

    Args:
        path: the folder, one that holds it, or an archive of it (.zip, .tar, .tar.gz).
        identical: "drop" leaves out pairs whose candidate equals the reference but for white space, which gives the
            ReXVal* of CREPE (Cho et al., 2025, section 4.1 and Table 2: 26 pairs removed); "keep" keeps them.

    Raises:
        InputError: if a table or column is missing, a cell cannot be used, a count is there twice, or a rater has no
            count for a pair.
        ValueError: if ``identical`` is neither.
    """
    if identical not in IDENTICAL:
        raise ValueError(f"identical must be keep or drop, not {identical!r}")
    with unpack_tables(path) as folder:
        account = Account()
        tables = account.find(folder)
        reports = list(_reports(*_reports_table(tables, folder, account), account))
        errors = _Errors.read(_errors_table(tables, folder), account)
        errors = errors.joined(list(dict.fromkeys(report[0] for report in reports)), account)
        pairs = [_annotated_pair(report, errors) for report in reports]
    remaining = [pair for pair in pairs if identical == "keep" or not pair.pair.is_copy]
    return HumanBenchmark(
        name="rexval",
        targets=count_targets(REXVAL_SIX),
        raters=tuple(f"rater {name}" for name in errors.raters),
        pairs=tuple(remaining),
        understood=account.lines,
        notes=tuple(_notes(errors, pairs, len(pairs) - len(remaining))),
    )


def _reports_table(tables: Sequence[TableFile], folder: Path, account: Account) -> tuple[TableFile, Mapping[str, str]]:
    """The table of reports and its columns, by name or, where no generator is named, by place."""
    if not any(table.has(_REPORTS) for table in tables):
        for table in tables:
            columns = _by_place(table)
            if columns:
                account.say(f"the columns after gt_report are read in their order, as {', '.join(GENERATORS)}")
                return table, {**table.columns(_KEY), **columns}
    table = one_table(tables, _REPORTS, "the table of reports", folder, _REPORTS_FILE)
    return table, table.columns({**_KEY, **_REPORTS})


def _by_place(table: TableFile) -> Mapping[str, str]:
    """The four columns after the reference, if they are the last and none bears a generator's name."""
    truth = table.columns(_TRUTH)
    if not truth or table.columns(dict.fromkeys(GENERATORS, ())):
        return {}
    after = table.names[table.names.index(truth["gt_report"]) + 1 :]
    return {**truth, **dict(zip(GENERATORS, after, strict=True))} if len(after) == len(GENERATORS) else {}


def _errors_table(tables: Sequence[TableFile], folder: Path) -> TableFile:
    """Finds the table of errors: that of the valid raters if there is one of all raters too."""
    valid = [table for table in tables if "valid_raters" in plain(table.path.name) and table.has(_ERRORS)]
    return one_table(valid or tables, _ERRORS, "the table of errors by rater", folder, _ERRORS_FILE)


_Report = tuple[str, str, ReportPair]
"""Study, generator, pair."""


def _reports(table: TableFile, columns: Mapping[str, str], account: Account) -> Iterator[_Report]:
    studies = Distinct("study")
    for place, row in enumerate(account.rows(table, columns, what="study")):
        study, reference = row.name("study_number") if _KEY.keys() & columns else str(place), row.text("gt_report")
        studies.add(study, row)
        for name in GENERATORS:
            yield study, name, ReportPair(id=f"{study}:{name}", reference=reference, candidate=row.text(name))


@frozen
class _Errors:
    """Contents of the table of errors.

    Attributes:
        source: the file.
        raters: in order.
        counts: of each rater in each candidate, by significance and category.
        sparse: whether the table lists only what was found.
    """

    source: str
    raters: tuple[str, ...]
    counts: Mapping[_Key, Counted]
    sparse: bool

    @classmethod
    def read(cls, table: TableFile, account: Account) -> _Errors:
        """Every row of the table."""
        counts: dict[_Key, dict[tuple[bool, ErrorCategory], float]] = {}
        twice = Distinct("rater, candidate, category and significance")
        for row in account.rows(table, table.columns(_ERRORS), what="count"):
            key = (row.name("study_number").removesuffix(".0"), _generator(row), row.name("rater_index"))
            kind = (row.flag("clinically_significant"), _category(row))
            twice.add((key, kind), row)
            counts.setdefault(key, {})[kind] = _whole(row)
        return cls(
            source=str(table.path),
            raters=tuple(sorted({rater for _, _, rater in counts}, key=_by_number)),
            counts=counts,
            sparse=not any(number == 0 for given in counts.values() for number in given.values()),
        )

    def of(self, study: str, generator: str, rater: str) -> Counted:
        """Errors that a rater counted in a candidate: every category, significant or not."""
        where = f"study {study}, candidate {generator}"
        given = self.counts.get((study, generator, rater))
        if given is None:
            remedy = "every rater counts every pair; add rows with 0 if nothing was found"
            raise InputError(self.source, f"rater {rater} has no row for {where}", remedy=remedy)
        missing = [kind for kind in _KINDS if kind not in given]
        if missing and not self.sparse:
            significant, category = missing[0]
            kind = f"{'' if significant else 'in'}significant errors of category {category.radevalx_column}"
            problem = f"rater {rater} has no row on {kind} for {where}"
            raise InputError(self.source, problem, remedy="add it, with 0 if nothing was found")
        return {kind: given.get(kind, 0.0) for kind in _KINDS}

    def joined(self, studies: Sequence[str], account: Account) -> _Errors:
        """The same under the names of the table of reports, whose studies are given in the order of its rows.

        Raises:
            InputError: if errors were counted in studies without reports.
        """
        numbers = {key[0] for key in self.counts}
        unknown = numbers.difference(studies)
        if not unknown:
            account.say("the tables are joined by the study, which both name alike")
            return self
        by_place = {str(place): study for place, study in enumerate(studies)}
        if numbers.isdisjoint(studies) and numbers == by_place.keys():
            last = len(studies) - 1
            account.say(
                "the tables are joined by row order: no study is named alike in both, and the errors' numbers 0 to "
                f"{last} are places in the table of reports"
            )
            return evolve(self, counts={(by_place[key[0]], *key[1:]): given for key, given in self.counts.items()})
        if numbers.isdisjoint(studies) and any(map(str.isdecimal, numbers)):
            raise self._out_of_place(numbers, by_place)
        shown = ", ".join(sorted(unknown, key=_by_number)[:_MOST_SHOWN])
        remedy = f"both tables must name the studies alike, or the errors number them by row, 0 to {len(studies) - 1}"
        raise InputError(self.source, f"{len(unknown)} studies have errors but no reports: {shown}", remedy=remedy)

    def _out_of_place(self, numbers: Collection[str], by_place: Mapping[str, str]) -> InputError:
        """The error that the numbers of the studies are not just the places of the reports."""
        there, numbered = told_count(len(by_place), "study"), told_count(len(numbers), "numbered study")
        problem = f"the table of reports holds {there}, the errors {numbered}"
        if stray := sorted(set(numbers) - by_place.keys(), key=_by_number):
            problem += f"; no place in the table of reports: {', '.join(stray[:_MOST_SHOWN])}"
        if lacking := sorted(by_place.keys() - set(numbers), key=_by_number):
            shown = ", ".join(f"{place} ({by_place[place]})" for place in lacking[:_MOST_SHOWN])
            problem += f"; places without errors: {shown}"
        remedy = f"both tables must name the studies alike, or the errors number them by row, 0 to {len(by_place) - 1}"
        return InputError(self.source, problem, remedy=remedy)


def _generator(row: Row) -> str:
    name = plain(row.name("candidate_type")).replace("_", "")
    for generator in GENERATORS:
        if name == generator.replace("_", ""):
            return generator
    # What is no known name may be a report in the wrong column: it is not shown.
    raise row.fault(
        f"{row.told('candidate_type')} is not one of {', '.join(GENERATORS)}", "use these names for the candidates"
    )


def _category(row: Row) -> ErrorCategory:
    name = row.name("error_category").removesuffix(".0")
    for category in REXVAL_SIX:
        if name == str(category.radevalx_column):
            return category
    raise row.fault(
        f"{row.told('error_category')} is not 1 to 6", "the eight categories of RadEvalX are not those of ReXVal"
    )


def _whole(row: Row) -> float:
    number = row.count("num_errors")
    if not number.is_integer():
        raise row.fault(f"{row.told('num_errors')} is not a whole number", "one rater's count is needed, not a mean")
    return number


def _annotated_pair(report: _Report, errors: _Errors) -> AnnotatedPair:
    study, generator, pair = report
    counted = [sum_counts(errors.of(study, generator, rater)) for rater in errors.raters]
    targets = [target.name for target in count_targets(REXVAL_SIX)]
    ratings = {name: tuple(counts[name] for counts in counted) for name in targets}
    return AnnotatedPair(pair=pair, study=study, ratings=ratings, generator=generator)


def _notes(errors: _Errors, pairs: Sequence[AnnotatedPair], dropped: int) -> Iterator[str]:
    same, others = ([pair.mean("total") for pair in pairs if pair.pair.is_copy is copy] for copy in (True, False))
    if same and others and fmean(same) > fmean(others):
        yield (
            f"raters counted {fmean(same):.1f} errors in candidates that equal their reference and {fmean(others):.1f} "
            "in others: are the tables of one release?"
        )
    if dropped:
        yield f"{dropped} pairs whose candidate equals the reference were left out (ReXVal*)"
    if errors.sparse:
        yield "the table of errors holds no zero: a category without a row was read as none of that category"
    if len(errors.raters) != _RATERS:
        yield f"there are {len(errors.raters)} raters; ReXVal has {_RATERS}"


def _by_number(name: str) -> tuple[bool, float, str]:
    return (False, float(name), "") if name.isdecimal() else (True, 0.0, name)
