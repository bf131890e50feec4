"""Files of pairs whose differences are marked by span, for training a judge."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, Final, TypeVar

from overread.application.training.judged_pairs import JudgedPair, MarkedSpan
from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.json_text import RepeatedKeyError, parse_json
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ASPECTS_WITH_TYPE, ErrorAspect, ErrorType
from overread.studies.infrastructure.datasets.training_pairs.annotated import read_annotated, study_of
from overread.tables.cells import RowError, is_missing, type_words, words

__all__ = ["read_judged_pairs"]

E = TypeVar("E", bound=StrEnum)

_SPANS: Final = "spans"
_EXPLANATION: Final = "explanation"
_CONTRARY: Final = "contrary"


def read_judged_pairs(path: Path | str) -> list[JudgedPair]:
    """The pairs of a file as ``overread synthesise`` writes it, in order.

    The columns are id, study, reference, candidate, spans and, where there are any, explanation and contrary (what
    would explain the differences with the other weight). Each span has the keys span (words of one of the reports),
    aspect, type and severity; no span at all says that the reports do not differ. In a table that is not JSON the
    spans are a JSON array in their cell.

    Args:
        path: .jsonl, .ndjson, .csv, .tsv (each also gzipped) or .parquet.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, and at the first row that lacks a
            report or a study, repeats an id, or has a span that cannot be used.
    """
    return read_annotated(Path(path), ("study", _SPANS), _judged_pair, optional=(_EXPLANATION, _CONTRARY))


def _judged_pair(pair: ReportPair, fields: Mapping[str, Any]) -> JudgedPair:
    spans = tuple(dict.fromkeys(_spans(fields.get(_SPANS), pair)))
    severities: dict[str, Severity] = {}
    for span in spans:
        if severities.setdefault(" ".join(span.text.lower().split()), span.severity) is not span.severity:
            raise RowError("the same words are marked with two severities; a judge can give them only one")
    explanation = words(fields.get(_EXPLANATION), _EXPLANATION) or ""
    contrary = words(fields.get(_CONTRARY), _CONTRARY) or ""
    return JudgedPair(pair=pair, study=study_of(fields), spans=spans, explanation=explanation, contrary=contrary)


def _spans(value: object, pair: ReportPair) -> Iterator[MarkedSpan]:
    if isinstance(value, str):
        try:
            value = parse_json(value)
        except RepeatedKeyError as error:
            raise RowError(f"{_SPANS}: {error}") from None
        except (ValueError, RecursionError):
            raise RowError(f"{_SPANS} is text that is not a JSON array") from None
    if is_missing(value):
        raise RowError(f"{_SPANS} is missing; where the reports do not differ it is []")
    if not isinstance(value, list):
        raise RowError(f"{_SPANS} is {type_words(value)}, not a list")
    for number, entry in enumerate(value, start=1):
        try:
            yield _span(entry, pair)
        except RowError as error:
            raise RowError(f"span {number}: {error}") from None


def _span(entry: object, pair: ReportPair) -> MarkedSpan:
    if not isinstance(entry, dict):
        raise RowError(f"is {type_words(entry)}, not an object")
    text = words(entry.get("span"), "span")
    if text is None:
        raise RowError("its words are missing")
    if text not in pair.reference.text and text not in pair.candidate.text:
        raise RowError("its words are in neither report")
    aspect = _member(entry.get("aspect"), "aspect", ErrorAspect)
    kind = None
    if aspect in ASPECTS_WITH_TYPE:
        kind = _member(entry.get("type"), f"type of {aspect.value}", ErrorType)
    return MarkedSpan(text, aspect, kind, _member(entry.get("severity"), "severity", Severity))


def _member(value: object, name: str, kind: type[E]) -> E:
    """A member of an enumeration by its value. A cell that is none may hold a report: it is not shown."""
    if value is None:
        raise RowError(f"{name} is missing")
    for member in kind:
        if value == member.value:
            return member
    raise RowError(f"{name} is not one of {', '.join(member.value for member in kind)}")
