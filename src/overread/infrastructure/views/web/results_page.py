"""Results of pairs as a table: an element for notebooks, and a page that can show the pairs below it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import frozen

from overread.application.scoring.corpus import MetricSummary
from overread.domain.findings.signs import SignReader, no_signs
from overread.domain.reports.report import ReportPair
from overread.domain.results.corpus_figures import UNREAD
from overread.domain.results.diversity import Diversity
from overread.domain.results.result import EvaluationResult, Scale
from overread.infrastructure.views import wording
from overread.infrastructure.views.summaries import diversity_words
from overread.infrastructure.views.web.pair_page import pair_fragment, pair_style
from overread.infrastructure.views.web.templating import template

__all__ = ["results_fragment", "results_page"]

_Results = Sequence[Mapping[str, EvaluationResult]]


@frozen
class _Metric:
    """A metric over all pairs."""

    name: str
    scale: Scale
    summary: MetricSummary

    @property
    def unread(self) -> str:
        """Shares of words that its reader passed over; "" if it does not know."""
        figures = self.summary.figures
        known = [(ratio.name.removesuffix("_unread"), figures[ratio.name]) for ratio in UNREAD if ratio.name in figures]
        return ", ".join(f"{100 * share:.1f} % of {side}s" for side, share in known)


def results_fragment(results: _Results, *, most: int, diversity: Diversity | None = None) -> str:
    """A summary by metric, and a row for each of the first pairs, as one element; no report text is in it.

    Args:
        results: of each pair by metric.
        most: rows that are shown.
        diversity: of the wording of the pairs, if it is known.
    """
    return f"<style>{pair_style()}</style>\n{_body(results, most=most, level=2, diversity=diversity)}"


def results_page(
    results: _Results,
    pairs: Sequence[ReportPair | None],
    finding_name: wording.FindingName,
    *,
    signs: SignReader = no_signs,
    diversity: Diversity | None = None,
) -> str:
    """The same as a page with every row, and below it the pairs that are given.

    Args:
        results: of each pair by metric.
        pairs: the reports of the first of them; None is left out.
        finding_name: display name of a finding by its lexicon id.
        signs: finds headings and cues in the reports.
        diversity: of the wording of all pairs, if it is known.
    """
    shown = [
        pair_fragment(pair, by_metric, finding_name, signs=signs, part=f"pair{number}", styled=False)
        for number, (pair, by_metric) in enumerate(zip(pairs, results, strict=False), start=1)
        if pair is not None
    ]
    body = "\n".join((_body(results, most=len(results), level=1, diversity=diversity), *shown))
    title = wording.format_count(len(results), "pair")
    return template("page.html.j2").render(pair_id=title, style=pair_style(), body=body)


def _body(results: _Results, *, most: int, level: int, diversity: Diversity | None) -> str:
    metrics = _metrics(results)
    return template("results.html.j2").render(
        level=level,
        prefix="",
        title=wording.format_count(len(results), "pair"),
        metrics=metrics,
        wording_words=diversity_words(diversity) if diversity is not None else "",
        warning=diversity.warning if diversity is not None else "",
        rows=[(_id(pair), [pair.get(metric.name) for metric in metrics]) for pair in results[:most]],
        more=max(0, len(results) - most),
    )


def _metrics(results: _Results) -> list[_Metric]:
    made: dict[str, _Metric] = {}
    for pair in results:
        for name, result in pair.items():
            made.setdefault(name, _Metric(name, result.scale, MetricSummary())).summary.add(result)
    return list(made.values())


def _id(pair: Mapping[str, EvaluationResult]) -> str:
    return next((result.pair_id for result in pair.values()), "")
