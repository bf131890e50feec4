"""Registers the extractor that looks reports up in a unit table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from overread.adapters.reader.unit_table.options import TableOptions
from overread.exceptions import ConfigurationError
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

__all__ = ["overread_extractors"]

_VERSION: Final = "0.1.0"


def _extractor(options: TableOptions, _: Components) -> Any:
    from overread.adapters.reader.unit_table._extractor import TableUnitExtractor
    from overread.adapters.reader.unit_table._table import is_published, read_table

    if is_published(options.file):
        from overread.adapters.reader.published_units.extractor import open_published

        reports = None if options.reports is None else Path(options.reports).expanduser()
        return open_published(Path(options.file).expanduser(), options.lexicon, reports)
    if options.reports is not None:
        problem = f"option 'reports' is for published tables; {options.file} knows its reports by their text"
        raise ConfigurationError([f"extractor 'table': {problem}"])
    return TableUnitExtractor(read_table(options.file), options.lexicon)


@hookimpl
def overread_extractors() -> Iterable[ComponentSpec]:
    """The extractor "table"."""
    return [
        ComponentSpec(
            name="table",
            version=_VERSION,
            summary="units read before, from a file of `overread units` or a published table of units",
            factory=_extractor,
            options=TableOptions,
        )
    ]
