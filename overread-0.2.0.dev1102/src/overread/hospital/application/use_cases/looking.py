"""Look-ups of what is known: worklists, pairs with their results, examinations in time."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import evolve

from overread.exceptions import InputError, NotFoundError
from overread.hospital.application.permissions import sees_all
from overread.hospital.application.requests import ExaminationRecord, PairRecord, Search, WorklistPage
from overread.hospital.application.use_cases.context import UseCase
from overread.hospital.application.use_cases.operation import operation
from overread.hospital.application.use_cases.records import records_of, without_author
from overread.hospital.application.use_cases.searching import describe_search
from overread.hospital.application.use_cases.submitting import batch_seen_by
from overread.hospital.application.worklist import edits_found
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.examination import ExaminationKey
from overread.hospital.domain.pairing_rules import doubts_of, withdrawn_of

__all__ = ["Looking"]


class Looking(UseCase):
    """Reads what is kept; each look at patient data leaves an event."""

    @operation
    def search(self, search: Search, *, by: Actor) -> WorklistPage:
        """A page of pairs without text; pairs that who asks reads blinded are not among them. Reviewer."""
        with self._context.store.reading() as unit:
            page = unit.pairs.search(search, self._context.signature_lines, hidden_from=by.name)
        self._context.tell(by, "search", details={"rows": len(page.rows), **describe_search(search)})
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
            [record] = records_of(self._context, unit, [entry], by=by)
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
            records = list(records_of(self._context, unit, unit.pairs.get(numbers), by=by))
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
            pairs = unit.pairs.of_versions(numbers)
            blinded = unit.protocols.blinded(by.name, pairs)
            rows = unit.pairs.rows([pair for pair in pairs if pair not in blinded], self._context.signature_lines)
        self._context.tell(by, "read", f"versions:{','.join(map(str, numbers))}")
        doubts = [doubt for doubt in doubts_of(related) if doubt.version in numbers]
        withdrawn = sorted(withdrawn_of(related) & {*numbers})
        return ExaminationRecord(
            examination=examination,
            versions=list(map(without_author, versions)) if blinded else versions,
            pairs=rows,
            doubts=doubts,
            withdrawn=withdrawn,
            blinded=bool(blinded),
        )

    def _with_evidence(self, record: PairRecord) -> PairRecord:
        """The record with present results that carry their evidence, where the texts are still there."""
        if record.report_pair is None or record.blinded:
            return record
        [scored] = self._context.scorer.evaluate_batch([record.report_pair])
        return evolve(
            record,
            current=scored,
            results={**record.results, **{str(r.signature): r for r in scored.values()}},
            edits=edits_found(record.report_pair, scored),
        )
