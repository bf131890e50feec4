"""Baselines without reading: how much of a figure the candidate alone, or the words in common, would give.

A corpus whose wrong candidates keep the reference's words can be told apart without understanding any of them, and a
reader that has learned from such a corpus may do no more than that. A metric is worth what it adds to these baselines.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import evolve, frozen

from overread.application.statistics import Estimate, Resampling
from overread.application.statistics.estimating import as_estimate
from overread.application.statistics.screening import AreaUnderRoc
from overread.application.statistics.tabulation import Cell, Column, Table
from overread.application.statistics.weighted import Weights
from overread.domain.reports.report import ReportPair
from overread.domain.results.annotation import AnnotatedPair, HumanBenchmark
from overread.domain.results.scores import MetricScores
from overread.studies.application.meta_evaluation.evaluation import (
    DIFFERENT_CARE,
    Mask,
    MetaEvaluation,
    Part,
    Values,
    both,
)

__all__ = ["baselines", "like_for_like", "needs_shuffling", "predict_from_candidates", "shuffled_pairs", "word_overlap"]

_BLIND: Final = "candidate alone"
_NEW_WORDS: Final = "new words"

_BINS: Final = 5
"""Strata of overlap, of equal size."""

_FOLDS: Final = 5
_RIDGE: Final = 1.0
_SHORTEST: Final = 1e-12
_WORD: Final = re.compile(r"[^\W_]+")


def needs_shuffling(benchmark: HumanBenchmark) -> bool:
    """Tell whether a set is shown beside baselines: one that marks different care, in several studies."""
    marked = any(target.name == DIFFERENT_CARE for target in benchmark.targets)
    return marked and len({annotated.study for annotated in benchmark.pairs}) > 1


def shuffled_pairs(benchmark: HumanBenchmark) -> list[ReportPair]:
    """Give each candidate the reference of another study, of the same modality where there is one.

    The next study in the order of the data lends its reference, so that the same set is always shuffled alike. A set of
    one study has nobody to borrow from: its pairs stay as they are.
    """
    lenders: defaultdict[str, dict[str, AnnotatedPair]] = defaultdict(dict)
    for annotated in benchmark.pairs:
        lenders[annotated.strata.get("modality", "")].setdefault(annotated.study, annotated)
        lenders["*"].setdefault(annotated.study, annotated)
    return [_borrow_reference(annotated, lenders) for annotated in benchmark.pairs]


def _borrow_reference(annotated: AnnotatedPair, lenders: Mapping[str, Mapping[str, AnnotatedPair]]) -> ReportPair:
    alike = lenders[annotated.strata.get("modality", "")]
    studies = list(alike if len(alike) > 1 else lenders["*"])
    following = studies[(studies.index(annotated.study) + 1) % len(studies)]
    lender = lenders["*"][following]
    return evolve(annotated.pair, reference=lender.pair.reference, context=lender.pair.context)


def word_overlap(pair: ReportPair) -> float:
    """Share of the words of both reports that they have in common (Dice's coefficient of word counts), 0 to 1.

    >>> word_overlap(ReportPair(id="p", reference="No effusion.", candidate="Small effusion."))
    0.5
    """
    reference_words, candidate_words = (Counter(_words(report.text)) for report in (pair.reference, pair.candidate))
    total = reference_words.total() + candidate_words.total()
    return 2 * (reference_words & candidate_words).total() / total if total else 1.0


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


@frozen
class _LikeForLike:
    """AUROC over pairs of rows of one stratum: none is told from another by what makes the strata."""

    strata: npt.NDArray[np.intp]

    def value(self, scores: Values, people: Values) -> float:
        return float(self.resample(scores, people, np.ones((1, len(scores)), dtype=np.float32))[0])

    def resample(self, scores: Values, people: Values, weights: Weights) -> Values:
        above, below = np.zeros(len(weights)), np.zeros(len(weights))
        for stratum in np.unique(self.strata):
            rows = self.strata == stratum
            drawn, positive = weights[:, rows], people[rows] > 0
            compared = drawn[:, positive].sum(axis=1) * drawn[:, ~positive].sum(axis=1)
            area = AreaUnderRoc().resample(scores[rows], people[rows], drawn)
            above += np.where(compared > 0, area * compared, 0.0)
            below += compared
        return np.divide(above, below, out=np.full(len(weights), np.nan), where=below > 0)


def like_for_like(badness: Values, people: Values, overlap: Values, resampling: Resampling) -> Estimate:
    """AUROC among pairs of like overlap, with its interval: rows are compared within fifths of the overlap alone.

    Args:
        badness: higher is worse, NaN where there is none.
        people: 1 for what is to be found, 0 for others, NaN where nobody said.
        overlap: of the words of both reports, 0 to 1.
        resampling: made for these rows.
    """
    rows = both(badness, people)
    if not rows.any():
        return Estimate(None)
    cuts = np.quantile(overlap[rows], np.linspace(0, 1, _BINS + 1)[1:-1])
    measure = _LikeForLike(np.searchsorted(cuts, overlap[rows], side="right"))
    blocks = [measure.resample(badness[rows], people[rows], weights) for weights in resampling.weights(rows)]
    return as_estimate(measure.value(badness[rows], people[rows]), np.concatenate(blocks), resampling.held(rows))


def baselines(meta: MetaEvaluation) -> Part:
    """A table of each metric beside what is reached without reading; nothing for a set without a mark of care."""
    care = next((target for target in meta.targets if target.name == DIFFERENT_CARE), None)
    if care is None or not meta.shuffled:
        return Part()
    people = meta.marks(care)
    if len(np.unique(people[np.isfinite(people)])) < 2:  # noqa: PLR2004
        return Part()
    overlap = np.array([word_overlap(annotated.pair) for annotated in meta.benchmark.pairs])
    table = Table(
        name="baselines",
        title="Beside what needs no reading, for different care",
        columns=(
            Column(name="metric", title="metric"),
            Column(name="auroc", title="AUROC"),
            Column(name="shuffled", title="shuffled"),
            Column(name="like_overlap", title="like overlap"),
            Column(name="kendall", title="tau-b"),
            Column(name="kendall_shuffled", title="shuffled"),
        ),
        rows=tuple(_rows(meta, people, overlap)),
        note=_NOTE,
    )
    return Part(tables=(table,))


_NOTE: Final = (
    "AUROC for different care and Kendall's tau-b with the set's first target; shuffled: each candidate beside another "
    "study's reference; like overlap: AUROC among pairs that share as many words (fifths of the overlap). "
    f"{_BLIND}: a ridge regression on the candidate's words, fitted on other studies; {_NEW_WORDS}: the fewer new "
    "words a candidate has, the worse. A metric is worth what it adds to these."
)


def _rows(meta: MetaEvaluation, people: Values, overlap: Values) -> Iterator[tuple[Cell, ...]]:
    for scores in meta.scores:
        if not scores.counts_of:
            shuffled = next((other for other in meta.shuffled if other.metric == scores.metric), None)
            yield _row(meta, scores.metric, meta.badness(scores), people, overlap, shuffled=_badness(meta, shuffled))
    blind = predict_from_candidates(meta.benchmark, people)
    yield _row(meta, _BLIND, blind, people, overlap)
    yield _row(meta, _NEW_WORDS, overlap, people, overlap)


def _badness(meta: MetaEvaluation, scores: MetricScores | None) -> Values | None:
    return None if scores is None else meta.badness(scores)


def _row(
    meta: MetaEvaluation,
    name: str,
    badness: Values,
    people: Values,
    overlap: Values,
    *,
    shuffled: Values | None = None,
) -> tuple[Cell, ...]:
    rated = people if meta.primary is None else meta.judged(meta.primary)
    return (
        name,
        meta.estimate("auroc", badness, people),
        None if shuffled is None else meta.estimate("auroc", shuffled, people),
        like_for_like(badness, people, overlap, meta.resampling),
        meta.estimate("kendall", badness, rated),
        None if shuffled is None else meta.estimate("kendall", shuffled, rated),
    )


def predict_from_candidates(benchmark: HumanBenchmark, people: Values) -> Values:
    """Predictions of a ridge regression on the words of each candidate, fitted on the other folds of studies.

    Args:
        benchmark: the pairs.
        people: what is predicted, NaN where nobody said.
    """
    words = _word_vectors([annotated.pair.candidate.text for annotated in benchmark.pairs])
    named = [annotated.study for annotated in benchmark.pairs]
    studies = {study: number for number, study in enumerate(dict.fromkeys(named))}
    folds = np.array([studies[study] % _FOLDS for study in named])
    known, predicted = np.isfinite(people), np.full(len(people), np.nan)
    for fold in range(_FOLDS):
        learned, tried = known & (folds != fold), folds == fold
        if learned.any() and tried.any():
            predicted[tried] = _ridge(words, people, learned, tried)
    return predicted


def _ridge(words: npt.NDArray[np.float32], people: Values, learned: Mask, tried: Mask) -> Values:
    """Ridge regression in its dual form: one unknown a learned pair."""
    mean = people[learned].mean()
    inner = (words[learned] @ words[learned].T).astype(np.float64)
    inner[np.diag_indices_from(inner)] += _RIDGE
    weights = np.linalg.solve(inner, people[learned] - mean)
    predicted: Values = mean + (words[tried] @ words[learned].T) @ weights
    return predicted


def _word_vectors(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """Log counts of words weighed by their rarity, each text's of length 1."""
    counted = [Counter(_words(text)) for text in texts]
    seen = Counter(word for counts in counted for word in counts)
    places = {word: place for place, word in enumerate(sorted(word for word, count in seen.items() if count > 1))}
    vectors = np.zeros((len(texts), max(1, len(places))), dtype=np.float32)
    for row, counts in zip(vectors, counted, strict=True):
        for word, count in counts.items():
            if word in places:
                row[places[word]] = (1 + np.log(count)) * np.log(len(texts) / seen[word])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, _SHORTEST), dtype=np.float32)
