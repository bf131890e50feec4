"""The HTML page of a study."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections import Counter
from html.parser import HTMLParser
from typing import Any, Final

import pytest
from attrs import evolve

from overread.application.statistics import Estimate
from overread.application.studies.tabulation import Cell, Column, Table, Tabulation
from overread.exceptions import MissingDependencyError
from overread.infrastructure.views.web import tabulation_page as module
from overread.infrastructure.views.web.tabulation_page import tabulation_page

from .studied import HOSTILE, STUDY

_VOID: Final = frozenset({"meta"})


class Page(HTMLParser):
    """A page read back: tags must nest and ids be unique."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.hrefs: list[str] = []
        self.loaded: list[str] = []
        self.named: dict[str, str] = {}
        self.figures: dict[str, Any] = {}
        self.scripts: list[str] = []
        self.text = ""
        self._figure = ""
        self.feed(html)
        self.close()
        assert not self.open
        assert max(self.ids.values(), default=1) == 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        assert not any(name.startswith("on") for name in values)
        self.ids.update([values["id"]] if "id" in values else [])
        self.hrefs += [values["href"]] if "href" in values else []
        self.loaded += [values[name] for name in ("src", "action", "data", "srcset") if name in values]
        if values.get("role") == "img":
            self.named[values["id"]] = values["aria-label"]
        self._figure = values.get("data-figure", "")
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "script" in self.open:
            if self._figure:
                self.figures[self._figure] = json.loads(data)
            else:
                self.scripts.append(data)
        elif "style" not in self.open:
            self.text += data


def bare() -> Tabulation:
    return evolve(STUDY, plots=())


@pytest.fixture(scope="module")
def html() -> str:
    pytest.importorskip("plotly")
    return tabulation_page(STUDY)


@pytest.fixture(scope="module")
def page(html: str) -> Page:
    return Page(html)


def test_every_figure_of_every_table_stands_in_the_page() -> None:
    """Rounded for people, with a true minus; a dash where there is nothing to tell."""
    text = " ".join(Page(tabulation_page(bare())).text.split())
    for words in (
        "radot 0.300 [0.012, 0.600] 62.5 % 0.0005 1,234",
        "bleu 0.000 [\u22120.500, 0.500] \u2013 inf \u2013",
        "rouge:rougeL \u2013 100.0 % 1.0000 0",
        "Higher is better.",
        "Strata none",
        "bleu: 3 pairs are not scored",
        "radot radot|" + "x" * 90,
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
    assert '<table class="below">' in grid("radot", 8)
    assert "<table>" in grid("radot", 3)
    assert "min-width: min(5ch, 40vw)" in grid("radot", 3)
    assert "min-width: min(28ch, 40vw)" in grid("x" * 60, 8)


def test_a_page_without_plots_runs_no_script() -> None:
    """Without plots the page stays small and its policy lets no script run."""
    html = tabulation_page(bare())
    assert "<script" not in html
    assert "script-src" not in html
    assert len(html) < 20_000


def test_the_page_loads_nothing() -> None:
    """Its only addresses are those of the rows, and its policy forbids to fetch anything."""
    html = tabulation_page(bare())
    page = Page(html)
    assert page.loaded == []
    assert [href for href in page.hrefs if not href.startswith("#")] == [
        "pages/s1.html",
        "https://example.org/?a=1&b=2",
    ]
    assert all(href[1:] in page.ids for href in page.hrefs if href.startswith("#"))
    assert re.findall(r"https?:[^\"]*", html) == ["https://example.org/?a=1&amp;b=2"]
    assert not re.search(r"url\(|@import|<link|<img|<iframe", html)
    assert "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'" in html


def test_only_the_two_scripts_of_the_page_may_run(html: str, page: Page) -> None:
    """The policy names each by its digest: no other script runs, inline or not, and none may connect anywhere."""
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert len(page.scripts) == 2
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in page.scripts]
    assert re.search(r"script-src ([^;]*);", policy[1])[1].split() == [f"'sha256-{d}'" for d in digests]  # type: ignore[index]
    assert "connect-src" not in policy[1]
    assert "default-src 'none'" in policy[1]
    assert page.loaded == []


def test_plotly_does_not_offer_to_send_the_figures_anywhere(page: Page) -> None:
    """From its release 7 on plotly.js has a button for that, unless it is told otherwise."""
    assert "showSendToCloud: false" in page.scripts[1]
    assert 'plotlyServerURL: ""' in page.scripts[1]
    assert 'modeBarButtons: [["toImage"]]' in page.scripts[1]


def test_ids_are_escaped_in_tables_and_figures(html: str, page: Page) -> None:
    """An id that would end the script element stays an id."""
    assert "</script><b>" not in html
    assert "<b>s1" not in html
    assert "\x1b" not in html
    assert HOSTILE.replace("\x1b", "\ufffd") in page.text
    assert "</script><b>s1" not in json.dumps(page.figures)


def test_an_address_that_would_run_something_is_not_followed() -> None:
    """Links come from users' data: only addresses of pages become links."""
    for address in ("javascript:alert(1)", "java\nscript:alert(1)", " JavaScript:x", "data:text/html,x", "http://[x"):
        table = evolve(STUDY.tables[1], links={0: address})
        assert Page(tabulation_page(evolve(bare(), tables=(table,)))).hrefs == []


def test_every_plot_has_its_figure_and_a_text_alternative(page: Page) -> None:
    """A plot beside a table stands where its table does, so the order is that of the page."""
    drawn = [f"p{number}-plot" for number in range(1, 6)]
    assert list(page.named) == ["p2-plot", "p1-plot", "p3-plot", "p4-plot", "p5-plot"]
    assert sorted(page.figures) == drawn
    assert page.figures["p1-plot"]["data"][2]["x"] == [0.0, 1.0, 2.0, 3.0]
    assert page.named["p1-plot"].startswith("Scores and counts. 4 points; least-squares line")
    assert "tau-b 0.91" in page.text
    assert page.text.count("Figures of this plot") == 4


def test_a_plot_stands_beside_the_table_of_its_name(html: str) -> None:
    """A plot without a table of its name follows all tables."""
    assert html.index('id="t1"') < html.index('id="p2"') < html.index('id="t2"') < html.index('id="p1"')


def test_colours_follow_the_page(html: str, page: Page) -> None:
    """Every colour that a figure names is in the style sheet, for light pages and for dark ones."""
    named = set(re.findall(r'"(--[a-z0-9-]+)"', json.dumps(page.figures)))
    assert named
    assert all(html.count(f"{name}: #") == 2 for name in named)


def test_without_plotly_plots_are_refused_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables alone need nothing."""
    module._plotly.cache_clear()
    monkeypatch.setitem(sys.modules, "plotly.offline", None)
    with pytest.raises(MissingDependencyError, match=r"plotly; install with: pip install 'overread\[plots\]'"):
        tabulation_page(STUDY)
    assert "<table>" in tabulation_page(bare())
