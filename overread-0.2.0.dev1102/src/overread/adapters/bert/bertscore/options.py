"""Options of BERTScore."""

from __future__ import annotations

from typing import Literal

from attrs import field, frozen
from attrs.validators import ge, optional

__all__ = ["BertScoreOptions"]


@frozen(kw_only=True)
class BertScoreOptions:
    """Options of bertscore.

    Attributes:
        path: folder of the checkpoint, or its hub id; there is no default.
        layers: whose states are compared, counted from 1, 0 for the embeddings; where omitted the number that
            bert-score recommends for a model of the folder's name.
        baseline: rescales by the scores of random sentences: a model's name whose baseline comes with bert-score, such
            as roberta-large, or a .tsv file laid out as those.
        long: a report of more than ``max_length`` tokens is cut and marked, as released without a mark ("truncate"), or
            unscored ("refuse").
        max_length: most tokens of a report, as far as the model has positions for them.
        batch_size: most reports read at once.
        device: "auto" (a GPU where there is one), "cpu", "cuda" or "cuda:N".
        dtype: number format; "auto" is fp32 on the CPU, bf16 or fp16 on a GPU.
        cache: distinct reports remembered, each with the states of all its tokens: half a megabyte for one of 150 with
            a model of the published size.
    """

    path: str | None = field(default=None, metadata={"argument": True})
    layers: int | None = field(default=None, validator=optional(ge(0)))
    baseline: str | None = None
    long: Literal["truncate", "refuse"] = "truncate"
    max_length: int = field(default=512, validator=ge(8))
    batch_size: int = field(default=32, validator=ge(1))
    device: str = "auto"
    dtype: Literal["auto", "fp32", "bf16", "fp16"] = "auto"
    cache: int = field(default=64, validator=ge(0))
