"""Times at which report versions were made, and at which their examinations were performed."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from overread.hospital.domain.report_version import KeptVersion

__all__ = ["find_creation_time", "find_examination_time", "find_issue_time", "is_before"]

_CLOCKS_DIFFER: Final = timedelta(minutes=15)
"""Largest difference between clocks in one hospital; ours. Beyond it, order of arrival is no match for stated times."""


def find_creation_time(version: KeptVersion) -> datetime:
    """Time at which a version was issued, else at which it arrived."""
    return find_issue_time(version) or version.arrived


def find_issue_time(version: KeptVersion) -> datetime | None:
    """Time at which a version was issued; None if it lacks a zone, since it may then be hours off."""
    moment = version.version.issued
    return moment if moment is not None and moment.tzinfo is not None else None


def find_examination_time(version: KeptVersion) -> datetime | None:
    """The earliest time, with its zone, at which one of its examinations was performed."""
    moments = (examination.performed for examination in version.version.examinations)
    return min((moment for moment in moments if moment is not None and moment.tzinfo is not None), default=None)


def is_before(one: KeptVersion, other: KeptVersion) -> bool:
    """Return whether one version was made before another, or at the same time.

    The times stated by their senders count; arrival counts where clocks may differ, or a stated time is in the future.
    """
    ahead = find_creation_time(one) - find_creation_time(other)
    came_first = one.arrived < other.arrived
    return ahead <= timedelta() or (came_first and (ahead <= _CLOCKS_DIFFER or one.arrived < find_creation_time(one)))
