"""Pairs are shared out among readers evenly, always in the same way, and never against a bar."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from overread.hospital.domain.allotting import allot

READERS = ["a", "b", "c", "d"]


def loads(allotted: dict[int, tuple[str, ...]], readers: list[str]) -> list[int]:
    """How many pairs each reader has."""
    counts = Counter(reader for names in allotted.values() for reader in names)
    return [counts[reader] for reader in readers]


def test_each_pair_gets_its_readers_in_equal_shares() -> None:
    """Forty pairs of two readers each make twenty for each of four."""
    allotted = allot(range(1, 41), READERS, 2)
    assert loads(allotted, READERS) == [20, 20, 20, 20]
    assert all(len(set(names)) == 2 for names in allotted.values())


def test_readers_change_partners() -> None:
    """Each two of them read some pairs together, so that all can be compared."""
    together = Counter(tuple(sorted(names)) for names in allot(range(1, 61), READERS, 2).values())
    assert together.keys() == set(combinations(READERS, 2))


def test_the_same_seed_shares_in_the_same_way() -> None:
    """In whatever order the pairs come; another seed shares in another."""
    first = allot([1, 2, 3, 4, 5, 6], READERS, 2, seed=3)
    assert list(first.items()) == list(allot([6, 5, 4, 3, 2, 1], READERS, 2, seed=3).items())
    assert first != allot([1, 2, 3, 4, 5, 6], READERS, 2, seed=4)


def test_the_order_tells_nothing_of_the_numbers() -> None:
    """Pairs do not come as they are numbered: numbers may follow what made somebody choose them."""
    assert list(allot(range(1, 41), READERS, 1)) != sorted(range(1, 41))


def test_a_barred_reader_gets_other_pairs_instead() -> None:
    """The load stays even where others can take theirs over, also by way of a third."""
    barred = {pair: ["a"] for pair in range(1, 16)}
    allotted = allot(range(1, 31), ["a", "b", "c"], 1, barred=barred)
    assert loads(allotted, ["a", "b", "c"]) == [10, 10, 10]
    assert all("a" not in allotted[pair] for pair in barred)
    chain = {1: ["c"], 2: ["c"], 3: ["c"], 4: ["a"], 5: ["a"], 6: ["a"]}
    assert sorted(loads(allot(range(1, 7), ["a", "b", "c"], 1, barred=chain), ["a", "b", "c"])) == [2, 2, 2]


def test_a_pair_that_nobody_else_may_read_stays_short() -> None:
    """It has whoever is left, down to nobody."""
    assert allot([1, 2], ["a", "b"], 2, barred={1: ["b"], 2: ["a", "b"]}) == {1: ("a",), 2: ()}


@given(
    bars=st.lists(st.sets(st.sampled_from("abc")), min_size=1, max_size=5),
    per_pair=st.integers(1, 2),
    seed=st.integers(0, 3),
)
def test_no_other_way_is_more_even(bars: list[set[str]], per_pair: int, seed: int) -> None:
    """Held against every way there is: the sum of squared loads is the least."""
    barred = dict(enumerate(bars))
    allotted = allot(list(barred), ["a", "b", "c"], per_pair, barred=barred, seed=seed)
    choices = []
    for pair, bar in barred.items():
        allowed = sorted({"a", "b", "c"} - bar)
        choices.append(list(combinations(allowed, min(per_pair, len(allowed)))))
        assert allotted[pair] in [
            tuple(sorted(c, key=allotted[pair].index)) for c in choices[-1] if set(c) == set(allotted[pair])
        ]
    least = min(
        sum(count**2 for count in Counter(name for names in way for name in names).values())
        for way in product(*choices)
    )
    assert sum(load**2 for load in loads(allotted, ["a", "b", "c"])) == least
