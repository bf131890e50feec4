"""A study on a terminal of 80 columns."""

from __future__ import annotations

import re

import pytest
from attrs import evolve
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Column, Table, Tabulation
from overread.infrastructure.views.terminal._parts import wrap_signature
from overread.infrastructure.views.terminal.tabulation import show_tabulation

from .studied import STUDY


def seen(*tables: Table, width: int = 80) -> list[str]:
    return lines(Tabulation(name="t", title="T", tables=tables), width)


def lines(tabulation: Tabulation, width: int = 80) -> list[str]:
    console = Console(width=width, no_color=True, force_terminal=False)
    with console.capture() as capture:
        show_tabulation(console, tabulation)
    return [line.rstrip() for line in capture.get().split("\n")]


def estimates(rows: int, columns: int) -> Table:
    """Estimates that tell where they stand, in a table too wide for a terminal."""
    titles = [Column(name=f"c{i}", title=f"category {i}") for i in range(columns)]
    cells: list[tuple[Cell, ...]] = [
        (f"metric-{r}", *(Estimate((r * columns + i) / 1000, -0.25, 0.5) for i in range(columns))) for r in range(rows)
    ]
    return Table(name="wide", title="Wide", columns=(Column(name="metric", title="metric"), *titles), rows=tuple(cells))


@pytest.mark.parametrize(("rows", "columns"), [(7, 12), (2, 12), (7, 4), (7, 3), (40, 1)])
def test_every_figure_is_shown_whole_in_80_columns(rows: int, columns: int) -> None:
    """A table too wide is cut, turned or has its intervals below; nothing is shortened or lost."""
    shown = seen(estimates(rows, columns))
    assert max(map(cell_len, shown)) <= 80
    text = "\n".join(shown)
    assert "\u2026" not in text
    for number in range(rows * columns):
        assert len(re.findall(rf"\b{number / 1000:.3f}\b", text)) == 1
    assert text.count("[-0.250, 0.500]") == rows * columns


def test_each_part_of_a_table_says_what_its_rows_are() -> None:
    """A table that is cut repeats its first column in every part."""
    text = "\n".join(seen(estimates(7, 12)))
    assert text.count("metric-6") == text.count(" metric ") > 1
    assert re.search(r"metric-6 +0\.072 \[-0\.250, 0\.500\] +0\.073 \[", text)


def test_columns_that_belong_together_stay_side_by_side() -> None:
    """NAME_paper is in the same part as NAME; the part before is cut short for it. Two that cannot fit are split."""
    names = [name for index in range(5) for name in (f"c{index}", f"c{index}_paper")]
    columns = [Column(name=name, title="paper" if "_" in name else f"ours of {name}") for name in names]
    rows: list[tuple[Cell, ...]] = [(f"metric-{row}", *(0.125 for _ in names)) for row in range(6)]
    table = Table(
        name="wide", title="Wide", columns=(Column(name="metric", title="metric"), *columns), rows=tuple(rows)
    )
    for width in (40, 48, 56, 60):
        heads = [line for line in seen(table, width=width) if line.startswith(" metric ") and "paper" in line]
        assert len(heads) > 1
        assert all(line.count("paper") == len(re.findall(r"c\d", line)) for line in heads)
    assert sum(line.count("0.125") for line in seen(table, width=18)) == 60


def test_a_few_rows_are_turned() -> None:
    """Columns become rows, headed by the first cell of each row."""
    text = "\n".join(seen(estimates(2, 12)))
    assert re.search(r"metric +metric-0 +metric-1\n", text)
    assert re.search(r"category 11 +0\.011 \[-0\.250, 0\.500\] +0\.023 \[-0\.250, 0\.500\]", text)


def test_intervals_stand_below_where_that_saves_a_cut() -> None:
    """A table a little too wide stays whole with its intervals below their figures."""
    text = "\n".join(seen(estimates(7, 4), width=82))
    assert re.search(r"metric-0 +0\.000 +0\.001 +0\.002 +0\.003\n +\[-0\.250, 0\.500\]", text)


def test_a_table_that_fits_is_shown_as_it_is() -> None:
    """In a narrow table intervals stay beside their figures."""
    assert re.search(r"metric-0 +0\.000 \[-0\.250, 0\.500\] +0\.001 \[", "\n".join(seen(estimates(2, 2))))


def test_words_fold_and_figures_stand_to_the_right() -> None:
    """Long words take more lines, and figures of a column end at the same place."""
    table = Table(
        name="t",
        title="T",
        columns=(Column(name="a", title="pair"), Column(name="b", title="why"), Column(name="c", title="n")),
        rows=(("s1", "a long reason " * 10, 7), ("s2", "none", 1234)),
    )
    shown = seen(table)
    assert max(map(cell_len, shown)) <= 80
    assert sum("reason" in line for line in shown) > 1
    first, second = (next(line for line in shown if line.startswith(f" {name} ")) for name in ("s1", "s2"))
    assert first.endswith("    7")
    assert second.endswith(" 1,234")
    assert len(first) == len(second)


def test_what_there_is_to_know_is_shown_with_the_tables() -> None:
    """Notes, facts and the titles of empty tables are not lost on a terminal."""
    text = "\n".join(lines(STUDY))
    assert "Higher is better." in text
    assert "Note: bleu: 3 pairs are not scored" in text
    assert "pairs: 1,200\nseed: 20240\n" in text
    assert re.search(r"Strata\nnone", text)


def test_ids_are_shown_as_text() -> None:
    """Neither markup nor control characters reach the terminal."""
    text = "\n".join(lines(STUDY))
    assert "\x1b" not in text
    assert "</script><b>s1</b>\ufffd[31m" in text
    table = Table(name="t", title="[bold]T", columns=(Column(name="a", title="[red]a"),), rows=(("[/x]",),))
    assert {" [red]a", " [/x]", "[bold]T"} <= set(seen(table))


def test_a_column_of_dashes_stands_to_the_right() -> None:
    """Figures that nobody could tell are figures all the same."""
    columns = (Column(name="metric", title="metric"), Column(name="tau", title="Kendall"))
    table = Table(name="t", title="T", columns=columns, rows=(("radot", None), ("bleu", None)))
    assert any(re.fullmatch(r" radot {5,}-", line) for line in seen(table))


def test_what_cannot_be_told_is_a_dash() -> None:
    """A missing figure is a dash, an infinite one is told as such."""
    table = evolve(STUDY.tables[0], rows=STUDY.tables[0].rows[1:2])
    assert any(re.fullmatch(r" bleu +0\.000 \[-0\.500, 0\.500\] +- +inf +-", line) for line in seen(table))


def test_signatures_end_their_lines_between_parts() -> None:
    """No line is wider than the terminal; joined again they are the signature; a part that is too long stays whole."""
    signature = "notation|extractor:medspacy@1.0,lexicon=7e92db09|" + "|".join(f"part-{n}:{n * 1111}" for n in range(9))
    for width in (30, 80):
        lines = wrap_signature(Text(f"Signature: {signature}"), width).plain.splitlines()
        assert max(map(len, lines)) <= width
        assert "".join(line.removeprefix("  ") for line in lines) == f"Signature: {signature}"
    assert "x" * 90 in wrap_signature(Text(f"a|{'x' * 90}|b"), 80).plain
