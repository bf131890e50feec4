"""Rows of a file as versions of reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

from attrs import frozen

from overread.domain.reports.report import ClinicalContext
from overread.exceptions import InputError
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.report_version import ReportStatus, ReportVersion
from overread.hospital.infrastructure.exchange.documents.reading import text_of_source
from overread.hospital.infrastructure.exchange.folder._columns import check_unread
from overread.hospital.infrastructure.exchange.folder.options import FolderOptions
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError
from overread.tables.cells import RowError, age_years, identifier, is_missing, report_text, words
from overread.tables.records import Record, read_records, table_format

__all__ = ["OPTIONAL", "REQUIRED", "SOURCE", "Problem", "read_rows"]

SOURCE: Final = "folder"
"""Source of versions that came this way."""

REQUIRED: Final = ("accession", "status", "text")
OPTIONAL: Final = (
    "site",
    "reader",
    "model",
    "filler",
    "placer",
    "issued",
    "message",
    "patient",
    "modality",
    "procedure",
    "body_part",
    "device",
    "performed",
    "age",
    "sex",
    "indication",
)
_BETWEEN: Final = ";"
"""Separator between accession numbers of one report."""

_SEMICOLON: Final = b";"
_LONGEST_HEADER: Final = 64 * 1024
_COLUMNS: Final = f"the columns must be {', '.join(REQUIRED)}, and any of {', '.join(OPTIONAL)}"


@frozen
class Problem:
    """A problem with a row, or with a message of a file of messages, in words that never quote it."""

    row: int
    detail: str
    kind: str = "row"


def read_rows(path: Path, name: str, options: FolderOptions) -> list[ReportVersion] | list[Problem]:
    """The versions of a file, or everything that is wrong with its rows.

    Args:
        path: where the file is.
        name: by which it was dropped; with the row it names a version that names no message.
        options: of the folder.

    Raises:
        RefusedMessageError: if the file as a whole cannot be read, or holds too much.
    """
    try:
        if table_format(path) == "parquet":
            _check_parquet(path, options)
        # Of a file without a header the names that it has are the cells of its first row, which may name a patient.
        read = read_records(path, REQUIRED, OPTIONAL, remedy=_COLUMNS, shows_names=False)
        records = list(islice(read, options.most_rows + 1))
    except InputError as error:
        _refuse_semicolons(path, name)
        detail = f"{error.problem} ({error.remedy})" if error.remedy else error.problem
        place = "" if error.row is None else f"row {error.row}"
        raise RefusedMessageError("unreadable-file", detail, location=place, message=name) from None
    if not records:
        raise RefusedMessageError("no-rows", "it has only a header; add a row for each version", message=name)
    if len(records) > options.most_rows:
        raise RefusedMessageError("too-many-rows", f"at most {options.most_rows:,}; split the file", message=name)
    entries = [_version_or_problem(record, name, options) for record in records]
    problems = [entry for entry in entries if isinstance(entry, Problem)]
    if not problems:
        check_unread(path, name, (*REQUIRED, *OPTIONAL))
    return problems or [entry for entry in entries if isinstance(entry, ReportVersion)]


def _refuse_semicolons(path: Path, name: str) -> None:
    """Refuses a table as spreadsheets of many countries write it, whose cells no fault of theirs makes unreadable."""
    with path.open("rb") as file:
        header = file.readline(_LONGEST_HEADER)
    if path.suffix.lower() == ".csv" and header.count(_SEMICOLON) > header.count(b","):
        detail = f"its columns are separated by semicolons; a .csv has commas, a .tsv tabs ({_COLUMNS})"
        raise RefusedMessageError("unreadable-file", detail, message=name) from None


def _version_or_problem(record: Record, name: str, options: FolderOptions) -> ReportVersion | Problem:
    if record.problem:
        return Problem(record.row, record.problem)
    try:
        return _version(record.fields, f"{name}:{record.row}", options)
    except RowError as error:
        return Problem(record.row, str(error))


def _version(fields: Mapping[str, Any], name: str, options: FolderOptions) -> ReportVersion:
    status = _status(fields.get("status"))
    text = "" if status is ReportStatus.CANCELLED else _text(fields.get("text"))
    if not text.strip() and status is not ReportStatus.CANCELLED:
        raise RowError("text is empty; only a cancelled report has none")
    model = _word(fields, "model")
    if (status is ReportStatus.DRAFT) is not bool(model):
        raise RowError("a draft must name its model, and other reports must not")
    return ReportVersion(
        examinations=tuple(_examinations(fields, options)),
        status=status,
        text=text,
        reader=_word(fields, "reader"),
        model=model,
        filler=_word(fields, "filler"),
        placer=_word(fields, "placer"),
        issued=_moment(fields, "issued", options),
        source=SOURCE,
        message=_word(fields, "message") or name,
    )


def _text(value: object) -> str:
    """The text of a cell, which may be the source of a document: databases of reports keep RTF and HTML."""
    try:
        return text_of_source(report_text(value, "text"))
    except RefusedMessageError as error:
        raise RowError(f"text: {error.detail}") from None


def _status(value: object) -> ReportStatus:
    try:
        return ReportStatus(words(value, "status") or "")
    except ValueError:
        raise RowError(f"status must be one of {', '.join(ReportStatus)}") from None


def _examinations(fields: Mapping[str, Any], options: FolderOptions) -> Iterator[Examination]:
    site = _word(fields, "site") or options.site
    if not site:
        raise RowError("site is missing, and none is set for the folder")
    numbers = [number.strip() for number in identifier(fields.get("accession"), "accession").split(_BETWEEN)]
    if not all(numbers) or len(set(numbers)) < len(numbers):
        raise RowError(f"accession must hold different numbers, separated by {_BETWEEN}")
    context = ClinicalContext(
        age=age_years(fields.get("age"), "age"),
        sex=words(fields.get("sex"), "sex"),
        indication=words(fields.get("indication"), "indication"),
    )
    for number in numbers:
        yield Examination(
            site=site,
            accession=number,
            patient=_word(fields, "patient"),
            modality=_word(fields, "modality"),
            procedure=_word(fields, "procedure"),
            body_part=_word(fields, "body_part"),
            device=_word(fields, "device"),
            performed=_moment(fields, "performed", options),
            context=context,
        )


def _word(fields: Mapping[str, Any], column: str) -> str:
    """An identifier or a name, "" where it is not told."""
    value = fields.get(column)
    return "" if is_missing(value) or value == "" else identifier(value, column).strip()


def _moment(fields: Mapping[str, Any], column: str, options: FolderOptions) -> datetime | None:
    value = fields.get(column)
    if not isinstance(value, datetime):
        text = words(value, column)
        if not text:
            return None
        try:
            value = datetime.fromisoformat(text)
        except ValueError:
            raise RowError(f"{column} is not a time; write it as 2026-03-01T08:15:00+01:00") from None
    if value.tzinfo is None:
        if options.zone is None:
            raise RowError(f"{column} has no time zone, and none is set for the folder")
        return value.replace(tzinfo=ZoneInfo(options.zone))
    return value


def _check_parquet(path: Path, options: FolderOptions) -> None:
    """Refuses before it is unpacked what would be too much."""
    from overread.hospital.infrastructure.exchange.folder import _parquet  # noqa: PLC0415 - pyarrow is slow to import

    _parquet.check_decoded(path, {*REQUIRED, *OPTIONAL}, most_rows=options.most_rows, most_bytes=options.largest_file)
