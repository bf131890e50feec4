"""Result files with known scores."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from overread.domain.results.discrepancy import Discrepancy
from overread.domain.results.result import EvaluationResult, Scale, Scored, Unscored
from overread.domain.results.signature import Signature
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorCategory, ErrorType
from overread.infrastructure.files.csv_rows import as_csv, flat_record
from overread.infrastructure.files.parquet import RESULT_SCHEMA
from overread.infrastructure.serialise import result_record

__all__ = ["FALSE", "MISSED", "NOISE", "result", "write_results"]

FALSE = Discrepancy(
    category=ErrorCategory.FALSE_FINDING,
    aspect=ErrorAspect.DESCRIPTION,
    type=ErrorType.FABRICATION,
    severity=Severity.SIGNIFICANT,
    reason="PRIVATE words",
    finding="effusion",
)
MISSED = Discrepancy(
    category=ErrorCategory.OMITTED_FINDING,
    aspect=ErrorAspect.DESCRIPTION,
    type=ErrorType.OMISSION,
    severity=Severity.CRITICAL,
    reason="PRIVATE words",
    finding="pneumothorax",
)
NOISE = Discrepancy(
    category=None,
    aspect=ErrorAspect.NOISE,
    type=None,
    severity=Severity.INSIGNIFICANT,
    reason="PRIVATE words",
    finding="",
)


def result(
    pair_id: str,
    score: float | str,
    *,
    metric: str = "risk",
    part: str = "one",
    subscores: Mapping[str, float] | None = None,
    discrepancies: tuple[Discrepancy, ...] = (),
) -> EvaluationResult:
    """A result; a word instead of a score is why there is none. Less of a metric is better, but for "share"."""
    outcome = (
        Unscored(score, "PRIVATE words")
        if isinstance(score, str)
        else Scored(score=score, subscores=subscores or {}, discrepancies=discrepancies)
    )
    scale = Scale(0.0, 1.0 if metric == "share" else math.inf, higher_is_better=metric == "share")
    signature = Signature(metric, (("reader", part), ("version", "1")))
    return EvaluationResult(pair_id=pair_id, metric=metric, scale=scale, signature=signature, outcome=outcome)


def write_results(path: Path, results: Iterable[EvaluationResult]) -> Path:
    """The file as a corpus run writes it."""
    records = [result_record(each) for each in results]
    if path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(records, schema=RESULT_SCHEMA), path)
    elif path.suffix == ".csv":
        path.write_text(as_csv(map(flat_record, records)), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path
