"""Pairs whose verdict stands, read to learn from them."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final

from attrs import evolve, frozen

from overread.application.batching import batches
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.vocabulary.connected import group_connected
from overread.domain.vocabulary.members import check_member
from overread.hospital.application.ports import NOBODY, KeptPair, UnitOfWork
from overread.hospital.application.requests import Search
from overread.hospital.application.standing_pairs import LeftOut, StandingPair, StandingPairs, TrainingPurpose
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.use_cases.reviewing import judged_result
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.examination import Examination, is_placeholder
from overread.hospital.domain.reading import PairProgress
from overread.hospital.domain.report_version import KeptVersion
from overread.hospital.domain.review import ReviewState
from overread.hospital.domain.standing_verdicts import StandingReview, named_in, standing_review, unjudged_in

__all__ = ["Teaching"]

_AT_ONCE: Final = 200
_PATIENT: Final = "patient"
_EXAMINATION: Final = "examination"

_Name = tuple[str, str, str]
"""By which pairs are known to be of one patient: of a patient or an examination, its site, and what it is called."""


@frozen(eq=False)
class _Protocols:
    """Progress of pairs by protocol, and the protocol of each assignment."""

    progress: Mapping[int, Mapping[int, PairProgress]]
    assignments: Mapping[int, int]


@frozen(eq=False)
class _Candidate:
    pair: StandingPair
    names: frozenset[_Name]


class Teaching(UseCase):
    """Gives pairs with their verdicts to whoever trains a model."""

    @operation
    def standing_pairs(self, *, by: Actor, purpose: TrainingPurpose, singles: bool = False) -> StandingPairs:
        """Pairs whose verdict stands, with their texts and the discrepancies that it names. Admin.

        Withdrawn pairs are not among them, nor those that who asks reads blinded.

        Args:
            by: on whose behalf.
            purpose: the model that is to be trained; the event of the audit trail tells it.
            singles: whether a single reviewer's word counts.
        """
        check_member(TrainingPurpose, "purpose", purpose)
        left_out: Counter[LeftOut] = Counter()
        candidates: list[_Candidate] = []
        with self._context.store.reading() as unit:
            lines = self._context.signature_lines
            numbers = unit.pairs.numbers(Search(review=ReviewState.REVIEWED), lines, hidden_from=NOBODY)
            protocols = _protocols(unit)
            for some in batches(numbers, _AT_ONCE):
                blinded = unit.protocols.blinded(by.name, some)
                for each in self._judge(unit, some, protocols, blinded, singles=singles):
                    if isinstance(each, LeftOut):
                        left_out[each] += 1
                    else:
                        candidates.append(each)
        pairs = _with_patients(candidates)
        digest = hashlib.sha256(",".join(str(pair.number) for pair in pairs).encode("ascii")).hexdigest()
        details: dict[str, str | int] = {"pairs": len(pairs), "digest": digest, "singles": "yes" if singles else "no"}
        self._context.tell(by, "train", purpose.value, details)
        return StandingPairs(pairs=pairs, left_out=dict(left_out), digest=digest)

    def _judge(
        self,
        unit: UnitOfWork,
        numbers: Sequence[int],
        protocols: _Protocols,
        blinded: Collection[int],
        *,
        singles: bool,
    ) -> Iterator[_Candidate | LeftOut]:
        rows = unit.pairs.rows(numbers, self._context.signature_lines)
        kept = zip(unit.pairs.get(numbers), rows, unit.reviews.of(numbers), unit.pairs.results(numbers), strict=True)
        for entry, row, reviews, results in kept:
            listed = {each.signature: judged_result(results, each.signature) for each in reviews}
            progress = protocols.progress.get(entry.number, {})
            standing = standing_review(reviews, progress, protocols.assignments, listed, singles=singles)
            if entry.number in blinded:
                yield LeftOut.BLINDED
            elif standing is None:
                yield LeftOut.UNSETTLED
            else:
                about = listed[standing.review.signature]
                yield _candidate(unit, entry, row.examination, standing, about)


def _candidate(
    unit: UnitOfWork,
    entry: KeptPair,
    examination: Examination,
    standing: StandingReview,
    listed: Sequence[Discrepancy],
) -> _Candidate | LeftOut:
    versions = unit.versions.get([*entry.pair.candidate, *entry.pair.reference])
    if not versions:
        return LeftOut.NO_SITE
    if entry.report_pair is None:
        return LeftOut.NO_TEXT
    if examination.performed is None:
        return LeftOut.NO_TIME
    names = frozenset(_names(versions))
    if not any(kind == _PATIENT for kind, _, _ in names):
        return LeftOut.NO_PATIENT
    pair = StandingPair(
        number=entry.number,
        report_pair=entry.report_pair,
        site=examination.site,
        performed=examination.performed,
        patient="",
        ground=standing.ground,
        protocol=standing.protocol,
        named=named_in(standing.review, listed),
        unjudged=unjudged_in(standing.review, listed),
    )
    return _Candidate(pair, names)


def _names(versions: Sequence[KeptVersion]) -> Iterator[_Name]:
    for kept in versions:
        for examination, patient in zip(kept.version.examinations, kept.patients, strict=False):
            yield _EXAMINATION, examination.site, examination.accession
            if patient and not is_placeholder(examination.patient or patient):
                yield _PATIENT, examination.site, patient


def _with_patients(candidates: Sequence[_Candidate]) -> list[StandingPair]:
    """The pairs in order of their numbers, each with a name that it shares with those of the same patient."""
    groups = group_connected(candidates, lambda candidate: sorted(candidate.names))
    named = [
        evolve(candidate.pair, patient=f"patient {number}")
        for number, group in enumerate(groups, start=1)
        for candidate in group
    ]
    return sorted(named, key=lambda pair: pair.number)


def _protocols(unit: UnitOfWork) -> _Protocols:
    """All protocols; of one that is closed, what was settled."""
    progress: defaultdict[int, dict[int, PairProgress]] = defaultdict(dict)
    assignments: dict[int, int] = {}
    after = 0
    while page := unit.protocols.page(after, _AT_ONCE):
        after = page[-1].number
        for protocol in page:
            for each in unit.protocols.pairs(protocol.number):
                if protocol.closed is None or each.progress.is_settled:
                    progress[each.pair][protocol.number] = each.progress
            assignments |= {each.number: protocol.number for each in unit.assignments.of(protocol.number)}
    return _Protocols(progress, assignments)
