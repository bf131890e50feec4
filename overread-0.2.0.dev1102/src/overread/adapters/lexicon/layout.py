"""Layout: a report as paragraphs, one a line, however it was wrapped, paged, numbered or transmitted.

The same words in another layout are to be read alike, so everything that depends on layout is undone here, before
sections and sentences are found: breaks that only wrap a line, blank lines, bullets and numbers of lists, headers and
footers of pages, rules of dashes, and numbers in words before units of measure.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final

from attrs import evolve, frozen

from overread.domain.reports.plain_text import PAGE_BREAK, PlainText
from overread.domain.vocabulary.numerals import MEASURED, in_digits

__all__ = ["BULLET", "HeadingOf", "laid_out"]

HeadingOf = Callable[[str], int]
"""Length of the heading that a line begins with, 0 where it begins with none."""

BULLET: Final = re.compile(
    r"\s*(?:[-*•·–+>o▪◦](?=\s)|\(?\d{1,2}(?:\.\)|[.)])(?=\s)|\(?[a-h][.)](?=\s)|\(?[A-H]\)(?=\s)|\(?(?:[ivx]{1,4}|[IVX]{1,4})[.)](?=\s))\s*"
)
"""A mark of a list at the start of a line or sentence."""

_DECORATION: Final = re.compile(r"[\s\-_=*~#.+|–—]{3,}")
"""A line of marks alone, as under a heading."""

_PAGE_MARK: Final = re.compile(
    r"(?i)[\s\-–—(\[*]*(?:page\s*\d+(?:\s*(?:of|/)\s*\d+)?"
    r"|[\-–—] ?\d{1,3} ?[\-–—]|(?:report )?continued(?: (?:on|from) (?:next|previous|prior) page)?)"
    r"[\s\-–—)\]*.]*"
)
"""A line that numbers a page or says that the report goes on."""

_SEGMENT: Final = re.compile(
    r"(?:MSH\||(?:EVN|PID|PD1|NK1|PV[12]|AL1|DG1|GT1|IN1|ORC|OBR|TXA|SFT|DSC|MSA|ACC|ROL|Z[A-Z][A-Z0-9])\|[^|\n]*\|)[^\n]*"
)
"""A segment of an HL7 message that holds no report."""

_RESULT: Final = re.compile(
    r"(?:OBX\|\d*\|[A-Z]{2}\|[^|\n]*\|[^|\n]*\||NTE\|\d*\|[^|\n]*\|)(?P<words>[^|\n]*)(?:\|[^\n]*)?"
)
"""A segment of an HL7 message that holds words of a report."""

_DIGITS: Final = re.compile(r"\d+")

_FURNITURE_LINES: Final = 8
"""Most lines of a page's header or footer."""

_SEVERAL: Final = 2

_ENDS: Final = re.compile(r"""[.!?;]["')\]*]*$""")
_ABBREVIATED: Final = re.compile(r"(?i)\b(?:dr|drs|mr|mrs|ms|prof|vs|approx|ca|cf|e\.g|i\.e|no|fig|st)\.$")

# fmt: off
_NEVER_LAST: Final = frozenset({
    "and", "or", "of", "the", "a", "an", "with", "without", "in", "at", "to", "is", "are", "was", "were", "be", "no",
    "not", "for", "from", "by", "than", "has", "have", "which", "that", "this", "these", "there", "on", "over", "into",
    "as", "but", "while", "its", "their", "may", "measuring", "approximately", "cardiopulmonary", "cardiomediastinal",
})
# fmt: on
"""Words after which a sentence goes on in the next line."""

_SENTENCE_STARTS: Final = re.compile(r"[.!?] +([A-Za-z])")

_LEAD: Final = re.compile(r"[A-Za-z][A-Za-z,/&-]*(?: [A-Za-z,/&-]+){0,5}:")
"""What names the subject of a line, or of the next one where it stands alone: "Kidneys:"."""

_LEAST_WRAPPED: Final = 30
"""Shortest line at which text in one letter case counts as wrapped."""

_LEAST_FILLED: Final = 0.5
"""Share of the longest line that a wrapped line fills."""


@frozen
class _Line:
    """A line that holds something: its characters without outer blanks are ``text[start:end]``."""

    start: int
    end: int
    words: str
    after_blank: bool

    @property
    def first_word(self) -> str:
        return self.words.split(" ", 1)[0]


def laid_out(given: str, heading_of: HeadingOf) -> PlainText:
    """A report with one paragraph, list item or heading a line, and one blank between words.

    Args:
        given: the report.
        heading_of: finds the heading that a line begins with.
    """
    plain = PlainText.of(given)
    if plain.text.count(" - ") >= _LISTED:
        plain = plain.rewritten(_DASHED, lambda line: line.group().replace(" - ", "\n- "))
    if _PARTED.search(plain.text):
        plain = plain.rewritten(_PARTED, lambda line: _MARK.sub("\n", line.group()))
    if "\n" in plain.text or _SEGMENT.match(plain.text) or _RESULT.match(plain.text):
        plain = _as_paragraphs(plain, heading_of)
    plain = plain.rewritten(_DECIMAL_COMMA, lambda _: ".").rewritten(_EMPTY_SET, lambda _: "no")
    return plain.rewritten(_BLANKS, lambda _: " ").rewritten(MEASURED, in_digits)


_DECIMAL_COMMA: Final = re.compile(r"(?<=\d),(?=\d{1,2}(?:\s?[x×]\s?\d+(?:[.,]\d+)?){0,2}\s?[cm]m\b)", re.IGNORECASE)
"""A comma before the tenths of a length, as in most of Europe."""

_EMPTY_SET: Final = re.compile(r"(?<!\S)[Ø∅](?=\s[A-Za-z])")
"""A mark for none before what is not there."""


_LISTED: Final = 3
_DASHED: Final = re.compile(rf"[^\n]*(?: - [^\n]*?){{{_LISTED},}}$", re.MULTILINE)
"""A line with so many dashes that they part the items of a list."""

_WORDS: Final = r"[^\s/|]+(?: [^\s/|]+)+"
_MARK: Final = re.compile(r" (?:/{1,2}|\|) ")
_PARTED: Final = re.compile(rf"^{_WORDS}(?: (?P<mark>/{{1,2}}|\|) {_WORDS})(?: (?P=mark) {_WORDS})+$", re.MULTILINE)
"""A line whose statements, each of several words, are parted by strokes or bars."""

_BLANKS: Final = re.compile(r"[ ]{2,}")


def _as_paragraphs(plain: PlainText, heading_of: HeadingOf) -> PlainText:
    """The text without the breaks that only lay it out."""
    lines = _single_spaced(_without_furniture(list(_lines(plain.text))))
    places = plain.places if plain.places is not None else range(len(plain.text))
    wraps = _Wraps(lines)
    text: list[str] = []
    origins: list[int] = []
    before: _Line | None = None
    is_unfinished = is_title = False
    for paragraph in _paragraphs(lines, heading_of):
        is_prose = bool(_ENDS.search(paragraph[-1].words)) or any(_SENTENCE_STARTS.search(p.words) for p in paragraph)
        for number, line in enumerate(paragraph):
            bullet = BULLET.match(plain.text, line.start, line.end)
            if bullet and number and is_unfinished and any(map(str.isdigit, bullet.group())):
                bullet = None  # "levels 5 to", "7) and below"
            start = bullet.end() if bullet and bullet.end() < line.end else line.start
            if before is not None:
                goes_on = number > 0 and not bullet and not is_title and wraps.joins(before, line, is_prose=is_prose)
                joined = goes_on or (_is_lead(before.words) and not heading_of(before.words))
                if not (goes_on and _is_hyphenated(before.words)):
                    text.append(" " if joined else "\n")
                    origins.append(origins[-1] + 1)
            text.append(plain.text[start : line.end])
            origins += places[start : line.end]
            before, is_unfinished = line, _is_unfinished(line.words)
            is_title = heading_of(line.words) == len(line.words)
    return PlainText("".join(text), origins)


def _is_lead(words: str) -> bool:
    """Return whether a line names the subject of the next one: "Kidneys:"."""
    lead = _LEAD.match(words)
    return lead is not None and lead.end() == len(words)


def _lines(text: str) -> Iterator[_Line]:
    """Lines that hold more than marks."""
    start, after_blank = 0, True
    for raw in text.split("\n"):
        end = start + len(raw)
        if result := _RESULT.fullmatch(raw):
            start, raw = start + result.start("words"), result["words"]  # noqa: PLW2901 - the line is what it holds
        elif _SEGMENT.fullmatch(raw):
            raw = ""  # noqa: PLW2901
        words = raw.strip(" ")
        if words == PAGE_BREAK:
            yield _Line(start, end, PAGE_BREAK, after_blank=True)
        elif not words or _DECORATION.fullmatch(words):
            after_blank = True
        else:
            first = start + len(raw) - len(raw.lstrip(" "))
            yield _Line(first, first + len(words), words, after_blank)
            after_blank = False
        start = end + 1


def _single_spaced(lines: list[_Line]) -> list[_Line]:
    """The lines without the blank ones between them, where blank lines stand within sentences: double spacing."""
    breaks = list(pairwise(lines))
    if len(breaks) < _SEVERAL or not all(following.after_blank for _, following in breaks):
        return lines
    within = [a for a, b in breaks if b.words[0].islower() and not _ENDS.search(a.words) and not BULLET.match(b.words)]
    return [evolve(line, after_blank=False) for line in lines] if within else lines


def _without_furniture(lines: Sequence[_Line]) -> list[_Line]:
    """The lines without page numbers, and without the header and footer that a page shares with another."""
    pages = [page for page in _pages(lines) if page]
    if len(pages) < _SEVERAL:
        return [line for page in pages for line in page]
    head = {_mask_numbers(line) for line in pages[0][:_FURNITURE_LINES]}
    feet = Counter(words for page in pages for words in {_mask_numbers(line) for line in page[-_FURNITURE_LINES:]})
    foot = {words for words, count in feet.items() if count > 1}
    body: list[_Line] = []
    for number, page in enumerate(pages):
        first = 0 if number == 0 else _run(page, head)
        last = len(page) - _run(page[first:][::-1], foot)
        body += page[first:last]
        if number and first < last:  # what parts pages parts no sentence
            body[first - last] = evolve(page[first], after_blank=False)
    return body


def _pages(lines: Iterable[_Line]) -> Iterator[list[_Line]]:
    """The lines of each page but for its number."""
    page: list[_Line] = []
    for line in lines:
        if line.words == PAGE_BREAK or _PAGE_MARK.fullmatch(line.words):
            yield page
            page = []
        else:
            page.append(line)
    yield page


def _run(lines: Sequence[_Line], known: AbstractSet[str]) -> int:
    """Number of lines at the start that are known."""
    return next((i for i, line in enumerate(lines) if _mask_numbers(line) not in known), len(lines))


def _mask_numbers(line: _Line) -> str:
    """The line's words with every number alike: dates and times of printing differ from page to page."""
    return _DIGITS.sub("0", line.words)


def _paragraphs(lines: Iterable[_Line], heading_of: HeadingOf) -> Iterator[list[_Line]]:
    """Lines that no blank line, bullet or heading parts.

    Of these only a blank line and a field of several words part what has not come to its end: "once it is back in".
    """
    paragraph: list[_Line] = []
    for line in lines:
        heading = heading_of(line.words)
        begins = line.after_blank or BULLET.match(line.words) or heading
        is_sure = line.after_blank or (heading == len(line.words) and line.words.count(" ") >= _SEVERAL)
        if paragraph and begins and (is_sure or not _is_unfinished(paragraph[-1].words)):
            yield paragraph
            paragraph = []
        paragraph.append(line)
    if paragraph:
        yield paragraph


def _is_unfinished(words: str) -> bool:
    """Return whether a line ends with a word or mark that no sentence ends with."""
    return words.endswith((",", "-")) or words.rsplit(" ", 1)[-1].lower() in _NEVER_LAST


class _Wraps:
    """Tells breaks that wrap a line from those that end it, by how the report's lines are filled."""

    def __init__(self, lines: Sequence[_Line]) -> None:
        self._width = max((len(line.words) for line in lines), default=0)
        letters = " ".join(line.words for line in lines)
        self._is_one_case = letters.isupper() or letters.islower()
        self._is_unpunctuated = not any(mark in letters for mark in ".!?;:,")
        starts = _SENTENCE_STARTS.findall(letters)
        self._starts_small = sum(map(str.islower, starts)) > len(starts) / 2
        breaks = [(a, b) for a, b in pairwise(lines) if not (b.after_blank or _ENDS.search(a.words))]
        sure = [self._fills(a, b) for a, b in breaks if b.words[0].islower()]
        self._is_wrapped = bool(sure) and all(sure)

    def joins(self, line: _Line, following: _Line, *, is_prose: bool) -> bool:
        """Decide whether a line goes on in the following one of its paragraph.

        Args:
            line: a line.
            following: the next line, which begins neither an item nor a section.
            is_prose: whether the paragraph closes with a full stop or has one within a line.
        """
        if _ENDS.search(line.words):
            return bool(_ABBREVIATED.search(line.words))
        if _is_unfinished(line.words):
            return True
        filled = self._fills(line, following)
        full = filled and len(line.words) >= _LEAST_FILLED * self._width
        if self._is_one_case:
            return (is_prose or self._is_unpunctuated) and full and len(line.words) >= _LEAST_WRAPPED
        if following.words[0].islower():
            return filled or not (line.words[0].islower() or self._starts_small)
        if _LEAD.match(following.words):
            return False
        is_name = not following.words[0].isalpha() or following.first_word.isupper()
        return full and ((is_prose and is_name) or (self._is_wrapped and (is_prose or is_name)))

    def _fills(self, line: _Line, following: _Line) -> bool:
        """Return whether the first word of the following line would have made this line longer than any other."""
        return len(line.words) + 1 + len(following.first_word) > self._width


def _is_hyphenated(words: str) -> bool:
    return words.endswith("-") and words[-2:-1].isalpha()
