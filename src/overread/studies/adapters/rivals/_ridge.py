"""The rival that knows words alone."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.extras import require
from overread.studies.application.reproduction.radot.reading import ReadSet

require("the rival of words", "statistics")

from scipy import sparse  # noqa: E402 - what is missing is told first
from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: E402 - as above
from sklearn.linear_model import Ridge  # noqa: E402 - as above

__all__ = ["TextRidge"]

_WORD: Final = re.compile(r"\w+")

Vector = npt.NDArray[np.float64]


@frozen(kw_only=True)
class TextRidge:
    """Ridge regression on the words that two reports do not share.

    The vocabulary and its tf-idf weights are those of the reports fitted on. A pair has the weights that only its
    reference has and those that only its candidate has, each word apart; ``overall`` adds four figures of the whole:
    one less the cosine, the lengths of both differences, and the absolute difference of the numbers of words.

    Attributes:
        longest: word sequences of up to so many words.
        alpha: weight of the penalty.
        overall: whether the figures of the whole enter.
    """

    longest: int
    alpha: float
    overall: bool

    @property
    def setting(self) -> str:
        """The setting in words."""
        words = "words" if self.longest == 1 else f"words and sequences of {self.longest}"
        return f"{words}{', figures of the whole' if self.overall else ''}, alpha {self.alpha:g}"

    def fit(self, data: ReadSet, labels: Mapping[str, Vector]) -> FittedTextRidge:
        """Fit each target by itself."""
        references, candidates = _texts(data)
        words = TfidfVectorizer(
            ngram_range=(1, self.longest), sublinear_tf=True, tokenizer=_WORD.findall, token_pattern=None
        )
        words.fit(references + candidates)
        rows = _rows(words, references, candidates, overall=self.overall)
        models = {target: Ridge(alpha=self.alpha).fit(rows, values) for target, values in labels.items()}
        return FittedTextRidge(words, models, self.overall)


@frozen(eq=False)
class FittedTextRidge:
    """A vocabulary with a linear model for each target."""

    words: TfidfVectorizer
    models: Mapping[str, Ridge]
    overall: bool

    def risks(self, data: ReadSet) -> Mapping[str, Vector]:
        """Risk of each pair by target; a word that was not fitted on tells nothing."""
        rows = _rows(self.words, *_texts(data), overall=self.overall)
        return {target: np.asarray(model.predict(rows), dtype=np.float64) for target, model in self.models.items()}


def _texts(data: ReadSet) -> tuple[list[str], list[str]]:
    return [rated.pair.reference.text for rated in data.pairs], [rated.pair.candidate.text for rated in data.pairs]


def _rows(
    words: TfidfVectorizer, references: Sequence[str], candidates: Sequence[str], *, overall: bool
) -> sparse.csr_array:
    reference, candidate = words.transform(references), words.transform(candidates)
    difference = reference - candidate
    lost, added = difference.maximum(0), (-difference).maximum(0)
    parts = [lost, added]
    if overall:
        cosine = np.asarray(reference.multiply(candidate).sum(axis=1)).ravel()
        lengths = [np.asarray(part.sum(axis=1)).ravel() for part in (lost, added)]
        counted = [
            np.array([len(text.split()) for text in texts], dtype=np.float64) for texts in (references, candidates)
        ]
        apart = np.abs(counted[0] - counted[1]) / np.maximum(1.0, np.maximum(*counted))
        parts.append(sparse.csr_matrix(np.column_stack([1.0 - cosine, *lengths, apart])))
    return sparse.hstack(parts, format="csr")
