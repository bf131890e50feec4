"""Look-ups of what is known: worklists, pairs with their results, examinations in time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve

from overread.domain.results.result import EvaluationResult
from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.permissions import sees_all
from overread.hospital.application.ports import KeptPair, UnitOfWork
from overread.hospital.application.requests import ExaminationRecord, PairRecord, Search, WorklistPage
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.use_cases.searching import told
from overread.hospital.application.use_cases.submitting import batch_seen_by
from overread.hospital.application.worklist import DISCREPANCIES_OF
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.examination import Examination, ExaminationKey
from overread.hospital.domain.pairing_rules import doubts_of, withdrawn_of
from overread.hospital.domain.radpeer import proposal
from overread.hospital.domain.report_version import KeptVersion
from overread.hospital.domain.version_pairs import PairKind

__all__ = ["Looking"]


class Looking(UseCase):
    """Reads what is kept; each look at patient data leaves an event."""

    @operation
    def search(self, search: Search, *, by: Actor) -> WorklistPage:
        """A page of pairs without text. Reviewer."""
        with self._context.store.reading() as unit:
            page = unit.pairs.search(search, self._context.signature_lines)
        self._context.tell(by, "search", details={"rows": len(page.rows), **told(search)})
        return page

    @operation
    def pair(self, number: int, *, by: Actor, explain: bool = False) -> PairRecord:
        """All of one pair. Reviewer; a submitter the pairs it gave in batches.

        Args:
            number: of the pair.
            by: on whose behalf.
            explain: whether to score the pair anew, so that its present results carry their evidence.
        """
        with self._context.store.reading() as unit:
            [entry] = unit.pairs.get([number])
            is_own = entry.owner == by.name != ""  # pairs of versions are nobody's
            if not is_own and not sees_all(by):
                raise NotFoundError(f"there is no pair {number}")
            [record] = self._records(unit, [entry])
        self._context.tell(by, "explain" if explain else "read", f"pair:{number}")
        return self._with_evidence(record) if explain else record

    @operation
    def batch_results(self, number: int, *, by: Actor, after: int = 0, limit: int = 500) -> Sequence[PairRecord]:
        """Records of a batch's pairs in the order submitted, from the one after ``after`` pairs on; as `batch`."""
        if after < 0 or limit < 1:
            raise InputError("batch", "after must be 0 or more, and limit 1 or more")
        with self._context.store.reading() as unit:
            batch_seen_by(unit, number, by)
            numbers = unit.pairs.of_batch(number)[after : after + limit]
            records = list(self._records(unit, unit.pairs.get(numbers)))
        self._context.tell(by, "read", f"batch:{number}", {"pairs": len(records)})
        return records

    @operation
    def examination(self, key: ExaminationKey, *, by: Actor) -> ExaminationRecord:
        """An examination's versions and pairs in time. Reviewer."""
        with self._context.store.reading() as unit:
            examination = unit.versions.examination(key)
            related = unit.versions.related([key])
            versions = [entry for entry in related if key in entry.version.keys]
            numbers = [entry.number for entry in versions]
            pairs = unit.pairs.rows(unit.pairs.of_versions(numbers), self._context.signature_lines)
        self._context.tell(by, "read", f"versions:{','.join(map(str, numbers))}")
        doubts = [doubt for doubt in doubts_of(related) if doubt.version in numbers]
        withdrawn = sorted(withdrawn_of(related) & {*numbers})
        return ExaminationRecord(
            examination=examination, versions=versions, pairs=pairs, doubts=doubts, withdrawn=withdrawn
        )

    def _records(self, unit: UnitOfWork, pairs: Sequence[KeptPair]) -> Iterator[PairRecord]:
        numbers = [entry.number for entry in pairs]
        signatures = self._context.signatures
        rows = unit.pairs.rows(numbers, list(signatures.values()))
        by_pair = zip(pairs, rows, unit.pairs.results(numbers), unit.reviews.of(numbers), strict=True)
        for entry, row, results, reviews in by_pair:
            versions = unit.versions.get([*entry.pair.candidate, *entry.pair.reference])
            current = _current(results, signatures)
            proposed = proposal(current.get(DISCREPANCIES_OF))
            yield PairRecord(
                number=entry.number,
                pair=entry.pair,
                examinations=tuple(_examinations(unit, versions)),
                versions=tuple(versions),
                report_pair=entry.report_pair,
                state=entry.state,
                results={str(result.signature): result for result in results},
                current=current,
                proposed=proposed.score if proposed else None,
                reasons=proposed.reasons if proposed else (),
                reviews=tuple(reviews),
                id=row.examination.accession if entry.pair.kind is PairKind.GIVEN else "",
                withdrawn=row.withdrawn,
            )

    def _with_evidence(self, record: PairRecord) -> PairRecord:
        """The record with present results that carry their evidence, where the texts are still there."""
        if record.report_pair is None:
            return record
        [scored] = self._context.scorer.evaluate_batch([record.report_pair])
        return evolve(
            record, current=scored, results={**record.results, **{str(r.signature): r for r in scored.values()}}
        )


def _examinations(unit: UnitOfWork, versions: Sequence[KeptVersion]) -> Iterator[Examination]:
    keys = dict.fromkeys(key for entry in versions for key in entry.version.keys)
    return (unit.versions.examination(key) for key in keys)


def _current(results: Sequence[EvaluationResult], signatures: Mapping[str, str]) -> Mapping[str, EvaluationResult]:
    """The results under the present signatures, by metric."""
    return {result.metric: result for result in results if signatures.get(result.metric) == str(result.signature)}
