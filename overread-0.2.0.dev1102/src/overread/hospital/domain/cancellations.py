"""Cancellations: which versions of reports they withdraw."""

from __future__ import annotations

from collections.abc import Sequence

from overread.hospital.domain.report_history import examinations_of, report_number
from overread.hospital.domain.report_version import KeptVersion, ReportStatus
from overread.hospital.domain.version_times import find_issue_time, is_before

__all__ = ["early_cancellations", "valid_versions", "withdrawn_versions"]


def valid_versions(versions: Sequence[KeptVersion]) -> list[KeptVersion]:
    """Versions that count: neither cancellations nor what they withdraw."""
    return [version for version in versions if not _is_cancellation(version) and not _is_withdrawn(version, versions)]


def withdrawn_versions(versions: Sequence[KeptVersion]) -> list[KeptVersion]:
    """Versions whose report was cancelled after they were made."""
    return [version for version in versions if not _is_cancellation(version) and _is_withdrawn(version, versions)]


def early_cancellations(versions: Sequence[KeptVersion]) -> list[KeptVersion]:
    """Cancellations that a version of their report arrived before, yet claims to be made after."""
    return [version for version in versions if _is_cancellation(version) and _comes_too_early(version, versions)]


def _is_cancellation(version: KeptVersion) -> bool:
    return version.version.status is ReportStatus.CANCELLED


def _is_withdrawn(version: KeptVersion, versions: Sequence[KeptVersion]) -> bool:
    return any(
        _is_made_before(version, other) and _cancels_report_of(other, version)
        for other in versions
        if _is_cancellation(other)
    )


def _comes_too_early(cancellation: KeptVersion, versions: Sequence[KeptVersion]) -> bool:
    return any(
        version.arrived < cancellation.arrived
        and not _is_made_before(version, cancellation)
        and _cancels_report_of(cancellation, version)
        for version in versions
        if not _is_cancellation(version)
    )


def _is_made_before(version: KeptVersion, cancellation: KeptVersion) -> bool:
    """Return whether a version was made before a cancellation; by number if both are untimed and arrived at once."""
    if find_issue_time(version) is find_issue_time(cancellation) is None and version.arrived == cancellation.arrived:
        return version.number < cancellation.number
    return is_before(version, cancellation)


def _cancels_report_of(cancellation: KeptVersion, version: KeptVersion) -> bool:
    """Return whether a cancellation means the report of a version: by its number, else by all of its examinations."""
    number = report_number(cancellation)
    if number is not None:
        return report_number(version) == number
    return examinations_of(version) <= examinations_of(cancellation)
