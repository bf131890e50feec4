"""Files of pairs with the errors of each category, for training an error counter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from overread.application.training.counting import CountedPair
from overread.domain.report import ReportPair
from overread.infrastructure.datasets.training_pairs.annotated import read_annotated
from overread.infrastructure.datasets.training_pairs.labelled import error_count, study_of

__all__ = ["read_counted"]


def read_counted(path: Path | str, heads: Sequence[str]) -> list[CountedPair]:
    """The pairs of a file with their errors, in order.

    The columns are id, study, reference, candidate, and one of counts for each of ``heads``: A to F for the six
    categories, or total, or significant and insignificant. Counts may be fractions.

    Args:
        path: .csv, .tsv, .jsonl, .ndjson (each also gzipped) or .parquet.
        heads: names of the columns of counts.

    Raises:
        InputError: if the file cannot be read, lacks a column or holds no pair, and at the first row that lacks a
            report, a study or a count, repeats an id, or has a count that is no number or a negative one.
    """

    def counted(pair: ReportPair, fields: Mapping[str, Any]) -> CountedPair:
        counts = {head: error_count(fields.get(head), head) for head in heads}
        return CountedPair(pair=pair, study=study_of(fields), counts=counts)

    return read_annotated(Path(path), ("study", *heads), counted)
