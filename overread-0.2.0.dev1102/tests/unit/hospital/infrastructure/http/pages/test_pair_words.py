"""A pair in words: what its page says of results agrees with the worklist."""

from __future__ import annotations

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Scale, Scored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.hospital.application.requests import PairRecord, PairState
from overread.hospital.application.worklist import DISCREPANCIES_OF, RISK_OF, summary_of
from overread.hospital.domain.version_pairs import PairKind, VersionPair
from overread.hospital.infrastructure.http.pages.pairs import reviewed_pair

from .rows import VOCABULARY


def _discrepancy(probability: float) -> Discrepancy:
    return Discrepancy(
        category=ErrorCategory.OMITTED_FINDING,
        aspect=ErrorAspect.DESCRIPTION,
        type=ErrorType.OMISSION,
        severity=Severity.SIGNIFICANT,
        reason="left out",
        finding="pneumothorax",
        probability=probability,
    )


def _result(metric: str, *discrepancies: Discrepancy) -> EvaluationResult:
    return EvaluationResult(
        pair_id="1",
        metric=metric,
        scale=Scale(0.0, 1.0, higher_is_better=False),
        signature=Signature(metric, [("version", "0.0.1")]),
        outcome=Scored(score=0.5, discrepancies=discrepancies),
    )


def test_a_doubtful_discrepancy_is_counted_as_the_worklist_counts_it() -> None:
    """A result under another signature has as many significant discrepancies as in the worklist: no doubtful one."""
    results = {
        RISK_OF: _result(RISK_OF),
        DISCREPANCIES_OF: _result(DISCREPANCIES_OF, _discrepancy(1), _discrepancy(0.4)),
    }
    record = PairRecord(
        number=1,
        pair=VersionPair(kind=PairKind.GIVEN, candidate=(), reference=()),
        examinations=(),
        versions=(),
        report_pair=None,
        state=PairState.SCORED,
        results={str(result.signature): result for result in results.values()},
        current={},
    )
    others = {other.metric: other.discrepancies for other in reviewed_pair(record, VOCABULARY, None, nonce="n").others}
    assert others[DISCREPANCIES_OF] == f"2 discrepancies, {summary_of(results).significant} significant"
    assert summary_of(results).significant == 1
