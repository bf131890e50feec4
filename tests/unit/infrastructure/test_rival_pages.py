"""The page of a pair as two systems wrote it."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

from overread.infrastructure.web.rival_pages import page_name, rival_page


class Frames(HTMLParser):
    """The pages inside a page, and every tag of it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.pages: list[str] = []
        self.tags: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        values = dict(attrs)
        if tag == "iframe":
            assert "sandbox" in values
            self.pages.append(values["srcdoc"] or "")


def test_each_system_has_its_page_whole() -> None:
    inner = '<!DOCTYPE html><p title="x">"one" & <b>two</b></p>'
    found = Frames(rival_page("p1", [("first", inner), ("second", "<p>2</p>")]))
    assert found.pages == [inner, "<p>2</p>"]
    assert "b" not in found.tags


def test_hostile_names_stay_text() -> None:
    found = Frames(rival_page("<script>1</script>", [("</h2><img src=x>", "<p>")]))
    assert not {"script", "img"} & set(found.tags)


def test_nothing_is_loaded() -> None:
    page = rival_page("p1", [("first", "<p>")])
    assert "default-src 'none'" in page
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize("name", ["a/b", "../../etc/passwd", "", "é", "x" * 200, "con: *?"])
def test_any_id_makes_a_name_of_a_file(name: str) -> None:
    made = page_name(name)
    assert made.isascii()
    assert "/" not in made
    assert not made.startswith(".")
    assert len(made) < 100


def test_ids_that_look_alike_have_pages_of_their_own() -> None:
    assert len({page_name(name) for name in ("a/b", "a-b", "a b", "a--b")}) == 4
