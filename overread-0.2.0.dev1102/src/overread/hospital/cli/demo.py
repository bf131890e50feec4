"""`overread serve --demo`: the service with an invented day, as it happens and as it ends."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread
from typing import TYPE_CHECKING, Final

import typer
from rich.console import Console
from rich.table import Table

from overread.cli.progressing import progress
from overread.hospital.domain.audit_signal import SIGNAL

if TYPE_CHECKING:
    from overread.hospital.application.access import AccessControl
    from overread.hospital.application.requests import WorklistRow
    from overread.hospital.application.service import HospitalService
    from overread.hospital.bootstrap.demo import DayOutcome
    from overread.hospital.bootstrap.serving import Listening
    from overread.hospital.infrastructure.demo_day import Sending

__all__ = ["begin_day"]

_KINDS: Final = {
    "preliminary-final": "preliminary against final",
    "draft-final": "model's draft against final",
    "final-corrected": "final against its correction",
}


def begin_day(
    listening: Listening, hospital: HospitalService, access: AccessControl, failed: Callable[[], None]
) -> None:
    """Tell how to come in, and let the day happen in a thread of its own.

    Args:
        listening: where the process can be reached.
        hospital: the service.
        access: its keys.
        failed: called where the day could not be sent to its end.
    """
    from overread.hospital.bootstrap.demo import DEMONSTRATOR
    from overread.hospital.domain.audit_trail import Role

    issued = access.issue("demo visitor", {Role.ADMIN}, by=DEMONSTRATOR)
    typer.echo(f"worklist  {listening.url}/worklist\nkey       {issued.secret}\n")
    Thread(target=_have, args=(listening, hospital, access, failed), name="demo", daemon=True).start()


def _have(listening: Listening, hospital: HospitalService, access: AccessControl, failed: Callable[[], None]) -> None:
    from overread.exceptions import OverreadError
    from overread.hospital.bootstrap.demo import (
        DEMONSTRATOR,
        doors_of,
        outcome_of_day,
        send_day,
        wait_until_scored,
    )
    from overread.hospital.infrastructure.demo_day import hospital_day

    day = hospital_day()
    try:
        with progress(len(day), "an invented day", "messages") as sent:
            send_day(doors_of(listening, access), day=day, told=sent)
        with progress(None, "scoring", "pairs") as scored:
            wait_until_scored(hospital, by=DEMONSTRATOR, told=scored)
        _show(outcome_of_day(hospital, by=DEMONSTRATOR), day)
    except (OSError, OverreadError) as error:
        typer.echo(f"overread: the invented day stopped: {error}", err=True)
        failed()


def _show(outcome: DayOutcome, day: Sequence[Sending]) -> None:
    """Print what came of the day."""
    examinations = len({key for item in day for key in item.version.keys})
    console = Console(highlight=False)
    console.print(f"{examinations} examinations, {len(day)} messages over HL7, FHIR and a folder\n")
    for kind, number in sorted(outcome.pairs.items(), key=lambda item: -item[1]):
        console.print(f"{number:5}  {_KINDS[kind.value]}")
    breakdown = f"with a significant discrepancy, {outcome.unscored} without a score"
    console.print(f"{outcome.significant:5}  of these {breakdown}\n")
    for reason, number in sorted(outcome.refusals.items(), key=lambda item: (-item[1], item[0])):
        console.print(f"{number:5}  refused: {reason}")
    console.print("\nfirst of the worklist")
    console.print(f"({SIGNAL})\n")
    table = Table(box=None, pad_edge=False)
    for column in ("accession", "compared", "importance", "risk", "gravest discrepancy"):
        table.add_column(column, no_wrap=True)
    for row in outcome.first:
        table.add_row(*_cells(row))
    console.print(table)
    console.print("\nCtrl-C ends the service.")


def _cells(row: WorklistRow) -> tuple[str, ...]:
    importance = row.importance.words if row.importance is not None else ""
    risk = f"{row.risk:.2f}" if row.risk is not None else ""
    gravest = row.findings[0].replace("_", " ") if row.findings else ""
    return row.examination.accession, row.kind.value, importance, risk, gravest
