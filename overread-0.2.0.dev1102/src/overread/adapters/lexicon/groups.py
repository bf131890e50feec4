"""Groups of words that the terms of a file share: ``{seen}`` in a term stands for the words of the group ``seen``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["with_groups"]

_NAMED: Final = re.compile(r"\{(\w+)\}")


def with_groups(document: dict[str, Any]) -> dict[str, Any]:
    """A file with the groups of its table ``[groups]`` written out in its terms, and in the groups that follow them.

    Raises:
        ValueError: if a term or a group names a group that the file does not define, or defines later.

    >>> with_groups({"groups": {"seen": ["seen", "shown"]}, "rule": [{"terms": ["not {seen}"]}]})["rule"]
    [{'terms': ['not seen|shown']}]
    """
    table = document.get("groups")
    if not isinstance(table, Mapping):
        return document
    groups: dict[str, str] = {}
    for name, words in table.items():
        groups[name] = "|".join(_written_out(word, groups) for word in words)
    return {key: [_entry(entry, groups) for entry in value] if isinstance(value, list) else value
            for key, value in document.items()}  # fmt: skip


def _entry(entry: Any, groups: Mapping[str, str]) -> Any:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("terms"), list):
        return entry
    return {**entry, "terms": [_written_out(term, groups) for term in entry["terms"]]}


def _written_out(term: Any, groups: Mapping[str, str]) -> Any:
    if not isinstance(term, str):
        return term
    unknown = next((name for name in _NAMED.findall(term) if name not in groups), None)
    if unknown is not None:
        msg = f"the term {term!r} names the group {unknown!r}, which [groups] does not define before it"
        raise ValueError(msg)
    return _NAMED.sub(lambda match: groups[match[1]], term)
