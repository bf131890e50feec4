"""Unit tables: what is written comes back the same, and whatever is no table is refused in one sentence."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import attrs
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overread.adapters.reader.medspacy.extractor import MedspacyUnitExtractor
from overread.adapters.reader.unit_table import UnitTableWriter, digest_of, read_table
from overread.adapters.reader.unit_table._extractor import TableUnitExtractor
from overread.adapters.reader.unit_table._parquet import SCHEMA
from overread.adapters.reader.unit_table.options import TableOptions
from overread.adapters.reader.unit_table.plugin import overread_extractors
from overread.application.ports import Extraction
from overread.domain.findings.unit import (
    Certainty,
    Change,
    ClinicalUnit,
    Experiencer,
    Measurement,
    Polarity,
    Temporality,
)
from overread.domain.reports.report import Report, ReportPair
from overread.domain.results.result import Unscored
from overread.exceptions import InputError
from overread.plugins.assembly import Assembly
from overread.plugins.catalogue import Catalogue
from overread.testing import FakeComponents, check_extractor

from .....credible_texts import credible_pairs

SUFFIXES = [".parquet", ".jsonl"]
REPORT = Report("Small effusion.")
UNIT = ClinicalUnit(span_text="Small effusion", start=0, end=14, canonical_finding="pleural_effusion", severity="mild")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
labels = st.frozensets(texts, max_size=3)
numbers = st.floats(min_value=0, allow_nan=False, allow_infinity=False)


@st.composite
def units(draw: st.DrawFn, text: str) -> ClinicalUnit:
    start = draw(st.integers(0, len(text) - 1))
    end = draw(st.integers(start + 1, len(text)))
    return draw(
        st.builds(
            ClinicalUnit,
            span_text=st.just(text[start:end]),
            start=st.just(start),
            end=st.just(end),
            section=texts,
            sentence_index=st.integers(0, 999),
            canonical_finding=texts,
            surface_finding=texts,
            polarity=st.sampled_from(Polarity),
            certainty=st.none() | st.sampled_from(Certainty),
            change=st.none() | st.sampled_from(Change),
            device=st.none() | texts,
            device_status=st.none() | texts,
            severity=st.none() | texts,
            anatomy=labels,
            modifiers=labels,
            measurements=st.lists(st.builds(Measurement, numbers, texts, numbers), max_size=3).map(tuple),
            denies=labels,
            administrative=texts,
            modalities=labels,
            temporality=st.sampled_from(Temporality),
            experiencer=st.sampled_from(Experiencer),
            confidence=st.floats(0, 1),
        )
    )


failures = st.builds(Unscored, st.text("abc", min_size=1, max_size=100), texts)


@st.composite
def rows_of_tables(draw: st.DrawFn) -> list[tuple[Report, Extraction]]:
    """Reports with what was read of each."""
    rows: list[tuple[Report, Extraction]] = []
    for text in draw(st.lists(texts, max_size=4, unique=True)):
        read = st.lists(units(text), max_size=4).map(tuple) if text else st.just(())
        rows.append((Report(text), draw(read | failures)))
    return rows


def written(path: Path, rows: Sequence[tuple[Report, Extraction]], extractor: str = "reader@1") -> Path:
    with UnitTableWriter(path, extractor) as writer:
        for report, extraction in rows:
            writer.add(report, extraction)
    return path


@pytest.fixture(params=SUFFIXES)
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return written(tmp_path / f"units{request.param}", [(REPORT, (UNIT,)), (Report("Mass."), Unscored("language"))])


@pytest.mark.parametrize("suffix", SUFFIXES)
@given(rows=rows_of_tables())
def test_what_is_written_comes_back_the_same(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, rows: list[tuple[Report, Extraction]]
) -> None:
    """Values and their types survive both formats."""
    path = written(tmp_path_factory.mktemp("units") / f"units{suffix}", rows)
    table = read_table(path)
    assert len(table) == len(rows)
    found = [table.find(report) for report, _ in rows]
    assert found == [kept for _, kept in rows]
    for read, (_, kept) in zip(found, rows, strict=True):
        if isinstance(read, tuple) and isinstance(kept, tuple):  # a text equals the member of an enumeration
            assert [list(map(type, attrs.astuple(unit, recurse=False))) for unit in read] == [
                list(map(type, attrs.astuple(unit, recurse=False))) for unit in kept
            ]


def test_every_field_of_a_unit_has_a_column() -> None:
    """A field that is added and not stored would be lost silently."""
    # Some follow from the others, and the examinations from the report's parts.
    fields = {field.name for field in attrs.fields(ClinicalUnit) if field.init} - {"examinations"}
    columns = {field.name for field in SCHEMA.field("units").type.value_type}
    assert columns == fields


def test_the_extractor_of_a_table(table: Path) -> None:
    """Units or the kept reason; a report that is not there is unscored, unless it is blank."""
    extractor = TableUnitExtractor(read_table(table))
    read = extractor.extract([REPORT, Report("Mass."), Report("Small effusion. "), Report(" ")])
    assert read == [
        (UNIT,),
        Unscored("language"),
        Unscored("not in table", "the unit table has no report with this text"),
        (),
    ]


def test_the_identity_is_that_of_the_file_and_of_what_read_it(tmp_path: Path) -> None:
    """The name of the file is no part of it."""
    same = [written(tmp_path / f"{name}.jsonl", [(REPORT, (UNIT,))]) for name in "ab"]
    other = [
        written(tmp_path / "c.jsonl", [(REPORT, ())]),
        written(tmp_path / "d.jsonl", [(REPORT, (UNIT,))], extractor="reader@2"),
    ]
    identities = [TableUnitExtractor(read_table(path)).identity for path in [*same, *other]]
    assert identities[0] == identities[1]
    assert len(set(identities)) == 3
    assert identities[3].endswith(",units=reader@2")


def test_the_report_itself_is_not_kept(tmp_path: Path) -> None:
    """A table holds the words of units and a digest, so that a name in a report does not go with it."""
    path = written(tmp_path / "units.jsonl", [(Report("Mrs. Zebra: small effusion."), (UNIT,))])
    assert "Zebra" not in path.read_text(encoding="utf-8")
    assert digest_of(Report("Mrs. Zebra: small effusion.")) in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_table_that_is_not_finished_is_not_there(tmp_path: Path, suffix: str) -> None:
    """Whatever was there before stays."""
    path = written(tmp_path / f"units{suffix}", [(REPORT, (UNIT,))])
    before = path.read_bytes()
    with pytest.raises(AttributeError):
        written(path, [(REPORT, ()), (None, ())], "reader@2")  # type: ignore[list-item]
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_is_cut_off_is_refused(table: Path) -> None:
    """Reports of the lost part would be unscored."""
    data = table.read_bytes()
    table.write_bytes(data[: len(data) - 40])
    with pytest.raises(InputError, match=r"is not a whole Parquet file|is damaged"):
        read_table(table)


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.jsonl", b"", "is not a table of units"),
        ("a.jsonl", b"\xff\xfe", "is UTF-16 or UTF-32 text"),
        ("a.jsonl", b"zebra", "is not a table of units"),
        (
            "a.jsonl",
            b'{"overread_units": 1, "extractor": "x"}\n{"zebra',
            "row 1: is damaged: not valid JSON: .*write it again",
        ),
        ("a.parquet", b"id,zebra\n", "is a text file, not a Parquet file"),
        ("a.jsonl", b'{"id": "1", "report": "zebra"}\n', "is not a table of units"),
        ("a.jsonl", b'{"overread_units": 2, "extractor": "x"}\n', "has a format that"),
        (
            "a.jsonl",
            b'{"overread_units": 1, "extractor": "x"}\n{"report": "zebra", "units": []}\n',
            "row 1: is damaged",
        ),
        ("a.jsonl", b'{"overread_units": 1, "extractor": "x"}\n[]\n', "row 1: is damaged"),
        ("a.parquet", b"PAR1", "is not a whole Parquet file"),
        ("a.csv", b"id,report", "its suffix is not that of a table"),
    ],
)
def test_a_foreign_file_is_refused(tmp_path: Path, name: str, data: bytes, told: str) -> None:
    """The message quotes nothing of it."""
    path = tmp_path / name
    path.write_bytes(data)
    with pytest.raises(InputError, match=told) as caught:
        read_table(path)
    assert "zebra" not in str(caught.value)


def test_a_foreign_parquet_file_is_refused(tmp_path: Path) -> None:
    """Neither columns nor metadata alone make a table."""
    path = tmp_path / "a.parquet"
    columns = pa.table({"id": ["1"], "report": ["zebra"]})
    pq.write_table(columns, path)
    with pytest.raises(InputError, match="is not a table of units"):
        read_table(path)
    pq.write_table(columns.replace_schema_metadata({"overread_units": '{"overread_units": 1}'}), path)
    with pytest.raises(InputError, match="its columns are not those"):
        read_table(path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_table(tmp_path / "none.parquet")


def test_the_same_report_twice_is_refused(tmp_path: Path) -> None:
    """Of two readings neither is taken."""
    with pytest.raises(InputError, match="row 2: holds the same report twice"):
        read_table(written(tmp_path / "a.jsonl", [(REPORT, ()), (REPORT, (UNIT,))]))


def changed(path: Path, **fields: object) -> TableUnitExtractor:
    """The extractor over a table of one report whose row has other values for some fields."""
    header, row = written(path, [(REPORT, (UNIT,))]).read_text(encoding="utf-8").splitlines()
    path.write_text(f"{header}\n{json.dumps(json.loads(row) | fields)}\n", encoding="utf-8")
    return TableUnitExtractor(read_table(path))


def assert_damaged(extractor: TableUnitExtractor, report: Report = REPORT) -> None:
    with pytest.raises(InputError, match="is damaged: the row of a report cannot be its own"):
        extractor.table.find(report)
    [outcome] = extractor.extract([report])
    assert isinstance(outcome, Unscored)
    assert outcome.reason == "damaged table"
    assert "ffusion" not in f"{outcome}"


SIZE = {"value": 3.0, "unit": "mm", "millimetres": 3.0}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("polarity", "maybe"),
        ("start", "0"),
        ("start", True),
        ("anatomy", 1),
        ("anatomy", "left"),
        ("anatomy", [3]),
        ("more", 1),
        ("start", -1),
        ("start", -15),
        ("end", -1),
        ("start", 14),
        ("start", 15),
        ("end", 0),
        ("end", 99),
        ("end", 10**30),
        ("end", 13),
        ("start", 1),
        ("span_text", "XX"),
        ("span_text", "small effusion"),
        ("span_text", ""),
        ("sentence_index", -3),
        ("confidence", None),
        ("confidence", "1"),
        ("confidence", True),
        ("confidence", -1),
        ("confidence", 5),
        ("confidence", float("nan")),
        ("confidence", float("inf")),
        ("measurements", None),
        ("measurements", {}),
        ("measurements", ""),
        ("measurements", SIZE),
        ("measurements", [SIZE | {"value": "3"}]),
        ("measurements", [SIZE | {"value": -3}]),
        ("measurements", [SIZE | {"value": float("nan")}]),
        ("measurements", [SIZE | {"millimetres": -3}]),
        ("measurements", [SIZE | {"millimetres": float("inf")}]),
        ("measurements", [SIZE | {"millimetres": True}]),
        ("measurements", [SIZE | {"more": 1}]),
    ],
)
def test_a_unit_that_is_damaged_is_never_read(tmp_path: Path, field: str, value: object) -> None:
    """Every field is checked against the report, so that no unit is made up by a changed file."""
    unit = json.loads(written(tmp_path / "b.jsonl", [(REPORT, (UNIT,))]).read_text(encoding="utf-8").splitlines()[1])
    assert_damaged(changed(tmp_path / "a.jsonl", units=[unit["units"][0] | {field: value}]))


@pytest.mark.parametrize(
    "fields",
    [
        {"reason": 5},
        {"reason": "no answer"},
        {"reason": "", "units": []},
        {"reason": " ", "units": []},
        {"reason": "a\nb", "units": []},
        {"reason": "a" * 101, "units": []},
        {"reason": "refused", "detail": 5, "units": []},
        {"units": [[]]},
        {"units": ["Small effusion"]},
        {"units": [{}]},
    ],
)
def test_a_row_that_is_damaged_is_never_read(tmp_path: Path, fields: dict[str, object]) -> None:
    """Damage is an error and not a report without units."""
    assert_damaged(changed(tmp_path / "a.jsonl", **fields))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_units_of_another_report_are_refused(tmp_path: Path, suffix: str) -> None:
    """Rows that were mixed up are found by their words."""
    other = Report("No effusion. Clear.")
    table = read_table(written(tmp_path / f"units{suffix}", [(REPORT, (UNIT,)), (other, (UNIT,))]))
    assert table.find(REPORT) == (UNIT,)
    assert_damaged(TableUnitExtractor(table), other)


def test_line_ends_that_a_reader_evens_out_do_no_damage(tmp_path: Path) -> None:
    """Windows' line ends are two characters and shift offsets by one."""
    report = Report("Small\r\neffusion.")
    unit = attrs.evolve(UNIT, span_text="Small \neffusion", end=15)
    assert read_table(written(tmp_path / "units.jsonl", [(report, (unit,))])).find(report) == (unit,)


def test_a_digest_that_is_none_is_refused(tmp_path: Path) -> None:
    """Digests are compared as text, so that one in upper case would never be found."""
    with pytest.raises(InputError, match="row 1: is damaged"):
        changed(tmp_path / "a.jsonl", report=digest_of(REPORT).upper())


@pytest.mark.parametrize(("name", "told"), [("units.csv", "suffix"), ("none/units.jsonl", "folder"), (".", "suffix")])
def test_a_table_cannot_be_written_anywhere(tmp_path: Path, name: str, told: str) -> None:
    """It is told before reports are read."""
    with pytest.raises(InputError, match=told):
        UnitTableWriter(tmp_path / name, "reader@1")


def test_it_behaves_as_extractors_must(table: Path) -> None:
    """The contract holds for kept units as for fresh ones."""
    (spec,) = overread_extractors()
    options = TableOptions(file=str(table))
    check_extractor(spec, options=options, components=FakeComponents(), reports=[REPORT, Report(" "), Report("Mass.")])


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_scores_over_a_table_are_those_over_the_extractor(
    tmp_path: Path, suffix: str, shipped_reader: MedspacyUnitExtractor
) -> None:
    """Reading once and scoring often changes no result, but for what needs to know which words were read."""
    unkept = {"reference_coverage", "candidate_coverage", "reward"}
    pairs = credible_pairs(40, seed=11)
    pairs.append(ReportPair(id="blank", reference=" ", candidate="Small effusion."))
    pairs.append(ReportPair(id="foreign", reference="Kein Erguss. Das Herz ist nicht vergrößert.", candidate="Clear."))
    reports = list({report.text: report for pair in pairs for report in (pair.reference, pair.candidate)}.values())
    path = written(tmp_path / f"units{suffix}", list(zip(reports, shipped_reader.extract(reports), strict=True)))
    catalogue = Catalogue.discover()
    kept = TableUnitExtractor(read_table(path))
    for name in ("radot:fast", "notation:fast"):
        over_rules, over_table = (
            Assembly(catalogue, provided={"extractor": one}).metric(name).evaluate(pairs)
            for one in (shipped_reader, kept)
        )
        for one, other in zip(over_rules, over_table, strict=True):
            assert type(one) is type(other)
            assert getattr(one, "score", None) == getattr(other, "score", None)
            told, tabled = (dict(getattr(outcome, "subscores", {})) for outcome in (one, other))
            assert told.keys() - tabled.keys() <= unkept - {"reward"}
            assert {n: v for n, v in told.items() if n not in unkept} == {
                n: v for n, v in tabled.items() if n not in unkept
            }
            assert getattr(one, "discrepancies", None) == getattr(other, "discrepancies", None)
