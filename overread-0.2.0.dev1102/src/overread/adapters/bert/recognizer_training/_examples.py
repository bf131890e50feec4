"""Marked texts as a model learns from them: sentence by sentence, as a recogniser reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import torch
from attrs import frozen
from torch.utils.data import Dataset

from overread.adapters.bert._decoding import LABELS
from overread.adapters.bert._reading import token_places
from overread.adapters.bert._recognizer import sentences_to_read
from overread.adapters.bert._span_head import KINDS, spans_of
from overread.adapters.checkpoints.batching import pad_rows
from overread.adapters.checkpoints.loading import Model
from overread.domain.entities.annotated_text import AnnotatedText
from overread.domain.entities.entity import Entity

__all__ = ["Examples", "collate", "span_examples", "token_examples"]

_IGNORED: Final = -100
"""The label that torch's cross entropy passes over."""


@frozen
class _Sentence:
    """A sentence with its entities, whose offsets point into it."""

    text: str
    entities: tuple[Entity, ...]


class Examples(Dataset[dict[str, Any]]):
    """Sentences as token ids with what a head shall say of them.

    Attributes:
        rows: one a sentence, or a piece of a longer one.
        entities: how many of the marked entities the rows teach.
        left_out: how many they cannot: those across sentences, those that the head cannot say.
    """

    def __init__(self, rows: list[dict[str, Any]], entities: int, left_out: int) -> None:
        self.rows = rows
        self.entities = entities
        self.left_out = left_out

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.rows[index]


def token_examples(texts: Sequence[AnnotatedText], model: Model) -> Examples:
    """Each token with its label, special ones O, as what is read at a sentence's end may tell where an entity ends.

    Of entities that share letters the longest is kept. The first token of an entity is B-, the others are I-.
    """
    sentences = list(_sentences(texts))
    entities = [_apart(sentence.entities) for sentence in sentences]
    rows = [
        {"input_ids": row.ids, "labels": _labels(list(token_places(model, row)), entities[row.text])}
        for row in model.rows([sentence.text for sentence in sentences], whole=True)
    ]
    return _examples(rows, texts, sum(map(len, entities)))


def span_examples(texts: Sequence[AnnotatedText], model: Model, max_words: int) -> Examples:
    """Each run of up to ``max_words`` words with what it is; an entity that begins or ends within a word is none."""
    sentences = list(_sentences(texts))
    entity_count, rows = 0, []
    for row in model.rows([sentence.text for sentence in sentences], whole=True):
        sentence = sentences[row.text]
        kinds = {(entity.start, entity.end): KINDS.index(entity.type) for entity in sentence.entities}
        spans = spans_of(sentence.text, row, max_words)
        labels = [kinds.get((span.start, span.end), 0) for span in spans]
        if spans:
            entity_count += sum(map(bool, labels))
            rows.append({"input_ids": row.ids, "spans": [span.tokens for span in spans], "labels": labels})
    return _examples(rows, texts, entity_count)


def _examples(rows: list[dict[str, Any]], texts: Sequence[AnnotatedText], taught: int) -> Examples:
    return Examples(rows, taught, max(0, sum(len(text.entities) for text in texts) - taught))


def _sentences(texts: Sequence[AnnotatedText]) -> Iterator[_Sentence]:
    for text in texts:
        plain, spans = sentences_to_read(text.text)
        placed = [(plain.read(entity.start, entity.end), entity.type) for entity in text.entities]
        for span in spans:
            words = span.of(plain.text)
            inside = [(a - span.start, b - span.start, t) for (a, b), t in placed if span.start <= a and b <= span.end]
            yield _Sentence(words, tuple(Entity(words[start:end], start, end, kind) for start, end, kind in inside))


def _apart(entities: Sequence[Entity]) -> list[Entity]:
    disjoint: list[Entity] = []
    for entity in sorted(entities, key=lambda entity: (entity.start - entity.end, entity.start)):
        if all(entity.end <= other.start or other.end <= entity.start for other in disjoint):
            disjoint.append(entity)
    return disjoint


def _labels(places: Sequence[tuple[int, int] | None], entities: Sequence[Entity]) -> list[int]:
    labels = [LABELS.index("O")] * len(places)
    first = next((place[0] for place in places if place is not None), 0)
    begun = {entity for entity in entities if entity.start < first}
    for token, place in enumerate(places):
        for entity in entities:
            if place is not None and place[0] < entity.end and entity.start < place[1]:
                labels[token] = LABELS.index(f"{'I' if entity in begun else 'B'}-{entity.type}")
                begun.add(entity)
    return labels


def collate(rows: Sequence[dict[str, Any]], *, padding: int) -> dict[str, torch.Tensor]:
    """A batch of examples, padded at the right; labels of what is padding are passed over."""
    ids, mask = pad_rows([row["input_ids"] for row in rows], padding)
    longest = max(len(row["labels"]) for row in rows)
    filled = [row["labels"] + [_IGNORED] * (longest - len(row["labels"])) for row in rows]
    batch = {"input_ids": ids, "attention_mask": mask, "labels": torch.tensor(filled)}
    if "spans" in rows[0]:
        spans = [list(row["spans"]) + [(0, 0, 0)] * (longest - len(row["spans"])) for row in rows]
        batch["spans"] = torch.tensor(spans)
    return batch
