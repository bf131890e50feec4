"""Results of every shape, and a run of shards."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from overread.application.scoring.corpus import MetricSummary
from overread.application.scoring.run_identity import RunIdentity
from overread.application.scoring.shards import ShardRecord
from overread.domain.reports.report import Span
from overread.domain.results.answer import Answer, Completion, Finish
from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import AnswerEvidence, EvaluationResult, Outcome, Scale, Scored, Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Importance, Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory
from overread.infrastructure.engines.shards import PartialOutput

FOUND: Final = Discrepancy(
    category=ErrorCategory.FALSE_FINDING,
    aspect=ErrorAspect.CONTRADICTION,
    type=None,
    severity=Severity.CRITICAL,
    reason="both asserted and denied",
    finding="pleural_effusion",
    candidate_spans=(Span(3, 9), Span(12, 20)),
    importance=Importance.FOLLOW_UP,
    extent=0.3,
)
ANSWERED: Final = AnswerEvidence(answers=(Answer("k", "p@1:0", Completion("", Finish.LENGTH, "m", 9), asked=False),))


def result(pair_id: str, outcome: Outcome) -> EvaluationResult:
    return EvaluationResult(
        pair_id=pair_id,
        metric="radot",
        scale=Scale(0.0, math.inf, higher_is_better=False),
        signature=Signature("radot", (("version", "1"),)),
        outcome=outcome,
    )


RESULTS: Final = [
    result("a", Scored(score=1.5, subscores={"total": 1.5}, discrepancies=(FOUND,), notes=("a stand-in",))),
    result("é", Unscored("too long", "more than 300 units")),
    result("c", Scored(score=0.0, truncated=True)),
    result("d", Scored(score=2.0, evidence=ANSWERED)),
    result("e", Unscored("cut off", "", ANSWERED)),
]


def identity(output: Path, **changes: object) -> RunIdentity:
    values: dict[str, object] = {
        "input": "pairs.jsonl",
        "columns": {"id": "id", "reference": "reference"},
        "split": "",
        "signatures": {"radot": "radot|aligner:balanced|version:1"},
        "shard_rows": 5,
        "threads": 1,
        "format": output.suffix[1:],
    }
    return RunIdentity(**values | changes)  # type: ignore[arg-type]


def record(number: int, size: int = 0, sha256: str = "", rows: int = 5) -> ShardRecord:
    summary = MetricSummary(scored=3, truncated=1, total=0.1 * number)
    summary.unscored.update({"too long": 1, "cut off": 1})
    return ShardRecord(
        number=number, rows=rows, input=f"in-{number}", size=size, sha256=sha256, metrics={"radot": summary}
    )


def commit(partial: PartialOutput, *numbers: int, rows: int = 5) -> None:
    """Scores shards, so to speak: results of every shape, told apart by the number."""
    for number in numbers:
        with partial.folder.writing(number) as sink:
            sink.write([result(f"{number}-{n}", RESULTS[n % len(RESULTS)].outcome) for n in range(rows)])
        partial.commit(record(number, sink.size, sink.sha256, rows))
