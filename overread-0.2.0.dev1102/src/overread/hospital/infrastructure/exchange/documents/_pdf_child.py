"""The lines of a PDF, read in a process of its own: run as a script, it imports nothing of ours.

A PDF is a program for a page, and a few bytes of it can ask for any amount of time and memory. The process limits both
for itself before it reads. It gets the document at its input, and writes what came of it as JSON.
"""

from __future__ import annotations

import io
import json
import resource
import sys
from collections.abc import Iterable, Iterator
from typing import Any, Final

from attrs import define, field

__all__ = ["main"]

_LIGATURES: Final = {0xFB00: "ff", 0xFB01: "fi", 0xFB02: "fl", 0xFB03: "ffi", 0xFB04: "ffl", 0xFB05: "st", 0xFB06: "st"}
_UNMAPPED: Final = "(cid:"
_GAP: Final = 0.9
"""Distance between two rows, in heights of a line, from which on there is an empty line between them; ours."""

_MOST_TURNED: Final = 0.3
"""Share of letters that may stand upright or askew, as those of a watermark do; ours."""

_FILES: Final = 64


class _UnreadableError(Exception):
    """A PDF of which a part cannot be read; its argument is a code."""


@define(repr=False)
class _Line:
    bottom: float
    top: float
    left: float
    text: str


@define(repr=False)
class _Row:
    bottom: float
    top: float
    lines: list[_Line] = field(factory=list)

    def holds(self, line: _Line) -> bool:
        """Return whether a line stands beside those of the row."""
        shared = min(self.top, line.top) - max(self.bottom, line.bottom)
        return shared > min(self.top - self.bottom, line.top - line.bottom) / 2


def main(most_pages: int, most_characters: int, seconds: int, memory: int) -> None:
    """Read the PDF at the input within limits, and write its pages, or a code of why not."""
    for kind, limit in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, _FILES),
    ):
        resource.setrlimit(kind, (limit, limit))
    sys.stdout.write(json.dumps(_outcome(sys.stdin.buffer.read(), most_pages, most_characters)))


def _outcome(data: bytes, most_pages: int, most_characters: int) -> dict[str, Any]:
    from pdfminer.pdfdocument import (  # noqa: PLC0415 - after the limits
        PDFEncryptionError,
        PDFPasswordIncorrect,
    )

    try:
        return {"pages": _pages(data, most_pages, most_characters)}
    except _UnreadableError as error:
        return {"code": str(error)}
    except (PDFPasswordIncorrect, PDFEncryptionError):
        return {"code": "encrypted"}
    except MemoryError:
        return {"code": "too-much"}
    except Exception:  # noqa: BLE001 - whatever it was, it is the document's
        return {"code": "damaged"}


def _pages(data: bytes, most_pages: int, most_characters: int) -> list[list[str]]:
    from pdfminer.converter import PDFPageAggregator  # noqa: PLC0415 - as above
    from pdfminer.layout import LAParams  # noqa: PLC0415 - as above
    from pdfminer.pdfdocument import PDFDocument  # noqa: PLC0415 - as above
    from pdfminer.pdfinterp import PDFPageInterpreter, PDFResourceManager  # noqa: PLC0415 - as above
    from pdfminer.pdfpage import PDFPage  # noqa: PLC0415 - as above
    from pdfminer.pdfparser import PDFParser  # noqa: PLC0415 - as above

    document = PDFDocument(PDFParser(io.BytesIO(data)))
    _check_form(document)
    resources = PDFResourceManager(caching=False)
    device = PDFPageAggregator(resources, laparams=LAParams(boxes_flow=None, all_texts=True))
    interpreter = PDFPageInterpreter(resources, device)
    pages, size = list[list[str]](), 0
    for page in PDFPage.create_pages(document):
        if len(pages) >= most_pages:
            raise _UnreadableError("too-many-pages")
        _check_annotations(page)
        interpreter.process_page(page)
        pages.append(_lines_of(device.get_result()))
        size += sum(map(len, pages[-1]))
        if size > most_characters:
            raise _UnreadableError("too-much")
    return pages


def _check_form(document: Any) -> None:
    """Refuse a form that was filled in: what stands in its fields is no text of a page."""
    from pdfminer.pdftypes import resolve1  # noqa: PLC0415 - as above

    form = resolve1(document.catalog.get("AcroForm"))
    fields = resolve1(form.get("Fields")) if isinstance(form, dict) else None
    if any(isinstance(entry := resolve1(one), dict) and (entry.get("V") or entry.get("Kids")) for one in fields or ()):
        raise _UnreadableError("form")


def _check_annotations(page: Any) -> None:
    from pdfminer.pdftypes import resolve1  # noqa: PLC0415 - as above

    for one in resolve1(page.annots) or ():
        annotation = resolve1(one)
        if isinstance(annotation, dict) and "FreeText" in str(annotation.get("Subtype")):
            raise _UnreadableError("form")


def _lines_of(page: Any) -> list[str]:
    """The rows of a page from its top to its bottom, with an empty one where there is a gap."""
    lines, images, letters, turned = _parts(page)
    if turned > letters * _MOST_TURNED:
        raise _UnreadableError("turned")
    if not lines and images:
        raise _UnreadableError("image")
    rows = list[_Row]()
    for line in sorted(lines, key=lambda line: -(line.bottom + line.top)):
        if not rows or not rows[-1].holds(line):
            rows.append(_Row(line.bottom, line.top))
        rows[-1].lines.append(line)
    shown, before = list[str](), None
    for row in rows:
        if before is not None and before - row.top > (row.top - row.bottom) * _GAP:
            shown.append("")
        shown.append("  ".join(line.text for line in sorted(row.lines, key=lambda line: line.left)))
        before = row.bottom
    return shown


def _parts(page: Any) -> tuple[list[_Line], int, int, int]:
    """Lines that run from left to right; the numbers of images, of letters, and of those letters that do not."""
    from pdfminer.layout import LTImage, LTTextLine  # noqa: PLC0415 - as above

    lines, images, letters, turned = list[_Line](), 0, 0, 0
    for item in _leaves(page, LTTextLine):
        if isinstance(item, LTImage):
            images += 1
        elif isinstance(item, LTTextLine):
            upright = [bool(getattr(character, "upright", True)) for character in item]
            letters += len(upright)
            turned += upright.count(False)
            text = item.get_text().translate(_LIGATURES).strip()
            if _UNMAPPED in text:
                raise _UnreadableError("unmapped")
            if text and all(upright):
                lines.append(_Line(item.y0, item.y1, item.x0, text))
    return lines, images, letters, turned


def _leaves(container: Iterable[Any], whole: type) -> Iterator[Any]:
    """Items of a page, down to lines and images; without recursion, since figures may be nested at will."""
    left = [container]
    while left:
        item = left.pop()
        if isinstance(item, whole) or not hasattr(item, "__iter__"):
            yield item
        else:
            left += item


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
