"""Rules for which report versions are compared: one pure function over all that is known of an examination.

Most systems overwrite the preliminary report with the final one, so every version is kept on arrival and paired here.
The guarantees for the pairs, and the reason for each rule, are in docs/decisions/0036-pairing-rules.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import dropwhile, pairwise
from typing import Final, TypeVar

from attrs import evolve, frozen

from overread.domain.vocabulary.connected import connected
from overread.hospital.domain.additions import is_addition, opens_as_addendum
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.occasions import Occasion, occasions
from overread.hospital.domain.patients import by_patient, patients_differ
from overread.hospital.domain.report_version import KeptVersion, ReportStatus
from overread.hospital.domain.version_pairs import Doubt, DoubtReason, PairKind, VersionPair
from overread.hospital.domain.version_times import is_before, issued, made

__all__ = ["doubts_of", "pairs_of", "withdrawn_of"]

_RANK: Final = {status: rank for rank, status in enumerate(ReportStatus)}
"""Breaks ties of time: many systems tell minutes only, or never move the time of the first version."""

_EARLY: Final = frozenset({ReportStatus.PRELIMINARY, ReportStatus.PARTIAL})


def pairs_of(versions: Sequence[KeptVersion]) -> tuple[VersionPair, ...]:
    """The pairs that versions of one examination, or of several that share reports, give rise to.

    - A preliminary report is compared with the first final one: the last that was made before it, whenever it arrives.
      One made after the final is not compared: whoever wrote it could read the final. Clocks differ, so that one that
      arrived before the final counts as made before it where it tells a time minutes after, or one still to come.
    - A model's draft is compared with the first final: its last made before it, else its first made after.
    - A correction is compared with what it corrects, be that the final or an earlier correction, however much later. A
      final that changes after it was signed is a correction, whatever it is called.
    - Reports that share a filler number are versions of one report; so are those without one on the same examinations.
    - Where one side reports in several reports what the other reports in one, all of them are awaited and joined in
      the order of accession numbers. A report on several examinations makes one pair.
    - Partial reports stand in for a preliminary one where there is none.
    - Addenda and cancelled versions are never compared, nor is what was cancelled.
    - Versions that tell of examinations performed half a year apart or more are of an accession number used again; so
      is a report that does not tell, made half a year after all others, unless it is a correction.
    - A first final that opens as an addendum is not compared.
    - Reports that name several patients are compared with none of another's; nor is one beside them that names nobody.
    - A later final or correction that holds hardly anything of the report that it follows adds to it, and is not
      compared: what follows it is compared with what it adds to.

    `doubts_of` lists what is not compared because it cannot be known whether it should be.

    Equal texts are compared too, since rates of concordance count them; the same version sent again makes no pair.

    Args:
        versions: all that share an examination, directly or through others, in whatever order.

    Returns:
        The pairs. Where every version tells when it was issued, hours apart and in the past, they do not depend on the
        order of arrival. A pair that was made before and is no longer among them was true when it was made: it may be
        kept.
    """
    return tuple(pair for occasion in occasions(versions) for pair in _pairs_of_one(occasion.versions))


def doubts_of(versions: Sequence[KeptVersion]) -> tuple[Doubt, ...]:
    """Doubts about versions not compared because nothing tells whether they should be, in order of version number.

    Args:
        versions: as for `pairs_of`.
    """
    doubts = [
        (version.number, reason)
        for occasion in occasions(versions)
        for reason, doubtful in _doubtful(occasion).items()
        for version in doubtful
    ]
    return tuple(Doubt(number, reason) for number, reason in sorted(doubts))


def withdrawn_of(versions: Sequence[KeptVersion]) -> frozenset[int]:
    """Numbers of the versions that were withdrawn by a cancellation made after them. Their texts do not count.

    Args:
        versions: as for `pairs_of`.
    """
    return frozenset(
        version.number
        for occasion in occasions(versions)
        for version in occasion.versions
        if version.version.status is not ReportStatus.CANCELLED and _is_withdrawn(version, occasion.versions)
    )


def _pairs_of_one(versions: Sequence[KeptVersion]) -> tuple[VersionPair, ...]:
    """Those of versions whose accession numbers were used once."""
    return tuple(pair for standing in by_patient(_standing(versions)) for pair in _pairs_of_standing(standing))


def _pairs_of_standing(standing: Sequence[KeptVersion]) -> tuple[VersionPair, ...]:
    finals = _final_lines(standing)
    signed = [line for line in finals if line.is_signed]
    return (
        *_preliminary_pairs(standing, signed),
        *_draft_pairs(standing, signed),
        *_correction_pairs(finals, signed),
    )


def _doubtful(occasion: Occasion) -> Mapping[DoubtReason, Sequence[KeptVersion]]:
    """The versions of one use of their accession numbers that are in doubt, by reason."""
    standing = _standing(occasion.versions)
    finals = [version for version in standing if version.version.status is ReportStatus.FINAL]
    whole = [version for line in _signed_lines(standing) for version in line.versions]
    compared = {number for pair in _pairs_of_one(standing) for number in pair.candidate}
    return {
        DoubtReason.PATIENTS_DIFFER: standing if patients_differ(standing) else [],
        DoubtReason.NUMBER_USED_AGAIN: [] if occasion.is_sure else standing,
        DoubtReason.HOLDS_ADDITION_ALONE: _additions(standing),
        DoubtReason.WITHDRAWS_TOO_EARLY: [
            entry for entry in _cancellations(occasion.versions) if _withdraws_too_early(entry, occasion.versions)
        ],
        DoubtReason.OPENS_AS_ADDENDUM: [entry for entry in finals if _opens_as_addendum(entry) and entry not in whole],
        DoubtReason.TIMES_CONTRADICT: [
            entry
            for entry in standing
            if entry.version.status in _EARLY
            and entry.number not in compared
            and any(_contradict(entry, line.first) for line in _signed_lines(standing))
        ],
    }


_Coverage = frozenset[ExaminationKey]
_Number = tuple[str, str]
"""Site and filler number, which versions of one report have in common."""
_Name = TypeVar("_Name")
_Choice = Callable[["_Line", KeptVersion], "KeptVersion | None"]
"""The version of a report that stood when another was made, None where there is none."""


@frozen(eq=False)
class _Line:
    """Versions of one report, in the order in which they were made."""

    versions: tuple[KeptVersion, ...]
    report: _Number | None

    @property
    def first(self) -> KeptVersion:
        return self.versions[0]

    @property
    def keys(self) -> _Coverage:
        return _keys(self.first)

    @property
    def is_signed(self) -> bool:
        return self.first.version.status is ReportStatus.FINAL

    def then(self, further: Iterable[KeptVersion]) -> _Line:
        """The same report with further versions after its first."""
        return evolve(self, versions=_without_repeats((self.first, *_in_order((*self.versions[1:], *further)))))

    def additions(self) -> list[KeptVersion]:
        """The versions that add to the one before them and do not take its place."""
        standing, added = [self.first], list[KeptVersion]()
        for version in self.versions[1:]:
            (added if _adds_to(standing[-1:], [version]) else standing).append(version)
        return added

    def whole(self) -> _Line:
        """The same report without those."""
        added = self.additions()
        return evolve(self, versions=_without_repeats([version for version in self.versions if version not in added]))

    @property
    def place(self) -> tuple[list[ExaminationKey], datetime, str]:
        """Sort key: accession numbers, then time, then filler number."""
        return sorted(self.keys), made(self.first), self.first.version.filler


def _preliminary_pairs(versions: Sequence[KeptVersion], signed: Sequence[_Line]) -> Iterator[VersionPair]:
    """Preliminary reports against finals.

    One whose time is not told may have come late, and counts where no other was there in time; a partial one counts
    where there is no preliminary one.
    """
    preliminary = _lines(version for version in versions if version.version.status is ReportStatus.PRELIMINARY)
    partial = _lines(version for version in versions if version.version.status is ReportStatus.PARTIAL)
    return _best_pairs(
        PairKind.PRELIMINARY_FINAL,
        [
            (preliminary, _last_made_before),
            (preliminary, _last_untold),
            (partial, _last_made_before),
            (partial, _last_untold),
        ],
        signed,
    )


def _draft_pairs(versions: Sequence[KeptVersion], signed: Sequence[_Line]) -> Iterator[VersionPair]:
    """Drafts against finals, each model on its own.

    A model that runs again gives its draft a new filler number: its drafts of the same examinations are one report. One
    that ran after the final had not read it either, and its first answer counts.
    """
    drafts = [version for version in versions if version.version.status is ReportStatus.DRAFT]
    for model in sorted({draft.version.model for draft in drafts}):
        own = _by_coverage(draft for draft in drafts if draft.version.model == model)
        yield from _best_pairs(PairKind.DRAFT_FINAL, [(own, _last_made_before), (own, _first)], signed)


def _best_pairs(
    kind: PairKind, choices: Sequence[tuple[Sequence[_Line], _Choice]], signed: Sequence[_Line]
) -> Iterator[VersionPair]:
    """Pairs by the first choice; by each further one only against finals that nothing belonged to before."""
    untouched = list(signed)
    for lines, choose in choices:
        links = _links(lines, untouched, choose)
        yield from _join_links(kind, links, choose)
        touched = {final for _, final in links}
        untouched = [line for line in untouched if line not in touched]


def _correction_pairs(finals: Sequence[_Line], signed: Sequence[_Line]) -> Iterator[VersionPair]:
    """Each final against the correction after it.

    A correction under a number of its own corrects the finals that it covers together, unless two of them report on
    the same examination: then it is not known which.
    """
    for line in finals:
        for before, after in pairwise(line.whole().versions):
            yield VersionPair(kind=PairKind.FINAL_CORRECTED, candidate=(before.number,), reference=(after.number,))
    for sides in _loose_corrections(finals, signed):
        if not _adds_to(*sides):
            yield _pair_of(PairKind.FINAL_CORRECTED, *sides)


def _loose_corrections(finals: Sequence[_Line], signed: Sequence[_Line]) -> Iterator[_Sides]:
    apart = [line for line in signed if not any(line.keys & other.keys for other in signed if other is not line)]
    loose = [line for line in finals if not line.is_signed]
    whole = [line.whole() for line in apart]
    return _sides(_links(whole, loose, _last_made_before), _last_made_before)


def _additions(standing: Sequence[KeptVersion]) -> list[KeptVersion]:
    """The versions that are taken for additions to the one before them, whatever they are called."""
    finals = _final_lines(standing)
    own = [version for line in finals for version in line.additions()]
    signed = [line for line in finals if line.is_signed]
    loose = [sides for sides in _loose_corrections(finals, signed) if _adds_to(*sides)]
    return [*own, *(version for _, after in loose for version in after)]


def _adds_to(before: Sequence[KeptVersion], after: Sequence[KeptVersion]) -> bool:
    earlier, later = ("\n".join(version.version.text.text for version in side) for side in (before, after))
    return is_addition(later, earlier)


def _final_lines(versions: Sequence[KeptVersion]) -> list[_Line]:
    """Final reports with their corrections; one begins with a correction where its final is not there.

    By its meaning a correction comes after a final, so that the first final leads, whatever the times say.
    """
    finals = _signed_lines(versions)
    corrections = [version for version in versions if version.version.status is ReportStatus.CORRECTED]
    corrected = {version.number: _find_corrected(version, finals) for version in corrections}
    with_corrections = (
        line.then(version for version in corrections if corrected[version.number] is line) for line in finals
    )
    return [*with_corrections, *_lines(version for version in corrections if corrected[version.number] is None)]


def _signed_lines(versions: Sequence[KeptVersion]) -> list[_Line]:
    """Final reports, each from its first version on that does not open as an addendum: nothing is added to nothing."""
    finals = _lines(version for version in versions if version.version.status is ReportStatus.FINAL)
    whole = ((line, tuple(dropwhile(_opens_as_addendum, line.versions))) for line in finals)
    return [evolve(line, versions=versions) for line, versions in whole if versions]


def _opens_as_addendum(version: KeptVersion) -> bool:
    return opens_as_addendum(version.version.text.text)


def _find_corrected(version: KeptVersion, finals: Sequence[_Line]) -> _Line | None:
    """The final that a correction corrects: of its report, else the only one on its examinations."""
    report = _report(version)
    named = [line for line in finals if report is not None and line.report == report]
    covering = [line for line in finals if line.keys == _keys(version)]
    return _only(named) or _only(covering)


# --- one report on one side, several on the other ------------------------------------------------------------------

_Link = tuple[_Line, _Line]
"""A report and one that it is to be read against."""

_Sides = tuple[Sequence[KeptVersion], Sequence[KeptVersion]]
"""The candidate's and the reference's versions, which are compared."""


def _links(candidates: Sequence[_Line], references: Sequence[_Line], choose: _Choice) -> list[_Link]:
    """Reports that have an examination in common, and a version that stood when the reference was made.

    Two that have a number in common belong together: neither is linked to others for what the two share.
    """
    stood = [
        (candidate, reference, _keys(chosen) & reference.keys)
        for candidate in candidates
        for reference in references
        if (chosen := choose(candidate, reference.first)) is not None
    ]
    sharing = [(one, other, shared) for one, other, shared in stood if shared]
    own = [(one, other) for one, other, _ in sharing if one.report is not None and one.report == other.report]
    taken: dict[_Line, list[_Coverage]] = {}
    for one, other in own:
        taken.setdefault(one, []).append(other.keys)
        taken.setdefault(other, []).append(one.keys)
    strangers = [
        (one, other)
        for one, other, shared in sharing
        if not any(shared <= keys for keys in (*taken.get(one, ()), *taken.get(other, ())))
    ]
    return [*own, *strangers]


def _join_links(kind: PairKind, links: Sequence[_Link], choose: _Choice) -> Iterator[VersionPair]:
    """One pair of all reports that hang together, once both sides report on the same examinations."""
    return (_pair_of(kind, *sides) for sides in _sides(links, choose))


def _pair_of(kind: PairKind, candidate: Sequence[KeptVersion], reference: Sequence[KeptVersion]) -> VersionPair:
    return VersionPair(
        kind=kind,
        candidate=tuple(version.number for version in candidate),
        reference=tuple(version.number for version in reference),
    )


def _sides(links: Sequence[_Link], choose: _Choice) -> Iterator[_Sides]:
    """The candidate's and the reference's versions of each pair."""
    for together in connected(links, lambda link: link):
        earliest: dict[_Line, KeptVersion] = {}
        for one, other in together:
            earliest[one] = min(earliest.get(one, other.first), other.first, key=made)
        candidates = sorted(earliest, key=lambda line: line.place)
        references = sorted({other for _, other in together}, key=lambda line: line.place)
        chosen = [choose(line, earliest[line]) for line in candidates]
        first_said = [version for version in chosen if version is not None]
        if _coverage_of(first_said) == _coverage_of(line.first for line in references):
            yield first_said, [line.first for line in references]


def _last_made_before(line: _Line, other: KeptVersion) -> KeptVersion | None:
    return _last(version for version in line.versions if is_before(version, other))


def _contradict(early: KeptVersion, final: KeptVersion) -> bool:
    """Return whether a version arrived before a final on the same examination, yet claims to be made after it."""
    return bool(_keys(early) & _keys(final)) and early.arrived < final.arrived and not is_before(early, final)


def _last_untold(line: _Line, _: KeptVersion) -> KeptVersion | None:
    return _last(version for version in line.versions if issued(version) is None)


def _first(line: _Line, _: KeptVersion) -> KeptVersion:
    return line.first


# --- versions of one report ----------------------------------------------------------------------------------------


def _lines(versions: Iterable[KeptVersion]) -> list[_Line]:
    """Versions by report. One without a number belongs to the only report on its examinations."""
    everything = list(versions)
    numbered = _by_report(version for version in everything if _report(version) is not None)
    nameless = _by_coverage(version for version in everything if _report(version) is None)
    only = {name.keys: _only([line for line in numbered if line.keys == name.keys]) for name in nameless}
    return [
        *(_with(line, (name for name in nameless if only[name.keys] is line)) for line in numbered),
        *(name for name in nameless if only[name.keys] is None),
    ]


def _with(line: _Line, others: Iterable[_Line]) -> _Line:
    further = (version for other in others for version in other.versions)
    return evolve(line, versions=_told_once((*line.versions, *further)))


def _only(lines: Sequence[_Line]) -> _Line | None:
    return lines[0] if len(lines) == 1 else None


def _by_report(versions: Iterable[KeptVersion]) -> list[_Line]:
    return [_Line(_told_once(group), report) for report, group in _groups(versions, _report).items()]


def _by_coverage(versions: Iterable[KeptVersion]) -> list[_Line]:
    return [_Line(_told_once(group), None) for group in _groups(versions, _keys).values()]


def _groups(versions: Iterable[KeptVersion], name: Callable[[KeptVersion], _Name]) -> dict[_Name, list[KeptVersion]]:
    groups: dict[_Name, list[KeptVersion]] = {}
    for version in versions:
        groups.setdefault(name(version), []).append(version)
    return groups


def _told_once(versions: Iterable[KeptVersion]) -> tuple[KeptVersion, ...]:
    """Versions in order, without those that repeat the one before them as the same kind of report."""
    return _without_repeats(_in_order(versions))


def _without_repeats(versions: Sequence[KeptVersion]) -> tuple[KeptVersion, ...]:
    return (*versions[:1], *(after for before, after in pairwise(versions) if not _repeats(before, after)))


def _repeats(before: KeptVersion, after: KeptVersion) -> bool:
    return (
        before.version.status is after.version.status and _keys(before) == _keys(after) and _say_the_same(before, after)
    )


def _say_the_same(one: KeptVersion, other: KeptVersion) -> bool:
    """Return whether two texts are equal, as far as known; what was paired must not change once they are dropped."""
    if one.digest and other.digest:
        return one.digest == other.digest
    return one.has_text and other.has_text and one.version.text == other.version.text


def _standing(versions: Sequence[KeptVersion]) -> list[KeptVersion]:
    """Versions that count: neither cancellations nor what they withdraw."""
    return [
        version
        for version in versions
        if version.version.status is not ReportStatus.CANCELLED and not _is_withdrawn(version, versions)
    ]


def _is_withdrawn(version: KeptVersion, versions: Sequence[KeptVersion]) -> bool:
    """Return whether the report was cancelled after this version was made."""
    return any(_precedes(version, other) and _names(other, version) for other in _cancellations(versions))


def _precedes(version: KeptVersion, cancellation: KeptVersion) -> bool:
    """Return whether a version was made before a cancellation; by number if both are untimed and arrived at once."""
    if issued(version) is issued(cancellation) is None and version.arrived == cancellation.arrived:
        return version.number < cancellation.number
    return is_before(version, cancellation)


def _cancellations(versions: Sequence[KeptVersion]) -> list[KeptVersion]:
    return [version for version in versions if version.version.status is ReportStatus.CANCELLED]


def _withdraws_too_early(cancellation: KeptVersion, versions: Sequence[KeptVersion]) -> bool:
    """Return whether a version of its report arrived before a cancellation, yet claims to be made after it."""
    return any(
        version.arrived < cancellation.arrived
        and not _precedes(version, cancellation)
        and _names(cancellation, version)
        for version in versions
        if version.version.status is not ReportStatus.CANCELLED
    )


def _names(cancellation: KeptVersion, version: KeptVersion) -> bool:
    """Return whether a cancellation means the report of a version: by its number, else by all of its examinations."""
    report = _report(cancellation)
    return _report(version) == report if report is not None else _keys(version) <= _keys(cancellation)


def _in_order(versions: Iterable[KeptVersion]) -> tuple[KeptVersion, ...]:
    """Sort versions by time made, then status, then arrival, so that a newcomer never falls between others."""
    return tuple(sorted(versions, key=lambda kept: (made(kept), _RANK[kept.version.status], kept.number)))


def _last(versions: Iterable[KeptVersion]) -> KeptVersion | None:
    return next(iter(tuple(versions)[::-1]), None)


def _report(version: KeptVersion) -> _Number | None:
    filler = version.version.filler
    return (version.version.keys[0].site, filler) if filler else None


def _keys(version: KeptVersion) -> _Coverage:
    return frozenset(version.version.keys)


def _coverage_of(versions: Iterable[KeptVersion]) -> _Coverage:
    return frozenset().union(*(_keys(version) for version in versions))
