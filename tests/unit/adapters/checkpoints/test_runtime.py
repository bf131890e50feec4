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
        (0, "cuda", "this machine shows 0 GPUs"),
        (2, "cuda:2", "this machine shows 2 GPUs"),
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
