"""Comparisons of result files: what is read for them, and the pages of the pairs that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from attrs import field, frozen

from overread.application.studies.comparison import (
    PairFacts,
    are_systems,
    compare_metrics,
    compare_systems,
    rank_systems,
)
from overread.application.studies.tabulation import Tabulation
from overread.exceptions import ConfigurationError

__all__ = ["Compared", "compare_results", "rank_results", "write_pair_pages"]


@frozen(kw_only=True)
class Compared:
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
    files: Sequence[str], given: Compared, *, of: str | None = None, shown: int = 5, force: bool = False
) -> Tabulation:
    """Compares the systems, or the metrics, of one or two result files.

    Args:
        files: each a path or NAME=PATH.
        given: what else is known.
        of: "systems" or "metrics". By default two files that share a metric are two systems.
        shown: pairs listed each way.
        force: compare scores made with different settings too.

    Raises:
        ConfigurationError: if the files do not fit together.
        InputError: if a file cannot be read.
    """
    from overread.infrastructure.files.pair_facts import check_same_pairs
    from overread.infrastructure.files.sources import read_sources, two_files
    from overread.infrastructure.views.web.rival_pages import with_commands

    sources = read_sources(two_files(files), given.directions)
    as_systems = are_systems(sources, of)
    for other in given.pairs[1:]:
        check_same_pairs(given.pairs[0], other, candidates=not as_systems)
    facts = _facts(given)
    if as_systems:
        first, second = sources
        found = compare_systems(
            first,
            second,
            facts,
            metrics=given.metrics,
            draws=given.draws,
            seed=given.seed,
            shown=shown,
            force=force,
        )
    else:
        found = compare_metrics(
            sources,
            facts,
            metrics=given.metrics,
            draws=given.draws,
            seed=given.seed,
            shown=shown,
        )
    return with_commands(found, given.pairs)


def rank_results(files: Sequence[str], given: Compared, *, force: bool = False) -> Tabulation:
    """Ranks the systems of many result files; see `rank_systems`.

    Raises:
        ConfigurationError: if the files do not fit together.
        InputError: if a file cannot be read.
    """
    from overread.infrastructure.files.sources import named_file, read_sources

    sources = read_sources(map(named_file, files), given.directions)
    return rank_systems(sources, _facts(given), metrics=given.metrics, draws=given.draws, seed=given.seed, force=force)


def write_pair_pages(
    tabulation: Tabulation, files: Sequence[str], pairs: Sequence[Path], folder: Path, *, page: Path | None
) -> Tabulation:
    """As `rival_pages.write_pair_pages`, for files as of `compare_results`."""
    from overread.adapters.lexicon import load_knowledge
    from overread.infrastructure.files.sources import two_files
    from overread.infrastructure.views.web import rival_pages

    name = load_knowledge().lexicon.name
    return rival_pages.write_pair_pages(tabulation, two_files(files), pairs, folder, page=page, finding_name=name)


def _facts(given: Compared) -> PairFacts:
    if given.by and not given.pairs:
        raise ConfigurationError(["--by names a column of the file of pairs; give that with --pairs"])
    if not given.pairs:
        return PairFacts()
    from overread.infrastructure.files.pair_facts import read_pair_facts

    return read_pair_facts(given.pairs[0], given.by)
