"""Registers the extractor that looks reports up in a unit table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from overread.adapters.reader.unit_table.options import TableOptions
from overread.plugins import hookimpl
from overread.plugins.specs import Components, ComponentSpec

__all__ = ["overread_extractors"]

_VERSION: Final = "0.1.0"


def _extractor(options: TableOptions, _: Components) -> Any:
    from overread.adapters.reader.unit_table._extractor import TableUnitExtractor
    from overread.adapters.reader.unit_table._table import read_table

    return TableUnitExtractor(read_table(options.file), options.lexicon)


@hookimpl
def overread_extractors() -> Iterable[ComponentSpec]:
    """The extractor "table"."""
    return [
        ComponentSpec(
            name="table",
            version=_VERSION,
            summary="units that another extractor read before, from a file of `overread units`",
            factory=_extractor,
            options=TableOptions,
            requires=("pyarrow",),
            install="pip install overread",
        )
    ]
