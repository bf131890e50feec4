"""Folders of training runs: one run at a time in each, which can be started again after it was killed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from safetensors import SafetensorError, safe_open

from overread.exceptions import ConfigurationError
from overread.locking import lock_if_possible
from overread.tables.replacing import replacing

__all__ = ["claim_folder", "newest_checkpoint"]

_CLAIM: Final = "training.json"
_LOCK: Final = ".training.lock"
_STATE: Final = "trainer_state.json"
_MODEL: Final = "config.json"


@contextmanager
def claim_folder(folder: Path, claim: Mapping[str, Any]) -> Iterator[None]:
    """Marks a folder as one run's while it trains; the same run goes on where it was killed.

    A run that fails before it has written a checkpoint leaves no mark, so that it can be started again with other
    options.

    Args:
        folder: made if it is not there.
        claim: what tells runs apart, as JSON can hold it.

    Raises:
        ConfigurationError: if the folder holds another run or a model that no run here made, is in use by another
            process, or cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / _LOCK).open("w")
    except OSError as error:
        raise ConfigurationError([f"{folder} cannot be written: {error.strerror}"]) from error
    with lock:
        if not lock_if_possible(lock.fileno(), wait=False):
            raise ConfigurationError([f"another process is training in {folder}; wait for it"])
        _mark(folder, json.loads(json.dumps(claim)))
        try:
            yield
        except BaseException:
            if not any(folder.rglob("checkpoint-*")):
                (folder / _CLAIM).unlink(missing_ok=True)
            raise


def newest_checkpoint(folder: Path) -> Path | None:
    """The newest checkpoint-N in a folder that was written to its end, None where there is none."""
    numbered = [(int(path.name.rpartition("-")[2]), path) for path in folder.glob("checkpoint-*[0-9]")]
    return next((path for _, path in sorted(numbered, reverse=True) if _is_whole(path)), None)


def _mark(folder: Path, claim: Mapping[str, Any]) -> None:
    path = folder / _CLAIM
    if path.exists():
        with suppress(OSError, ValueError):
            if json.loads(path.read_text(encoding="utf-8")) == claim:
                return
        raise ConfigurationError([f"{folder} holds a run with other data or options; name another folder or remove it"])
    if (folder / _MODEL).exists():
        raise ConfigurationError([f"{folder} holds a model already; name another folder"])
    with replacing(path) as partial:
        partial.write_text(json.dumps(claim, indent=1), encoding="utf-8")


def _is_whole(checkpoint: Path) -> bool:
    """Return whether a checkpoint's weights and state can be read; the state is written last."""
    weights = [*checkpoint.glob("*.safetensors")]
    try:
        json.loads((checkpoint / _STATE).read_text(encoding="utf-8"))
        for path in weights:
            with safe_open(path, framework="np") as opened:
                opened.keys()
    except (OSError, ValueError, SafetensorError):
        return False
    return bool(weights)
