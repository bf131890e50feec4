"""JSON lines: a value a line, in constant memory."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

from attrs import field, frozen

from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json
from overread.exceptions import InputError
from overread.tables.columns import MEND, Record, WantedColumns, missing_columns
from overread.tables.contents import MARK, WIDE_MARKS, check_layout, not_text
from overread.tables.lines import longest_line, read_lines, too_long
from overread.tables.opening import file_head, open_binary

__all__ = ["Line", "count_lines", "read_keys", "read_rows", "read_values"]

_CHUNK: Final = 1 << 20


@frozen
class Line:
    """A line that is not blank.

    Attributes:
        number: 1-based; blank lines count.
        value: that it holds; None where there is a problem.
        problem: why it holds none, "" if it does.
        remedy: what to do about the problem, "" where that says so itself.
        repeated: the key that an object has twice, None if none.
    """

    number: int
    value: Any = field(default=None, repr=False)
    problem: str = ""
    remedy: str = ""
    repeated: str | None = field(default=None, repr=False)


def read_values(path: Path, stream: IO[bytes]) -> Iterator[Line]:
    """The lines of a stream that are not blank.

    Args:
        path: of the file, for messages.
        stream: as `open_binary` gives it, from its beginning.

    Raises:
        InputError: if the file begins as one of another layout, or is no UTF-8 text.
    """
    check_layout(path, file_head(stream), "jsonl")
    most = longest_line()
    for number, line in enumerate(read_lines(stream, most), start=1):
        if line is None:
            yield Line(number, problem=too_long(most))
            continue
        if number == 1 and (line.startswith(WIDE_MARKS) or b"\0" in line):
            raise not_text(str(path), line)
        text = line.removeprefix(MARK) if number == 1 else line
        if text.strip():
            yield _parse_line(number, text)


def read_rows(path: Path, columns: WantedColumns) -> Iterator[Record]:
    """The objects of a file as rows; each may have other keys, so each is checked for those that are wanted."""
    return (_with_columns(record, columns) for record in _records(path, columns))


def read_keys(path: Path) -> list[str]:
    """The keys of all objects in the order of their first appearance. Raises `InputError` at a line without one."""
    keys: dict[str, None] = {}
    for record in _records(path, WantedColumns()):
        if record.problem:
            raise record.error(path)
        keys.update(dict.fromkeys(record.fields))
    return list(keys)


def count_lines(path: Path) -> int:
    """Line ends; a last line may have none."""
    ends, last = 0, b"\n"
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            ends, last = ends + chunk.count(b"\n"), chunk[-1:]
    return ends + (last != b"\n")


def _parse_line(number: int, line: bytes) -> Line:
    try:
        return Line(number, parse_json(line.decode("utf-8")))
    except RepeatedKeyError as error:
        return Line(number, problem=str(error), remedy=MEND, repeated=error.key)
    except UnicodeDecodeError as error:
        return Line(number, problem=f"byte 0x{line[error.start]:02X} is not UTF-8; save it as UTF-8")
    except json.JSONDecodeError as error:
        return Line(number, problem=f"not valid JSON: {error.msg} at character {error.pos + 1}", remedy=MEND)
    except (ValueError, RecursionError):
        return Line(number, problem="not valid JSON: a number too long or brackets too deep", remedy=MEND)


def _records(path: Path, columns: WantedColumns) -> Iterator[Record]:
    is_empty = True
    with open_binary(path) as stream:
        for line in read_values(path, stream):
            is_empty = False
            yield _record(line, columns)
    if is_empty:
        raise InputError(str(path), "is empty")


def _record(line: Line, columns: WantedColumns) -> Record:
    if line.repeated is not None:
        is_column = line.repeated in columns.required or line.repeated in (columns.optional or ())
        problem = f"has the key {line.repeated} twice" if is_column else f"not valid: {line.problem}"
        return Record(line.number, {}, problem, line.remedy)
    if line.problem:
        return Record(line.number, {}, line.problem, line.remedy)
    if not isinstance(line.value, dict):
        return Record(line.number, {}, "not a JSON object", MEND)
    return Record(line.number, line.value)


def _with_columns(record: Record, columns: WantedColumns) -> Record:
    """The record with the columns asked for only."""
    if record.problem:
        return record
    fields, problem, remedy = record.fields, "", ""
    if any(name != columns.plain(name) for name in fields):
        bare = {columns.plain(name): value for name, value in fields.items()}
        if len(bare) < len(fields):
            problem, remedy = "not valid: an object has a key twice", MEND
        fields = bare
    selected = {name: fields[name] for name in columns.among(list(fields))}
    missing = [name for name in columns.required if name not in selected]
    if missing and not problem:
        problem = "; ".join(filter(None, [missing_columns(missing, list(fields)), columns.remedy]))
    return Record(record.row, selected, problem, remedy)
