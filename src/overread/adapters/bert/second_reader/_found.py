"""What the network says of sentences, as discrepancies."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from overread.adapters.bert.second_reader._questions import CATEGORIES, Questions, Sentence
from overread.domain.discrepancy import Discrepancy
from overread.domain.severity import Importance, severity_of
from overread.domain.taxonomy import ErrorAspect, ErrorCategory, ErrorType

__all__ = ["found_in"]

Numbers = npt.NDArray[np.float32] | npt.NDArray[np.float64]

_LEAST_WEIGHT: Final = 0.02
_LEAST_LIKELY: Final = 0.3
"""Weight and probability below which a sentence is taken to be right: it would fill lists and move no score."""

_OWN: Final = ("reference", "candidate")


def found_in(
    questions: Questions, probabilities: Numbers, weights: Numbers, categories: Numbers
) -> tuple[Discrepancy, ...]:
    """Errors in sentences, in the order of the reports.

    A sentence that stands word for word in the other report is none: what is wrong with it stands elsewhere.

    Args:
        questions: whose sentences were asked about.
        probabilities: that something is wrong in each sentence.
        weights: importance times extent of what is.
        categories: log odds of its category, sentences x `CATEGORIES`.
    """
    return tuple(
        _discrepancy(sentence, float(p), min(float(w), 1.0), CATEGORIES[int(category)])
        for sentence, p, w, category in zip(
            questions.sentences, probabilities, weights, categories.argmax(axis=1), strict=True
        )
        if p >= _LEAST_LIKELY and w >= _LEAST_WEIGHT and not sentence.verbatim
    )


def _discrepancy(sentence: Sentence, probability: float, weight: float, category: str) -> Discrepancy:
    importance = _step(weight)
    aspect, kind = _MEANS[category]
    spans = (sentence.span,)
    return Discrepancy(
        category=ErrorCategory(category) if category in _COUNTED else None,
        aspect=aspect,
        type=kind,
        severity=severity_of(weight),
        reason=f"{importance.words}; {_WORDS[category]}, judged by the whole sentence of the {_OWN[sentence.report]}",
        finding="",
        importance=importance,
        extent=weight / importance.weight,
        reference_spans=() if sentence.report else spans,
        candidate_spans=spans if sentence.report else (),
        probability=probability,
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
