"""Results as pandas data frames. pandas is imported when a frame is made: it is an extra."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Scored, Unscored
from overread.exceptions import InputError
from overread.extras import require

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["discrepancy_frame", "frame"]

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
            does; of one pair; or results one by one.
        wide: whether each pair has one row.

    Raises:
        MissingDependencyError: if pandas is not installed.
        InputError: if it holds something that is no result.
    """
    pandas, pairs = _pandas(), list(_pairs(results))
    made = _wide(pandas, pairs) if wide else _tidy(pandas, pairs)
    first = {result.metric: result for _, pair in reversed(pairs) for result in pair.values()}
    in_order = sorted(first.items(), key=lambda each: _metrics(pairs).index(each[0]))
    made.attrs["scales"] = {name: result.scale.describe() for name, result in in_order}
    made.attrs["higher_is_better"] = {name: result.scale.higher_is_better for name, result in in_order}
    made.attrs["signatures"] = {name: str(result.signature) for name, result in in_order}
    return made


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


def _tidy(pandas: Any, pairs: Sequence[_Pair]) -> Any:
    every = [(label, result) for label, pair in pairs for result in pair.values()]
    scored = [result.outcome if isinstance(result.outcome, Scored) else None for _, result in every]
    reasons = [result.outcome.reason if isinstance(result.outcome, Unscored) else None for _, result in every]
    names = dict.fromkeys(name for outcome in scored if outcome for name in outcome.subscores)
    columns: dict[str, Any] = {
        "id": pandas.Series([label for label, _ in every], dtype=None if every else "string"),
        "metric": pandas.Series([result.metric for _, result in every], dtype="string"),
        "score": _numbers(pandas, (outcome.score if outcome else _NAN for outcome in scored)),
        "reason": pandas.Series(reasons, dtype="string"),
        "higher_is_better": pandas.Series([result.scale.higher_is_better for _, result in every], dtype=bool),
    }
    for name in names:
        values = (outcome.subscores.get(name, _NAN) if outcome else _NAN for outcome in scored)
        columns[f"{_SUBSCORE}{name}"] = _numbers(pandas, values)
    return pandas.DataFrame(columns)


def _wide(pandas: Any, pairs: Sequence[_Pair]) -> Any:
    index = pandas.Index([label for label, _ in pairs], name="id", tupleize_cols=False)
    columns = {
        name: [pair[name].score if name in pair and pair[name].is_scored else _NAN for _, pair in pairs]
        for name in _metrics(pairs)
    }
    return pandas.DataFrame(columns, index=index, dtype="float64")


def _numbers(pandas: Any, values: Iterable[float]) -> Any:
    return pandas.Series(list(values), dtype="float64")


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
