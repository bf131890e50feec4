"""Details of a search for the audit trail."""

from __future__ import annotations

from datetime import datetime
from enum import Enum

from attrs import fields

from overread.hospital.application.requests import Search

__all__ = ["describe_search"]

_HOW: tuple[str, ...] = ("order", "after", "limit")


def describe_search(search: Search) -> dict[str, str]:
    """Returns what was asked for; for free text, only that something was given."""
    asked = {field.name: getattr(search, field.name) for field in fields(Search) if field.name not in _HOW}
    return {name: _describe_value(value) for name, value in asked.items() if value is not None}


def _describe_value(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, datetime):
        return value.isoformat()
    return "given" if isinstance(value, str) else str(value)
