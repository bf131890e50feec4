"""Versions by the patient that they say their examinations are of."""

from __future__ import annotations

from collections.abc import Sequence

from overread.domain.vocabulary.connected import group_connected
from overread.hospital.domain.report_version import KeptVersion

__all__ = ["by_patient", "patients_differ"]

_Person = tuple[str, str]
"""A site, and what the store knows a patient of it by."""


def by_patient(versions: Sequence[KeptVersion]) -> list[list[KeptVersion]]:
    """Versions of one examination, or of several that share reports, in groups that are of one patient each.

    Where all that is told agrees they are one group. Else nothing is compared across patients, and what does not tell
    whose it is belongs to none of them: each such version is a group of its own.
    """
    if not patients_differ(versions):
        return [list(versions)]
    identified = [version for version in versions if _persons(version)]
    return [*group_connected(identified, _persons), *([version] for version in versions if not _persons(version))]


def patients_differ(versions: Sequence[KeptVersion]) -> bool:
    """Return whether versions name several patients of one site."""
    persons = {person for version in versions for person in _persons(version)}
    return len({site for site, _ in persons}) < len(persons)


def _persons(version: KeptVersion) -> list[_Person]:
    identities = zip(version.version.examinations, version.patients, strict=False)
    return sorted({(examination.site, patient) for examination, patient in identities if patient})
