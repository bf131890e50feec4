"""The HTML page of a study."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

import numpy as np
import pytest
from attrs import evolve

from overread.application.statistics import Estimate
from overread.application.statistics.tabulation import Cell, Column, Forest, ForestRow, Scatter, Table, Tabulation
from overread.infrastructure.views.web.palette import PALETTE, SERIES
from overread.infrastructure.views.web.tabulation_page import tabulation_page

from .reading import Markup
from .studied import HOSTILE, SCATTER, STUDY

LARGEST: Final = 300_000
"""Bytes that a page of a study may have."""


def bare() -> Tabulation:
    return evolve(STUDY, plots=())


@pytest.fixture(scope="module")
def html() -> str:
    return tabulation_page(STUDY)


@pytest.fixture(scope="module")
def page(html: str) -> Markup:
    return Markup(html)


def test_every_figure_of_every_table_stands_in_the_page() -> None:
    """Rounded for people, with a true minus; a dash where there is nothing to tell."""
    text = " ".join(Markup(tabulation_page(bare())).text.split())
    for words in (
        "radot 0.300 [0.012, 0.600] 62.5 % 0.0005 1,234",
        "bleu 0.000 [\u22120.500, 0.500] \u2013 inf \u2013",
        "rouge:rougeL \u2013 100.0 % 1.0000 0",
        "Higher is better.",
        "Strata none",
        "bleu: 3 pairs are not scored",
        "pairs 1,200 seed 20240 radot radot|" + "x" * 90,
    ):
        assert words.replace(" ", "") in text.replace(" ", "")


def grid(name: str, estimates: int) -> str:
    """The page of a table with so many estimates."""
    columns = (Column(name="metric", title="metric"), *(Column(name=f"c{i}", title="c") for i in range(estimates)))
    row: tuple[Cell, ...] = (name, *(Estimate(0.5, 0.25, 0.75) for _ in range(estimates)))
    table = Table(name="t", title="T", columns=columns, rows=(row,))
    return tabulation_page(Tabulation(name="t", title="T", tables=(table,)))


def test_wide_tables_keep_their_first_column() -> None:
    """Intervals go below their figures where they do not fit beside them; the first column is not squeezed."""
    assert '<table class="below stack">' in grid("radot", 8)
    assert '<table class="">' in grid("radot", 2)
    assert "min-width: min(5ch, 40vw)" in grid("radot", 3)
    assert "min-width: min(28ch, 40vw)" in grid("x" * 60, 8)


def test_on_a_narrow_screen_every_figure_of_a_wide_table_has_its_name() -> None:
    """There a row is a block without a head: each cell says what it is."""
    html = grid("radot", 8)
    assert re.findall(r'data-label="(\w+)"', html) == ["c"] * 8
    style = html.partition("<style>")[2].partition("</style>")[0]
    narrow = style.partition("@media (max-width: 46rem)")[2]
    assert re.search(r"\.stack td::before \{ content: attr\(data-label\)", narrow)


def test_a_page_runs_no_script_and_loads_nothing(html: str, page: Markup) -> None:
    """With plots or without: its only addresses are those of the rows, and its policy forbids to fetch anything."""
    assert not {"script", "noscript", "img", "link", "iframe", "object"} & {tag for tag, _ in page.elements}
    assert not [name for _, attributes in page.elements for name in attributes if name.startswith("on")]
    assert page.values("src") == page.values("action") == page.values("srcset") == []
    assert [href for href in page.values("href") if not href.startswith("#")] == [
        "pages/s1.html",
        "https://example.org/?a=1&b=2",
    ]
    assert re.findall(r"https?:[^\"]*", html) == ["https://example.org/?a=1&amp;b=2"]
    assert not re.search(r"url\(|@import", html)
    assert "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'" in html


def test_pages_stay_small() -> None:
    """A study of eight metrics and three targets over 200 pairs each, and one of 20,000 pairs, stay under 300 kB."""
    assert len(tabulation_page(bare()).encode()) < 20_000
    rng = np.random.default_rng(0)
    names = [f"a-study-with-a-long-name-{index:05}" for index in range(20_000)]
    many, few = (
        tuple((float(rng.normal()), float(rng.normal()), names[index]) for index in range(count))
        for count in (20_000, 200)
    )
    whole = evolve(STUDY, plots=(evolve(SCATTER, points=many), *STUDY.plots))
    several = evolve(STUDY, plots=tuple(evolve(SCATTER, name=f"s{index}", points=few) for index in range(24)))
    hundreds = evolve(STUDY, plots=tuple(evolve(SCATTER, name=f"s{index}", points=many) for index in range(24)))
    for study in (whole, several, hundreds):
        assert len(tabulation_page(study).encode()) < LARGEST


def test_ids_are_escaped_in_tables_and_plots(html: str, page: Markup) -> None:
    """An id that looks like markup stays an id, in the title of its point too."""
    assert "</script><b>" not in html
    assert "<b>s1" not in html
    assert "\x1b" not in html
    shown = HOSTILE.replace("\x1b", "\ufffd")
    assert page.text.count(shown) == 2
    assert f"{shown}: 0.000, 1.000" in page.text


def test_an_address_that_would_run_something_is_not_followed() -> None:
    """Links come from users' data: only addresses of pages become links."""
    for address in ("javascript:alert(1)", "java\nscript:alert(1)", " JavaScript:x", "data:text/html,x", "http://[x"):
        table = evolve(STUDY.tables[1], links={0: address})
        assert Markup(tabulation_page(evolve(bare(), tables=(table,)))).values("href") == []


def test_every_plot_has_a_name_and_is_told_in_words(page: Markup) -> None:
    """Pictures have a text that tells what they show; a forest and a heat map are tables."""
    named = [label for label in page.values("aria-label") if ". " in label]
    assert [label.partition(".")[0] for label in named] == [
        "Scores and counts",
        "Discrimination and robustness",
        "Aspects",
    ]
    assert named[0].startswith("Scores and counts. 4 points; least-squares line")
    assert {table.get("class") for table in page.of("table")} >= {"forest", "matrix"}
    assert "tau-b 0.91" in page.text
    assert page.text.count("Figures of this plot") == 2
    for svg in page.of("svg"):
        assert svg.get("role") == "img" or svg.get("aria-hidden") == "true" or "x" in svg or "viewbox" in svg


def test_axes_have_names_and_figures(page: Markup) -> None:
    """What is drawn, in which direction, over how many, and that lines are 95 % intervals."""
    for words in ("\u2191 errors", "score \u2192", "tau-b \u2192", "tau-b [95 % interval]", "4 points"):
        assert words in page.text


def test_headings_go_down_step_by_step(page: Markup) -> None:
    """One heading of the first level, none skipped."""
    assert page.headings.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(page.headings))


def test_a_plot_stands_beside_the_table_of_its_name(html: str) -> None:
    """A plot without a table of its name follows all tables."""
    assert html.index('id="t1"') < html.index('id="p2"') < html.index('id="t2"') < html.index('id="p1"')


def test_colours_follow_the_page(html: str) -> None:
    """Every colour is a name of the palette's, which has one for light pages and one for dark ones."""
    used = set(re.findall(r"var\(--([\w-]+)\)", html)) - {"colour", "share"}
    assert used <= {*PALETTE, *(f"series-{index}" for index in range(1, len(SERIES) + 1))}
    known = {colour for pair in (*PALETTE.values(), *SERIES) for colour in pair} | {"#000", "#fff"}
    assert set(re.findall(r"#[0-9a-f]{3,8}\b(?=[,; )])", html.partition("</style>")[0])) <= known


def test_a_study_with_a_wide_table_is_printed_across() -> None:
    """What does not fit a sheet upright is not cut off."""
    assert "size: A4 landscape" in grid("x" * 60, 8)
    assert "landscape" not in grid("radot", 3)


def test_many_scatters_and_a_long_forest_are_drawn() -> None:
    """Empty and constant series too: nothing divides by a range that is not there."""
    plots = (
        Scatter(name="a", title="A", x_title="x", y_title="y", points=((1.0, 1.0, "s1"),)),
        Forest(name="b", title="B", x_title="x", rows=(ForestRow("r", Estimate(0.0, 0.0, 0.0)),), reference=0.0),
    )
    assert "A" in Markup(tabulation_page(evolve(STUDY, plots=plots))).text
