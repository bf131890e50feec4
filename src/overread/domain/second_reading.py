"""What a second reader is asked: whether two reports differ as the first reading says."""

from __future__ import annotations

from attrs import field, frozen

from overread.domain.discrepancy import Discrepancy

__all__ = ["Claim"]


@frozen
class Claim:
    """A discrepancy, with the reports that it is claimed of.

    Attributes:
        reference, candidate: texts that the spans of the discrepancy point into.
    """

    discrepancy: Discrepancy
    reference: str = field(repr=False)
    candidate: str = field(repr=False)
