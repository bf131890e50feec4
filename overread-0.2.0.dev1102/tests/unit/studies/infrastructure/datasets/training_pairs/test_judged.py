"""Files of judged pairs: what is read, and what is refused by file and row without a word of the reports."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from overread.application.training.judged_pairs import MarkedSpan
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorAspect, ErrorType
from overread.exceptions import InputError
from overread.studies.infrastructure.datasets.training_pairs.judged import read_judged_pairs

SPAN = {
    "span": "Large effusion",
    "aspect": "Description",
    "type": "fabrication",
    "severity": "significant",
    "reference_span": None,
    "candidate_span": [0, 14],
}
ROW: dict[str, Any] = {
    "id": "a",
    "study": "s1",
    "reference": "No effusion.",
    "candidate": "Large effusion.",
    "subset": "discrimination",
    "aspect": "Description",
    "type": "fabrication",
    "severity": "significant",
    "spans": [SPAN],
    "explanation": "An effusion is invented.",
    "total": 1,
    "significant": 1,
    "insignificant": 0,
    "length_bucket": "0-200",
    "method": "rules",
}
NOISE = {"span": "No", "aspect": "Noise", "type": "inaccuracy", "severity": "insignificant"}


def written(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def changed(**changes: Any) -> dict[str, Any]:
    return {**ROW, "id": "b", **changes}


def test_a_pair_is_read_with_its_spans(tmp_path: Path) -> None:
    """Each span has its words, aspect, type and severity."""
    [judged] = read_judged_pairs(written(tmp_path / "p.jsonl", ROW))
    assert (judged.pair.id, judged.study, judged.explanation) == ("a", "s1", "An effusion is invented.")
    description = MarkedSpan("Large effusion", ErrorAspect.DESCRIPTION, ErrorType.FABRICATION, Severity.SIGNIFICANT)
    assert judged.spans == (description,)
    assert judged.is_significant


def test_aspects_without_a_type_have_none_and_equal_spans_are_one(tmp_path: Path) -> None:
    """A difference that is marked twice is taught once."""
    [judged] = read_judged_pairs(written(tmp_path / "p.jsonl", {**ROW, "spans": [NOISE, NOISE]}))
    assert judged.spans == (MarkedSpan("No", ErrorAspect.NOISE, None, Severity.INSIGNIFICANT),)
    assert not judged.is_significant


def test_reports_that_do_not_differ_have_no_span_and_may_have_no_explanation(tmp_path: Path) -> None:
    """Pairs without a difference are lessons too."""
    row = {key: value for key, value in ROW.items() if key != "explanation"}
    [judged] = read_judged_pairs(written(tmp_path / "p.jsonl", {**row, "spans": []}))
    assert (judged.spans, judged.explanation) == ((), "")


def test_a_table_holds_the_spans_as_json(tmp_path: Path) -> None:
    """A cell of CSV holds a list as its JSON."""
    with (tmp_path / "p.csv").open("w", newline="") as stream:
        table = csv.DictWriter(stream, list(ROW))
        table.writeheader()
        table.writerow({**ROW, "spans": json.dumps([SPAN])})
    [judged] = read_judged_pairs(tmp_path / "p.csv")
    assert judged.spans[0].text == "Large effusion"


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (changed(id="a"), "is also that of row 1"),
        (changed(study=""), "study is empty"),
        (changed(reference=None), "reference is null"),
        (changed(spans=None), "spans is missing"),
        (changed(spans="[{"), "spans is text that is not a JSON array"),
        (changed(spans={"span": "x"}), "spans is an object, not a list"),
        (changed(spans=["Large effusion"]), "span 1: is of type str, not an object"),
        (changed(spans=[SPAN, {**SPAN, "span": ""}]), "span 2: its words are missing"),
        (changed(spans=[{**SPAN, "span": 3}]), "span 1: its words are in neither report"),
        (changed(spans=[{**SPAN, "span": "nodule"}]), "span 1: its words are in neither report"),
        (changed(spans=[{**SPAN, "aspect": "Effusion"}]), "span 1: aspect is not one of Location"),
        (changed(spans=[{**SPAN, "aspect": None}]), "span 1: aspect is missing"),
        (changed(spans=[{**SPAN, "type": None}]), "span 1: type of Description is missing"),
        (changed(spans=[{**SPAN, "type": "wrong"}]), "span 1: type of Description is not one of omission"),
        (changed(spans=[{**SPAN, "severity": "grave"}]), "span 1: severity is not one of critical"),
        (changed(spans=[SPAN, {**SPAN, "severity": "insignificant"}]), "marked with two severities"),
        (changed(explanation=["x"]), "explanation is a list, not text"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path: Path, row: dict[str, Any], problem: str) -> None:
    """The message names file, row and span, and quotes no report."""
    path = written(tmp_path / "p.jsonl", ROW, row)
    with pytest.raises(InputError, match=problem) as raised:
        read_judged_pairs(path)
    assert str(raised.value).startswith(f"{path}, row 2: ")
    assert not any(word in str(raised.value) for word in ("effusion", "nodule", "Effusion", "grave"))


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"", "is empty"),
        (b"{torn", "row 1: not valid JSON"),
        (b"[1]", "row 1: not a JSON object"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes, problem: str) -> None:
    """A torn line or a wrong encoding is told with its row."""
    (tmp_path / "p.jsonl").write_bytes(content)
    with pytest.raises(InputError, match=problem):
        read_judged_pairs(tmp_path / "p.jsonl")


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    """A file without spans is refused before its rows."""
    row = {key: value for key, value in ROW.items() if key != "spans"}
    with pytest.raises(InputError, match="no column spans"):
        read_judged_pairs(written(tmp_path / "p.jsonl", row))
