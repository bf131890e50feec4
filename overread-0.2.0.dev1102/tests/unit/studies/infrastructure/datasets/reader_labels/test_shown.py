"""A check's outcome on the terminal and as JSON."""

from __future__ import annotations

import io
import json
from collections.abc import Sequence

from rich.console import Console

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Column, Table, Tabulation
from overread.studies.application.reader_checks.check import CONFUSION, READER, Mistake, ReaderCheck
from overread.studies.infrastructure.views.check import show_check
from overread.studies.infrastructure.views.check_records import check_record

NAME = "a class with a name that is longer than most"


def _table(title: str, row: tuple[Cell, ...] = (), figures: Sequence[str] = ()) -> Table:
    columns = (Column(name="name", title=""), Column(name="count", title="rows"))
    shares = tuple(Column(name=name, title=name, percent=True) for name in figures)
    return Table(name=title.lower(), title=title, columns=(*columns, *shares), rows=(row,) if row else ())


CHECK = ReaderCheck(
    tabulation=Tabulation(
        name="example",
        title="Check: example",
        tables=(
            _table("Classes", (NAME, 12345, *[Estimate(0.9512, 0.9, 1.0)] * 3), ("precision", "recall", "F1")),
            _table("Nothing"),
            _table("Undefined", ("none", 0, Estimate(None)), ("share",)),
            Table(
                name=CONFUSION,
                title="Labelled (rows) and read as (columns)",
                columns=(Column(name="labelled", title=""), Column(name="a", title="a"), Column(name="b", title="b")),
                rows=(("a", 3, 1), ("b", 0, 2)),
            ),
        ),
        facts={READER: "told"},
        notes=("one row left out",),
    ),
    mistakes=(Mistake("row 7", "a", "b", "Sample [bold]text[/bold]"),),
)


def _shown(*, errors: bool) -> str:
    console = Console(file=io.StringIO(), width=80)
    with console.capture() as capture:
        show_check(console, CHECK, errors=errors)
    return capture.get()


def test_tables_fit_80_columns() -> None:
    """Figures and their intervals keep to their lines; long names fold; an empty table is said to be so."""
    text = _shown(errors=False)
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("95.1 %") == text.count("[90.0, 100.0]") == 3
    assert "Nothing\nnone" in text
    assert "Note: one row left out" in text


def test_errors_are_shown_only_on_request() -> None:
    """They quote the user's own data, as it is and never as markup."""
    assert "Sample" not in _shown(errors=False)
    shown = _shown(errors=True)
    assert "row 7: labelled a, read b" in shown
    assert "Sample [bold]text[/bold]" in shown
    assert "1 error" in shown


def test_json_holds_every_figure_and_errors_only_on_request() -> None:
    """Null stands where there was nothing to count."""
    record = json.loads(json.dumps(check_record(CHECK), allow_nan=False))
    assert "mistakes" not in record
    assert record["tables"][0]["lines"][0]["figures"]["F1"] == {"value": 0.9512, "low": 0.9, "high": 1.0}
    assert record["tables"][2]["lines"][0]["figures"]["share"]["value"] is None
    assert record["confusion"] == {"labels": ["a", "b"], "counts": [[3, 1], [0, 2]]}
    assert check_record(CHECK, errors=True)["mistakes"][0]["text"] == "Sample [bold]text[/bold]"
