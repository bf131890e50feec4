"""Small checkpoints with random or rigged weights, saved as transformers saves them. None needs the network."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import torch
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
    DebertaV2Config,
    DebertaV2ForTokenClassification,
    PretrainedConfig,
    PreTrainedModel,
)

from overread.adapters.bert._decoding import LABELS

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
_SENTENCE = (
    "no left right small large pleural effusion pneumonia lung lungs clear heart normal the is are in of and with "
    "opacity edema mild lobe lower upper"
)
WORDS = _SENTENCE.split()
PIECES = ["##s", "##itis", ".", ",", ":", "-", "a", "b", "##a", "##b", "##c"]
VOCABULARY = [*SPECIAL, *WORDS, *PIECES]
HIDDEN = 64
SomeModel = TypeVar("SomeModel", bound=PreTrainedModel)


def label_fields() -> dict[str, Any]:
    return {"id2label": dict(enumerate(LABELS)), "label2id": {label: i for i, label in enumerate(LABELS)}}


def bert_config(**changes: Any) -> BertConfig:
    sizes: dict[str, Any] = {
        "vocab_size": len(VOCABULARY),
        "hidden_size": HIDDEN,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 2 * HIDDEN,
        "max_position_embeddings": 64,
    }
    return BertConfig(**{**sizes, **changes})


def deberta_config(**changes: Any) -> DebertaV2Config:
    """The attention of DeBERTa-v3-base, with relative positions in place of absolute ones, in small."""
    sizes: dict[str, Any] = {
        "vocab_size": len(unigram_pieces()),
        "hidden_size": HIDDEN,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 2 * HIDDEN,
        "max_position_embeddings": 512,
        "type_vocab_size": 0,
        "relative_attention": True,
        "position_buckets": 256,
        "norm_rel_ebd": "layer_norm",
        "share_att_key": True,
        "pos_att_type": ["p2c", "c2p"],
        "position_biased_input": False,
        "layer_norm_eps": 1e-7,
        "pad_token_id": 0,
    }
    return DebertaV2Config(**{**sizes, **changes})


def unigram_pieces() -> list[str]:
    words = [f"▁{word}" for word in WORDS]
    return ["[PAD]", "[CLS]", "[SEP]", "[UNK]", "[MASK]", "▁", *words, "s", "itis", ".", ",", ":", "-", "a", "b", "c"]


def save_wordpiece(folder: Path) -> None:
    vocabulary = {token: index for index, token in enumerate(VOCABULARY)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 - no password
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    _save(tokenizer, folder, "BertTokenizer")


def save_unigram(folder: Path) -> None:
    """A tokenizer.json as DeBERTa-v3 checkpoints carry it: pieces that hold the space before a word."""
    tokenizer = Tokenizer(models.Unigram([(piece, -1.0 - len(piece) / 100) for piece in unigram_pieces()], unk_id=3))
    spaces = normalizers.Replace(Regex(r"\s+"), " ")
    tokenizer.normalizer = normalizers.Sequence([normalizers.Lowercase(), spaces])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always", split=True)
    _save(tokenizer, folder, "DebertaV2Tokenizer")


def _save(tokenizer: Tokenizer, folder: Path, kind: str) -> None:
    special = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=special)
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    names = ("pad", "unk", "cls", "sep", "mask")
    settings = {f"{name}_token": f"[{name.upper()}]" for name in names} | {"tokenizer_class": kind}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))


def seeded(kind: type[SomeModel], config: PretrainedConfig, seed: int = 0) -> SomeModel:
    """A model with random weights, the same for the same seed; large ones, so that texts are told apart."""
    torch.manual_seed(seed)
    model = kind(config)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 and "LayerNorm" not in name:
                weight.normal_(std=0.15)
    return model


def rig(model: BertForTokenClassification | DebertaV2ForTokenClassification, planted: Mapping[int, str]) -> None:
    """Makes a classifier give tokens the planted labels, every other token O, whatever stands around them."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "output.dense" in name or ("embeddings" in name and "LayerNorm" not in name):
                weight.zero_()
        embedded = model.get_input_embeddings().weight
        assert isinstance(embedded, torch.Tensor)
        embedded.copy_(torch.eye(*embedded.shape))
        model.classifier.weight.zero_()
        model.classifier.bias.zero_()
        model.classifier.bias[LABELS.index("O")] = 1.0
        for token, label in planted.items():
            model.classifier.weight[LABELS.index(label), token] = 1.0


def save_bert_classifier(folder: Path, planted: Mapping[str, str] | None = None, **changes: Any) -> Path:
    model = seeded(BertForTokenClassification, bert_config(**{**label_fields(), **changes}))
    if planted is not None:
        rig(model, {VOCABULARY.index(token): label for token, label in planted.items()})
    model.save_pretrained(folder)
    save_wordpiece(folder)
    return folder


def save_deberta_classifier(folder: Path, planted: Mapping[str, str] | None = None, **changes: Any) -> Path:
    model = seeded(DebertaV2ForTokenClassification, deberta_config(**{**label_fields(), **changes}))
    if planted is not None:
        rig(model, {unigram_pieces().index(piece): label for piece, label in planted.items()})
    model.save_pretrained(folder)
    save_unigram(folder)
    return folder


def save_bert_encoder(folder: Path, seed: int = 0, **changes: Any) -> Path:
    seeded(BertModel, bert_config(**changes), seed).save_pretrained(folder)
    save_wordpiece(folder)
    return folder


def save_masked_language_model(folder: Path) -> Path:
    seeded(BertForMaskedLM, bert_config(**label_fields())).save_pretrained(folder)
    save_wordpiece(folder)
    return folder


def save_sequence_classifier(folder: Path) -> Path:
    seeded(BertForSequenceClassification, bert_config(num_labels=3)).save_pretrained(folder)
    save_wordpiece(folder)
    return folder
