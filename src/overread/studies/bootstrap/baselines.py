"""Baselines: results that later ones are held against, as files, and what became worse since."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from attrs import evolve

from overread.application.scoring.corpus import BAD_INPUT
from overread.application.scoring.fingerprint import Fingerprint
from overread.application.statistics.tabulation import Tabulation
from overread.application.telling import run_draws
from overread.bootstrap.results import PairResults
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.completeness import (
    Completeness,
    completeness_file,
    read_completeness,
    write_completeness,
)
from overread.infrastructure.files.environment import installed_environment
from overread.infrastructure.files.scored import read_scores
from overread.infrastructure.files.whole_files import write_whole
from overread.infrastructure.frames.scores import scores_of
from overread.infrastructure.serialise import result_record
from overread.studies.application.comparison import Limits, PairFacts, Regression, Source, check_regression
from overread.studies.bootstrap.studies import Compared, compare_sources, metric_names, read_facts
from overread.studies.infrastructure.files.sources import read_sources, two_files
from overread.tables.records import table_format

__all__ = ["check_against_baseline", "compare_with_baseline", "read_limits", "write_baseline"]

_RESULTS: Final = "give a file of results, or what overread.score_many gives"
_REMEDY: Final = "write it as NUMBER, or METRIC=NUMBER for one metric"


def compare_with_baseline(
    files: Sequence[str], given: Compared, limits: Limits, *, shown: int = 5, force: bool = False
) -> tuple[Regression, Tabulation]:
    """Holds the results of a file against those of a baseline, and compares the two.

    Args:
        files: the baseline, then the results; each a path or NAME=PATH.
        given: what else is known; a single file of pairs is that of the results.
        limits: bounds of what passes.
        shown: pairs that lost most to be told of each metric, and pairs listed each way.
        force: hold scores made with different settings against each other, too.

    Returns:
        As `check_regression`; and as `compare_results`, opened by the tables of the former.

    Raises:
        ConfigurationError: if the files do not fit together.
        InputError: if a file cannot be read, or the records beside the two tell of other references.
    """
    named = two_files(files)
    before, after = sources = read_sources(named, given.directions)
    _check_references(named[0][1], named[1][1], before, after)
    facts = read_facts(given, named)
    regression = run_draws(
        lambda draws: check_regression(
            before,
            after,
            facts,
            limits=limits,
            metrics=given.metrics,
            draws=draws,
            seed=given.seed,
            shown=shown,
            force=force,
        ),
        given.draws,
    )
    comparison = compare_sources(named, sources, evolve(given, of_last=True), of="systems", shown=shown, force=force)
    return regression, _open_with(regression, comparison)


def check_against_baseline(
    baseline: Path | str,
    results: Any,
    *,
    limits: Limits | None = None,
    metrics: str | Sequence[str] = (),
    studies: Mapping[str, str] | None = None,
    draws: int = 10_000,
    seed: int = 0,
    shown: int = 5,
    force: bool = False,
) -> Regression:
    """Holds results in memory against those of a baseline's file; see `check_regression`.

    Args:
        baseline: file that `write_baseline` or ``overread corpus -o`` wrote.
        results: as `overread.score_many` gives them, or a tidy table of them; or a file of results.
        limits: bounds of what passes.
        metrics: names of those to use; all of the baseline where omitted.
        studies: by pair id; pairs of one study are drawn together. Each pair is a study of its own where omitted.
        draws: of the bootstrap and of the randomisation.
        seed: of the draws.
        shown: pairs that lost most to be told of each metric.
        force: hold scores made with different settings against each other, too.

    Raises:
        ConfigurationError: if the two do not fit together.
        InputError: if a file cannot be read, the results are none, or they are of other references than the baseline.
    """
    path = Path(baseline)
    before = Source(name=path.stem, metrics=read_scores(path))
    if isinstance(results, Path | str):
        after = Source(name="the results", metrics=read_scores(results))
        _check_references(path, Path(results), before, after)
    else:
        after = Source(name="the results", metrics={held.metric: held for held in scores_of(results, "results")})
        _compare(path, _fingerprint(path, before), _fingerprint_of(results, before))
    facts, chosen = PairFacts(studies=studies or {}), metric_names(metrics)
    return run_draws(
        lambda draws: check_regression(
            before,
            after,
            facts,
            limits=limits,
            metrics=chosen,
            draws=draws,
            seed=seed,
            shown=shown,
            force=force,
        ),
        draws,
    )


def write_baseline(path: Path | str, results: Any) -> None:
    """Writes results as a file of results with its record, as `overread corpus` makes them. No report text is in it.

    Args:
        path: .jsonl file; its folder is made if it is missing.
        results: as `overread.score_many` gives them, or a .jsonl file of results, which is copied with its record.

    Raises:
        InputError: if there are none, a file is no whole file of results, or the baseline cannot be written.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(results, str | Path):
        _copy(Path(results), path)
        return
    if not isinstance(results, list) or not all(isinstance(pair, Mapping) for pair in results):
        raise InputError("results", f"is {type(results).__name__}, not results", remedy=_RESULTS)
    if not results:
        raise InputError("results", "holds none", remedy=_RESULTS)
    every = [result for pair in results for result in pair.values()]
    pairs = [pair.pair for pair in results if isinstance(pair, PairResults) and pair.pair is not None]
    write_whole(path, "".join(json.dumps(result_record(result), allow_nan=False) + "\n" for result in every))
    record = Completeness(
        pairs=len(results),
        metrics=tuple(dict.fromkeys(result.metric for result in every)),
        columns={},
        fingerprint=Fingerprint.of(pairs) if len(pairs) == len(results) else None,
        environment=installed_environment(),
    )
    write_completeness(path, record)


def read_limits(margins: Sequence[str], max_lost: float = 0.0) -> Limits:
    """The limits that a command line or a table of settings names.

    >>> read_limits(["0.01", "notation=0.02"])
    Limits(margin=0.01, margins={'notation': 0.02}, max_lost=0.0)

    Args:
        margins: each NUMBER, or METRIC=NUMBER; the last one of a metric counts.
        max_lost: as of `Limits`.

    Raises:
        ConfigurationError: if one is neither.
    """
    limits = Limits(max_lost=max_lost)
    for given in margins:
        metric, equals, number = given.rpartition("=")
        try:
            margin = float(number)
        except ValueError:
            raise ConfigurationError([f"`margin`: {given!r} is no number; {_REMEDY}"]) from None
        limits = evolve(limits, margins={**limits.margins, metric: margin}) if equals else evolve(limits, margin=margin)
    return limits


def _open_with(regression: Regression, comparison: Tabulation) -> Tabulation:
    worst = regression.worst_table()
    tables = (regression.table(), *((worst,) if worst else ()), *comparison.tables)
    return evolve(comparison, tables=tables)


def _copy(results: Path, baseline: Path) -> None:
    read_scores(results)
    if table_format(results) != table_format(baseline):
        raise InputError(str(results), f"has another format than {baseline.name}", remedy="write it as .jsonl")
    record = read_completeness(results)
    write_whole(baseline, results.read_text(encoding="utf-8"))
    if record is None:
        completeness_file(baseline).unlink(missing_ok=True)
    else:
        write_completeness(baseline, record)


def _check_references(baseline: Path, results: Path, before: Source, after: Source) -> None:
    """Raises `InputError` where two files of the same pairs are known to be of other references."""
    if _ids(before) == _ids(after):
        _compare(baseline, _fingerprint(baseline, before), _fingerprint(results, after))


def _compare(baseline: Path, one: Fingerprint | None, other: Fingerprint | None) -> None:
    if one is not None and other is not None and one.references != other.references:
        remedy = "use the pairs that the baseline was made of, or make a new baseline"
        raise InputError(str(baseline), "was made of other references under the same ids", remedy=remedy)


def _fingerprint(path: Path, source: Source) -> Fingerprint | None:
    """The fingerprint of all pairs of a file; None where some could not be read, or it is not known."""
    unread = any(BAD_INPUT in scores.reasons.values() for scores in source.metrics.values())
    record = read_completeness(path)
    return None if record is None or unread else record.fingerprint


def _fingerprint_of(results: Any, baseline: Source) -> Fingerprint | None:
    """The fingerprint of the reports that results hold of the baseline's pairs; None where one is not there."""
    if not isinstance(results, list):
        return None
    pairs = {each.id: each.pair for each in results if isinstance(each, PairResults) and each.pair is not None}
    ids = _ids(baseline)
    return Fingerprint.of(pairs[name] for name in ids) if ids <= pairs.keys() else None


def _ids(source: Source) -> set[str]:
    return {name for scores in source.metrics.values() for name in scores.ids}
