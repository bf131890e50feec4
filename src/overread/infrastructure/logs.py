"""Logs: silent in a host's process unless it listens, readable on the command line. Never report text."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

__all__ = ["configure", "get_logger"]

logging.getLogger("overread").addHandler(logging.NullHandler())


def get_logger(name: str) -> Any:
    """A structlog logger over the standard library's ``overread.NAME``; the host's configuration decides its fate."""
    return structlog.wrap_logger(
        logging.getLogger(f"overread.{name}"),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_log_level,
            structlog.processors.KeyValueRenderer(key_order=["event"], drop_missing=True),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def configure(level: str) -> None:
    """Shows the package's log on standard error. For the command line only."""
    logger = logging.getLogger("overread")
    logger.setLevel(level.upper())
    for handler in [h for h in logger.handlers if not isinstance(h, logging.NullHandler)]:
        logger.removeHandler(handler)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("overread: %(levelname)s: %(message)s"))
    logger.addHandler(handler)
    logger.propagate = False
