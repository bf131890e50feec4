"""Texts with marked entities as JSON lines: by characters, by labels of tokens, or by spans of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Final

from overread.domain.annotated_text import AnnotatedText, entities_of_labels
from overread.domain.entity import Entity, EntityType
from overread.exceptions import InputError
from overread.infrastructure.datasets.json_lines import read_json_lines

__all__ = ["read_entities"]

_LABELS: Final = ("labels", "ner_tags", "tags")
_TOKENS: Final = ("tokens", "words")
_NAMES: Final = ("id", "note_id", "doc_key")
_PROBLEM: Final = "is no text with entities"
_REMEDY: Final = (
    "give 'text' and 'entities' of 'start', 'end' and 'type'; or 'tokens' and 'labels'; or 'sentences' and 'ner'. "
    f"Types are {', '.join(EntityType)}"
)


def read_entities(path: Path) -> list[AnnotatedText]:
    """The texts of a file, in order, each in one of three layouts.

    ``{"text": ..., "entities": [{"start": 0, "end": 4, "type": "ANATOMY"}]}`` counts characters, the end not included;
    ``{"tokens": [...], "labels": ["B-ANATOMY", "O"]}`` has a label of the IOB scheme for each token; and
    ``{"sentences": [[...]], "ner": [[[0, 1, "ANATOMY"]]]}`` names the first and the last token of each entity, counted
    over all sentences, as the entity model of PURE reads them. Each may have ``id``, ``study`` and ``source``.

    Raises:
        InputError: if the file cannot be read or holds no text, or naming the first line that cannot be used.
    """
    lines = read_json_lines(path, _row, problem=_PROBLEM, remedy=_REMEDY)
    texts = [text for number, row in enumerate(lines, start=1) for text in _texts(row, number)]
    if not texts:
        raise InputError(str(path), "holds no text", remedy=_REMEDY)
    return texts


Told = tuple[Mapping[str, Any], list[tuple[str, tuple[Entity, ...]]]]


def _row(row: Mapping[str, Any]) -> Told:
    if "text" in row:
        return row, [(row["text"], _marked(row["text"], row["entities"]))]
    if "sentences" in row:
        return row, list(_by_tokens(row["sentences"], row["ner"]))
    return row, [entities_of_labels(_first(row, _TOKENS), _first(row, _LABELS))]


def _first(row: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return row[next((key for key in keys if key in row), keys[0])]


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


def _marked(text: str, entities: Sequence[Mapping[str, Any]]) -> tuple[Entity, ...]:
    if not isinstance(text, str):
        raise TypeError(_PROBLEM)
    found = [
        Entity(text[entity["start"] : entity["end"]], entity["start"], entity["end"], _kind(entity["type"]))
        for entity in entities
    ]
    if not all(isinstance(e.start, int) and 0 <= e.start < e.end <= len(text) and e.text.strip() for e in found):
        raise ValueError(_PROBLEM)
    return tuple(sorted(found, key=lambda entity: (entity.start, entity.end)))


def _by_tokens(
    sentences: Sequence[Sequence[str]], ner: Sequence[Sequence[Sequence[Any]]]
) -> Iterator[tuple[str, tuple[Entity, ...]]]:
    before = 0
    for tokens, spans in zip(sentences, ner, strict=True):
        ends = [len(" ".join(tokens[: place + 1])) for place in range(len(tokens))]
        starts = list(chain([0], (end + 1 for end in ends)))
        text = " ".join(tokens)
        if not all(before <= first <= last < before + len(tokens) for first, last, _ in spans):
            raise ValueError(_PROBLEM)
        placed = [{"start": starts[a - before], "end": ends[b - before], "type": kind} for a, b, kind in spans]
        yield text, _marked(text, placed)
        before += len(tokens)


def _kind(name: str) -> EntityType:
    return EntityType(name.upper().replace("_", "-").replace(" ", "-"))
