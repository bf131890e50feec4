"""Logs: silent in a library, lines on the command line, JSON from a service, no report text in any of them."""

from __future__ import annotations

import ast
import io
import json
import logging
import re
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from overread.domain.reports.report import ReportPair
from overread.infrastructure.logs import LONGEST, SHAPES, Vouched, bound, configure, get_logger, take_over

PHRASE = "Cavitating lesion of Mr Sample"
SOURCE: Final = Path(__file__).parents[3] / "src"
LEVELS: Final = ("debug", "info", "warning", "error", "critical", "exception")


@pytest.fixture(autouse=True)
def _as_before(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for module, name in ((sys, "excepthook"), (sys, "unraisablehook"), (threading, "excepthook")):
        monkeypatch.setattr(module, name, getattr(module, name))
    every = [logging.getLogger(), *(logging.getLogger(name) for name in list(logging.root.manager.loggerDict))]
    before = [(each, each.level, list(each.handlers), each.propagate, each.disabled) for each in every]
    yield
    logging.captureWarnings(capture=False)
    for logger, level, handlers, propagate, disabled in before:
        logger.setLevel(level)
        logger.handlers[:] = handlers
        logger.propagate, logger.disabled = propagate, disabled


def _written(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_a_library_is_silent() -> None:
    """A host that does not ask hears nothing, on neither stream."""
    code = "from overread.infrastructure.logs import get_logger; get_logger('x').error('event', pair='7')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": "src"}
    )
    assert done.stdout + done.stderr == ""


def test_a_host_hears_through_the_standard_library(caplog: pytest.LogCaptureFixture) -> None:
    """Software that embeds the library sets levels and handlers as it does for any other."""
    with caplog.at_level(logging.WARNING, logger="overread"):
        get_logger("evaluate").warning("metric_failed", metric="radot", pair="7")
        get_logger("evaluate").info("unheard")
    [record] = caplog.records
    assert (record.name, record.levelname) == ("overread.evaluate", "WARNING")
    assert record.getMessage() == "event='metric_failed' metric='radot' pair='7'"


def test_the_command_line_writes_lines_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Configured twice it still writes each line once, and nothing below its level."""
    configure("info")
    configure("warning")
    get_logger("evaluate").warning("metric_failed", metric="radot")
    get_logger("evaluate").info("unheard")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == "overread: WARNING: event='metric_failed' metric='radot'\n"


def test_a_service_writes_json(capsys: pytest.CaptureFixture[str]) -> None:
    """An object a line, with what is bound to the thread; numbers stay numbers."""
    take_over("info")
    with bound(request_id="0f3a1b2c", worker="w1"):
        get_logger("http").info("request", route="/v1/pairs/{number}", status=200, elapsed_ms=12.5)
    get_logger("http").info("request", status=404)
    get_logger("http").debug("unheard")
    first, second = _written(capsys)
    assert first.pop("at").endswith("+00:00")
    assert first == {
        "level": "info",
        "logger": "overread.http",
        "event": "request",
        "request_id": "0f3a1b2c",
        "worker": "w1",
        "route": "/v1/pairs/{number}",
        "status": 200,
        "elapsed_ms": 12.5,
    }
    assert ("request_id" in second, second["status"]) == (False, 404)


@pytest.mark.parametrize("set_up", [configure, take_over])
def test_no_report_text_gets_through(set_up: Callable[[str], None], capsys: pytest.CaptureFixture[str]) -> None:
    """Not as a value of whatever kind, not as the event or its arguments, not in a traceback or its causes."""
    set_up("debug")
    log = get_logger("evaluate")
    log.warning(PHRASE)
    log.warning("arguments %s", PHRASE)
    log.warning("lines", reason=f"FINDINGS:\n{PHRASE}", store=Path(PHRASE))
    log.warning("objects", pair=ReportPair(id="7", reference=PHRASE, candidate=PHRASE), target=[PHRASE])
    log.warning("key", **{PHRASE: 1})
    try:
        _fail(PHRASE)
    except RuntimeError as error:
        log.exception("broken")
        log.warning("broken", exc_info=True)
        log.warning("broken", exc_info=error)
        log.warning("broken", error=error, detail=PHRASE, frames=(PHRASE,))
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 9
    assert "Cavitating" not in err
    assert len(re.findall(r"RuntimeError at \S*test_logs\.py:", err)) == 4
    assert err.count("ValueError") == 4


def _fail(message: str) -> None:
    raise RuntimeError(message) from ValueError(message)


CANARY: Final = "Canary of Ms Example 4711, "
_TEXTS = st.builds(lambda before, after: before + CANARY + after, st.text(max_size=20), st.text(max_size=20))
_VALUES = st.recursive(
    st.one_of(_TEXTS, _TEXTS.map(str.encode), _TEXTS.map(ValueError), _TEXTS.map(Path)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(_TEXTS, inner, max_size=2)),
    max_leaves=3,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=300, deadline=None)
@given(
    event=st.one_of(st.just("event"), _TEXTS),
    values=st.dictionaries(
        st.one_of(st.sampled_from(sorted(SHAPES)), _TEXTS, st.from_regex(r"[a-z_]{1,12}", fullmatch=True)),
        _VALUES,
        max_size=4,
    ),
    level=st.sampled_from(LEVELS),
    form=st.sampled_from([configure, take_over]),
)
def test_whatever_is_logged_under_whatever_key_no_text_comes_out(
    event: str, values: dict[str, Any], level: str, form: Callable[[str], None]
) -> None:
    """A text of words with blanks, in whatever value, under whatever key: not one word of it."""
    stream = io.StringIO()
    form("debug")
    _redirect(stream)
    values = {key: value for key, value in values.items() if key not in {"event", "self"}}
    try:
        _fail(event)
    except RuntimeError:
        getattr(get_logger("any"), level)(event, **values)
        logging.getLogger("library").exception(event)
        logging.getLogger("overread.own").exception(event)
    written = stream.getvalue()
    assert written.count("\n") >= 2
    assert "Canary" not in written
    assert "4711" not in written


def _redirect(stream: io.StringIO) -> None:
    for logger in (logging.getLogger(), logging.getLogger("overread")):
        for handler in logger.handlers:
            if type(handler).__module__.startswith("overread"):
                assert isinstance(handler, logging.StreamHandler)
                handler.stream = stream  # setStream would flush that of an earlier test, which may be closed


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("pair", "Miller"),
        ("pair", "7" * 65),
        ("pairs", "7"),
        ("metric", "radot " * 2),
        ("reason", "No pneumothorax"),
        ("store", "postgresql://user:secret@host/db"),
        ("error", "ValueError: 'Miller'"),
        ("count", 10**15),
        ("count", float("nan")),
        ("first", "a, b"),
        ("text", "a"),
        ("text", 1),
    ],
)
def test_a_value_that_has_not_the_shape_of_its_key_is_withheld(
    key: str, value: object, caplog: pytest.LogCaptureFixture
) -> None:
    """Its kind is told, and how long a text is; an unknown key has no shape, so nothing fits it."""
    get_logger("any").warning("event", **{key: value})
    [record] = caplog.records
    size = f", {len(value)} characters" if isinstance(value, str) else ""
    assert record.getMessage() == f"event='event' {key}='<{type(value).__name__}{size}>'"


def test_what_our_own_code_put_together_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    """As long as it is short, of one line, and under a key that is known."""
    vouched = Vouched("a (radot), b (radot)")
    get_logger("any").warning("event", first=vouched, text=vouched, note=Vouched("x" * (LONGEST + 1)))
    [record] = caplog.records
    assert record.getMessage() == (
        "event='event' first='a (radot), b (radot)' text='<Vouched, 20 characters>' note='<Vouched, 121 characters>'"
    )


class _Evil(str):
    """A text that pretends to be a harmless one."""

    __slots__ = ()

    def __str__(self) -> str:
        return PHRASE

    __repr__ = __str__


def test_a_class_of_its_own_is_taken_off(caplog: pytest.LogCaptureFixture) -> None:
    """A subclass that prints as something else is shown as the text that was looked at."""
    get_logger("any").warning(_Evil("event"), metric=_Evil("radot"))
    [record] = caplog.records
    assert record.getMessage() == "event='event' metric='radot'"


def test_a_traceback_is_places_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """The innermost last, each a file from its package on; the error and its cause by kind and place."""
    take_over("info")
    try:
        try:
            json.loads(PHRASE)
        except ValueError as error:
            raise RuntimeError(PHRASE) from error
    except RuntimeError:
        get_logger("work").exception("broken")
    [line] = _written(capsys)
    assert re.fullmatch(r"RuntimeError at .*test_logs\.py:\d+", line["error"])
    assert line["caused_by"].startswith("JSONDecodeError at ")
    assert line["frames"][-1] == line["error"].removeprefix("RuntimeError at ")


def test_what_libraries_say_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    """Of theirs it is told who, where and how grave; handlers that they set up before are gone."""
    library = logging.getLogger("library.of.others")
    library.addHandler(logging.StreamHandler())
    take_over("info")
    library.warning("cannot parse %s", PHRASE)
    library.info("unheard")
    try:
        int(PHRASE)
    except ValueError:
        library.exception(PHRASE)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.warn(PHRASE, stacklevel=1)
    lines = _written(capsys)
    assert [line["logger"] for line in lines] == ["library.of.others", "library.of.others", "py.warnings"]
    assert {line["event"] for line in lines} == {"log_of_others"}
    assert "test_logs.py:" in lines[0]["place"]
    assert re.fullmatch(r"ValueError at .*test_logs\.py:\d+", lines[1]["error"])
    assert "Cavitating" not in json.dumps(lines)


def test_errors_that_nobody_caught_are_told_without_their_message() -> None:
    """In the main thread, in another and in a finaliser; Python would print the message."""
    code = f"""
import threading
from overread.infrastructure.logs import take_over
take_over("info")
class Lost:
    def __del__(self): raise ValueError({PHRASE!r})
lost = Lost(); del lost
thread = threading.Thread(target=int, args=({PHRASE!r},)); thread.start(); thread.join()
int({PHRASE!r})
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    lines = [json.loads(line) for line in done.stderr.splitlines()]
    assert done.returncode == 1
    assert [(line["event"], line["error"].split(" at ")[0]) for line in lines] == [("uncaught", "ValueError")] * 3
    assert "Cavitating" not in done.stderr + done.stdout


def test_a_line_that_cannot_be_written_is_lost_in_silence(capsys: pytest.CaptureFixture[str]) -> None:
    """The standard library would print the record with its arguments."""
    take_over("info")
    closed = io.StringIO()
    closed.close()
    _redirect(closed)
    logging.getLogger("library").error(PHRASE)
    get_logger("any").error("event")
    assert capsys.readouterr().err == ""


def _calls() -> Iterator[tuple[str, ast.Call]]:
    """Calls of loggers in the source: on a name that ends with log, or on what `get_logger` gives."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LEVELS:
                logger = ast.unparse(node.func.value)
                if logger.lower().endswith(("log", "logger")) or "get_logger(" in logger:
                    yield f"{path.relative_to(SOURCE)}:{node.lineno}", node


def test_every_log_call_of_the_source_fits() -> None:
    """Its event is a code word and its keys are known; otherwise its lines would tell nothing."""
    calls = dict(_calls())
    assert len(calls) >= 6
    events = {place: call.args[0] for place, call in calls.items() if not isinstance(call.args[0], ast.Name)}
    odd = [place for place, event in events.items() if not re.fullmatch(r"'[a-z][a-z0-9_]{0,63}'", ast.unparse(event))]
    keys = {
        place: [each.arg for each in call.keywords if each.arg not in {*SHAPES, "exc_info"}]
        for place, call in calls.items()
    }
    assert odd == []
    assert {place: unknown for place, unknown in keys.items() if unknown} == {}
