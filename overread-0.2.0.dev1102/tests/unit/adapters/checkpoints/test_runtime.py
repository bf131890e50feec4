"""Devices, number formats, silence."""

from __future__ import annotations

import logging
import os
import warnings

import pytest
import torch
from transformers.utils import logging as transformers_logging

from overread.adapters.checkpoints import runtime
from overread.adapters.checkpoints.runtime import (
    choose_device,
    choose_dtype,
    computing,
    dtype_name,
    keep_half,
    quiet,
    spare_threads,
)
from overread.exceptions import ConfigurationError

CPU = torch.device("cpu")
GPU = torch.device("cuda")


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """As many GPUs as the test asks for, all able to compute in bf16."""
    monkeypatch.setattr(torch.cuda, "device_count", lambda: request.param)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: request.param > 0)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: True)


@pytest.mark.parametrize(
    ("gpus", "name", "expected"),
    [(0, "auto", "cpu"), (2, "auto", "cuda"), (2, "cpu", "cpu"), (2, "cuda", "cuda"), (2, "cuda:1", "cuda:1")],
    indirect=["gpus"],
)
@pytest.mark.usefixtures("gpus")
def test_a_gpu_is_used_where_there_is_one_and_never_required(name: str, expected: str) -> None:
    """With auto the first GPU is taken; a device that is named is taken as named."""
    assert choose_device(name) == torch.device(expected)


@pytest.mark.parametrize(
    ("gpus", "name", "complaint"),
    [
        (0, "cuda", "this machine has 0 visible GPUs"),
        (2, "cuda:2", "this machine has 2 visible GPUs"),
        (2, "gpu", "not 'gpu'"),
        (2, "mps", "not 'mps'"),
        (2, "", "not ''"),
    ],
    indirect=["gpus"],
)
@pytest.mark.usefixtures("gpus")
def test_a_device_that_is_not_there_is_refused(name: str, complaint: str) -> None:
    """The message tells how many GPUs there are."""
    with pytest.raises(ConfigurationError, match=complaint):
        choose_device(name)


@pytest.mark.parametrize("gpus", [1], indirect=True)
@pytest.mark.usefixtures("gpus")
def test_auto_is_fp32_on_the_cpu_and_half_precision_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """GPUs without bfloat16 take float16."""
    assert choose_dtype("auto", CPU) is torch.float32
    assert choose_dtype("auto", GPU) is torch.bfloat16
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: False)
    assert choose_dtype("auto", GPU) is torch.float16


@pytest.mark.parametrize(
    ("capabilities", "weights", "expected"),
    [
        ({"avx512_bf16": True}, 110_000_000, torch.bfloat16),
        ({"avx512_bf16": False, "amx_bf16": True}, 110_000_000, torch.bfloat16),
        ({"avx512_bf16": True}, 23_000_000, torch.float32),
        ({"avx512_bf16": True}, 0, torch.float32),
        ({"avx512_f": True, "avx512_vnni": True}, 110_000_000, torch.float32),
        ({}, 110_000_000, torch.float32),
    ],
)
def test_on_the_cpu_auto_is_bf16_for_large_models_where_the_processor_has_it(
    monkeypatch: pytest.MonkeyPatch, capabilities: dict[str, bool], weights: int, expected: torch.dtype
) -> None:
    """Imitated bf16 would be slower than fp32, and small models gain nothing that is worth a rounding."""
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: capabilities, raising=False)
    assert choose_dtype("auto", CPU, weights) is expected
    assert choose_dtype("fp32", CPU, weights) is torch.float32
    assert choose_dtype("bf16", CPU, weights) is torch.bfloat16


def test_a_torch_that_cannot_tell_computes_in_fp32(monkeypatch: pytest.MonkeyPatch) -> None:
    """The function is newer than the oldest torch that is supported."""
    monkeypatch.delattr(torch.cpu, "get_capabilities", raising=False)
    assert choose_dtype("auto", CPU, 110_000_000) is torch.float32


def test_a_format_has_one_name() -> None:
    """The name stands in signatures, so that a format must not have two."""
    assert [dtype_name(choose_dtype(name, CPU)) for name in ("fp32", "bf16", "fp16")] == ["fp32", "bf16", "fp16"]
    with pytest.raises(ConfigurationError, match="fp8"):
        choose_dtype("fp8", CPU)


@pytest.mark.parametrize(("name", "expected"), [("fp32", torch.float32), ("bf16", torch.bfloat16)])
def test_autocast_computes_in_the_chosen_format(name: str, expected: torch.dtype) -> None:
    """The weights stay as they are, the products take the format."""
    layer = torch.nn.Linear(2, 2)
    with computing(CPU, choose_dtype(name, CPU), loaded_by=os.getpid()):
        assert layer(torch.ones(1, 2)).dtype is expected


def test_weights_kept_in_half_precision_give_the_same_products() -> None:
    """They are what autocast would have made of them for each batch."""
    layers = [torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.LayerNorm(8), torch.nn.Linear(8, 4)) for _ in "ab"]
    layers[1].load_state_dict(layers[0].state_dict())
    keep_half(layers[1], CPU, torch.bfloat16)
    assert [weight.dtype for weight in layers[1].parameters()] == [
        *[torch.bfloat16] * 2,
        *[torch.float32] * 2,
        *[torch.bfloat16] * 2,
    ]
    with computing(CPU, torch.bfloat16, loaded_by=os.getpid()):
        one, other = (layer(torch.arange(8.0)[None]) for layer in layers)
    assert torch.equal(one, other)


def test_in_fp32_weights_stay() -> None:
    """The exact format is left alone, and a GPU's autocast has its own cache."""
    for device, dtype in ((CPU, torch.float32), (GPU, torch.bfloat16)):
        layer = torch.nn.Linear(2, 2)
        keep_half(layer, device, dtype)
        assert layer.weight.dtype is torch.float32


@pytest.mark.parametrize(
    ("device", "compiled", "complaint"),
    [(GPU, False, "a GPU cannot be used in a process that was forked"), (CPU, True, "a compiled model cannot be used")],
)
def test_what_no_forked_child_can_use_is_told(device: torch.device, compiled: bool, complaint: str) -> None:  # noqa: FBT001
    """Where it would hang, or break off in the library's own words; other models go on."""
    another = os.getpid() + 1
    with (
        pytest.raises(ConfigurationError, match=complaint),
        computing(device, torch.float32, loaded_by=another, compiled=compiled),
    ):
        pass
    with computing(CPU, torch.float32, loaded_by=another):
        pass


def test_a_gpu_of_the_parent_is_not_chosen_in_a_forked_child(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even by auto, which would compute in another number format than the parent; the CPU can be asked for."""
    monkeypatch.setattr(torch.cuda, "_is_in_bad_fork", lambda: True)
    for name in ("auto", "cuda"):
        with pytest.raises(ConfigurationError, match="start processes by spawn"):
            choose_device(name)
    assert choose_device("cpu") == CPU


def test_torch_has_one_thread_in_a_child_of_a_process_that_had_loaded_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Elsewhere it keeps what it has."""
    before, given = torch.get_num_threads(), list[int]()
    spare_threads()
    assert torch.get_num_threads() == before
    monkeypatch.setattr(runtime, "was_forked_from_torch", lambda: True)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)
    monkeypatch.setattr(torch, "set_num_threads", given.append)
    spare_threads()
    assert given == [1]


def test_quiet_silences_and_gives_back_what_was_set(caplog: pytest.LogCaptureFixture) -> None:
    """A host's own settings survive a load, also one that fails."""
    verbosity, bars = transformers_logging.get_verbosity(), transformers_logging.is_progress_bar_enabled()
    hub = logging.getLogger("huggingface_hub").level
    with pytest.raises(RuntimeError, match="while loading"), quiet():  # noqa: PT012 - given back after errors, too
        transformers_logging.get_logger("transformers.anything").warning("some advice")
        warnings.warn("some warning", UserWarning, stacklevel=1)
        assert not transformers_logging.is_progress_bar_enabled()
        raise RuntimeError("while loading")
    assert not caplog.records
    assert transformers_logging.get_verbosity() == verbosity
    assert transformers_logging.is_progress_bar_enabled() == bars
    assert logging.getLogger("huggingface_hub").level == hub
