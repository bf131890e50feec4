"""Pages read back: their elements, style sheets and contrasts."""

from __future__ import annotations

from collections import Counter
from html.parser import HTMLParser
from typing import Final

__all__ = ["Markup", "contrast"]

_VOID: Final = frozenset({"meta", "br"})


class Markup(HTMLParser):
    """The elements of a page: tags must nest, ids be unique, and links within it lead somewhere.

    Attributes:
        elements: tag and attributes of each, in order.
        headings: the level of each heading, in order.
        text: what is shown, without style sheets.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.headings: list[int] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open, self._open
        ids = Counter(self.values("id"))
        assert max(ids.values(), default=1) == 1, [name for name, count in ids.items() if count > 1]
        assert {href[1:] for href in self.values("href") if href.startswith("#")} <= set(ids)
        assert {name for names in self.values("aria-labelledby") for name in names.split()} <= set(ids)

    def values(self, attribute: str) -> list[str]:
        """What an attribute is, wherever it is there."""
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]

    def of(self, tag: str) -> list[dict[str, str]]:
        """The attributes of every element of a tag."""
        return [attributes for name, attributes in self.elements if name == tag]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdecimal():
            self.headings.append(int(tag[1]))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag, tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data


def contrast(one: str, other: str) -> float:
    """Contrast of two sRGB colours, 1 to 21 (WCAG 2.2)."""
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
