"""GREEN summaries (Ostmeier et al. 2024, section 3.3): how often each kind of error occurs, and its typical case."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt
from attrs import define, evolve, field, frozen

from overread.application.ports import TextEncoder
from overread.application.scoring.corpus import Row, evaluate_corpus
from overread.application.scoring.evaluate import EvaluationService, Progress
from overread.application.scoring.text_sample import TextSample, watch_rows
from overread.domain.results.diversity import Diversity
from overread.domain.results.result import EvaluationResult, Outcome, Scored
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorCategory
from overread.exceptions import ConfigurationError

__all__ = [
    "CategorySummary",
    "GreenSummary",
    "Grouper",
    "Grouping",
    "Sentence",
    "summarise_corpus",
    "summarise_green",
]

REPRESENTATIVES: Final = 3
"""Sentences shown of a category: figure 4 of the paper names the three nearest to the centre."""


@frozen(eq=False)
class Grouping:
    """Vectors in clusters.

    Attributes:
        labels: cluster of each vector, n; 0 is the largest.
        distances: of each vector from the mean of its cluster, n.
        silhouette: of this number of clusters, -1 to 1, higher is better; None for a single cluster.
    """

    labels: npt.NDArray[np.int64]
    distances: npt.NDArray[np.float64]
    silhouette: float | None = None


class Grouper(Protocol):
    """Clusters vectors and lays them out on a plane."""

    @property
    def identity(self) -> str:
        """Everything about it that changes a summary."""
        ...

    def group(self, vectors: npt.NDArray[np.float32]) -> Grouping:
        """The clusters of n x d vectors, n at least 1."""
        ...

    def lay_out(self, vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
        """A place for each of n x d vectors, n x 2 on [0, 1], similar ones near one another."""
        ...


@frozen(kw_only=True)
class Sentence:
    """A distinct explanation.

    Attributes:
        times: how many errors it explains.
        cluster: 0 is the largest.
        place: in the plot, x and y on [0, 1]; None where none was asked for.
    """

    text: str = field(repr=False)
    times: int
    cluster: int
    distance: float
    place: tuple[float, float] | None = None


@frozen(kw_only=True)
class CategorySummary:
    """Significant errors of one category over the scored pairs.

    Attributes:
        free: share of pairs without such an error, 0 to 1, None where no pair is scored. The paper calls it accuracy.
        errors: how many there are.
        explained: how many of them the answers explain.
        clusters: of the explanations, 0 if there are none.
        sentences: distinct explanations, the nearest to the centre of their cluster first.
    """

    category: ErrorCategory
    free: float | None
    errors: int
    explained: int
    clusters: int
    silhouette: float | None
    sentences: tuple[Sentence, ...] = field(repr=False)

    @property
    def representatives(self) -> tuple[Sentence, ...]:
        """The sentences of the largest cluster nearest to its centre, three at most."""
        return tuple(sentence for sentence in self.sentences if sentence.cluster == 0)[:REPRESENTATIVES]


@frozen(kw_only=True)
class GreenSummary:
    """GREEN over a corpus; every figure covers the ``scored`` pairs and no others.

    Attributes:
        pairs: that were judged.
        scored: of them.
        unscored: the others, by reason.
        mean, deviation: of GREEN over the scored pairs, the sample's standard deviation; None where there are too few.
        truncated: scored pairs of which part of a report was not read.
        method: encoder and clustering.
        signature: of green as it was scored, naming its model, prompt and reader; "" where nobody told.
        notes: that every scored pair has.
        diversity: of the wording of the reports; None where it is not known.
    """

    pairs: int
    scored: int
    unscored: Mapping[str, int]
    truncated: int
    mean: float | None
    deviation: float | None
    categories: tuple[CategorySummary, ...]
    method: str
    notes: tuple[str, ...] = ()
    signature: str = ""
    diversity: Diversity | None = None


def summarise_corpus(
    service: EvaluationService,
    rows: Iterable[Row],
    encoder: TextEncoder,
    grouper: Grouper,
    *,
    plot: bool = True,
    on_progress: Progress | None = None,
) -> GreenSummary:
    """Scores every row, and summarises; a bad row is unscored.

    Args:
        service: its one metric is green.
        rows: of the corpus.
        encoder: as of `summarise_green`.
        grouper: likewise.
        plot: likewise.
        on_progress: called with the number of rows done.
    """
    scored, sample = _Outcomes(), TextSample()
    evaluate_corpus(service, watch_rows(sample, lambda: rows), scored, on_progress=on_progress)
    signature = str(service.metrics[0].signature)
    summary = summarise_green(scored.outcomes, encoder, grouper, plot=plot, signature=signature)
    diversity = sample.diversity()
    warnings = (diversity.warning,) if diversity is not None and diversity.warning else ()
    return evolve(summary, diversity=diversity, notes=(*warnings, *summary.notes))


@define
class _Outcomes:
    """Collects the outcomes of one metric."""

    outcomes: list[Outcome] = field(factory=list)

    def write(self, results: Iterable[EvaluationResult]) -> None:
        self.outcomes += [result.outcome for result in results]


def summarise_green(
    outcomes: Iterable[Outcome], encoder: TextEncoder, grouper: Grouper, *, plot: bool = True, signature: str = ""
) -> GreenSummary:
    """The summary of green's outcomes, in any order.

    Args:
        outcomes: of the green metric.
        encoder: embeds the explanations; the paper uses Sentence Transformers.
        grouper: clusters the embeddings.
        plot: whether sentences are given places, which takes a while where there are many.
        signature: of green as it was scored.

    Raises:
        ConfigurationError: the encoder gives no finite vector for each text.
    """
    outcomes = list(outcomes)
    scored = [outcome for outcome in outcomes if isinstance(outcome, Scored)]
    scores = [outcome.score for outcome in scored]
    return GreenSummary(
        pairs=len(outcomes),
        scored=len(scored),
        unscored=Counter(outcome.reason for outcome in outcomes if not isinstance(outcome, Scored)),
        truncated=sum(outcome.truncated for outcome in scored),
        mean=fmean(scores) if scores else None,
        deviation=stdev(scores) if len(scores) > 1 else None,
        categories=tuple(_category(category, scored, encoder, grouper, plot=plot) for category in REXVAL_SIX),
        method=f"{encoder.identity}; {grouper.identity}",
        notes=_common_notes(scored),
        signature=signature,
    )


def _common_notes(scored: Sequence[Scored]) -> tuple[str, ...]:
    """Notes on how all pairs were scored rather than on one of them."""
    return tuple(note for note in scored[0].notes if all(note in o.notes for o in scored)) if scored else ()


def _category(
    category: ErrorCategory, scored: Sequence[Scored], encoder: TextEncoder, grouper: Grouper, *, plot: bool
) -> CategorySummary:
    counts = [outcome.subscores[category.value] for outcome in scored]
    explanations = [
        " ".join(discrepancy.explanation.split())
        for outcome in scored
        for discrepancy in outcome.discrepancies
        if discrepancy.category is category and discrepancy.severity is not Severity.INSIGNIFICANT
    ]
    nonblank = [explanation for explanation in explanations if explanation]
    sentences, silhouette = _sentences(nonblank, encoder, grouper, plot=plot) if nonblank else ((), None)
    return CategorySummary(
        category=category,
        free=sum(count == 0 for count in counts) / len(counts) if counts else None,
        errors=int(sum(counts)),
        explained=len(nonblank),
        clusters=len({sentence.cluster for sentence in sentences}),
        silhouette=silhouette,
        sentences=sentences,
    )


def _sentences(
    said: Sequence[str], encoder: TextEncoder, grouper: Grouper, *, plot: bool
) -> tuple[tuple[Sentence, ...], float | None]:
    times = Counter(said)
    distinct = list(times)
    vectors = np.asarray(encoder.encode(distinct), dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(distinct):  # noqa: PLR2004 - a matrix
        raise ConfigurationError([f"the encoder returned an array of shape {vectors.shape} for {len(distinct)} texts"])
    if not np.isfinite(vectors).all():
        raise ConfigurationError([f"{encoder.identity}: an embedding is not finite; choose another encoder"])
    rows = np.repeat(np.arange(len(distinct)), list(times.values()))
    grouping = grouper.group(vectors[rows])
    first = np.searchsorted(rows, np.arange(len(distinct)))
    places = [(float(x), float(y)) for x, y in grouper.lay_out(vectors)] if plot else [None] * len(distinct)
    sentences = [
        Sentence(
            text=text,
            times=times[text],
            cluster=int(grouping.labels[row]),
            distance=float(grouping.distances[row]),
            place=place,
        )
        for text, row, place in zip(distinct, first, places, strict=True)
    ]
    return tuple(sorted(sentences, key=lambda s: (round(s.distance, 6), -s.times, s.text))), grouping.silhouette
