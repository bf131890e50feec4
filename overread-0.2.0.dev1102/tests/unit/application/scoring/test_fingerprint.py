"""Fingerprints of pairs: the same for the same pairs, another for any other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from overread.application.scoring.fingerprint import Fingerprint
from overread.domain.reports.report import ReportPair

_WORDS = st.lists(st.sampled_from(["no", "left", "effusion", "5", "mm"]), max_size=3).map(" ".join)
_TEXTS = st.dictionaries(st.sampled_from("abcdefgh"), st.tuples(_WORDS, _WORDS), max_size=6)


def pairs(texts: dict[str, tuple[str, str]]) -> list[ReportPair]:
    return [ReportPair(id=name, reference=one, candidate=other) for name, (one, other) in texts.items()]


@given(_TEXTS, _TEXTS)
def test_a_fingerprint_is_that_of_the_pairs_alone(
    one: dict[str, tuple[str, str]], other: dict[str, tuple[str, str]]
) -> None:
    """Two are equal exactly if the pairs are, that of references if ids and references are."""
    first, second = Fingerprint.of(pairs(one)), Fingerprint.of(pairs(other))
    assert (first.texts == second.texts) == (one == other)
    references = [{name: texts[0] for name, texts in each.items()} for each in (one, other)]
    assert (first.references == second.references) == (references[0] == references[1])


@given(_TEXTS, st.randoms(use_true_random=False), st.integers(0, 6))
def test_neither_order_nor_shards_matter(texts: dict[str, tuple[str, str]], chance: object, cut: int) -> None:
    """Sums of parts are the sum of the whole."""
    whole = pairs(texts)
    shuffled = [*whole]
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert Fingerprint.of(whole) == Fingerprint.of(shuffled)
    assert Fingerprint.of(whole) == Fingerprint.of(shuffled[:cut]) + Fingerprint.of(shuffled[cut:])


def test_white_space_does_not_count_and_ends_of_texts_do() -> None:
    """A file that went through a spreadsheet is the same; words that moved from one text to the next are not."""
    one, same, other = (
        ReportPair(id="a", reference=reference, candidate=candidate)
        for reference, candidate in (
            ("No\r\neffusion.", "Clear."),
            (" No effusion.\n", "Clear."),
            ("No", "effusion. Clear."),
        )
    )
    assert Fingerprint.of([one]) == Fingerprint.of([same]) != Fingerprint.of([other])
