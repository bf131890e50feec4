"""A check's outcome on the terminal and as JSON."""

from __future__ import annotations

import io
import json

from rich.console import Console

from overread.application.studies.reader_checks.report import CheckReport, Confusion, Line, Mistake, Table
from overread.application.studies.tabulation import Estimate
from overread.infrastructure.serialise import check_record
from overread.infrastructure.views.terminal import show_check

FIGURE = Estimate(0.9512, 0.9, 1.0)
NAME = "a class with a name that is longer than most"
REPORT = CheckReport(
    check="example",
    reader="told",
    tables=(
        Table("Classes", "rows", (Line(NAME, 12345, {"precision": FIGURE, "recall": FIGURE, "F1": FIGURE}),)),
        Table("Nothing", "rows", ()),
        Table("Undefined", "rows", (Line("none", 0, {"share": Estimate(None, None, None)}),)),
    ),
    confusion=Confusion(("a", "b"), ((3, 1), (0, 2))),
    mistakes=(Mistake("row 7", "a", "b", "Sample [bold]text[/bold]"),),
    notes=("one row left out",),
)


def _shown(*, errors: bool) -> str:
    console = Console(file=io.StringIO(), width=80)
    with console.capture() as capture:
        show_check(console, REPORT, errors=errors)
    return capture.get()


def test_tables_fit_80_columns() -> None:
    """Figures keep to one line with their intervals; long names fold; an empty table is said to be so."""
    text = _shown(errors=False)
    assert max(map(len, text.splitlines())) <= 80
    assert text.count("95.1 (90.0-100.0)") == 3
    assert "Nothing: none" in text
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
    record = json.loads(json.dumps(check_record(REPORT), allow_nan=False))
    assert "mistakes" not in record
    assert record["tables"][0]["lines"][0]["figures"]["F1"] == {"value": 0.9512, "low": 0.9, "high": 1.0}
    assert record["tables"][2]["lines"][0]["figures"]["share"]["value"] is None
    assert record["confusion"] == {"labels": ["a", "b"], "counts": [[3, 1], [0, 2]]}
    assert check_record(REPORT, errors=True)["mistakes"][0]["text"] == "Sample [bold]text[/bold]"
