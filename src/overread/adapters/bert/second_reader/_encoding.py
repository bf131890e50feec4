"""Reports as token states: sentences through MiniLM, each once, with the characters that every token covers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
import torch
from attrs import define, field, frozen
from torch import Tensor

from overread.adapters.bert.minilm.plugin import model_folder
from overread.adapters.bert.second_reader._claims import kind_of, traits
from overread.adapters.bert.second_reader._network import EncodedClaim, EncodedPair, EncodedReport
from overread.adapters.checkpoints.loading import Model, load_encoder
from overread.adapters.checkpoints.memory import Memory
from overread.adapters.lexicon.segments import plain_sentences
from overread.domain.plain_text import PlainText
from overread.domain.report import Span
from overread.domain.second_reading import Claim

__all__ = ["LAYERS", "SentenceEncoder", "encode_claims", "open_encoder"]

LAYERS: Final = (2, 4, 6)
"""Layers whose states stand for a token, the embedding being layer 0: words as they are, and what the sentence makes of
them."""

_LONGEST: Final = 64
"""Tokens of a sentence that are read."""


@frozen(eq=False)
class _States:
    states: Tensor
    offsets: npt.NDArray[np.int64]


@define(eq=False)
class SentenceEncoder:
    """Token states of reports. States are kept in half precision: a sentence takes about 50 kB."""

    model: Model
    batch_size: int
    _known: Memory[_States] = field(repr=False)

    @property
    def width(self) -> int:
        """Length of a token's state."""
        return int(self.model.config.hidden_size) * len(LAYERS)

    def encode(self, texts: Sequence[str]) -> list[EncodedReport]:
        """Each report's tokens, sentence by sentence."""
        outlines = [plain_sentences(text) for text in texts]
        distinct = list(dict.fromkeys(span.of(plain.text) for plain, spans in outlines for span in spans))
        states = dict(zip(distinct, self._known.answers(distinct, self._encoded), strict=True))
        return [
            _report(plain, [(span.start, states[span.of(plain.text)]) for span in spans]) for plain, spans in outlines
        ]

    def _encoded(self, sentences: list[str]) -> list[_States]:
        rows = self.model.rows(sentences, whole=False)
        found: list[_States | None] = [None] * len(sentences)
        for batch, output, _ in self.model.batches(rows, self.batch_size, every_layer=True):
            layers = torch.cat([output.hidden_states[layer] for layer in LAYERS], dim=-1).half()
            for number, index in enumerate(batch):
                row = rows[index]
                # A special token covers no character, so no claim points at it.
                offsets = np.array([span or (-1, -1) for span in row.offsets], dtype=np.int64)
                found[row.text] = _States(layers[number, : len(row.ids)].clone(), offsets)
        return [states for states in found if states is not None]


def _report(plain: PlainText, sentences: Sequence[tuple[int, _States]]) -> EncodedReport:
    """A report's tokens with the characters of the report as given that each covers; none for a special token."""
    offsets = [
        (-1, -1) if first < 0 else plain.given(start + first, start + end)
        for start, found in sentences
        for first, end in found.offsets.tolist()
    ]
    return EncodedReport(
        [found.states for _, found in sentences], np.array(offsets, dtype=np.int64).reshape(len(offsets), 2)
    )


def open_encoder(
    *, batch_size: int = 128, device: str = "auto", dtype: str = "auto", cache: int = 12_000
) -> SentenceEncoder:
    """MiniLM as the installed package carries it. Raises `ConfigurationError` if it is not there."""
    model = load_encoder(str(model_folder()), max_length=_LONGEST, device=device, dtype=dtype)
    return SentenceEncoder(model, batch_size, Memory(cache))


def encode_claims(encoder: SentenceEncoder, claims: Sequence[Claim], kinds: Sequence[str]) -> list[EncodedPair]:
    """Claims with the reports they are of, those of one pair together.

    Args:
        encoder: of the reports.
        claims: in any order.
        kinds: that are told apart.
    """
    grouped: dict[tuple[str, str], list[int]] = {}
    for number, claim in enumerate(claims):
        grouped.setdefault((claim.reference, claim.candidate), []).append(number)
    texts = list(dict.fromkeys(text for pair in grouped for text in pair))
    reports = dict(zip(texts, encoder.encode(texts), strict=True))
    by_kind = {kind: number for number, kind in enumerate(kinds, start=1)}
    return [
        EncodedPair(
            (reports[reference], reports[candidate]),
            [_encoded(claims[number], reports[reference], reports[candidate], by_kind) for number in numbers],
            numbers,
        )
        for (reference, candidate), numbers in grouped.items()
    ]


def _encoded(
    claim: Claim, reference: EncodedReport, candidate: EncodedReport, by_kind: Mapping[str, int]
) -> EncodedClaim:
    d = claim.discrepancy
    tokens = _tokens(reference, d.reference_spans), _tokens(candidate, d.candidate_spans)
    return EncodedClaim(tokens, by_kind.get(kind_of(claim), 0), traits(claim))


def _tokens(report: EncodedReport, spans: Sequence[Span]) -> Tensor:
    """Indices of the tokens that share a character with one of the spans."""
    starts, ends = report.offsets[:, 0], report.offsets[:, 1]
    within = np.zeros(len(report.offsets), dtype=bool)
    for span in spans:
        within |= (starts < span.end) & (ends > span.start) & (ends > starts)
    return torch.from_numpy(np.flatnonzero(within))
