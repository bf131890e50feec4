"""Readings of sentences by a checkpoint: by a label for each token, or by a type for each span of words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import torch
from attrs import frozen

from overread.adapters.bert._decoding import decode_spans
from overread.adapters.bert._span_head import SpanHead, choose_spans, spans_of
from overread.adapters.checkpoints.loading import Model, TokenRow
from overread.domain.entities.entity import EntityType

__all__ = ["Reading", "SpanReading", "Spans", "TokenReading", "token_places"]

Spans = tuple[tuple[int, int, EntityType], ...]
"""Start, end and type of entities in a sentence, in reading order."""


class Reading(Protocol):
    """Finds the entities of sentences."""

    def read(self, sentences: Sequence[str]) -> list[Spans | None]:
        """The spans of each sentence, None where the model's answer is no number."""
        ...


@frozen(eq=False)
class TokenReading:
    """Reads by a token classifier over labels of the IOB scheme."""

    model: Model
    labels: tuple[str, ...]
    batch_size: int

    def read(self, sentences: Sequence[str]) -> list[Spans | None]:
        """Finds entities; those of a sentence that is read in pieces are joined across the pieces. See `Reading`."""
        rows = self.model.rows(sentences, whole=True)
        labels: list[list[str]] = [[] for _ in rows]
        broken: set[int] = set()
        for batch, output, _ in self.model.batches(rows, self.batch_size):
            finite = output.logits.isfinite().all(dim=-1).tolist()
            for index, best, sound in zip(batch, output.logits.argmax(-1).tolist(), finite, strict=True):
                size = len(rows[index].ids)
                labels[index] = [self.labels[label] for label in best[:size]]
                if not all(sound[:size]):
                    broken.add(rows[index].text)
        tokens: list[list[tuple[str, tuple[int, int]]]] = [[] for _ in sentences]
        for row, row_labels in zip(rows, labels, strict=True):
            pairs = zip(row_labels, token_places(self.model, row), strict=True)
            tokens[row.text] += [(label, place) for label, place in pairs if place is not None]
        return [
            None
            if index in broken
            else decode_spans(sentence, [label for label, _ in own_tokens], [place for _, place in own_tokens])
            for index, (sentence, own_tokens) in enumerate(zip(sentences, tokens, strict=True))
        ]


@frozen(eq=False)
class SpanReading:
    """Reads by a span head over an encoder's states. Of a sentence in pieces, no span reaches over a cut."""

    model: Model
    head: SpanHead
    batch_size: int

    def read(self, sentences: Sequence[str]) -> list[Spans | None]:
        """Finds entities; see `Reading`."""
        rows = self.model.rows(sentences, whole=True)
        entities: list[list[tuple[int, int, EntityType]]] = [[] for _ in sentences]
        broken: set[int] = set()
        for batch, output, _ in self.model.batches(rows, self.batch_size):
            for index, states in zip(batch, output.last_hidden_state.float(), strict=True):
                row = rows[index]
                spans = spans_of(sentences[row.text], row, self.head.size.max_words)
                if not spans:
                    continue
                with torch.inference_mode():
                    places = torch.tensor([[span.tokens for span in spans]], device=states.device)
                    logits = self.head(states[None], places)[0]
                if not bool(logits.isfinite().all()):
                    broken.add(row.text)
                entities[row.text] += choose_spans(spans, logits)
        return [None if index in broken else tuple(sorted(spans)) for index, spans in enumerate(entities)]


def token_places(model: Model, row: TokenRow) -> Iterator[tuple[int, int] | None]:
    """The characters of each token: none of a sentencepiece mark that stands alone, which is no letter."""
    for token, offset in zip(row.ids, row.offsets, strict=True):
        yield (offset[0], offset[0]) if offset and token == model.space_id else offset
