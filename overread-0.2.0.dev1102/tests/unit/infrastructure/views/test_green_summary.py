"""GREEN's summary on a terminal, as a record and as a page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from itertools import combinations
from math import dist
from xml.etree import ElementTree as ET

from attrs import evolve
from rich.console import Console

from overread.application.scoring.green_summary import CategorySummary, GreenSummary, Sentence
from overread.domain.vocabulary.taxonomy import REXVAL_SIX, ErrorCategory
from overread.infrastructure.views.summaries import summary_record
from overread.infrastructure.views.terminal.green_summary import show_green_summary
from overread.infrastructure.views.web.summary_page import summary_page

LONG = "The candidate describes a <b>large</b> [bold]right[/bold] pleural effusion \x1b[31mwhich the reference denies"
SENTENCES = (
    Sentence(text=LONG, times=3, cluster=0, distance=0.1, place=(0.0, 1.0)),
    Sentence(text="an effusion", times=1, cluster=0, distance=0.2, place=(0.5, 0.5)),
    Sentence(text="a mass", times=1, cluster=1, distance=0.0, place=(1.0, 0.0)),
)


def empty(category: ErrorCategory) -> CategorySummary:
    return CategorySummary(
        category=category, free=1.0, errors=0, explained=0, clusters=0, silhouette=None, sentences=()
    )


FALSE = evolve(
    empty(ErrorCategory.FALSE_FINDING),
    free=0.25,
    errors=6,
    explained=5,
    clusters=2,
    silhouette=0.75,
    sentences=SENTENCES,
)
SUMMARY = GreenSummary(
    pairs=10,
    scored=8,
    unscored={"refusal": 1, "cut off": 1},
    truncated=2,
    mean=0.61803,
    deviation=0.2,
    categories=(FALSE, *map(empty, REXVAL_SIX[1:])),
    method="an encoder; k-means",
    notes=("report text was sent to example",),
    signature="green|model:m-7b|prompt:green@1:0|reader:strict",
)
NOTHING = evolve(
    SUMMARY,
    pairs=1,
    scored=0,
    unscored={"refusal": 1},
    truncated=0,
    mean=None,
    deviation=None,
    categories=tuple(evolve(empty(category), free=None) for category in REXVAL_SIX),
    notes=(),
    signature="",
)


def terminal(summary: GreenSummary) -> str:
    console = Console(width=80, no_color=True)
    with console.capture() as capture:
        show_green_summary(console, summary)
    return capture.get()


def test_the_terminal_tells_coverage_shares_and_what_stands_for_each_kind_in_80_columns() -> None:
    """The sentences that stand for a category are named with how often they occur, the others are not."""
    shown = terminal(SUMMARY)
    assert max(map(len, shown.splitlines())) <= 80
    assert shown.splitlines()[-1] == "Signature: green|model:m-7b|prompt:green@1:0|reader:strict"
    words = " ".join(shown.split())
    assert "mean 0.618, standard deviation 0.200 (0 to 1, higher is better)" in words
    assert "over 8 scored of 10 pairs; 2 of them not read to the end; 2 unscored (cut off 1, refusal 1)" in words
    assert "Note: report text was sent to example" in words
    assert "(a) false finding 25.0 % without 6 errors" in words
    assert "(f) omitted comparison 100.0 % without 0 errors" in words
    assert "(3 times)" in words
    assert "a mass" not in words


def test_explanations_are_shown_as_they_are_and_drive_no_terminal() -> None:
    """Neither the markup of a console nor control characters of an explanation have an effect."""
    shown = terminal(SUMMARY)
    assert "[bold]right[/bold]" in " ".join(shown.split())
    assert "\x1b[31m" not in shown


def test_without_a_scored_pair_nothing_is_made_up() -> None:
    """Where there is nothing to average, words stand in place of figures."""
    words = " ".join(terminal(NOTHING).split())
    assert "no pair is scored" in words
    assert "over 0 scored of 1 pair; 1 unscored (refusal 1)" in words
    assert "no figure" in words
    assert "%" not in words
    assert "no pair is scored" in summary_page(NOTHING)


def test_the_record_has_every_figure_and_is_strict_json() -> None:
    """Figures keep their digits, and every sentence its cluster and its place in the plot."""
    record = json.loads(json.dumps(summary_record(SUMMARY), allow_nan=False))
    assert (record["pairs"], record["scored"], record["unscored"]) == (10, 8, {"cut off": 1, "refusal": 1})
    assert (record["mean"], record["standard_deviation"], record["truncated"]) == (0.61803, 0.2, 2)
    assert record["signature"] == "green|model:m-7b|prompt:green@1:0|reader:strict"
    first, *others = record["categories"]
    assert (first["category"], first["share_without"], first["errors"], first["clusters"]) == ("A", 0.25, 6, 2)
    assert first["representatives"] == [LONG, "an effusion"]
    assert first["sentences"][2] == {"text": "a mass", "times": 1, "cluster": 1, "place": [1.0, 0.0]}
    assert [other["category"] for other in others] == list("BCDEF")


class _Page(HTMLParser):
    """What a page loads and runs."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in {"src", "href", "srcset", "action"}]


def test_the_page_runs_and_loads_nothing_and_escapes_explanations() -> None:
    """An explanation quotes a report and may hold markup; the page names it as patient data."""
    page = summary_page(SUMMARY)
    read = _Page(page)
    assert not {"script", "link", "img", "iframe", "b", "form"} & set(read.tags)
    assert all(link.startswith("#") for link in read.links)
    assert "url(" not in page
    assert "default-src 'none'" in page
    assert "&lt;b&gt;large" in page
    assert "\x1b" not in page
    assert "treat it as patient data" in page
    assert "<code>green|model:m-7b|prompt:green@1:0|reader:strict</code>" in page
    assert "Signature" not in summary_page(NOTHING)


def test_the_plot_has_a_dot_for_each_explanation_inside_its_frame() -> None:
    """The numbered dots, which stand for the category, are drawn last and so lie on top."""
    [drawing] = re.findall(r'<svg class="plot".*?</svg>', summary_page(SUMMARY), re.DOTALL)
    svg = ET.fromstring(drawing)  # noqa: S314 - the page is ours
    _, _, width, height = map(float, svg.attrib["viewBox"].split())
    dots = svg.findall("circle")
    assert len(dots) == 3
    for dot in dots:
        x, y, radius = (float(dot.attrib[name]) for name in ("cx", "cy", "r"))
        assert radius <= x <= width - radius
        assert radius <= y <= height - radius
    assert [text.text for text in svg.findall("text")] == ["2", "1"]
    assert [dot.attrib["class"] for dot in dots] == ["cluster-1", "cluster-0 chosen", "cluster-0 chosen"]
    titles = [title.text or "" for title in svg.iter("title")]
    assert titles[0] == "a mass (1 error)"
    assert titles[2].endswith("(3 errors)")


def test_numbers_in_the_plot_do_not_hide_one_another() -> None:
    """Explanations that mean the same stand at the same place, in a corner even."""
    for place in ((0.0, 0.0), (0.5, 0.5), (1.0, 0.3)):
        alike = tuple(evolve(SENTENCES[0], text=text, place=place) for text in ("one", "two", "three"))
        page = summary_page(evolve(SUMMARY, categories=(evolve(FALSE, sentences=alike, clusters=1),)))
        spots = [(float(x), float(y)) for x, y in re.findall(r'<text x="([\d.]+)" y="([\d.]+)"', page)]
        assert len(spots) == 3
        assert all(dist(*pair) >= 16 for pair in combinations(spots, 2))
        assert all(13 <= x <= 320 - 13 and 13 <= y <= 240 - 13 for x, y in spots)
