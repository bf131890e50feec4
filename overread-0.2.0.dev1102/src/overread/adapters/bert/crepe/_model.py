"""CREPE as a torch module: a BERT encoder with regression and presence heads (Cho et al. 2025, section 3.2)."""

from __future__ import annotations

from typing import Any, Final, Literal, cast

import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import BertConfig, BertModel, PreTrainedModel

from overread.domain.results.error_counts import HEAD_NAMES

__all__ = ["CrepeModel", "Pooling", "answering_by_first", "crepe_loss"]

Pooling = Literal["pooler", "cls"]
"""What stands for the pair: the pooler's dense and tanh over [CLS], as released; or [CLS] itself, as printed."""

_PRESENCE_WEIGHT: Final = 0.5
_DROPOUT: Final = 0.1


class CrepeModel(PreTrainedModel):  # type: ignore[no-untyped-call]
    """Error counts of (reference, candidate) pairs, in the published checkpoint's layout.

    Its tensors are named ``bert.*``, ``error_regressors.i.*`` and ``error_presence.i.*``. Its config is that of the
    encoder with ``num_error_categories`` (1, 2 or 6; section 5.1), ``use_poisson_loss``, ``use_presence_loss``,
    ``presence_loss_weight`` and ``crepe_pooling``.
    """

    config_class = BertConfig
    base_model_prefix = "bert"
    _supports_sdpa = True

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        heads = getattr(config, "num_error_categories", len(HEAD_NAMES[6]))
        self.pooling = cast("Pooling", getattr(config, "crepe_pooling", None) or "pooler")
        self.is_poisson = bool(getattr(config, "use_poisson_loss", False))
        self.has_presence = bool(getattr(config, "use_presence_loss", True))
        self.presence_weight = float(getattr(config, "presence_loss_weight", _PRESENCE_WEIGHT))
        self.bert = BertModel(config, add_pooling_layer=self.pooling == "pooler")
        self.dropout = nn.Dropout(_dropout(config))
        self.error_regressors = nn.ModuleList(nn.Linear(config.hidden_size, 1) for _ in range(heads))
        self.error_presence = nn.ModuleList(
            nn.Linear(config.hidden_size, 1) for _ in range(heads if self.has_presence else 0)
        )
        self.post_init()  # type: ignore[no-untyped-call]

    def forward(
        self,
        input_ids: Tensor,
        attention_mask: Tensor | None = None,
        token_type_ids: Tensor | None = None,
        labels: Tensor | None = None,
        **_: Any,
    ) -> dict[str, Tensor]:
        """Heads before any clamping.

        Args:
            input_ids: tokens of "[CLS] reference [SEP] candidate [SEP]", pairs x length.
            attention_mask: 1 where there is a token.
            token_type_ids: 0 for the reference, 1 for the candidate.
            labels: errors of each kind, pairs x heads; for training.

        Returns:
            ``counts`` and, with presence heads, ``presence`` logits, each pairs x heads; ``loss`` with labels.
        """
        return self.heads(self.encode(input_ids, attention_mask, token_type_ids), labels)

    def encode(self, input_ids: Tensor, attention_mask: Tensor | None, token_type_ids: Tensor | None) -> Any:
        """The encoder's output for the pairs."""
        return self.bert(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)

    def heads(self, encoded: Any, labels: Tensor | None = None) -> dict[str, Tensor]:
        """The heads' output for encoded pairs; see `forward`."""
        pooled = encoded.pooler_output if self.pooling == "pooler" else encoded.last_hidden_state[:, 0]
        features = self.dropout(pooled)
        heads = {"counts": _apply_heads(self.error_regressors, features)}
        if self.has_presence:
            heads["presence"] = _apply_heads(self.error_presence, features)
        if labels is None:
            return heads
        loss = crepe_loss(
            heads["counts"],
            heads.get("presence"),
            labels.to(heads["counts"].dtype),
            poisson=self.is_poisson,
            presence_weight=self.presence_weight,
        )
        return {"loss": loss, **heads}


class _FirstTokenLayer(nn.Module):
    """The last layer of a BERT for its first token alone: of the others nothing is read behind it.

    Keys and values are of all tokens, so that the first one's state is the same but for rounding.
    """

    def __init__(self, layer: Any) -> None:
        super().__init__()
        self.layer = layer

    def forward(self, states: Tensor, attention_mask: Tensor | None = None, *_: Any, **__: Any) -> Tensor:
        """Pairs x 1 x width of pairs x tokens x width; the mask is pairs x 1 x 1 or tokens x tokens."""
        attention, first = self.layer.attention, states[:, :1]

        def heads(projected: Tensor) -> Tensor:
            return projected.view(*projected.shape[:2], -1, attention.self.attention_head_size).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            heads(attention.self.query(first)),
            heads(attention.self.key(states)),
            heads(attention.self.value(states)),
            attn_mask=None if attention_mask is None else attention_mask[:, :, :1],
            scale=attention.self.scaling,
        )
        output: Tensor = self.layer.feed_forward_chunk(attention.output(mixed.transpose(1, 2).flatten(2), first))
        return output


def answering_by_first(model: CrepeModel) -> CrepeModel:
    """The same model, changed to compute no more of its last layer than its answer needs; it cannot be trained then."""
    layers = model.bert.encoder.layer
    if not isinstance(layers[-1], _FirstTokenLayer):
        layers[-1] = _FirstTokenLayer(layers[-1])
    return model


def crepe_loss(
    counts: Tensor, presence: Tensor | None, labels: Tensor, *, poisson: bool = False, presence_weight: float = 0.5
) -> Tensor:
    """The training loss (equations 5 to 7): mean over categories of (MSE + BCE) / 2.

    Args:
        counts: raw regression heads, pairs x heads.
        presence: logits of there being any error of the kind; None leaves the regression loss alone.
        labels: errors of each kind.
        poisson: Poisson negative log likelihood with rate softplus(head) in place of the squared error (section 5.2).
        presence_weight: share of the presence loss; 0.5 is the paper's equal weight.

    >>> round(crepe_loss(torch.tensor([[1.0]]), torch.tensor([[0.0]]), torch.tensor([[3.0]])).item(), 4)
    2.3466
    """
    if poisson:
        regression = functional.poisson_nll_loss(functional.softplus(counts), labels, log_input=False)
    else:
        regression = functional.mse_loss(counts, labels)
    if presence is None:
        return regression
    detection = functional.binary_cross_entropy_with_logits(presence, (labels > 0).to(presence.dtype))
    return (1.0 - presence_weight) * regression + presence_weight * detection


def _apply_heads(heads: nn.ModuleList, features: Tensor) -> Tensor:
    return torch.cat([head(features) for head in heads], dim=-1).float()


def _dropout(config: BertConfig) -> float:
    """Dropout rate, as released: the classifier's, else the encoder's, else 0.1."""
    for name in ("classifier_dropout", "hidden_dropout_prob"):
        value = getattr(config, name, None)
        if value is not None:
            return float(value)
    return _DROPOUT
