"""A Ray cluster of this machine alone: what keeps reports off its disk. Runs are in tests/integration."""

from __future__ import annotations

import os
import shutil
from collections import namedtuple

import pytest

from overread.exceptions import ConfigurationError

pytest.importorskip("ray.data")
from ray._private import ray_constants

from overread.infrastructure.engines import _ray

Usage = namedtuple("Usage", "total used free")  # noqa: PYI024 - as shutil's


def test_too_little_memory_for_files_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container by default: Ray would take the disk instead."""
    if not _ray._MEMORY.is_dir():
        pytest.skip("there is no file system in memory")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, 64 << 20))
    says = "64 MiB free of the 576 it takes; give it more .docker run --shm-size=1g., or leave --engine ray out"
    with pytest.raises(ConfigurationError, match=says), _ray.connected(1):
        pass


def test_its_files_are_in_memory_and_its_own() -> None:
    """Threads, too, are as everywhere; afterwards all is as it was."""
    before = dict(os.environ)
    with _ray._this_machine(2) as place:
        assert place["_temp_dir"].startswith(str(_ray._MEMORY if _ray._MEMORY.is_dir() else _ray._SHORT))
        assert os.environ["MKL_NUM_THREADS"] == os.environ["OMP_NUM_THREADS"]
        assert not ray_constants.ENABLE_RAY_CLUSTER
    assert ray_constants.ENABLE_RAY_CLUSTER
    assert dict(os.environ) == before
