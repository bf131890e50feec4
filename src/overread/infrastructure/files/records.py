"""Records of a table file, one at a time: CSV, TSV, JSONL (each also gzipped), Parquet and saved data sets.

A fault of one row is carried in its record, so that the caller decides what it does; a fault of the whole file, or one
after which rows cannot be told apart, is raised. No message quotes the file's text.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import IO, Any, Final, cast

from attrs import field, frozen

from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json
from overread.exceptions import InputError
from overread.infrastructure.files.contents import HEAD, check_contents, check_layout, not_text
from overread.infrastructure.files.lines import longest_line, read_lines, text_lines, too_long

__all__ = [
    "LONGEST_CELL",
    "Record",
    "checked_path",
    "count_records",
    "is_gzipped",
    "opened",
    "read_columns",
    "read_records",
    "table_format",
]

LONGEST_CELL: Final = 16 * 1024 * 1024
"""Characters of one CSV cell; a longer one is taken for a quote that is never closed."""

_FORMATS: Final = {".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_SUFFIXES: Final = ".csv, .tsv, .jsonl, .ndjson (each also with .gz) or .parquet"
_AS_CSV: Final = "save each sheet as CSV (UTF-8)"
_AS_PARQUET: Final = "save it as Parquet"
_OTHER_FORMATS: Final = {
    ".json": "write each object on a line of its own and let its name end in .jsonl",
    ".xlsx": _AS_CSV,
    ".xls": _AS_CSV,
    ".ods": _AS_CSV,
    ".feather": _AS_PARQUET,
    ".arrow": _AS_PARQUET,
    ".zip": "unpack it first",
}
_AS_UTF8: Final = "save it as UTF-8"
_SEPARATORS: Final = frozenset(",;\t|")
_COUNTED_SIZE: Final = 1 << 28
_CHUNK: Final = 1 << 20

_MARK: Final = b"\xef\xbb\xbf"
_WIDE_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_ESCAPED_BYTE: Final = re.compile("[\udc80-\udcff]")
_NAME: Final = re.compile(r"[^\W\d][\w.:/-]*( [\w:/()-]+){0,2}(?<![.,;])")
_LONGEST_NAME: Final = 40


@frozen
class Record:
    """One row.

    Attributes:
        row: 1-based; the header of a table is not counted. In JSONL it is the line number.
        fields: cell by column; only some of them, or none, where there is a problem.
        problem: what is wrong with the row, "" if nothing is.
    """

    row: int
    fields: Mapping[str, Any] = field(repr=False)
    problem: str = ""


def read_records(
    path: Path, required: Sequence[str], optional: Sequence[str] = (), *, remedy: str = "", split: str = ""
) -> Iterator[Record]:
    """The rows of a file in order, in constant memory.

    Args:
        path: its suffix tells the format; a folder is a data set that Hugging Face's library saved.
        required: columns that must be there.
        optional: further columns to read where there are such.
        remedy: what to do where a required column is missing.
        split: of a folder that holds several.

    Raises:
        InputError: if the file is missing, empty, of an unknown format, not UTF-8 at its head, damaged, or lacks a
            required column, or the folder is none of a data set.
    """
    wanted = _Wanted(tuple(dict.fromkeys(required)), tuple(dict.fromkeys(optional)), remedy)
    if _is_folder(path):
        return _read_dataset(path, split, wanted)
    if split:
        raise InputError(str(path), "is a file, which has no splits", remedy="leave `split` out")
    checked_path(path)
    if not path.is_file():
        problem = "is a pipe or a device, which cannot be read twice"
        raise InputError(str(path), problem, remedy="save what comes from it to a file first")
    return _READERS[table_format(path)](path, wanted)


@frozen
class _Wanted:
    """The columns to read."""

    required: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    remedy: str = ""

    def among(self, names: Sequence[str]) -> list[str]:
        """Those that are there."""
        return [name for name in (*self.required, *self.optional) if name in names]

    def places(self, path: Path, names: Sequence[str]) -> dict[str, int]:
        """Positions of the columns that are there; blanks around their names are ignored.

        Raises:
            InputError: if a required column is missing, or one that is wanted is there twice.
        """
        bare = [name if name in self.among([name]) else name.strip() for name in names]
        if missing := [name for name in self.required if name not in bare]:
            raise InputError(str(path), _missing(missing, bare), remedy=self.remedy)
        there = self.among(bare)
        if twice := [name for name in there if bare.count(name) > 1]:
            raise InputError(str(path), f"column {twice[0]} is there more than once", remedy="rename one of them")
        return {name: bare.index(name) for name in there}


def table_format(path: Path) -> str:
    """Format by suffix: csv, tsv, jsonl or parquet."""
    suffix = Path(path.stem).suffix if is_gzipped(path) else path.suffix
    name = _FORMATS.get(suffix.lower())
    if name is None or (name == "parquet" and is_gzipped(path)):
        remedy = _OTHER_FORMATS.get(suffix.lower(), f"use {_SUFFIXES}")
        raise InputError(str(path), "its suffix names no format that can be read", remedy=remedy)
    return name


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def is_gzipped(path: Path) -> bool:
    """Return whether the suffix is .gz."""
    return path.suffix.lower() == ".gz"


def checked_path(path: Path) -> None:
    """Raises `InputError` unless ``path`` is there and no folder."""
    try:
        folder, there = path.is_dir(), path.exists()
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or type(error).__name__}") from None
    if folder:
        raise InputError(str(path), "is a folder, not a file")
    if not there:
        raise InputError(str(path), "no such file")


def count_records(path: Path, split: str = "") -> int | None:
    """About how many records a file holds, for a progress bar; None where finding out is slow or impossible."""
    try:
        if path.is_dir():
            return _count_dataset(path, split)
        if not path.is_file() or is_gzipped(path) or path.stat().st_size > _COUNTED_SIZE:
            return None
        return _COUNTERS[table_format(path)](path)
    except (OSError, InputError):
        return None


def read_columns(path: Path) -> list[str]:
    """The columns of a file; of JSON lines the keys of all objects, in the order of their first appearance.

    Raises:
        InputError: if the file is of an unknown format, or its columns cannot be read.
    """
    return _COLUMNS[table_format(path)](path)


@contextmanager
def opened(path: Path) -> Iterator[IO[bytes]]:
    """The file's bytes, unpacked if gzipped; a fault in reading becomes an `InputError`.

    Raises:
        InputError: too, if its first bytes are those of another kind of file than its name says.
    """
    packed = is_gzipped(path)
    try:
        with path.open("rb") as file:
            check_contents(path, file.peek(HEAD)[:HEAD], "gzip" if packed else _expected_format(path))
            with gzip.GzipFile(fileobj=file) if packed else file as stream:
                if packed:
                    check_contents(path, stream.peek(HEAD)[:HEAD])
                yield cast("IO[bytes]", stream)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(str(path), "is not a whole gzip file", remedy="pack or copy it again") from None
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror or type(error).__name__}") from None
    except MemoryError:
        raise InputError(str(path), "memory does not suffice to read it", remedy="free some, or split it") from None


def _head(stream: IO[bytes]) -> bytes:
    """The first bytes of what `opened` gives, which are still to be read."""
    return cast("io.BufferedReader", stream).peek(HEAD)[:HEAD]


def _expected_format(path: Path) -> str:
    return "parquet" if path.suffix.lower() == ".parquet" else ""


def _read_csv(path: Path, columns: _Wanted, delimiter: str = ",") -> Iterator[Record]:
    with _csv_cursor(path, delimiter) as cursor:
        header = cursor.header()
        wanted = columns.places(path, header)
        for row, cells, problem in cursor.rows():
            fields = {name: cells[place] for name, place in wanted.items() if place < len(cells)}
            yield Record(row, fields, problem or _cells_problem(cells, header))


@contextmanager
def _csv_cursor(path: Path, delimiter: str) -> Iterator[_CsvCursor]:
    # The limit is the process's: raised for long reports, never lowered under somebody else's.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    with opened(path) as stream:
        check_layout(path, _head(stream), "csv")
        # Bytes that are not UTF-8 become surrogates, to be reported with their row.
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        yield _CsvCursor(path, text, delimiter)


class _CsvCursor:
    """Goes through a CSV file, counting rows. Blank lines are no rows."""

    def __init__(self, path: Path, text: IO[str], delimiter: str) -> None:
        self._source, self._delimiter = str(path), delimiter
        self._most = longest_line()
        self._reader = csv.reader(text_lines(text, self._most), delimiter=delimiter, strict=True)

    def header(self) -> list[str]:
        """The first row."""
        cells, problem = self._next(None)
        if cells is None:
            raise InputError(self._source, "is empty")
        if problem:
            raise InputError(self._source, f"the header cannot be read: {problem}")
        text = self._delimiter.join(cells)
        if "\0" in text or _ESCAPED_BYTE.search(text):
            raise not_text(self._source, text.encode(errors="surrogateescape"))
        if len(cells) == 1 and not _SEPARATORS.isdisjoint(text):
            problem = "its cells are separated by something else than its suffix says"
            raise InputError(self._source, problem, remedy="a .csv has commas, a .tsv tabs")
        return [cell.strip() for cell in cells]

    def rows(self) -> Iterator[tuple[int, list[str], str]]:
        """The rows after the header: number, cells, and what is wrong with the row."""
        for row in count(1):
            cells, problem = self._next(row)
            if cells is None:
                return
            yield row, cells, problem

    def _next(self, row: int | None) -> tuple[list[str] | None, str]:
        """The next row that is not blank, or None at the end, and what is wrong with it."""
        cells: list[str] | None = []
        while cells == []:
            line = self._reader.line_num + 1
            try:
                cells = next(self._reader, None)
            except csv.Error as error:
                return [], self._fault(error, row, line)
            except OverflowError:
                problem = f"line {self._reader.line_num + 1} {too_long(self._most)}"
                raise InputError(self._source, problem, row=row) from None
        return cells, ""

    def _fault(self, error: csv.Error, row: int | None, line: int) -> str:
        """Words for what is wrong with a row; raises if the rows after it cannot be told apart."""
        endless = "field larger" in str(error) or "unexpected end" in str(error)
        if endless or self._reader.line_num > line:
            problem = f"a quote is not closed, or not doubled inside a quoted cell, from line {line} on"
            raise InputError(self._source, problem, row=row, remedy='write " inside a cell as ""') from None
        return f"a quote inside a quoted cell is not doubled (line {line})"


def _cells_problem(cells: Sequence[str], header: Sequence[str]) -> str:
    if len(cells) != len(header):
        return f"{len(cells)} cells instead of {len(header)}"
    if [cell.strip() for cell in cells] == header:
        return "the header stands here again, as where files were put together"
    byte = _ESCAPED_BYTE.search("".join(cells))
    return f"byte 0x{ord(byte.group()) - 0xDC00:02X} is not UTF-8; {_AS_UTF8}" if byte else ""


def _read_jsonl(path: Path, columns: _Wanted) -> Iterator[Record]:
    return (_with_columns(record, columns) for record in _json_records(path, columns))


def _json_records(path: Path, columns: _Wanted) -> Iterator[Record]:
    empty, most = True, longest_line()
    with opened(path) as stream:
        check_layout(path, _head(stream), "jsonl")
        for row, line in enumerate(read_lines(stream, most), start=1):
            if line is None:
                empty = False
                yield Record(row, {}, too_long(most))
                continue
            if row == 1 and (line.startswith(_WIDE_MARKS) or b"\0" in line):
                raise not_text(str(path), line)
            text = line.removeprefix(_MARK) if row == 1 else line
            if text.strip():
                empty = False
                yield _json_record(row, text, columns)
    if empty:
        raise InputError(str(path), "is empty")


def _json_record(row: int, line: bytes, columns: _Wanted) -> Record:
    try:
        value = parse_json(line.decode("utf-8"))
    except RepeatedKeyError as error:
        known = error.key in columns.among([error.key])
        return Record(row, {}, f"has the key {error.key} twice" if known else f"not valid: {error}")
    except UnicodeDecodeError as error:
        return Record(row, {}, f"byte 0x{line[error.start]:02X} is not UTF-8; {_AS_UTF8}")
    except json.JSONDecodeError as error:
        return Record(row, {}, f"not valid JSON: {error.msg} at character {error.pos + 1}")
    except (ValueError, RecursionError):
        return Record(row, {}, "not valid JSON: a number too long or brackets too deep")
    if not isinstance(value, dict):
        return Record(row, {}, "not a JSON object")
    return Record(row, value)


def _with_columns(record: Record, columns: _Wanted) -> Record:
    """The record with the columns asked for only; JSON objects may each have others, so each is checked."""
    fields, problem = record.fields, record.problem
    if odd := [name for name in fields if name != name.strip() and name not in columns.among([name])]:
        bare = {name.strip() if name in odd else name: value for name, value in fields.items()}
        problem = problem or ("" if len(bare) == len(fields) else "not valid: an object has a key twice")
        fields = bare
    selected = {name: fields[name] for name in columns.among(list(fields))}
    missing = [name for name in columns.required if name not in selected]
    if missing and not problem:
        problem = "; ".join(filter(None, [_missing(missing, list(fields)), columns.remedy]))
    return Record(record.row, selected, problem)


def _read_parquet(path: Path, columns: _Wanted) -> Iterator[Record]:
    from overread.infrastructure.files import parquet as _parquet  # noqa: PLC0415 - pyarrow is slow to import

    with opened(path) as stream, _parquet.readable(path, stream) as file:
        chosen = _choose_columns(path, _parquet.columns(file), columns)
        for row, (cells, problem) in enumerate(_parquet.rows(file, list(chosen)), start=1):
            yield Record(row, {chosen[name]: cell for name, cell in cells.items()}, problem)


def _read_dataset(path: Path, split: str, columns: _Wanted) -> Iterator[Record]:
    from overread.infrastructure.files import saved_datasets as _datasets  # noqa: PLC0415 - pyarrow is slow to import

    row = 0
    for file in _datasets.files(path, split):
        chosen = _choose_columns(path, _datasets.columns(file), columns)
        for cells, problem in _datasets.rows(file, list(chosen)):
            row += 1
            yield Record(row, {chosen[name]: cell for name, cell in cells.items()}, problem)


def _choose_columns(path: Path, names: Sequence[str], columns: _Wanted) -> dict[str, str]:
    """The wanted columns by the names under which the file has them. Raises as `_Wanted.places`."""
    return {names[place]: name for name, place in columns.places(path, names).items()}


def _missing(missing: Sequence[str], names: Sequence[str]) -> str:
    return f"no column {' or '.join(missing)}; {_describe_columns(names)}"


def _describe_columns(names: Sequence[str]) -> str:
    """The columns, unless they look like the first row of a file that has no header: that would quote a report."""
    if not all(len(name) <= _LONGEST_NAME and _NAME.fullmatch(name) for name in names):
        return "what stands in their place does not look like column names, so it is not shown"
    return f"there is {', '.join(names)}" if names else "there is none at all"


def _csv_columns(path: Path, delimiter: str = ",") -> list[str]:
    with _csv_cursor(path, delimiter) as cursor:
        return cursor.header()


def _json_columns(path: Path) -> list[str]:
    keys: dict[str, None] = {}
    for record in _json_records(path, _Wanted()):
        if record.problem:
            raise InputError(str(path), record.problem, row=record.row)
        keys.update(dict.fromkeys(record.fields))
    return list(keys)


def _parquet_columns(path: Path) -> list[str]:
    from overread.infrastructure.files import parquet as _parquet  # noqa: PLC0415 - pyarrow is slow to import

    with opened(path) as stream, _parquet.readable(path, stream) as file:
        return _parquet.columns(file)


def _count_lines(path: Path) -> int:
    """Line ends; a last line may have none."""
    ends, last = 0, b"\n"
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            ends, last = ends + chunk.count(b"\n"), chunk[-1:]
    return ends + (last != b"\n")


def _count_csv(path: Path) -> int:
    """Line ends outside quotes, less the header; a last line may have no end."""
    ends, inside, last = 0, False, b""
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            for number, piece in enumerate(chunk.split(b'"')):
                inside = not inside if number else inside
                ends += 0 if inside else piece.count(b"\n")
            last = chunk[-1:]
    return max(0, ends - 1 + (last not in (b"\n", b"")))


def _count_parquet(path: Path) -> int:
    from overread.infrastructure.files import parquet as _parquet  # noqa: PLC0415 - pyarrow is slow to import

    with opened(path) as stream, _parquet.readable(path, stream) as file:
        return _parquet.count(file)


def _count_dataset(path: Path, split: str) -> int:
    from overread.infrastructure.files import saved_datasets as _datasets  # noqa: PLC0415 - pyarrow is slow to import

    return sum(_datasets.count(file) for file in _datasets.files(path, split))


_Reader = Callable[[Path, _Wanted], Iterator[Record]]

_READERS: Final[Mapping[str, _Reader]] = {
    "csv": _read_csv,
    "tsv": partial(_read_csv, delimiter="\t"),
    "jsonl": _read_jsonl,
    "parquet": _read_parquet,
}
_COUNTERS: Final[Mapping[str, Callable[[Path], int]]] = {
    "csv": _count_csv,
    "tsv": _count_csv,
    "jsonl": _count_lines,
    "parquet": _count_parquet,
}
_COLUMNS: Final[Mapping[str, Callable[[Path], list[str]]]] = {
    "csv": _csv_columns,
    "tsv": partial(_csv_columns, delimiter="\t"),
    "jsonl": _json_columns,
    "parquet": _parquet_columns,
}
