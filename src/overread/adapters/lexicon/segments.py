"""Sections and sentences of a report, as character spans.

A splitter of our own: medspaCy's default, PyRuSH, takes most of the reading time and logs report text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from overread.adapters.lexicon.loader import SectionTitle
from overread.domain.report import Section, SectionRole, Span

__all__ = ["SectionSplitter", "plain", "sentences_by_section", "split_sentences"]

_ABBREVIATIONS: Final = frozenset(
    {
        "dr",
        "drs",
        "mr",
        "mrs",
        "ms",
        "prof",
        "vs",
        "approx",
        "bilat",
        "ca",
        "cf",
        "eg",
        "e.g",
        "i.e",
        "st",
        "no",
        "fig",
        "resp",
        "incl",
        "pt",
    }
)
_NUMBER_BEFORE: Final = re.compile(r"(?:^|\s)\d{1,2}$")
_BULLET: Final = re.compile(r"\s*(?:[-*•·–]\s+|\(?\d{1,2}[.)]\s+)")
_ORGAN: Final = (
    r"(?:Lungs?|Heart|Pleura|Pleural\s+spaces?|Mediastinum|Bones?|Osseous\s+structures|Soft\s+tissues|Diaphragms?"
    r"|Airways?|Hila|Vessels|Vasculature|Abdomen|Upper\s+abdomen|Lines|Tubes|Devices|Support\s+devices|Trachea"
    r"|Cardiac\s+silhouette|Cardiovascular|Cardiomediastinal\s+silhouette|Chest\s+wall|Spine|Ribs|Musculoskeletal)"
)
_END: Final = re.compile(rf"[.!?;]+(?=\s|$|[A-Z])|\n|[ \t](?={_ORGAN}(?:(?:\s+and\s+|/|,\s*)\w+)?:)")

_LONGEST_SENTENCE: Final = 1200
_SHORTEST_LAST_WORD: Final = 3
"""A full stop without a space behind it ends a sentence only after a word this long: "effusion.No pneumothorax"."""

_WRAPS: Final = range(50, 121)
_FULL_LINE: Final = 0.8
_FULL_LINES: Final = 3

_LEAST_WRAPPED: Final = 30
_WRAPPED_SHARE: Final = 0.6
_MARKS: Final = frozenset(".!?:;")

# fmt: off
_NEVER_LAST: Final = frozenset({
    "and", "or", "of", "the", "a", "an", "with", "without", "in", "at", "to", "is", "are", "no", "for", "from", "by",
    "than", "has", "have", "which", "focal", "pleural", "pulmonary", "small", "large", "mild", "moderate", "severe",
    "cardiopulmonary", "cardiomediastinal", "pericardial", "acute", "interval", "represent", "may", "likely",
})
# fmt: on
"""Words after which a sentence goes on in the next line."""


_FIELD: Final = re.compile(r"[ \t]*(?:\n[ \t]*)?[^\n]*")
_NUMBERING: Final = re.compile(r"\s*[#*_]*(?:\(?\d{1,2}[.)])?\s*")
_LINE: Final = re.compile(r"[^\n]+")
_LONGEST_FIELD: Final = 160
_DECORATION: Final = " \t*_=#~<>[](){}|:-–—"
"""Marks around banners: "*** END OF REPORT ***"."""

_HISTORIES: Final = frozenset({"indication", "history", "clinical_information"})


class SectionSplitter:
    """Finds headings. A title counts at the start of a line or sentence and before a colon, or alone on its line."""

    def __init__(self, titles: Iterable[SectionTitle]) -> None:
        self._titles = {re.sub(r"\s+", " ", t.lower()): title for title in titles for t in title.titles}
        names = "|".join(re.escape(t).replace(r"\ ", r"\s+") for t in sorted(self._titles, key=len, reverse=True))
        self._heading = re.compile(
            rf"(?:^[ \t]*[#*_]*|(?<=[.!?:;])[ \t]+|(?<=\n))(?P<title>{names})[*_]*[ \t]*(?::[*_]*|$)",
            re.IGNORECASE | re.MULTILINE,
        )
        fielded = dict.fromkeys(title for title in self._titles.values() if title.lines)
        self._lines = [(title, re.compile(line)) for title in fielded for line in title.lines]
        self._openings = [
            (title, re.compile(line)) for title in dict.fromkeys(self._titles.values()) for line in title.opening
        ]

    def split(self, text: str) -> tuple[Section, ...]:
        """The sections of a report in order; text before the first heading is a section without a name.

        Where no section would be compared, every section is: a report that is all "Examination:" was not meant to
        say nothing.
        """
        sections = [part for section in self._headed(text) for part in self._fields_apart(text, section)]
        sections = [s for s in sections if text[s.start : s.end].strip()]
        if any(s.role is SectionRole.FINDINGS for s in sections):
            return tuple(sections)
        return tuple(Section(s.name, SectionRole.FINDINGS, s.start, s.end) for s in sections)

    def _headed(self, text: str) -> list[Section]:
        """The sections under their headings."""
        matches = list(self._heading.finditer(text))
        sections = self._opened(text, matches[0].start() if matches else len(text))
        if not matches:
            return sections
        compared = [m.start() for m in matches if self._titled(m).role is SectionRole.FINDINGS]
        last_compared = max(compared, default=0)
        for match, following in zip(matches, [*(m.start() for m in matches[1:]), len(text)], strict=True):
            title = self._titled(match)
            if not compared:
                stop = _first_sentence(title, text, match.end(), following)
            else:
                stop = _told_within(title, text, match, sections[-1]) if match.start() >= last_compared else None
            if stop is not None and stop < following:
                sections.append(Section(title.name, title.role, match.end(), stop))
                sections.append(Section(sections[-2].name if compared else "", SectionRole.FINDINGS, stop, following))
            else:
                sections.extend(_body(title, text, match.end(), following))
        return sections

    def _opened(self, text: str, end: int) -> list[Section]:
        """What stands before the first heading: findings, after a line that names the examination if there is one.

        "CT chest PE protocol" asks a question and answers none. It is told by what follows, a heading, or by capitals.
        """
        line = _LINE.search(text, 0, end)
        title = line and self._opening(line.group(), is_alone=not text[line.end() : end].strip() and end < len(text))
        if not line or not title:
            return [Section("", SectionRole.FINDINGS, 0, end)]
        named = Section(title.name, title.role, line.start(), line.end())
        return [named, Section("", SectionRole.FINDINGS, line.end(), end)]

    def _opening(self, line: str, *, is_alone: bool) -> SectionTitle | None:
        bare = line.strip(_DECORATION)
        if len(bare) > _LONGEST_FIELD or not (is_alone or bare.isupper()):
            return None
        return next((title for title, pattern in self._openings if pattern.fullmatch(bare)), None)

    def _fields_apart(self, text: str, section: Section) -> Iterator[Section]:
        """A section that is compared without the lines in it that tell of the report's making."""
        start = section.start
        if section.role is SectionRole.FINDINGS:
            for line in _LINE.finditer(text, section.start, section.end):
                title = self._field(line.group())
                if title is not None:
                    yield Section(section.name, section.role, start, line.start())
                    yield Section(title.name, title.role, line.start(), line.end())
                    start = line.end()
        yield Section(section.name, section.role, start, section.end)

    def _field(self, line: str) -> SectionTitle | None:
        """The section that a line is a field of, None where it is part of the report proper."""
        bare = line.strip(_DECORATION)
        if not bare or len(bare) > _LONGEST_FIELD:
            return None
        return next((title for title, pattern in self._lines if pattern.fullmatch(bare)), None)

    def _titled(self, heading: re.Match[str]) -> SectionTitle:
        return self._titles[re.sub(r"\s+", " ", heading["title"].lower())]


def _first_sentence(title: SectionTitle, text: str, start: int, end: int) -> int | None:
    """Where a section that is not compared ends in a report without a heading of findings: with its first sentence."""
    if title.role is SectionRole.FINDINGS:
        return None
    return next((span.end for span in split_sentences(text, start, end)), None)


def _told_within(title: SectionTitle, text: str, heading: re.Match[str], before: Section) -> int | None:
    """Where a history told in the middle of a line of findings ends: with its first sentence."""
    is_named = bool(before.name) and before.role is SectionRole.FINDINGS
    opens_line = _NUMBERING.fullmatch(text, text.rfind("\n", 0, heading.start() + 1) + 1, heading.start("title"))
    if title.name not in _HISTORIES or not is_named or opens_line:
        return None
    return next((span.end for span in split_sentences(text, heading.end())), None)


def _body(title: SectionTitle, text: str, start: int, end: int) -> list[Section]:
    """The section under a heading. A section that is not compared ends at an empty line; what follows is findings.

    One of fields ends with its line; one whose heading stands alone with the next.
    """
    if title.lines and (field := _FIELD.match(text, start, end)):
        return [
            Section(title.name, title.role, start, field.end()),
            Section("", SectionRole.FINDINGS, field.end(), end),
        ]
    if title.role is not SectionRole.FINDINGS and (gap := re.search(r"\S[ \t]*\n[ \t]*\n", text[start:end])):
        middle = start + gap.end()
        return [
            Section(title.name, title.role, start, middle),
            Section("", SectionRole.FINDINGS, middle, end),
        ]
    return [Section(title.name, title.role, start, end)]


def plain(text: str) -> str:
    """The text with a byte order mark and the line ends of other systems as white space of the same length."""
    return text.replace("\ufeff", " ").replace("\r\n", " \n").replace("\r", "\n")


def split_sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Sentences of ``text[start:end]`` without bullets and surrounding space; offsets point into ``text``.

    >>> [s.of("Heart normal. No effusion") for s in split_sentences("Heart normal. No effusion")]
    ['Heart normal.', 'No effusion']
    """
    end = len(text) if end is None else end
    width = _wrap_width(text[start:end])
    spans: list[Span] = []
    begin = start
    for match in _END.finditer(text, start, end):
        if not _is_boundary(text, match, begin, end, width):
            continue
        _append(spans, text, begin, match.end())
        begin = match.end()
    _append(spans, text, begin, end)
    return spans


def _wrap_width(text: str) -> int:
    """Width at which the text's lines were wrapped, 0 where they were not: three lines or more of nearly one length."""
    lengths = [len(line) for line in text.split("\n")]
    width = max(lengths)
    return width if width in _WRAPS and sum(n >= _FULL_LINE * width for n in lengths) >= _FULL_LINES else 0


def _is_boundary(text: str, match: re.Match[str], begin: int, end: int, width: int) -> bool:
    if match.group() == "\n":
        return _line_ends_sentence(text, match.start(), begin, end, width)
    if match.group() == "?" and _asks_of_what_follows(text, match, begin, end):
        return False
    return match.group() != "." or _full_stop_ends_sentence(text, match, begin, end)


def _asks_of_what_follows(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    """Whether a question mark stands before what it doubts: "? nodule", "opacity, ? pneumonia"."""
    following = text[match.end() : end].lstrip(" \t")
    return not any(c.isalnum() for c in text[begin : match.start()]) or following[:1].islower()


def _full_stop_ends_sentence(text: str, match: re.Match[str], begin: int, end: int) -> bool:
    before = text[begin : match.start()]
    words = before.split()
    word = words[-1].lower().lstrip("(") if words else ""
    if word in _ABBREVIATIONS and not (word == "no" and text[match.end() : match.end() + 2].strip()[:1].isupper()):
        return False
    if len(word) == 1 and word.isalpha() and len(words) > 1 and text[match.start() - 1].isupper():
        return False
    glued = match.end() < end and not text[match.end()].isspace()
    if glued and (not word.isalpha() or len(word) < _SHORTEST_LAST_WORD):
        return False
    return not (_NUMBER_BEFORE.search(before) and len(words) == 1)


def _line_ends_sentence(text: str, position: int, begin: int, end: int, width: int) -> bool:
    """A line break parts sentences unless the sentence goes on: in lower case, or after a full line of wrapped text."""
    following = text[position + 1 : end]
    if not following.strip() or following[0] == "\n" or _BULLET.match(following):
        return True
    line = text[text.rfind("\n", 0, position) + 1 : position].strip()
    goes_on = line.endswith(",") or line.rpartition(" ")[2].lower() in _NEVER_LAST
    if goes_on or _is_wrapped_capitals(text, position, end):
        return False
    if following.lstrip()[0].islower():
        return width == 0 and text[begin:position].strip()[:1].islower()
    return len(line) < _FULL_LINE * width or width == 0


def _is_wrapped_capitals(text: str, position: int, end: int) -> bool:
    """Whether a break wraps a line of capitals: a long line without a mark in a paragraph that closes with one."""
    start = text.rfind("\n\n", 0, position) + 1
    close = text.find("\n\n", position, end)
    paragraph = text[start : end if close < 0 else close].strip()
    line = text[text.rfind("\n", 0, position) + 1 : position].strip()
    if not paragraph.endswith((".", "!")) or not paragraph.isupper() or line[-1:] in _MARKS:
        return False
    longest = max(len(other.strip()) for other in paragraph.split("\n"))
    return longest >= _LEAST_WRAPPED and len(line) >= _WRAPPED_SHARE * longest


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    if bullet := _BULLET.match(text, start, end):
        start = bullet.end()
    while end > start and text[end - 1].isspace():
        end -= 1
    if any(c.isalnum() for c in text[start:end]):
        spans.append(Span(start, end))


def sentences_by_section(text: str, sections: Sequence[Section]) -> list[tuple[Section, Span]]:
    """Each compared sentence with its section."""
    return [
        (section, span)
        for section in sections
        if section.role is SectionRole.FINDINGS
        for whole in split_sentences(text, section.start, section.end)
        for span in _bounded(text, whole)
    ]


def _bounded(text: str, span: Span) -> Iterator[Span]:
    """A sentence of ordinary length as it is; a longer one in pieces, parted at a comma or else at a space.

    Reading takes time that grows with the square of a sentence and more; no radiologist dictates 1,200 characters
    without a full stop.
    """
    start = span.start
    while span.end - start > _LONGEST_SENTENCE:
        limit = start + _LONGEST_SENTENCE
        cut = max(text.rfind(", ", start + 1, limit), text.rfind(" ", limit - _LONGEST_SENTENCE // 10, limit))
        end = cut + 1 if cut > start else limit
        yield Span(start, end)
        start = end
    yield Span(start, span.end)
