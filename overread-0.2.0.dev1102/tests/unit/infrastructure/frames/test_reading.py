"""Pairs from memory: the same pairs, whatever holds them, and bad cells as bad rows."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from datasets import Dataset, DatasetDict

from overread.application.scoring.corpus import BadRow
from overread.domain.reports.report import ClinicalContext, Report, ReportPair
from overread.exceptions import ConfigurationError, InputError
from overread.infrastructure.files.tables import Columns
from overread.infrastructure.frames.reading import rows_of, rows_of_lists

COLUMNS: Final[dict[str, list[Any]]] = {
    "id": ["a", "b", "c"],
    "reference": ["Small left effusion.", "Clear lungs.", ""],
    "candidate": ["No effusion.", "Clear lungs.", "Cardiomegaly."],
    "age": ["066Y", None, None],
    "note": ["kept out", "kept out", "kept out"],
}
ROWS: Final = [dict(zip(COLUMNS, cells, strict=True)) for cells in zip(*COLUMNS.values(), strict=True)]
PAIRS: Final = [
    ReportPair(
        id=row["id"],
        reference=row["reference"],
        candidate=row["candidate"],
        context=ClinicalContext(age=row["age"]),
    )
    for row in ROWS
]


class ArrowStream:
    """A table of a library that is not known, as polars' and DuckDB's are."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, schema: object = None) -> object:
        return self._table.__arrow_c_stream__(schema)


FORMS: Final[Mapping[str, Callable[[], Any]]] = {
    "pairs": lambda: PAIRS,
    "iterator of pairs": lambda: iter(PAIRS),
    "mappings": lambda: ROWS,
    "generator of mappings": lambda: (OrderedDict(row) for row in ROWS),
    "columns": lambda: COLUMNS,
    "columns of arrays": lambda: {name: np.array(cells, dtype=object) for name, cells in COLUMNS.items()},
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas with ids in the index": lambda: pd.DataFrame(COLUMNS).set_index("id"),
    "pandas on arrow": lambda: pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
    "pyarrow": lambda: pa.table(COLUMNS),
    "arrow stream": lambda: ArrowStream(pa.table(COLUMNS)),
    "arrow reader": lambda: pa.table(COLUMNS).to_reader(max_chunksize=2),
    "data set": lambda: Dataset.from_dict(COLUMNS),
    "data set as numpy": lambda: Dataset.from_dict(COLUMNS).with_format("numpy"),
    "selection of a data set": lambda: Dataset.from_dict(
        {name: [cells[0], *cells] for name, cells in COLUMNS.items()}
    ).select([1, 2, 3]),
    "streamed data set": lambda: Dataset.from_dict(COLUMNS).to_iterable_dataset(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_holds_the_same_pairs(form: str) -> None:
    """In order, with ids and what is known of the patient; other columns are passed by."""
    assert [given.row for given in rows_of(FORMS[form](), Columns())] == PAIRS


@pytest.mark.parametrize(
    "make",
    [list, tuple, iter, np.array, pd.Series, pa.array, lambda cells: Dataset.from_dict({"c": cells})["c"]],
    ids=["list", "tuple", "iterator", "numpy", "pandas", "pyarrow", "data set"],
)
def test_lists_run_beside_each_other(make: Callable[[list[str]], Any]) -> None:
    """With ids, or numbered from 1 without."""
    references, candidates = make(COLUMNS["reference"]), make(COLUMNS["candidate"])
    found = [given.row for given in rows_of_lists(references, candidates)]
    assert [row.id for row in found] == ["1", "2", "3"]
    assert [row.candidate.text for row in found if isinstance(row, ReportPair)] == COLUMNS["candidate"]
    named = rows_of_lists(make(COLUMNS["reference"]), make(COLUMNS["candidate"]), make(COLUMNS["id"]))
    assert [given.row.id for given in named] == ["a", "b", "c"]


def test_labels_are_the_tables_own() -> None:
    """What goes back to the table finds its row again: a number stays a number beside the id in words."""
    frame = pd.DataFrame({"reference": ["a", "b"], "candidate": ["a", "b"]}, index=[7, 9])
    assert [(given.label, given.row.id) for given in rows_of(frame, Columns())] == [(7, "7"), (9, "9")]
    levels = frame.set_index(pd.MultiIndex.from_tuples([("s1", 2), ("s1", 3)]))
    assert [given.row.id for given in rows_of(levels, Columns())] == ["s1/2", "s1/3"]
    numbered = frame.assign(id=[1.0, 2.0])
    assert [(given.label, given.row.id) for given in rows_of(numbered, Columns())] == [(1.0, "1"), (2.0, "2")]


@pytest.mark.parametrize("form", ["pyarrow", "data set", "streamed data set", "columns"])
def test_rows_of_a_table_without_ids_are_numbered(form: str) -> None:
    """From 1, as rows are in messages."""
    unnamed = {name: cells for name, cells in COLUMNS.items() if name != "id"}
    forms = {"pyarrow": pa.table(unnamed), "data set": Dataset.from_dict(unnamed), "columns": unnamed}
    forms["streamed data set"] = forms["data set"].to_iterable_dataset()
    assert [given.row.id for given in rows_of(forms[form], Columns())] == ["1", "2", "3"]


def test_columns_may_have_other_names() -> None:
    """In tables and in mappings alike."""
    columns = Columns(id="study", reference="findings", candidate="generated")
    table = {"study": ["s1"], "findings": ["Clear."], "generated": ["Clear lungs."]}
    expected = [ReportPair(id="s1", reference="Clear.", candidate="Clear lungs.")]
    for form in (table, pd.DataFrame(table), [{name: cells[0] for name, cells in table.items()}]):
        assert [given.row for given in rows_of(form, columns)] == expected


BAD_CELLS: Final[list[tuple[str, Any, str]]] = [
    ("candidate", None, "candidate is null, as pandas reads an empty cell; an empty report is an empty text"),
    ("candidate", math.nan, "candidate is null"),
    ("candidate", np.float32("nan"), "candidate is null"),
    ("candidate", pd.NA, "candidate is null"),
    ("candidate", pd.NaT, "candidate is null"),
    ("reference", Decimal("nan"), "reference is null"),
    ("reference", 7, "reference is a number, not text"),
    ("reference", np.int64(7), "reference is a number, not text"),
    ("reference", np.bool_(1), "reference is true or false, not text"),
    ("reference", b"Clear.", "reference is of type bytes, not text"),
    ("reference", ["Clear."], "reference is a list, not text"),
    ("reference", np.array(["Clear.", ""]), "reference is of type ndarray, not text"),
    ("candidate", "half \ud800", "candidate holds half a surrogate pair at character 6"),
    ("candidate", "a\0b", "candidate holds a NUL byte at character 2"),
    ("age", "elderly", "age is not an age in years"),
    ("age", 800, "age is not an age between"),
    ("indication", {"text": "cough"}, "indication is an object, not text"),
    ("id", None, "id is missing"),
    ("id", math.nan, "id is missing"),
    ("id", pd.NA, "id is missing"),
    ("id", " ", "id is empty"),
    ("id", True, "id is true or false"),
    ("id", ["b"], "id is a list"),
    ("id", "a", "its id is also that of row 1"),
    ("id", "\ud800", "id is longer than 200 characters or has some that cannot be shown"),
]


@pytest.mark.parametrize(("column", "cell", "problem"), BAD_CELLS)
def test_a_bad_cell_is_a_bad_row_in_its_place(column: str, cell: Any, problem: str) -> None:
    """What is wrong is told without the cell; the rows around it are whole."""
    given = [dict(row) for row in ROWS]
    given[1][column] = cell
    found = [each.row for each in rows_of(given, Columns())]
    assert (found[0], found[2]) == (PAIRS[0], PAIRS[2])
    assert isinstance(found[1], BadRow)
    assert (found[1].row, found[1].problem[: len(problem)]) == (2, problem)


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        ({"id": "b", "reference": "Clear."}, "missing candidate"),
        ({}, "missing id, reference, candidate"),
        (None, "is NoneType, neither a ReportPair nor a mapping"),
        (("b", "Clear.", "Clear."), "is tuple, neither a ReportPair nor a mapping"),
        (ReportPair(id=math.nan, reference="Clear.", candidate="Clear."), "id is missing"),  # type: ignore[arg-type]
        (ReportPair(id="b", reference=math.nan, candidate="Clear."), "reference is null"),  # type: ignore[arg-type]
        (ReportPair(id="b", reference="\ud800", candidate="Clear."), "reference holds half a surrogate pair"),
        (ReportPair(id="a", reference="Clear.", candidate="Clear."), "its id is also that of row 1"),
    ],
)
def test_an_item_that_is_no_pair_is_a_bad_row(item: Any, problem: str) -> None:
    """Among mappings and among ready-made pairs."""
    found = [each.row for each in rows_of([PAIRS[0], item, PAIRS[2]], Columns())]
    assert (found[0], found[2]) == (PAIRS[0], PAIRS[2])
    assert isinstance(found[1], BadRow)
    assert found[1].problem.startswith(problem)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        (UUID(int=5), "00000000-0000-0000-0000-000000000005"),
        (Path("a/b"), "a/b"),
        (datetime(2026, 3, 1, tzinfo=UTC), "2026-03-01 00:00:00+00:00"),
        (np.int64(12), "12"),
        (3.0, "3"),
        (Decimal(3), "3"),
    ],
)
def test_ids_are_written_out(name: object, written: str) -> None:
    """What has one form in writing is an id; a number that a table made a float is the number."""
    [given] = rows_of([{"id": name, "reference": Report("Clear."), "candidate": "Clear."}], Columns())
    assert given.row == ReportPair(id=written, reference="Clear.", candidate="Clear.")


@pytest.mark.parametrize(
    ("pairs", "problem"),
    [
        ("pairs.csv", "is str, not several pairs"),
        (5, "is int, not several pairs"),
        (ROWS[0], "is one mapping, not several pairs"),
        (pd.DataFrame({"reference": [], "report": []}), "no column 'candidate'; there are 'reference', 'report'"),
        (pa.table({"x": [1]}), "no column 'reference' or 'candidate'"),
        (Dataset.from_dict({"x": [1]}), "no column 'reference' or 'candidate'"),
        (pd.DataFrame([["a", "b", "c"]], columns=["reference", "candidate", "candidate"]), "several columns are named"),
        (DatasetDict({"test": Dataset.from_dict(COLUMNS)}), "has several splits: test"),
        ({"reference": ["a"], "candidate": ["a", "b"]}, "its columns differ in length"),
    ],
)
def test_what_is_no_table_of_pairs_is_told(pairs: Any, problem: str) -> None:
    """One message for the whole, with the remedy."""
    with pytest.raises(InputError, match=problem):
        rows_of(pairs, Columns())


def test_columns_that_may_be_cells_are_not_shown() -> None:
    """A CSV file without a header has a report among its column names once pandas has read it."""
    frame = pd.DataFrame({"7": ["8"], "Mr Sample has a lesion in the right lobe. No": ["x"]})
    with pytest.raises(InputError, match="does not look like column names, so it is not shown") as refused:
        rows_of(frame, Columns())
    assert "Sample" not in str(refused.value)
    with pytest.raises(InputError, match="there are '0', '1'"):
        rows_of(pd.DataFrame([["a", "b"]]), Columns())


def test_an_id_column_that_is_named_must_be_there() -> None:
    """The index is taken where nobody asked for a column."""
    frame = pd.DataFrame({"reference": ["a"], "candidate": ["a"]})
    with pytest.raises(InputError, match="no column 'study'"):
        rows_of(frame, Columns(id="study"))


def test_lists_of_different_length_are_refused() -> None:
    """Each length is told, so that the odd one shows."""
    with pytest.raises(InputError, match="1 of reference, 2 of candidate"):
        rows_of_lists(["a"], ["a", "b"])
    with pytest.raises(InputError, match="reference is str, not a list"):
        rows_of_lists("Clear.", ["Clear."])


@pytest.mark.parametrize("make", [set, frozenset])
def test_a_set_is_no_list_of_reports(make: Callable[[list[str]], Any]) -> None:
    """Its order is another in every process, and what stands twice is lost."""
    with pytest.raises(InputError, match="candidate is a set, which has neither order"):
        rows_of_lists(COLUMNS["reference"], make(COLUMNS["candidate"]))


def test_columns_of_tables_that_are_labelled_otherwise_do_not_run_beside_each_other() -> None:
    """pandas would put equal labels together, and lists go by place: one of them is not what is meant."""
    references = pd.Series(COLUMNS["reference"])
    shuffled = pd.Series(COLUMNS["candidate"], index=[2, 0, 1])
    says = "reference and candidate have different indexes"
    with pytest.raises(InputError, match=says):
        rows_of_lists(references, shuffled)
    with pytest.raises(InputError, match=says):
        rows_of({"reference": references, "candidate": shuffled}, Columns())
    same = references.copy()
    assert [given.row.id for given in rows_of_lists(references, same)] == ["1", "2", "3"]
    assert [given.row.id for given in rows_of_lists(references, shuffled.tolist())] == ["1", "2", "3"]


@pytest.mark.parametrize(
    "names",
    [{"candidate": "reference"}, {"reference": "candidate"}, {"id": "reference"}, {"id": "x", "candidate": "x"}],
)
def test_one_column_cannot_be_two(names: dict[str, str]) -> None:
    """A report that is held against itself is always right."""
    with pytest.raises(ConfigurationError, match="id, reference and candidate must be three columns"):
        Columns(**names)
