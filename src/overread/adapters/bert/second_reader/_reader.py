"""The second reader as a component: a trained network and its encoder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

import torch
from attrs import define, field
from safetensors.torch import load_file

from overread.adapters.bert.second_reader._encoding import LAYERS, SentenceEncoder, encode_claims, open_encoder
from overread.adapters.bert.second_reader._network import ClaimNetwork, Sizes
from overread.adapters.bert.second_reader.options import SecondReaderOptions
from overread.adapters.checkpoints.runtime import computing
from overread.domain.second_reading import Claim
from overread.exceptions import ConfigurationError

__all__ = ["SETTINGS", "WEIGHTS", "MiniLmSecondReader", "load_reader"]

SETTINGS: Final = "config.json"
WEIGHTS: Final = "model.safetensors"
_CERTAIN: Final = 1.0
_PLACE: Final = torch.device("cpu")
_AT_ONCE: Final = 64
"""Pairs judged in one pass."""


@define(eq=False)
class MiniLmSecondReader:
    """Compares the words of each claim with all that the other report says.

    It moves no span and finds nothing new: it tells how likely it is that somebody who reads both reports confirms what
    the first reading found. Sentences are encoded once and remembered.
    """

    identity: str
    encoder: SentenceEncoder = field(repr=False)
    network: ClaimNetwork = field(repr=False)
    kinds: tuple[str, ...] = field(repr=False)
    _loaded_by: int = field(factory=os.getpid, init=False, repr=False)

    def probabilities(self, claims: Sequence[Claim]) -> list[float]:
        """How likely each claim is to be confirmed, 0 to 1."""
        pairs = encode_claims(self.encoder, claims, self.kinds)
        found = [_CERTAIN] * len(claims)
        # Of a blank report there is no doubt what it does not say.
        pairs = [pair for pair in pairs if all(len(report.offsets) for report in pair.reports)]
        with computing(_PLACE, torch.float32, loaded_by=self._loaded_by):
            for start in range(0, len(pairs), _AT_ONCE):
                batch = pairs[start : start + _AT_ONCE]
                numbers = [number for pair in batch for number in pair.numbers]
                for number, probability in zip(numbers, torch.sigmoid(self.network(batch)).tolist(), strict=True):
                    found[number] = probability
        return found


def load_reader(options: SecondReaderOptions) -> MiniLmSecondReader:
    """The shipped reader, or one from a folder.

    Raises:
        ConfigurationError: if the folder holds no second reader, or one that was trained on another encoder.
    """
    with as_file(files(__package__) / "data" / "small") as shipped:
        folder = options.path or shipped
        settings, weights = _read(folder)
    encoder = open_encoder(
        batch_size=options.batch_size, device=options.device, dtype=options.dtype, cache=options.cache
    )
    digest = encoder.model.name.rpartition("@")[2]
    if settings["encoder"] != digest or tuple(settings["layers"]) != LAYERS:
        raise ConfigurationError([f"second reader {folder.name}: was trained on another encoder than MiniLM {digest}"])
    kinds = tuple(settings["kinds"])
    network = ClaimNetwork(Sizes(states=encoder.width, kinds=len(kinds)))
    network.load_state_dict({name: values.float() for name, values in weights.items()})
    identity = f"{settings['name']}@{_digest(weights)},minilm@{digest},dtype={encoder.model.dtype_name}"
    return MiniLmSecondReader(identity, encoder, network.eval(), kinds)


def _read(folder: Path) -> tuple[Mapping[str, Any], Mapping[str, torch.Tensor]]:
    try:
        settings = json.loads((folder / SETTINGS).read_text(encoding="utf-8"))
        weights = load_file(folder / WEIGHTS)
        missing = {"name", "encoder", "layers", "kinds"} - settings.keys()
    except Exception as error:  # safetensors raises an error of its own kind
        raise ConfigurationError(
            [f"second reader: {folder} holds none; overread fit second-reader writes one"]
        ) from error
    if missing:
        raise ConfigurationError([f"second reader: {folder / SETTINGS} lacks {', '.join(sorted(missing))}"])
    return settings, weights


def _digest(weights: Mapping[str, torch.Tensor]) -> str:
    found = sha256()
    for name in sorted(weights):
        found.update(name.encode())
        found.update(weights[name].numpy().tobytes())
    return found.hexdigest()[:12]
