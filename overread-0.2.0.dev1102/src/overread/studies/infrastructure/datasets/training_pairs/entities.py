"""Texts with marked entities as JSON lines: by characters, by labels of tokens, or by spans of tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, Final

from overread.domain.entities.annotated_text import AnnotatedText, entities_of_labels
from overread.domain.entities.entity import Entity, EntityType
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.json_lines import LineFaultError, read_json_lines

__all__ = ["read_entities"]

_LABELS: Final = ("labels", "ner_tags", "tags")
_TOKENS: Final = ("tokens", "words")
_NAMES: Final = ("id", "note_id", "doc_key")
_PROBLEM: Final = "is not a text with entities"
_REMEDY: Final = (
    "give 'text' and 'entities' of 'start', 'end' and 'type'; or 'tokens' and 'labels'; or 'sentences' and 'ner'. "
    f"Types are {', '.join(EntityType)}"
)


def read_entities(path: Path, *, told: Callable[[str], None] | None = None) -> list[AnnotatedText]:
    """The texts of a file, in order, each in one of three layouts.

    ``{"text": ..., "entities": [{"start": 0, "end": 4, "type": "ANATOMY"}]}`` counts characters, the end not included;
    ``{"tokens": [...], "labels": ["B-ANATOMY", "O"]}`` has a label of the IOB scheme for each token; and
    ``{"sentences": [[...]], "ner": [[[0, 1, "ANATOMY"]]]}`` names the first and the last token of each entity, counted
    over all sentences, as the entity model of PURE reads them. Each may have ``id``, ``study`` and ``source``.

    Args:
        path: UTF-8 text.
        told: is told in words how many entities begin with I- and not B-, if any do.

    Raises:
        InputError: if the file cannot be read or holds no text, or naming the first line that cannot be used.
    """
    lines = list(read_json_lines(path, _row, problem=_PROBLEM, remedy=_REMEDY))
    texts = [text for number, row in enumerate(lines, start=1) for text in _texts(row, number)]
    if not texts:
        raise InputError(str(path), "holds no text", remedy=_REMEDY)
    unbegun = sum(_unbegun(row) for row, _ in lines)
    if unbegun and told is not None:
        told(f"{path}: {unbegun} labels I- follow none of their type; each is read as the beginning of an entity")
    return texts


def _unbegun(row: Mapping[str, Any]) -> int:
    """Labels I- that go on with nothing."""
    if "text" in row or "sentences" in row:
        return 0
    parts = [label.upper().replace("_", "-").partition("-") for label in _require_list(row, *_LABELS)]
    return sum(
        mark == "I" and (before == "O" or kind != former)
        for (before, _, former), (mark, _, kind) in pairwise([("O", "", ""), *parts])
    )


Told = tuple[Mapping[str, Any], list[tuple[str, tuple[Entity, ...]]]]


def _row(row: Any) -> Told:
    if not isinstance(row, Mapping):
        raise LineFaultError("it is not an object")
    if "text" in row:
        return row, [(row["text"], _mark_entities(row["text"], _require_list(row, "entities")))]
    if "sentences" in row:
        return row, list(_by_tokens(_require_list(row, "sentences"), _require_list(row, "ner")))
    tokens, labels = _require_list(row, *_TOKENS), _require_list(row, *_LABELS)
    _check_labels(tokens, labels)
    return row, [entities_of_labels(tokens, labels)]


def _require_list(row: Mapping[str, Any], *keys: str) -> list[Any]:
    key = next((key for key in keys if key in row), None)
    if key is None:
        raise LineFaultError(f"{' or '.join(map(repr, keys))} is missing")
    if not isinstance(row[key], list):
        raise LineFaultError(f"{key!r} is not a list")
    given: list[Any] = row[key]
    return given


def _check_tokens(tokens: Any) -> None:
    if not isinstance(tokens, list) or not all(isinstance(token, str) and token.strip() for token in tokens):
        raise LineFaultError("a token is blank or not text")


def _check_labels(tokens: Sequence[Any], labels: Sequence[Any]) -> None:
    _check_tokens(tokens)
    if len(tokens) != len(labels):
        raise LineFaultError(f"{len(labels)} labels for {len(tokens)} tokens")
    for label in labels:
        if not isinstance(label, str):
            raise LineFaultError("a label is not text; give names such as 'B-ANATOMY', not numbers of them")
        mark, _, kind = label.upper().replace("_", "-").partition("-")
        if mark == "O" and not kind:
            continue
        if mark not in ("B", "I"):
            raise LineFaultError("a label is neither O nor B- or I- of a type")
        _kind(kind)


def _texts(told: Told, number: int) -> Iterator[AnnotatedText]:
    row, texts = told
    name = str(next((row[key] for key in _NAMES if key in row), number))
    for place, (text, entities) in enumerate(texts):
        yield AnnotatedText(
            id=name if len(texts) == 1 else f"{name}.{place}",
            study=str(row.get("study", name)),
            text=text,
            entities=entities,
            source=str(row.get("source", "")),
        )


def _mark_entities(text: str, entities: Sequence[Mapping[str, Any]]) -> tuple[Entity, ...]:
    if not isinstance(text, str):
        raise LineFaultError("'text' is not text")
    marked = [_entity(text, entity) for entity in entities]
    return tuple(sorted(marked, key=lambda entity: (entity.start, entity.end)))


def _entity(text: str, told: Any) -> Entity:
    if not isinstance(told, Mapping) or not {"start", "end", "type"} <= told.keys():
        raise LineFaultError("an entity is not an object with 'start', 'end' and 'type'")
    start, end = told["start"], told["end"]
    if type(start) is not int or type(end) is not int:
        raise LineFaultError("'start' and 'end' of an entity must be whole numbers")
    if start < 0 or end > len(text):
        raise LineFaultError("an entity lies outside the text")
    if start >= end:
        raise LineFaultError("an entity ends before it starts, or is empty: 'end' is not included")
    if not text[start:end].strip():
        raise LineFaultError("an entity is blank")
    return Entity(text[start:end], start, end, _kind(told["type"]))


def _by_tokens(
    sentences: Sequence[Sequence[str]], ner: Sequence[Sequence[Sequence[Any]]]
) -> Iterator[tuple[str, tuple[Entity, ...]]]:
    before = 0
    if len(sentences) != len(ner):
        raise LineFaultError(f"{len(ner)} lists in 'ner' for {len(sentences)} sentences")
    for tokens, spans in zip(sentences, ner, strict=True):
        _check_tokens(tokens)
        ends = [len(" ".join(tokens[: place + 1])) for place in range(len(tokens))]
        starts = list(chain([0], (end + 1 for end in ends)))
        text = " ".join(tokens)
        for first, last, _ in spans:
            if first > last:
                raise LineFaultError("an entity's last token is before its first")
            if not before <= first <= last < before + len(tokens):
                raise LineFaultError("an entity names a token that is not in its sentence; they are counted from 0")
        placed = [{"start": starts[a - before], "end": ends[b - before], "type": kind} for a, b, kind in spans]
        yield text, _mark_entities(text, placed)
        before += len(tokens)


def _kind(name: Any) -> EntityType:
    if not isinstance(name, str):
        raise LineFaultError("a type is not text; give its name")
    try:
        return EntityType(name.upper().replace("_", "-").replace(" ", "-"))
    except ValueError:
        raise LineFaultError("a type is not known") from None
