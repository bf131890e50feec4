"""Ids that were met before, for corpora of millions of pairs."""

from __future__ import annotations

from array import array
from typing import Final

__all__ = ["SeenIds"]

_FIRST_SIZE: Final = 1 << 10
_FULL: Final = 0.6
_MASK: Final = (1 << 64) - 1


class SeenIds:
    """The row of each id, in about 20 to 40 bytes an id, however long it is.

    Of an id its 64-bit hash is kept, not its text. That two ids of ten million have the same, so that the second would
    be taken for the first, has a chance of three in a million.

    >>> seen = SeenIds()
    >>> seen["a1"] = 7
    >>> seen["a1"], "a2" in seen
    (7, False)
    """

    def __init__(self) -> None:
        self._count = 0
        self._hashes = array("Q", bytes(8 * _FIRST_SIZE))
        self._rows = array("I", bytes(4 * _FIRST_SIZE))

    def __contains__(self, name: str) -> bool:
        return self._rows[self._slot(_hash(name))] > 0

    def __getitem__(self, name: str) -> int:
        """The row of an id that was met."""
        row = self._rows[self._slot(_hash(name))]
        if row == 0:
            raise KeyError
        return row

    def __setitem__(self, name: str, row: int) -> None:
        """Keep the row of an id, from 1 to 4 billion."""
        if self._count > _FULL * len(self._rows):
            self._grow()
        hashed = _hash(name)
        slot = self._slot(hashed)
        self._count += self._rows[slot] == 0
        self._hashes[slot], self._rows[slot] = hashed, row

    def _slot(self, hashed: int) -> int:
        """Slot of a hash, or the free one where it would go."""
        hashes, rows, last = self._hashes, self._rows, len(self._rows) - 1
        slot = hashed & last
        while rows[slot] and hashes[slot] != hashed:
            slot = (slot + 1) & last
        return slot

    def _grow(self) -> None:
        hashes, rows, size = self._hashes, self._rows, 2 * len(self._rows)
        self._hashes, self._rows = array("Q", bytes(8 * size)), array("I", bytes(4 * size))
        for hashed, row in zip(hashes, rows, strict=True):
            if row:
                slot = self._slot(hashed)
                self._hashes[slot], self._rows[slot] = hashed, row


def _hash(name: str) -> int:
    return hash(name) & _MASK
