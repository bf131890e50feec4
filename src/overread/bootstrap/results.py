"""Results of scoring: the list and the dicts that callers know, with ways to look at them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, overload

from overread.application.scoring.corpus import MetricSummary
from overread.bootstrap.pages import render_fragment, render_page, render_results, render_results_page
from overread.domain.reports.report import ReportPair
from overread.domain.results.diversity import Diversity
from overread.domain.results.result import EvaluationResult
from overread.infrastructure.frames.writing import arrow_table, results_diversity, summaries_of
from overread.infrastructure.frames.writing import frame as score_frame
from overread.infrastructure.frames.writing import summary_frame as score_summary_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["PairResults", "Results"]

_ROWS_SHOWN: Final = 20
"""Of a table in a notebook."""


class PairResults(dict[str, EvaluationResult]):
    """The results of one pair by metric: a dict, and equal to one.

    It holds the pair to show it. A pickle or a copy of it does not, so that whole reports go nowhere by the way.

    Attributes:
        pair: the reports, where they are known.
        label: the id as the table had it that the pair came from, for example a number; None where there was none.
    """

    __slots__ = ("label", "pair")

    def __init__(
        self,
        results: Mapping[str, EvaluationResult] | Iterable[tuple[str, EvaluationResult]] = (),
        *,
        pair: ReportPair | None = None,
        label: Any = None,
    ) -> None:
        super().__init__(results)
        self.pair = pair
        self.label = label

    @property
    def id(self) -> str:
        """Id of the pair; "" where there is no result."""
        return next((result.pair_id for result in self.values()), "")

    def frame(self, *, wide: bool = False) -> pd.DataFrame:
        """The scores as a data frame; see `overread.frame`."""
        return score_frame([self], wide=wide)

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """The records of the results by metric, as `overread.result_record` makes them: plain values without text."""
        return {name: result.to_dict() for name, result in self.items()}

    def to_html(self) -> str:
        """A whole page: both reports marked, as by `overread.render_page`; without the pair, the results alone."""
        return render_page(self.pair, self) if self.pair is not None else render_results_page([self], [])

    def _repr_html_(self) -> str:
        """Notebook view: the pair with everything marked, where it is known. It holds both reports."""
        if self.pair is not None:
            return render_fragment(self.pair, self)
        return "".join(result.to_html() for result in self.values())

    def __repr__(self) -> str:
        outcomes = ", ".join(f"{name} {_outcome_words(result)}" for name, result in self.items())
        return f"PairResults({self.id!r}: {outcomes})" if self else "PairResults()"

    def __reduce__(self) -> tuple[Any, ...]:
        return _pair_results, (dict(self), self.label)


def _pair_results(results: Mapping[str, EvaluationResult], label: Any) -> PairResults:
    return PairResults(results, label=label)


def _outcome_words(result: EvaluationResult) -> str:
    return f"{result.score:.3f}" if result.is_scored else f"unscored ({result.outcome.reason})"  # type: ignore[union-attr]


class Results(list[PairResults]):
    """The results of pairs in their order: a list, and equal to one."""

    __slots__ = ()

    @overload
    def __getitem__(self, place: SupportsIndex) -> PairResults: ...

    @overload
    def __getitem__(self, place: slice) -> Results: ...

    def __getitem__(self, place: SupportsIndex | slice) -> PairResults | Results:
        """The results of one pair, or of some."""
        selected = super().__getitem__(place)
        return Results(selected) if isinstance(place, slice) else selected  # type: ignore[arg-type, return-value]

    def summary(self) -> dict[str, MetricSummary]:
        """Summary of each metric: how many pairs are scored, their mean, and why the others are not."""
        return summaries_of(self)

    def diversity(self) -> Diversity | None:
        """Diversity of the wording of the candidates and of the references; None where the pairs are not known."""
        return results_diversity(self)

    def frame(self, *, wide: bool = False) -> pd.DataFrame:
        """The scores as a data frame; see `overread.frame`."""
        return score_frame(self, wide=wide)

    def summary_frame(self) -> pd.DataFrame:
        """The figures of the corpus as a data frame, a row for each metric and figure; see `overread.summary_frame`."""
        return score_summary_frame(self)

    def arrow(self) -> pa.Table:
        """The scores as an Arrow table; see `overread.arrow_table`."""
        return arrow_table(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain values without text, for JSON: summaries by metric, diversity, and the record of each pair and metric.

        The records are those that `overread.result_record` makes, and `overread corpus` writes.
        """
        from overread.infrastructure.views.summaries import diversity_record

        return {
            "pairs": len(self),
            "summary": {name: _summary_record(summary) for name, summary in self.summary().items()},
            "diversity": diversity_record(self.diversity()),
            "results": [result.to_dict() for pair in self for result in pair.values()],
        }

    def to_html(self, *, pairs: int = 0) -> str:
        """A whole page: a summary and a row for each pair.

        Args:
            pairs: of how many pairs, the first ones, both reports follow, marked. None does unless asked, so that no
                report text is in it.
        """
        return render_results_page(self, [pair.pair for pair in self[:pairs]], diversity=self.diversity())

    def _repr_html_(self) -> str:
        """Notebook view: a summary and the first rows, without report text."""
        return render_results(self, most=_ROWS_SHOWN, diversity=self.diversity())

    def __repr__(self) -> str:
        summaries = "; ".join(f"{name} {_summary_words(summary)}" for name, summary in self.summary().items())
        return f"Results of {len(self)} {'pair' if len(self) == 1 else 'pairs'}" + (
            f": {summaries}" if summaries else ""
        )


def _summary_record(summary: MetricSummary) -> dict[str, Any]:
    return {
        "mean": summary.mean,
        "scored": summary.scored,
        "truncated": summary.truncated,
        "figures": summary.figures,
        "unscored": dict(summary.unscored),
    }


def _summary_words(summary: MetricSummary) -> str:
    reasons = ", ".join(f"{count} {reason}" for reason, count in summary.unscored.most_common())
    unscored = f"unscored: {reasons}" if reasons else ""
    if summary.mean is None:
        return unscored or "nothing scored"
    return f"{summary.mean:.3f} over {summary.scored} of {summary.pairs}" + (f" ({unscored})" if unscored else "")
