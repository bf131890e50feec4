"""Names of findings in the layout of the Open Imaging Data Model's lists: CSV with id, name and synonyms."""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from overread.exceptions import InputError
from overread.infrastructure.files.tables import read_text
from overread.studies.application.reader_checks.names import FindingName
from overread.tables.cells import RowError, identifier, words

__all__ = ["oidm_findings", "read_names"]

_MAPPING: Final = Path(__file__).with_name("oidm_findings.toml")
_REMEDY: Final = "the columns are id, name and, if there are any, synonyms separated by commas"


@lru_cache(maxsize=1)
def oidm_findings() -> Mapping[str, tuple[str, ...]]:
    """Findings that are right for each entry, by its id."""
    document = tomllib.loads(_MAPPING.read_text(encoding="utf-8"))
    return {entry: tuple(findings) for entry, findings in document.items()}


def read_names(path: Path, findings: Mapping[str, tuple[str, ...]]) -> list[FindingName]:
    """The name and the synonyms of every entry, with the findings that are right for it.

    Raises:
        InputError: if there are none, or naming the first row that cannot be used.
    """
    names = list(_names(path, findings))
    if not names:
        raise InputError(str(path), "holds no names", remedy=_REMEDY)
    return names


def _names(path: Path, findings: Mapping[str, tuple[str, ...]]) -> Iterator[FindingName]:
    for row, cells in enumerate(_rows(path), start=1):
        try:
            entry = identifier(cells.get("id"), "id")
            name = words(cells.get("name"), "name")
            synonyms = words(cells.get("synonyms"), "synonyms") or ""
        except RowError as error:
            raise InputError(str(path), str(error), row=row, remedy=_REMEDY) from None
        if not name:
            raise InputError(str(path), "name is empty", row=row, remedy=_REMEDY)
        right = findings.get(entry, ())
        yield FindingName(entry=entry, name=name, synonym=False, findings=right)
        for synonym in filter(None, (part.strip() for part in synonyms.split(","))):
            yield FindingName(entry=entry, name=synonym, synonym=True, findings=right)


def _rows(path: Path) -> Iterator[Mapping[str, str | None]]:
    """Cells by column. The published list leaves out cells at the end of a row; more cells than columns is a fault."""
    reader = csv.reader(io.StringIO(read_text(path), newline=""), strict=True)
    header: list[str] | None = None
    row = 0
    try:
        for cells in reader:
            if header is None:
                header = _header(path, cells)
            elif cells:
                row += 1
                if len(cells) > len(header):
                    problem = f"{len(cells)} cells instead of {len(header)}"
                    raise InputError(str(path), problem, row=row, remedy="put synonyms in quotes")
                yield dict(zip(header, cells, strict=False))
    except csv.Error:
        raise InputError(str(path), "has a quote out of place", row=row + 1, remedy='write " in a cell as ""') from None


def _header(path: Path, cells: list[str]) -> list[str]:
    header = [cell.strip() for cell in cells]
    if missing := [name for name in ("id", "name") if name not in header]:
        raise InputError(str(path), f"no column {' or '.join(missing)}", remedy=_REMEDY)
    return header
