"""What foreign code raised: an interrupt or a fault, and where."""

from __future__ import annotations

import asyncio
import json
import signal
import types
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import tenacity

from overread.domain.reports.report import age_in_years
from overread.raised import describe_error, is_interrupt, place_of

SOURCE = """
import signal

def stop():
    signal.raise_signal(signal.SIGINT)

def give_up():
    raise KeyboardInterrupt

def tidy():
    try:
        stop()
    except KeyboardInterrupt:
        raise

def through(function):
    return function()
"""


def plugin(tmp_path: Path) -> types.ModuleType:
    """A module as a plugin's, in a package folder of its own."""
    file = tmp_path / "radx" / "metric.py"
    file.parent.mkdir()
    file.write_text(SOURCE)
    module = types.ModuleType("radx.metric")
    exec(compile(SOURCE, str(file), "exec"), module.__dict__)  # noqa: S102 - the source stands above
    return module


@pytest.mark.parametrize(("function", "expected"), [("stop", True), ("tidy", True), ("give_up", False)])
def test_only_who_asks_to_stop_interrupts(function: str, expected: bool, tmp_path: Path) -> None:  # noqa: FBT001
    """A signal does, also through code that tidies up and raises it again; a raise of a plugin's own does not."""
    with pytest.raises(KeyboardInterrupt) as caught:
        getattr(plugin(tmp_path), function)()
    assert is_interrupt(caught.value) is expected


def test_a_library_that_turns_a_signal_into_an_interrupt_is_obeyed() -> None:
    """asyncio raises the interrupt itself once its tasks are told."""

    async def work() -> None:
        signal.raise_signal(signal.SIGINT)
        await asyncio.sleep(5)

    with pytest.raises(KeyboardInterrupt) as caught:
        asyncio.run(work())
    assert is_interrupt(caught.value)


@pytest.mark.parametrize("error", [SystemExit(0), GeneratorExit(), ValueError("x")])
def test_nothing_else_interrupts(error: BaseException) -> None:
    """A plugin that leaves the process is not the user."""
    assert not is_interrupt(error)


CATCHING = """
def caught(function, *arguments):
    try:
        function(*arguments)
    except BaseException as error:
        return error
"""


def caught_by_overread(*call: object) -> BaseException:
    """What a call raises, caught in a frame of overread's."""
    namespace: dict[str, Any] = {"__name__": "overread.example"}
    exec(compile(CATCHING, "/somewhere/overread/example.py", "exec"), namespace)  # noqa: S102 - it stands above
    error = namespace["caught"](*call)
    assert isinstance(error, BaseException)
    return error


def test_the_place_is_the_plugins_whatever_it_called(tmp_path: Path) -> None:
    """File from its package on, and line; neither what the standard library did below nor the folder above."""
    module = plugin(tmp_path)
    line = SOURCE.splitlines().index("    return function()") + 1
    assert place_of(caught_by_overread(module.through, 3)) == f"radx/metric.py:{line}"
    assert place_of(caught_by_overread(module.through, partial(json.loads, "{"))) == f"radx/metric.py:{line}"


def test_an_error_of_overread_has_a_place_of_its_own() -> None:
    """Where nothing foreign was on the way."""
    error = caught_by_overread(age_in_years, "qzx")
    assert place_of(error).startswith("overread/domain/reports/report.py:")
    assert "qzx" not in describe_error(error)


def test_what_was_never_raised_has_no_place() -> None:
    """An exception that somebody made and handed over."""
    assert (place_of(ValueError("x")), describe_error(ValueError("x"))) == ("", "ValueError")


def test_trying_again_is_no_place_of_an_error() -> None:
    """tenacity calls what went wrong, and did nothing wrong."""
    attempts = tenacity.Retrying(stop=tenacity.stop_after_attempt(1), reraise=True)
    error = caught_by_overread(attempts, age_in_years, "qzx")
    assert place_of(error).startswith("overread/domain/reports/report.py:")
