"""The span head: every run of a few words is one of the types or nothing (the entity model of PURE).

Zhong and Chen 2021 (NAACL, "A frustratingly easy approach for entity and relation extraction") describe it; RaTEScore's
ablation trains it with three layers of 3,096 and spans of at most 8 words (Zhao et al. 2024, appendix A.9).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import torch
from attrs import asdict, frozen
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import nn

from overread.adapters.checkpoints.checkpoint import brief, broken_checkpoint
from overread.adapters.checkpoints.loading import TokenRow
from overread.domain.entities.entity import EntityType

__all__ = [
    "KINDS",
    "SPAN_FIELD",
    "SpanHead",
    "SpanHeadSize",
    "WordSpan",
    "choose_spans",
    "load_span_head",
    "save_span_head",
    "spans_of",
]

KINDS: Final = (None, *EntityType)
"""What a span may be, by index."""

SPAN_FIELD: Final = "span_head"
"""The field of config.json that tells a span head and its sizes."""

_FILE: Final = "span_head.safetensors"
_WORD: Final = re.compile(r"\w+|[^\w\s]")


@frozen(kw_only=True)
class SpanHeadSize:
    """Sizes of a span head.

    Attributes:
        states: width of the encoder's states.
        max_words: words of the longest span; the paper's is 8.
        hidden: width of the two hidden layers; the paper's is 3,096.
        width: of the embedding of a span's length; PURE's is 150.
        dropout: within the head while it is trained; PURE's is 0.2.
    """

    states: int
    max_words: int = 8
    hidden: int = 3096
    width: int = 150
    dropout: float = 0.2


class SpanHead(nn.Module):
    """Classifies spans by the states of their first and last token and their length in words."""

    def __init__(self, size: SpanHeadSize) -> None:
        super().__init__()
        self.size = size
        self.widths = nn.Embedding(size.max_words, size.width)
        self.layers = nn.Sequential(
            nn.Linear(2 * size.states + size.width, size.hidden),
            nn.ReLU(),
            nn.Dropout(size.dropout),
            nn.Linear(size.hidden, size.hidden),
            nn.ReLU(),
            nn.Dropout(size.dropout),
            nn.Linear(size.hidden, len(KINDS)),
        )

    def forward(self, states: torch.Tensor, spans: torch.Tensor) -> torch.Tensor:
        """Logits over `KINDS`.

        Args:
            states: of the last layer, texts x tokens x states.
            spans: first token, last token and words less one, texts x spans x 3.

        Returns:
            texts x spans x kinds.
        """
        texts = torch.arange(len(states), device=states.device)[:, None]
        first, last, words = spans.unbind(dim=-1)
        parts = [states[texts, first], states[texts, last], self.widths(words)]
        logits: torch.Tensor = self.layers(torch.cat(parts, dim=-1))
        return logits


@frozen
class WordSpan:
    """A run of words of a sentence, as tokens and as characters."""

    first: int
    last: int
    words: int
    start: int
    end: int

    @property
    def tokens(self) -> tuple[int, int, int]:
        """First token, last token and words less one, as `SpanHead` takes them."""
        return self.first, self.last, self.words - 1


def spans_of(text: str, row: TokenRow, max_words: int) -> list[WordSpan]:
    """Every run of up to ``max_words`` words whose tokens the row holds, by first and then by last word."""
    places = [
        (place, offset) for place, offset in enumerate(row.offsets) if offset is not None and offset[0] < offset[1]
    ]
    words: list[tuple[int, int, int, int]] = []
    at = 0
    for word in _WORD.finditer(text):
        while at < len(places) and places[at][1][1] <= word.start():
            at += 1
        held = [place for place, offset in places[at : at + len(word[0]) + 1] if offset[0] < word.end()]
        if held:
            words.append((held[0], held[-1], word.start(), word.end()))
    return [
        WordSpan(words[i][0], words[j][1], j - i + 1, words[i][2], words[j][3])
        for i in range(len(words))
        for j in range(i, min(i + max_words, len(words)))
    ]


def save_span_head(head: SpanHead, folder: Path) -> dict[str, Any]:
    """Writes the weights beside an encoder's; returns what its config.json must hold under `SPAN_FIELD`."""
    save_file({name: tensor.contiguous().cpu() for name, tensor in head.state_dict().items()}, folder / _FILE)
    return asdict(head.size)


def load_span_head(path: str, folder: Path, fields: Mapping[str, Any], device: torch.device) -> SpanHead:
    """The span head of a checkpoint folder, for inference.

    Raises:
        ConfigurationError: if it is damaged, or of other sizes than config.json says.
    """
    try:
        head = SpanHead(SpanHeadSize(**fields))
        head.load_state_dict(load_file(folder / _FILE))
    except (OSError, TypeError, ValueError, RuntimeError, SafetensorError) as error:
        problem = f"its span head cannot be read ({brief(error)})"
        raise broken_checkpoint(path, problem, "copy it again, or train it again") from error
    if not all(bool(torch.isfinite(weight).all()) for weight in head.parameters()):
        raise broken_checkpoint(path, "its span head holds values that are not numbers", "copy it again")
    return head.float().to(device).eval()


def choose_spans(text_spans: Sequence[WordSpan], logits: torch.Tensor) -> tuple[tuple[int, int, EntityType], ...]:
    """The spans that are something, in reading order; as in PURE, some may lie in others.

    Args:
        text_spans: of a row.
        logits: of each span, spans x kinds.
    """
    kinds = [KINDS[best] for best in logits.argmax(-1).tolist()]
    entities = ((span.start, span.end, kind) for span, kind in zip(text_spans, kinds, strict=True) if kind is not None)
    return tuple(sorted(entities))
