"""Records of pairs as those who ask may see them: blinded readers see the reports alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from attrs import evolve

from overread.domain.results.result import EvaluationResult
from overread.hospital.application.ports import KeptPair, UnitOfWork
from overread.hospital.application.requests import PairRecord
from overread.hospital.application.use_cases.context import ServiceContext
from overread.hospital.application.worklist import DISCREPANCIES_OF, edits_found
from overread.hospital.domain.audit_trail import Actor
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.radpeer import proposal
from overread.hospital.domain.report_version import KeptVersion
from overread.hospital.domain.version_pairs import PairKind

__all__ = ["records_of", "without_author"]


def records_of(
    context: ServiceContext, unit: UnitOfWork, pairs: Sequence[KeptPair], *, by: Actor
) -> Iterator[PairRecord]:
    """The records of pairs, in order, as somebody may see them."""
    numbers = [entry.number for entry in pairs]
    signatures = context.signatures
    blinded = unit.protocols.blinded(by.name, numbers)
    rows = unit.pairs.rows(numbers, list(signatures.values()))
    by_pair = zip(pairs, rows, unit.pairs.results(numbers), unit.reviews.of(numbers), strict=True)
    for entry, row, results, reviews in by_pair:
        versions = unit.versions.get([*entry.pair.candidate, *entry.pair.reference])
        current = _current(results, signatures)
        proposed = proposal(current.get(DISCREPANCIES_OF))
        record = PairRecord(
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
            edits=edits_found(entry.report_pair, current),
        )
        yield _blinded(record) if entry.number in blinded else record


def without_author(kept: KeptVersion) -> KeptVersion:
    """A version that does not tell who wrote it, nor by which message."""
    return evolve(kept, version=evolve(kept.version, reader="", model="", message=""))


def _blinded(record: PairRecord) -> PairRecord:
    return evolve(
        record,
        versions=tuple(map(without_author, record.versions)),
        results={},
        current={},
        proposed=None,
        reasons=(),
        reviews=(),
        edits=None,
        blinded=True,
    )


def _examinations(unit: UnitOfWork, versions: Sequence[KeptVersion]) -> Iterator[Examination]:
    keys = dict.fromkeys(key for entry in versions for key in entry.version.keys)
    return (unit.versions.examination(key) for key in keys)


def _current(results: Sequence[EvaluationResult], signatures: Mapping[str, str]) -> Mapping[str, EvaluationResult]:
    """The results under the present signatures, by metric."""
    return {result.metric: result for result in results if signatures.get(result.metric) == str(result.signature)}
