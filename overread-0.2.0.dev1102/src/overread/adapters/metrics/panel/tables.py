"""Tables of panels as files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from overread.domain.results.panel import PanelTable
from overread.domain.vocabulary.json_text import parse_json
from overread.exceptions import ConfigurationError
from overread.structuring import strict_converter, structure

__all__ = ["load_panel", "panel_record"]


def load_panel(path: Path) -> PanelTable:
    """A table from its file.

    Raises:
        ConfigurationError: if the file cannot be read or holds no table.
    """
    try:
        return structure(PanelTable, parse_json(path.read_text(encoding="utf-8")), converter=_CONVERTER)
    except ConfigurationError as error:
        problem = f"panel: {path} holds no table of a panel: {error.problems[0]}"
        raise ConfigurationError([f"{problem}; overread fit panel writes one"]) from error
    except (OSError, ValueError, RecursionError) as error:
        raise ConfigurationError(
            [f"panel: {path} is not the table of a panel; overread fit panel writes one"]
        ) from error


def panel_record(table: PanelTable) -> dict[str, Any]:
    """The table as JSON holds it."""
    record: dict[str, Any] = _CONVERTER.unstructure(table)
    return record


_CONVERTER: Final = strict_converter()
