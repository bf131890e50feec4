"""`overread keys`: who may come in to the hospital service."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from rich.console import Console

from overread.cli.grammar import Commands
from overread.cli.output import Format, Output, Views, check_target, format_option, show
from overread.cli.support import Config, Set, read_settings
from overread.hospital.cli.serve import HospitalStoreOption, with_store
from overread.infrastructure.files.csv_rows import as_csv

if TYPE_CHECKING:
    from overread.hospital.application.access import AccessControl
    from overread.hospital.domain.access import AccessKey
    from overread.hospital.domain.audit_trail import Actor

__all__ = ["keys_app"]

keys_app = Commands(help="Issue, list and revoke the keys of the hospital service.")

_FORMATS: Final = (Format.TEXT, Format.JSON, Format.CSV)

Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the key, by which the audit trail names its user.")]
KeysFormat = Annotated[str | None, format_option(*_FORMATS)]


@keys_app.command()
def create(
    name: Name,
    *,
    role: Annotated[
        list[str],
        typer.Option("--role", metavar="ROLE", help="submitter, reviewer, lead, author or admin; repeatable."),
    ],
    days: Annotated[
        int | None, typer.Option(min=1, max=3660, metavar="N", help="Days until it expires; by default it never does.")
    ] = None,
    store: HospitalStoreOption = None,
    config: Config = None,
    set_: Set = None,
) -> None:
    """Issue a key and print its secret, which is shown once and kept nowhere.

    Only the secret goes to standard output, so that it can be piped to where it is needed.
    """
    from datetime import timedelta

    lasting = timedelta(days=days) if days is not None else None
    with _open_keys(config, set_, store) as (access, by):
        issued = access.issue(name, _roles(role), by=by, lasting=lasting)
    expires = issued.key.expires.date().isoformat() if issued.key.expires is not None else "never"
    typer.echo(f"{name}: {', '.join(sorted(issued.key.roles))}, expires: {expires}", err=True)
    typer.echo(issued.secret)


@keys_app.command("list")
def list_keys(
    *,
    store: HospitalStoreOption = None,
    config: Config = None,
    set_: Set = None,
    output_format: KeysFormat = None,
    output: Output = None,
) -> None:
    """List all keys, including revoked and expired ones, without their secrets."""
    target = check_target(output, output_format, _FORMATS, command="keys list")
    with _open_keys(config, set_, store) as (access, by):
        rows = [_row(key) for key in access.every(by=by)]

    def text(console: Console) -> None:
        from rich.table import Table

        table = Table("name", "begins with", "roles", "created", "expires", "revoked", box=None, pad_edge=False)
        for row in rows:
            table.add_row(row["name"], row["begins"], row["roles"], *(_day(row[column]) for column in _TIMES))
        console.print(table if rows else "no key")

    show(Views(text=text, json=lambda: rows, csv=lambda: as_csv(rows)), target)


@keys_app.command()
def revoke(name: Name, *, store: HospitalStoreOption = None, config: Config = None, set_: Set = None) -> None:
    """Revoke a key at once, with all sessions that were begun with it."""
    with _open_keys(config, set_, store) as (access, by):
        access.revoke(name, by=by)
    typer.echo(f"{name} is revoked", err=True)


_TIMES: Final = ("created", "expires", "revoked")


@contextmanager
def _open_keys(config: Path | None, set_: list[str] | None, store: str | None) -> Iterator[tuple[AccessControl, Actor]]:
    """The keys of the store that the settings name, on behalf of whoever may read and write it."""
    import getpass

    from overread.hospital.bootstrap.access import open_access
    from overread.hospital.domain.audit_trail import Actor, Role

    settings = with_store(read_settings(config, set_), store)
    access = open_access(settings)
    with closing(access.store):
        yield access, Actor(name=f"cli:{getpass.getuser()}", roles={Role.ADMIN})


def _roles(words: list[str]) -> list[Any]:
    from overread.exceptions import ConfigurationError
    from overread.hospital.domain.audit_trail import Role

    unknown = sorted(set(words) - {role.value for role in Role})
    if unknown:
        raise ConfigurationError([f"--role must be one of {', '.join(Role)}, not {', '.join(unknown)}"])
    return [Role(word) for word in words]


def _row(key: AccessKey) -> dict[str, Any]:
    times = {name: moment.isoformat() if (moment := getattr(key, name)) is not None else None for name in _TIMES}
    return {"name": key.name, "begins": f"orv_{key.prefix}", "roles": " ".join(sorted(key.roles)), **times}


def _day(moment: str | None) -> str:
    return moment[:10] if moment else "-"
