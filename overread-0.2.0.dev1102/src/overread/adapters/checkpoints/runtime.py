"""Device and number format that models run with, and silence while they load."""

from __future__ import annotations

import logging
import mmap
import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Final

import torch
from torch import nn
from transformers.utils import logging as transformers_logging

from overread.exceptions import ConfigurationError
from overread.forking import was_forked_from_torch

__all__ = [
    "choose_device",
    "choose_dtype",
    "computes_bf16",
    "computing",
    "dtype_name",
    "keep_half",
    "may_make_code",
    "quiet",
    "spare_jit",
    "spare_threads",
    "tokens_per_batch",
]

_DTYPES: Final = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
_LARGE: Final = 50_000_000
"""Weights from which "auto" is bf16 on the CPU, ours: between the models that come with overread, some of 3 and 23
million, which are quick in any format, and the published ones, of 110 million or more."""
_BF16_INSTRUCTIONS: Final = ("avx512_bf16", "amx_bf16")
_LIBRARIES: Final = ("huggingface_hub", "torch", "safetensors")
_GPU_FORKED: Final = (
    "a GPU cannot be used in a process that was forked from one that used it; start processes by spawn, or "
    "load models only in the children"
)
_COMPILED_FORKED: Final = (
    "a compiled model cannot be used in a process that was forked from the one that compiled it; start processes by "
    "spawn, load it in each, or leave compile out"
)


def choose_device(name: str = "auto") -> torch.device:
    """The device "cpu", "cuda" or "cuda:N"; "auto" is the first GPU where there is one, else the CPU.

    Raises:
        ConfigurationError: if there is no such device, or this process was forked from one that used it.
    """
    spare_threads()
    spare_jit()
    if name != "cpu" and torch.cuda._is_in_bad_fork():  # noqa: SLF001 - torch has no other name for it
        raise ConfigurationError([_GPU_FORKED])
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
    except RuntimeError:
        device = torch.device("meta")
    if device.type not in {"cpu", "cuda"}:
        raise ConfigurationError([f"device must be auto, cpu, cuda or cuda:N, not {name!r}"])
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise ConfigurationError(
            [f"device {name!r} is not available: this machine has {torch.cuda.device_count()} visible GPUs"]
        )
    return device


def choose_dtype(name: str, device: torch.device, weights: int = 0) -> torch.dtype:
    """The number format "fp32", "bf16" or "fp16" that a model computes in.

    "auto" is bf16 on a GPU that computes in it, else fp16. On the CPU it is bf16 for a large model where the processor
    multiplies bf16 itself, else fp32.

    Args:
        name: of the format, or "auto".
        device: that the model is on.
        weights: how many the model has; 0 has "auto" be fp32 on every CPU.

    Raises:
        ConfigurationError: if there is no such format.
    """
    if name == "auto":
        if device.type != "cuda":
            return torch.bfloat16 if weights >= _LARGE and computes_bf16() else torch.float32
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
    if name not in _DTYPES:
        raise ConfigurationError([f"dtype must be one of auto, {', '.join(_DTYPES)}, not {name!r}"])
    return _DTYPES[name]


def computes_bf16() -> bool:
    """Return whether this processor has instructions for bf16 products, AVX512_BF16 or AMX, and torch may use them.

    Other processors emulate them, which takes longer than fp32. A torch that cannot tell counts as no. Torch uses them
    through code that it generates at run time, which a hardened service may not do.
    """
    capabilities: Mapping[str, object] = getattr(torch.cpu, "get_capabilities", dict)()
    return may_make_code() and any(capabilities.get(name) for name in _BF16_INSTRUCTIONS)


def keep_half(model: nn.Module, device: torch.device, dtype: torch.dtype) -> None:
    """Has linear layers on a CPU keep their weights in half precision, where autocast would turn them for each batch.

    Answers are the same, and half of the memory is given back. The model cannot compute in fp32 any more.
    """
    if device.type == "cpu" and dtype is not torch.float32:
        for layer in model.modules():
            if isinstance(layer, nn.Linear):
                layer.to(dtype)


def tokens_per_batch(device: torch.device) -> int:
    """Number of tokens to compute at once, padding included.

    A GPU needs many. On the CPU every layer fetches the activations of many tokens anew from the system, and a model of
    the published size takes twice as long.
    """
    return 16_384 if device.type == "cuda" else 1_024


def dtype_name(dtype: torch.dtype) -> str:
    """The short name of a number format.

    >>> dtype_name(torch.bfloat16)
    'bf16'
    """
    return next(name for name, known in _DTYPES.items() if known is dtype)


@cache
def may_make_code() -> bool:
    """Return whether this process may run code it wrote itself; under systemd's MemoryDenyWriteExecute it may not."""
    if sys.platform != "linux":
        return True
    try:
        mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC).close()
    except OSError:
        return False
    return True


def spare_jit() -> None:
    """Has torch compute without oneDNN, which makes its code while it runs, where no such code may run."""
    if not may_make_code():
        torch.backends.mkldnn.set_flags(False)  # type: ignore[no-untyped-call]


def spare_threads() -> None:
    """Gives torch one thread in a forked child: its parent's are not there, and waiting for them would never end."""
    if was_forked_from_torch() and torch.get_num_threads() > 1:
        torch.set_num_threads(1)


@contextmanager
def computing(device: torch.device, dtype: torch.dtype, *, loaded_by: int, compiled: bool = False) -> Iterator[None]:
    """Without gradients, and in mixed precision if ``dtype`` is not fp32.

    Args:
        device: that the model is on.
        dtype: to compute in.
        loaded_by: id of the process that loaded the model.
        compiled: whether it was compiled there.

    Raises:
        ConfigurationError: if this process was forked from that, and the model cannot be used in it.
    """
    spare_threads()
    if loaded_by != os.getpid() and device.type == "cuda":
        raise ConfigurationError([_GPU_FORKED])
    if loaded_by != os.getpid() and compiled:
        raise ConfigurationError([_COMPILED_FORKED])
    with torch.inference_mode(), _autocast(device, dtype):
        yield


def _autocast(device: torch.device, dtype: torch.dtype) -> AbstractContextManager[None]:
    if dtype is torch.float32:
        return nullcontext()
    return torch.autocast(device.type, dtype=dtype)


@contextmanager
def quiet() -> Iterator[None]:
    """Silences the progress bars, advice and warnings of model libraries, and gives them back as they were."""
    loggers = [logging.getLogger(name) for name in _LIBRARIES]
    levels = [logger.level for logger in loggers]
    verbosity, bars = transformers_logging.get_verbosity(), transformers_logging.is_progress_bar_enabled()
    try:
        transformers_logging.set_verbosity(logging.ERROR)
        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        transformers_logging.set_verbosity(verbosity)
        if bars:
            transformers_logging.enable_progress_bar()  # type: ignore[no-untyped-call]
