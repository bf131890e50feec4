"""ReFiSco-v0: generated reports that radiologists mended line by line, each line with a clinical severity."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from attrs import define, field

from overread.domain.reports.report import ClinicalContext, ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Target, told_count
from overread.exceptions import ConfigurationError, InputError
from overread.studies.infrastructure.datasets.annotated_sets._account import Account
from overread.studies.infrastructure.datasets.annotated_sets._corrections import (
    ALONE,
    SEVERITIES,
    Line,
    LineTally,
    Report,
    read_lines,
    reports,
)
from overread.studies.infrastructure.datasets.annotated_sets._files import (
    TableFile,
    one_table,
    shown_names,
    unpack_tables,
)
from overread.studies.infrastructure.datasets.annotated_sets._rows import Aliases, checked_columns, label

__all__ = ["SEVERITIES", "read_refisco"]

_REQUIRED: Final[Aliases] = {
    "study_id": ("study", "report_id", "study_number", "dicom_id", "image_id", "case_id", "case"),
    "generated_line": (
        "impression_original",
        "generated",
        "original_line",
        "original",
        "line",
        "candidate_line",
        "predicted_line",
        "report_line",
        "sentence",
        "text",
    ),
    "severity": ("clinical_severity", "error_severity", "severity_score", "severity_level"),
}
_OPTIONAL: Final[Aliases] = {
    "generator": ("model", "system", "method", "source", "report_source", "report_type", "candidate_type"),
    "line_number": ("line_no", "line_num", "line_index", "line_idx", "line_id", "sentence_number"),
    "corrected_line": (
        "impression_edited",
        "corrected",
        "correction",
        "edited_line",
        "edited",
        "fixed_line",
        "fix",
        "edit",
    ),
    "error_category": ("category", "error_type", "type"),
    "ground_truth": ("ground_truth_report", "gt_report", "gt", "reference", "reference_report", "radiologist_report"),
    "rater": ("radiologist", "annotator", "reader", "rater_index", "rater_id", "annotator_id"),
    "indication": (),
}
_PUBLISHED: Final[Aliases] = {
    "id": (),
    "annotator": (),
    "source": (),
    "impression_original": (),
    "impression_edited": (),
    "score": (),
}
"""Columns of the release by which it is known; indication and notes are there besides."""

_RELEASED: Final = 4
"""So many of them, and a table is one of the release that lacks the others."""

_EITHER: Final = ("ground_truth", "corrected_line")
_EXPERT: Final = "expert"
_MOST_NAMED: Final = 5
_TARGETS: Final = (
    Target("severity", higher_is_better=False, label="severity of the worst line, 0 to 4"),
    Target("severity_sum", higher_is_better=False, label="severities of the lines, added"),
    Target("total", higher_is_better=False, label="lines with an error"),
)
_OF_A_LINE: Final = Target("severity", higher_is_better=False, label="severity of the line, 0 to 4")


@define
class _Set:
    """Parts of the set that are put together while the reports are gone through.

    Attributes:
        raters: names in the order of the ratings.
        with_context: whether pairs carry the indication.
        source: the file.
        is_mended: whether the file has corrections.
        notes: what was left out and why.
    """

    raters: tuple[str, ...]
    with_context: bool
    source: str
    is_mended: bool
    notes: list[str] = field(factory=list)

    def check_mended(self) -> None:
        """Raises `InputError` where the file has no corrections."""
        if not self.is_mended:
            raise InputError(
                self.source, "there is no column corrected_line", remedy="read whole reports by the ground truth"
            )

    def context(self, of: Report | Line) -> ClinicalContext:
        """Context of the examination, as metrics are given it."""
        return of.context if self.with_context else ClinicalContext()

    def ratings(self, said: Mapping[str, Sequence[float]]) -> dict[str, tuple[float, ...]]:
        """Ratings of a report by target, of each rater or NaN, from the severities of its lines by rater."""
        every = [said.get(rater, ()) for rater in self.raters]
        return {
            "severity": _each(every, max),
            "severity_sum": _each(every, sum),
            "total": _each(every, lambda mine: float(sum(1 for severity in mine if severity))),
        }


def read_refisco(
    path: Path,
    *,
    level: Literal["report", "line"] = "report",
    reference: Literal["auto", "corrected", "expert"] = "auto",
    context: Literal["with", "without"] = "with",
) -> HumanBenchmark:
    """ReFiSco-v0 as PhysioNet distributes it, or any table with one row a line of a generated report.

    The release has the columns id (the study), annotator, source (the generator), impression_original (empty where the
    annotator added a line), impression_edited, score, indication and notes. ``[no edit]`` and ``[delete]`` in
    impression_edited are markers: the line stays as it is, or is struck out. They never become text.

    Any other table needs columns, each under one of several names, case and signs apart: ``study_id``,
    ``generated_line`` and ``severity``; and of ``ground_truth`` (the radiologist's whole report, in every row of the
    study or in one) and ``corrected_line`` at least one. Used where they are there: ``generator``, ``line_number``
    (else the order of the file counts), ``error_category``, ``rater`` and ``indication``.

    A severity is one of `SEVERITIES` ("error" may follow it), "invalid comparison", or 0 to 4. A line that was left as
    it is and has no severity has no error. Any other without one is a gap in the release, and the report has no rating
    by its corrector; in another table it is an error of the file.

    Args:
        path: the table, or a folder with one such table.
        level: "report" joins the lines of a study and generator to the candidate. "line" makes a pair of each line and
            its correction by each corrector.
        reference: of whole reports. "auto": the ground truth, or, where the file has none, as "corrected". "corrected":
            the corrected lines joined; of several correctors each gives a reference of their own, read against the
            same candidate and rated by them alone. "expert": the report of the source Expert of the same study, rated
            by all who read the candidate; studies without one are left out, and so is the Expert as a candidate.
        context: "without" keeps the indication from the metrics.

    Returns:
        Reports: targets severity (the worst line's), severity_sum and total (lines with an error: what CREPE,
        appendix A.3.2, counts). Lines: target severity. Higher is worse in all.

    Raises:
        InputError: if there is no such table, or more than one, and at the first row that cannot be used.
        ConfigurationError: if a reference is named for lines, whose reference is their correction.
    """
    if level == "line" and reference == "expert":
        raise ConfigurationError(["`reference=expert` is for whole reports; a line is read against its correction"])
    account, tally = Account(), LineTally()
    with unpack_tables(path) as place:
        table, required, optional, marked = _table(account.find(place), place)
        there = table.columns(optional)
        if there.keys().isdisjoint(_EITHER):
            problem = f"has neither a column ground_truth nor one corrected_line: {shown_names(table.names)}"
            raise InputError(str(table.path), problem, remedy="add the radiologist's report of each study")
        lines = read_lines(account.read_aliased(table, required, optional, "line"), there, tally, marked=marked)
        every = list(reports(lines, tally))
        raters = tuple(dict.fromkeys(reading.rater for report in every for reading in report.readings))
        made = _Set(raters, context == "with", str(table.path), "corrected_line" in there)
        makers = {"auto": _auto_pairs, "corrected": _corrected_pairs, "expert": _expert_pairs}
        make = makers[reference] if level == "report" else _single_lines
        pairs = tuple(make(every, made))
    for line in _understood(lines, every, tally):
        account.say(line)
    return HumanBenchmark(
        name="refisco",
        targets=_TARGETS if level == "report" else (_OF_A_LINE,),
        raters=raters,
        pairs=pairs,
        understood=account.lines,
        notes=(*_tally_notes(tally), *made.notes),
    )


def _table(tables: Sequence[TableFile], place: Path) -> tuple[TableFile, Aliases, Aliases, bool]:
    """The table of lines, the names of its columns, and whether it is laid out as the release."""
    released = [table for table in tables if table.has(_PUBLISHED)]
    if released:
        required = {**_REQUIRED, "study_id": ("id",), "severity": ("score",)}
        return one_table(released, _PUBLISHED, "the table of lines", place), required, _OPTIONAL, True
    for table in tables:
        if len(table.columns(_PUBLISHED)) >= _RELEASED and not table.has(_REQUIRED):
            checked_columns(table, _PUBLISHED)
    table = tables[0] if len(tables) == 1 else one_table(tables, _REQUIRED, "the table of lines", place)
    return table, _REQUIRED, _OPTIONAL, False


def _auto_pairs(every: Sequence[Report], made: _Set) -> Iterator[AnnotatedPair]:
    """Against the ground truth, or against what the correctors made of each report where there is none."""
    truths = _truths(every)
    if not truths:
        made.notes.append("the reference is the corrected lines joined, as the file holds no ground truth")
        yield from _corrected_pairs(every, made)
    for report in every if truths else ():
        if report.study not in truths:
            problem = "its study has no ground truth, though others have"
            raise report.first.row.fault(problem, "fill it in for every study")
        yield _whole(report, truths[report.study], made)


def _truths(every: Iterable[Report]) -> dict[str, str]:
    """The radiologist's report by study."""
    truths: dict[str, str] = {}
    for line in (line for report in every for reading in report.readings for line in reading.lines):
        if line.truth is not None and truths.setdefault(line.study, line.truth) != line.truth:
            raise line.row.fault("its ground truth is not that of the rows before it of the same study")
    return truths


def _whole(report: Report, reference: str, made: _Set) -> AnnotatedPair:
    """A report against one reference for all who rated it."""
    return AnnotatedPair(
        pair=ReportPair(id=report.name, reference=reference, candidate=report.text, context=made.context(report)),
        study=report.study,
        generator=report.generator,
        ratings=made.ratings({reading.rater: reading.severities for reading in report.readings}),
    )


def _corrected_pairs(every: Sequence[Report], made: _Set) -> Iterator[AnnotatedPair]:
    """Each report against what each of its correctors made of it."""
    made.check_mended()
    untold = 0
    for report in every:
        for reading in report.readings:
            reference = reading.corrected
            if reference is None:
                untold += 1
                continue
            own = reading.rater if len(made.raters) > 1 else ""
            yield AnnotatedPair(
                pair=ReportPair(
                    id=":".join(filter(None, (report.name, own))),
                    reference=reference,
                    candidate=report.text,
                    context=made.context(report),
                ),
                study=report.study,
                generator=report.generator,
                ratings=made.ratings({reading.rater: reading.severities}),
                rated=report.name if own else "",
            )
    several = sum(len(report.readings) > 1 for report in every)
    if several:
        shared = f"{several} of {told_count(len(every), 'report')} with several correctors"
        made.notes.append(
            f"{shared}: each corrected report is a reference of its own, with the severities of its corrector"
        )
    if untold:
        made.notes.append(f"{told_count(untold, 'reading')} left out: an error in it has no correction")


def _expert_pairs(every: Sequence[Report], made: _Set) -> Iterator[AnnotatedPair]:
    """Each generated report against the expert's of the same study."""
    experts = {report.study: report.text for report in every if report.generator.lower() == _EXPERT}
    if not experts:
        there = ", ".join(dict.fromkeys(report.generator for report in every if report.generator)) or "none"
        problem = f"no report is of the source Expert; sources are {there}"
        raise InputError(every[0].first.row.source, problem, remedy="read without `reference=expert`")
    generated = [report for report in every if report.generator.lower() != _EXPERT]
    matched = [report for report in generated if report.study in experts]
    for report in matched:
        yield _whole(report, experts[report.study], made)
    made.notes.append(
        f"the reference is the Expert's report as written, of {told_count(len(experts), 'study')}; it is no candidate"
    )
    if len(matched) < len(generated):
        made.notes.append(
            f"{told_count(len(generated) - len(matched), 'report')} left out, of studies without an Expert's report"
        )


def _single_lines(every: Sequence[Report], made: _Set) -> Iterator[AnnotatedPair]:
    """A pair for each line and each correction of it."""
    made.check_mended()
    made.notes.append("the reference is the corrected line")
    read = [(report, one.rater, line) for report in every for one in report.readings for line in one.lines]
    for report, rater, line in sorted(read, key=lambda told: told[2].row.number):
        if line.corrected is not None:
            yield _single_line(report, rater, line, made)
    untold = sum(line.corrected is None for _, _, line in read)
    if untold:
        made.notes.append(f"{told_count(untold, 'line')} left out, without a correction")


def _single_line(report: Report, rater: str, line: Line, made: _Set) -> AnnotatedPair:
    name = f"{report.name}:{line.place}"
    own = rater if len(made.raters) > 1 else ""
    category = label(line.row, "error_category")
    return AnnotatedPair(
        pair=ReportPair(
            id=f"{name}:{own}" if own else name,
            reference=line.corrected or "",
            candidate=line.generated,
            context=made.context(line),
        ),
        study=line.study,
        generator=line.generator,
        ratings={"severity": tuple(line.severity if rater == who else math.nan for who in made.raters)},
        strata={"category": category} if category else {},
        rated=name if own and not line.is_added else "",
    )


def _each(severities: Sequence[Sequence[float]], summary: Callable[[Sequence[float]], float]) -> tuple[float, ...]:
    """One number a rater, NaN for one who did not read the report or left a mended line ungraded."""
    return tuple(float(summary(mine)) if mine and not any(map(math.isnan, mine)) else math.nan for mine in severities)


def _understood(lines: Sequence[Line], every: Sequence[Report], tally: LineTally) -> Iterator[str]:
    """Yields a summary of the lines."""
    sources = Counter(report.generator for report in every if report.generator)
    by_source = f", by source: {', '.join(f'{name} {number}' for name, number in sources.items())}" if sources else ""
    yield f"{told_count(len(every), 'report')}{by_source}"
    correctors = Counter(len(report.readings) for report in every)
    yield f"reports by number of correctors: {', '.join(f'{size}: {correctors[size]}' for size in sorted(correctors))}"
    if tally.kept or tally.struck or tally.added:
        yield (
            f"lines marked as not edited {tally.kept}, marked as deleted {tally.struck}, added {tally.added}; "
            "markers are not read as text"
        )
    grades = Counter(SEVERITIES[int(line.severity)] for line in lines if not math.isnan(line.severity))
    shown = [f"{name} {grades[name]}" for name in SEVERITIES]
    yield f"lines by severity: {', '.join([*shown, *([f'none {tally.ungraded}'] if tally.ungraded else [])])}"


def _tally_notes(tally: LineTally) -> Iterator[str]:
    """Notes on what was settled or left out."""
    if tally.unmarked:
        yield f"{told_count(tally.unmarked, 'line')} without a severity, left as generated: no error"
    if tally.ungraded:
        ungraded = told_count(tally.ungraded, "corrected line")
        yield f"{ungraded} without a severity: no rating of the report by that corrector"
    if tally.unmended:
        yield f"{told_count(tally.unmended, 'line')} with an error but without a correction"
    if tally.silent:
        yield f"{told_count(tally.silent, 'row')} without any line, passed over"
    if tally.repeated:
        again = told_count(tally.repeated, "report")
        yield f"{again} read more than once by one corrector: each time is a reading of its own"
    if tally.strange:
        several = told_count(len(tally.strange), "reading")
        yield f"{several} left out, of other lines than most correctors of the report had: {_first(tally.strange)}"
    if tally.tied:
        several = told_count(len(tally.tied), "reading")
        why = "of other lines than another corrector had, who has more lines or stands first"
        yield f"{several} left out, {why}: {_first(tally.tied)}"
    yield from _doubtful(tally)


def _doubtful(tally: LineTally) -> Iterator[str]:
    """Notes on possible faults of the file."""
    if tally.nobody:
        yield f"{told_count(tally.nobody, 'row')} without a corrector: read as of one more, named {ALONE}"
    if tally.nowhere:
        yield f"{told_count(tally.nowhere, 'row')} without a source: read as reports of their own"
    if tally.blamed:
        yield f"{told_count(tally.blamed, 'line')} left as generated but with the severity of an error, which is kept"
    if tally.doubled:
        again = f"{told_count(len(tally.doubled), 'row')} like one before of the same reading, in every cell"
        left = f"; {tally.dropped} of them left out, as another corrector has the line once" if tally.dropped else ""
        yield f"{again}{left}: row {_first([str(number) for number in tally.doubled])}"


def _first(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return f"{', '.join(names[:_MOST_NAMED])}{more}"
