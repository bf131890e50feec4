"""Places of parsed units in their report, and what they leave uncovered of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from attrs import field, frozen

from overread.adapters.lexicon.segments import SectionSplitter
from overread.adapters.reader.unit_parser._answer import ParsedUnit
from overread.application.asking.answers.spans import find_quote, locate
from overread.domain.reports.report import Span

__all__ = ["Outline", "Placed", "place"]


@frozen
class Placed:
    """A parsed unit, its place, and the index of the sentence it begins in."""

    unit: ParsedUnit
    span: Span
    sentence: int


@frozen
class Outline:
    """A report's text and the sentences of it that are compared, each with the name of its section.

    History, technique and the like are left out, as by the rules.
    """

    text: str = field(repr=False)
    sentences: tuple[tuple[str, Span], ...]

    @classmethod
    def of(cls, text: str, splitter: SectionSplitter) -> Outline:
        """The outline of a report; spans are of the text as given."""
        outline = splitter.outline(text)
        return cls(text, tuple((section.name, outline.given(span)) for section, span in outline.sentences))

    @property
    def compared(self) -> str:
        """The text with blanks for what is not compared."""
        parts, position = [], 0
        for _, span in self.sentences:
            parts += [" " * (span.start - position), span.of(self.text)]
            position = span.end
        return "".join(parts)

    def sentence_at(self, span: Span) -> int | None:
        """The first sentence that a span bears on."""
        return next((i for i, (_, s) in enumerate(self.sentences) if _overlap(s, span)), None)

    def find_uncovered(self, spans: Sequence[Span]) -> Iterator[tuple[int, str, Span]]:
        """Index, section and place of each sentence that none of some spans bears on."""
        for index, (section, sentence) in enumerate(self.sentences):
            if not any(_overlap(sentence, span) for span in spans):
                yield index, section, sentence


def place(units: Iterable[ParsedUnit], outline: Outline) -> tuple[list[Placed], int]:
    """The units that stand in compared sentences, in reading order, and how many stand nowhere in the report.

    Parsers go through a report in order: words that stand in it several times are looked for from the unit before
    onwards first. A statement that is given twice belongs to the next place with the same words; where there is none
    it is one. A unit about history or technique is left out.
    """
    compared = outline.compared
    placed: list[Placed] = []
    taken: set[tuple[object, ...]] = set()
    lost = position = 0
    for unit in units:
        span = _next(unit.span_text, compared, position) or locate(unit.span_text, compared)
        if span is None:
            lost += locate(unit.span_text, outline.text) is None
            continue
        while span is not None and (_mention(unit), span) in taken:
            span = _next(unit.span_text, compared, span.end)
        if span is None:
            continue
        taken.add((_mention(unit), span))
        position = span.start
        sentence = outline.sentence_at(span)
        if sentence is not None:
            placed.append(Placed(unit, span, sentence))
    return sorted(placed, key=lambda one: one.span), lost


def _mention(unit: ParsedUnit) -> tuple[object, ...]:
    """Key that tells apart two statements with the same words."""
    return (unit.label.lower(), unit.polarity, unit.anatomy)


def _next(quote: str, text: str, start: int) -> Span | None:
    span = find_quote(quote, text[start:])
    return None if span is None else Span(span.start + start, span.end + start)


def _overlap(a: Span, b: Span) -> bool:
    return a.start < b.end and b.start < a.end
