"""The page of a pair as two systems wrote it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from overread.infrastructure.views.web.pair_page import pair_page
from overread.studies.infrastructure.views.compared_pages import ComparedSystem, compared_page, page_name

from . import build


class Read(HTMLParser):
    """What a page holds: ids, what leads to them, tags and text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.targets: set[str] = set()
        self.tags: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            if name in ("href", "aria-labelledby"):
                self.targets.add((value or "").removeprefix("#"))

    def handle_data(self, data: str) -> None:
        self.text += data


def page(*names: str) -> str:
    return compared_page([ComparedSystem(name, build.pair(), build.results()) for name in names], build.finding_name)


def test_each_system_has_its_page_whole() -> None:
    """All that the page of the pair says of each system is there, without frames, which print would cut."""
    alone = Read(pair_page(build.pair(), build.results(), build.finding_name))
    found = Read(page("first", "second"))
    assert {"iframe", "script", "img", "link"}.isdisjoint(found.tags)
    assert found.tags.count("tr") == 2 * alone.tags.count("tr") > 0
    said = alone.text.partition("A large right pleural effusion")[2]
    assert len(said) > 500
    assert found.text.count(said.strip()[:200]) == 2
    assert found.tags.count("body") == 1


def test_links_stay_on_their_side() -> None:
    """No id is there twice, and each link leads to one of its own side."""
    html = page("first", "second")
    found = Read(html)
    assert len(set(found.ids)) == len(found.ids) > 10
    assert found.targets <= set(found.ids)
    rings = re.findall(r"^(\S+):has\((.*?)\)", html, flags=re.MULTILINE)
    assert {whole for whole, _ in rings} == {"#side1", "#side2"}
    for whole, pointed in rings:
        assert set(re.findall(r"#side\d", pointed)) == {whole}


def test_hostile_names_stay_text() -> None:
    """The name of a system, or a report, is no markup."""
    found = Read(page("</h2><img src=x></style></body>", "b"))
    assert not {"script", "img"} & set(found.tags)
    assert found.tags.count("section") == Read(page("a", "b")).tags.count("section")


def test_nothing_is_loaded() -> None:
    """The policy of the page allows nothing but its own style."""
    html = page("first")
    assert "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\"" in html
    assert not re.search(r"url\(|@import|https?://", html)


@pytest.mark.parametrize("name", ["a/b", "../../etc/passwd", "", "é", "x" * 200, "con: *?"])
def test_any_id_makes_a_name_of_a_file(name: str) -> None:
    """Ids come from users' data: none may lead out of the folder or be too long for a file system."""
    made = page_name(name)
    assert made.isascii()
    assert "/" not in made
    assert not made.startswith(".")
    assert len(made) < 100


def test_ids_that_look_alike_have_pages_of_their_own() -> None:
    """Ids that differ only in signs a file name cannot hold do not overwrite one another's pages."""
    assert len({page_name(name) for name in ("a/b", "a-b", "a b", "a--b")}) == 4
