"""Fingerprints of pairs, by which a file that is given later is known for the one that was scored."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Final

from attrs import frozen

from overread.domain.reports.report import ReportPair

__all__ = ["Fingerprint"]

_BYTES: Final = 16
_SIZE: Final = 1 << 8 * _BYTES


@frozen
class Fingerprint:
    """Sums of hashes over pairs: the same in any order, and another if an id or a word is. White space does not count.

    Attributes:
        references: of ids and references.
        texts: of ids, references and candidates.
    """

    references: int = 0
    texts: int = 0

    @classmethod
    def of(cls, pairs: Iterable[ReportPair]) -> Fingerprint:
        """The fingerprint of some pairs."""
        references, texts = 0, 0
        for pair in pairs:
            parts = (pair.id, *(" ".join(report.text.split()) for report in (pair.reference, pair.candidate)))
            references += _hash(*parts[:2])
            texts += _hash(*parts)
        return cls(references % _SIZE, texts % _SIZE)

    def __add__(self, other: Fingerprint) -> Fingerprint:
        """Fingerprint of the pairs of both."""
        return Fingerprint((self.references + other.references) % _SIZE, (self.texts + other.texts) % _SIZE)


def _hash(*parts: str) -> int:
    """A number of 128 bits; lengths tell where the parts end."""
    lengths = " ".join(str(len(part)) for part in parts)
    text = f"{lengths}\n{''.join(parts)}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=_BYTES).digest())
