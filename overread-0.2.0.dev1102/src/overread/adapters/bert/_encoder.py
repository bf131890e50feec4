"""A BERT-like model as text encoder: distinct texts once, in batches of similar length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import torch
from attrs import define, field

from overread.adapters.bert._released import ReleasedMatcher, check_release
from overread.adapters.bert.options import BertEncoderOptions
from overread.adapters.checkpoints.loading import Model, load_encoder
from overread.adapters.checkpoints.memory import Memory

__all__ = ["BertTextEncoder"]

Vector = npt.NDArray[np.float32]


@define(eq=False)
class BertTextEncoder:
    """Embeds short texts by the last hidden state of a model, scaled to unit length.

    Pooling "cls" takes the state of the first token, as RaTEScore's release does with BioLORD-2023-C; "mean" averages
    the states of all tokens, as sentence encoders are trained. A text of more than ``max_length`` tokens is cut.
    """

    options: BertEncoderOptions
    note: str = field(kw_only=True, default="")
    _identity: str
    _model: Model
    _vectors: Memory[Vector] = field(repr=False)

    @classmethod
    def create(cls, options: BertEncoderOptions, *, name: str = "", note: str = "") -> BertTextEncoder:
        """Loads the checkpoint that the options name.

        Args:
            options: of the encoder.
            name: stands in the identity for "bert" and the folder's name.
            note: what a reader must be told of this encoder.

        Raises:
            ConfigurationError: if it is not a whole checkpoint of an encoder.
        """
        model = load_encoder(
            options.path, max_length=options.max_length, device=options.device, dtype=options.dtype, by_size=True
        )
        folder, _, digest = model.name.rpartition("@")
        settings = f"pooling={options.pooling},max_length={model.max_length},dtype={model.dtype_name}"
        identity = f"{name or f'bert:{folder}'}@{digest},{settings}"
        return cls(options, identity, model, Memory(options.cache), note=note)

    @property
    def identity(self) -> str:
        """Name, digest, pooling, length and number format."""
        return self._identity

    def as_released(self, release: str) -> ReleasedMatcher:
        """The same checkpoint, with names embedded and matched as a released package does.

        Raises:
            ConfigurationError: if there is no such release, or the options are not those of the release.
        """
        check_release(release, "encoder", self.options, {"pooling": ("cls",), "max_length": (30,)})
        return ReleasedMatcher.create(self._model, self._identity, self.note, release=release)

    def encode(self, texts: Sequence[str]) -> Vector:
        """Embeddings, texts x hidden size, each row of length 1 (a row of zeros stays one)."""
        rows = self._vectors.answers(texts, self._embed)
        return np.stack(rows) if rows else np.zeros((0, self._model.config.hidden_size), dtype=np.float32)

    def _embed(self, texts: list[str]) -> list[Vector]:
        rows = self._model.rows(texts, whole=False)
        vectors = np.zeros((len(texts), self._model.config.hidden_size), dtype=np.float32)
        for batch, output, mask in self._model.batches(rows, self.options.batch_size):
            pooled = self._pool_states(output.last_hidden_state.float(), mask)
            vectors[batch] = torch.nn.functional.normalize(pooled, dim=-1).cpu().numpy()
        return list(vectors)

    def _pool_states(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """One vector a text from states (texts x tokens x hidden) and mask (texts x tokens)."""
        if self.options.pooling == "cls":
            return states[:, 0]
        weights = mask.unsqueeze(-1).to(states.dtype)
        return (states * weights).sum(dim=1) / weights.sum(dim=1).clamp(min=1)
