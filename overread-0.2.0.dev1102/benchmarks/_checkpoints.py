"""Checkpoints of the published sizes with random weights: what a forward pass costs does not depend on the weights.

Their answers are made to differ from pair to pair, so that comparing two ways of computing them means something:

- BERTs have weights of deviation 1.4 / sqrt(width). At BERT's own 0.02 all names of entities have nearly the same
  embedding, and rounding chooses the matches.
- CREPE's heads are scaled over a sample of pairs to mean 1 and deviation 0.3, so that hardly any count is cut at zero.
- The token classifier's labels are scaled over a sample of sentences to be found equally often, and O's bias is set so
  that half of the tokens are in no entity: an untrained classifier would find one label everywhere.

The tokenizer is WordPiece, learned from generated reports. It knows fewer words than the models have embeddings for,
and cuts other reports into more pieces than the published ones do; embeddings that no token has cost memory only.
"""

# ruff: noqa: TID253 - whoever imports this works with models
from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import torch
from _common import Row, generated
from tokenizers import BertWordPieceTokenizer
from torch import Tensor, nn
from transformers import (
    BertConfig,
    BertModel,
    BertTokenizer,
    DebertaV2Config,
    DebertaV2ForTokenClassification,
)

from overread.adapters.bert._decoding import LABELS
from overread.adapters.bert._recognizer import sentences_to_read as read_sentences
from overread.adapters.bert.crepe._model import CrepeModel
from overread.adapters.checkpoints.runtime import quiet

T = TypeVar("T")

_GAIN = 1.4
_OUTSIDE = 0.5
_SAMPLE = 32
_LEARNED_FROM = 100


class Size(NamedTuple):
    """Layers, their width, attention heads, and words of the embeddings of a BERT and of a DeBERTa."""

    layers: int
    hidden: int
    heads: int
    bert_words: int
    deberta_words: int

    @property
    def bert(self) -> BertConfig:
        """Of a BERT whose [CLS] tells texts apart."""
        return BertConfig(
            vocab_size=self.bert_words, initializer_range=_GAIN / math.sqrt(self.hidden), **self.transformer
        )

    @property
    def transformer(self) -> dict[str, int]:
        """The sizes that both kinds of config name alike."""
        return {
            "num_hidden_layers": self.layers,
            "hidden_size": self.hidden,
            "num_attention_heads": self.heads,
            "intermediate_size": 4 * self.hidden,
        }


SIZES = {"published": Size(12, 768, 12, 30_522, 128_100), "small": Size(2, 96, 3, 10_000, 10_000)}


def write_crepe(folder: Path, rows: Sequence[Row], size: Size) -> None:
    """A CREPE checkpoint, of BiomedBERT's size where published."""
    tokenizer = _write_tokenizer(folder, size.bert_words)
    torch.manual_seed(1)
    config = size.bert
    config.num_error_categories = 6
    config.use_presence_loss = True
    model = CrepeModel(config).eval()
    sample = _drawn(rows)
    texts = [row["reference"] for row in sample], [row["candidate"] for row in sample]
    inputs = tokenizer(*texts, padding=True, truncation=True, max_length=512, return_tensors="pt")
    with torch.inference_mode():
        features = model.encode(inputs["input_ids"], inputs["attention_mask"], inputs["token_type_ids"]).pooler_output
    for head in model.error_regressors:
        _scale(head, features, mean=1.0, deviation=0.3)
    with quiet():
        model.save_pretrained(folder)


def write_recognizer(folder: Path, rows: Sequence[Row], size: Size) -> None:
    """A token classifier over RaTE-NER's labels, of the size of DeBERTa-v3 base where published."""
    tokenizer = _write_tokenizer(folder, size.deberta_words)
    torch.manual_seed(3)
    config = DebertaV2Config(
        vocab_size=size.deberta_words,
        relative_attention=True,
        position_buckets=256,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        pos_att_type=["p2c", "c2p"],
        max_relative_positions=-1,
        position_biased_input=False,
        type_vocab_size=0,
        layer_norm_eps=1e-7,
        id2label=dict(enumerate(LABELS)),
        label2id={label: index for index, label in enumerate(LABELS)},
        **size.transformer,
    )
    model = DebertaV2ForTokenClassification(config).eval()
    read = [read_sentences(row["reference"]) for row in _drawn(rows)]
    sentences = [span.of(plain.text) for plain, spans in read for span in spans]
    inputs = tokenizer(_drawn(sentences), padding=True, truncation=True, max_length=512, return_tensors="pt")
    ids, mask = inputs["input_ids"], inputs["attention_mask"]
    with torch.inference_mode():
        states = model.deberta(input_ids=ids, attention_mask=mask).last_hidden_state[mask.bool()]
    _scale(model.classifier, states, mean=0.0, deviation=1.0)
    with torch.inference_mode():
        logits = model.classifier(states)
        lead = logits[:, 1:].max(dim=-1).values - logits[:, 0]
        model.classifier.bias[0] += lead.quantile(_OUTSIDE)
    with quiet():
        model.save_pretrained(folder)


def write_encoder(folder: Path, size: Size) -> None:
    """An encoder, of the size of BERT base where published."""
    _write_tokenizer(folder, size.bert_words)
    torch.manual_seed(2)
    with quiet():
        BertModel(size.bert).save_pretrained(folder)


def _drawn(items: Sequence[T]) -> list[T]:
    """A sample, evenly drawn."""
    return list(items[:: max(1, len(items) // _SAMPLE)][:_SAMPLE])


def _scale(layer: nn.Module, features: Tensor, *, mean: float, deviation: float) -> None:
    """Gives each output of a linear layer this mean and deviation over the features."""
    with torch.inference_mode():
        weight, bias = layer.get_parameter("weight"), layer.get_parameter("bias")
        bias.zero_()
        outputs = layer(features)
        factor = deviation / outputs.std(dim=0)
        weight.mul_(factor[:, None])
        bias.copy_(mean - outputs.mean(dim=0) * factor)


def _write_tokenizer(folder: Path, words: int) -> BertTokenizer:
    tokenizer = BertTokenizer(tokenizer_object=_learned(words), model_max_length=512)
    with quiet():
        tokenizer.save_pretrained(folder)
    return tokenizer


@cache
def _learned(words: int) -> Any:
    """Word pieces of generated reports, filled up with unused ones to so many words."""
    learner = BertWordPieceTokenizer(lowercase=True)
    texts = (row[side] for row in generated(_LEARNED_FROM) for side in ("reference", "candidate"))
    learner.train_from_iterator(texts, vocab_size=words, min_frequency=2, show_progress=False)
    vocabulary = learner.get_vocab()
    vocabulary |= {f"[unused{number}]": number for number in range(len(vocabulary), words)}
    return BertWordPieceTokenizer(vocab=vocabulary, lowercase=True)._tokenizer  # noqa: SLF001
