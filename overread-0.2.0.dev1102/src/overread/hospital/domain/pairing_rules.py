"""Rules for which report versions are compared: one pure function over all that is known of an examination.

Most systems overwrite the preliminary report with the final one, so every version is kept on arrival and paired here.
The guarantees for the pairs, and the reason for each rule, are in docs/decisions/0036-pairing-rules.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final

from attrs import evolve

from overread.domain.vocabulary.connected import group_connected
from overread.hospital.domain.cancellations import early_cancellations, valid_versions, withdrawn_versions
from overread.hospital.domain.occasions import Occasion, occasions
from overread.hospital.domain.patients import by_patient, patients_differ
from overread.hospital.domain.report_history import (
    Examinations,
    ReportHistory,
    adds_to,
    examinations_of,
    final_histories,
    group_by_examinations,
    group_by_report,
    is_opened_as_addendum,
    signed_histories,
)
from overread.hospital.domain.report_version import KeptVersion, ReportStatus
from overread.hospital.domain.version_pairs import Doubt, DoubtReason, PairKind, VersionPair
from overread.hospital.domain.version_times import find_creation_time, find_issue_time, is_before

__all__ = ["doubts_of", "pairs_of", "withdrawn_of"]

_HL7: Final = "hl7"
"""Source of versions that came over HL7."""

_ESCAPE: Final = "\\"

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
    return tuple(pair for occasion in occasions(versions) for pair in _pairs_of_occasion(occasion.versions))


def doubts_of(versions: Sequence[KeptVersion]) -> tuple[Doubt, ...]:
    """Doubts about versions not compared because nothing tells whether they should be, in order of version number.

    Args:
        versions: as for `pairs_of`.
    """
    doubts = [
        (version.number, reason)
        for occasion in occasions(versions)
        for reason, doubtful in _doubtful_versions(occasion).items()
        for version in doubtful
    ]
    return tuple(Doubt(number, reason) for number, reason in sorted(doubts))


def withdrawn_of(versions: Sequence[KeptVersion]) -> frozenset[int]:
    """Numbers of the versions that were withdrawn by a cancellation made after them. Their texts do not count.

    Args:
        versions: as for `pairs_of`.
    """
    return frozenset(
        version.number for occasion in occasions(versions) for version in withdrawn_versions(occasion.versions)
    )


def _pairs_of_occasion(versions: Sequence[KeptVersion]) -> tuple[VersionPair, ...]:
    """Pairs of versions whose accession numbers were used once."""
    return tuple(pair for own in by_patient(valid_versions(versions)) for pair in _pairs_of_patient(own))


def _pairs_of_patient(versions: Sequence[KeptVersion]) -> tuple[VersionPair, ...]:
    finals = final_histories(versions)
    signed = [final for final in finals if final.is_signed]
    return (
        *_preliminary_pairs(versions, signed),
        *_draft_pairs(versions, signed),
        *_correction_pairs(finals, signed),
    )


# --- doubts --------------------------------------------------------------------------------------------------------


def _doubtful_versions(occasion: Occasion) -> Mapping[DoubtReason, Sequence[KeptVersion]]:
    """The versions of one use of their accession numbers that are in doubt, by reason."""
    valid = valid_versions(occasion.versions)
    signed = signed_histories(valid)
    return {
        DoubtReason.PATIENTS_DIFFER: valid if patients_differ(valid) else [],
        DoubtReason.NUMBER_USED_AGAIN: [] if occasion.is_sure else valid,
        DoubtReason.HOLDS_ADDITION_ALONE: _additions(valid),
        DoubtReason.WITHDRAWS_TOO_EARLY: early_cancellations(occasion.versions),
        DoubtReason.OPENS_AS_ADDENDUM: _finals_without_report(valid, signed),
        DoubtReason.TIMES_CONTRADICT: _contradictory(valid, signed),
        DoubtReason.HOLDS_ESCAPES: [version for version in valid if _holds_escapes(version)],
    }


def _holds_escapes(version: KeptVersion) -> bool:
    """Return whether a text that HL7 brought has a backslash, with which its escape sequences begin."""
    return version.version.source == _HL7 and _ESCAPE in version.version.text.text


def _finals_without_report(valid: Sequence[KeptVersion], signed: Sequence[ReportHistory]) -> list[KeptVersion]:
    """Finals that open as an addendum, where there is no report that they could add to."""
    in_reports = [version for final in signed for version in final.versions]
    finals = [version for version in valid if version.version.status is ReportStatus.FINAL]
    return [version for version in finals if is_opened_as_addendum(version) and version not in in_reports]


def _contradictory(valid: Sequence[KeptVersion], signed: Sequence[ReportHistory]) -> list[KeptVersion]:
    """Early versions that are not compared, since they claim to be made after a final that arrived after them."""
    compared = {number for pair in _pairs_of_occasion(valid) for number in pair.candidate}
    return [
        version
        for version in valid
        if version.version.status in _EARLY
        and version.number not in compared
        and any(_contradicts(version, final.first) for final in signed)
    ]


def _contradicts(early: KeptVersion, final: KeptVersion) -> bool:
    """Return whether a version arrived before a final on the same examination, yet claims to be made after it."""
    shared = examinations_of(early) & examinations_of(final)
    return bool(shared) and early.arrived < final.arrived and not is_before(early, final)


def _additions(valid: Sequence[KeptVersion]) -> list[KeptVersion]:
    """The versions that are taken for additions to the one before them, whatever they are called."""
    finals = final_histories(valid)
    same_report = [version for final in finals for version in final.additions()]
    signed = [final for final in finals if final.is_signed]
    other_reports = [sides for sides in _sides_of_unclaimed(finals, signed) if adds_to(*sides)]
    return [*same_report, *(version for _, reference in other_reports for version in reference)]


# --- kinds of pairs ------------------------------------------------------------------------------------------------

_Choice = Callable[[ReportHistory, KeptVersion], KeptVersion | None]
"""The version of a report that stood when another was made, None where there is none."""


def _last_made_before(history: ReportHistory, other: KeptVersion) -> KeptVersion | None:
    return _last(version for version in history.versions if is_before(version, other))


def _last_without_time(history: ReportHistory, _: KeptVersion) -> KeptVersion | None:
    return _last(version for version in history.versions if find_issue_time(version) is None)


def _first(history: ReportHistory, _: KeptVersion) -> KeptVersion:
    return history.first


def _last(versions: Iterable[KeptVersion]) -> KeptVersion | None:
    return next(iter(tuple(versions)[::-1]), None)


def _preliminary_pairs(versions: Sequence[KeptVersion], signed: Sequence[ReportHistory]) -> Iterator[VersionPair]:
    """Preliminary reports against finals.

    One whose time is not told may have come late, and counts where no other was there in time; a partial one counts
    where there is no preliminary one.
    """
    preliminary = group_by_report(version for version in versions if version.version.status is ReportStatus.PRELIMINARY)
    partial = group_by_report(version for version in versions if version.version.status is ReportStatus.PARTIAL)
    return _pairs_by_first_choice(
        PairKind.PRELIMINARY_FINAL,
        [
            (preliminary, _last_made_before),
            (preliminary, _last_without_time),
            (partial, _last_made_before),
            (partial, _last_without_time),
        ],
        signed,
    )


def _draft_pairs(versions: Sequence[KeptVersion], signed: Sequence[ReportHistory]) -> Iterator[VersionPair]:
    """Drafts against finals, each model on its own.

    A model that runs again gives its draft a new filler number: its drafts of the same examinations are one report. One
    that ran after the final had not read it either, and its first answer counts.
    """
    drafts = [version for version in versions if version.version.status is ReportStatus.DRAFT]
    for model in sorted({draft.version.model for draft in drafts}):
        own = group_by_examinations(draft for draft in drafts if draft.version.model == model)
        choices: list[tuple[Sequence[ReportHistory], _Choice]] = [(own, _last_made_before), (own, _first)]
        yield from _pairs_by_first_choice(PairKind.DRAFT_FINAL, choices, signed)


def _pairs_by_first_choice(
    kind: PairKind, choices: Sequence[tuple[Sequence[ReportHistory], _Choice]], signed: Sequence[ReportHistory]
) -> Iterator[VersionPair]:
    """Pairs by the first choice; by each further one only against finals that nothing belonged to before."""
    unmatched = list(signed)
    for candidates, choose in choices:
        links = _links(candidates, unmatched, choose)
        for sides in _sides(links, choose):
            yield _pair_of(kind, *sides)
        matched = {final for _, final in links}
        unmatched = [final for final in unmatched if final not in matched]


def _correction_pairs(finals: Sequence[ReportHistory], signed: Sequence[ReportHistory]) -> Iterator[VersionPair]:
    """Each final against the correction after it.

    A correction under a number of its own corrects the finals that it covers together, unless two of them report on
    the same examination: then it is not known which.
    """
    for final in finals:
        for before, after in pairwise(final.without_additions().versions):
            yield _pair_of(PairKind.FINAL_CORRECTED, [before], [after])
    for sides in _sides_of_unclaimed(finals, signed):
        if not adds_to(*sides):
            yield _pair_of(PairKind.FINAL_CORRECTED, *sides)


def _sides_of_unclaimed(finals: Sequence[ReportHistory], signed: Sequence[ReportHistory]) -> Iterator[_Sides]:
    """Finals and the corrections under numbers of their own that may be theirs."""
    unambiguous = [
        final
        for final in signed
        if not any(final.examinations & other.examinations for other in signed if other is not final)
    ]
    complete = [final.without_additions() for final in unambiguous]
    unclaimed = [final for final in finals if not final.is_signed]
    return _sides(_links(complete, unclaimed, _last_made_before), _last_made_before)


# --- one report on one side, several on the other ------------------------------------------------------------------

_Link = tuple[ReportHistory, ReportHistory]
"""A report and one that it is to be read against."""

_Sides = tuple[Sequence[KeptVersion], Sequence[KeptVersion]]
"""The candidate's and the reference's versions, which are compared."""


def _links(candidates: Sequence[ReportHistory], references: Sequence[ReportHistory], choose: _Choice) -> list[_Link]:
    """Reports that have an examination in common, and a version that stood when the reference was made.

    Two that have a number in common belong together: neither is linked to others for what the two share.
    """
    sharing = [
        (candidate, reference, shared)
        for candidate in candidates
        for reference in references
        if (chosen := choose(candidate, reference.first)) is not None
        and (shared := examinations_of(chosen) & reference.examinations)
    ]
    same_report = [
        (candidate, reference)
        for candidate, reference, _ in sharing
        if candidate.number is not None and candidate.number == reference.number
    ]
    taken: dict[ReportHistory, list[Examinations]] = {}
    for candidate, reference in same_report:
        taken.setdefault(candidate, []).append(reference.examinations)
        taken.setdefault(reference, []).append(candidate.examinations)
    other_reports = [
        (candidate, reference)
        for candidate, reference, shared in sharing
        if not any(shared <= own for own in (*taken.get(candidate, ()), *taken.get(reference, ())))
    ]
    return [*same_report, *other_reports]


def _sides(links: Sequence[_Link], choose: _Choice) -> Iterator[_Sides]:
    """The sides of each pair: all reports that hang together, once both sides report on the same examinations.

    A candidate made after a reference on one of its examinations is left out, also where it is linked to a later one.
    """
    for together in group_connected(links, lambda link: link):
        earliest: dict[ReportHistory, KeptVersion] = {}
        for candidate, reference in together:
            known = earliest.get(candidate, reference.first)
            earliest[candidate] = min(known, reference.first, key=find_creation_time)
        candidates = sorted(earliest, key=lambda history: history.sort_key)
        references = sorted({reference for _, reference in together}, key=lambda history: history.sort_key)
        reference_versions = [reference.first for reference in references]
        chosen = [(candidate, choose(candidate, earliest[candidate])) for candidate in candidates]
        candidate_versions = [
            version
            for candidate, version in chosen
            if version is not None
            and all(_stood(candidate, version, other, choose) for other in _on_shared(version, reference_versions))
        ]
        if _all_examinations(candidate_versions) == _all_examinations(reference_versions):
            yield candidate_versions, reference_versions


def _stood(history: ReportHistory, version: KeptVersion, other: KeptVersion, choose: _Choice) -> bool:
    """Return whether a version of a report might be chosen for another, were it the only one."""
    return choose(evolve(history, versions=(version,)), other) is not None


def _on_shared(version: KeptVersion, others: Iterable[KeptVersion]) -> Iterator[KeptVersion]:
    """Those of other versions that report on an examination of this one."""
    return (other for other in others if examinations_of(version) & examinations_of(other))


def _pair_of(kind: PairKind, candidate: Sequence[KeptVersion], reference: Sequence[KeptVersion]) -> VersionPair:
    return VersionPair(
        kind=kind,
        candidate=tuple(version.number for version in candidate),
        reference=tuple(version.number for version in reference),
    )


def _all_examinations(versions: Iterable[KeptVersion]) -> Examinations:
    return frozenset().union(*map(examinations_of, versions))
