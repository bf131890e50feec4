"""A leaderboard as a folder of static pages: the ranks, a page for each system, and the figures as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from attrs import evolve

from overread.application.statistics.tabulation import Column, Table, Tabulation
from overread.exceptions import InputError
from overread.infrastructure.files.completeness import read_completeness
from overread.infrastructure.files.whole_files import write_whole
from overread.infrastructure.views.tabulations import tabulation_record
from overread.infrastructure.views.web.tabulation_page import tabulation_page
from overread.studies.bootstrap.studies import Compared, summarise_file
from overread.studies.infrastructure.files.sources import named_file
from overread.studies.infrastructure.views.compared_pages import page_name

__all__ = ["result_files", "write_site"]

_SYSTEMS: Final = "systems"
_SUFFIXES: Final = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz", ".parquet")


def result_files(arguments: Sequence[str]) -> list[str]:
    """Files of results that arguments name; of a folder all that lie in it, by name.

    Raises:
        InputError: if a folder has none.
    """
    files: list[str] = []
    for argument in arguments:
        folder = Path(argument)
        if not folder.is_dir():
            files.append(argument)
            continue
        found = [str(path) for path in sorted(folder.iterdir()) if path.is_file() and path.name.endswith(_SUFFIXES)]
        if not found:
            raise InputError(argument, "holds no file of results", remedy="write some there with overread corpus -o")
        files += found
    return files


def write_site(folder: Path, ranked: Tabulation, files: Sequence[str], given: Compared) -> Tabulation:
    """Writes index.html, leaderboard.json and systems/NAME.html, replacing earlier ones.

    Args:
        folder: is made where it is not there.
        ranked: the leaderboard of these files.
        files: each a path or NAME=PATH.
        given: that they were ranked with.

    Returns:
        The leaderboard with a table of its systems, whose rows lead to their pages.

    Raises:
        InputError: if a file cannot be read or written.
    """
    named = [named_file(file) for file in files]
    if folder.exists() and not folder.is_dir():
        raise InputError(str(folder), "is a file", remedy="name a folder")
    (folder / _SYSTEMS).mkdir(parents=True, exist_ok=True)
    for file, (name, path) in zip(files, named, strict=True):
        summary = summarise_file(file, given)
        write_whole(folder / _SYSTEMS / page_name(name), tabulation_page(_with_origin(summary, name, path)))
    whole = evolve(ranked, tables=(*ranked.tables, _systems_table(named)))
    write_whole(folder / "index.html", tabulation_page(whole))
    record = json.dumps(tabulation_record(whole), ensure_ascii=False, indent=1)
    write_whole(folder / "leaderboard.json", f"{record}\n")
    return whole


def _systems_table(named: Sequence[tuple[str, Path]]) -> Table:
    rows = []
    for name, path in named:
        record = read_completeness(path)
        environment = record.environment if record is not None else None
        version = environment.packages.get("overread") if environment is not None else None
        rows.append((name, record.pairs if record is not None else None, version, path.name))
    return Table(
        name=_SYSTEMS,
        title="Systems",
        columns=(
            Column(name="system", title="System"),
            Column(name="pairs", title="Pairs"),
            Column(name="overread", title="Scored with overread"),
            Column(name="file", title="File"),
        ),
        rows=tuple(rows),
        note="A system's page has its means and figures with intervals, and what it was scored with.",
        links={index: f"{_SYSTEMS}/{page_name(name)}" for index, (name, _) in enumerate(named)},
    )


def _with_origin(summary: Tabulation, name: str, path: Path) -> Tabulation:
    record = read_completeness(path)
    facts = dict(summary.facts)
    if record is not None and record.environment is not None:
        made = record.environment
        facts |= {
            "overread": made.packages.get("overread", ""),
            "Python": made.python,
            "platform": made.platform,
            "settings": json.dumps(record.settings, ensure_ascii=False, default=str),
        }
    return evolve(summary, title=name, facts=facts)
