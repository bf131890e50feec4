"""The cluster that Ray works on: one of this machine alone, started for the time of a run, or that of RAY_ADDRESS.

Ray by itself waits for minutes, and without a word, for a head that is not there, does not know its token, or has no
node here. So this is looked into first, and whoever waits is told for what and for how long.
"""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import socket
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any, Final

import ray
import ray._private.ray_constants
import ray._private.services
import ray._private.worker
from ray._raylet import AuthenticationTokenLoader, Config, GcsClient  # type: ignore[attr-defined]

from overread.exceptions import ConfigurationError
from overread.infrastructure.engines.threads import thread_count, thread_variables
from overread.infrastructure.files.scratch import scratch_folder

__all__ = ["LONGEST_WAIT_S", "connect", "in_words", "is_head_there", "room", "telling", "wait_for_room"]

LONGEST_WAIT_S: Final = 600.0
"""For a processor of a cluster that is busy, or whose nodes are still to come."""
_LONGEST_ANSWER_S: Final = 10.0
_EVERY_S: Final = 10.0
_LOOK_EVERY_S: Final = 1.0
_OBJECT_BYTES: Final = 512 * 1024 * 1024
"""Memory for shards on their way, of a cluster that is started here."""
_OTHER_BYTES: Final = 64 * 1024 * 1024
"""Of what else such a cluster keeps in its folder: sockets and logs."""
_MEMORY: Final = Path("/dev/shm")  # noqa: S108 - a file system in memory, where there is one
_SHORT: Final = Path("/tmp")  # noqa: S108 - paths of sockets must be short
_FOUND_BY_RAY: Final = ("auto", "local")
_CLIENT: Final = "ray://"
_LONGEST_CAUSE: Final = 200
_MODE, _TOKEN = "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"

_ENVIRONMENT: Final = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_BACKEND_LOG_LEVEL": "fatal",
}
_ALONE: Final = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""On any system: a cluster of one machine, none of whose ports can be reached from another."""

Tell = Callable[[str], None]


@contextmanager
def connect(workers: int, tell: Tell) -> Iterator[None]:
    """A connection to a cluster.

    Args:
        workers: number of actors that are to fit into a cluster that is started here.
        tell: is told what is waited for, in words.

    Raises:
        ConfigurationError: if there is no cluster, or it cannot be joined; the message says what is needed.
    """
    if ray.is_initialized():
        yield
        return
    with ExitStack() as stack:
        stack.enter_context(_variables(_ENVIRONMENT))
        stack.enter_context(_override_value(ray._private.worker, "_worker_logs_enabled", value=False))  # noqa: SLF001
        address = os.environ.get("RAY_ADDRESS", "")
        is_ours = address in ("", "local")
        place = stack.enter_context(_this_machine(workers)) if is_ours else {"address": address}
        what = "a Ray cluster of this machine to start" if is_ours else f"the Ray cluster at {address}"
        with _silence(), telling(tell, lambda seconds: f"waiting for {what} ({in_words(seconds)})"):
            if not is_ours:
                _check_cluster(address)
            _join(place, f"at RAY_ADDRESS {address}" if not is_ours else "of this machine")
        try:
            yield
        finally:
            ray.shutdown()


def room() -> int:
    """Number of actors, of a processor each, that the nodes of the cluster hold if nothing else runs there."""
    return sum(int(node["Resources"].get("CPU", 0)) for node in ray.nodes() if node["Alive"])


def is_head_there() -> bool:
    """Return whether something answers where the head is, True if its port is unknown. Ray itself would wait for it."""
    host, _, port = str(ray.get_runtime_context().gcs_address).rpartition(":")
    if not port.isdecimal():
        return True
    with suppress(OSError), socket.create_connection((host.strip("[]"), int(port)), timeout=_LONGEST_ANSWER_S):
        return True
    return False


def wait_for_room(workers: int, tell: Tell, longest_s: float = LONGEST_WAIT_S) -> None:
    """Returns when the cluster has a processor; tells if it has fewer than there are to be workers.

    Raises:
        ConfigurationError: if it has none for ``longest_s`` seconds.
    """
    started = monotonic()
    with telling(tell, lambda seconds: f"the Ray cluster has no processor yet ({_of(seconds, longest_s)})"):
        while not room():
            if monotonic() - started >= longest_s:
                problem = f"the Ray cluster has had no processor for {in_words(longest_s)}; start a node of it"
                raise ConfigurationError([f"{problem} with ray start --address=... --num-cpus=N"])
            sleep(min(_LOOK_EVERY_S, longest_s))
    if room() < workers:
        fewer = f"the Ray cluster has processors for {room()} of {workers} workers"
        tell(f"{fewer}; they begin, and the others join when there is room")


@contextmanager
def telling(tell: Tell, words: Callable[[float], str], every_s: float = _EVERY_S) -> Iterator[None]:
    """Within, tells again and again how it stands.

    Args:
        tell: is told, from another thread.
        words: what to tell after so many seconds; "" for nothing.
        every_s: seconds between.
    """
    over, started = Event(), monotonic()

    def run() -> None:
        while not over.wait(every_s):
            if message := words(monotonic() - started):
                tell(message)

    thread = Thread(target=run, name="overread-telling", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def in_words(seconds: float) -> str:
    """A time, as "50 s" or "4 minutes"."""
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} s"  # noqa: PLR2004


def _of(seconds: float, longest_s: float) -> str:
    return f"{in_words(seconds)} of at most {in_words(longest_s)}"


def _check_cluster(address: str) -> None:
    """Checks, without Ray's long waits, that there is a head that lets us in, and a node of it here."""
    if address in _FOUND_BY_RAY:
        return
    _check_answer(address)
    if address.startswith(_CLIENT):
        return
    if os.environ.get(_MODE, "").lower() == "token" and not _has_token():
        raise ConfigurationError([f"{_MODE} is token, but there is none; {_WHERE_TOKENS_ARE}"])
    try:
        nodes = GcsClient(address=address).get_all_node_info(timeout=_LONGEST_ANSWER_S)
    except ray.exceptions.AuthenticationError as error:
        raise ConfigurationError([f"the Ray cluster at RAY_ADDRESS {address} {_describe_refusal()}"]) from error
    except Exception as error:
        problem = (
            f"what answers at RAY_ADDRESS {address} is not the head of a Ray cluster of this version ({_brief(error)})"
        )
        raise ConfigurationError([f"{problem}; give the address that ray start --head printed"]) from error
    if not {node.hex() for node in nodes} & set(ray._private.services.find_node_ids()):  # noqa: SLF001
        problem = f"this machine is not a node of the Ray cluster at RAY_ADDRESS {address}"
        raise ConfigurationError([f"{problem}; run ray start --address={address} here first, or set ray://HOST:10001"])


def _check_answer(address: str) -> None:
    host, _, port = address.removeprefix(_CLIENT).rpartition(":")
    if not host or not port.isdecimal():
        raise ConfigurationError([f"RAY_ADDRESS must be HOST:PORT, ray://HOST:PORT, auto or local, not {address!r}"])
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=_LONGEST_ANSWER_S).close()
    except (OSError, OverflowError) as error:
        problem = f"nothing answers at RAY_ADDRESS {address} ({_brief(error)})"
        raise ConfigurationError(
            [f"{problem}; is the head running (ray start --head), and is this its port?"]
        ) from error


_WHERE_TOKENS_ARE: Final = (
    f"put that of the cluster into {_TOKEN}, or its file into RAY_AUTH_TOKEN_PATH: on the head it is ~/.ray/auth_token "
    "unless those say otherwise"
)


def _has_token() -> bool:
    return bool(AuthenticationTokenLoader.instance().has_token(ignore_auth_mode=True))


def _describe_refusal() -> str:
    if os.environ.get(_MODE, "").lower() == "token":
        return f"does not accept the token; {_WHERE_TOKENS_ARE}"
    has = "there is one here, which is not sent unasked" if _has_token() else _WHERE_TOKENS_ARE
    return f"needs a token: set {_MODE}=token ({has})"


def _join(place: Mapping[str, Any], where: str) -> None:
    # By itself Ray gives an actor as many threads as processors, which are one.
    variables = {"env_vars": {"OMP_NUM_THREADS": str(thread_count())}} if thread_count() > 1 else None
    try:
        ray.init(**place, runtime_env=variables, log_to_driver=False, logging_level=logging.ERROR)
    except Exception as error:
        raise ConfigurationError([f"the Ray cluster {where} cannot be joined ({_brief(error)})"]) from error


def _brief(error: BaseException) -> str:
    """The first sentence; nothing of a report is known yet to those who raise it."""
    first = " ".join(str(error).split()).partition(". ")[0]
    return f"{type(error).__name__}: {first[:_LONGEST_CAUSE]}" if first else type(error).__name__


@contextmanager
def _this_machine(workers: int) -> Iterator[dict[str, Any]]:
    """Arguments that start a cluster of this machine alone, with its files in memory: shards hold reports."""
    is_memory = _MEMORY.is_dir()
    if is_memory and (free := shutil.disk_usage(_MEMORY).free) < _OBJECT_BYTES + _OTHER_BYTES:
        needed = (_OBJECT_BYTES + _OTHER_BYTES) >> 20
        problem = (
            f"Ray keeps reports in {_MEMORY}, which has {free >> 20} MiB free of the {needed} it needs; give "
            "it more (docker run --shm-size=1g), or leave `engine=ray` out: `workers` alone need none"
        )
        raise ConfigurationError([problem])
    with (
        scratch_folder(_MEMORY if is_memory else _SHORT, "overread-ray-") as folder,
        _variables(_ALONE),
        _own_token(),
        _override_value(ray._private.ray_constants, "ENABLE_RAY_CLUSTER", value=False),  # noqa: SLF001 - as _ALONE, here
        thread_variables(),
    ):
        yield {
            "address": "local",
            "num_cpus": workers,
            "object_store_memory": _OBJECT_BYTES,
            "include_dashboard": False,
            "_node_ip_address": "127.0.0.1",
            "_temp_dir": str(folder / "r"),  # which Ray opens to everybody, inside of one that is not
            "_system_config": {"automatic_object_spilling_enabled": False},
        }


@contextmanager
def _own_token() -> Iterator[None]:
    """A token for this cluster alone, which keeps other users of the machine out.

    Ray would write one into the home, after which each ``ray start`` of this user asks for it.
    """
    if _MODE in os.environ and os.environ[_MODE].lower() != "token":
        yield
        return
    try:
        with _variables({_MODE: "token", _TOKEN: secrets.token_hex(32)}):
            _read_settings_again()
            yield
    finally:
        _read_settings_again()


def _read_settings_again() -> None:
    """Ray remembers them, and the token, from the first time that it looks."""
    Config.initialize("")
    AuthenticationTokenLoader.instance().reset_cache()


@contextmanager
def _override_value(module: Any, name: str, *, value: bool) -> Iterator[None]:
    """Another value for a name of a module, for a time."""
    before = getattr(module, name)
    setattr(module, name, value)
    try:
        yield
    finally:
        setattr(module, name, before)


@contextmanager
def _silence() -> Iterator[None]:
    """Nothing of Ray's on standard error, also not from code that is not Python's; what Python writes there is kept."""
    sys.stderr.flush()
    saved, nowhere, stderr = os.dup(2), os.open(os.devnull, os.O_WRONLY), sys.stderr
    os.dup2(nowhere, 2)
    try:
        with ExitStack() as stack:
            if _is_on_descriptor(stderr, 2):
                stream = os.fdopen(os.dup(saved), "w", buffering=1, encoding=stderr.encoding, errors="backslashreplace")
                sys.stderr = stack.enter_context(stream)
            yield
    finally:
        sys.stderr = stderr
        os.dup2(saved, 2)
        os.close(saved)
        os.close(nowhere)


def _is_on_descriptor(stream: Any, descriptor: int) -> bool:
    with suppress(OSError, ValueError, AttributeError):
        return bool(stream.fileno() == descriptor)
    return False


@contextmanager
def _variables(values: Mapping[str, str]) -> Iterator[None]:
    """Sets environment variables that are not set, and takes them back."""
    new = {name: value for name, value in values.items() if name not in os.environ}
    os.environ.update(new)
    try:
        yield
    finally:
        for name in new:
            os.environ.pop(name, None)
