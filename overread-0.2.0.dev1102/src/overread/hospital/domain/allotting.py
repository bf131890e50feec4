"""Shares pairs out among readers: each has the same load, as far as conflicts of interest allow."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Collection, Mapping, Sequence

from attrs import define, field

__all__ = ["allot"]


def allot(
    pairs: Sequence[int],
    readers: Sequence[str],
    per_pair: int,
    *,
    barred: Mapping[int, Collection[str]] | None = None,
    seed: int = 0,
) -> dict[int, tuple[str, ...]]:
    """Readers of each pair: as many as are wanted, or all who may read it where these are fewer.

    Pairs and readers come in an order that follows from the seed and their names alone. Loads are as even as they can
    be with so many readers for each pair; who reads with whom changes from pair to pair.

    Args:
        pairs: numbers, each once.
        readers: names, each once.
        per_pair: readers wanted for a pair.
        barred: readers who may not read a pair.
        seed: decides between readers of equal load.
    """
    barred = barred or {}
    allowed = {pair: frozenset(readers) - frozenset(barred.get(pair, ())) for pair in pairs}
    shares = _Shares(allowed, {reader: set() for reader in readers})
    for pair in sorted(pairs, key=lambda pair: (len(allowed[pair]), _lot(seed, pair))):
        by_load = sorted(allowed[pair], key=lambda reader: (len(shares.read[reader]), _lot(seed, pair, reader)))
        for reader in by_load[:per_pair]:
            shares.read[reader].add(pair)
    while path := shares.path():
        shares.move(path)
    return {
        pair: tuple(
            sorted(
                (reader for reader in readers if pair in shares.read[reader]),
                key=lambda reader: _lot(seed, pair, reader),
            )
        )
        for pair in sorted(pairs, key=lambda pair: _lot(seed, pair))
    }


@define
class _Shares:
    """Pairs by reader, and who may read each."""

    allowed: Mapping[int, frozenset[str]]
    read: dict[str, set[int]] = field()

    def path(self) -> list[tuple[str, int, str]]:
        """Handings-on of pairs, from a reader to the next, by which the loads come closer; none where nothing helps.

        A path that shortens a difference exists wherever the loads are not yet as even as can be (Harvey, Ladner,
        Lovász and Tamir, Journal of Algorithms 59, 2006, on semi-matchings).
        """
        for giver in sorted(self.read, key=lambda reader: (-len(self.read[reader]), reader)):
            reached: dict[str, tuple[str, int]] = {}
            waiting = deque([giver])
            while waiting:
                reader = waiting.popleft()
                if len(self.read[reader]) + 2 <= len(self.read[giver]):
                    return _way(reached, giver, reader)
                for other, pair in self._next(reader):
                    if other not in reached and other != giver:
                        reached[other] = (reader, pair)
                        waiting.append(other)
        return []

    def move(self, path: Sequence[tuple[str, int, str]]) -> None:
        """Hand pairs on."""
        for giver, pair, taker in path:
            self.read[giver].remove(pair)
            self.read[taker].add(pair)

    def _next(self, reader: str) -> list[tuple[str, int]]:
        """The readers who could take over a pair of a reader, each with the first such pair."""
        able: dict[str, int] = {}
        for pair in sorted(self.read[reader]):
            for other in sorted(self.allowed[pair]):
                if other not in able and pair not in self.read[other]:
                    able[other] = pair
        return list(able.items())


def _way(reached: Mapping[str, tuple[str, int]], giver: str, taker: str) -> list[tuple[str, int, str]]:
    steps = []
    while taker != giver:
        before, pair = reached[taker]
        steps.append((before, pair, taker))
        taker = before
    return steps


def _lot(seed: int, pair: int, reader: str = "") -> str:
    return hashlib.sha256(f"{seed}:{pair}:{reader}".encode("utf-8", "surrogatepass")).hexdigest()
