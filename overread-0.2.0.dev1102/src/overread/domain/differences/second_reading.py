"""Input and answer of a second reader."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import field, frozen

from overread.domain.findings.lexicon import Lexicon
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Span
from overread.domain.results.discrepancy import Discrepancy

__all__ = ["FirstReading", "SecondReading"]


@frozen(eq=False)
class FirstReading:
    """A pair as it was read first.

    Attributes:
        reference, candidate: texts that the spans of units and discrepancies point into.
        units: of the reference and of the candidate.
        discrepancies: as notation finds them.
        lexicon: what the units' findings mean in this patient.
        compared: where the sentences of either report stand that are compared; None for all of it. What else there is,
            as the indication or a signature, neither bears anything out nor is wrong.
    """

    reference: str = field(repr=False)
    candidate: str = field(repr=False)
    units: tuple[Sequence[ClinicalUnit], Sequence[ClinicalUnit]] = field(repr=False)
    discrepancies: Sequence[Discrepancy] = field(repr=False)
    lexicon: Lexicon = field(repr=False)
    compared: tuple[tuple[Span, ...], tuple[Span, ...]] | None = field(default=None, repr=False)

    @property
    def texts(self) -> tuple[str, str]:
        """The reference and the candidate."""
        return self.reference, self.candidate


@frozen(eq=False)
class SecondReading:
    """A pair as it was read again.

    Attributes:
        probabilities: how likely somebody who reads both reports confirms each discrepancy, on [0, 1], in their order.
        found: errors in sentences of either report, each with its importance, extent and probability. One may be what
            a discrepancy tells already.
    """

    probabilities: Sequence[float]
    found: Sequence[Discrepancy] = ()
