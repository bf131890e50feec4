"""Loads causal models, and LoRA adapters onto them; refuses what is not whole."""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

import torch
from attrs import field, frozen
from huggingface_hub import snapshot_download
from transformers import AutoConfig, AutoModelForCausalLM, GenerationConfig
from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING

from overread.adapters.checkpoints.checkpoint import (
    brief,
    broken_checkpoint,
    check_checkpoint,
    checkpoint_digest,
    locate_checkpoint,
)
from overread.adapters.checkpoints.loading import LOCAL, load_tokenizer
from overread.adapters.checkpoints.runtime import choose_device, choose_dtype, quiet
from overread.exceptions import ConfigurationError
from overread.extras import require

__all__ = ["LoadedModel", "load_causal_model"]

T = TypeVar("T")

_AGAIN: Final = "copy or download it again"
_ADAPTER: Final = "adapter_config.json"
_CHAT_FILES: Final = (
    "tokenizer_config.json",
    "special_tokens_map.json",
    "chat_template.jinja",
    "generation_config.json",
)
_ADAPTER_FILES: Final = (_ADAPTER, "adapter_model.safetensors", "adapter_model.bin")


@frozen(eq=False)
class LoadedModel:
    """A causal model, ready to run.

    Attributes:
        name: of the folder or the hub id, and of the adapter, with a digest of every file that changes an answer.
        positions: tokens that it has positions for, None where it knows no limit.
        endings: ids of the tokens that end an answer.
        loaded_by: id of the process that loaded it.
    """

    name: str
    network: Any = field(repr=False)
    tokenizer: Any = field(repr=False)
    device: torch.device
    dtype: torch.dtype
    positions: int | None
    endings: frozenset[int]
    loaded_by: int = field(factory=os.getpid, repr=False)


def load_causal_model(
    path: str,
    *,
    adapter: str | None = None,
    device: str = "auto",
    dtype: str = "auto",
    allow_download: bool = False,
) -> LoadedModel:
    """A causal model from a folder or a hub id, in evaluation mode, with a LoRA adapter if one is given.

    Raises:
        ConfigurationError: if there is no whole checkpoint of a causal model at ``path``, or no adapter for it.
        MissingDependencyError: if an adapter is given and peft is not installed.
    """
    place = choose_device(device)
    precision = choose_dtype(dtype, place)
    folder = _find_folder(path, allow_download=allow_download)
    if (folder / _ADAPTER).is_file():
        raise broken_checkpoint(path, "this is an adapter", "give its base model, and this folder as model.adapter")
    check_checkpoint(folder)
    with quiet():
        config = _read(path, "config.json", lambda: AutoConfig.from_pretrained(folder, **LOCAL))
        if type(config) not in MODEL_FOR_CAUSAL_LM_MAPPING:
            raise _wrong(path, config, f"transformers knows none for {config.model_type}")
        tokenizer = load_tokenizer(path, folder)
        endings = _endings(path, folder, config, tokenizer)
        network = _weights(path, folder, config, precision)
        _check_tokenizer(path, tokenizer, network)
        if adapter is not None:
            network = _apply_adapter(network, Path(adapter).expanduser())
        network.generation_config = GenerationConfig()  # type: ignore[no-untyped-call]
        network = network.to(place).eval()
        _check_causal(path, config, network)
    return LoadedModel(
        _name(path, folder, adapter),
        network,
        tokenizer,
        place,
        precision,
        getattr(config.get_text_config(), "max_position_embeddings", None),
        endings,
    )


def _find_folder(path: str, *, allow_download: bool) -> Path:
    if Path(path).expanduser().exists():
        return locate_checkpoint(path)
    patterns = ["*.json", "*.txt", "*.model", "*.jinja", "*.safetensors"]
    try:
        with quiet():
            snapshot = snapshot_download(
                path, local_files_only=not allow_download, allow_patterns=patterns, ignore_patterns=["*/*"]
            )
    except Exception as error:
        remedy = "give the folder of a saved checkpoint" + (
            ", or a hub id that can be downloaded"
            if allow_download
            else ", or let a hub id be fetched: allow_download=true"
        )
        place = "available on the hub" if allow_download else "in the hub's local cache"
        raise broken_checkpoint(path, f"neither a folder nor {place} ({brief(error)})", remedy) from error
    return Path(snapshot)


def _read(path: str | Path, what: str, load: Callable[[], T]) -> T:
    try:
        return load()
    except Exception as error:
        raise broken_checkpoint(path, f"{what} cannot be read ({brief(error)})", _AGAIN) from error


def _endings(path: str, folder: Path, config: Any, tokenizer: Any) -> frozenset[int]:
    stated: list[Any] = [getattr(config.get_text_config(), "eos_token_id", None), tokenizer.eos_token_id]
    if (folder / "generation_config.json").is_file():
        generation = _read(
            path, "generation_config.json", lambda: GenerationConfig.from_pretrained(folder, local_files_only=True)
        )
        stated.append(generation.eos_token_id)
    ids = (entry if isinstance(entry, list) else [entry] for entry in stated)
    return frozenset(number for entry in ids for number in entry if number is not None)


def _weights(path: str, folder: Path, config: Any, precision: torch.dtype) -> Any:
    """The model with every weight from the checkpoint: transformers would draw those that do not fit at random."""
    options = {**LOCAL, "config": config, "dtype": precision, "output_loading_info": True}
    try:
        loaded: Any = AutoModelForCausalLM.from_pretrained(folder, ignore_mismatched_sizes=True, **options)
        network, loading_info = loaded
    except Exception as error:
        problem = f"its weights cannot be read as causal model ({brief(error)})"
        raise broken_checkpoint(path, problem, f"the file may be cut off or damaged: {_AGAIN}") from error
    if odd := sorted(str(key[0]) for key in loading_info["mismatched_keys"]):
        problem = f"the shape of {_some(odd)} does not match config.json"
        raise broken_checkpoint(path, problem, "use the config.json that was saved with the weights")
    if missing := sorted(loading_info["missing_keys"]):
        raise _wrong(path, config, f"its weights lack {_some(missing)}")
    if not _finite(network.parameters()):
        raise broken_checkpoint(path, "its weights hold values that are not numbers", _AGAIN)
    return network


def _finite(weights: Iterable[torch.Tensor]) -> bool:
    return all(bool(torch.isfinite(weight).all()) for weight in weights if weight.dtype.is_floating_point)


def _some(names: Sequence[str]) -> str:
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")


def _wrong(path: str, config: Any, problem: str) -> ConfigurationError:
    saved = ", ".join(getattr(config, "architectures", None) or [config.model_type])
    remedy = "give a checkpoint saved as causal model"
    return broken_checkpoint(path, f"no causal model: {problem} (it was saved as {saved})", remedy)


def _check_tokenizer(path: str, tokenizer: Any, network: Any) -> None:
    known, rows = max(tokenizer.get_vocab().values(), default=-1) + 1, network.get_input_embeddings().weight.shape[0]
    if known > rows:
        problem = f"its tokenizer knows {known} tokens, its weights {rows}"
        raise broken_checkpoint(path, problem, "use the tokenizer the model was trained with")


def _check_causal(path: str, config: Any, network: Any) -> None:
    """Refuses a masked language model: its weights load as causal, but what follows changes what it says before."""
    ids = torch.tensor([[0, 1], [0, 2]], device=network.device) % network.get_input_embeddings().weight.shape[0]
    try:
        with torch.inference_mode():
            one, other = network(input_ids=ids).logits[:, 0].float()
    except Exception as error:
        raise _wrong(path, config, f"it cannot be run ({brief(error)})") from error
    rounding = torch.finfo(network.dtype).eps ** 0.5 * float(one.std())
    if float((one - other).abs().max()) > rounding:
        raise _wrong(path, config, "its prediction for a word depends on the words after it")


def _apply_adapter(network: Any, folder: Path) -> Any:
    """The model with a LoRA adapter in place. It is not merged: half precision would round part of it away."""
    require("model.adapter", "train", "peft")
    from peft import PeftModel  # noqa: PLC0415 - needed by few

    remedy = "give the folder of a LoRA adapter of this model, as peft saves it"
    if not (folder / _ADAPTER).is_file():
        raise broken_checkpoint(folder, f"{_ADAPTER} is missing", remedy)
    stated = _read(folder, _ADAPTER, lambda: json.loads((folder / _ADAPTER).read_text(encoding="utf-8")))
    kind = stated.get("peft_type") if isinstance(stated, dict) else None
    if kind != "LORA":
        raise broken_checkpoint(folder, f"this is not a LoRA adapter but {kind}", remedy)
    if not any((folder / name).is_file() for name in _ADAPTER_FILES[1:]):
        raise broken_checkpoint(folder, f"the adapter's weights are missing ({_ADAPTER_FILES[1]})", remedy)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("error", message="Found missing adapter keys")
            adapted = PeftModel.from_pretrained(network, str(folder), local_files_only=True).get_base_model()
    except Exception as error:
        raise broken_checkpoint(
            folder, f"the adapter does not fit the model or is damaged ({brief(error)})", remedy
        ) from error
    if not _finite(adapted.parameters()):
        raise broken_checkpoint(folder, "the adapter holds values that are not numbers", _AGAIN)
    return adapted


def _name(path: str, folder: Path, adapter: str | None) -> str:
    names = [Path(path).expanduser().name or folder.resolve().name]
    digest = hashlib.sha256(checkpoint_digest(folder).encode())
    places = [folder / name for name in _CHAT_FILES]
    if adapter is not None:
        extra = Path(adapter).expanduser()
        names.append(extra.name or extra.resolve().name)
        places += [extra / name for name in _ADAPTER_FILES]
    for place in places:
        if place.is_file():
            digest.update(place.name.encode() + hashlib.sha256(place.read_bytes()).digest())
    printable = "+".join("".join(c if c.isalnum() or c in "-_." else "_" for c in name) for name in names)
    return f"{printable}@{digest.hexdigest()[:12]}"
