"""Clusters of sentence embeddings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from overread.adapters.llm.green.clusters import KMeansGrouper

Vectors = npt.NDArray[np.float32]


def cloud(*sizes: int, spread: float = 0.05, seed: int = 1) -> Vectors:
    """Vectors of unit length around one axis after another."""
    draws = np.random.default_rng(seed)
    parts = [np.eye(8)[axis] + draws.normal(0.0, spread, (size, 8)) for axis, size in enumerate(sizes)]
    vectors = np.concatenate(parts)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / lengths, dtype=np.float32)


def test_the_number_of_clusters_is_that_of_the_groups_and_the_largest_comes_first() -> None:
    """The silhouette finds how many kinds of error there are."""
    grouping = KMeansGrouper().group(cloud(9, 20, 12))
    assert grouping.labels.tolist() == [2] * 9 + [0] * 20 + [1] * 12
    assert grouping.silhouette is not None
    assert grouping.silhouette > 0.7


def test_of_two_clusters_as_large_the_one_that_comes_first_is_the_first() -> None:
    """A tie is decided by the order of the sentences, the same every time."""
    assert KMeansGrouper().group(cloud(5, 5)).labels.tolist() == [0] * 5 + [1] * 5


@pytest.mark.parametrize("vectors", [cloud(1), cloud(1, 1), cloud(2, 1), np.ones((30, 8), dtype=np.float32)])
def test_few_sentences_and_identical_ones_are_one_cluster(vectors: Vectors) -> None:
    """A silhouette needs two clusters and more sentences than those."""
    grouping = KMeansGrouper().group(vectors)
    assert set(grouping.labels.tolist()) == {0}
    assert grouping.silhouette is None


def test_two_sentences_said_often_are_two_clusters() -> None:
    """Repetitions weigh as often as they were said."""
    grouping = KMeansGrouper().group(np.repeat(np.eye(4, dtype=np.float32)[:2], [3, 7], axis=0))
    assert grouping.labels.tolist() == [1] * 3 + [0] * 7
    assert grouping.distances.max() == pytest.approx(0.0, abs=1e-6)


def test_distances_are_from_the_mean_of_the_own_cluster() -> None:
    """The nearest sentence stands for its cluster."""
    vectors = cloud(6, 10)
    grouping = KMeansGrouper().group(vectors)
    centre = vectors[6:].mean(axis=0)
    assert grouping.distances[6:] == pytest.approx(np.linalg.norm(vectors[6:] - centre, axis=1), abs=1e-5)


def test_there_are_no_more_clusters_than_allowed() -> None:
    """The limit stands in the identity."""
    assert KMeansGrouper(most=2).group(cloud(5, 5, 5)).labels.max() == 1
    assert "k to 2" in KMeansGrouper(most=2).identity


def test_the_same_vectors_are_grouped_and_laid_out_the_same() -> None:
    """A summary is the same whenever it is made."""
    vectors = cloud(20, 15, spread=0.3)
    one, other = KMeansGrouper().group(vectors), KMeansGrouper().group(vectors)
    assert np.array_equal(one.labels, other.labels)
    assert np.array_equal(KMeansGrouper().lay_out(vectors), KMeansGrouper().lay_out(vectors))


@pytest.mark.parametrize(
    "vectors", [cloud(1), cloud(1, 1), cloud(2, 1), cloud(30, 20), np.ones((30, 8), dtype=np.float32)]
)
def test_every_sentence_has_a_place(vectors: Vectors) -> None:
    """Places lie in the unit square, also where all sentences are alike."""
    places = KMeansGrouper().lay_out(vectors)
    assert places.shape == (len(vectors), 2)
    assert np.isfinite(places).all()
    assert (places.min(), places.max()) >= (0.0, 0.0)
    assert places.max() <= 1.0


@pytest.mark.parametrize("sizes", [(6, 6), (20, 20)])
def test_groups_lie_apart(sizes: tuple[int, int]) -> None:
    """By principal components where there are few, by t-SNE where there are more."""
    places = KMeansGrouper().lay_out(cloud(*sizes))
    one, other = places[: sizes[0]], places[sizes[0] :]
    within = max(np.linalg.norm(group - group.mean(axis=0), axis=1).max() for group in (one, other))
    assert np.linalg.norm(one.mean(axis=0) - other.mean(axis=0)) > within
