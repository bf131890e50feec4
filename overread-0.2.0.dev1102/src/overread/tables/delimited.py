"""Tables of cells with something between them: CSV and TSV, in constant memory."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import IO, Final

from overread.exceptions import InputError
from overread.tables.columns import MEND, Record, WantedColumns
from overread.tables.contents import check_layout, not_text
from overread.tables.lines import longest_line, text_lines, too_long
from overread.tables.opening import file_head, open_binary

__all__ = ["LONGEST_CELL", "count_rows", "read_header", "read_rows"]

LONGEST_CELL: Final = 16 * 1024 * 1024
"""Characters of one CSV cell; a longer one is taken for a quote that is never closed."""

_SEPARATORS: Final = frozenset(",;\t|")
_ESCAPED_BYTE: Final = re.compile("[\udc80-\udcff]")
_QUOTE: Final = "a cell that holds the separator must be in double quotes; correct the row, or copy the file again"
_CHUNK: Final = 1 << 20


def read_rows(path: Path, columns: WantedColumns, delimiter: str = ",") -> Iterator[Record]:
    """The rows below the header."""
    with _cursor(path, delimiter) as cursor:
        header = cursor.header()
        wanted = columns.places(path, header)
        for row, cells, problem in cursor.rows():
            fields = {name: cells[place] for name, place in wanted.items() if place < len(cells)}
            yield Record(row, fields, problem, MEND) if problem else _checked_record(row, fields, cells, header)


def read_header(path: Path, delimiter: str = ",") -> list[str]:
    """The names of the columns, without blanks around them."""
    with _cursor(path, delimiter) as cursor:
        return cursor.header()


def count_rows(path: Path) -> int:
    """Line ends outside quotes, less the header; a last line may have no end."""
    ends, inside, last = 0, False, b""
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            for number, piece in enumerate(chunk.split(b'"')):
                inside = not inside if number else inside
                ends += 0 if inside else piece.count(b"\n")
            last = chunk[-1:]
    return max(0, ends - 1 + (last not in (b"\n", b"")))


@contextmanager
def _cursor(path: Path, delimiter: str) -> Iterator[_Cursor]:
    # The limit is the process's: raised for long reports, never lowered under somebody else's.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_CELL))
    with open_binary(path) as stream:
        check_layout(path, file_head(stream), "csv")
        # Bytes that are not UTF-8 become surrogates, to be reported with their row.
        text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="")
        yield _Cursor(path, text, delimiter)


class _Cursor:
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
            problem = "its cells are not separated as its suffix says"
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


def _checked_record(row: int, fields: dict[str, str], cells: Sequence[str], header: Sequence[str]) -> Record:
    if len(cells) != len(header):
        return Record(row, fields, f"{len(cells)} cells instead of {len(header)}", _QUOTE)
    if [cell.strip() for cell in cells] == header:
        return Record(row, fields, "the header is repeated here, as in files that were joined", MEND)
    if byte := _ESCAPED_BYTE.search("".join(cells)):
        return Record(row, fields, f"byte 0x{ord(byte.group()) - 0xDC00:02X} is not UTF-8; save it as UTF-8")
    return Record(row, fields)
