"""What every page owes to those who read it otherwise: contrast, headings, names, and nothing by colour alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final

import pytest
from jinja2 import DictLoader

from overread.domain.results.result import EvaluationResult
from overread.infrastructure.views.web.marking import TONES
from overread.infrastructure.views.web.pair_page import Surroundings, pair_fragment, pair_page, pair_style
from overread.infrastructure.views.web.pair_view import pair_view
from overread.infrastructure.views.web.palette import PALETTE, SERIES
from overread.infrastructure.views.web.templating import build_environment, template
from overread.studies.infrastructure.views.compared_pages import ComparedSystem, compared_page

from . import build
from .reading import Markup, contrast

TEXT: Final = 4.5
"""Contrast of words with what they stand on (WCAG 2.2, criterion 1.4.3)."""

GRAPHICS: Final = 3.0
"""Contrast of marks and lines that mean something (criterion 1.4.11)."""

RESULTS: Final[dict[str, Callable[[], Mapping[str, EvaluationResult]]]] = {
    "all": build.results,
    "weighed": lambda: {result.metric: result for result in build.weighed()},
    "ratescore": lambda: {"ratescore": build.ratescore()},
    "crepe": lambda: {"crepe": build.crepe(unseen=9)},
    "green": lambda: {"green": build.green()},
    "refused": lambda: {"green": build.refused()},
    "nothing": dict,
}


def pages() -> dict[str, str]:
    """A page of each kind of evidence, and of two systems."""
    made = {name: pair_page(build.pair(), results(), build.finding_name) for name, results in RESULTS.items()}
    systems = [ComparedSystem(name, build.pair(), build.results()) for name in ("first", "second")]
    return {**made, "compared": compared_page(systems, build.finding_name)}


PAGES: Final = pages()


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("ink", "grounds"),
    [
        ("ink", ["page", "card", *(f"{tone}-bg" for tone in TONES), "heat-low", "heat-middle", "heat-high"]),
        ("soft", ["page", "card"]),
        ("link", ["page", "card"]),
        *((tone, ["page", "card", f"{tone}-bg"]) for tone in TONES),
    ],
)
def test_words_can_be_read(ink: str, grounds: list[str], theme: int) -> None:
    """4.5 to 1 wherever the style sheet lets words stand, on light pages and on dark ones."""
    low = {ground: contrast(PALETTE[ink][theme], PALETTE[ground][theme]) for ground in grounds}
    assert {ground: value for ground, value in low.items() if value < TEXT} == {}


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_marks_can_be_seen(theme: int) -> None:
    """3 to 1 for rules under words, rings, edges and the series of plots."""
    names = ["focus", "match", *TONES, *(f"risk-{level}" for level in range(5))]
    seen = {name: contrast(PALETTE[name][theme], PALETTE["card"][theme]) for name in names}
    seen |= {f"series {i}": contrast(pair[theme], PALETTE["card"][theme]) for i, pair in enumerate(SERIES)}
    assert {name: value for name, value in seen.items() if value < GRAPHICS} == {}


def test_the_style_sheet_has_these_colours_and_no_others() -> None:
    """What is tested is what is shown: every colour of a pair's page comes from the palette."""
    named = {colour for pair in PALETTE.values() for colour in pair} | {"#000", "#fff"}
    assert set(re.findall(r"#[0-9a-f]{3,8}\b", pair_style())) <= named
    used = set(re.findall(r"var\(--([\w-]+)\)", pair_style()))
    assert used <= set(PALETTE)


def test_no_severity_is_told_by_its_colour_alone() -> None:
    """Each has a rule of another kind under its words, and its name on its badge."""
    style = pair_style()
    rules = {tone: re.search(rf"\.orp \.d\.{tone} {{[^}}]*border-bottom: [\d.]+px (\w+)", style) for tone in TONES}
    kinds = [found[1] for found in rules.values() if found]
    assert sorted(kinds) == ["dashed", "dotted", "double", "solid"]
    for severity in ("critical", "significant", "insignificant"):
        assert f">{severity}</span>" in PAGES["all"]


@pytest.mark.parametrize("name", PAGES)
def test_headings_go_down_step_by_step(name: str) -> None:
    """One heading of the first level, none skipped: who listens to a page moves by them."""
    levels = Markup(PAGES[name]).headings
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_has_a_language_a_title_and_one_main_part(name: str) -> None:
    """A screen reader begins with these."""
    page = Markup(PAGES[name])
    assert page.of("html")[0]["lang"] == "en"
    assert len(page.of("main")) == 1
    assert "<title>overread: " in PAGES[name].partition("</head>")[0]


@pytest.mark.parametrize("name", PAGES)
def test_pages_have_no_script_and_load_nothing(name: str) -> None:
    """No element fetches, no attribute runs, and the policy would forbid both."""
    page = Markup(PAGES[name])
    assert not {"script", "img", "link", "iframe", "object", "embed", "form"} & {tag for tag, _ in page.elements}
    assert not [attribute for _, attributes in page.elements for attribute in attributes if attribute.startswith("on")]
    assert all(href.startswith("#") for href in page.values("href"))
    assert not re.search(r"url\(|@import|https?:", PAGES[name])
    assert "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'" in PAGES[name]


@pytest.mark.parametrize("name", PAGES)
def test_what_can_be_pressed_can_be_reached_by_keys_and_has_a_name(name: str) -> None:
    """Links have words or a label, pictures a text; a folded part is opened by its summary."""
    page = Markup(PAGES[name])
    assert all(link.get("href") for link in page.of("a") if "id" not in link)
    for svg in page.of("svg"):
        assert svg.get("aria-label") or svg.get("aria-hidden") == "true"
    assert len(page.of("details")) == len(page.of("summary"))
    assert "tabindex" not in "".join(f"{link}" for link in page.of("a"))


@pytest.mark.parametrize("name", PAGES)
def test_pages_stay_small(name: str) -> None:
    """A page with a reading of two short reports is a fraction of what a mail may carry."""
    assert len(PAGES[name].encode()) < 150_000


def test_a_fragment_can_stand_in_another_page() -> None:
    """Its rules hold for its own element alone, its ids are its own, and it is no page."""
    one = pair_fragment(build.pair(), build.results(), build.finding_name)
    other = pair_fragment(build.pair(), {"green": build.green()}, build.finding_name)
    assert one == pair_fragment(build.pair(), build.results(), build.finding_name)
    assert not re.search(r"<(html|head|body|main|meta)\b", one)
    Markup(one + other)
    sheet = re.sub(r"@(media|supports|container)[^{]*{|@page[^}]*}", "", pair_style())
    for selectors in re.findall(r"(?:^|})\s*([^{}@]+){", sheet):
        assert all(".orp" in part for part in re.split(r",(?![^(]*\))", selectors)), selectors
    rings = re.findall(r"^(#\S+):has", one, re.MULTILINE)
    assert rings
    assert len(set(rings)) == 1


def test_a_fragment_leaves_its_style_to_others_where_it_is_told_to() -> None:
    """Several on one page share a style sheet."""
    bare = pair_fragment(build.pair(), build.results(), build.finding_name, styled=False, part="one", title="System A")
    assert ".orp .card" not in bare
    assert "System A</h2>" in bare
    assert 'id="one-d1"' in bare


@pytest.mark.parametrize("name", RESULTS)
def test_a_fragment_can_stand_under_a_policy_without_inline_styles(name: str) -> None:
    """What is drawn to measure stands in one style element with the nonce of the page; no element has a style."""
    around = Surroundings(nonce="n0nce")
    html = pair_fragment(build.pair(), RESULTS[name](), build.finding_name, styled=False, around=around)
    page = Markup(html)
    assert [style.get("nonce") for style in page.of("style")] == ["n0nce"]
    assert not [attributes for _, attributes in page.elements if "style" in attributes]


def test_a_page_adds_to_the_pair_it_shows_what_is_its_own() -> None:
    """Its template fills the blocks under each entry and under the list, and the reports bear the names it gives."""
    own = (
        "{% extends 'pair_body.html.j2' %}"
        "{% block head %}<p>asked first</p>{% endblock %}"
        "{% block beneath %}<p>asked {{ entry.metric }} {{ entry.index }}</p>{% endblock %}"
        "{% block below %}<p>asked at the end</p>{% endblock %}"
    )
    around = Surroundings(
        part="own", eyebrow="Preliminary against final", reference="Final report", candidate="Preliminary report"
    )
    results = {"green": build.green()}
    view = pair_view(build.pair(), results, build.finding_name, around=around)
    html = build_environment(DictLoader({"own": own})).get_template("own").render(pair=view)
    page = Markup(html)
    listed = range(len(results["green"].discrepancies))
    assert sorted(re.findall(r"asked green (\d+)", page.text)) == sorted(map(str, listed))
    assert page.text.index("asked first") < page.text.index("asked green 0") < page.text.index("asked at the end")
    assert 'class="screen and-below"' in html
    assert "Preliminary report" in page.text
    assert "Reference report" not in page.text


def test_a_pair_whose_text_is_not_at_hand_shows_what_was_found_and_quotes_nothing() -> None:
    """Discrepancies with their reasons, scores and weights; no words of a report, and no link to where they stood."""
    results = {**build.results(), "green": build.green()}
    view = pair_view(None, results, build.finding_name, title="Pair 7", around=Surroundings(part="pair"))
    html = template("pair_body.html.j2").render(pair=view)
    page = Markup(html)
    for words in ("Pair 7", "Wrong severity: pleural effusion", "the degree differs by two steps", "(A) false finding"):
        assert words in page.text
    for words in ("large right", "Qwxyz", "nodule lies", "reports</b> a pneumothorax", "full text of both reports"):
        assert words not in html
    assert page.values("href") == []


def test_a_pair_without_text_and_without_discrepancies_says_so() -> None:
    """Nothing claims that no metric looked for any: that is not known of a pair that was never scored."""
    view = pair_view(None, {}, build.finding_name, title="Pair 7", around=Surroundings(part="pair"))
    page = Markup(template("pair_body.html.j2").render(pair=view))
    assert "None is known." in page.text
    assert "No metric" not in page.text
