"""`overread serve`: the hospital service as one process, until it is asked to end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from overread.cli.support import Config, Set, read_settings

if TYPE_CHECKING:
    from overread.hospital.bootstrap.serving import Listening, ServiceProcess
    from overread.hospital.infrastructure.serving_settings import ServeConfiguration
    from overread.infrastructure.settings import Settings

__all__ = ["DemoLength", "HospitalStoreOption", "serve", "with_store"]


class DemoLength(StrEnum):
    """Stretch of time that a demonstration plays."""

    DAY = "day"
    MONTH = "month"


HospitalStoreOption = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="STORE",
        help=(
            "SQLite file, or postgresql://USER@HOST/NAME, that keeps everything; by default hospital.store of "
            "the settings."
        ),
    ),
]


def serve(
    length: Annotated[
        DemoLength, typer.Argument(metavar="[day|month]", help="With --demo: what is played.", show_default=False)
    ] = DemoLength.DAY,
    *,
    store: HospitalStoreOption = None,
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="Address to listen on; by default 127.0.0.1.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="PORT", help="Port for HTTP; by default 8080. 0 takes a free one.")
    ] = None,
    hl7_port: Annotated[
        int | None, typer.Option(metavar="PORT", help="Also listen for HL7 over MLLP; 2575 is the registered port.")
    ] = None,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Also take in files of reports from this folder.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(min=0, metavar="N", help="Threads that score; by default 1. 0 leaves scoring to other processes."),
    ] = None,
    insecure_bind: Annotated[
        bool, typer.Option("--insecure-bind", help="Listen beyond this machine without TLS.")
    ] = False,
    demo: Annotated[
        bool,
        typer.Option(
            "--demo",
            help="Play an invented day of 300 examinations, or with --demo month a month, in a store of its own.",
        ),
    ] = False,
    config: Config = None,
    set_: Set = None,
) -> None:
    """Serve the pages and the API, take in reports and score them.

    SIGTERM or Ctrl-C ends it: it takes in nothing more, finishes what it has begun and leaves the rest in the store.
    Without TLS it listens on this machine only. Further settings are in the tables [serve] and [hospital] of the
    settings file.
    """
    import asyncio

    from overread.bootstrap.extras import SERVICE, check_installed

    check_installed("overread serve", SERVICE)
    from overread.hospital.bootstrap.services import open_hospital
    from overread.hospital.bootstrap.serving import ServiceProcess
    from overread.hospital.infrastructure.serving_settings import serve_configuration
    from overread.infrastructure.logs import take_over
    from overread.infrastructure.settings import merge_tables

    settings = with_store(read_settings(config, set_), store)
    given = {
        "http": {"host": host, "port": port, "insecure_bind": insecure_bind or None},
        "hl7": {"port": hl7_port},
        "folder": {"path": folder},
        "workers": workers,
    }
    configuration = serve_configuration(merge_tables(settings.serve, _without_none(given)))
    take_over(settings.log_level)
    if length is not DemoLength.DAY and not demo:
        raise typer.BadParameter("goes with --demo", param_hint="[day|month]")
    if demo:
        (_demonstrate_month if length is DemoLength.MONTH else _demonstrate)(settings, configuration, store)
        return
    process = ServiceProcess(open_hospital(settings), configuration)
    asyncio.run(_until_stopped(process, lambda listening, _: _tell(listening, process)))


def with_store(settings: Settings, store: str | None) -> Settings:
    """Settings with the store of the hospital that an option names, if it does."""
    from attrs import evolve

    return settings if store is None else evolve(settings, hospital={**settings.hospital, "store": store})


def _demonstrate(settings: Settings, configuration: ServeConfiguration, store: str | None) -> None:
    """A service that has the invented day, to be looked at until it is asked to end."""
    import asyncio

    from overread.hospital.bootstrap.demo import demonstration
    from overread.hospital.bootstrap.serving import ServiceProcess
    from overread.hospital.cli.demo import begin_day

    with demonstration(settings, configuration, store=store) as shown:
        process = ServiceProcess(shown.hospital, shown.configuration)

        def ready(listening: Listening, end: Callable[[], None]) -> None:
            begin_day(listening, shown.hospital, process.access, end)
            _tell(listening, process)

        asyncio.run(_until_stopped(process, ready))


def _demonstrate_month(settings: Settings, configuration: ServeConfiguration, store: str | None) -> None:
    """A service that has the invented month, to be looked at until it is asked to end."""
    import asyncio

    from overread.hospital.bootstrap.demo import demonstration
    from overread.hospital.bootstrap.demo_month import MonthClock, month_hospital
    from overread.hospital.bootstrap.serving import ServiceProcess
    from overread.hospital.cli.demo_month import begin_month, take_in_month
    from overread.hospital.infrastructure.demo_month import month_plan

    clock = MonthClock(month_plan().after)
    with demonstration(settings, configuration, store=store, opens=partial(month_hospital, clock=clock)) as shown:
        take_in_month(shown.hospital, clock)
        process = ServiceProcess(shown.hospital, shown.configuration)

        def ready(listening: Listening, end: Callable[[], None]) -> None:
            begin_month(listening, shown.hospital, process.access, end)
            _tell(listening, process)

        asyncio.run(_until_stopped(process, ready))


async def _until_stopped(process: ServiceProcess, ready: Callable[[Listening, Callable[[], None]], None]) -> None:
    """Run a process until a signal comes; ``ready`` is told where it listens, and what ends it."""
    import asyncio
    import signal

    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    def ask_to_end() -> None:
        typer.echo("stopping: what was begun is finished, what waits stays in the store", err=True)
        stop.set()
        for signum in (signal.SIGINT, signal.SIGTERM):  # a second time ends it at once
            loop.remove_signal_handler(signum)

    for signum in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(signum, ask_to_end)

    def end() -> None:
        loop.call_soon_threadsafe(stop.set)

    typer.echo("reading the models ...", err=True)
    await process.run(stop, lambda listening: ready(listening, end))


def _tell(listening: Listening, process: ServiceProcess) -> None:
    """Print where the process can be reached, on standard error; the log goes there, too."""
    typer.echo(f"pages and API    {listening.url}", err=True)
    if listening.hl7 is not None:
        typer.echo("HL7 over MLLP    {}:{}".format(*listening.hl7), err=True)
    if listening.folder is not None:
        typer.echo(f"folder           {listening.folder}", err=True)
    if not process.has_keys():
        typer.echo("there is no key yet: overread keys create NAME --role admin", err=True)


def _without_none(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given, without those left out and tables that hold nothing."""
    options = {name: _without_none(value) if isinstance(value, Mapping) else value for name, value in table.items()}
    return {name: value for name, value in options.items() if value not in (None, {})}
