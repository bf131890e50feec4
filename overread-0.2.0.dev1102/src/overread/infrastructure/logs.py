"""Logs: silent in a host's process, lines on the command line, JSON from a service; never report text.

What gets through is written down here, and nothing else does: an event that is a code word, and values under the keys
of `SHAPES` that have the shape of their key. Of anything else kind and length are told. To log under a new key, add it.
"""

from __future__ import annotations

import json
import logging
import re
import sys
import threading
from collections.abc import Callable, Mapping, MutableMapping
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

import structlog

from overread.raised import describe_error, frames_of

__all__ = ["LONGEST", "SHAPES", "Vouched", "bound", "configure", "get_logger", "redact_value", "take_over", "withheld"]

_EVENT: Final = re.compile(r"[a-z][a-z0-9_]{0,63}")
_WORD: Final = re.compile(r"[a-z][a-z0-9_.:-]{0,59}|timed out")
"""Names of components, kinds, states and reasons, as code has them."""
_ID: Final = re.compile(r"(?=.{0,63}\d)[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}")
"""Numbers and digests, and names with a number in them."""
_ERROR: Final = re.compile(
    r"(the metric (raised|ran out of memory:) )?"
    r"(\w{1,60}(Error|Exception|Interrupt|Exit|Warning)|\w{1,80} at [\w./<>-]{1,160}:\d{1,6})",
    re.ASCII,
)
"""As `overread.raised.describe_error` says it."""
_PATH: Final = re.compile(r"(postgresql://)?[\w./:~\\-]{1,200}")
"""Of a file or database that the configuration names; without blanks, so that it is no sentence."""
_ROUTE: Final = re.compile(r"(/[a-z0-9_{}.:-]{0,40}){1,12}")
"""The pattern of an address, in which what names somebody is a field."""
_ADDRESS: Final = re.compile(r"[0-9a-f.:\[\]]{2,45}|localhost")
_NUMBER: Final = re.compile(r"(?!)")
"""No text at all: numbers alone."""

SHAPES: Final[Mapping[str, re.Pattern[str]]] = {
    **dict.fromkeys(
        ("action", "channel", "component", "kind", "method", "metric", "part", "reason", "role", "source", "state"),
        _WORD,
    ),
    **dict.fromkeys(("target", "what"), _WORD),
    **dict.fromkeys(("digest", "pair", "request_id", "run_id", "worker"), _ID),
    **dict.fromkeys(("caused_by", "detail", "error"), _ERROR),
    **dict.fromkeys(("answers", "file", "folder", "store"), _PATH),
    **dict.fromkeys(("route",), _ROUTE),
    **dict.fromkeys(("host",), _ADDRESS),
    **dict.fromkeys(
        (
            "attempts",
            "batch",
            "bytes",
            "count",
            "deliveries",
            "delivery",
            "elapsed_ms",
            "examinations",
            "failed",
            "job",
        ),
        _NUMBER,
    ),
    **dict.fromkeys(
        ("jobs", "number", "pairs", "port", "rows", "sample", "seconds", "sent", "status", "texts"), _NUMBER
    ),
    **dict.fromkeys(("first", "from_schema", "note", "to_schema", "version", "versions", "waiting"), _NUMBER),
}
"""What a text under each key that is logged must look like. Numbers of up to 15 digits pass under each of them."""

_LOGGER: Final = re.compile(r"[A-Za-z_][\w.]{0,79}")
LONGEST: Final = 120
"""Characters of a `Vouched` text that are shown; a longer one is withheld."""

_KEY: Final = re.compile(r"[a-z][a-z0-9_]{0,39}")
_MOST: Final = 10**15
_FRAMES: Final = 20
_OWN: Final = "overread"
_OF_RECORD: Final = "overread_values"
_NOT_SHOWN: Final = ("exc_info", "stack_info", "exception")

logging.getLogger(_OWN).addHandler(logging.NullHandler())

bound = structlog.contextvars.bound_contextvars
"""Within it every event carries these values too, for example ``bound(worker="w1")``; of this thread or task alone."""


class Vouched(str):
    """A text that our own code put together of words of its own, ids and offsets. It passes under any key of `SHAPES`.

    To be used where it is made, never on what came from outside.
    """

    __slots__ = ()


def get_logger(name: str) -> Any:
    """A structlog logger over the standard library's ``overread.NAME``; the host's configuration decides its fate."""
    return structlog.wrap_logger(
        logging.getLogger(f"{_OWN}.{name}"),
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            _told_errors,
            _withhold_unknown,
            _as_record,
        ],
        wrapper_class=_Logger,
        cache_logger_on_first_use=False,
    )


def configure(level: str) -> None:
    """Shows the package's log on standard error. For the command line only."""
    logger = logging.getLogger(_OWN)
    logger.setLevel(level.upper())
    _only(logger, _Lines(_plain))
    logger.propagate = False


def take_over(level: str) -> None:
    """Makes every log of this process one of JSON lines on standard error. For a service's own process only.

    A line is an object of ``at`` (UTC), ``level``, ``logger``, ``event`` and what the event carries. Of other packages'
    logs from warnings on (all of them at level "debug"), of warnings, and of errors that nobody caught, it tells who
    and where: their messages may quote what they were given, and are left out.
    """
    logging.captureWarnings(capture=True)
    _only(logging.getLogger(), _Lines(_json))
    for name in list(logging.root.manager.loggerDict):
        logger = logging.getLogger(name)
        logger.handlers = [handler for handler in logger.handlers if isinstance(handler, logging.NullHandler)]
        logger.propagate, logger.disabled = True, False
        logger.setLevel(logging.NOTSET)
    logging.getLogger().setLevel(logging.DEBUG if level.upper() == "DEBUG" else logging.WARNING)
    logging.getLogger(_OWN).setLevel(level.upper())
    sys.excepthook = _uncaught
    threading.excepthook = lambda thread: _uncaught(thread.exc_type, thread.exc_value, thread.exc_traceback)
    sys.unraisablehook = lambda lost: _uncaught(lost.exc_type, lost.exc_value, lost.exc_traceback)


def redact_value(key: str, value: object) -> str | float | None:
    """The value as it may be told under a key, or what is told instead.

    >>> redact_value("metric", "radot"), redact_value("metric", "No pneumothorax."), redact_value("text", "a")
    ('radot', '<str, 16 characters>', '<str, 1 characters>')
    """
    shape = SHAPES.get(key)
    if shape is None:
        return withheld(value)
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        number = float(value) if isinstance(value, float) else int(value)
        return number if abs(number) < _MOST else withheld(value)
    if isinstance(value, Vouched) and len(value) <= LONGEST and value.isprintable():
        return str.__str__(value)
    return _shaped_or_withheld(str(value) if isinstance(value, Path) else value, shape)


def withheld(value: object) -> str:
    """A substitute for a value that must not be shown: its kind, and the length of a text.

    >>> withheld("No pneumothorax."), withheld(["a"])
    ('<str, 16 characters>', '<list>')
    """
    size = f", {len(value)} characters" if isinstance(value, str) else ""
    return f"<{type(value).__name__}{size}>"


class _Logger(structlog.stdlib.BoundLogger):
    """A logger whose tracebacks have no messages: that of somebody else's exception may quote a report."""

    def exception(self, event: str | None = None, *args: Any, **values: Any) -> Any:
        return self.error(event, *args, **({"error": sys.exception()} | values))


def _told_errors(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """An exception as its kind, its place and the places that it came through."""
    given = event.pop("exc_info", None)
    error = event.get("error", given[1] if isinstance(given, tuple) else given)
    error = sys.exception() if error is True else error
    for key in _NOT_SHOWN:
        event.pop(key, None)
    if isinstance(error, BaseException):
        event.update(_of_error(error))
    return event


def _withhold_unknown(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """The event without anything that is not known to be harmless."""
    name, level, frames = event.pop("event", None), event.pop("level", ""), event.pop("frames", ())
    safe: dict[str, Any] = {"event": _shaped_or_withheld(name, _EVENT)}
    for key, value in event.items():
        if _KEY.fullmatch(key):
            safe[key] = redact_value(key, value)
        else:
            safe["withheld"] = safe.get("withheld", 0) + 1
    return {**safe, "level": level} | ({"frames": frames} if isinstance(frames, _Frames) else {})


def _shaped_or_withheld(value: object, shape: re.Pattern[str]) -> str:
    """The value where it is a text of that shape, and else what is told of it; a class of its own is taken off."""
    return str.__str__(value) if isinstance(value, str) and shape.fullmatch(value) else withheld(value)


class _Frames(tuple[str, ...]):
    """Places that an error came through; what a caller gives under that name is none."""

    __slots__ = ()


def _of_error(error: BaseException) -> dict[str, Any]:
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return {
        "error": describe_error(error),
        **({} if cause is None else {"caused_by": describe_error(cause)}),
        "frames": _Frames(frames_of(error, _FRAMES)),
    }


def _as_record(_: Any, __: str, event: MutableMapping[str, Any]) -> tuple[tuple[str], dict[str, Any]]:
    """The event for the standard library: a readable message, and its values for whoever writes JSON."""
    values = {key: value for key, value in event.items() if key != "level"}
    words = " ".join(f"{key}={value!r}" for key, value in values.items() if key not in {"event", "frames"})
    # A message with arguments has its percent signs read; there are no arguments here.
    return (f"event={event['event']!r} {words}".rstrip(),), {"extra": {_OF_RECORD: values}}


class _Lines(logging.StreamHandler[IO[str]]):
    """Lines on standard error; a line that cannot be written leaves nothing of it behind."""

    def __init__(self, line: Callable[[logging.LogRecord], str]) -> None:
        super().__init__(sys.stderr)
        self._line = line

    def format(self, record: logging.LogRecord) -> str:
        return self._line(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the standard library's name
        """The standard library would print the record's message and arguments."""


def _plain(record: logging.LogRecord) -> str:
    values = getattr(record, _OF_RECORD, None)
    words = record.getMessage() if isinstance(values, dict) else _words_of_others(record)
    return f"overread: {record.levelname}: {words}"


def _words_of_others(record: logging.LogRecord) -> str:
    return " ".join(f"{key}={value!r}" for key, value in _of_others(record).items() if key != "frames")


def _json(record: logging.LogRecord) -> str:
    values = getattr(record, _OF_RECORD, None)
    line = {
        "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
        "logger": _shaped_or_withheld(record.name, _LOGGER),
        **(values if isinstance(values, dict) else _of_others(record)),
    }
    return json.dumps(line, default=withheld)


def _of_others(record: logging.LogRecord) -> dict[str, Any]:
    """Fields of a record that did not come from a logger of ours: where it was written, not what it says."""
    error = record.exc_info[1] if record.exc_info else None
    place = f"{'/'.join(Path(record.pathname).parts[-2:])}:{record.lineno}"
    return {"event": "log_of_others", "place": place} | ({} if error is None else _of_error(error))


def _only(logger: logging.Logger, handler: logging.Handler) -> None:
    for other in [other for other in logger.handlers if not isinstance(other, logging.NullHandler)]:
        logger.removeHandler(other)
    logger.addHandler(handler)


def _uncaught(kind: type[BaseException], error: BaseException | None, _: TracebackType | None) -> None:
    """Logs an uncaught exception without its message; an end that was asked for is not an error."""
    if not issubclass(kind, KeyboardInterrupt | SystemExit):
        get_logger("process").critical("uncaught", error=error if error is not None else kind.__name__)
