"""The words of a page: what a reader would see of it, line by line."""

from __future__ import annotations

import html
import re
from collections.abc import Generator
from typing import Final

from attrs import frozen

from overread.hospital.infrastructure.exchange.documents._tidying import tidy_lines
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["plain"]

_LONGEST: Final = 512 * 1024
_LONGEST_TAG: Final = 8 * 1024
_HIDDEN: Final = frozenset({"head", "template", "title"})
_STRUCK: Final = frozenset({"del", "s", "strike"})
"""Words that are struck out, and not meant any more."""

_ENDS: Final = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}
_CDATA: Final = "<![CDATA["
_DECLARED: Final = frozenset("!?")
_BLOCKS: Final = frozenset(
    {"address", "article", "blockquote", "br", "dd", "div", "dl", "dt", "footer", "h1", "h2", "h3", "h4", "h5", "h6"}
    | {"header", "hr", "li", "main", "ol", "p", "pre", "section", "table", "tbody", "tr", "ul"}
)
_CELLS: Final = frozenset({"td", "th"})
_WHITE: Final = re.compile(r"\s+")
_NAMED: Final = re.compile("</?[A-Za-z]")
_TAG: Final = re.compile(r"""<(/?)([A-Za-z][^\s/>]*+)(?:[^>"']++|"[^"]*+"|'[^']*+')*+>""")
_SLOPPY_TAG: Final = re.compile(r"<(/?)([A-Za-z][^\s/>]*+)[^>]*+>")
"""A tag with an unpaired quote."""


def plain(page: str) -> str:
    r"""The text of HTML or XHTML: a line a block, the cells of a row apart, nothing of scripts and styles.

    Words that are struck out are left out, too: whoever sees the page does not read them as said.

    Nothing is run, fetched or expanded: entities are HTML's own. The time it takes grows with the page's length and no
    faster, whatever stands in it, which Python's own parser of HTML does not promise.

    Raises:
        RefusedMessageError: for a page that is too long, or in which something does not come to an end: what follows it
            would be lost.

    >>> plain("<p>No &lt;5 mm nodule.</p><script>x()</script><p>Clear<br/>lungs.</p>")
    'No <5 mm nodule.\n\nClear\nlungs.'
    """
    if len(page) > _LONGEST:
        raise RefusedMessageError("too-large", f"a page may have at most {_LONGEST} characters; send plain text")
    hidden, struck, preformatted, pieces = 0, 0, 0, []
    for token in _tokens(page):
        if isinstance(token, str):
            pieces += [] if hidden or struck else [token if preformatted else _WHITE.sub(" ", token)]
            continue
        hidden = max(hidden + token.step * (token.name in _HIDDEN), 0)
        struck = max(struck + token.step * (token.name in _STRUCK), 0)
        preformatted = max(preformatted + token.step * (token.name == "pre"), 0)
        pieces.append("\n" if token.name in _BLOCKS else " " if token.name in _CELLS else "")
    if struck:
        raise _endless()
    return tidy_lines("".join(pieces))


@frozen
class _Tag:
    """A tag; ``step`` is 1 where it begins something, -1 where it ends it, 0 for both at once."""

    name: str
    step: int


def _tokens(page: str) -> Generator[str | _Tag]:
    """The tags of a page, and the text between them."""
    at = 0
    while at < len(page):
        start = page.find("<", at)
        end = len(page) if start < 0 else start
        if end > at:
            yield _unescape(page[at:end])
        at = end
        if start >= 0:
            at = yield from _read_markup(page, start)


def _read_markup(page: str, start: int) -> Generator[str | _Tag, None, int]:
    """Yield what begins with "<"; return where it ends."""
    if page.startswith("<!--", start):
        return _after("-->", page, start)
    if page.startswith(_CDATA, start):
        end = _after("]]>", page, start)
        yield page[start + len(_CDATA) : end - len("]]>")]
        return end
    if page[start + 1 : start + 2] in _DECLARED:
        return _after(">", page, start)
    if not _NAMED.match(page, start):
        yield "<"
        return start + 1
    tag = _TAG.match(page, start, start + _LONGEST_TAG) or _SLOPPY_TAG.match(page, start)
    if tag is None:
        raise _endless()
    name, is_both = tag[2].lower(), tag[0].endswith("/>")
    if name in _ENDS and not tag[1] and not is_both:
        ending = _ENDS[name].search(page, tag.end())
        if ending is None:
            raise _endless()
        return ending.start()
    yield _Tag(name, 0 if is_both or name == "br" else -1 if tag[1] else 1)
    return tag.end()


def _after(ending: str, page: str, start: int) -> int:
    place = page.find(ending, start)
    if place < 0:
        raise _endless()
    return place + len(ending)


def _endless() -> RefusedMessageError:
    return RefusedMessageError("bad-html", "a tag or comment in the page is not closed")


def _unescape(data: str) -> str:
    try:
        return html.unescape(data)
    except ValueError:  # a number of thousands of digits
        raise RefusedMessageError("bad-html", "a numeric character reference is not valid") from None
