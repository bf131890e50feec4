"""The words of a page: what a reader would see of it, line by line."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

__all__ = ["plain"]

_HIDDEN: Final = frozenset({"head", "script", "style", "template", "title"})
_BLOCKS: Final = frozenset(
    {"address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "footer", "h1", "h2", "h3", "h4", "h5", "h6"}
    | {"header", "hr", "li", "main", "ol", "p", "pre", "section", "table", "tbody", "tr", "ul"}
)
_CELLS: Final = frozenset({"td", "th"})
_SPACE: Final = re.compile(r"[^\S\n]+")
_WHITE: Final = re.compile(r"\s+")


def plain(page: str) -> str:
    r"""The text of HTML or XHTML: a line a block, the cells of a row apart, nothing of scripts and styles.

    Nothing is run, fetched or expanded: entities are HTML's own.

    >>> plain("<p>No &lt;5 mm nodule.</p><script>x()</script><p>Clear<br/>lungs.</p>")
    'No <5 mm nodule.\n\nClear\nlungs.'
    """
    reader = _Words()
    reader.feed(page)
    reader.close()
    lines = [_SPACE.sub(" ", line).strip() for line in "".join(reader.found).split("\n")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


class _Words(HTMLParser):
    """Collects what is shown. Hidden elements may stand in each other; the first that is closed too often ends none."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self._hidden = 0
        self._kept = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Hides what stands in some elements; starts a line with others."""
        del attrs
        self._hidden += tag in _HIDDEN
        self._kept += tag == "pre"
        self._break(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """An element without content hides nothing."""
        del attrs
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        """Ends what the start tag began."""
        self._hidden = max(self._hidden - (tag in _HIDDEN), 0)
        self._kept = max(self._kept - (tag == "pre"), 0)
        if tag != "br":
            self._break(tag)

    def handle_data(self, data: str) -> None:
        """Words; line breaks count where they are kept as written."""
        if not self._hidden:
            self.found.append(data if self._kept else _WHITE.sub(" ", data))

    def _break(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.found.append("\n")
        elif tag in _CELLS:
            self.found.append(" ")
