"""Checkpoint folders: where they are, whether they are whole, and their fingerprint. Nothing is loaded here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from huggingface_hub import snapshot_download
from safetensors import SafetensorError, safe_open

from overread.adapters.checkpoints.runtime import quiet
from overread.exceptions import ConfigurationError

__all__ = [
    "TOKENIZER_FILES",
    "brief",
    "broken_checkpoint",
    "check_checkpoint",
    "checkpoint_digest",
    "files_digest",
    "locate_checkpoint",
    "some_of",
]

_TOKENIZERS: Final = (
    "tokenizer.json",
    "vocab.txt",
    "vocab.json",
    "spm.model",
    "sentencepiece.bpe.model",
    "tokenizer.model",
)
TOKENIZER_FILES: Final = (
    *_TOKENIZERS,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "added_tokens.json",
    "merges.txt",
)
"""Files that a tokenizer may be kept in."""

_WEIGHTS: Final = (
    "model.safetensors",
    "model.safetensors.index.json",
    "pytorch_model.bin",
    "pytorch_model.bin.index.json",
)
_FLOATING: Final = ("F64", "F32", "F16", "BF16")
_LONGEST_CAUSE: Final = 200
_NAMED: Final = 3


def broken_checkpoint(name: str | Path, problem: str, remedy: str) -> ConfigurationError:
    """The error for a checkpoint that cannot be used: which one, what is wrong, what to do."""
    return ConfigurationError([f"checkpoint {str(name)!r}: {problem}; {remedy}"])


def brief(error: BaseException) -> str:
    """The first sentence of a library's complaint; what follows is advice for those who wrote the call."""
    first = next(iter(str(error).strip().splitlines()), "").partition(". ")[0].rstrip(".")
    return f"{type(error).__name__}: {first[:_LONGEST_CAUSE]}" if first else type(error).__name__


def locate_checkpoint(path: str) -> Path:
    """The local folder of a checkpoint named by path or hub id.

    A folder that exists is used as it is, without a look at the network. Anything else of the form "name" or
    "owner/name" is a hub id: its files come from the local cache or, unless HF_HUB_OFFLINE is set, from the hub.

    Raises:
        ConfigurationError: if there is neither such a folder nor such a model.
    """
    folder = Path(path).expanduser()
    if folder.is_dir():
        return folder
    if folder.exists():
        raise broken_checkpoint(path, "this is a file", "give the folder that holds config.json, weights and tokenizer")
    if folder.is_absolute() or path.startswith((".", "~")) or path.count("/") > 1 or "\\" in path:
        raise broken_checkpoint(path, "there is no such folder", "give the folder of a saved checkpoint, or a hub id")
    return _from_hub(path)


def _from_hub(model: str) -> Path:
    """The model's files in the local cache; pickled weights only where there are no safetensors."""
    try:
        with quiet():
            folder = Path(
                snapshot_download(
                    model, allow_patterns=["*.json", "*.txt", "*.model", "*.safetensors"], ignore_patterns=["*/*"]
                )
            )
            if not any(folder.glob("*.safetensors")):
                folder = Path(
                    snapshot_download(
                        model, allow_patterns=["pytorch_model*.bin*", *_TOKENIZERS, "*.json"], ignore_patterns=["*/*"]
                    )
                )
    except Exception as error:
        remedy = "give the folder of a saved checkpoint, or a hub id that is in the local cache or can be downloaded"
        raise broken_checkpoint(model, f"neither a folder nor available on the hub ({brief(error)})", remedy) from error
    return folder


def check_checkpoint(folder: Path, *, tokenizer: bool = True) -> None:
    """Makes sure that a folder holds a configuration, weights with all their shards and, if asked, a tokenizer.

    Raises:
        ConfigurationError: naming the folder, what is missing and the remedy.
    """
    remedy = "give a folder as save_pretrained writes it: config.json, weights and tokenizer files"
    config = folder / "config.json"
    if not config.is_file():
        raise broken_checkpoint(folder, "config.json is missing", remedy)
    try:
        known = isinstance(json.loads(config.read_text(encoding="utf-8-sig")), dict)
    except (ValueError, RecursionError):
        known = False
    if not known:
        raise broken_checkpoint(folder, "config.json is not a JSON object", "copy or download it again")
    weights = next((folder / name for name in _WEIGHTS if (folder / name).is_file()), None)
    if weights is None:
        raise broken_checkpoint(folder, f"weights are missing (none of {', '.join(_WEIGHTS)})", remedy)
    if absent := [name for name in _shards(weights) if not (folder / name).is_file()]:
        raise broken_checkpoint(folder, f"parts of the weights are missing ({', '.join(absent)})", remedy)
    if odd := _not_floating(folder):
        raise broken_checkpoint(folder, f"{odd} holds no floating-point numbers", "save the weights in fp32 or fp16")
    if tokenizer and not any((folder / name).is_file() for name in _TOKENIZERS):
        raise broken_checkpoint(folder, f"the tokenizer is missing (none of {', '.join(_TOKENIZERS)})", remedy)


def _not_floating(folder: Path) -> str:
    """A tensor of the safetensors whose numbers no model can have been trained in, "" for none.

    A file that cannot be opened is left to whoever loads it.
    """
    for path in sorted(folder.glob("*.safetensors")):
        with suppress(SafetensorError, OSError), safe_open(path, framework="np") as weights:
            for name in weights.keys():  # noqa: SIM118 - it is no mapping
                if not name.endswith("_ids") and weights.get_slice(name).get_dtype() not in _FLOATING:
                    return str(name)
    return ""


def _shards(weights: Path) -> list[str]:
    """Names of the files that an index names, none for weights of one file."""
    if weights.suffix != ".json":
        return []
    try:
        return sorted(set(json.loads(weights.read_text(encoding="utf-8"))["weight_map"].values()))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise broken_checkpoint(
            weights.parent, f"{weights.name} is not an index of weights", "copy it again"
        ) from error


def files_digest(paths: Iterable[Path]) -> str:
    """Twelve hexadecimal digits of SHA-256 over the contents of files, in order."""
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]


def some_of(names: Collection[str]) -> str:
    """The first of some names, for a message: a wrong architecture would fill pages.

    >>> some_of(["d", "c", "b", "a"]), some_of(["a"])
    ('a, b, c and 1 more', 'a')
    """
    listed = ", ".join(sorted(names)[:_NAMED])
    return listed + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")


def checkpoint_digest(folder: Path) -> str:
    """Twelve hexadecimal digits of SHA-256 over a checkpoint's configuration, tokenizer and weights."""
    names = ("config.json", "*.safetensors", "*.safetensors.index.json", "pytorch_model*.bin*", *_TOKENIZERS)
    digest = hashlib.sha256()
    for path in sorted({match for name in names for match in folder.glob(name)}):
        digest.update(path.name.encode())
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:12]
