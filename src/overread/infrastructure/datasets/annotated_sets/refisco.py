"""ReFiSco-v0: generated reports that radiologists mended line by line, each line with a clinical severity."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, TypeVar

from attrs import evolve, field, frozen

from overread.domain.annotation import AnnotatedPair, HumanBenchmark, Target
from overread.domain.report import ReportPair
from overread.exceptions import InputError
from overread.infrastructure.datasets.annotated_sets._account import Account
from overread.infrastructure.datasets.annotated_sets._files import Row, one_table, shown_names, unpacked
from overread.infrastructure.datasets.annotated_sets._rows import Aliases, Distinct, label, number

__all__ = ["SEVERITIES", "read_refisco"]

K = TypeVar("K")

SEVERITIES: Final = ("no error", "not actionable", "actionable nonurgent", "urgent", "emergent")
"""The severities by their number 0 to 4, as ReXrank maps them; an invalid comparison is 0 too."""

_REQUIRED: Final[Aliases] = {
    "study_id": ("study", "report_id", "study_number", "dicom_id", "image_id", "case_id", "case"),
    "generated_line": (
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
    "corrected_line": ("corrected", "correction", "edited_line", "edited", "fixed_line", "fix", "edit"),
    "error_category": ("category", "error_type", "type"),
    "ground_truth": ("ground_truth_report", "gt_report", "gt", "reference", "reference_report", "radiologist_report"),
    "rater": ("radiologist", "annotator", "reader", "rater_index", "rater_id", "annotator_id"),
}

_EITHER: Final = ("ground_truth", "corrected_line")
_ALONE: Final = "radiologist"
_NOTHING: Final = frozenset({"na", "nan"})
_WORDS: Final[Mapping[str, int]] = {
    "no": 0,
    "none": 0,
    "invalidcomparison": 0,
    "noerrorinvalidcomparison": 0,
    "notactionable": 1,
    "nonactionable": 1,
    "actionable": 2,
    "actionablenonurgent": 2,
    "nonurgent": 2,
    "urgent": 3,
    "actionableurgent": 3,
    "emergent": 4,
}
_TARGETS: Final = (
    Target("severity", higher_is_better=False, label="severity of the worst line, 0 to 4"),
    Target("severity_sum", higher_is_better=False, label="severities of the lines, added"),
    Target("total", higher_is_better=False, label="lines with an error"),
)


@frozen(kw_only=True)
class _Line:
    """What one radiologist said of one line of a generated report."""

    row: Row = field(repr=False)
    study: str
    generator: str
    number: float
    rater: str
    generated: str = field(repr=False)
    corrected: str | None = field(repr=False)
    truth: str | None = field(repr=False)
    severity: int | None

    @property
    def is_unchanged(self) -> bool:
        """Whether the radiologist saw the line and left it as it is."""
        return self.corrected is not None and self.corrected.split() == self.generated.split()


def read_refisco(path: Path, *, level: Literal["report", "line"] = "report") -> HumanBenchmark:
    """ReFiSco-v0, or any table of the same layout: one row a line of a generated report.

    Columns that must be there, each under one of several names, case and signs apart: ``study_id``,
    ``generated_line`` and ``severity``; and of ``ground_truth`` (the radiologist's whole report, in every row of the
    study or in one) and ``corrected_line`` at least one. Used where they are there: ``generator``, ``line_number``
    (else the order of the file counts), ``error_category`` and ``rater``.

    A severity is one of `SEVERITIES` ("error" may follow it), "invalid comparison", or 0 to 4. An empty severity is
    "no error" only where the corrected line equals the generated one; anywhere else it is an error of the file.

    Args:
        path: the table, or a folder with one such table.
        level: "report" joins the lines of a study and generator to the candidate. The reference is the ground truth,
            or, where the file has none, the corrected lines joined. "line" makes a pair of each generated line and
            its correction.

    Returns:
        Reports: targets severity (the worst line's), severity_sum and total (lines with an error: what CREPE,
        appendix A.3.2, counts). Lines: target severity. Higher is worse in all.

    Raises:
        InputError: if there is no such table, or more than one, and at the first row that cannot be used.
    """
    notes: list[str] = []
    with unpacked(path) as place:
        account = Account()
        tables = account.find(place)
        table = tables[0] if len(tables) == 1 else one_table(tables, _REQUIRED, "the table of lines", place)
        if table.columns(_OPTIONAL).keys().isdisjoint(_EITHER):
            problem = f"has neither a column ground_truth nor one corrected_line: {shown_names(table.names)}"
            raise InputError(str(table.path), problem, remedy="add the radiologist's report of each study")
        lines = _lines(account.aliased(table, _REQUIRED, _OPTIONAL, "line"), table.columns(_OPTIONAL), notes)
    raters = tuple(dict.fromkeys(line.rater for line in lines))
    make = _reports if level == "report" else _single_lines
    pairs = tuple(make(lines, raters, notes))
    targets = _TARGETS if level == "report" else _TARGETS[:1]
    return HumanBenchmark(
        name="refisco",
        targets=targets,
        raters=raters,
        pairs=pairs,
        understood=account.lines,
        notes=tuple(notes),
    )


def _lines(rows: Sequence[Row], there: Collection[str], notes: list[str]) -> list[_Line]:
    made: list[_Line] = []
    in_order: Counter[tuple[str, str, str]] = Counter()
    distinct = Distinct("line number")
    unmarked = 0
    for row in rows:
        study, generator, rater = row.name("study_id"), label(row, "generator"), label(row, "rater") or _ALONE
        in_order[study, generator, rater] += 1
        place = number(row, "line_number") if "line_number" in there else in_order[study, generator, rater]
        if math.isnan(place):
            raise row.fault("line_number is missing", "number the lines of each report")
        distinct.add((study, generator, rater, place), row)
        line = _Line(
            row=row,
            study=study,
            generator=generator,
            number=place,
            rater=rater,
            generated=row.text("generated_line"),
            corrected=row.text("corrected_line") if "corrected_line" in there else None,
            truth=None if row.is_empty("ground_truth") else row.text("ground_truth"),
            severity=_severity(row),
        )
        if line.severity is None:
            if not line.is_unchanged:
                raise row.fault("severity is missing", "a line without an error has the severity no error")
            line = evolve(line, severity=0)
            unmarked += 1
        made.append(line)
    if unmarked:
        notes.append(f"{unmarked} lines have no severity and were left as they are by the radiologist: no error")
    return made


def _severity(row: Row) -> int | None:
    """0 to 4, None where the cell is empty."""
    if row.is_empty("severity"):
        return None
    value = row.cells["severity"]
    word = re.sub(r"[\W\d_]+", "", value).lower() if isinstance(value, str) else ""
    if word in _NOTHING:
        return None
    known = _WORDS.get(word.removesuffix("s").removesuffix("error")) if word else number(row, "severity")
    if known not in range(len(SEVERITIES)):
        raise row.fault("severity is none that is known", f"use {', '.join(SEVERITIES)}, or 0 to 4")
    return int(known or 0)


def _reports(lines: Sequence[_Line], raters: Sequence[str], notes: list[str]) -> Iterator[AnnotatedPair]:
    """A pair for each study and generator, the lines joined."""
    truths = _truths(lines)
    if not truths:
        notes.append("the reference is the corrected lines joined, as the file holds no ground truth")
    for (study, generator), report in _grouped(lines, lambda line: (line.study, line.generator)).items():
        by_rater = {rater: sorted(mine, key=_number) for rater, mine in _grouped(report, lambda li: li.rater).items()}
        first = next(iter(by_rater.values()))
        for mine in by_rater.values():
            _check_same_lines(first, mine)
        if truths and study not in truths:
            raise first[0].row.fault("its study has no ground truth, though others have", "fill it in for every study")
        reference = truths[study] if truths else _corrected(first, by_rater)
        severities = [[line.severity or 0 for line in by_rater.get(rater, [])] for rater in raters]
        yield AnnotatedPair(
            pair=ReportPair(
                id=f"{study}:{generator}" if generator else study,
                reference=reference,
                candidate=_joined([line.generated for line in first]),
            ),
            study=study,
            generator=generator,
            ratings={
                "severity": _each(severities, max),
                "severity_sum": _each(severities, sum),
                "total": _each(severities, lambda mine: sum(1 for severity in mine if severity)),
            },
        )


def _single_lines(lines: Sequence[_Line], raters: Sequence[str], notes: list[str]) -> Iterator[AnnotatedPair]:
    """A pair for each line and its correction."""
    notes.append("the reference is the corrected line")
    for line in lines:
        if line.corrected is None:
            raise line.row.fault("there is no column corrected_line", "read whole reports, level report")
        name = ":".join(filter(None, (line.study, line.generator, f"{line.number:g}")))
        own = line.rater if len(raters) > 1 else ""
        category = label(line.row, "error_category")
        yield AnnotatedPair(
            pair=ReportPair(
                id=f"{name}:{own}" if own else name,
                reference=line.corrected,
                candidate=line.generated,
            ),
            study=line.study,
            generator=line.generator,
            ratings={
                "severity": tuple(float(line.severity or 0) if line.rater == rater else math.nan for rater in raters)
            },
            strata={"category": category} if category else {},
        )


def _number(line: _Line) -> float:
    return line.number


def _each(severities: Sequence[Sequence[int]], summary: Callable[[Sequence[int]], int]) -> tuple[float, ...]:
    """One number a rater, NaN for one who did not read the report."""
    return tuple(float(summary(mine)) if mine else math.nan for mine in severities)


def _grouped(lines: Sequence[_Line], key: Callable[[_Line], K]) -> dict[K, list[_Line]]:
    groups: dict[K, list[_Line]] = {}
    for line in lines:
        groups.setdefault(key(line), []).append(line)
    return groups


def _truths(lines: Sequence[_Line]) -> dict[str, str]:
    """The radiologist's report by study."""
    truths: dict[str, str] = {}
    for line in lines:
        if line.truth is not None and truths.setdefault(line.study, line.truth) != line.truth:
            raise line.row.fault("its ground truth is not that of the rows before it of the same study")
    return truths


def _check_same_lines(first: Sequence[_Line], other: Sequence[_Line]) -> None:
    """Raises `InputError` unless two raters read the same lines."""
    for one, two in zip(first, other, strict=False):
        if (one.number, one.generated) != (two.number, two.generated):
            remedy = "every rater of a report has one row for each of its lines"
            raise two.row.fault(f"is not the line that row {one.row.number} has for another rater", remedy)
    if len(first) != len(other):
        raise other[-1].row.fault(
            f"its rater has {len(other)} lines of the report, another has {len(first)}",
            "every rater of a report has one row for each of its lines",
        )


def _corrected(first: Sequence[_Line], by_rater: Mapping[str, Sequence[_Line]]) -> str:
    """The corrected lines joined. Several raters mend a report in several ways, so that there is no one reference."""
    if len(by_rater) > 1:
        raise first[0].row.fault(
            "its report is corrected by several raters, so that there is no one reference", "add a column ground_truth"
        )
    return _joined([line.corrected or "" for line in first])


def _joined(lines: Sequence[str]) -> str:
    return " ".join(text for line in lines if (text := line.strip()))
