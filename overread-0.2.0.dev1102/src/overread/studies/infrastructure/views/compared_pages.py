"""A pair as two systems wrote it: what `pair_page` shows of each, side by side on one self-contained page."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from hashlib import sha256
from os.path import relpath
from pathlib import Path
from re import sub
from typing import Final
from urllib.parse import quote

from attrs import evolve, frozen

from overread.application.statistics.tabulation import Table, Tabulation
from overread.domain.findings.signs import SignReader, no_signs
from overread.domain.reports.report import ReportPair
from overread.domain.results.result import EvaluationResult
from overread.exceptions import InputError
from overread.infrastructure.files.scored import read_results
from overread.infrastructure.files.whole_files import write_whole
from overread.infrastructure.views import wording
from overread.infrastructure.views.web.pair_page import pair_fragment, pair_style
from overread.infrastructure.views.web.templating import template
from overread.studies.infrastructure.files.pair_facts import read_pairs_of

__all__ = ["ComparedSystem", "compared_page", "page_name", "with_commands", "write_pair_pages"]

_LONGEST: Final = 60


@frozen
class ComparedSystem:
    """A system, the pair with its candidate, and the outcome of each metric by name."""

    name: str
    pair: ReportPair
    results: Mapping[str, EvaluationResult]


def compared_page(
    systems: Sequence[ComparedSystem], finding_name: wording.FindingName, *, signs: SignReader = no_signs
) -> str:
    """The page of a pair; it contains the full text of the reports.

    Args:
        systems: one or more, with the same pair.
        finding_name: display name of a finding by its lexicon id.
        signs: finds headings and cues in the reports.
    """
    sides = [
        pair_fragment(
            system.pair,
            system.results,
            finding_name,
            signs=signs,
            part=f"side{number}",
            title=system.name,
            styled=False,
        )
        for number, system in enumerate(systems, start=1)
    ]
    pair_id = wording.make_printable(systems[0].pair.id)
    return template("compared.html.j2").render(pair_id=pair_id, style=pair_style(), sides=sides)


def page_name(pair_id: str) -> str:
    """A name for the page of a pair that any file system takes, another one for each id."""
    plain = sub(r"[^A-Za-z0-9]+", "-", pair_id)[:_LONGEST].strip("-")
    digest = sha256(pair_id.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{plain}-{digest}.html" if plain else f"{digest}.html"


def write_pair_pages(
    tabulation: Tabulation,
    files: Sequence[tuple[str, Path]],
    pairs: Sequence[Path],
    folder: Path,
    *,
    page: Path | None,
    finding_name: wording.FindingName,
    signs: SignReader = no_signs,
) -> Tabulation:
    """Writes the page of every pair that the tables name, and links the rows to them.

    A page shows the pair with what the result files hold of it, one system beside the other; nothing is scored.

    Args:
        tabulation: whose tables have a column "id".
        files: name and path of the result files.
        pairs: the reports of each, in the same order; what has none is left out.
        folder: made if it is missing.
        page: where the study's own page will be, from which the links lead; None for the current folder.
        finding_name: as of `compared_page`.
        signs: as of `compared_page`.

    Raises:
        InputError: if a file cannot be read, or the folder cannot be written to.
    """
    wanted = {name for table in tabulation.tables for name in _ids(table).values()}
    systems: dict[str, list[ComparedSystem]] = {name: [] for name in sorted(wanted)}
    for (name, path), reports in zip(files, pairs, strict=False):
        results = read_results(path, wanted)
        for pair_id, pair in read_pairs_of(reports, wanted).items():
            if pair_id in results:
                systems[pair_id].append(ComparedSystem(name, pair, results[pair_id]))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), f"cannot be made: {error.strerror or type(error).__name__}") from None
    addresses = {}
    for pair_id, both in systems.items():
        if both:
            write_whole(folder / page_name(pair_id), compared_page(both, finding_name, signs=signs))
            addresses[pair_id] = _address(folder / page_name(pair_id), page)
    return evolve(tabulation, tables=tuple(_link_rows(table, addresses) for table in tabulation.tables))


def with_commands(tabulation: Tabulation, pairs: Sequence[Path]) -> Tabulation:
    """Tables about pairs say how to see one of them in full, where the files of the pairs are known."""
    return evolve(tabulation, tables=tuple(_with_commands(table, pairs) for table in tabulation.tables))


def _with_commands(table: Table, pairs: Sequence[Path]) -> Table:
    if not pairs or not _ids(table):
        return table
    commands = [f"overread explain --pairs {shlex.quote(str(path))} --id PAIR --metric METRIC" for path in pairs]
    return evolve(table, note=f"{table.note} A pair in full: {' and '.join(commands)}.".strip())


def _ids(table: Table) -> dict[int, str]:
    """The pair of each row, where a table is about pairs."""
    names = [column.name for column in table.columns]
    if "id" not in names:
        return {}
    return {index: str(row[names.index("id")]) for index, row in enumerate(table.rows)}


def _address(target: Path, page: Path | None) -> str:
    start = page.resolve().parent if page is not None else Path.cwd()
    return quote(Path(relpath(target.resolve(), start)).as_posix())


def _link_rows(table: Table, addresses: Mapping[str, str]) -> Table:
    links = {index: addresses[name] for index, name in _ids(table).items() if name in addresses}
    return evolve(table, links=links) if links else table
