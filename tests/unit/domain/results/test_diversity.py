"""Diversity of wording: counted by hand, and by gzip itself."""

from __future__ import annotations

import gzip

import pytest

from overread.domain.results.diversity import FEWEST_TEXTS, Diversity, Wording

VARIED = [f"Nodule of {size} mm in the {side} lobe." for size in range(1, 16) for side in ("upper", "lower")]
FREE = [" ".join(f"word{(number * place) % 97}" for place in range(1, 12)) for number in range(1, 31)]


def diversity(candidates: list[str], references: list[str]) -> Diversity:
    sides = {"candidates": Wording.of(candidates), "references": Wording.of(references)}
    return Diversity(pairs=len(candidates), of=len(candidates), **sides)


def test_word_pairs_are_counted_within_reports() -> None:
    """Two of three reports are distinct; "no effusion", "effusion seen" and "heart enlarged" of 2 + 2 + 1 pairs."""
    wording = Wording.of(["No effusion seen.", "no  effusion\nseen.", "Heart enlarged", "  "])
    assert wording.texts == 3
    assert [wording.distinct, wording.distinct_2] == pytest.approx([2 / 3, 3 / 5])


def test_compression_is_that_of_gzip() -> None:
    """As the library packs the same lines."""
    lines = "\n".join(text.lower() for text in VARIED).encode()
    packed = len(gzip.compress(lines, compresslevel=6))
    assert Wording.of(VARIED).compression == pytest.approx(len(lines) / packed)


def test_what_cannot_be_measured_is_none() -> None:
    """No texts, and texts of one word."""
    assert Wording.of(["", " "]) == Wording(texts=0)
    assert Wording.of(["Normal."]).distinct_2 is None


@pytest.mark.parametrize(
    ("candidates", "words"),
    [
        (["No acute disease."] * 30, "template"),
        ([f"Case {number}: the heart and both lungs are normal today." for number in range(30)], "template"),
        (FREE[::-1], ""),
        (["No acute disease."] * 12 + FREE[:18], ""),
    ],
    ids=["one report", "one template", "as varied", "two fifths the same"],
)
def test_a_template_is_warned_of(candidates: list[str], words: str) -> None:
    """One that is filled in too, though no two of its reports are the same; not what repeats itself now and then."""
    found = diversity(candidates, FREE)
    assert found.is_collapsed is bool(words)
    assert words in found.warning
    assert bool(found.warning) is bool(words)


def test_few_reports_prove_nothing() -> None:
    """Two normal studies may well read the same."""
    few = FEWEST_TEXTS - 1
    assert not diversity(["Normal chest."] * few, VARIED[:few]).is_collapsed
