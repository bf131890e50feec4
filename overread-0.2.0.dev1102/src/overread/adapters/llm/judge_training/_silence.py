"""Training libraries that neither print nor look for the network."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from huggingface_hub import constants

from overread.adapters.checkpoints.runtime import quiet

__all__ = ["alone"]

_LIBRARIES: Final = ("accelerate", "datasets", "peft", "trl")
_SWITCHES: Final = ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY")


@contextmanager
def alone() -> Iterator[None]:
    """Silences the training libraries and takes the hub from them: trl reports each run to it, peft asks it for models.

    Everything is given back as it was.
    """
    loggers = [logging.getLogger(name) for name in _LIBRARIES]
    levels = [logger.level for logger in loggers]
    switches = [getattr(constants, name) for name in _SWITCHES]
    try:
        for logger in loggers:
            logger.setLevel(logging.ERROR)
        for name in _SWITCHES:
            setattr(constants, name, True)
        with quiet():
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        for name, value in zip(_SWITCHES, switches, strict=True):
            setattr(constants, name, value)
