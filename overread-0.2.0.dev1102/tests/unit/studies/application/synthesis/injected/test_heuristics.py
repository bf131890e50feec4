"""GREEN's ways to find candidates."""

from __future__ import annotations

from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.application.ports import TextEncoder
from overread.studies.application.synthesis.edits.reading import sentence_spans
from overread.studies.application.synthesis.injected.heuristics import Heuristic, HeuristicPair, by_heuristics
from overread.studies.application.synthesis.injected.material import Material


class Letters:
    """Counts letters: near is what is spelled alike."""

    identity = "letters"
    note = ""

    def encode(self, texts: list[str]) -> npt.NDArray[np.float32]:
        counts = np.array(
            [[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz "] for text in texts], np.float32
        )
        unit: npt.NDArray[np.float32] = counts / np.linalg.norm(counts, axis=1, keepdims=True)
        return unit


def encoder() -> TextEncoder:
    return Letters()  # type: ignore[return-value]


@pytest.fixture(scope="module")
def made(material: Material, extractor: MedspacyUnitExtractor) -> list[HeuristicPair]:
    return list(by_heuristics(material, list(Heuristic), 12, seed=1, extractor=extractor, encoder=encoder))


def test_each_heuristic_makes_its_pairs(made: list[HeuristicPair]) -> None:
    """As many of each as were asked for, and none that changes nothing."""
    assert Counter(pair.heuristic for pair in made) == dict.fromkeys(Heuristic, 12)
    assert all(pair.candidate != pair.reference for pair in made)


def test_a_report_is_in_pairs_of_one_heuristic_only(made: list[HeuristicPair]) -> None:
    """Heuristics that share reports could not be compared."""
    used: dict[str, set[Heuristic]] = {}
    for pair in made:
        for text in (pair.reference, pair.candidate):
            used.setdefault(text, set()).add(pair.heuristic)
    assert all(len(heuristics) == 1 for heuristics in used.values())
    whole = Counter(p.candidate for p in made if p.heuristic in (Heuristic.RANDOM, Heuristic.NEAREST))
    assert set(whole.values()) == {1}


def test_sentences_are_removed_and_none_is_added(made: list[HeuristicPair]) -> None:
    """The candidate only leaves out."""
    for pair in made:
        if pair.heuristic is Heuristic.SENTENCES:
            before = Counter(span.of(pair.reference).rstrip(".") for span in sentence_spans(pair.reference))
            after = Counter(span.of(pair.candidate).rstrip(".") for span in sentence_spans(pair.candidate))
            assert 0 < after.total() < before.total()


def test_only_permutations_say_how_many_errors_there_are(made: list[HeuristicPair]) -> None:
    """The other ways leave the number open."""
    for pair in made:
        row = pair.as_row()
        assert ("total" in row) == (pair.heuristic is Heuristic.PERMUTATION)
        if pair.heuristic is Heuristic.PERMUTATION:
            assert 1 <= row["total"] == row["significant"] + row["insignificant"] <= 4


def test_an_encoder_is_made_only_where_it_is_needed(material: Material, extractor: MedspacyUnitExtractor) -> None:
    """Loading one takes time."""

    def none() -> TextEncoder:
        raise AssertionError

    assert list(by_heuristics(material, [Heuristic.RANDOM], 2, seed=1, extractor=extractor, encoder=none))
