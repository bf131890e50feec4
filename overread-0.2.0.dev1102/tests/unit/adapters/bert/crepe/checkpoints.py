"""CREPE checkpoints of random weights, written in the published layout."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import BertConfig

from overread.adapters.bert.crepe._model import CrepeModel

WORDS: Sequence[str] = """
[PAD] [UNK] [CLS] [SEP] [MASK] . , ; the is in of no small large moderate left right both lower upper lobe base
pleural effusion ##s opacity pneumothorax nodule heart size normal mild edema consolidation rib fracture line tube
tip above carina new stable ##ral bilate chest mass seen
""".split()  # noqa: SIM905 - a list of them would be a page long
TINY: Mapping[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "vocab_size": len(WORDS),
    "max_position_embeddings": 512,
    "initializer_range": 0.4,  # wide enough for answers to differ between pairs
}
BASE: Mapping[str, Any] = {"vocab_size": 30522}
"""The published backbone's size: 768 wide, 12 layers; the rest are BertConfig's own defaults."""

Change = Callable[[dict[str, Tensor]], Mapping[str, Tensor]]


def write(
    folder: Path,
    *,
    sizes: Mapping[str, Any] = TINY,
    heads: int = 6,
    presence: bool = True,
    biases: Sequence[float] | None = None,
    change: Change = dict,
    seed: int = 0,
    **settings: Any,
) -> Path:
    """A checkpoint as the release lays it out.

    Args:
        folder: is made.
        sizes: of the encoder.
        heads: number of regression heads.
        presence: whether there are presence heads.
        biases: rigs the regression heads to answer this whatever the pair.
        change: made to the state dict before it is written.
        seed: of the random weights.
        settings: more of the config, for example ``use_poisson_loss``.
    """
    crepe = {"num_error_categories": heads, "use_presence_loss": presence, "use_poisson_loss": False, **settings}
    config = BertConfig(**{**sizes, **crepe})
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = CrepeModel(config)
    if biases is not None:
        for head, bias in zip(model.error_regressors, biases, strict=True):
            torch.nn.init.zeros_(head.get_parameter("weight"))
            torch.nn.init.constant_(head.get_parameter("bias"), bias)
    folder.mkdir(parents=True)
    save_file(dict(change(model.state_dict())), folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({**config.to_dict(), "architectures": ["CREPEModel"]}))
    unused = [f"[unused{number}]" for number in range(config.vocab_size - len(WORDS))]
    (folder / "vocab.txt").write_text("\n".join([*WORDS, *unused]) + "\n")
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": True, "model_max_length": 512}))
    return folder


def rewrite(folder: Path, change: Change) -> None:
    """Changes the tensors of a checkpoint on disk."""
    tensors = {name: tensor.clone() for name, tensor in load_file(folder / "model.safetensors").items()}
    save_file(dict(change(tensors)), folder / "model.safetensors")


def configure(folder: Path, **settings: Any) -> None:
    """Changes the config of a checkpoint on disk; None takes a setting out."""
    path = folder / "config.json"
    changed = {**json.loads(path.read_text()), **settings}
    path.write_text(json.dumps({name: value for name, value in changed.items() if value is not None}))
