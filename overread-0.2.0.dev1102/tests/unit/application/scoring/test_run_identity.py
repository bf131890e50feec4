"""What a run is: whether it can go on with what another one scored."""

from __future__ import annotations

from typing import Any, Final

import pytest
from attrs import evolve

from overread.application.scoring.run_identity import RunIdentity, differences

THEN: Final = RunIdentity(
    input="pairs.jsonl",
    columns={"id": "id", "reference": "reference"},
    split="",
    signatures={"radot": "radot|aligner:balanced|version:1"},
    shard_rows=5,
    threads=1,
    format="jsonl",
)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"shard_rows": 7}, "`shard_rows` (then 5, now 7)"),
        ({"threads": 8}, "the number of threads, OMP_NUM_THREADS (then 1, now 8)"),
        ({"split": "test"}, "`split` (then none, now test)"),
        ({"format": "parquet"}, "the format of the output (then jsonl, now parquet)"),
        ({"columns": {"id": "study", "reference": "reference"}}, "the column of the id (then id, now study)"),
        ({"signatures": {"notation": "n"}}, "the metrics (then radot, now notation)"),
        (
            {"signatures": {"radot": "radot|aligner:partial|version:1"}},
            "the signature of radot (then aligner:balanced, now aligner:partial)",
        ),
    ],
)
def test_what_differs_is_named(change: dict[str, Any], says: str) -> None:
    """In the words of the options, so that it is clear what to give."""
    assert differences(THEN, evolve(THEN, **change)) == [says]


def test_another_name_or_time_of_the_input_does_not_count() -> None:
    """What is in it does, shard by shard."""
    assert differences(THEN, evolve(THEN, input="elsewhere/pairs.jsonl", stamp="9 bytes")) == []
