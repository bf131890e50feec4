"""Settings for every test: what is checked is what the code does, not how this machine or this shell happens to be."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import typer.main
import typer.testing
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from overread.adapters.bert.second_reader import plugin as second_reader
from overread.adapters.reader.medspacy import plugin
from overread.adapters.reader.medspacy.options import MedspacyOptions

if TYPE_CHECKING:
    from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor

    from .postgres import Server

# A shared or slow machine must not fail a test.
settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("unhurried")

# A shell that puts the tests into the background, and nohup, have what they start ignore Ctrl-C, for good.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Models this small lose more by waiting for each other's threads than they gain; processes that tests start inherit it.
os.environ.setdefault("OMP_NUM_THREADS", "1")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A file of slow tests alone makes much when it is read, and is read when they are asked for."""
    return True if collection_path.match("test_*_slow.py") and config.option.markexpr == "not slow" else None


@pytest.hookimpl(hookwrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """A file of tests is not searched for examples as well, unless it holds some: few do, and the search takes long."""
    outcome: Any = yield
    if b">>> " not in file_path.read_bytes():
        outcome.force_result([each for each in outcome.get_result() if not isinstance(each, DoctestModule)])


def pytest_collection_finish() -> None:
    """What was collected stays: going through it for garbage, again and again, took a seventh of all tests' time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)


@pytest.fixture(autouse=True, scope="session")
def _one_reader() -> Iterator[None]:
    """Compiling the reading rules takes a second: all services with the same options read with the same readers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(plugin, "_extractor", _built_once(plugin._extractor, folder="lexicon"))
        patch.setattr(second_reader, "_comparing", _built_once(second_reader._comparing, folder="path"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_command_line() -> Iterator[None]:
    """Laying out all commands takes a tenth of a second, which hundreds of tests that call one would wait for."""
    laid_out = cache(typer.main.get_command)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", laid_out)
        patch.setattr(typer.testing, "_get_command", laid_out)
        yield


def _built_once(build: Any, folder: str) -> Any:
    """A factory that builds once for each options; a folder of one's own may hold something else each time."""

    @cache
    def shared(options: object) -> Any:
        return build(options, None)

    def built(options: object, components: Any) -> Any:
        return shared(options) if getattr(options, folder) is None else build(options, components)

    return built


@pytest.fixture(scope="session")
def shipped_reader(_one_reader: None) -> MedspacyUnitExtractor:
    """The reader that all services share."""
    build: Any = plugin._extractor
    reader: MedspacyUnitExtractor = build(MedspacyOptions(), None)
    return reader


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A real PostgreSQL server."""
    from .postgres import running_server  # noqa: PLC0415 - few tests need it

    with running_server() as server:
        yield server


@pytest.fixture
def postgres_url(postgres: Server) -> Iterator[str]:
    """Address of an empty schema of the server."""
    from .postgres import in_schema  # noqa: PLC0415

    with in_schema(postgres) as url:
        yield url


@pytest.fixture(scope="session")
def _postgres_store(postgres: Server) -> Iterator[str]:
    from .postgres import in_schema  # noqa: PLC0415

    with in_schema(postgres) as url:
        yield url


@pytest.fixture
def postgres_store(_postgres_store: str) -> str:
    """Address of a store without a row, whose tables may have been made by another test."""
    from .postgres import emptied  # noqa: PLC0415

    emptied(_postgres_store)
    return _postgres_store
