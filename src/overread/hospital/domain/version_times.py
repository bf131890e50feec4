"""When versions of reports were made, and when what they report on was performed."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from overread.hospital.domain.report_version import KeptVersion

__all__ = ["is_before", "issued", "made", "performed"]

_CLOCKS_DIFFER: Final = timedelta(minutes=15)
"""At most, between two systems of one hospital; ours. Beyond it, order of arrival is no match for the times told."""


def made(version: KeptVersion) -> datetime:
    """When a version was issued, else when it arrived."""
    return issued(version) or version.arrived


def issued(version: KeptVersion) -> datetime | None:
    """When a version was issued; a time without its zone may be hours off, and is none."""
    told = version.version.issued
    return told if told is not None and told.tzinfo is not None else None


def performed(version: KeptVersion) -> datetime | None:
    """The earliest time, with its zone, at which one of its examinations was performed."""
    told = (examination.performed for examination in version.version.examinations)
    return min((moment for moment in told if moment is not None and moment.tzinfo is not None), default=None)


def is_before(one: KeptVersion, other: KeptVersion) -> bool:
    """Whether one version was made before another, or at the same time.

    By what their senders tell; by arrival where that can be a difference of clocks, or tells of the future.
    """
    ahead = made(one) - made(other)
    came_first = one.arrived < other.arrived
    return ahead <= timedelta() or (came_first and (ahead <= _CLOCKS_DIFFER or one.arrived < made(one)))
