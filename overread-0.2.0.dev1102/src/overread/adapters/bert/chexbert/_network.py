"""CheXbert's network: a BERT with a linear head for each observation over the state of [CLS]."""

from __future__ import annotations

from typing import Final

import torch
from attrs import frozen
from torch import Tensor, nn
from transformers import BertConfig, BertModel

from overread.domain.findings.chest_labels import LABELS

__all__ = ["CLASSES", "CheXbertNetwork", "Labelled"]

CLASSES: Final = (*(4 for _ in LABELS[:-1]), 2)
"""Blank, positive, negative and uncertain for all observations but no finding, which is blank or positive."""


@frozen(eq=False)
class Labelled:
    """The network's output for reports.

    Attributes:
        classes: the likeliest class of each observation, reports x 14.
        states: states of [CLS], reports x hidden size.
    """

    classes: Tensor
    states: Tensor


class CheXbertNetwork(nn.Module):
    """Its tensors are named ``bert.*`` and ``linear_heads.i.*``, as published (Smit et al. 2020, section 3.2)."""

    def __init__(self, config: BertConfig) -> None:
        super().__init__()
        self.bert = BertModel(config)
        self.linear_heads = nn.ModuleList(nn.Linear(config.hidden_size, classes) for classes in CLASSES)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Labelled:
        """Labels of reports, each "[CLS] report [SEP]"."""
        states = self.bert(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state[:, 0]
        return Labelled(torch.stack([head(states).argmax(dim=-1) for head in self.linear_heads], dim=-1), states)
