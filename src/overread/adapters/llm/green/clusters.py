"""Clusters of sentence embeddings: k-means, with the number of clusters that has the best silhouette."""

from __future__ import annotations

import warnings
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import field, frozen
from attrs.validators import ge
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from overread.application.scoring.green_summary import Grouper, Grouping
from overread.extras import require

require("a summary of clusters", "statistics")

from sklearn.cluster import KMeans  # noqa: E402 - what is missing is told first
from sklearn.decomposition import PCA  # noqa: E402 - as above
from sklearn.exceptions import ConvergenceWarning  # noqa: E402 - as above
from sklearn.manifold import TSNE  # noqa: E402 - as above
from sklearn.metrics import silhouette_score  # noqa: E402 - as above

__all__ = ["KMeansGrouper", "ReleasedGrouper", "grouper_as"]

_LEAST: Final = 4
"""Fewer sentences are one cluster."""
_STARTS: Final = 10
_SAMPLE: Final = 2000
"""Sentences of which the silhouette is computed: it takes the square of their number."""
_LEAST_TSNE: Final = 20
_MOST_TSNE: Final = 1000
_PERPLEXITY: Final = 30.0
_THREADS: Final = 1
"""Sums do not depend on the number of cores; and so few vectors are clustered sooner by one than by several."""
_SAME: Final = 6
"""Decimals to which two embeddings must agree to be the same."""
_RELEASED_SEED: Final = 42

Vectors = npt.NDArray[np.float32]


@frozen
class KMeansGrouper:
    """Clusters by k-means, two to ten of them, whichever has the highest mean silhouette (Euclidean).

    The paper (section 3.3) names the silhouette and leaves the rest open; k-means, its range and its ten starts are
    overread's choice. Fewer than four vectors, and vectors that are all the same, are one cluster.

    Attributes:
        most: clusters at most.
        seed: of k-means and of the layout.
    """

    most: int = field(default=10, validator=ge(1))
    seed: int = 7

    @property
    def identity(self) -> str:
        """Method and parameters."""
        return f"k-means, k to {self.most} by silhouette, seed {self.seed}"

    def group(self, vectors: Vectors) -> Grouping:
        """The clusters of n x d vectors; of two as large the one with the earlier member counts as the larger."""
        distinct = len(np.unique(vectors.round(_SAME), axis=0))
        most = 1 if len(vectors) < _LEAST else min(self.most, len(vectors) - 1, distinct)
        best, silhouette = np.zeros(len(vectors), dtype=np.int64), None
        with threadpool_limits(_THREADS):
            for k in range(2, most + 1):
                labels = KMeans(n_clusters=k, n_init=_STARTS, random_state=self.seed).fit_predict(vectors)
                score = self._silhouette(vectors, labels)
                if silhouette is None or score > silhouette:
                    best, silhouette = labels, score
        labels = _by_size(best)
        centres = np.stack([vectors[labels == label].mean(axis=0) for label in range(labels.max() + 1)])
        distances = np.linalg.norm(vectors - centres[labels], axis=1).astype(np.float64)
        return Grouping(labels, distances, silhouette)

    def lay_out(self, vectors: Vectors) -> npt.NDArray[np.float64]:
        """t-SNE as in appendix A.5; the two first principal components of fewer than 20 or more than 1,000 vectors."""
        if len(np.unique(vectors.round(_SAME), axis=0)) < 2:  # noqa: PLR2004 - one point has no layout
            return np.full((len(vectors), 2), 0.5)
        if _LEAST_TSNE <= len(vectors) <= _MOST_TSNE:
            perplexity = min(_PERPLEXITY, (len(vectors) - 1) / 3)
            with threadpool_limits(_THREADS):
                places = TSNE(perplexity=perplexity, init="pca", random_state=self.seed).fit_transform(vectors)
        else:
            components = min(2, *vectors.shape)
            places = PCA(components, svd_solver="full", random_state=self.seed).fit_transform(vectors)
            places = np.pad(places, ((0, 0), (0, 2 - components)))
        return _scale_axes(places.astype(np.float64))

    def _silhouette(self, vectors: Vectors, labels: npt.NDArray[np.int64]) -> float:
        sample = _SAMPLE if len(vectors) > _SAMPLE else None
        return float(silhouette_score(vectors, labels, sample_size=sample, random_state=self.seed))


@frozen
class ReleasedGrouper:
    """Clusters as GREEN 0.0.12 finds them, whose number it gets by halving, not by trying all.

    Vectors get length 1. The number k of clusters is the middle of 0 and n - 1 for n vectors; where its silhouette
    (Euclidean) is better than the best so far the half above is searched next, else the half below, until k is below
    two. So four vectors or fewer are one cluster, and far more clusters than groups may be found. Sentences are near or
    far by cosine to the centre.

    The release leaves the number of starts to scikit-learn, whose versions differ; here it is that of the installed
    one. A k that leaves a single cluster, where the release would break off, counts as no better.
    """

    @property
    def identity(self) -> str:
        """Method and parameters."""
        return f"k-means as GREEN 0.0.12, k by halving, seed {_RELEASED_SEED}"

    def group(self, vectors: Vectors) -> Grouping:
        """The clusters of n x d vectors; of two as large the one with k-means' lower label counts as the larger."""
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = np.asarray(vectors / np.where(lengths > 0, lengths, 1.0), dtype=np.float32)
        low, high, best = 0, len(unit) - 1, -1.0
        with threadpool_limits(_THREADS), warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer distinct vectors than clusters
            clustering = KMeans(n_clusters=1, random_state=_RELEASED_SEED).fit(unit)
            while low <= high and (k := (low + high) // 2) > 1:
                tried = KMeans(n_clusters=k, random_state=_RELEASED_SEED).fit(unit)
                several = len(np.unique(tried.labels_)) > 1
                silhouette = float(silhouette_score(unit, tried.labels_)) if several else -1.0
                if silhouette > best:
                    clustering, best, low = tried, silhouette, k + 1
                else:
                    high = k - 1
        return _as_released(unit, clustering, best if clustering.n_clusters > 1 else None)

    def lay_out(self, vectors: Vectors) -> npt.NDArray[np.float64]:
        """Lays vectors out as `KMeansGrouper` does."""
        return KMeansGrouper().lay_out(vectors)


def grouper_as(compat: str) -> Grouper:
    """The clusters of green's option ``compat``: "none", or "green-0.0.12"."""
    return KMeansGrouper() if compat == "none" else ReleasedGrouper()


def _as_released(vectors: Vectors, found: KMeans, silhouette: float | None) -> Grouping:
    """The k-means grouping with its clusters numbered by size, and cosine distances from their centres."""
    counts = np.bincount(found.labels_, minlength=found.n_clusters)
    rank = np.empty(len(counts), dtype=np.int64)
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    centres = found.cluster_centers_[found.labels_]
    lengths = np.linalg.norm(centres, axis=1)
    cosines = (vectors * centres).sum(axis=1) / np.where(lengths > 0, lengths, 1.0)
    return Grouping(rank[found.labels_], 1.0 - cosines.astype(np.float64), silhouette)


def _by_size(labels: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Clusters numbered from the largest; of two as large the one that occurs first comes first."""
    names, first, inverse, counts = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    rank = np.empty(len(names), dtype=np.int64)
    rank[np.lexsort((first, -counts))] = np.arange(len(names))
    return rank[inverse]


def _scale_axes(places: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Each axis on [0, 1]; an axis without extent in the middle."""
    low, extent = places.min(axis=0), np.ptp(places, axis=0)
    return np.where(extent > 0, (places - low) / np.where(extent > 0, extent, 1.0), 0.5)
