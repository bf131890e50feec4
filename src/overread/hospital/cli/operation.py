"""`overread audit`, `backup`, `restore`, `upgrade` and `rotate-keys`: looking after a hospital's store."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from rich.console import Console

from overread.cli.grammar import Commands, Panel
from overread.cli.output import Format, Output, Views, check_target, format_option, say_written, show
from overread.cli.support import Config, Set, read_settings

if TYPE_CHECKING:
    from overread.hospital.application.configuration import HospitalConfiguration
    from overread.hospital.application.ports import HospitalStore

__all__ = ["audit_app", "backup", "restore", "rotate_keys", "upgrade"]

audit_app = Commands(help="Check a hospital's audit trail, and export it.")

_FORMATS: Final = (Format.TEXT, Format.JSON)

Place = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="PLACE",
        help="File or address of the store, instead of the one in the settings.",
        rich_help_panel=Panel.SETTINGS,
    ),
]
KeyFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Key file, instead of the one in the settings.", rich_help_panel=Panel.SETTINGS),
]


@audit_app.command("verify")
def verify_trail(
    *,
    against: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="File that audit export wrote before; repeatable.", exists=True),
    ] = None,
    output_format: Annotated[str | None, format_option(*_FORMATS)] = None,
    output: Output = None,
    config: Config = None,
    overrides: Set = None,
    store: Place = None,
) -> None:
    """Check that no event of the audit trail, and nothing that it records, was changed, removed, added or moved.

    It records reviews, versions of reports and pairs. Lists are checked against the results they show.

    That the newest events were cut off, or the whole trail was rewritten, shows only against an earlier export. Exit
    status 1 if a check fails; it is named.
    """
    from attrs import asdict

    from overread.hospital.bootstrap.operation import check_trail

    target = check_target(output, output_format, _FORMATS, *(against or ()), command="audit verify")
    with _open_store(_read_configuration(config, overrides, store), locked=True) as opened:
        check = check_trail(opened, against or ())

    def text(console: Console) -> None:
        if check.holds:
            console.print(f"all {check.events:,} events hold", highlight=False)
            console.print(f"all {check.reviews:,} reviews match them", highlight=False)
            console.print(f"all {check.rows:,} versions and pairs match them", highlight=False)
        elif check.broken is None:
            console.print(f"all {check.events:,} events hold, but {check.problem}", highlight=False)
        else:
            console.print(f"event {check.broken} does not hold: {check.problem}", highlight=False)
            console.print(f"the {check.events:,} before it do", highlight=False)
        console.print(f"digest of the last that holds: {check.newest or 'none'}", highlight=False, soft_wrap=True)

    show(Views(text=text, json=lambda: {"holds": check.holds, **asdict(check)}), target)
    if not check.holds:
        raise typer.Exit(1)


@audit_app.command("export")
def export_trail(
    *,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="File to write, instead of standard output.")
    ] = None,
    after: Annotated[int, typer.Option(min=0, metavar="N", help="Only events after this number.")] = 0,
    config: Config = None,
    overrides: Set = None,
    store: Place = None,
) -> None:
    """Write the audit trail as JSON lines, one per event, to keep where the store's users cannot write."""
    from overread.hospital.bootstrap.operation import note, trail_records
    from overread.infrastructure.files.whole_files import write_rows

    with _open_store(_read_configuration(config, overrides, store), locked=True) as opened:
        note(opened, "export-trail", {"after": after})
        records = trail_records(opened, after=after)
        if output is None:
            for record in records:
                typer.echo(json.dumps(record))
        else:
            write_rows(output, records)
            say_written(output)


def backup(
    copy: Annotated[Path, typer.Argument(metavar="COPY", help="File to write; it must not exist yet.")],
    *,
    config: Config = None,
    overrides: Set = None,
    store: Place = None,
) -> None:
    """Copy a hospital's store in a SQLite file while it is in use.

    The copy is of one moment. Texts stay sealed in it: back up the keys too, in another place. Copy a store in
    PostgreSQL with pg_dump.
    """
    from overread.hospital.bootstrap.operation import note
    from overread.infrastructure.store import maintenance

    configuration = _read_configuration(config, overrides, store)
    with _open_store(configuration, locked=True) as opened:
        note(opened, "backup")
        maintenance.backup(configuration.store, copy)
    say_written(copy)


def restore(
    copy: Annotated[Path, typer.Argument(metavar="COPY", help="Copy that backup wrote.", exists=True, dir_okay=False)],
    *,
    config: Config = None,
    overrides: Set = None,
    store: Place = None,
) -> None:
    """Restore a hospital's store from a copy, after checking its pages, audit trail, reviews and texts.

    The store must not exist yet, and nothing is restored if a check fails. What was stored after the copy was made is
    lost, and a patient who was erased since is there again. Restore a store in PostgreSQL with pg_restore.
    """
    from overread.hospital.bootstrap import operation

    configuration = _read_configuration(config, overrides, store)
    check = operation.restore(copy, configuration)
    held = f"its {check.events:,} events and {check.reviews:,} reviews hold, and every text opens"
    typer.echo(f"restored {configuration.store}; {held}")


def upgrade(
    *,
    check: Annotated[bool, typer.Option("--check", help="Only check whether there is something to do.")] = False,
    config: Config = None,
    overrides: Set = None,
    store: Place = None,
) -> None:
    """Bring the tables of a hospital's store up to date for this version of overread.

    Every process that opens the store does this; with this command you choose the moment, after a backup. With --check
    nothing is changed, and the exit status is 1 if there is something to do.
    """
    from overread.infrastructure.store import maintenance

    configuration = _read_configuration(config, overrides, store)
    place, allow_plain = configuration.store, configuration.allow_plain
    current, newest = maintenance.schema_of(place, allow_plain=allow_plain), maintenance.newest_schema()
    if current == newest:
        typer.echo(f"the tables are up to date (schema {newest})")
    elif check:
        typer.echo(f"the tables are those of schema {current}; this overread works with {newest}")
        raise typer.Exit(1)
    else:
        maintenance.upgrade(place, allow_plain=allow_plain)
        typer.echo(f"the tables were brought from schema {current} to {newest}")


def rotate_keys(
    *,
    new_key: Annotated[
        bool, typer.Option("--new-key", help="Add a key to the key file, or create the file, and stop.")
    ] = False,
    key_file: KeyFile = None,
    config: Config = None,
    overrides: Set = None,
    store: Place = None,
) -> None:
    """Seal every text of a hospital's store with the newest key, or create that key.

    First run it with --new-key; then restart every process of the service, so that each knows the new key; then run it
    without --new-key. It can be interrupted and run again, and the store stays in use.
    """
    from attrs import evolve

    from overread.hospital.bootstrap import operation

    configuration = _read_configuration(config, overrides, store)
    configuration = evolve(configuration, key_file=key_file or configuration.key_file)
    if new_key:
        typer.echo(f"key {operation.new_key(configuration)} seals from now on, in every process that is restarted")
    else:
        sealed = operation.seal_anew(configuration)
        typer.echo(f"{sealed:,} texts were sealed again")
        typer.echo(
            "keep the earlier keys until every process has been restarted since the newest was made, and this has been "
            "run after it; older backups need them for good"
        )


def _read_configuration(config: Path | None, overrides: list[str] | None, place: str | None) -> HospitalConfiguration:
    """Read the configuration of the hospital, with the store that was named, if one was."""
    from attrs import evolve

    from overread.hospital.infrastructure.hospital_settings import hospital_configuration

    configuration = hospital_configuration(read_settings(config, overrides).hospital)
    return configuration if place is None else evolve(configuration, store=place)


@contextmanager
def _open_store(configuration: HospitalConfiguration, *, locked: bool = False) -> Iterator[HospitalStore]:
    """The store, which must be there: a new one would have nothing to look after."""
    from overread.hospital.bootstrap.services import open_store_of
    from overread.infrastructure.store.maintenance import schema_of

    schema_of(configuration.store, allow_plain=configuration.allow_plain)
    with closing(open_store_of(configuration, locked=locked)) as store:
        yield store
