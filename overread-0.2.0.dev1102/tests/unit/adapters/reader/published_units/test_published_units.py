"""Published tables of units: every layout gives the units that a parser's answer gives, or one clear refusal."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.published_units._files import read_rows
from overread.adapters.reader.published_units.extractor import PublishedUnitExtractor, open_published
from overread.adapters.reader.unit_parser._extractor import LlmUnitExtractor
from overread.adapters.reader.unit_parser.composing import UnitComposer
from overread.adapters.reader.unit_parser.options import LlmOptions
from overread.adapters.reader.unit_table import UnitTableWriter
from overread.adapters.reader.unit_table._extractor import TableUnitExtractor
from overread.adapters.reader.unit_table.options import TableOptions
from overread.adapters.reader.unit_table.plugin import overread_extractors
from overread.application.asking.inquiry import Inquiry
from overread.application.ports import Extraction, Request
from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Report
from overread.domain.results.result import Unscored
from overread.exceptions import ConfigurationError, InputError
from overread.testing import FakeComponents, FakeLanguageModel, check_extractor

Rows = Sequence[Mapping[str, Any]]

EFFUSION: Mapping[str, Any] = {
    "span_text": "Small bilateral effusions, slightly larger",
    "canonical_finding": "pleural effusion",
    "surface_finding": "effusions",
    "polarity": "present",
    "uncertainty": "definite",
    "comparison": "worsened",
    "device": None,
    "attributes": {"severity": "small"},
    "anatomy": [{"canonical": "bilateral", "surface": "bilateral"}, {"canonical": "pleura", "surface": ""}],
    "modifiers": [],
    "confidence": 0.93,
}
TUBE: Mapping[str, Any] = {
    **EFFUSION,
    "span_text": "The endotracheal tube is malpositioned",
    "canonical_finding": "endotracheal tube",
    "surface_finding": "endotracheal tube",
    "comparison": None,
    "device": "endotracheal tube",
    "attributes": {"severity": None},
    "anatomy": [],
    "modifiers": [{"canonical": "malpositioned", "surface": "malpositioned"}],
}
CLEAR: Mapping[str, Any] = {
    **EFFUSION,
    "span_text": "Lungs are clear",
    "canonical_finding": "clear lungs",
    "comparison": None,
    "attributes": {"severity": "normal"},
    "anatomy": [],
}
UNREAD: Mapping[str, Any] = {"span_text": "Odd shadow behind.", "canonical_finding": "", "confidence": 0.5}

REPORTS: Mapping[str, tuple[str, list[Mapping[str, Any]]]] = {
    "one": (
        "FINDINGS: Small bilateral effusions, slightly larger. The endotracheal tube is malpositioned.",
        [EFFUSION, TUBE],
    ),
    "two": ("Lungs are clear. Odd shadow behind.", [CLEAR, UNREAD]),
}


@pytest.fixture(scope="session")
def composer() -> UnitComposer:
    return UnitComposer.create()


@pytest.fixture(autouse=True)
def one_composer(monkeypatch: pytest.MonkeyPatch, composer: UnitComposer) -> None:
    """The lexicon is read once for all."""
    monkeypatch.setattr(UnitComposer, "create", lambda _=None: composer)


@pytest.fixture(scope="module")
def expected() -> dict[str, Extraction]:
    """What the parser makes of the same units, told by a model."""

    def answer(request: Request) -> str:
        asked = request.messages[-1].text
        units = next(units for text, units in REPORTS.values() if text in asked)
        return json.dumps({"units": [unit for unit in units if unit is not UNREAD]})

    parser = LlmUnitExtractor.create(Inquiry(FakeLanguageModel(answer)), LlmOptions())
    return {name: parser.extract([Report(text)])[0] for name, (text, _) in REPORTS.items()}


def flat(unit: Mapping[str, Any]) -> dict[str, Any]:
    """A unit with the severity under a dotted name and labels as one text."""
    row = {key: value for key, value in unit.items() if key not in ("attributes", "anatomy", "modifiers")}
    severity = unit.get("attributes", {}).get("severity")
    labels = {name: "|".join(label["canonical"] for label in unit.get(name, [])) for name in ("anatomy", "modifiers")}
    return {**row, "attributes.severity": severity, **labels}


def a_unit_a_row(make: Callable[[Mapping[str, Any]], dict[str, Any]], **extra: str) -> Rows:
    columns = {
        name: {key: {"id": name, "text": text}[value] for key, value in extra.items()}
        for name, (text, _) in REPORTS.items()
    }
    return [{**columns[name], **make(unit)} for name, (_, units) in REPORTS.items() for unit in units]


def written(path: Path, rows: Any) -> Path:
    """Rows in the format of the suffix; lists and objects in cells of a CSV as JSON."""
    if path.suffix == ".json":
        path.write_text(json.dumps(rows), encoding="utf-8")
    elif path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    elif path.suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(list(rows)), path)
    else:
        names = list(dict.fromkeys(name for row in rows for name in row))
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, names, delimiter="\t" if path.suffix == ".tsv" else ",")
            writer.writeheader()
            for row in rows:
                writer.writerow({k: json.dumps(v) if isinstance(v, list | dict) else v for k, v in row.items()})
    return path


def opened(path: Path, **options: Any) -> Any:
    [spec] = overread_extractors()
    return spec.factory(TableOptions(file=str(path), **options), FakeComponents())


LISTS: Rows = [{"report_id": name, "report_text": text, "units": units} for name, (text, units) in REPORTS.items()]
LAYOUTS: Mapping[str, tuple[str, Any]] = {
    "flat columns, labels between pipes": ("units.csv", a_unit_a_row(flat, report_id="id", report_text="text")),
    "tabs": ("units.tsv", a_unit_a_row(flat, report_id="id", report="text")),
    "lists and objects in cells": ("units.csv", a_unit_a_row(dict, report_id="id", text="text")),
    "flat columns under other names": (
        "units.jsonl",
        [
            {
                key.replace("span_text", "Span Text").replace("attributes.severity", "attributes_severity"): value
                for key, value in row.items()
            }
            for row in a_unit_a_row(flat, Report="text")
        ],
    ),
    "nested, Parquet": (
        "units.parquet",
        a_unit_a_row(lambda unit: {**dict.fromkeys(EFFUSION), **unit}, report_id="id", report="text"),
    ),
    "a report a row, JSON lines": ("units.jsonl", LISTS),
    "a report a row, JSON": ("units.json", list(LISTS)),
    "a report a row, lists in cells": ("units.csv", LISTS),
    "by id": ("units.json", {name: {"text": text, "units": units} for name, (text, units) in REPORTS.items()}),
    "by id, without texts": ("units.json", {name: units for name, (_, units) in REPORTS.items()}),
    "a pair a row": (
        "units.jsonl",
        [
            {
                "pair_id": "p",
                "reference": REPORTS["one"][0],
                "candidate": REPORTS["two"][0],
                "reference_units": REPORTS["one"][1],
                "candidate_units": REPORTS["two"][1],
            }
        ],
    ),
    "a role a row, without texts": (
        "units.csv",
        [
            {"pair_id": "p", "role": {"one": "reference", "two": "cand"}[name], **flat(unit)}
            for name, (_, units) in REPORTS.items()
            for unit in units
        ],
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_gives_what_the_parser_gives(tmp_path: Path, expected: dict[str, Extraction], layout: str) -> None:
    """One unit, one report or one pair a row; flat, dotted or nested; with texts, or known by their words."""
    name, rows = LAYOUTS[layout]
    extractor = opened(written(tmp_path / name, rows))
    assert isinstance(extractor, PublishedUnitExtractor)
    for report, (text, _) in REPORTS.items():
        (found,) = extractor.extract([Report(text)])
        assert found == expected[report]
    assert "3 units of 2 reports, 1 without a finding read as sentences" in extractor.traits.note


def test_units_of_a_table_follow_the_convention_of_the_rules(
    tmp_path: Path, shipped_reader: MedspacyUnitExtractor
) -> None:
    """A normal statement, both sides, a degree, and a device that lies badly, as the rules read them."""
    extractor = opened(written(tmp_path / "units.jsonl", LISTS))

    def stated(units: Extraction) -> list[tuple[object, ...]]:
        assert isinstance(units, tuple)
        told = [(u.canonical_finding, u.polarity, u.severity, u.change, u.device, u.anatomy, u.denies) for u in units]
        return sorted(told, key=lambda one: str(one[0]))

    text = REPORTS["one"][0]
    assert stated(extractor.extract([Report(text)])[0]) == stated(shipped_reader.extract([Report(text)])[0])


def test_ids_are_looked_up_in_a_table_of_pairs(tmp_path: Path) -> None:
    """Where the words alone do not tell which report it is."""
    brief = [{**CLEAR, "span_text": "Lungs are clear", "canonical_finding": name} for name in ("clear lungs", "cavity")]
    rows = [
        {"pair_id": "a", "role": "candidate", "units": [brief[0]]},
        {"pair_id": "b", "role": "candidate", "units": [brief[1]]},
    ]
    table = written(tmp_path / "units.jsonl", rows)
    (outcome,) = opened(table).extract([Report("Lungs are clear.")])
    assert isinstance(outcome, Unscored)
    assert "two reports of the unit table fit" in outcome.detail
    pairs = [
        {"id": "a", "reference": "Edema.", "candidate": "Lungs are clear."},
        {"id": "b", "reference": "Mass.", "candidate": "Lungs are clear, mostly."},
    ]
    extractor = opened(table, reports=str(written(tmp_path / "pairs.csv", pairs)))
    (units,) = extractor.extract([Report("Lungs are clear.")])
    assert [unit.canonical_finding for unit in units] == ["lungs_clear"]
    assert "2 known by their text" in extractor.traits.note
    with pytest.raises(InputError, match="holds no report of the unit table"):
        opened(table, reports=str(written(tmp_path / "other.csv", [{"id": "z", "report": "Mass."}])))


def test_cells_keep_whatever_line_ends_they_hold(tmp_path: Path) -> None:
    """Line ends and page breaks in a quoted report, or unquoted page breaks, end no row."""
    path = tmp_path / "units.csv"
    rows = 'report,span_text,canonical_finding\n"Lungs are clear.\r\n\x0cNo mass.",Lungs are\u2028clear,clear lungs\n'
    path.write_text(rows, encoding="utf-8", newline="")
    (units,) = opened(path).extract([Report("Lungs are clear.\r\n\x0cNo mass.")])
    assert units[0].canonical_finding == "lungs_clear"


def test_a_report_that_the_table_lacks_is_unscored(tmp_path: Path) -> None:
    """Known by text or by words: a common sentence in a longer report makes it no report of the table."""
    for rows in (LISTS, [{"report_id": "two", "units": [CLEAR]}]):
        extractor = opened(written(tmp_path / "units.jsonl", rows))
        longer = "Lungs are clear. Heart size is normal. No acute osseous abnormality is seen today."
        assert extractor.extract([Report("")]) == [()]
        (outcome,) = extractor.extract([Report(longer)])
        assert isinstance(outcome, Unscored)
        assert outcome.reason == "not in table"


def test_reports_of_the_same_words_are_told_apart_by_how_they_write_them(tmp_path: Path) -> None:
    """Letter by letter and by order, where the table holds neither texts nor other words."""
    texts = ["LUNGS ARE CLEAR. NO MASS.", "Lungs are clear. No mass.", "No mass. Lungs are clear."]
    quotes = [["LUNGS ARE CLEAR", "NO MASS"], ["Lungs are clear", "No mass"], ["No mass", "Lungs are clear"]]
    findings = {"lungs are clear": ("clear lungs", "present"), "no mass": ("mass", "absent")}
    rows = {}
    for number, quoted in enumerate(quotes):
        told = [(quote, *findings[quote.lower()]) for quote in quoted]
        rows[str(number)] = [
            {"span_text": q, "canonical_finding": f, "polarity": p, "confidence": number / 10} for q, f, p in told
        ]
    extractor = opened(written(tmp_path / "units.json", rows))
    for number, text in enumerate(texts):
        (units,) = extractor.extract([Report(text)])
        assert {unit.confidence for unit in units} == {number / 10}


def test_words_that_stand_nowhere_damage_the_row(tmp_path: Path) -> None:
    """One unit misquoted is left out and its sentence read as one; all of them are another report's."""
    text = "Lungs are clear. Small bilateral effusions, slightly larger."
    wrong = {**EFFUSION, "span_text": "acute fracture of the spine"}
    (units,) = opened(written(tmp_path / "a.json", {"x": {"text": text, "units": [CLEAR, wrong]}})).extract(
        [Report(text)]
    )
    assert [(u.canonical_finding, u.confidence) for u in units] == [("lungs_clear", 0.93), ("", 0.5)]
    (outcome,) = opened(written(tmp_path / "b.json", {"x": {"text": text, "units": [wrong]}})).extract([Report(text)])
    assert isinstance(outcome, Unscored)
    assert outcome.reason == "damaged table"


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        (
            "u.csv",
            "report_id,span_text,canonical_finding,polarity\na,No mass,mass,perhaps\n",
            r"row 1: .*polarity must be one of present, absent, uncertain.*docs/units.md",
        ),
        (
            "u.csv",
            "report_id,span_text,canonical_finding,confidence\na,Mass,mass,0.9\na,Mass,mass,high\n",
            r"row 2: .*confidence must be a number from 0 to 1",
        ),
        (
            "u.csv",
            "span_text,canonical_finding\nMass,mass\n",
            "does not say which report a unit belongs to.*add a column report_id",
        ),
        ("u.csv", "id,score\na,1\n", "is not a table of units .it needs a column span_text"),
        ("u.csv", "report_id,span_text\na,Mass,mass\n", r"row 1: 3 cells instead of 2 .*double quotes"),
        (
            "u.csv",
            "report_id,report,span_text,canonical_finding\na,Mass.,Mass,mass\na,Cyst.,Cyst,cyst\n",
            "row 2: has two texts for one report .*column role",
        ),
        ("u.csv", "report_id,units\na,Mass\n", "row 1: has no list of units in column units .*as JSON"),
        ("u.csv", "report_id,span_text,canonical_finding\n", "is not a table of units|holds no units"),
        ("u.json", "{", r"is not valid JSON at line 1, column 2 .export"),
        ("u.json", "[1]", "holds no rows"),
        (
            "u.csv",
            '{"report_id": "a", "span_text": "Mass"}\n',
            "is JSON, not a table of cells .give it a name that ends in .jsonl",
        ),
        ("u.csv", "report_id,units,units\na,Mass,Mass\n", "column units appears more than once .rename one"),
        (
            "u.csv",
            "report_id,Mass of the liver. Cyst.,Mass of the liver. Cyst.\na,b,c\n",
            "a column whose name is not shown appears",
        ),
        ("u.jsonl", '{"report_id": "a"}\n{', r"row 2: not valid JSON: .* at character 2 .correct the row"),
    ],
)
def test_what_cannot_be_read_is_refused_with_file_row_and_remedy(
    tmp_path: Path, name: str, content: str, problem: str
) -> None:
    """And no word of a report in it."""
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=problem) as refused:
        opened(path)
    assert str(path) in str(refused.value)
    assert "Mass" not in str(refused.value)


def test_a_file_of_overreads_own_is_read_as_before(tmp_path: Path) -> None:
    """It is known by its signature; texts of reports are no option of it."""
    report = Report("Lungs are clear.")
    unit = ClinicalUnit(span_text="Lungs are clear", start=0, end=15, canonical_finding="lungs_clear")
    for suffix in (".jsonl", ".parquet"):
        path = tmp_path / f"own{suffix}"
        with UnitTableWriter(path, "fake") as writer:
            writer.add(report, (unit,))
        own = opened(path)
        assert isinstance(own, TableUnitExtractor)
        assert own.extract([report]) == [(unit,)]
        with pytest.raises(ConfigurationError, match="option 'reports' is for published tables"):
            opened(path, reports="pairs.csv")


def test_it_conforms_and_says_what_it_is(tmp_path: Path) -> None:
    """The digest of the file and the lexicon are in its identity; another file is another extractor."""
    path = written(tmp_path / "units.jsonl", LISTS)
    extractor = open_published(path, None, None)
    other = open_published(written(tmp_path / "other.jsonl", LISTS[:1]), None, None)
    assert extractor.identity != other.identity
    assert extractor.identity.startswith("table@")
    assert "report from 'report_text'" in extractor.traits.note
    [spec] = overread_extractors()
    check_extractor(spec, options=TableOptions(file=str(path)))


def test_a_column_without_a_name_is_left_out(tmp_path: Path) -> None:
    """As pandas writes its index, which no published column is named like."""
    text = ",report_id,report,span_text,canonical_finding\n0,a,No mass.,No mass,mass\n"
    path = tmp_path / "u.csv"
    path.write_text(text, encoding="utf-8")
    assert read_rows(path) == [
        {"report_id": "a", "report": "No mass.", "span_text": "No mass", "canonical_finding": "mass"}
    ]
