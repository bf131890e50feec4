"""Tables of panels as files."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from cattrs import Converter

from overread.domain.json_text import parse_json
from overread.domain.panel import PanelTable
from overread.exceptions import ConfigurationError

__all__ = ["load_panel", "panel_record"]


def load_panel(path: Path | None = None) -> PanelTable:
    """The shipped table, or one from a file.

    Raises:
        ConfigurationError: if the file cannot be read or holds no table.
    """
    try:
        text = (files(__package__) / "data" / "panel.json" if path is None else path).read_text(encoding="utf-8")
        return _CONVERTER.structure(parse_json(text), PanelTable)
    except (OSError, ValueError, TypeError, KeyError, ExceptionGroup) as error:
        raise ConfigurationError([f"panel: {path} holds no table of a panel; overread fit panel writes one"]) from error


def panel_record(table: PanelTable) -> dict[str, Any]:
    """The table as JSON holds it."""
    record: dict[str, Any] = _CONVERTER.unstructure(table)
    return record


_CONVERTER: Final = Converter()
