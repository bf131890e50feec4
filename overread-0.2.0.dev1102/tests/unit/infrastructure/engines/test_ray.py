"""Ray's cluster: what keeps reports off the disk and the home as it was, and what is told of one that is not there.

Runs are in tests/integration.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import textwrap
from collections import namedtuple
from contextlib import closing
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from overread.exceptions import ConfigurationError

pytest.importorskip("ray.data")
import ray
from ray import NodeID
from ray._private import ray_constants
from ray._private.authentication.authentication_token_setup import ensure_token_if_auth_enabled
from ray._raylet import AuthenticationTokenLoader  # type: ignore[attr-defined]
from ray.exceptions import AuthenticationError

from overread.infrastructure.engines import _ray, _ray_cluster

Usage = namedtuple("Usage", "total used free")  # noqa: PYI024 - as shutil's


def test_too_little_memory_for_files_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container by default: Ray would take the disk instead."""
    if not _ray_cluster._MEMORY.is_dir():
        pytest.skip("there is no file system in memory")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(0, 0, 64 << 20))
    says = "64 MiB free of the 576 it needs; give it more .docker run --shm-size=1g., or leave `engine=ray` out"
    with pytest.raises(ConfigurationError, match=says), _ray_cluster.connect(1, print):
        pass


def test_its_files_are_in_memory_and_its_own() -> None:
    """Threads, too, are as everywhere; afterwards all is as it was."""
    before = dict(os.environ)
    with _ray_cluster._this_machine(2) as place:
        assert place["_temp_dir"].startswith(
            str(_ray_cluster._MEMORY if _ray_cluster._MEMORY.is_dir() else _ray_cluster._SHORT)
        )
        assert os.environ["MKL_NUM_THREADS"] == os.environ["OMP_NUM_THREADS"]
        assert not ray_constants.ENABLE_RAY_CLUSTER
        assert AuthenticationTokenLoader.instance().has_token()
    assert ray_constants.ENABLE_RAY_CLUSTER
    assert dict(os.environ) == before


def test_the_token_of_a_cluster_of_ones_own_is_kept_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """In the home it would turn authentication on for whatever else the user starts; a token of the user's stays."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    tokens = []
    for _ in range(2):
        with _ray_cluster._own_token():
            ensure_token_if_auth_enabled()
            tokens.append(os.environ["RAY_AUTH_TOKEN"])
        assert not {"RAY_AUTH_MODE", "RAY_AUTH_TOKEN"} & os.environ.keys()
    assert not AuthenticationTokenLoader.instance().has_token(ignore_auth_mode=True)
    assert len(set(tokens)) == 2
    assert list(tmp_path.iterdir()) == []
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    with _ray_cluster._own_token():
        assert "RAY_AUTH_TOKEN" not in os.environ


@pytest.mark.parametrize("address", ["nonsense", "here:there", ":6379", "ray://host"])
def test_an_address_that_is_none_is_told(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    """With what it may be."""
    monkeypatch.setenv("RAY_ADDRESS", address)
    with (
        pytest.raises(ConfigurationError, match="RAY_ADDRESS must be HOST:PORT, ray://HOST:PORT, auto or local"),
        _ray_cluster.connect(1, print),
    ):
        pass


@pytest.mark.parametrize("way", ["", "ray://"])
def test_a_head_that_is_not_there_is_told_at_once(monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """Ray by itself would wait for minutes."""
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))  # nobody listens, and nobody else can
        address = f"{way}127.0.0.1:{taken.getsockname()[1]}"
        monkeypatch.setenv("RAY_ADDRESS", address)
        says = f"nothing answers at RAY_ADDRESS {address} .*is the head running"
        with pytest.raises(ConfigurationError, match=says), _ray_cluster.connect(1, print):
            pass


class Head:
    """Answers as the head of a cluster does."""

    def __init__(self, answer: Exception | dict[NodeID, object]) -> None:
        self.answer = answer

    def __call__(self, *, address: str) -> Head:
        assert address == "127.0.0.1:6379"
        return self

    def get_all_node_info(self, *, timeout: float) -> dict[NodeID, object]:
        assert timeout > 0
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


NODE = NodeID.from_random()


@pytest.mark.parametrize(
    ("answer", "environment", "says"),
    [
        (AuthenticationError("no"), {}, "needs a token: set RAY_AUTH_MODE=token .put that of the cluster into"),
        (AuthenticationError("no"), {"RAY_AUTH_TOKEN": "a" * 32}, "there is one here, which is not sent unasked"),
        (
            AuthenticationError("no"),
            {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "a" * 32},
            "does not accept the token; put that of the cluster into RAY_AUTH_TOKEN",
        ),
        ({}, {"RAY_AUTH_MODE": "token"}, "RAY_AUTH_MODE is token, but there is none; put that of the cluster"),
        (
            ValueError("bad. frame"),
            {},
            "not the head of a Ray cluster of this version .ValueError: bad.; give the address",
        ),
        ({NODE: None}, {}, "this machine is not a node of the Ray cluster .* ray start --address=127.0.0.1:6379 here"),
    ],
)
def test_what_a_cluster_wants_is_told(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    answer: Exception | dict[NodeID, object],
    environment: dict[str, str],
    says: str,
) -> None:
    """A token, another address, or a node of it here; nothing is sent that was not asked for."""
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {**environment, "HOME": str(tmp_path), "RAY_ADDRESS": "127.0.0.1:6379"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(_ray_cluster, "GcsClient", Head(answer))
    monkeypatch.setattr(_ray_cluster, "_check_answer", lambda _: None)
    try:
        with pytest.raises(ConfigurationError, match=says), _ray_cluster.connect(1, print):
            pass
    finally:
        _ray_cluster._read_settings_again()


def test_who_waits_is_told_for_how_long() -> None:
    """Again and again, and no more when it is over."""
    told, twice = [], Event()

    def tell(words: str) -> None:
        told.append(words)
        if len(told) == 2:
            twice.set()

    with _ray_cluster.telling(tell, lambda seconds: f"{seconds >= 0}", 0.01):
        assert twice.wait(300)
    count = len(told)
    assert set(told) == {"True"}
    assert len(told) == count


def test_a_cluster_without_processors_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may yet get a node, but not for ever; one with too few is told."""
    nodes = [{"Alive": True, "Resources": {}}, {"Alive": False, "Resources": {"CPU": 8.0}}]
    monkeypatch.setattr(ray, "nodes", lambda: nodes)
    with pytest.raises(ConfigurationError, match="has had no processor for 0 s; start a node of it"):
        _ray_cluster.wait_for_room(2, print, longest_s=0.01)
    nodes.append({"Alive": True, "Resources": {"CPU": 1.5}})
    told: list[str] = []
    _ray_cluster.wait_for_room(2, told.append)
    assert told == [
        "the Ray cluster has processors for 1 of 2 workers; they begin, and the others join when there is room"
    ]
    assert _ray._state() == "2 of 3 nodes it has had are up, with processors for 1 workers"


def test_ray_is_silent_and_python_is_heard(capfd: pytest.CaptureFixture[str]) -> None:
    """What is told while a cluster starts reaches the user, unlike what Ray's own processes write."""
    code = """
        import os, sys
        from overread.infrastructure.engines._ray_cluster import _silence
        with _silence():
            os.write(2, b"of others")
            sys.stderr.write("heard ")
        sys.stderr.write("again")
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=True)
    assert done.stderr == "heard again"
    assert capfd.readouterr().err == ""


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_head_that_is_gone_is_told_before_ray_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray does so without a word. Elsewise a line comes for each minute without a shard."""
    engine, context = _ray.RayEngine(lambda: None, 1, print), SimpleNamespace(gcs_address="")  # type: ignore[arg-type,return-value]
    monkeypatch.setattr(ray, "get_runtime_context", lambda: context)
    monkeypatch.setattr(ray, "nodes", lambda: [{"Alive": True, "Resources": {"CPU": 2.0}}])
    with closing(socket.socket()) as head:
        head.bind(("127.0.0.1", 0))
        context.gcs_address = f"127.0.0.1:{head.getsockname()[1]}"
        assert "the head of the Ray cluster does not answer" in engine._quiet(10.0)
        head.listen()
        assert engine._quiet(10.01) == ""
        assert engine._quiet(60.02) == (
            "no shard has come back from the Ray cluster for 60 s; 1 of 1 nodes it has had are up, with processors "
            "for 2 workers"
        )
    context.gcs_address = "ray client"
    assert engine._quiet(20.02) == ""
