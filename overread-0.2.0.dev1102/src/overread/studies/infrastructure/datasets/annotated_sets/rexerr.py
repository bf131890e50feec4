"""ReXErr-v1 (Rao et al., PhysioNet): reports of MIMIC-CXR with errors put into them, beside their originals."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import field, frozen

from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark, Preference, Target
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.annotated_sets._account import Account
from overread.studies.infrastructure.datasets.annotated_sets._files import (
    Row,
    TableFile,
    no_table,
    plain,
    shown_names,
    unpack_tables,
)
from overread.studies.infrastructure.datasets.annotated_sets._rows import (
    Aliases,
    Distinct,
    check_readable,
    checked_columns,
)

__all__ = ["COLUMNS", "SPLITS", "read_rexerr"]

COLUMNS: Final[Aliases] = {
    "id": ("dicom_id", "dicom_ids", "image_id", "id"),
    "study": ("study_id", "study"),
    "original": ("original_report", "original", "clean_report", "reference"),
    "error": ("error_report", "errored_report", "corrupted_report", "candidate"),
    "errors": ("errors_sampled", "error_types", "errors"),
}
"""Names that each column goes by. The id may be missing if the studies are distinct; so may the kinds of error."""

SPLITS: Final = ("train", "val", "test")
ALL: Final = "all"
CORRUPTED: Final = Target("corrupted", higher_is_better=False, label="errors were put into the report")

_NEEDED: Final = ("study", "original", "error")
_SENTENCE: Final = "sentence"
_OTHERS: Final = frozenset({"sentence", "sentences", "clinician", "clinicians", "review", "reviews", "reviewed"})
_WORD: Final = re.compile(r"[a-z]+")
_SPLIT_WORDS: Final[Mapping[str, str]] = {**{split: split for split in SPLITS}, "valid": "val", "validation": "val"}
_KIND: Final = re.compile(r"[A-Za-z][\w /,()'&-]{0,58}")
_SEPARATOR: Final = re.compile(r"[;|,]")
_BETWEEN_IDS: Final = re.compile(r"[\s;|,]+")


def read_rexerr(path: Path, *, split: str = "all", columns: Mapping[str, str] | None = None) -> HumanBenchmark:
    """The report-level files of ReXErr-v1 as clean and corrupted pairs.

    In a folder, tables below one named after sentences, and those named after clinicians' reviews, are passed over
    whatever columns they have. Any other that has a column of reports, is named as report-level, or cannot be read at
    all is one of the set: it is refused, not passed over, if it is damaged. A cell of several image ids gives one id,
    joined by +.

    Each row gives two pairs with the original report as reference: the original against itself, and the report with
    errors; the first is better. Pairs of both kinds carry the errors that were sampled for their row as strata, so that
    each kind of error has its clean pairs too. Nobody rated them: "corrupted" is 0 or 1.

    Args:
        path: a report-level file, a folder that holds such, or an archive of it (.zip, .tar, .tar.gz).
        split: reads only the files with train, val or test in their name; "all" reads every one.
        columns: names of columns that are named otherwise: id, study, original, error, errors.

    Raises:
        InputError: if there is no report-level file, one is damaged or lacks a column, and at the first row with a
            repeated id or a cell that cannot be used.
        ValueError: if ``split`` is something else, or ``columns`` names something else.
    """
    if split not in (ALL, *SPLITS):
        raise ValueError(f"split must be all, {', '.join(SPLITS)}, not {split!r}")
    named = dict(columns or {})
    if unknown := sorted(named.keys() - COLUMNS.keys()):
        raise ValueError(f"there is no column {', '.join(unknown)} to name; there are {', '.join(COLUMNS)}")
    wanted = {name: (named[name],) if name in named else aliases for name, aliases in COLUMNS.items()}
    with unpack_tables(path) as folder:
        account = Account()
        every_table = account.find(folder)
        account.set_apart(
            (table for table in every_table if _split(table, folder) not in ("", split)), "of another split"
        )
        account.set_apart(
            (table for table in every_table if _is_beside(table, folder)), "sentences or a review by their name"
        )
        tables = _report_level(every_table, folder, split, {name: wanted[name] for name in _NEEDED})
        studies = [study for table in tables for study in _studies(table, folder, wanted, named, account)]
        _check_distinct(studies)
        several = sum(study.images > 1 for study in studies)
        if several:
            account.say(f"{several} reports are of several images; their id is that of the images, joined by +")
    kinds = tuple(sorted({kind for study in studies for kind in study.kinds}))
    return HumanBenchmark(
        name="rexerr",
        targets=(CORRUPTED,),
        raters=("construction",),
        pairs=tuple(pair for study in studies for pair in study.pairs(kinds)),
        preferences=tuple(study.preference(kinds) for study in studies),
        understood=account.lines,
        notes=tuple(_notes(studies)),
        by_people=False,
    )


def _report_level(found: Sequence[TableFile], folder: Path, split: str, wanted: Aliases) -> list[TableFile]:
    """The tables of whole reports, none of them damaged; those of sentences and of reviewers only if named alone."""
    tables = [table for table in found if split in (ALL, _split(table, folder))]
    mine = [table for table in tables if not _is_beside(table, folder)]
    check_readable(mine)
    meant = [table for table in mine if _is_meant(table, folder, wanted)]
    for table in meant:
        checked_columns(table, wanted)
    if meant:
        return meant
    if any(_SENTENCE in plain(name) for table in tables for name in table.names):
        remedy = "take the files named report-level"
        raise InputError(str(folder), "holds sentence-level files only, which are not read", remedy=remedy)
    beside = [table.path.name for table in tables if table not in mine and table.has(wanted)]
    if beside:
        problem = f"holds no report-level file; passed over by its name, or its folder's: {', '.join(beside)}"
        raise InputError(str(folder), problem, remedy="add the report-level files; a file that is named alone is read")
    what = "a report-level file" + ("" if split == ALL else f" with {split} in its name")
    raise no_table(tables, wanted, what, folder)


def _is_beside(table: TableFile, folder: Path) -> bool:
    """Returns whether the name of a file in a folder, or of its folders there, mentions sentences or a review."""
    return folder.is_dir() and not _OTHERS.isdisjoint(_words(table, folder))


def _is_meant(table: TableFile, folder: Path, wanted: Aliases) -> bool:
    """Returns whether a table is of whole reports, not of sentences, by its name or one of its columns."""
    if any(_SENTENCE in plain(name) for name in table.names):
        return False
    reports = table.columns({name: wanted[name] for name in ("original", "error")})
    return bool(reports) or {"report", "level"} <= set(_words(table, folder))


def _words(table: TableFile, folder: Path) -> list[str]:
    """Words of the file's name and its folders', below the one that is read."""
    inside = folder.is_dir() and table.path.is_relative_to(folder)
    return _WORD.findall(str(table.path.relative_to(folder) if inside else table.path.name).lower())


def _split(table: TableFile, folder: Path) -> str:
    """The split that is named last, by the file's own name before its folders'; "" if none."""
    named = [_SPLIT_WORDS[word] for word in _words(table, folder) if word in _SPLIT_WORDS]
    return named[-1] if named else ""


@frozen
class _Study:
    """A report, the same with errors, and the kinds of error."""

    row: Row = field(repr=False)
    id: str
    images: int
    study: str
    original: str = field(repr=False)
    corrupted: str = field(repr=False)
    kinds: frozenset[str]
    split: str

    def pairs(self, kinds: Sequence[str]) -> tuple[AnnotatedPair, AnnotatedPair]:
        """The original against itself, and the report with errors against the original."""
        return self._pair("clean", self.original, 0.0, kinds), self._pair("corrupted", self.corrupted, 1.0, kinds)

    def preference(self, kinds: Sequence[str]) -> Preference:
        """The clean pair is better."""
        first, second = (f"{self.id}:{name}" for name in ("clean", "corrupted"))
        strata = self._strata(kinds)
        return Preference(id=self.id, study=self.study, first=first, second=second, votes=(1.0,), strata=strata)

    def _pair(self, name: str, candidate: str, corrupted: float, kinds: Sequence[str]) -> AnnotatedPair:
        return AnnotatedPair(
            pair=ReportPair(id=f"{self.id}:{name}", reference=self.original, candidate=candidate),
            study=self.study,
            ratings={CORRUPTED.name: (corrupted,)},
            strata=self._strata(kinds),
        )

    def _strata(self, kinds: Sequence[str]) -> dict[str, str]:
        sampled = {kind: "sampled" if kind in self.kinds else "not sampled" for kind in kinds}
        return {"split": self.split, **sampled} if self.split else sampled


def _studies(
    table: TableFile, folder: Path, wanted: Aliases, named: Mapping[str, str], account: Account
) -> Iterator[_Study]:
    columns = table.columns(wanted)
    # A column that the user names must be there; one that the release may lack need not.
    if missing := [column for name, column in named.items() if name not in columns]:
        raise InputError(str(table.path), f"no column {missing[0]}; it has {shown_names(table.names)}")
    needed = {name: column for name, column in columns.items() if name in _NEEDED}
    split = _split(table, folder)
    for row in account.rows(table, needed, {name: columns[name] for name in columns if name not in needed}, "report"):
        images = _images(row) if "id" in columns and not row.is_empty("id") else [row.name("study")]
        yield _Study(
            row=row,
            id="+".join(images),
            images=len(images),
            study=row.name("study"),
            original=row.text("original"),
            corrupted=row.text("error"),
            kinds=_kinds(row),
            split=split,
        )


def _check_distinct(studies: Sequence[_Study]) -> None:
    names = Distinct("id")
    for study in studies:
        names.add(study.id, study.row)


def _images(row: Row) -> list[str]:
    """Ids of a cell: one, a list, one written out, or ids between separators."""
    entries = _entries(row, "id", _BETWEEN_IDS)
    if not isinstance(entries, list | tuple):
        return [row.name("id")]
    inner = [Row(row.source, row.number, {"id": entry}, row.columns) for entry in entries]
    return [cell.name("id") for cell in inner if not cell.is_empty("id")] or [row.name("id")]


def _entries(row: Row, column: str, between: re.Pattern[str]) -> Any:
    """The entries of a cell that is a list, one written out, or text with separators; else the cell."""
    value = row.cells.get(column)
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            return ast.literal_eval(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            raise row.fault(
                f"{row.told(column)} begins like a list but is not one", "close it, or separate its entries by ;"
            ) from None
    return between.split(value.strip()) if isinstance(value, str) else value


def _kinds(row: Row) -> frozenset[str]:
    """Kinds of error in a cell."""
    if row.is_empty("errors"):
        return frozenset()
    entries = _entries(row, "errors", _SEPARATOR)
    if not isinstance(entries, list | tuple):
        raise row.fault(f"{row.told('errors')} is not a list of kinds of error")
    kinds = [entry.strip() if isinstance(entry, str) else "" for entry in entries]
    # What is no name may be a report in the wrong column: it is not shown.
    if not all(_KIND.fullmatch(kind) for kind in kinds):
        raise row.fault(
            f"{row.told('errors')} holds something that is not a kind of error", "are the columns in order?"
        )
    return frozenset(kinds)


def _notes(studies: Sequence[_Study]) -> Iterator[str]:
    same = sum(study.original.split() == study.corrupted.split() for study in studies)
    if same:
        yield f"{same} reports with errors equal their originals; they count as corrupted, as the set says"
    yield 'nobody rated these pairs: "corrupted" says what was done to them'
