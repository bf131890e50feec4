"""Reports in: each version is kept as it arrived, and pairs are made of those that belong together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from attrs import evolve

from overread.domain.reports.report import ReportPair
from overread.domain.vocabulary.connected import group_connected
from overread.exceptions import InputError
from overread.hospital.application.ports import UnitOfWork
from overread.hospital.application.requests import MergeReceipt, Receipt, ReceiptKind, Refusal
from overread.hospital.application.row_check import PAIRS, VERSIONS, told_of
from overread.hospital.application.use_cases.busy import again_if_busy
from overread.hospital.application.use_cases.context import UseCase, is_storable, is_storable_moment
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.examination import ExaminationKey, is_placeholder
from overread.hospital.domain.garbled import garbled_in
from overread.hospital.domain.markup import markup_of
from overread.hospital.domain.pairing_rules import doubts_of, pairs_of, withdrawn_of
from overread.hospital.domain.patient_merge import MergeKind, PatientMerge
from overread.hospital.domain.report_parts import joined_report
from overread.hospital.domain.report_version import KeptVersion, ReportStatus, ReportVersion
from overread.hospital.domain.version_pairs import DoubtReason, VersionPair

__all__ = ["Ingesting", "report_pair_of"]

_MOST_EXAMINATIONS: Final = 100
"""Of one report; a bound on what is locked and looked up for it, far above what is read together."""

_NOTES: Final = {
    MergeKind.KNOWN: "already merged; nothing changed",
    MergeKind.REVERSED: "already merged the other way; nothing changed",
}


class Ingesting(UseCase):
    """Takes versions of reports and merges of patients, and keeps word of messages that were not taken."""

    @operation(span_counts="versions")
    def ingest(self, versions: Sequence[ReportVersion], *, by: Actor) -> list[Receipt]:
        """Keep versions of reports, make the pairs that follow, and queue them; all of them or none. Submitter."""
        self._check_versions(versions)
        versions = [_without_placeholders(version) for version in versions]
        keys = {key for version in versions for key in version.keys}
        receipts = None
        while receipts is None:
            keys |= self._related_keys(keys)
            receipts = self._store_under_locks(versions, keys, by)
        if any(receipt.pairs for receipt in receipts):
            self._context.queued.notify()
        return receipts

    @operation
    def merge_patients(self, merges: Sequence[PatientMerge], *, by: Actor) -> int:
        """Keep merges as `record_merges` does. Submitter.

        Returns:
            The number of examinations that changed hands.
        """
        return sum(receipt.examinations for receipt in self.record_merges(merges, by=by))

    @operation
    @again_if_busy
    def record_merges(self, merges: Sequence[PatientMerge], *, by: Actor) -> list[MergeReceipt]:
        """Keep under the surviving identifiers what was and will be kept under the merged ones; all of them or none.

        The same again changes nothing, and neither does the reverse of a merge, which its receipt and the event say.
        What was merged cannot be told apart any more. Reports that seemed to be of several patients may be of one now:
        the pairs that follow are made. The event says how much it was, and of nobody. Submitter.
        """
        if not all(merge.site and merge.surviving and merge.merged for merge in merges):
            raise InputError("merges", "each merge needs a site and both identifiers")
        if not all(_is_name(name) for merge in merges for name in (merge.site, merge.surviving, merge.merged)):
            raise InputError("merges", "an identifier has blanks around it or an invisible character; remove them")
        if any(map(is_placeholder, (name for merge in merges for name in (merge.surviving, merge.merged)))):
            raise InputError("merges", "an identifier is a placeholder, such as UNKNOWN, that many patients share")
        if any(merge.surviving == merge.merged for merge in merges):
            raise InputError("merges", "both identifiers of a merge are the same")
        with self._context.store.transaction() as unit:
            receipts = [_merge(unit, merge) for merge in merges]
            moved = sum(receipt.examinations for receipt in receipts)
            pairs = self._pairs_of_merged(unit, merges) if moved else []
            unit.jobs.add(pairs)
            details: dict[str, str | int] = {"merges": len(merges), "examinations": moved}
            if backwards := sum(receipt.kind is MergeKind.REVERSED for receipt in receipts):
                details["reversed"] = backwards
            if pairs:
                details |= {"pairs": len(pairs), PAIRS: told_of(unit.pairs.stated, pairs)}
            self._context.note(unit, by, "merge", "patients", details)
        if pairs:
            self._context.queued.notify()
        return receipts

    def _pairs_of_merged(self, unit: UnitOfWork, merges: Sequence[PatientMerge]) -> list[int]:
        """Numbers of the new pairs of patients' reports."""
        keys = {key for merge in merges for key in unit.versions.of_patient(merge.site, merge.surviving)}
        groups = group_connected(list(unit.versions.related(sorted(keys))), lambda entry: entry.version.keys)
        return [number for together in groups for _, number in self._new_pairs(unit, together)]

    @again_if_busy
    def refuse(self, refusal: Refusal) -> None:
        """Keep that a message was not taken."""
        with self._context.store.transaction() as unit:
            unit.refusals.add(refusal)

    @operation
    def refusals(self, *, by: Actor, limit: int = 100) -> Sequence[Refusal]:  # noqa: ARG002 - the permission's
        """The newest refusals first. Reviewer."""
        with self._context.store.reading() as unit:
            return unit.refusals.newest(limit)

    def _check_versions(self, versions: Sequence[ReportVersion]) -> None:
        if isinstance(versions, ReportVersion) or not all(isinstance(item, ReportVersion) for item in versions):
            problem, remedy = "some are not ReportVersions", "give a sequence of overread.ReportVersion"
            raise InputError("reports", problem, remedy=remedy)
        problems = [(row, problem) for row, version in enumerate(versions, 1) for problem in self._problems(version)]
        if len(versions) > self._context.configuration.largest_batch:
            raise InputError("reports", f"there are more than {self._context.configuration.largest_batch} at once")
        if problems:
            problem = "; ".join(f"report {row}: {problem}" for row, problem in problems)
            raise InputError("reports", problem, rows=[row for row, _ in problems])

    def _problems(self, version: ReportVersion) -> Iterator[str]:
        if not version.examinations:
            yield "it names no examination"
        if not all(key.site and key.accession for key in version.keys):
            yield "an examination has no site or no accession number"
        if any(key.accession and is_placeholder(key.accession) for key in version.keys):
            yield "an accession number is a placeholder, such as N/A or 0, which would merge many examinations into one"
        if not all(map(_is_name, _names_of(version))):
            yield "an identifier has blanks around it or an invisible character; remove them"
        if len(version.examinations) > _MOST_EXAMINATIONS:
            yield f"it reports on more than {_MOST_EXAMINATIONS} examinations"
        if len(set(version.keys)) < len(version.keys):
            yield "it names an examination twice"
        if _is_of_several(version):
            yield "its examinations belong to several patients"
        yield from self._problems_of_text(version.text.text)
        times = (version.issued, *(examination.performed for examination in version.examinations))
        moments = [moment for moment in times if moment is not None]
        if any(moment.tzinfo is None for moment in moments):
            yield "a time has no time zone"
        elif not all(map(is_storable_moment, moments)):
            yield "a time is too early or too late to be stored"

    def _problems_of_text(self, text: str) -> Iterator[str]:
        if len(text) > self._context.configuration.longest_report:
            yield f"it is longer than {self._context.configuration.longest_report:,} characters"
        if not is_storable(text):
            yield "it contains a NUL or half a surrogate pair"
        if kind := markup_of(text):
            yield f"it is the source of a document ({kind}) and not its text; send plain text"
        if damage := garbled_in(text):
            yield damage

    def _related_keys(self, keys: Collection[ExaminationKey]) -> set[ExaminationKey]:
        with self._context.store.reading() as unit:
            return _keys_of(unit.versions.related(sorted(keys)))

    @again_if_busy
    def _store_under_locks(
        self, versions: Sequence[ReportVersion], keys: Collection[ExaminationKey], by: Actor
    ) -> list[Receipt] | None:
        """Receipts; None where a version that came in meanwhile ties in examinations that are not locked."""
        with self._context.store.transaction() as unit:
            unit.versions.lock(sorted(keys))
            known = list(unit.versions.related(sorted(keys)))
            if not _keys_of(known) <= set(keys):
                return None
            receipts = self._receipts(unit, versions, known)
            unit.jobs.add([pair for receipt in receipts for pair in receipt.pairs])
            self._context.note(
                unit,
                by,
                "ingest",
                f"versions:{','.join(str(receipt.version) for receipt in receipts)}",
                {
                    "resent": sum(receipt.kind is ReceiptKind.RESENT for receipt in receipts),
                    "pairs": sum(len(receipt.pairs) for receipt in receipts),
                    **_event_details(unit, receipts),
                },
            )
        return receipts

    def _receipts(
        self, unit: UnitOfWork, versions: Sequence[ReportVersion], known: Sequence[KeptVersion]
    ) -> list[Receipt]:
        """Keeps versions beside those known of their examinations, and the pairs that follow.

        What comes in one message arrives at one time: the order within says nothing of when it was made.
        """
        now, fresh, receipts = self._context.now(), list[KeptVersion](), list[Receipt]()
        for version in versions:
            repeated = unit.versions.resent(version)
            if repeated is None:
                fresh.append(unit.versions.add(version, now))
                receipts.append(Receipt(version=fresh[-1].number, kind=ReceiptKind.STORED))
            else:
                receipts.append(Receipt(version=repeated, kind=ReceiptKind.RESENT))
        new = {entry.number for entry in fresh}
        pairs, doubts = defaultdict[int, list[int]](list), defaultdict[int, list[DoubtReason]](list)
        for together in group_connected([*known, *fresh], lambda entry: entry.version.keys):
            came = [entry.number for entry in together if entry.number in new]
            if came:
                for pair, number in self._new_pairs(unit, together):
                    pairs[max({*pair.candidate, *pair.reference} & new, default=came[-1])].append(number)
                self._withdraw(unit, together)
                for doubt in doubts_of(together):
                    doubts[doubt.version].append(doubt.reason)
        return [
            evolve(receipt, pairs=pairs[receipt.version], doubts=doubts[receipt.version])
            if receipt.kind is ReceiptKind.STORED
            else receipt
            for receipt in receipts
        ]

    def _withdraw(self, unit: UnitOfWork, together: Sequence[KeptVersion]) -> None:
        """Marks the pairs that were made of what is withdrawn by now, and no others."""
        if any(entry.version.status is ReportStatus.CANCELLED for entry in together):
            gone = unit.pairs.of_versions(sorted(withdrawn_of(together)))
            every = unit.pairs.of_versions([entry.number for entry in together])
            unit.pairs.withdraw(gone)
            unit.pairs.withdraw([number for number in every if number not in gone], withdrawn=False)

    def _new_pairs(self, unit: UnitOfWork, together: Sequence[KeptVersion]) -> Iterator[tuple[VersionPair, int]]:
        """Pairs of versions that hang together and were not there before, with their numbers."""
        by_number = {entry.number: entry for entry in together}
        for pair in pairs_of(together):
            number, is_new = self._pair(unit, pair, by_number)
            if is_new:
                yield pair, number

    def _pair(self, unit: UnitOfWork, pair: VersionPair, related: dict[int, KeptVersion]) -> tuple[int, bool]:
        candidate = [related[number] for number in pair.candidate]
        reference = [related[number] for number in pair.reference]
        return unit.pairs.add(pair, report_pair_of(pair, candidate, reference), made=self._context.now())


def _merge(unit: UnitOfWork, merge: PatientMerge) -> MergeReceipt:
    kind = unit.merge_kind(merge)
    moved = unit.merge_patients(merge) if kind is MergeKind.MERGED else 0
    return MergeReceipt(kind=kind, examinations=moved, note=_NOTES.get(kind, ""))


def report_pair_of(
    pair: VersionPair, candidate: Sequence[KeptVersion], reference: Sequence[KeptVersion]
) -> ReportPair | None:
    """The texts of a pair of versions, as they are compared, in the context that the reference tells.

    None where a text is no longer kept. The id is of the kind and the versions' numbers.
    """
    if not all(entry.has_text for entry in (*candidate, *reference)):
        return None
    numbers = ("+".join(map(str, side)) for side in (pair.candidate, pair.reference))
    reference_versions, candidate_versions = ([entry.version for entry in side] for side in (reference, candidate))
    examinations = {key: number for number, key in enumerate(sorted(_keys_of((*reference, *candidate))))}
    return ReportPair(
        id=":".join((pair.kind.value, *numbers)),
        reference=joined_report(reference_versions, examinations),
        candidate=joined_report(candidate_versions, examinations),
        context=reference[0].version.examinations[0].context,
    )


def _event_details(unit: UnitOfWork, receipts: Sequence[Receipt]) -> dict[str, str]:
    """Returns what the event tells of new versions and pairs, so that they can be checked against it."""
    versions = [receipt.version for receipt in receipts if receipt.kind is ReceiptKind.STORED]
    pairs = [pair for receipt in receipts for pair in receipt.pairs]
    details = {VERSIONS: told_of(unit.versions.stated, versions), PAIRS: told_of(unit.pairs.stated, pairs)}
    return {name: value for name, value in details.items() if value}


def _without_placeholders(version: ReportVersion) -> ReportVersion:
    """A version that does not tell of whom it is where it says so: many that are not known are not one patient."""
    if not any(examination.patient and is_placeholder(examination.patient) for examination in version.examinations):
        return version
    examinations = [
        evolve(examination, patient="") if is_placeholder(examination.patient) else examination
        for examination in version.examinations
    ]
    return evolve(version, examinations=examinations)


def _names_of(version: ReportVersion) -> Iterator[str]:
    """Identifiers by which versions, examinations and patients are found again."""
    yield from (version.filler, version.placer, version.message)
    for examination in version.examinations:
        yield from (examination.site, examination.accession, examination.patient)


def _is_name(text: str) -> bool:
    return text == text.strip() and text.isprintable()


def _is_of_several(version: ReportVersion) -> bool:
    """Returns whether a version reports on examinations of several patients of a site."""
    people = {(examination.site, examination.patient) for examination in version.examinations if examination.patient}
    return len({site for site, _ in people}) < len(people)


def _keys_of(versions: Sequence[KeptVersion]) -> set[ExaminationKey]:
    return {key for entry in versions for key in entry.version.keys}
