"""Logs: silent in a library, lines on standard error for the command line, no report text in either."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator

import pytest

from overread.domain.report import ReportPair
from overread.infrastructure.logs import LONGEST_VALUE, configure, get_logger

PHRASE = "Cavitating lesion of Mr Sample"


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    logger = logging.getLogger("overread")
    level, handlers, propagate = logger.level, list(logger.handlers), logger.propagate
    yield
    logger.setLevel(level)
    logger.handlers[:] = handlers
    logger.propagate = propagate


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
    assert "metric_failed" in record.getMessage()
    assert "pair='7'" in record.getMessage()


def test_the_command_line_writes_lines_to_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    """Configured twice it still writes each line once, and nothing below its level."""
    configure("info")
    configure("warning")
    get_logger("evaluate").warning("metric_failed", metric="radot")
    get_logger("evaluate").info("unheard")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1
    assert "metric_failed" in captured.err


def test_no_report_text_gets_through(capsys: pytest.CaptureFixture[str]) -> None:
    """Not as a long or many-lined value, not as an object, not in a traceback."""
    configure("debug")
    log = get_logger("evaluate")
    log.warning("long", text=PHRASE + "." * LONGEST_VALUE)
    log.warning("lines", text=f"FINDINGS:\n{PHRASE}")
    log.warning("objects", pair=ReportPair(id="7", reference=PHRASE, candidate=PHRASE), texts=[PHRASE])
    try:
        int(PHRASE)
    except ValueError:
        log.exception("broken")
        log.warning("broken", exc_info=True)
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 5
    assert "Cavitating" not in err
