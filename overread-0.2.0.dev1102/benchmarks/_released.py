"""How the released packages go about it: one input at a time, and nothing computed once instead of twice.

Written from what is known of their strategy. Tokenizers, sentences, labels and formulas are overread's, so that the
answers can be compared: what differs is the order of work alone.
"""

# ruff: noqa: TID253 - whoever imports this works with models
from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from _common import Row
from transformers import AutoModel, AutoModelForTokenClassification, PreTrainedTokenizerFast

from overread.adapters.bert._decoding import decode_spans, iob_labels
from overread.adapters.bert._recognizer import sentences_to_read as read_sentences
from overread.adapters.bert.crepe._checkpoint import load_checkpoint
from overread.adapters.checkpoints.runtime import quiet
from overread.domain.entities.affinity import DEFAULT_TABLE, TABLES
from overread.domain.entities.entity import EntityType
from overread.domain.results.ratescore import ratescore


class PaddedCrepe:
    """CREPE as released: each pair by itself, padded to 512 tokens.

    Attributes:
        size: tokens of the pairs scored so far, padding left out.
    """

    def __init__(self, folder: Path) -> None:
        checkpoint = load_checkpoint(folder)
        self._tokenizer, self._model = checkpoint.tokenizer, checkpoint.model.eval()
        self.size = 0

    def score(self, row: Row) -> float:
        inputs = self._tokenizer(
            row["reference"],
            row["candidate"],
            padding="max_length",
            max_length=512,
            truncation="longest_first",
            return_tensors="pt",
        )
        self.size += int(inputs["attention_mask"].sum())
        with torch.no_grad():
            counts = self._model(inputs["input_ids"], inputs["attention_mask"], inputs["token_type_ids"])["counts"]
        return float(counts.clamp(min=0.0).sum())


class SentencewiseRateScore:
    """RaTEScore as released: each sentence of each report by itself, then the entities of each report.

    Attributes:
        size: entities found so far.
    """

    def __init__(self, recognizer: Path, encoder: Path) -> None:
        with quiet():
            self._recognizer = AutoModelForTokenClassification.from_pretrained(recognizer).eval()
            self._recognizer_tokenizer = PreTrainedTokenizerFast.from_pretrained(recognizer)
            self._encoder = AutoModel.from_pretrained(encoder).eval()
            self._encoder_tokenizer = PreTrainedTokenizerFast.from_pretrained(encoder)
        self._labels = iob_labels(self._recognizer.config.id2label)
        self._affinity = TABLES[DEFAULT_TABLE].read_as()
        self.size = 0

    def score(self, row: Row) -> float:
        reference, candidate = self._entities(row["reference"]), self._entities(row["candidate"])
        self.size += len(reference) + len(candidate)
        if not reference or not candidate:
            return 0.0
        cosines = self._embedded(reference) @ self._embedded(candidate).T
        types = ([kind for _, kind in side] for side in (reference, candidate))
        return ratescore(*types, cosines.double().numpy(), self._affinity).score

    def _entities(self, text: str) -> list[tuple[str, EntityType]]:
        entities = []
        plain, spans = read_sentences(text)
        for span in spans:
            sentence = span.of(plain.text)
            entities += [(sentence[start:end], kind) for start, end, kind in self._spans(sentence)]
        return entities

    def _spans(self, sentence: str) -> Sequence[tuple[int, int, EntityType]]:
        inputs = self._recognizer_tokenizer(
            sentence, truncation=True, max_length=512, return_offsets_mapping=True, return_tensors="pt"
        )
        with torch.no_grad():
            logits = self._recognizer(inputs["input_ids"], inputs["attention_mask"]).logits
        labels = [self._labels[label] for label in logits[0].argmax(-1).tolist()]
        # The first token and the last are [CLS] and [SEP].
        return decode_spans(sentence, labels[1:-1], inputs["offset_mapping"][0].tolist()[1:-1])

    def _embedded(self, entities: Sequence[tuple[str, EntityType]]) -> torch.Tensor:
        inputs: Any = self._encoder_tokenizer(
            [text for text, _ in entities], padding=True, truncation=True, max_length=30, return_tensors="pt"
        )
        with torch.no_grad():
            states = self._encoder(input_ids=inputs["input_ids"], attention_mask=inputs["attention_mask"])
        return torch.nn.functional.normalize(states.last_hidden_state[:, 0], dim=-1)
