"""Writing results: whole files or none."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from overread.domain.answer import Answer, Completion, Finish
from overread.domain.discrepancy import Discrepancy
from overread.domain.report import Span
from overread.domain.result import AnswerEvidence, EvaluationResult, Outcome, Scale, Scored, Unscored
from overread.domain.severity import Severity
from overread.domain.signature import Signature
from overread.domain.taxonomy import ErrorAspect, ErrorCategory
from overread.exceptions import InputError
from overread.infrastructure.serialise import result_from_record, result_record
from overread.infrastructure.writers import ResultWriter, open_writer

FOUND = Discrepancy(
    category=ErrorCategory.FALSE_FINDING,
    aspect=ErrorAspect.CONTRADICTION,
    type=None,
    severity=Severity.CRITICAL,
    reason="both asserted and denied",
    finding="pleural_effusion",
    candidate_spans=(Span(3, 9), Span(12, 20)),
)


ANSWERED = AnswerEvidence(answers=(Answer("k", "p@1:0", Completion("", Finish.LENGTH, "m", 9), asked=False),))


def result(pair_id: str, outcome: Outcome) -> EvaluationResult:
    return EvaluationResult(
        pair_id=pair_id,
        metric="radot",
        scale=Scale(0.0, math.inf, higher_is_better=False),
        signature=Signature("radot", (("version", "1"),)),
        outcome=outcome,
    )


RESULTS = [
    result("a", Scored(score=1.5, subscores={"total": 1.5}, discrepancies=(FOUND,), notes=("a stand-in",))),
    result("é", Unscored("too long", "more than 300 units")),
    result("c", Scored(score=0.0, truncated=True)),
    result("d", Scored(score=2.0, evidence=ANSWERED)),
    result("e", Unscored("cut off", "", ANSWERED)),
]


@pytest.mark.parametrize("name", ["r.jsonl", "r.ndjson"])
def test_json_lines(tmp_path: Path, name: str) -> None:
    """One line a result, in order."""
    with open_writer(tmp_path / name) as writer:
        writer.write(RESULTS[:2])
        writer.write(iter(RESULTS[2:]))
    lines = (tmp_path / name).read_text(encoding="utf-8").splitlines()
    assert [json.loads(line) for line in lines] == [result_record(r) for r in RESULTS]


def test_parquet_has_the_same_records(tmp_path: Path) -> None:
    """Read back from Parquet, records make the same results; the schema does not depend on what is written."""
    with open_writer(tmp_path / "r.parquet") as writer:
        writer.write(RESULTS)
    with open_writer(tmp_path / "none.parquet") as writer:
        writer.write([])
    rows = pq.read_table(tmp_path / "r.parquet").to_pylist()
    assert [result_from_record(row | {"subscores": dict(row["subscores"])}) for row in rows] == RESULTS
    assert list(rows[0]) == list(result_record(RESULTS[0]))
    assert set(rows[0]["discrepancies"][0]) == set(result_record(RESULTS[0])["discrepancies"][0])
    assert pq.read_schema(tmp_path / "none.parquet") == pq.read_schema(tmp_path / "r.parquet")


def test_parquet_of_many_results_keeps_their_order(tmp_path: Path) -> None:
    many = [result(str(n), Scored(score=float(n))) for n in range(10_000)]
    with open_writer(tmp_path / "r.parquet") as writer:
        for start in range(0, len(many), 256):
            writer.write(many[start : start + 256])
    table = pq.read_table(tmp_path / "r.parquet", columns=["id", "score"])
    assert table["id"].to_pylist() == [r.pair_id for r in many]


def test_a_number_that_json_has_not_loses_no_line(tmp_path: Path) -> None:
    """A score that is not finite is unscored in its place; the file stays strict JSON."""
    with open_writer(tmp_path / "r.jsonl") as writer:
        writer.write([result("a", Scored(score=math.inf)), result("b", Scored(score=1, subscores={"x": math.nan}))])
    first, second = map(_strict, (tmp_path / "r.jsonl").read_text().splitlines())
    assert (first["status"], first["reason"], first["score"]) == ("unscored", "not a number", None)
    assert (second["status"], second["subscores"]) == ("scored", {})


def test_standard_output_gets_ascii_lines(capsys: pytest.CaptureFixture[str]) -> None:
    """Its encoding is unknown, and it is not closed."""
    with open_writer("-") as writer:
        writer.write(RESULTS)
    assert not sys.stdout.closed
    out = capsys.readouterr().out
    assert out.isascii()
    assert [json.loads(line)["id"] for line in out.splitlines()] == ["a", "é", "c", "d", "e"]
    assert writer.partial is None


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_after_an_error_the_old_file_stays_and_the_new_part_is_named(tmp_path: Path, name: str) -> None:
    """Even an interrupted run leaves a readable part."""
    path = tmp_path / name
    path.write_bytes(b"the results of last week")
    writer = open_writer(path)
    with pytest.raises(KeyboardInterrupt):
        _interrupted(writer)
    assert path.read_bytes() == b"the results of last week"
    assert writer.partial == tmp_path / f"{name}.partial"
    assert _ids(writer.partial) == ["a"]


@pytest.mark.parametrize("name", ["r.jsonl", "r.parquet"])
def test_a_clean_end_replaces_the_old_file_and_leaves_no_part(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"the results of last week")
    with open_writer(tmp_path / name) as writer:
        writer.write(RESULTS)
        assert (tmp_path / name).read_bytes() == b"the results of last week"
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert writer.partial is None


@pytest.mark.parametrize(
    ("name", "says"),
    [("folder.jsonl", "folder"), ("r.csv", "suffix"), ("r", "suffix"), ("none/r.jsonl", "does not exist")],
)
def test_a_place_that_cannot_be_written_is_named_before_anything_is_scored(
    tmp_path: Path, name: str, says: str
) -> None:
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(InputError, match=says):
        open_writer(tmp_path / name)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("count", [1, 5000])
def test_a_full_disk_is_named(tmp_path: Path, count: int) -> None:
    """Whether it shows while writing or only at the end, the old file stays."""
    (tmp_path / "r.jsonl").write_bytes(b"old")
    (tmp_path / "r.jsonl.partial").symlink_to("/dev/full")
    with pytest.raises(InputError, match="cannot be written"), open_writer(tmp_path / "r.jsonl") as writer:
        writer.write(RESULTS * count)
    assert (tmp_path / "r.jsonl").read_bytes() == b"old"


def test_a_writer_must_be_entered(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not open"):
        open_writer(tmp_path / "r.jsonl").write(RESULTS)


def _interrupted(writer: ResultWriter) -> None:
    with writer:
        writer.write(RESULTS[:1])
        raise KeyboardInterrupt


def _ids(path: Path) -> list[str]:
    if ".parquet" in path.name:
        return [str(name) for name in pq.read_table(path)["id"].to_pylist()]
    return [json.loads(line)["id"] for line in path.read_text(encoding="utf-8").splitlines()]


def _strict(line: str) -> dict[str, object]:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    record: dict[str, object] = json.loads(line, parse_constant=refuse)
    return record
