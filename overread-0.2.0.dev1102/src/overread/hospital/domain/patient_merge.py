"""Merges: two identifiers turned out to be of one patient."""

from __future__ import annotations

from enum import StrEnum

from attrs import field, frozen

__all__ = ["MergeKind", "PatientMerge"]


class MergeKind(StrEnum):
    """Outcome of a merge."""

    MERGED = "merged"
    """The identifiers were of two patients until now."""

    KNOWN = "known"
    """They were of one patient already; nothing changed."""

    REVERSED = "reversed"
    """They were merged the other way before: the identifier that was to be replaced stands, and nothing changed."""


@frozen(kw_only=True)
class PatientMerge:
    """An identifier is no longer used, and another stands in its place.

    Attributes:
        site: where both are used.
        surviving: the identifier that stands; never printed.
        merged: the one that is no longer used; never printed.
    """

    site: str
    surviving: str = field(repr=False)
    merged: str = field(repr=False)
