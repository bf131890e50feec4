"""The text of a PDF: its pages, read in a process apart, as one text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from overread.extras import require
from overread.forking import lock_for_forks
from overread.hospital.infrastructure.exchange.documents._tidying import tidy_lines
from overread.hospital.infrastructure.exchange.documents.limits import DocumentLimits
from overread.hospital.infrastructure.exchange.refusing import RefusedMessageError

__all__ = ["is_pdf", "joined_pages", "pdf_text"]

_MARK: Final = b"%PDF-"
_HEAD: Final = 1024
"""Bytes within which the mark stands (ISO 32000, annex H of its first edition)."""

_CHILD: Final = Path(__file__).with_name("_pdf_child.py")
_WAIT: Final = 3
"""Time that is waited for the process, in times of what it may compute: the machine may be busy."""

_ONE_AT_A_TIME: Final = lock_for_forks()
"""Bounds the memory of all connections together."""

_SCANNED: Final = "the PDF has no text layer on some page: send the text, or run character recognition first"
_REFUSALS: Final = {
    "encrypted": ("encrypted-document", "the PDF is encrypted: send it without a password"),
    "image": ("scanned-document", _SCANNED),
    "unmapped": ("scanned-document", "the fonts of the PDF do not tell which letters they show: send the text"),
    "turned": ("bad-pdf", "much of the PDF's text is turned: send its pages upright, or the text"),
    "form": ("unread-part", "the PDF is a form, or has notes on top of its pages: send it flattened, or the text"),
    "too-much": ("too-large", "the PDF takes too much time or memory: send the text"),
    "damaged": ("bad-pdf", "the PDF is damaged: export it again, or send the text"),
}
_NUMBER: Final = re.compile(
    r"(?i)\b(?:page|seite|pag\.?|p\.)\s*+:?\s*+\d++(?:\s*+(?:of|von|de|/)\s*+\d++)?|\b\d++ of \d++\b"
)
_BARE_NUMBER: Final = re.compile(r"[-–\s]*\d{1,3}(?:\s*/\s*\d{1,3})?[-–\s]*")
_BROKEN: Final = re.compile(r"(?<!\w)(\w+)([-\u00ad\u2010])[^\S\n]*\n[^\S\n]*(\w+)")
_LISTED: Final = """
    above age air below blood bone breath bright contrast cross dark dose dual end fat field first fluid focal follow
    free full gas ground half high ill large left like long low lower medium mid mild mixed moderate near new non off
    one open out part rim right ring round second self short side small soft space spin T1 T2 thick thin third three
    through tree triple two under up upper wall water wedge weight well
"""
_COMPOUNDS: Final = frozenset(_LISTED.split())
"""Words after which a hyphen at the end of a line belongs to the word; ours."""

_VOWELS: Final = frozenset("aeiou")


def is_pdf(data: bytes) -> bool:
    """Return whether bytes open as a PDF."""
    return _MARK in data[:_HEAD]


def pdf_text(data: bytes, limits: DocumentLimits) -> str:
    """The text of a PDF: its rows as lines, page after page.

    What repeats at the head or the foot of every page stands once, page numbers not at all. Words that were broken at
    the end of a line are whole again.

    Raises:
        RefusedMessageError: for a PDF that is encrypted, damaged, a form, or has a page without text.
        MissingDependencyError: if what reads it is not installed.
    """
    if not is_pdf(data):
        raise RefusedMessageError("bad-pdf", "the document is not a PDF, although it is said to be one")
    outcome = _read_apart(data, limits)
    code = str(outcome.get("code", ""))
    if code == "too-many-pages":
        raise RefusedMessageError("too-large", f"a PDF may have at most {limits.most_pages} pages; send the text")
    if code:
        raise RefusedMessageError(*_REFUSALS[code])
    text = joined_pages(outcome["pages"])
    if not text:
        raise RefusedMessageError(*_REFUSALS["image"])
    return text


def _read_apart(data: bytes, limits: DocumentLimits) -> dict[str, Any]:
    """Outcome of the process that reads a PDF; one that was ended took too much."""
    require("reading a PDF", "serve", "pdfminer")
    bounds = (limits.most_pages, limits.most_characters, limits.seconds, limits.memory)
    command = [sys.executable, "-I", "-B", str(_CHILD), *map(str, bounds)]
    try:
        with _ONE_AT_A_TIME:
            child = subprocess.run(  # noqa: S603 - our own script
                command,
                input=data,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                timeout=limits.seconds * _WAIT,
                env={},
                check=True,
            )
        outcome: dict[str, Any] = json.loads(child.stdout)
    except (subprocess.SubprocessError, ValueError):
        raise RefusedMessageError(*_REFUSALS["too-much"]) from None
    return outcome


def joined_pages(pages: Sequence[Sequence[str]]) -> str:
    r"""Pages as one text, without what their layout repeats or breaks.

    >>> joined_pages([["North Hospital", "No pneumo-", "thorax.", "Page 1 of 2"], ["North Hospital", "End.", "2 of 2"]])
    'North Hospital\nNo pneumothorax.\nEnd.'
    """
    bare = [_without_number(page) for page in pages]
    heads, feet = _shared(bare), _shared([page[::-1] for page in bare])
    if len(bare) > 1:
        heads = min(heads, *(len(page) for page in bare))
        feet = min(feet, *(len(page) - heads for page in bare))
    last = len(bare) - 1
    kept = [
        page[heads if place else 0 : len(page) - feet if place < last else len(page)] for place, page in enumerate(bare)
    ]
    return _mended(tidy_lines("\n".join(line for page in kept for line in page)))


def _without_number(page: Sequence[str]) -> list[str]:
    """The lines of a page, without that of its number at its head or foot."""
    lines = list(page)
    for end in (0, -1):
        while lines and not lines[end].strip():
            del lines[end]
        if lines and (_BARE_NUMBER.fullmatch(lines[end]) or not _NUMBER.sub("", lines[end]).strip(" -|/")):
            del lines[end]
            while lines and not lines[end].strip():
                del lines[end]
    return lines


def _shared(pages: Sequence[Sequence[str]]) -> int:
    """Number of lines with which every page begins, but for its number; 0 for one page."""
    if len(pages) < 2:  # noqa: PLR2004 - nothing is shared with nobody
        return 0
    count = 0
    for rows in zip(*pages, strict=False):
        if len({_NUMBER.sub("#", row) for row in rows}) > 1:
            break
        count += 1
    return count


def _mended(text: str) -> str:
    """A text in which no word is broken at the end of a line."""
    words = set(re.findall(r"[^\W\d_]+", text.lower()))

    def mend(broken: re.Match[str]) -> str:
        first, hyphen, rest = broken.groups()
        if hyphen == "\u00ad" or (first + rest).lower() in words:
            return first + rest
        return f"{first}-{rest}" if _is_compound(first, rest) else first + rest

    return _BROKEN.sub(mend, text)


def _is_compound(first: str, rest: str) -> bool:
    """Return whether two parts of a word have a hyphen between them in the middle of a line, too."""
    is_same_vowel = first[-1] in _VOWELS and rest[:1] == first[-1]
    return not rest[:1].islower() or any(map(str.isdigit, first)) or first.lower() in _COMPOUNDS or is_same_vowel
