"""Reads a CREPE checkpoint from a local folder: config, state dict and WordPiece tokenizer; nothing is downloaded."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, cast

import torch
from attrs import frozen
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor
from transformers import BertConfig

from overread.adapters.bert.crepe._model import CrepeModel, Pooling
from overread.adapters.bert.crepe._tokenizer import load_wordpiece
from overread.adapters.checkpoints.checkpoint import files_digest, some_of
from overread.adapters.checkpoints.runtime import quiet, spare_threads
from overread.adapters.checkpoints.tokenizers import fits_vocabulary
from overread.domain.results.error_counts import HEAD_NAMES
from overread.exceptions import ConfigurationError

__all__ = ["CrepeCheckpoint", "load_checkpoint"]


@frozen(eq=False)
class CrepeCheckpoint:
    """A loaded checkpoint.

    Attributes:
        model: in single precision on the CPU.
        tokenizer: of the backbone.
        name: of the folder.
        digest: of the files that were read, 12 hexadecimal digits.
    """

    model: CrepeModel
    tokenizer: Any
    name: str
    digest: str

    @property
    def pooling(self) -> Pooling:
        """The pooling that yields a pair's representation."""
        return self.model.pooling

    @property
    def max_positions(self) -> int:
        """Longest input that the encoder has positions for."""
        return int(self.model.config.max_position_embeddings)

    @property
    def head_names(self) -> tuple[str, ...]:
        """Names of what the heads count, in their order."""
        return HEAD_NAMES[len(self.model.error_regressors)]


def load_checkpoint(folder: Path, pooling: Pooling | None = None) -> CrepeCheckpoint:
    """Reads ``config.json``, ``model.safetensors`` or ``pytorch_model.bin``, and ``tokenizer.json`` or ``vocab.txt``.

    The tensors are those of the release: ``bert.*``, ``error_regressors.i.*`` and perhaps ``error_presence.i.*``, all
    behind one prefix if there is one. The config is read as the encoder's, whatever architecture it names.

    Args:
        folder: on this machine.
        pooling: "pooler" or "cls"; by default what ``crepe_pooling`` in the config says, else the pooler where the
            checkpoint has one, as released.

    Raises:
        ConfigurationError: naming the folder, everything found wrong, and what to do.
    """
    try:
        return _load(folder, pooling)
    except _UnusableError as error:
        raise ConfigurationError([f"{folder} is not a usable CREPE checkpoint: {error}"]) from error


class _UnusableError(Exception):
    def __init__(self, problem: str, remedy: str = "copy or train the checkpoint again") -> None:
        super().__init__(f"{problem} ({remedy})")


_WEIGHTS: Final = ("model.safetensors", "pytorch_model.bin")
_TOKENIZERS: Final = ("tokenizer.json", "vocab.txt")
_UNREADABLE: Final = (
    SafetensorError,
    pickle.UnpicklingError,
    RuntimeError,
    EOFError,
    OSError,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
)
_HEAD: Final = re.compile(r"(.*?)error_regressors\.(\d+)\.weight")
_BUFFER: Final = re.compile(r"bert\.embeddings\.(position_ids|token_type_ids)")
"""Buffers that older releases of transformers saved; they hold no parameters."""
_POOLER: Final = "bert.pooler."
_FLOATING: Final = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
_FLAGS: Final = ("use_poisson_loss", "use_presence_loss")
_AS_ENCODER: Final = {"is_decoder": False, "chunk_size_feed_forward": 0, "return_dict": True}
"""What a config may say otherwise but this model cannot be."""


def _load(folder: Path, pooling: Pooling | None) -> CrepeCheckpoint:
    spare_threads()
    if not folder.is_dir():
        raise _UnusableError("there is no such folder", "give the folder that holds config.json")
    paths = [_present(folder, ("config.json",)), _present(folder, _WEIGHTS), _present(folder, _TOKENIZERS)]
    settings = _settings(paths[0])
    state = _without_prefix(_state(paths[1]))
    config = _config(settings, state, pooling)
    if config.crepe_pooling == "cls":
        state = {name: tensor for name, tensor in state.items() if not name.startswith(_POOLER)}
    model = _model(config, state)
    tokenizer = _tokenizer(folder, config.vocab_size)
    return CrepeCheckpoint(model=model, tokenizer=tokenizer, name=folder.resolve().name, digest=files_digest(paths))


def _present(folder: Path, names: Sequence[str]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise _UnusableError(f"it has no {' or '.join(names)}", "copy every file of the checkpoint")


def _settings(path: Path) -> Mapping[str, Any]:
    try:
        settings = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise _UnusableError("config.json is not JSON") from error
    if not isinstance(settings, dict):
        raise _UnusableError("config.json is not a JSON object")
    if odd := [name for name in _FLAGS if settings.get(name) not in (None, True, False)]:
        raise _UnusableError(f"{odd[0]} in config.json must be true or false")
    if settings.get("is_decoder"):
        raise _UnusableError("config.json sets is_decoder, but CREPE needs an encoder")
    return settings


def _state(path: Path) -> Mapping[str, Tensor]:
    try:
        if path.suffix == ".safetensors":
            state: object = load_file(path)
        else:
            state = torch.load(path, map_location="cpu", weights_only=True)
    except _UNREADABLE as error:
        raise _UnusableError(f"{path.name} cannot be read: it is damaged or incomplete") from error
    if not isinstance(state, dict) or not all(isinstance(value, Tensor) for value in state.values()):
        raise _UnusableError(f"{path.name} holds more than tensors", "save the model's state dict alone")
    return state


def _without_prefix(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The tensors under the published names; wrappers put "module.", "model." or the like before all of them."""
    prefixes = {match[1] for name in state if (match := _HEAD.fullmatch(name))}
    if not prefixes:
        raise _UnusableError(
            f"it has no regression heads error_regressors.i, but {some_of(state) or 'no tensors'}",
            "this is another model; give a CREPE checkpoint, or train one with `overread fit crepe`",
        )
    prefix = min(sorted(prefixes), key=len)
    named = {name.removeprefix(prefix): tensor for name, tensor in state.items()}
    return {name: tensor for name, tensor in named.items() if not _BUFFER.fullmatch(name)}


def _config(settings: Mapping[str, Any], state: Mapping[str, Tensor], pooling: Pooling | None) -> BertConfig:
    heads = sum(1 for name in state if _HEAD.fullmatch(name))
    stated = settings.get("num_error_categories", heads)
    if heads not in HEAD_NAMES or stated != heads:
        known = ", ".join(map(str, HEAD_NAMES))
        raise _UnusableError(
            f"it has {heads} regression heads and its config.json says {stated!r}; supported are {known}"
        )
    has_pooler = any(name.startswith(_POOLER) for name in state)
    chosen = pooling or settings.get("crepe_pooling") or ("pooler" if has_pooler else "cls")
    if chosen not in ("pooler", "cls"):
        raise _UnusableError(f"crepe_pooling in config.json is {chosen!r}", "it must be pooler or cls")
    if chosen == "pooler" and not has_pooler:
        raise _UnusableError("it has no pooler", "set pooling=cls")
    has_presence = any(name.startswith("error_presence.") for name in state)
    crepe = {
        "num_error_categories": heads,
        "use_presence_loss": settings.get("use_presence_loss") or has_presence,
        "crepe_pooling": chosen,
    }
    try:
        return BertConfig.from_dict({**settings, "model_type": BertConfig.model_type, **_AS_ENCODER, **crepe})
    except Exception as error:  # whatever transformers raises of a field, it is the file that is at fault
        raise _UnusableError(f"config.json is not a usable BERT configuration ({type(error).__name__})") from error


def _model(config: BertConfig, state: Mapping[str, Tensor]) -> CrepeModel:
    wanted = _shapes(config)
    problems = {
        "lacks": wanted.keys() - state.keys(),
        "has unknown weights": state.keys() - wanted.keys(),
        "has shapes other than those of config.json in": {
            name for name in wanted.keys() & state.keys() if wanted[name] != state[name].shape
        },
        "has no floating-point numbers in": {
            name for name, tensor in state.items() if tensor.dtype not in _FLOATING or tensor.layout != torch.strided
        },
    }
    if mismatches := [f"it {problem} {some_of(names)}" for problem, names in problems.items() if names]:
        raise _UnusableError("; ".join(mismatches), "use the config.json and weights that were saved together")
    if odd := {name for name, tensor in state.items() if not math.isfinite(tensor.sum(dtype=torch.float64))}:
        raise _UnusableError(f"it has values that are not finite in {some_of(odd)}")
    try:
        with quiet():
            model: Any = CrepeModel.from_pretrained(None, config=config, state_dict=dict(state), dtype=torch.float32)
    except Exception as error:  # as above
        raise _UnusableError(f"config.json cannot be used ({type(error).__name__})") from error
    return cast("CrepeModel", model)


def _shapes(config: BertConfig) -> Mapping[str, torch.Size]:
    """Shape of each tensor that the model wants; no memory is taken for it."""
    try:
        with torch.device("meta"):
            model = CrepeModel(config)
    except Exception as error:  # as above
        raise _UnusableError(f"config.json does not describe a BERT encoder ({type(error).__name__})") from error
    return {name: tensor.shape for name, tensor in model.state_dict().items() if not _BUFFER.fullmatch(name)}


def _tokenizer(folder: Path, vocabulary: int) -> Any:
    tokenizer = load_wordpiece(folder)
    words = len(tokenizer)
    if not fits_vocabulary(words, vocabulary):
        problem = f"its tokenizer has {words} words and its model {vocabulary}"
        raise _UnusableError(problem, "use the tokenizer that the model was trained with")
    return tokenizer
