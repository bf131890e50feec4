"""Clusters of sentence embeddings."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from overread.adapters.llm.green.clusters import KMeansGrouper, ReleasedGrouper, grouper_as

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


@pytest.mark.parametrize("vectors", [cloud(1), cloud(1, 1), cloud(2, 2), np.ones((30, 8), dtype=np.float32)])
def test_the_release_leaves_four_sentences_or_identical_ones_in_one_cluster(vectors: Vectors) -> None:
    """It stops where the number in the middle is below two."""
    grouping = ReleasedGrouper().group(vectors)
    assert set(grouping.labels.tolist()) == {0}
    assert grouping.silhouette is None


def test_the_release_tries_numbers_by_halving() -> None:
    """Of ten vectors it tries 4 first; that many groups are found, then 6 and 5 are no better."""
    grouping = ReleasedGrouper().group(cloud(4, 2, 2, 2, spread=0.02))
    assert grouping.labels.tolist() == [0] * 4 + [*grouping.labels[4:]]
    assert sorted(np.bincount(grouping.labels).tolist(), reverse=True) == [4, 2, 2, 2]


def test_the_release_finds_more_clusters_than_there_are_groups_and_ours_does_not() -> None:
    """Where the number in the middle is too large, any silhouette is better than none, and it looks above it."""
    vectors = cloud(20, 12, 9)
    assert KMeansGrouper().group(vectors).labels.max() + 1 == 3
    assert ReleasedGrouper().group(vectors).labels.max() + 1 >= 20


def test_the_release_tells_distance_by_cosine_whatever_the_lengths() -> None:
    """Embeddings are scaled first, so that the nearest sentence is that with the least angle to the centre."""
    vectors = cloud(6, spread=0.2)[:4]
    one, other = ReleasedGrouper().group(vectors), ReleasedGrouper().group(vectors * np.float32(3))
    centre = vectors.mean(axis=0)
    cosines = vectors @ centre / np.linalg.norm(centre)
    assert one.distances == pytest.approx(1 - cosines, abs=1e-6)
    assert other.distances == pytest.approx(one.distances, abs=1e-6)


def test_compat_chooses_the_clusters() -> None:
    """The two methods have different identities, which a summary names."""
    assert grouper_as("none") == KMeansGrouper()
    assert grouper_as("green-0.0.12") == ReleasedGrouper()
    assert "GREEN 0.0.12" in ReleasedGrouper().identity
    assert ReleasedGrouper().lay_out(cloud(5)).shape == (5, 2)
