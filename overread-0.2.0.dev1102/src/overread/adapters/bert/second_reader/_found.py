"""Discrepancies made from what the network says of sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt
from attrs import frozen

from overread.adapters.bert.second_reader._questions import CATEGORIES, Questions, Sentence
from overread.domain.differences.cost import jaccard, tokens
from overread.domain.results.discrepancy import UNLIKELY, Discrepancy
from overread.domain.vocabulary.matching import likest_pairs
from overread.domain.vocabulary.severity import Importance, severity_of
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType

__all__ = ["found_in"]

Numbers = npt.NDArray[np.float32] | npt.NDArray[np.float64]

_LEAST_WEIGHT: Final = 0.02
"""Weight below which a sentence is taken to be right: it would fill lists and move no score."""

_LIKE: Final = 3 / 17
"""Jaccard similarity of their words from which two sentences, wrong in one category, tell of one thing: Dice's 0.3."""

_OWN: Final = ("reference", "candidate")


def found_in(
    questions: Questions, probabilities: Numbers, weights: Numbers, categories: Numbers
) -> tuple[Discrepancy, ...]:
    """Errors in sentences, in the order of the reports.

    A sentence that stands word for word in the other report is none: what is wrong with it stands elsewhere. An error
    of two sentences that answer each other, of one category in either report, is told once.

    Args:
        questions: whose sentences were asked about.
        probabilities: that something is wrong in each sentence.
        weights: importance times extent of what is.
        categories: log odds of its category, sentences x `CATEGORIES`.
    """
    wrong = [
        _Wrong((sentence,), float(p), min(float(w), 1.0), CATEGORIES[int(category)])
        for sentence, p, w, category in zip(
            questions.sentences, probabilities, weights, categories.argmax(axis=1), strict=True
        )
        if p >= UNLIKELY and w >= _LEAST_WEIGHT and not sentence.verbatim
    ]
    return tuple(_discrepancy(error) for error in _join_similar(wrong, questions))


@frozen
class _Wrong:
    """An error in a sentence, or in two that answer each other."""

    sentences: tuple[Sentence, ...]
    probability: float
    weight: float
    category: str

    def joined(self, other: _Wrong) -> _Wrong:
        """Both as one, of as much risk."""
        weight = self.weight + other.weight
        risk = self.weight * self.probability + other.weight * other.probability
        return _Wrong((*self.sentences, *other.sentences), risk / weight, min(weight, 1.0), self.category)


def _join_similar(wrong: Sequence[_Wrong], questions: Questions) -> list[_Wrong]:
    """Join two sentences of similar words and one category into one error, the most similar first."""
    words = [tokens(questions.reports[one.report].sentences[one.number]) for error in wrong for one in error.sentences]
    partners = likest_pairs(
        (like, i, j)
        for i, here in enumerate(wrong)
        for j, there in enumerate(wrong)
        if here.sentences[0].report < there.sentences[0].report
        and here.category == there.category
        and (like := jaccard(words[i], words[j])) >= _LIKE
    )
    partner_numbers, joined = {j for _, j in partners}, {i: wrong[i].joined(wrong[j]) for i, j in partners}
    return [joined.get(number, error) for number, error in enumerate(wrong) if number not in partner_numbers]


def _discrepancy(wrong: _Wrong) -> Discrepancy:
    importance = _step(wrong.weight)
    aspect, kind = _MEANS[wrong.category]
    own = " and of the ".join(_OWN[sentence.report] for sentence in wrong.sentences)
    reference_spans, candidate_spans = (tuple(one.span for one in wrong.sentences if one.report == at) for at in (0, 1))
    why = (
        _WORDS[wrong.category]
        if reference_spans and candidate_spans
        else _ANSWERED.get((wrong.category, own), _WORDS[wrong.category])
    )
    return Discrepancy(
        category=ErrorCategory(wrong.category) if wrong.category in _COUNTED else None,
        aspect=aspect,
        type=kind,
        severity=severity_of(wrong.weight),
        reason=f"{importance.words}; {why}, judged by the whole sentence of the {own}",
        finding="",
        importance=importance,
        extent=wrong.weight / importance.weight,
        reference_spans=reference_spans,
        candidate_spans=candidate_spans,
        probability=wrong.probability,
    )


def _step(weight: float) -> Importance:
    """The least step of importance that such a weight may have."""
    return min((step for step in Importance if step.weight >= weight), key=lambda step: step.weight)


_COUNTED: Final = frozenset(category.value for category in ErrorCategory)
_MEANS: Final = {
    "A": (ErrorAspect.DESCRIPTION, ErrorType.FABRICATION),
    "B": (ErrorAspect.DESCRIPTION, ErrorType.OMISSION),
    "C": (ErrorAspect.LOCATION, ErrorType.INACCURACY),
    "D": (ErrorAspect.SEVERITY, ErrorType.INACCURACY),
    "E": (ErrorAspect.COMPARISON, ErrorType.FABRICATION),
    "F": (ErrorAspect.COMPARISON, ErrorType.OMISSION),
    "G": (ErrorAspect.UNCERTAINTY, None),
    "H": (ErrorAspect.UNCERTAINTY, None),
    "R": (ErrorAspect.DESCRIPTION, ErrorType.INACCURACY),
    "X": (ErrorAspect.CONTRADICTION, None),
    "O": (ErrorAspect.DESCRIPTION, ErrorType.INACCURACY),
}
_ANSWERED: Final = {
    ("A", "reference"): "the candidate makes up what speaks against it",
    ("B", "candidate"): "the reference has what speaks against it",
}
"""Where an error does not stand itself, but what it contradicts."""

_WORDS: Final = {
    "A": "not in the reference",
    "B": "not in the candidate",
    "C": "another place",
    "D": "another degree or size",
    "E": "a comparison that the reference does not make",
    "F": "a comparison that is lost or changed",
    "G": "doubt that the reference does not have",
    "H": "doubt that is lost",
    "R": "other advice",
    "X": "the candidate says otherwise elsewhere",
    "O": "it differs",
}
