"""`overread learn`: models that are learned from the verdicts that stand in a hospital's store."""

from __future__ import annotations

import getpass
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from overread.cli.grammar import Commands, Panel
from overread.cli.output import print_view
from overread.cli.progressing import progress, tell_training
from overread.cli.support import Config, Set, read_settings
from overread.hospital.cli.operation import Place

if TYPE_CHECKING:
    from overread.hospital.application.service import HospitalService
    from overread.hospital.bootstrap.teaching import Lesson, ReviewedModel
    from overread.hospital.domain.audit_trail import Actor
    from overread.infrastructure.settings import Settings

__all__ = ["learn_app"]

learn_app = Commands(help="Learn a model from the verdicts that stand in a hospital's store.")

_Folder = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER",
        help="Folder of the model and its card; it must not exist yet.",
        rich_help_panel=Panel.OUTPUT,
    ),
]
_Singles = Annotated[
    bool,
    typer.Option("--singles", help="Also take pairs that one person has reviewed, and nobody otherwise."),
]
_Day = Annotated[
    datetime | None,
    typer.Option(
        "--judge-from",
        metavar="DAY",
        formats=["%Y-%m-%d"],
        help="First day, at each site, of the examinations that the model is judged by; by default of the last third.",
        show_default=False,
    ),
]
_Name = Annotated[
    str | None, typer.Option("--name", metavar="NAME", help="Name in the model's identity; the folder's by default.")
]
_Seed = Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the draws of intervals.")]


@learn_app.command("second-reader")
def learn_second_reader(
    *,
    output: _Folder,
    train: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="Option, repeatable: steps=200, learning_rate=1e-4, dropout=0.15 ..."),
    ] = None,
    singles: _Singles = False,
    judge_from: _Day = None,
    name: _Name = None,
    seed: _Seed = 0,
    store: Place = None,
    config: Config = None,
    set_: Set = None,
) -> None:
    """Train a second reader on what reviewers confirmed, refuted and missed.

    Learns from earlier examinations and is judged by later ones, site by site, beside the present reader. Nothing is
    switched on.
    """
    from overread.adapters.bert.second_reader.fit import read_training_options
    from overread.hospital.bootstrap.teaching import learn_second_reader as learn

    options = read_training_options([*_GENTLY, *(train or [])])
    with _open(config, set_, store) as (service, settings, by), progress(what="reading"):
        model = learn(
            service,
            settings,
            output,
            options,
            by=by,
            lesson=_lesson(judge_from, name, seed, singles=singles),
            on_step=tell_training,
        )
    _show(model)


@learn_app.command("readout")
def learn_readout(
    *,
    output: _Folder,
    kind: Annotated[str, typer.Option(metavar="KIND", help="relaxed, debiased or paper.")] = "relaxed",
    grid: Annotated[bool, typer.Option(help="Search all priors and epsilons, or use only the default.")] = True,
    singles: _Singles = False,
    judge_from: _Day = None,
    name: _Name = None,
    seed: _Seed = 0,
    store: Place = None,
    config: Config = None,
    set_: Set = None,
) -> None:
    """Fit the readout to the discrepancies that reviewers named.

    Learns from earlier examinations and is judged by later ones, site by site, beside the present readout. Nothing is
    switched on.
    """
    from overread.hospital.bootstrap.teaching import learn_readout as learn

    with _open(config, set_, store) as (service, settings, by), progress(what="reading"):
        lesson = _lesson(judge_from, name, seed, singles=singles)
        model = learn(service, settings, output, by=by, kind=kind, grid=grid, lesson=lesson)
    _show(model)


_GENTLY: Final = ("steps=200", "learning_rate=1e-4", "encoder_learning_rate=1e-5", "held_out=0")
"""Training options that reviews, which are few, are begun with."""


@contextmanager
def _open(
    config: Path | None, set_: list[str] | None, store: str | None
) -> Iterator[tuple[HospitalService, Settings, Actor]]:
    """The service on the store that the settings name, which must be there, on behalf of whoever may read its keys."""
    from overread.hospital.bootstrap.services import open_hospital
    from overread.hospital.cli.serve import with_store
    from overread.hospital.domain.audit_trail import Actor, Role
    from overread.hospital.infrastructure.hospital_settings import hospital_configuration
    from overread.infrastructure.store.maintenance import schema_of

    settings = with_store(read_settings(config, set_), store)
    configuration = hospital_configuration(settings.hospital)
    schema_of(configuration.store, allow_plain=configuration.allow_plain)
    with open_hospital(settings, configuration=configuration) as service:
        yield service, settings, Actor(name=f"cli:{getpass.getuser()}", roles={Role.ADMIN})


def _lesson(judge_from: datetime | None, name: str | None, seed: int, *, singles: bool) -> Lesson:
    from overread.hospital.bootstrap.teaching import Lesson

    day = None if judge_from is None else judge_from.date()
    return Lesson(singles=singles, day=day, name=name or "", seed=seed)


def _show(model: ReviewedModel) -> None:
    """Print what was learned from, how it is judged, and the line that would use it."""
    from overread.infrastructure.views.terminal.tabulation import show_tabulation

    split = model.split
    typer.echo(
        f"learned from {len(split.earlier)} pairs before {split.day.isoformat()}, judged by {len(split.later)} from "
        "that day on"
    )
    for note in model.notes:
        typer.echo(f"  {note}")
    typer.echo()
    print_view(lambda console: show_tabulation(console, model.comparison.tabulation()))
    typer.echo(f"\nwrote {model.folder}; nothing uses it until the settings file says so:\n")
    typer.echo(f"[choose]\n{model.setting}")
