"""Comparisons of result files, and the pages of the pairs that they name."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping, Sequence
from os.path import relpath
from pathlib import Path
from urllib.parse import quote

from attrs import evolve, field, frozen

from overread.application.studies.comparison import PairFacts, Source, compare_metrics, compare_systems, rank_systems
from overread.application.studies.tabulation import Table, Tabulation
from overread.bootstrap._benchmarks import check_columns
from overread.exceptions import ConfigurationError, InputError

__all__ = ["Grounds", "compare_results", "named_file", "rank_results", "write_pair_pages"]


@frozen(kw_only=True)
class Grounds:
    """What a comparison stands on beside its result files.

    Attributes:
        pairs: files of the pairs, in the order of the result files; the first tells studies and kinds.
        by: columns of the first that tell kinds of pairs apart.
        directions: whether higher is better, by column of plain scores.
        metrics: names of those to use; all by default.
        draws: of the bootstrap and of the randomisation.
        seed: of the draws.
    """

    pairs: tuple[Path, ...] = ()
    by: tuple[str, ...] = ()
    directions: Mapping[str, bool] = field(factory=dict)
    metrics: tuple[str, ...] = ()
    draws: int = 10_000
    seed: int = 0


def compare_results(
    files: Sequence[str], grounds: Grounds, *, of: str | None = None, shown: int = 5, force: bool = False
) -> Tabulation:
    """Compares the systems, or the metrics, of one or two result files.

    Args:
        files: each a path or NAME=PATH.
        grounds: what else is known.
        of: "systems" or "metrics". By default two files that share a metric are two systems.
        shown: pairs listed each way.
        force: compare scores made with different settings too.

    Raises:
        ConfigurationError: if the files do not fit together.
        InputError: if a file cannot be read.
    """
    sources = _sources(_sides(files), grounds)
    if of == "systems" and len(sources) != 2:  # noqa: PLR2004 - a system is a file
        raise ConfigurationError(["two systems are two files"])
    shared = len(sources) == 2 and set(sources[0].metrics) & set(sources[1].metrics)  # noqa: PLR2004
    as_systems = of == "systems" or (of is None and shared)
    _check_pairs(grounds.pairs, candidates=not as_systems)
    facts = _facts(grounds)
    if as_systems:
        first, second = sources
        found = compare_systems(
            first,
            second,
            facts,
            metrics=grounds.metrics,
            draws=grounds.draws,
            seed=grounds.seed,
            shown=shown,
            force=force,
        )
    else:
        found = compare_metrics(
            sources,
            facts,
            metrics=grounds.metrics,
            draws=grounds.draws,
            seed=grounds.seed,
            shown=shown,
        )
    return evolve(found, tables=tuple(_with_commands(table, grounds.pairs) for table in found.tables))


def rank_results(files: Sequence[str], grounds: Grounds, *, force: bool = False) -> Tabulation:
    """Ranks the systems of many result files; see `rank_systems`.

    Raises:
        ConfigurationError: if the files do not fit together.
        InputError: if a file cannot be read.
    """
    sources = _sources(map(named_file, files), grounds)
    return rank_systems(
        sources, _facts(grounds), metrics=grounds.metrics, draws=grounds.draws, seed=grounds.seed, force=force
    )


def named_file(argument: str) -> tuple[str, Path]:
    """Name and path of an argument: NAME=PATH, or a path, whose stem is the name."""
    path = Path(argument)
    name, equals, rest = argument.partition("=")
    if equals and name and rest and not path.exists():
        return name, Path(rest)
    return path.name.removesuffix(".gz").rpartition(".")[0] or path.name, path


def write_pair_pages(
    tabulation: Tabulation, files: Sequence[str], pairs: Sequence[Path], folder: Path, *, page: Path | None
) -> Tabulation:
    """Writes the page of every pair that the tables name, and links the rows to them.

    A page shows the pair with what the result files hold of it, one system beside the other; nothing is scored.

    Args:
        tabulation: whose tables have a column "id".
        files: the result files, as of `compare_results`.
        pairs: the reports of each, in the same order; what has none is left out.
        folder: made if it is missing.
        page: where the study's own page will be, from which the links lead; None for the current folder.

    Raises:
        InputError: if a file cannot be read, or the folder cannot be written to.
    """
    from overread.adapters.lexicon import load_knowledge
    from overread.infrastructure.files.pair_facts import read_pairs_of
    from overread.infrastructure.files.scored import read_results
    from overread.infrastructure.files.whole_files import write_whole
    from overread.infrastructure.views.web.rival_pages import Rival, page_name, rival_page

    wanted = {name for table in tabulation.tables for name in _ids(table).values()}
    finding_name = load_knowledge().lexicon.name
    rivals: dict[str, list[Rival]] = {name: [] for name in wanted}
    for (name, path), reports in zip(_sides(files), pairs, strict=False):
        results = read_results(path, wanted)
        for pair_id, pair in read_pairs_of(reports, wanted).items():
            if pair_id in results:
                rivals[pair_id].append(Rival(name, pair, results[pair_id]))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(str(folder), f"cannot be made: {error.strerror or type(error).__name__}") from None
    addresses = {}
    for pair_id, both in rivals.items():
        if both:
            write_whole(folder / page_name(pair_id), rival_page(both, finding_name))
            addresses[pair_id] = _address(folder / page_name(pair_id), page)
    return evolve(tabulation, tables=tuple(_linked(table, addresses) for table in tabulation.tables))


def _sources(sides: Iterable[tuple[str, Path]], grounds: Grounds) -> list[Source]:
    from overread.infrastructure.files.scored import read_scores

    sources = [Source(name=name, metrics=read_scores(path, directions=grounds.directions)) for name, path in sides]
    check_columns(grounds.directions, {metric for source in sources for metric in source.metrics})
    return sources


def _sides(files: Sequence[str]) -> list[tuple[str, Path]]:
    """Name and path of the files to compare; two of one name are A and B."""
    sides = [named_file(file) for file in files]
    if len({name for name, _ in sides}) == len(sides):
        return sides
    return [(letter, path) for letter, (_, path) in zip("AB", sides, strict=True)]


def _check_pairs(pairs: Sequence[Path], *, candidates: bool) -> None:
    from overread.infrastructure.files.pair_facts import check_same_pairs

    for other in pairs[1:]:
        check_same_pairs(pairs[0], other, candidates=candidates)


def _facts(grounds: Grounds) -> PairFacts:
    if grounds.by and not grounds.pairs:
        raise ConfigurationError(["--by names a column of the file of pairs; give that with --pairs"])
    if not grounds.pairs:
        return PairFacts()
    from overread.infrastructure.files.pair_facts import read_pair_facts

    return read_pair_facts(grounds.pairs[0], grounds.by)


def _with_commands(table: Table, pairs: Sequence[Path]) -> Table:
    """A table about pairs with how to see one of them in full."""
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


def _linked(table: Table, addresses: Mapping[str, str]) -> Table:
    links = {index: addresses[name] for index, name in _ids(table).items() if name in addresses}
    return evolve(table, links=links) if links else table
