"""Pairs of report versions that are compared."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

from overread.domain.vocabulary.equality import in_tuple

__all__ = ["Doubt", "DoubtReason", "PairKind", "VersionPair"]


class PairKind(StrEnum):
    """Kind of a comparison; the candidate comes first."""

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

    The texts of several are joined in the order given, and each is a part of what is compared.
    """

    kind: PairKind
    candidate: tuple[int, ...] = field(converter=in_tuple)
    reference: tuple[int, ...] = field(converter=in_tuple)


class DoubtReason(StrEnum):
    """Reason why it is unclear whether a version should be compared, or what its text says."""

    OPENS_AS_ADDENDUM = "opens-as-addendum"
    """A first final whose text opens as an addendum: whether the whole report stands in it is not told."""

    NUMBER_USED_AGAIN = "number-used-again"
    """It came half a year after all others of its accession number, and does not tell when the examination was
    performed: it is compared with none of them."""

    HOLDS_ADDITION_ALONE = "holds-addition-alone"
    """A final or correction after another that is short and holds hardly anything of it: it is taken for an addition,
    and what is corrected, if anything, is not compared."""

    WITHDRAWS_TOO_EARLY = "withdraws-too-early"
    """A cancellation that arrived after a version of its report and tells a time before it, by more than clocks differ:
    the version stands."""

    TIMES_CONTRADICT = "times-contradict"
    """It arrived before the final and tells a time after it, by more than clocks differ."""

    PATIENTS_DIFFER = "patients-differ"
    """Reports of its accession number name several patients: one of them bears the wrong number, or the wrong patient.
    It is compared with none that names another, or nobody."""

    HOLDS_ESCAPES = "holds-escapes"
    """Its text came over HL7 and has a backslash, which may be left of an escape sequence that nobody knows: it is
    compared as it stands."""


@frozen
class Doubt:
    """A version that is not compared where it might have to be, or whose text may not be what was meant.

    Attributes:
        version: number of the kept version.
        reason: for the doubt.
    """

    version: int
    reason: DoubtReason
