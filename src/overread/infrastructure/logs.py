"""Logs: silent in a host's process unless it listens, readable on the command line. Never report text."""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, Final

import structlog

__all__ = ["LONGEST_VALUE", "configure", "get_logger"]

LONGEST_VALUE: Final = 120
"""Characters of a value that a log line shows; a longer one is replaced by its length."""

logging.getLogger("overread").addHandler(logging.NullHandler())


def get_logger(name: str) -> Any:
    """A structlog logger over the standard library's ``overread.NAME``; the host's configuration decides its fate."""
    return structlog.wrap_logger(
        logging.getLogger(f"overread.{name}"),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.add_log_level,
            _harmless,
            structlog.processors.KeyValueRenderer(key_order=["event"], drop_missing=True),
        ],
        wrapper_class=_Logger,
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


class _Logger(structlog.stdlib.BoundLogger):
    """A logger without tracebacks: the message of somebody else's exception may quote a report."""

    def exception(self, event: str | None = None, *args: Any, **values: Any) -> Any:
        return self.error(event, *args, **values)


def _harmless(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replaces whatever could hold report text: tracebacks, objects, long or many-lined values."""
    for key in ("exc_info", "stack_info", "exception"):
        event.pop(key, None)
    for key, value in event.items():
        event[key] = _shortened(value)
    return event


def _shortened(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str) and len(value) <= LONGEST_VALUE and value.isprintable():
        return value
    size = f", {len(value)} characters" if isinstance(value, str) else ""
    return f"<{type(value).__name__}{size}>"
