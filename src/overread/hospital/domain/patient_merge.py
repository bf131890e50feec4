"""Merges: two identifiers turned out to be of one patient."""

from __future__ import annotations

from attrs import field, frozen

__all__ = ["PatientMerge"]


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
