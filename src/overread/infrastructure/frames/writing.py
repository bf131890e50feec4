"""Results, summaries and tables of studies as data frames of pandas, which is an extra, and as Arrow tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from attrs import evolve, frozen

from overread.application.scoring.corpus import CorpusSummary, MetricSummary
from overread.application.scoring.text_sample import diversity_of
from overread.application.statistics.estimating import Estimate
from overread.application.statistics.tabulation import Table, Tabulation
from overread.domain.reports.report import ReportPair
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.diversity import FIGURES, Diversity
from overread.domain.results.result import EvaluationResult, Scored, Unscored
from overread.exceptions import InputError
from overread.extras import require

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["arrow_table", "discrepancy_frame", "frame", "results_diversity", "summaries_of", "summary_frame"]

_SUBSCORE: Final = "subscore_"
_NAN: Final = float("nan")

_Pair = tuple[Any, Mapping[str, EvaluationResult]]
"""The id of a pair as its table has it, and its results by metric."""


def frame(results: Any, *, wide: bool = False) -> pd.DataFrame:
    """The scores as a tidy data frame, a row for each pair and metric; or wide, a row for each pair.

    Tidy, its columns are ``id``, ``metric``, ``score``, ``reason`` (why there is no score), ``higher_is_better``, and
    ``subscore_NAME`` for every subscore that occurs. Wide, its index is the
    ids and each metric a column of scores. A number that there is not is NaN. ``attrs`` holds by metric the
    ``scales`` in words, ``higher_is_better`` and the ``signatures``.

    Args:
        results: of pairs, as `score_many` or `EvaluationService.evaluate` return them, or by pair id, as `read_results`
            does; of one pair; or results one by one. Also a `Table` of a study, which has a column for each of its own,
            and of an estimate the columns NAME, NAME_low and NAME_high.
        wide: whether each pair has one row.

    Raises:
        MissingDependencyError: if pandas is not installed.
        InputError: if it holds something that is no result.
    """
    pandas = _pandas()
    if isinstance(results, Tabulation):
        names = ", ".join(table.name for table in results.tables)
        raise InputError("results", "is a whole tabulation", remedy=f"give one of its tables, as table(NAME): {names}")
    if isinstance(results, Table):
        return pandas.DataFrame(_table_columns(results))
    pairs = list(_pairs(results))
    made = _wide(pandas, pairs) if wide else _tidy(pandas, pairs)
    first = {result.metric: result for _, pair in reversed(pairs) for result in pair.values()}
    in_order = sorted(first.items(), key=lambda each: _metrics(pairs).index(each[0]))
    made.attrs["scales"] = {name: result.scale.describe() for name, result in in_order}
    made.attrs["higher_is_better"] = {name: result.scale.higher_is_better for name, result in in_order}
    made.attrs["signatures"] = {name: str(result.signature) for name, result in in_order}
    return made


def arrow_table(results: Any) -> pa.Table:
    """The scores as a tidy Arrow table, with the columns of `frame`; polars, DuckDB and others take it without a copy.

    A number or reason that there is not is null. Ids are text.

    Args:
        results: of pairs, as of `frame`.

    Raises:
        MissingDependencyError: if pyarrow is not installed.
        InputError: if it holds something that is no result.
    """
    require("an Arrow table", "parquet")
    import pyarrow as pa

    tidy = _TidyColumns.of(list(_pairs(results)))
    return pa.table(
        {
            "id": pa.array([str(label) for label in tidy.labels], pa.string()),
            "metric": pa.array(tidy.metrics, pa.string()),
            "score": pa.array(tidy.scores, pa.float64()),
            "reason": pa.array(tidy.reasons, pa.string()),
            "higher_is_better": pa.array(tidy.directions, pa.bool_()),
            **{name: pa.array(values, pa.float64()) for name, values in tidy.subscores.items()},
        }
    )


def summary_frame(results: Any) -> pd.DataFrame:
    """The figures of a corpus as a tidy data frame, a row for each metric and figure.

    Its columns are ``metric``, ``figure`` ("mean", or the name of another figure of the corpus), ``value``, NaN where
    there is none, and ``scored`` and ``unscored``: how many pairs the value rests on, and how many it leaves out. The
    last rows, which belong to no metric, are of the diversity of the wording where the reports are known: the figures
    ``candidates_distinct``, ``candidates_distinct_2`` and ``candidates_compression``, and the same of the references.

    Args:
        results: as of `frame`, or the summary that `score_corpus` returns.

    Raises:
        MissingDependencyError, InputError: as `frame`.
    """
    pandas = _pandas()
    of_run = isinstance(results, CorpusSummary)
    summaries = results.metrics if of_run else summaries_of(results)
    diversity = results.diversity if of_run else results_diversity(results)
    rows = [
        {
            "metric": metric,
            "figure": figure,
            "value": value,
            "scored": summary.scored,
            "unscored": summary.unscored.total(),
        }
        for metric, summary in summaries.items()
        for figure, value in {"mean": summary.mean, **summary.figures}.items()
    ]
    rows += _diversity_rows(diversity)
    made = pandas.DataFrame(rows, columns=["metric", "figure", "value", "scored", "unscored"])
    types = {"metric": "string", "figure": "string", "value": "float64", "scored": "int64", "unscored": "int64"}
    return made.astype(types)


def _diversity_rows(diversity: Diversity | None) -> list[dict[str, Any]]:
    if diversity is None:
        return []
    return [
        {
            "metric": None,
            "figure": f"{side}_{figure}",
            "value": getattr(wording, figure),
            "scored": wording.texts,
            "unscored": diversity.of - wording.texts,
        }
        for side, wording in (("candidates", diversity.candidates), ("references", diversity.references))
        for figure in FIGURES
    ]


def results_diversity(results: Any) -> Diversity | None:
    """Diversity of the wording of the pairs whose results these are; None where no result knows its pair.

    Args:
        results: as of `frame`.
    """
    if not isinstance(results, list):
        return None
    pairs = [getattr(result, "pair", None) for result in results]
    found = diversity_of(pair for pair in pairs if isinstance(pair, ReportPair))
    return found and evolve(found, of=len(pairs))


def summaries_of(results: Any) -> dict[str, MetricSummary]:
    """The summary of each metric: how many pairs are scored, their mean, and why the others are not.

    Args:
        results: as of `frame`.
    """
    summaries: dict[str, MetricSummary] = {}
    for _, pair in _pairs(results):
        for name, result in pair.items():
            summaries.setdefault(name, MetricSummary()).add(result)
    return summaries


def discrepancy_frame(results: Any) -> pd.DataFrame:
    """The discrepancies as a tidy data frame, a row for each: whose it is, what differs, where, and how much it weighs.

    Its spans are lists of character offsets; no report text is in it. A pair without discrepancies has no row.

    Args:
        results: as of `frame`.

    Raises:
        MissingDependencyError, InputError: as `frame`.
    """
    pandas = _pandas()
    rows = [
        {"id": label, "metric": result.metric, **_discrepancy(discrepancy)}
        for label, pair in _pairs(results)
        for result in pair.values()
        if isinstance(result.outcome, Scored)
        for discrepancy in result.outcome.discrepancies
    ]
    made = pandas.DataFrame(rows, columns=_DISCREPANCY)
    for name in ("metric", "category", "severity", "importance", "finding", "side", "reason"):
        made[name] = made[name].astype("string")
    for name in ("weight", "probability"):
        made[name] = made[name].astype("float64")
    return made


_DISCREPANCY: Final = [
    *("id", "metric", "category", "severity", "importance", "weight", "probability", "finding", "side", "reason"),
    *("reference_spans", "candidate_spans"),
]


def _discrepancy(found: Discrepancy) -> dict[str, Any]:
    return {
        "category": found.category.value if found.category else None,
        "severity": found.severity.value,
        "importance": found.importance.value if found.importance else None,
        "weight": found.weight,
        "probability": found.probability,
        "finding": found.finding,
        "side": found.side,
        "reason": found.reason,
        "reference_spans": [(span.start, span.end) for span in found.reference_spans],
        "candidate_spans": [(span.start, span.end) for span in found.candidate_spans],
    }


def _pandas() -> Any:
    require("a data frame", "frames")
    import pandas as pd

    return pd


def _table_columns(table: Table) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {}
    for index, column in enumerate(table.columns):
        cells = [row[index] for row in table.rows]
        if not any(isinstance(cell, Estimate) for cell in cells):
            columns[column.name] = cells
            continue
        estimates = [cell if isinstance(cell, Estimate) else Estimate(None) for cell in cells]
        columns[column.name] = [estimate.value for estimate in estimates]
        columns[f"{column.name}_low"] = [estimate.low for estimate in estimates]
        columns[f"{column.name}_high"] = [estimate.high for estimate in estimates]
    return columns


@frozen
class _TidyColumns:
    """Columns of a tidy table, a row for each pair and metric; None where there is nothing."""

    labels: Sequence[Any]
    metrics: Sequence[str]
    scores: Sequence[float | None]
    reasons: Sequence[str | None]
    directions: Sequence[bool]
    subscores: Mapping[str, Sequence[float | None]]

    @classmethod
    def of(cls, pairs: Sequence[_Pair]) -> _TidyColumns:
        every = [(label, result) for label, pair in pairs for result in pair.values()]
        scored = [result.outcome if isinstance(result.outcome, Scored) else None for _, result in every]
        names = dict.fromkeys(name for outcome in scored if outcome for name in outcome.subscores)
        return cls(
            labels=[label for label, _ in every],
            metrics=[result.metric for _, result in every],
            scores=[outcome.score if outcome else None for outcome in scored],
            reasons=[result.outcome.reason if isinstance(result.outcome, Unscored) else None for _, result in every],
            directions=[result.scale.higher_is_better for _, result in every],
            subscores={
                f"{_SUBSCORE}{name}": [outcome.subscores.get(name) if outcome else None for outcome in scored]
                for name in names
            },
        )


def _tidy(pandas: Any, pairs: Sequence[_Pair]) -> Any:
    tidy = _TidyColumns.of(pairs)
    columns = {
        "id": pandas.Series(tidy.labels, dtype=None if tidy.labels else "string"),
        "metric": pandas.Series(tidy.metrics, dtype="string"),
        "score": pandas.Series(tidy.scores, dtype="float64"),
        "reason": pandas.Series(tidy.reasons, dtype="string"),
        "higher_is_better": pandas.Series(tidy.directions, dtype=bool),
        **{name: pandas.Series(values, dtype="float64") for name, values in tidy.subscores.items()},
    }
    return pandas.DataFrame(columns)


def _wide(pandas: Any, pairs: Sequence[_Pair]) -> Any:
    index = pandas.Index([label for label, _ in pairs], name="id", tupleize_cols=False)
    columns = {
        name: [pair[name].score if name in pair and pair[name].is_scored else _NAN for _, pair in pairs]
        for name in _metrics(pairs)
    }
    return pandas.DataFrame(columns, index=index, dtype="float64")


def _metrics(pairs: Sequence[_Pair]) -> list[str]:
    return list(dict.fromkeys(name for _, pair in pairs for name in pair))


def _pairs(results: Any) -> Iterator[_Pair]:
    """The results by pair and metric, in order; those given one by one are joined where they are of one pair."""
    if isinstance(results, EvaluationResult):
        results = [results]
    if isinstance(results, Mapping):
        single = any(isinstance(value, EvaluationResult) for value in results.values())
        results = [results] if single else list(results.values())
    alone: dict[str, dict[str, EvaluationResult]] = {}
    for item in results:
        if isinstance(item, EvaluationResult):
            alone.setdefault(item.pair_id, {})[item.metric] = item
        elif isinstance(item, Mapping) and all(isinstance(value, EvaluationResult) for value in item.values()):
            yield _label(item), item
        else:
            raise InputError(
                "results", f"holds {type(item).__name__}, not results", remedy="give what score_many returned"
            )
    yield from alone.items()


def _label(pair: Mapping[str, EvaluationResult]) -> Any:
    label = getattr(pair, "label", None)
    return next((result.pair_id for result in pair.values()), "") if label is None else label
