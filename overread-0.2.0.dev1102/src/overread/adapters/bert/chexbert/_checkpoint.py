"""Reads CheXbert's checkpoint as published, from a local folder; nothing is downloaded."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, Final

import torch
from safetensors.torch import load_file
from torch import Tensor
from transformers import BertConfig

from overread.adapters.bert.chexbert._network import CheXbertNetwork
from overread.adapters.checkpoints.checkpoint import brief, broken_checkpoint, files_digest, some_of
from overread.adapters.checkpoints.loading import LOCAL, Model, load_tokenizer
from overread.adapters.checkpoints.runtime import choose_device, choose_dtype, quiet
from overread.adapters.checkpoints.tokenizers import fits_vocabulary

__all__ = ["load_chexbert"]

_WEIGHTS: Final = ("chexbert.pth", "model.safetensors", "pytorch_model.bin")
_TOKENIZERS: Final = ("tokenizer.json", "vocab.txt")
_REMEDY: Final = "put chexbert.pth beside config.json and vocab.txt of bert-base-uncased"
_BUFFERS: Final = ("bert.embeddings.position_ids", "bert.embeddings.token_type_ids")
"""Saved by older releases of transformers; they hold no parameters."""
_LONGEST: Final = 512


def load_chexbert(path: str, *, device: str = "auto", dtype: str = "auto") -> Model:
    """The network with every weight from the checkpoint; its output is `Labelled`.

    The tensors may stand alone or, as published, as ``model_state_dict`` among what training left behind, with
    "module." before their names. A pickle is read as tensors and plain values only: no code of it runs.

    Raises:
        ConfigurationError: naming the folder, what is wrong, and what to do.
    """
    place = choose_device(device)
    folder = Path(path).expanduser()
    if not folder.is_dir():
        raise broken_checkpoint(path, "there is no such folder", _REMEDY)
    files = [_present(folder, names) for names in (("config.json",), _WEIGHTS, _TOKENIZERS)]
    state = _state(path, files[1])
    try:
        with quiet():
            config = BertConfig.from_pretrained(str(folder), **LOCAL)
            network = CheXbertNetwork(config)
    except Exception as error:
        problem = f"config.json is not that of a BERT ({brief(error)})"
        raise broken_checkpoint(path, problem, _REMEDY) from error
    _fill(path, network, state)
    tokenizer = load_tokenizer(path, folder)
    if not fits_vocabulary(len(tokenizer), config.vocab_size):
        problem = f"its tokenizer knows {len(tokenizer)} tokens, its weights {config.vocab_size}"
        raise broken_checkpoint(path, problem, "use the tokenizer the model was trained with")
    return Model(
        f"{folder.resolve().name}@{files_digest(files)}",
        config,
        place,
        choose_dtype(dtype, place),
        min(_LONGEST, int(config.max_position_embeddings)),
        tokenizer,
        network.float().to(place).eval(),
    )


def _present(folder: Path, names: Collection[str]) -> Path:
    for name in names:
        if (folder / name).is_file():
            return folder / name
    raise broken_checkpoint(folder, f"it has no {' or '.join(names)}", _REMEDY)


def _state(path: str, weights: Path) -> dict[str, Tensor]:
    try:
        read: Any = (
            load_file(weights)
            if weights.suffix == ".safetensors"
            else torch.load(weights, map_location="cpu", weights_only=True)
        )
    except Exception as error:  # whatever is raised of it, it is the file that is at fault
        problem = f"{weights.name} cannot be read ({type(error).__name__})"
        raise broken_checkpoint(path, problem, "copy or download it again") from error
    state = read.get("model_state_dict", read) if isinstance(read, Mapping) else None
    if not isinstance(state, Mapping) or not all(isinstance(value, Tensor) for value in state.values()):
        raise broken_checkpoint(path, f"{weights.name} holds no named tensors", "copy or download it again")
    named = {str(name).removeprefix("module."): tensor for name, tensor in state.items()}
    return {name: tensor for name, tensor in named.items() if name not in _BUFFERS}


def _fill(path: str, network: CheXbertNetwork, state: Mapping[str, Tensor]) -> None:
    wanted = network.state_dict()
    wanted = {name: tensor for name, tensor in wanted.items() if name not in _BUFFERS}
    # The labels come from the state of [CLS] itself; a pooler may be there or not.
    lacking = {name for name in wanted.keys() - state.keys() if not name.startswith("bert.pooler.")}
    unfit = {name for name in wanted.keys() & state.keys() if wanted[name].shape != state[name].shape}
    if lacking:
        raise broken_checkpoint(
            path, f"it lacks {some_of(lacking)}", "this is another model; give CheXbert's checkpoint"
        )
    if unfit:
        problem = f"the shape of {some_of(unfit)} does not match config.json"
        raise broken_checkpoint(path, problem, _REMEDY)
    if not all(bool(torch.isfinite(state[name]).all()) for name in wanted.keys() & state.keys()):
        raise broken_checkpoint(path, "its weights hold values that are not numbers", "copy or download it again")
    network.load_state_dict(dict(state), strict=False)
