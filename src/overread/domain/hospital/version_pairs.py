"""Which versions of a report are read against each other."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from overread.domain.equality import in_tuple

__all__ = ["PairKind", "VersionPair"]


class PairKind(StrEnum):
    """What is compared with what; the candidate comes first."""

    DRAFT_FINAL = "draft-final"
    """A model's draft with the final report."""

    PRELIMINARY_FINAL = "preliminary-final"
    """A preliminary report with the final one."""

    FINAL_CORRECTED = "final-corrected"
    """A final report with its correction."""

    GIVEN = "given"
    """A pair that a host submitted as such."""


@frozen(kw_only=True)
class VersionPair:
    """Versions to be compared: numbers of kept versions, more than one on a side where a report was split.

    The texts of several are joined in the order given.
    """

    kind: PairKind
    candidate: tuple[int, ...] = field(converter=in_tuple)
    reference: tuple[int, ...] = field(converter=in_tuple)
