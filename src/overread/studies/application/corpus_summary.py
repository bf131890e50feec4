"""Summary of a corpus: the means and figures that people quote, each with its interval, from kept results alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.application.statistics import DRAWS, Estimate, Resampling, as_estimate, estimate_mean, estimate_ratios
from overread.application.statistics.tabulation import Cell, Column, Table, Tabulation
from overread.domain.findings.chest_labels import LABELS
from overread.domain.results.corpus_figures import (
    BLEU,
    BLEU_TITLE,
    LABEL_FIGURES,
    RATIOS,
    LabelFigure,
    Ratio,
    bleu_order,
    bleu_terms,
    corpus_bleu,
    label_terms,
    terms_of,
    unread_terms,
)
from overread.domain.results.scores import Floats, MetricScores
from overread.exceptions import ConfigurationError
from overread.studies.application.comparison import PairFacts, Source, diversity_table, template_notes

__all__ = ["summarise_results"]

_Column = npt.NDArray[np.float64]

_BLEU_MEANING: Final = "BLEU of the whole corpus: counts are summed before they are divided; no mean of the pairs'"


def summarise_results(
    source: Source,
    facts: PairFacts,
    *,
    metrics: Sequence[str] = (),
    draws: int = DRAWS,
    seed: int = 0,
) -> Tabulation:
    """Summarises the results of one file: means, and the figures of a corpus that are not means.

    Intervals are 95 % percentile intervals of a bootstrap over studies: a study's pairs are drawn together. Where no
    studies are known, each pair is one. Every figure is over the scored pairs; the others are counted by reason.

    Args:
        source: the results.
        facts: studies of the pairs; strata are not used.
        metrics: names of those to use; all that the file holds by default.
        draws: of the bootstrap, 1 or more.
        seed: of the draws.

    Returns:
        Tables "means" (a row per metric), "diversity" (of the candidates, and of the references, where it is known),
        "figures" (a row per metric and figure, where a metric has any) and
        "unscored" (a row per metric and reason, where a pair is unscored).

    Raises:
        ConfigurationError: if the file does not hold one of ``metrics``.
    """
    if missing := [name for name in metrics if name not in source.metrics]:
        held = ", ".join(source.metrics)
        raise ConfigurationError([f"{', '.join(missing)}: not in {source.name}, which holds {held}"])
    corpora = [_Corpus.of(source.metrics[name], facts, draws, seed) for name in metrics or source.metrics]
    studies = any(corpus.resampling.count < len(corpus.scores.ids) for corpus in corpora) or bool(facts.studies)
    figures = [row for corpus in corpora for row in _figures(corpus)]
    diversity = diversity_table([source])
    unscored = [
        (corpus.scores.metric, reason, count) for corpus in corpora for reason, count in corpus.scores.unscored.items()
    ]
    return Tabulation(
        name="summary",
        title=f"Summary of {source.name}",
        tables=(
            _means(corpora),
            *((diversity,) if diversity else ()),
            *((_figure_table(figures, studies=studies),) if figures else ()),
            *((_unscored_table(unscored),) if unscored else ()),
        ),
        facts={
            "pairs": max(len(corpus.scores.ids) for corpus in corpora),
            "intervals": "95 %, by study" if studies else "95 %, by pair",
            **({"studies": max(corpus.studies for corpus in corpora)} if studies else {}),
            "draws": draws,
            "seed": seed,
            **{corpus.scores.metric: corpus.scores.signature for corpus in corpora if corpus.scores.signature},
        },
        notes=(*template_notes([source]), *_notes(corpora, studies=studies)),
    )


@frozen
class _Corpus:
    """Scores of one metric over the pairs, as terms of figures.

    Attributes:
        terms: one number per pair, NaN where a pair is unscored or lacks it.
        studies: number of studies.
    """

    scores: MetricScores
    terms: dict[str, _Column]
    resampling: Resampling
    studies: int

    @classmethod
    def of(cls, scores: MetricScores, facts: PairFacts, draws: int, seed: int) -> _Corpus:
        studies = facts.studies_of(scores.ids)
        resampling = Resampling.by_study(studies, draws=draws, seed=seed)
        return cls(scores, _terms(scores), resampling, len(set(studies)))

    @property
    def scored(self) -> int:
        """Pairs with a score."""
        return int(np.count_nonzero(~np.isnan(self.scores.scores)))


def _terms(scores: MetricScores) -> dict[str, _Column]:
    """The terms of the pairs that have all of them: figures of one metric are over the same pairs."""
    named = terms_of(dict.fromkeys(scores.subscores, 0.0))
    terms = {name: _exact(scores.subscores[name]) for name in named if name in scores.subscores}
    for side in ("candidate", "reference"):
        if (name := f"{side}_coverage") in scores.subscores:
            coverage = _exact(scores.subscores[name])
            terms |= unread_terms(side, coverage, np.where(np.isnan(coverage), np.nan, 1.0))
    for label in LABELS:
        if f"hit_{label}" in named:
            sides = (_exact(scores.subscores[f"{side}_{label}"]) for side in ("reference", "candidate"))
            terms |= label_terms(label, *sides)
    for name in named:
        if name not in terms:
            # What is told by the number of significant errors.
            significant = _exact(scores.subscores["significant"])
            outcomes = [terms_of({"A": 0.0, "significant": value})[name] for value in (0.0, 1.0)]
            terms[name] = np.where(np.isnan(significant), np.nan, np.where(significant == 0, *outcomes))
    return terms


def _exact(values: Floats) -> _Column:
    return values.astype(np.float64)


def _means(corpora: Sequence[_Corpus]) -> Table:
    rows = tuple(
        (
            corpus.scores.metric,
            corpus.scored,
            len(corpus.scores.ids) - corpus.scored,
            estimate_mean(_exact(corpus.scores.scores), corpus.resampling),
            "higher" if corpus.scores.higher_is_better else "lower",
        )
        for corpus in corpora
    )
    return Table(
        name="means",
        title="Mean scores",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="scored", title="Scored"),
            Column(name="unscored", title="Unscored"),
            Column(name="mean", title="Mean"),
            Column(name="better", title="Better is"),
        ),
        rows=rows,
        note="Over the scored pairs, with 95 % intervals.",
    )


def _figures(corpus: _Corpus) -> list[tuple[Cell, ...]]:
    ratios = [ratio for ratio in RATIOS if ratio.above in corpus.terms and ratio.below in corpus.terms]
    rows = [_ratio_row(corpus, ratio) for ratio in ratios]
    if order := bleu_order(corpus.terms):
        estimate = _of_sums(corpus, bleu_terms(order), corpus_bleu)
        rows.append((corpus.scores.metric, BLEU_TITLE, estimate, None, None, "higher", BLEU))
    for figure in LABEL_FIGURES:
        if corpus.terms.keys() >= set(figure.terms):
            estimate = _of_sums(corpus, figure.terms, figure.of)
            rows.append((corpus.scores.metric, figure.title, estimate, None, None, "higher", figure.name))
    return rows


def _ratio_row(corpus: _Corpus, ratio: Ratio) -> tuple[Cell, ...]:
    above, below = corpus.terms[ratio.above], corpus.terms[ratio.below]
    known = np.isfinite(above) & np.isfinite(below)
    above, below = np.where(known, above, 0.0), np.where(known, below, 0.0)
    [estimate] = estimate_ratios([above], [below], corpus.resampling)
    better = "higher" if ratio.higher_is_better else "lower"
    counted = (int(above.sum()) if ratio.is_count else None, int(below.sum()))
    return (corpus.scores.metric, ratio.title, estimate, *counted, better, ratio.name)


def _of_sums(corpus: _Corpus, terms: Sequence[str], figure: Callable[[_Column], _Column]) -> Estimate:
    """A figure that follows from sums of terms, which stand in the last axis of what it is given."""
    columns = np.stack([np.nan_to_num(corpus.terms[name]) for name in terms], axis=1)
    totals = np.zeros((corpus.resampling.count, columns.shape[1]))
    np.add.at(totals, corpus.resampling.clusters, columns)
    sums = np.concatenate([counts @ totals for counts in corpus.resampling.counts()])
    drawn = np.where(sums.any(axis=-1), figure(sums), np.nan)  # a draw may hold no scored pair
    value = float(figure(columns.sum(axis=0))) if corpus.scored else np.nan
    return as_estimate(value, drawn, corpus.resampling.held(columns.any(axis=1)))


def _figure_table(rows: Sequence[tuple[Cell, ...]], *, studies: bool) -> Table:
    names = {row[-1] for row in rows}
    known: tuple[Ratio | LabelFigure, ...] = (*RATIOS, *LABEL_FIGURES)
    meanings = [f"{figure.title}: {figure.meaning}" for figure in known if figure.name in names]
    if BLEU in names:
        meanings.append(f"{BLEU_TITLE}: {_BLEU_MEANING}")
    by = "study" if studies else "pair"
    return Table(
        name="figures",
        title="Figures of the corpus",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="figure", title="Figure"),
            Column(name="value", title="Value"),
            Column(name="count", title="Count"),
            Column(name="of", title="Of"),
            Column(name="better", title="Better is"),
        ),
        rows=tuple(row[:-1] for row in rows),
        note=f"Over the scored pairs, with 95 % intervals by {by}. {'; '.join(meanings)}.",
    )


def _unscored_table(rows: Sequence[tuple[Cell, ...]]) -> Table:
    return Table(
        name="unscored",
        title="Unscored pairs",
        columns=(
            Column(name="metric", title="Metric"),
            Column(name="reason", title="Reason"),
            Column(name="pairs", title="Pairs"),
        ),
        rows=tuple(rows),
        note="They enter no figure.",
    )


def _notes(corpora: Sequence[_Corpus], *, studies: bool) -> tuple[str, ...]:
    notes = []
    if not studies:
        notes.append(
            "no studies are known: each pair counts as one, so that intervals are too narrow where several pairs share "
            "a study; name the file of pairs, which has a column study"
        )
    if any(
        scores.metric == "notation" and "actionable" not in scores.subscores for scores in (c.scores for c in corpora)
    ):
        notes.append("notation of an earlier version did not count what asks for action; score the pairs again")
    return tuple(notes)
