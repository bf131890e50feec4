"""The networks that are trained: an encoder with a token head, or with a span head."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

import torch
from safetensors import SafetensorError
from torch import nn
from transformers import AutoConfig, AutoModel, AutoModelForTokenClassification

from overread.adapters.bert._decoding import LABELS
from overread.adapters.bert._reading import Reading, SpanReading, TokenReading
from overread.adapters.bert._span_head import SPAN_FIELD, SpanHead, SpanHeadSize, save_span_head
from overread.adapters.bert.recognizer_training.options import RecognizerTrainingOptions
from overread.adapters.checkpoints.checkpoint import TOKENIZER_FILES, brief, broken_checkpoint
from overread.adapters.checkpoints.loading import LOCAL, Model, load_tokenizer, longest_input
from overread.adapters.checkpoints.runtime import choose_device

__all__ = ["SpanNetwork", "Trainee"]

_UNTRAINED: Final = ("classifier.", "pooler.")
"""Weights that a backbone need not have: heads are new, and nothing asks for what a pooler computes."""


class SpanNetwork(nn.Module):
    """An encoder with a span head, and its loss: cross entropy of each span."""

    def __init__(self, encoder: Any, head: SpanHead) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = head

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, spans: torch.Tensor, labels: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        """The loss and the logits of a batch as `collated` makes it."""
        states = self.encoder(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
        logits = self.head(states, spans)
        return {"loss": nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()), "logits": logits}


class Trainee:
    """A backbone with a fresh head: what is trained, how it reads meanwhile, and how it is written.

    Args:
        options: the backbone and its head.
        folder: of the backbone.

    Raises:
        ConfigurationError: if the backbone cannot be read.
    """

    def __init__(self, options: RecognizerTrainingOptions, folder: Path) -> None:
        torch.manual_seed(options.seed)
        self.options = options
        self._backbone = folder
        self.tokenizer = load_tokenizer(options.backbone, folder)
        config = AutoConfig.from_pretrained(folder, **LOCAL)
        self._length = longest_input(config, options.max_tokens)
        self.network: nn.Module = self._spans(config) if options.head == "span" else self._tokens(config)

    def _tokens(self, config: Any) -> nn.Module:
        config.id2label = dict(enumerate(LABELS))
        config.label2id = {label: index for index, label in enumerate(LABELS)}
        return self._load_network(AutoModelForTokenClassification, config)

    def _spans(self, config: Any) -> nn.Module:
        size = SpanHeadSize(
            states=config.hidden_size,
            max_words=self.options.max_words,
            hidden=self.options.hidden,
            width=self.options.width,
            dropout=self.options.dropout,
        )
        return SpanNetwork(self._load_network(AutoModel, config), SpanHead(size))

    def _load_network(self, auto: Any, config: Any) -> nn.Module:
        name, remedy = self.options.backbone, "give a folder with an encoder's config.json and weights"
        loading = {**LOCAL, "config": config, "dtype": torch.float32, "ignore_mismatched_sizes": True}
        try:
            model, loading_info = auto.from_pretrained(self._backbone, output_loading_info=True, **loading)
        except (OSError, ValueError, RuntimeError, SafetensorError) as error:
            raise broken_checkpoint(name, f"its weights cannot be read ({brief(error)})", remedy) from error
        odd = [str(key[0]) for key in loading_info["mismatched_keys"] if not str(key[0]).startswith(_UNTRAINED)]
        missing = [key for key in loading_info["missing_keys"] if not key.startswith(_UNTRAINED)]
        if lacking := sorted(odd + missing):
            raise broken_checkpoint(name, f"it lacks {len(lacking)} weights, for example {lacking[0]}", remedy)
        if not all(bool(torch.isfinite(weight).all()) for weight in model.parameters()):
            raise broken_checkpoint(name, "its weights hold values that are not numbers", remedy)
        trained: nn.Module = model
        return trained

    def model(self) -> Model:
        """A model that runs sentences through the network in its current state, in fp32 on the network's device."""
        runs: Any = self.network.encoder if isinstance(self.network, SpanNetwork) else self.network
        device = next(runs.parameters()).device
        return Model("in training", runs.config, device, torch.float32, self._length, self.tokenizer, runs)

    def reading(self) -> Reading:
        """A reading by the network in its current state."""
        if isinstance(self.network, SpanNetwork):
            return SpanReading(self.model(), self.network.head, self.options.batch)
        return TokenReading(self.model(), LABELS, self.options.batch)

    def write(self, folder: Path) -> None:
        """Writes the model as `recognizer=bert:FOLDER` reads it, with the backbone's tokenizer as it is."""
        network: Any = self.network.to("cpu")
        if isinstance(network, SpanNetwork):
            setattr(network.encoder.config, SPAN_FIELD, save_span_head(network.head, folder))
            network = network.encoder
        network.save_pretrained(folder)
        for name in TOKENIZER_FILES:
            if (self._backbone / name).is_file():
                shutil.copyfile(self._backbone / name, folder / name)
        self.network.to(choose_device(self.options.device))
