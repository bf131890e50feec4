"""What a second reader is asked: whether two reports differ as the first reading says."""

from __future__ import annotations

from attrs import field, frozen

from overread.domain.discrepancy import Discrepancy
from overread.domain.unread import Coverage

__all__ = ["Claim"]


@frozen
class Claim:
    """A discrepancy, with the reports that it is claimed of.

    Attributes:
        reference, candidate: texts that the spans of the discrepancy point into.
        coverage: what was read of the reference and of the candidate; None where the extractor does not know.
    """

    discrepancy: Discrepancy
    reference: str = field(repr=False)
    candidate: str = field(repr=False)
    coverage: tuple[Coverage, Coverage] | None = field(default=None, repr=False)
