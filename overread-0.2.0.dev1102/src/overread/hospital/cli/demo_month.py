"""`overread serve --demo month`: the service with an invented month, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import Thread
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.table import Table

from overread.cli.progressing import progress
from overread.hospital.domain.audit_signal import SIGNAL

if TYPE_CHECKING:
    from overread.application.statistics.estimating import Estimate
    from overread.hospital.application.access import AccessControl
    from overread.hospital.application.rates import GroupRates
    from overread.hospital.application.service import HospitalService
    from overread.hospital.bootstrap.demo_month import MonthClock, MonthOutcome
    from overread.hospital.bootstrap.serving import Listening

__all__ = ["begin_month", "take_in_month"]


def take_in_month(hospital: HospitalService, clock: MonthClock) -> None:
    """Take in the month and its readings, with progress, before anybody works for the service."""
    from overread.hospital.bootstrap.demo_month import load_month
    from overread.hospital.infrastructure.demo_month import hospital_month

    with progress(len(hospital_month()), "an invented month", "reports") as taken:
        load_month(hospital, clock, told=taken)


def begin_month(
    listening: Listening, hospital: HospitalService, access: AccessControl, failed: Callable[[], None]
) -> None:
    """Print the way in, and in a thread of its own what came of the month once all is scored.

    Args:
        listening: where the process can be reached.
        hospital: the service.
        access: its keys.
        failed: called where the month could not be summed up.
    """
    from overread.hospital.bootstrap.demo import DEMONSTRATOR
    from overread.hospital.domain.audit_trail import Role

    issued = access.issue("demo visitor", {Role.ADMIN}, by=DEMONSTRATOR)
    typer.echo(f"worklist  {listening.url}/worklist\nkey       {issued.secret}\n")
    Thread(target=_sum_up, args=(hospital, failed), name="demo", daemon=True).start()


def _sum_up(hospital: HospitalService, failed: Callable[[], None]) -> None:
    from overread.exceptions import OverreadError
    from overread.hospital.bootstrap.demo import DEMONSTRATOR, wait_until_scored
    from overread.hospital.bootstrap.demo_month import outcome_of_month

    try:
        with progress(None, "scoring", "pairs") as scored:
            wait_until_scored(hospital, by=DEMONSTRATOR, told=scored)
        _show(outcome_of_month(hospital))
    except OverreadError as error:
        typer.echo(f"overread: the invented month stopped: {error}", err=True)
        failed()


def _show(outcome: MonthOutcome) -> None:
    """Print what came of the month."""
    from overread.hospital.application.grouping import Grouping

    console = Console(highlight=False)
    sites, models = outcome.rates.by(Grouping.SITE), outcome.rates.by(Grouping.MODEL)
    console.print(f"{outcome.rates.overall.pairs} pairs of {len(sites)} sites")
    console.print(f"({SIGNAL})\n")
    read = {("site", each.name): each for each in outcome.confirmed.by(Grouping.SITE)}
    read |= {("model", each.name): each for each in outcome.confirmed.by(Grouping.MODEL)}
    rows = [*(("site", each) for each in sites), *(("model", each) for each in models if each.name)]
    _print(
        console,
        ("", "pairs", "major, as read", "reviewed", "major, confirmed"),
        ((each.name, str(each.pairs), _share(each.major), *_confirmed(read.get((by, each.name)))) for by, each in rows),
    )
    console.print("\ncharts with alarms")
    charts = sorted((each for each in outcome.charts.charts if each.alarms), key=lambda each: each.alarms[0].at)
    cells = (
        (each.name, f"{each.alarms[0].at:%d %b}", f"{each.alarms[0].change:%d %b}", str(len(each.alarms)))
        for each in charts
    )
    _print(console, ("chart", "first", "change since", "alarms"), cells)
    protocol, everybody = outcome.protocol, outcome.agreement.groups[0]
    console.print(
        f"\n{protocol.protocol.name}: {protocol.pairs} pairs read twice, {protocol.agreed} agreed, "
        f"{protocol.adjudicated} adjudicated"
    )
    console.print(f"Krippendorff's alpha {_figure(everybody.nominal)} on significance")
    for site, day in outcome.silent:
        console.print(f"nothing came from {site} on {day:%d %b}")
    console.print("\nCtrl-C ends the service.")


def _print(console: Console, columns: Iterable[str], rows: Iterable[tuple[str, ...]]) -> None:
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _confirmed(group: GroupRates | None) -> tuple[str, str]:
    return ("0", "") if group is None else (str(group.reviewed), _share(group.major_confirmed))


def _share(estimate: Estimate) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return ""
    return f"{estimate.value:.1%} ({estimate.low:.1%} to {estimate.high:.1%})"


def _figure(estimate: Estimate) -> str:
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return "-"
    return f"{estimate.value:.2f} ({estimate.low:.2f} to {estimate.high:.2f})"
