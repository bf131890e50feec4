"""Diversity of wording: how much the texts of a corpus repeat one another, beside how much their references do.

Most examinations show little, so a generator that always writes the same normal report scores well. What it cannot do
is differ from one report to the next as radiologists' reports do.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from attrs import frozen

__all__ = ["FEWEST_TEXTS", "FIGURES", "LEAST_SHARE", "Diversity", "Wording"]

LEAST_SHARE: Final = 0.5
"""Of the references' share of distinct reports, or of distinct pairs of words, below which a generator is taken to
repeat a template; ours."""

FEWEST_TEXTS: Final = 20
"""Reports below which repetition says nothing of a generator; ours."""

FIGURES: Final = ("distinct", "distinct_2", "compression")
"""Names of the measures."""

_WARNING: Final = (
    "the candidates repeat one another far more than the references do, as a template would; where most studies are "
    "normal, a template scores well"
)
_WORD: Final = re.compile(r"[^\W_]+")
_GZIP: Final = 31
"""Window bits of zlib that make the format of gzip."""
_LEVEL: Final = 6
"""Of compression, as of the program gzip; 9 takes longer for sizes that hardly differ."""


@frozen(kw_only=True)
class Wording:
    """Measures of how texts repeat one another; blank texts do not count, nor do case and white space.

    Attributes:
        texts: how many there are.
        distinct: share of distinct texts among them, above 0 to 1, higher is more diverse; None where there is none.
        distinct_2: distinct pairs of adjacent words over all such pairs (distinct-2 of Li et al. 2016, who divide by
            all words instead), above 0 to 1, higher is more diverse; None where no text has two words.
        compression: bytes of the texts over their bytes gzipped (compression ratio of Shaib et al. 2024), lower is
            more diverse; without an upper end, and below 1 for a few short texts; None where there is none.
    """

    texts: int
    distinct: float | None = None
    distinct_2: float | None = None
    compression: float | None = None

    @classmethod
    def of(cls, texts: Iterable[str]) -> Wording:
        """The measures of some texts. The order matters to the compression alone.

        >>> Wording.of(["No effusion seen.", "no effusion  seen.", "Effusion seen."]).distinct_2
        0.4
        """
        plain = [words for words in (" ".join(text.split()).lower() for text in texts) if words]
        if not plain:
            return cls(texts=0)
        bigrams: set[tuple[str, str]] = set()
        total = 0
        for text in plain:
            words = _WORD.findall(text)
            bigrams.update(pairwise(words))
            total += max(0, len(words) - 1)
        return cls(
            texts=len(plain),
            distinct=len(set(plain)) / len(plain),
            distinct_2=len(bigrams) / total if total else None,
            compression=_compression("\n".join(plain).encode("utf-8", "surrogatepass")),
        )


def _compression(data: bytes) -> float:
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
    return len(data) / (len(packer.compress(data)) + len(packer.flush()))


@frozen(kw_only=True)
class Diversity:
    """Wording of a corpus's candidates, beside that of the references to the same studies.

    Attributes:
        pairs: that were looked at.
        of: pairs of the corpus; those that could not be read are among them.
    """

    pairs: int
    of: int
    candidates: Wording
    references: Wording

    @property
    def warning(self) -> str:
        """Warning of candidates that repeat a template, it seems; "" where there is no reason for one."""
        return _WARNING if self.is_collapsed else ""

    @property
    def is_collapsed(self) -> bool:
        """True if the candidates repeat themselves far more than the references: a template, it seems."""
        if min(self.candidates.texts, self.references.texts) < FEWEST_TEXTS:
            return False
        return any(
            ours is not None and theirs is not None and ours < LEAST_SHARE * theirs
            for ours, theirs in (
                (self.candidates.distinct, self.references.distinct),
                (self.candidates.distinct_2, self.references.distinct_2),
            )
        )
