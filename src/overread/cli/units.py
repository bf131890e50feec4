"""`overread units`: reports into a table of clinical units, to be read once and scored anywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from attrs import define, field

from overread.cli.support import (
    Answers,
    Config,
    Set,
    keep_inputs,
    progress,
    read_settings,
    tell_answers,
    tell_plan,
    watch_model,
)
from overread.exceptions import InputError

if TYPE_CHECKING:
    from overread.application.asking.inquiry import Inquiry
    from overread.application.ports import Extraction, UnitExtractor
    from overread.domain.report import Report

__all__ = ["units"]

_COLUMNS: Final = ("report", "reference", "candidate")
_BATCH: Final = 64
_PASSING: Final = frozenset({"no answer", "not asked"})
"""Failures that say nothing of the report: it is left out of the table, and another run asks again."""


def units(
    reports: Annotated[Path, typer.Argument(help="CSV, TSV, JSONL or Parquet with reports, or with pairs.")],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="Table to write: .parquet or .jsonl.")],
    column: Annotated[
        list[str] | None,
        typer.Option(help="Column with reports, repeatable; by default report, reference and candidate."),
    ] = None,
    set_: Set = None,
    config: Config = None,
    answers: Answers = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only tell what would be asked of a language model.")
    ] = False,
) -> None:
    """Read reports into clinical units and keep them in a table.

    For --set extractor=table:FILE, which scores with them and reads nothing anew. Equal reports are read once. What a
    language model answers is kept beside the output, in OUTPUT.answers.sqlite unless --answers names another file, and
    not asked again. The table holds words of the reports.
    """
    from overread.adapters.reader.unit_table import UnitTableWriter
    from overread.application.asking.planning import plan_questions
    from overread.application.asking.tally import AnswerTally
    from overread.bootstrap import open_component

    found = _reports(reports, column or ())
    settings = read_settings(config, set_, answers=answers)
    kept_in = settings.answers or output.with_name(f"{output.name}.answers.sqlite")
    keep_inputs(output, reports, kept_in, config)
    watch = watch_model()
    extractor: UnitExtractor = open_component(settings, "extractor", watch=watch)
    writer = UnitTableWriter(output, extractor.identity)
    inquiry: Inquiry | None = getattr(extractor, "inquiry", None)
    if inquiry is not None:
        _keep_answers(inquiry, kept_in, may_make=not dry_run)
    if dry_run:
        questions = getattr(extractor, "questions", None)
        if inquiry is None or questions is None:
            typer.echo(f"{len(found):,} reports; the extractor asks no language model.")
        else:
            tell_plan(plan_questions([questions(found)], inquiry), inquiry.model)
        return
    count = _Count()
    try:
        with progress(len(found), "reading", "reports", watch) as advance, writer:
            for start in range(0, len(found), _BATCH):
                batch = found[start : start + _BATCH]
                for report, extraction in zip(batch, extractor.extract(batch), strict=True):
                    if count.add(extraction):
                        writer.add(report, extraction)
                advance(start + len(batch))
    finally:
        if inquiry is not None and isinstance(inquiry.answers, AnswerTally):
            tell_answers(inquiry.answers, kept_in)
    typer.echo(f"{count.told()} -> {output}", err=True)


@define
class _Count:
    """What was read so far."""

    reports: int = 0
    units: int = 0
    sentences: int = 0
    failures: Counter[str] = field(factory=Counter)

    def add(self, extraction: Extraction) -> bool:
        """Count a report; whether it belongs in the table."""
        if not isinstance(extraction, tuple):
            self.failures[extraction.reason] += 1
            return extraction.reason not in _PASSING
        self.reports += 1
        self.units += len(extraction)
        self.sentences += sum(unit.is_unread for unit in extraction)
        return True

    def told(self) -> str:
        """The counts in words."""
        read = f"{self.units:,} units of {self.reports:,} reports, {self.sentences:,} of them unread sentences"
        if not self.failures:
            return read
        reasons = ", ".join(f"{reason} {number:,}" for reason, number in sorted(self.failures.items()))
        again = "; another run asks again" if _PASSING & self.failures.keys() else ""
        return f"{read}; reports not read: {reasons}{again}"


def _reports(path: Path, columns: Sequence[str]) -> list[Report]:
    """The distinct reports of a file that are not blank, in order."""
    from overread.domain.report import Report

    reports = (Report(text) for text in dict.fromkeys(_texts(path, columns)))
    return [report for report in reports if not report.is_blank]


def _texts(path: Path, columns: Sequence[str]) -> Iterator[str]:
    from overread.infrastructure.files.cells import RowError, report_text
    from overread.infrastructure.files.records import read_records

    remedy = "name the columns with reports with --column"
    for record in read_records(path, columns, () if columns else _COLUMNS, remedy=remedy):
        if not record.problem and not record.fields:
            raise InputError(str(path), f"no column {' or '.join(_COLUMNS)}", row=record.row, remedy=remedy)
        try:
            texts = [report_text(value, name) for name, value in record.fields.items()]
        except RowError as error:
            raise InputError(str(path), record.problem or str(error), row=record.row) from None
        if record.problem:
            raise InputError(str(path), record.problem, row=record.row)
        yield from texts


def _keep_answers(inquiry: Inquiry, path: Path, *, may_make: bool) -> None:
    """Keeps a model's answers in a file, unless the settings name one; a file is not made only to look into it."""
    from overread.application.asking.tally import AnswerTally
    from overread.infrastructure.store.answers import open_answers

    tally = inquiry.answers
    if isinstance(tally, AnswerTally) and tally.store is None and (may_make or path.exists()):
        tally.store = open_answers(path)
