"""Features of a discrepancy besides the words it points at: its kind, its importance and a few figures."""

from __future__ import annotations

import math
from typing import Final

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.severity import Importance, Severity

__all__ = ["TRAITS", "kind_of", "traits"]

TRAITS: Final = len(Importance) + 3
"""Length of `traits`."""

_LONG: Final = 5.0
"""Log of the characters of a long phrase, which scales that trait to about 1."""


def kind_of(d: Discrepancy) -> str:
    """Aspect, type, category and the reports it points into, for example "Negation/omission/B/both"."""
    where = "both" if d.reference_spans and d.candidate_spans else "reference" if d.reference_spans else "candidate"
    return f"{d.aspect.value}/{d.type.value if d.type else '-'}/{d.category.value if d.category else '-'}/{where}"


def traits(d: Discrepancy) -> list[float]:
    """The importance as one of five, the extent, whether it is a contradiction, and how many characters it covers."""
    covered = sum(span.end - span.start for span in (*d.reference_spans, *d.candidate_spans))
    return [
        *(float(d.importance is importance) for importance in Importance),
        d.extent or 0.0,
        float(d.severity is Severity.CRITICAL),
        math.log1p(covered) / _LONG,
    ]
