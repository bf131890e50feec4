"""Histories of reports: the versions of one report in the order in which they were made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import dropwhile, pairwise
from typing import Final, TypeVar

from attrs import evolve, frozen

from overread.hospital.domain.additions import is_addition, opens_as_addendum
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.report_version import KeptVersion, ReportStatus
from overread.hospital.domain.version_times import find_creation_time

__all__ = [
    "Examinations",
    "ReportHistory",
    "adds_to",
    "examinations_of",
    "final_histories",
    "group_by_examinations",
    "group_by_report",
    "is_opened_as_addendum",
    "report_number",
    "signed_histories",
]

Examinations = frozenset[ExaminationKey]
"""Examinations that a version reports on."""
ReportNumber = tuple[str, str]
"""Site and filler number, which versions of one report have in common."""

_RANK: Final = {status: rank for rank, status in enumerate(ReportStatus)}
"""Breaks ties of time: many systems tell minutes only, or never move the time of the first version."""

_Key = TypeVar("_Key")


@frozen(eq=False)
class ReportHistory:
    """Versions of one report.

    Attributes:
        versions: one or more, in the order in which they were made.
        number: of the report; None where its versions tell none.
    """

    versions: tuple[KeptVersion, ...]
    number: ReportNumber | None

    @property
    def first(self) -> KeptVersion:
        """The first version."""
        return self.versions[0]

    @property
    def examinations(self) -> Examinations:
        """Examinations that the first version reports on."""
        return examinations_of(self.first)

    @property
    def is_signed(self) -> bool:
        """Test for a final version at the beginning, not a correction of one that is not there."""
        return self.first.version.status is ReportStatus.FINAL

    @property
    def sort_key(self) -> tuple[list[ExaminationKey], datetime, str]:
        """Accession numbers, then time, then filler number."""
        return sorted(self.examinations), find_creation_time(self.first), self.first.version.filler

    def with_later(self, later: Iterable[KeptVersion]) -> ReportHistory:
        """The same report with further versions after its first."""
        return evolve(self, versions=_without_repeats((self.first, *_in_order((*self.versions[1:], *later)))))

    def additions(self) -> list[KeptVersion]:
        """Versions that add to the one before them and do not take its place."""
        complete, added = [self.first], list[KeptVersion]()
        for version in self.versions[1:]:
            (added if adds_to(complete[-1:], [version]) else complete).append(version)
        return added

    def without_additions(self) -> ReportHistory:
        """The same report without the versions that only add to another."""
        added = self.additions()
        return evolve(self, versions=_without_repeats([version for version in self.versions if version not in added]))


def report_number(version: KeptVersion) -> ReportNumber | None:
    """Number of the report that a version is of; None where it tells none."""
    filler = version.version.filler
    return (version.version.keys[0].site, filler) if filler else None


def examinations_of(version: KeptVersion) -> Examinations:
    """Examinations that a version reports on."""
    return frozenset(version.version.keys)


def adds_to(before: Sequence[KeptVersion], after: Sequence[KeptVersion]) -> bool:
    """Return whether the texts of versions only add to those before, and do not take their place."""
    earlier, later = ("\n".join(version.version.text.text for version in side) for side in (before, after))
    return is_addition(later, earlier)


def is_opened_as_addendum(version: KeptVersion) -> bool:
    """Return whether the text of a version opens as an addendum does."""
    return opens_as_addendum(version.version.text.text)


def _only(histories: Sequence[ReportHistory]) -> ReportHistory | None:
    """Return the one history where there is exactly one."""
    return histories[0] if len(histories) == 1 else None


def final_histories(versions: Sequence[KeptVersion]) -> list[ReportHistory]:
    """Final reports with their corrections; one begins with a correction where its final is not there.

    By its meaning a correction comes after a final, so that the first final leads, whatever the times say.
    """
    finals = signed_histories(versions)
    corrections = [version for version in versions if version.version.status is ReportStatus.CORRECTED]
    corrected = {version.number: _find_corrected(version, finals) for version in corrections}
    with_corrections = (
        final.with_later(version for version in corrections if corrected[version.number] is final) for final in finals
    )
    unclaimed = (version for version in corrections if corrected[version.number] is None)
    return [*with_corrections, *group_by_report(unclaimed)]


def signed_histories(versions: Sequence[KeptVersion]) -> list[ReportHistory]:
    """Final reports, each from its first version on that does not open as an addendum: nothing is added to nothing."""
    finals = group_by_report(version for version in versions if version.version.status is ReportStatus.FINAL)
    complete = ((final, tuple(dropwhile(is_opened_as_addendum, final.versions))) for final in finals)
    return [evolve(final, versions=versions) for final, versions in complete if versions]


def group_by_report(versions: Iterable[KeptVersion]) -> list[ReportHistory]:
    """Group versions by report. One without a number belongs to the only report on its examinations."""
    every = list(versions)
    numbered = _group_by_number(version for version in every if report_number(version) is not None)
    unnumbered = group_by_examinations(version for version in every if report_number(version) is None)
    owners = {
        history.examinations: _only([other for other in numbered if other.examinations == history.examinations])
        for history in unnumbered
    }
    return [
        *(
            _merge(owner, (history for history in unnumbered if owners[history.examinations] is owner))
            for owner in numbered
        ),
        *(history for history in unnumbered if owners[history.examinations] is None),
    ]


def group_by_examinations(versions: Iterable[KeptVersion]) -> list[ReportHistory]:
    """Group versions by the examinations that they report on, whatever their numbers."""
    return [ReportHistory(_history(group), None) for group in _group(versions, examinations_of).values()]


def _group_by_number(versions: Iterable[KeptVersion]) -> list[ReportHistory]:
    return [ReportHistory(_history(group), number) for number, group in _group(versions, report_number).items()]


def _group(versions: Iterable[KeptVersion], key: Callable[[KeptVersion], _Key]) -> dict[_Key, list[KeptVersion]]:
    groups: dict[_Key, list[KeptVersion]] = {}
    for version in versions:
        groups.setdefault(key(version), []).append(version)
    return groups


def _merge(owner: ReportHistory, others: Iterable[ReportHistory]) -> ReportHistory:
    further = (version for other in others for version in other.versions)
    return evolve(owner, versions=_history((*owner.versions, *further)))


def _find_corrected(version: KeptVersion, finals: Sequence[ReportHistory]) -> ReportHistory | None:
    """The final that a correction corrects: of its report, else the only one on its examinations."""
    number = report_number(version)
    same_report = [final for final in finals if number is not None and final.number == number]
    same_examinations = [final for final in finals if final.examinations == examinations_of(version)]
    return _only(same_report) or _only(same_examinations)


def _history(versions: Iterable[KeptVersion]) -> tuple[KeptVersion, ...]:
    """Versions in order, without those that repeat the one before them as the same kind of report."""
    return _without_repeats(_in_order(versions))


def _in_order(versions: Iterable[KeptVersion]) -> tuple[KeptVersion, ...]:
    """Sort versions by time made, then status, then arrival, so that a newcomer never falls between others."""
    return tuple(sorted(versions, key=lambda kept: (find_creation_time(kept), _RANK[kept.version.status], kept.number)))


def _without_repeats(versions: Sequence[KeptVersion]) -> tuple[KeptVersion, ...]:
    return (*versions[:1], *(after for before, after in pairwise(versions) if not _repeats(before, after)))


def _repeats(before: KeptVersion, after: KeptVersion) -> bool:
    return (
        before.version.status is after.version.status
        and examinations_of(before) == examinations_of(after)
        and _have_same_text(before, after)
    )


def _have_same_text(one: KeptVersion, other: KeptVersion) -> bool:
    """Return whether two texts are equal, as far as known; what was paired must not change once they are dropped."""
    if one.digest and other.digest:
        return one.digest == other.digest
    return one.has_text and other.has_text and one.version.text == other.version.text
