"""Rows for a registry."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.domain.differences.edits import EditType
from overread.domain.vocabulary.severity import Importance
from overread.hospital.application.requests import PairState, WorklistRow
from overread.hospital.domain.examination import Examination
from overread.hospital.domain.review import Radpeer, ReviewState
from overread.hospital.domain.version_pairs import PairKind
from overread.hospital.infrastructure.exchange.registry import REGISTRY_COLUMNS, registry_csv, registry_jsonl

_ARRIVED = datetime(2026, 3, 2, 12, tzinfo=UTC)


def _row(**told: Any) -> WorklistRow:
    examination = Examination(
        site="north",
        accession="A1",
        patient="P-canary",
        modality="CT",
        performed=datetime(2026, 3, 2, 8, tzinfo=timezone(timedelta(hours=2))),
    )
    facts: dict[str, Any] = {
        "pair": 17,
        "examination": examination,
        "kind": PairKind.PRELIMINARY_FINAL,
        "state": PairState.SCORED,
        "arrived": _ARRIVED,
        "reader": "dr-grey",
    }
    return WorklistRow(**(facts | told))


_REVIEWED = _row(
    risk=0.25,
    importance=Importance.URGENT,
    significant=1,
    findings=("pneumothorax", "effusion"),
    review=ReviewState.REVIEWED,
    radpeer=Radpeer.UNDERSTANDABLE_SIGNIFICANT,
    weight=4.5,
    read=0.55,
    edits={kind: number for number, kind in enumerate(EditType)},
)


def _read(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_has_its_layout() -> None:
    """Columns stand in a documented order; times are in UTC, and what is not known is empty."""
    lines = list(registry_csv([_REVIEWED, _row()]))
    assert lines[0] == (
        "pair,kind,site,accession,modality,procedure,body_part,device,performed,arrived,reader,model,state,reason,risk,"
        "importance,significant,insignificant,findings,review,radpeer,weight,withdrawn,read,corrections,clarifications,"
        "additions,removals,style_edits\r\n"
    )
    assert lines[1] == (
        "17,preliminary-final,north,A1,CT,,,,2026-03-02T06:00:00+00:00,2026-03-02T12:00:00+00:00,dr-grey,,scored,,0.25,"
        "urgent,1,0,pneumothorax;effusion,reviewed,2b,4.5,false,0.55,0,1,2,3,4\r\n"
    )
    plain = _read("".join(lines))[1]
    assert (plain["risk"], plain["importance"], plain["radpeer"], plain["weight"]) == ("", "", "", "1.0")
    assert (plain["corrections"], plain["style_edits"]) == ("", "")


def test_json_lines_hold_the_same() -> None:
    """The names are those of the columns; numbers are numbers, and null is what is not known."""
    [line] = registry_jsonl([_REVIEWED])
    record = json.loads(line)
    assert list(record) == list(REGISTRY_COLUMNS)
    assert (record["risk"], record["findings"], record["radpeer"]) == (0.25, ["pneumothorax", "effusion"], "2b")
    assert [json.loads(each)["withdrawn"] for each in registry_jsonl([_REVIEWED, _row(withdrawn=True)])] == [
        False,
        True,
    ]
    assert _read("".join(registry_csv([_row(withdrawn=True)])))[0]["withdrawn"] == "true"
    assert json.loads(next(registry_jsonl([_row()])))["risk"] is None


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n", " =", "  @"])
def test_no_cell_is_a_formula(start: str) -> None:
    """A spreadsheet that opens the file runs nothing that came in a message."""
    told = f'{start}HYPERLINK("http://evil.example")'
    cell = _read("".join(registry_csv([_row(reader=told)])))[0]["reader"]
    assert cell == f"'{told}"
    assert json.loads(next(registry_jsonl([_row(reader=told)])))["reader"] == told


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_whatever_a_source_says_stays_in_its_cell(text: str) -> None:
    """Commas, quotes and line breaks make no cells or rows of their own."""
    [row] = _read("".join(registry_csv([_row(reader=text)])))
    assert row["reader"].removeprefix("'") == text.removeprefix("'")
    assert None not in row
    [line] = registry_jsonl([_row(reader=text)])
    assert json.loads(line)["reader"] == text


def test_rows_are_written_as_they_come() -> None:
    """A registry of years goes through without being held."""

    def endless() -> Iterator[WorklistRow]:
        while True:
            yield _REVIEWED

    lines = registry_csv(endless())
    assert [next(lines)[:4] for _ in range(3)] == ["pair", "17,p", "17,p"]
    assert next(registry_jsonl(endless()))


def test_the_patient_is_in_no_row() -> None:
    """Accession numbers find the examination again; nothing else is wanted for that."""
    assert "canary" not in "".join([*registry_csv([_REVIEWED]), *registry_jsonl([_REVIEWED])])
