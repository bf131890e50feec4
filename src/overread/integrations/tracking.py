"""A corpus as trackers of experiments are told of it: figures, facts, a table of its pairs, and files.

No report text is in any of it unless it is asked for, as what is logged is read by others than may read reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypedDict

import numpy as np
from attrs import field, frozen

from overread.bootstrap.pages import render_results_page
from overread.domain.reports.report import ReportPair
from overread.domain.results.corpus_figures import BLEU, BLEU_TITLE, LABEL_FIGURES, RATIOS
from overread.domain.results.scores import MetricScores
from overread.exceptions import ConfigurationError, InputError
from overread.extras import EXTRAS, find_missing
from overread.infrastructure.files.completeness import completeness_file, read_completeness
from overread.infrastructure.files.csv_rows import as_csv
from overread.infrastructure.files.environment import installed_environment
from overread.infrastructure.files.scored import read_results, read_scores
from overread.infrastructure.files.whole_files import write_whole

__all__ = ["Cell", "Described", "TrackedCorpus", "describe_corpus"]

Cell = str | float | None
"""None where a pair has no score."""

_QUOTED: Final = 100
"""Pairs whose reports a page with report text shows."""
_NAMES: Final = {
    **{each.title: each.name for each in RATIOS},
    **{each.title: each.name for each in LABEL_FIGURES},
    BLEU_TITLE: BLEU,
}


@frozen(kw_only=True)
class TrackedCorpus:
    """A corpus as it is logged.

    Attributes:
        figures: by name: METRIC/mean with METRIC/mean_low and METRIC/mean_high, METRIC/scored, METRIC/unscored,
            METRIC/unscored/REASON, and by their names the other figures of a corpus, with their intervals.
        signatures: by metric.
        facts: by name: number of pairs, versions of overread and Python, and the platform that the scores were made on.
        columns: of the table of pairs.
        rows: of the first pairs.
        files: to be kept under their names. Some of them last as long as the context does.
    """

    figures: Mapping[str, float]
    signatures: Mapping[str, str]
    facts: Mapping[str, str]
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = field(default=(), repr=False)
    files: tuple[Path, ...] = ()


class Described(TypedDict, total=False):
    """Arguments of `describe_corpus`, as those who log it take them."""

    pairs: Path | str | None
    metrics: str | Sequence[str]
    per_pair: bool
    report_text: bool
    most_rows: int
    draws: int
    seed: int


@contextmanager
def describe_corpus(
    results: Any,
    *,
    pairs: Path | str | None = None,
    metrics: str | Sequence[str] = (),
    per_pair: bool = True,
    report_text: bool = False,
    most_rows: int = 10_000,
    draws: int = 10_000,
    seed: int = 0,
) -> Iterator[TrackedCorpus]:
    """A corpus as it is logged.

    Args:
        results: a file that ``overread corpus -o`` or `score_corpus` wrote, or results as `score_many` gives them.
        pairs: file of the pairs, whose column study keeps the pairs of a study together in intervals.
        metrics: names of those to log; all by default.
        per_pair: whether what tells of single pairs is logged, too: the table of pairs, and the results.
        report_text: whether the table holds both reports of each pair, and a page shows those of the first hundred.
            They are patient data, which everybody may read who may read the run.
        most_rows: of the table, which holds the first pairs.
        draws: of the intervals, which the extra ``statistics`` gives; without it there are means and counts alone.
        seed: of the draws.

    Raises:
        ConfigurationError: if the results hold none of a metric, or report text is wanted of what tells of no pair.
        InputError: if a file cannot be read, or report text is wanted of pairs whose reports are not given.
    """
    if report_text and not per_pair:
        raise ConfigurationError(["report_text is part of what tells of single pairs; log that, too"])
    with TemporaryDirectory() as temporary:
        folder = Path(temporary)
        path = Path(results) if isinstance(results, str | Path) else _write(results, folder)
        held = _choose(read_scores(path), metrics, path)
        figures = _count(held)
        files: list[Path] = []
        if not find_missing(EXTRAS["statistics"]):
            files.append(folder / "summary.html")
            figures |= _estimate(path, pairs, tuple(held), draws, seed, files[0])
        columns: tuple[str, ...] = ()
        rows: tuple[tuple[Cell, ...], ...] = ()
        if per_pair:
            reports = _reports(results, pairs, held) if report_text else {}
            columns = ("id", *_columns(held), *(("reference", "candidate") if report_text else ()))
            rows = tuple(islice(_rows(held, reports), most_rows))
            files += _pair_files(path, folder, columns, rows, reports)
        facts, signatures = _facts(held, path), {name: scores.signature for name, scores in held.items()}
        yield TrackedCorpus(
            figures=figures, signatures=signatures, facts=facts, columns=columns, rows=rows, files=tuple(files)
        )


def _write(results: Any, folder: Path) -> Path:
    from overread.studies.bootstrap.baselines import write_baseline

    path = folder / "results.jsonl"
    write_baseline(path, results)
    return path


def _choose(every: Mapping[str, MetricScores], metrics: Sequence[str], path: Path) -> dict[str, MetricScores]:
    names = (metrics,) if isinstance(metrics, str) else tuple(metrics) or tuple(every)
    if absent := [name for name in names if name not in every]:
        raise ConfigurationError([f"{', '.join(absent)}: not in {path}, which holds {', '.join(every)}"])
    return {name: every[name] for name in names}


def _count(held: Mapping[str, MetricScores]) -> dict[str, float]:
    """Means and counts, for which no statistics are needed."""
    figures: dict[str, float] = {}
    for name, scores in held.items():
        there = scores.scores[~np.isnan(scores.scores)].astype(np.float64)
        if len(there):
            figures[f"{name}/mean"] = float(there.mean())
        figures[f"{name}/scored"] = len(there)
        figures[f"{name}/unscored"] = len(scores.ids) - len(there)
        figures |= {f"{name}/unscored/{reason}": count for reason, count in scores.unscored.items()}
    return figures


def _estimate(
    path: Path, pairs: Path | str | None, metrics: tuple[str, ...], draws: int, seed: int, page: Path
) -> dict[str, float]:
    """Figures with their intervals; the page of them is written."""
    from overread.application.statistics import Estimate
    from overread.infrastructure.views.web.tabulation_page import tabulation_page
    from overread.studies.bootstrap.studies import Compared, summarise_file

    given = Compared(pairs=() if pairs is None else (Path(pairs),), metrics=metrics, draws=draws, seed=seed)
    tabulation = summarise_file(f"results={path}", given)
    write_whole(page, tabulation_page(tabulation) + "\n")
    estimates = {(metric, "mean"): estimate for metric, _, _, estimate, _ in tabulation.table("means").rows}
    if any(table.name == "figures" for table in tabulation.tables):
        rows = tabulation.table("figures").rows
        estimates |= {(metric, _NAMES[str(title)]): estimate for metric, title, estimate, *_ in rows}
    return {
        f"{metric}/{name}{end}": value
        for (metric, name), estimate in estimates.items()
        if isinstance(estimate, Estimate)
        for end, value in (("", estimate.value), ("_low", estimate.low), ("_high", estimate.high))
        if value is not None and np.isfinite(value)
    }


def _columns(held: Mapping[str, MetricScores]) -> Iterator[str]:
    for name in held:
        yield from (name, f"{name} unscored")


def _rows(held: Mapping[str, MetricScores], reports: Mapping[str, ReportPair]) -> Iterator[tuple[Cell, ...]]:
    for pair in dict.fromkeys(name for scores in held.values() for name in scores.ids):
        cells: list[Cell] = [pair]
        for scores in held.values():
            score = float(scores.scores[scores.place[pair]]) if pair in scores.place else np.nan
            cells += [None if np.isnan(score) else score, scores.reasons.get(pair)]
        if reports:
            both = reports.get(pair)
            cells += [both.reference.text, both.candidate.text] if both else [None, None]
        yield tuple(cells)


def _reports(results: Any, pairs: Path | str | None, held: Mapping[str, MetricScores]) -> dict[str, ReportPair]:
    from overread.studies.infrastructure.files.pair_facts import read_pairs_of

    if pairs is not None:
        reports = read_pairs_of(pairs, (name for scores in held.values() for name in scores.ids))
    else:
        given = () if isinstance(results, str | Path) else results
        reports = {pair.id: pair.pair for pair in given if getattr(pair, "pair", None) is not None}
    if not reports:
        raise InputError("results", "have no reports", remedy="name the file of pairs with `pairs`")
    return reports


def _pair_files(
    path: Path,
    folder: Path,
    columns: tuple[str, ...],
    rows: Sequence[tuple[Cell, ...]],
    reports: Mapping[str, ReportPair],
) -> Iterator[Path]:
    yield path
    if (record := completeness_file(path)).exists():
        yield record
    table, page = folder / "pairs.csv", folder / "pairs.html"
    write_whole(table, as_csv(dict(zip(columns, row, strict=True)) for row in rows))
    yield table
    if reports:
        quoted = list(islice(reports.values(), _QUOTED))
        results = read_results(path, [pair.id for pair in quoted])
        write_whole(page, render_results_page([results[pair.id] for pair in quoted], quoted) + "\n")
        yield page


def _facts(held: Mapping[str, MetricScores], path: Path) -> dict[str, str]:
    record = read_completeness(path)
    made = record.environment if record is not None and record.environment is not None else installed_environment()
    return {
        "pairs": str(max(len(scores.ids) for scores in held.values())),
        "overread": made.packages.get("overread", ""),
        "python": made.python,
        "platform": made.platform,
    }
