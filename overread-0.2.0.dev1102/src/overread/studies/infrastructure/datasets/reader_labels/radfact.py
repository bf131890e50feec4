"""Statements labelled against a report in the layout of RadFact's examples: one JSON list."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from overread.domain.findings.entailment import Entailment
from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json
from overread.exceptions import InputError
from overread.infrastructure.files.tables import read_text
from overread.studies.application.reader_checks.entailment import LabelledStatement

__all__ = ["read_statements"]

_LAYOUT: Final = (
    "a list of examples, each with input.phrases_A and input.phrases_B, and output.phrases_A_evidenced and "
    "output.phrases_B_evidenced, lists of phrase and status"
)
_LABELS: Final = {label.value: label for label in Entailment}


class _LayoutError(Exception):
    """An example lacks something; the message says what, without the example's text."""


def read_statements(path: Path) -> list[LabelledStatement]:
    """Every phrase of both sides of each example, against all phrases of the other side.

    Raises:
        InputError: if the file is no such list, or naming the first example that cannot be used, counted from 1.
    """
    try:
        document = parse_json(read_text(path))
    except RepeatedKeyError as error:
        raise InputError(str(path), str(error), remedy="use each key only once") from None
    except (ValueError, RecursionError) as error:
        place = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InputError(str(path), f"is not valid JSON{place}", remedy=_LAYOUT) from None
    if not isinstance(document, list) or not document:
        raise InputError(str(path), "is not a list of examples", remedy=_LAYOUT)
    statements: list[LabelledStatement] = []
    for row, example in enumerate(document, start=1):
        try:
            statements += _statements(example, row)
        except _LayoutError as error:
            raise InputError(str(path), str(error), row=row, remedy=_LAYOUT) from None
    if not statements:
        raise InputError(str(path), "holds no labelled phrase", remedy=_LAYOUT)
    return statements


def _statements(example: Any, row: int) -> Iterator[LabelledStatement]:
    name = _part(example, "example_id", str) if isinstance(example, dict) and "example_id" in example else f"row {row}"
    given, labelled = _part(example, "input", dict), _part(example, "output", dict)
    for side, other in (("A", "B"), ("B", "A")):
        report = tuple(_texts(given, f"phrases_{other}"))
        for number, entry in enumerate(_part(labelled, f"phrases_{side}_evidenced", list), start=1):
            status = _part(entry, "status", str)
            if status not in _LABELS:
                raise _LayoutError(f"a status is not one of {', '.join(_LABELS)}")
            yield LabelledStatement(
                id=f"{name} {side}{number}",
                statement=_part(entry, "phrase", str),
                report=report,
                label=_LABELS[status],
            )


def _texts(table: dict[str, Any], key: str) -> list[str]:
    texts: list[str] = _part(table, key, list)
    if not all(isinstance(text, str) for text in texts):
        raise _LayoutError(f"{key} holds something that is not text")
    return texts


def _part(table: Any, key: str, kind: type[Any]) -> Any:
    if not isinstance(table, dict):
        raise _LayoutError("an example, or a part of one, is not an object")
    if key not in table:
        raise _LayoutError(f"{key} is missing")
    if not isinstance(table[key], kind):
        raise _LayoutError(f"{key} is of the wrong type")
    return table[key]
