"""Difference of both texts of a pair word by word, as a page shows it: the reference with all that was edited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from attrs import field, frozen

from overread.domain.differences.word_alignment import AlignedSentence, Fate, WordAlignment
from overread.domain.reports.report import ReportPair, Span
from overread.infrastructure.views.wording import format_count, make_printable

__all__ = ["DiffPiece", "DiffSentence", "WordDifference", "word_difference"]

_COUNTED: Final = {
    Fate.CHANGED: "changed",
    Fate.INSERTED: "added",
    Fate.DELETED: "deleted",
    Fate.MOVED: "moved",
}


@frozen
class DiffPiece:
    """Words of a sentence; ``tag`` is "ins" or "del" for what one text alone has, "" for both."""

    tag: str
    text: str = field(repr=False)


@frozen(kw_only=True)
class DiffSentence:
    """A sentence with its changes.

    Attributes:
        gap: what stands before it: a blank, a line break, or two.
        fate: "same", "moved", "changed", "deleted" or "inserted".
        retyped: whether only capitals or punctuation differ.
        pieces: its words.
    """

    gap: str
    fate: str
    retyped: bool
    pieces: tuple[DiffPiece, ...]


@frozen(kw_only=True)
class WordDifference:
    """Both texts of a pair as one.

    Attributes:
        sentences: in the order of the reference; deleted ones where they stood.
        summary: how many of them were changed, added, deleted and moved, in words.
    """

    sentences: Sequence[DiffSentence] = field(repr=False)
    summary: str

    HIDDEN: ClassVar = {"ins": "added: ", "del": "deleted: "}
    """Words for those who hear a page: few screen readers tell these elements."""


def word_difference(pair: ReportPair, alignment: WordAlignment) -> WordDifference:
    """The difference of a pair's texts, from the candidate to the reference.

    Args:
        pair: of the two texts.
        alignment: of the candidate's words with the reference's.
    """
    fates = [sentence.fate for sentence in alignment.sentences]
    counts = [f"{fates.count(fate)} {words}" for fate, words in _COUNTED.items() if fate in fates]
    retyped = sum(sentence.retyped for sentence in alignment.sentences)
    counts += [f"{retyped} typed differently"] if retyped else []
    total = format_count(len(fates), "sentence")
    return WordDifference(
        sentences=list(_sentences(pair, alignment)),
        summary=f"{total}: {', '.join(counts)}" if counts else f"{total}, all the same",
    )


def _sentences(pair: ReportPair, alignment: WordAlignment) -> Iterator[DiffSentence]:
    ends = {"before": 0, "after": 0}
    is_first = True
    for sentence in alignment.sentences:
        side, text, span = _shown_side(pair, sentence)
        gap = "" if is_first else _gap(text, ends[side], span.start)
        for name, place in (("before", sentence.before), ("after", sentence.after)):
            if place is not None and sentence.fate is not Fate.MOVED:
                ends[name] = place.end
        if sentence.fate is Fate.MOVED:
            ends["after"] = span.end
        is_first = False
        yield DiffSentence(
            gap=gap,
            fate=sentence.fate.value,
            retyped=sentence.retyped,
            pieces=tuple(_pieces(pair, sentence, text, span)),
        )


def _shown_side(pair: ReportPair, sentence: AlignedSentence) -> tuple[str, str, Span]:
    if sentence.after is not None:
        return "after", pair.reference.text, sentence.after
    assert sentence.before is not None  # noqa: S101 - a sentence stands somewhere
    return "before", pair.candidate.text, sentence.before


def _gap(text: str, start: int, end: int) -> str:
    between = text[start:end]
    if "\n" not in between and "\r" not in between:
        return " "
    return "\n\n" if between.count("\n") > 1 else "\n"


def _pieces(pair: ReportPair, sentence: AlignedSentence, text: str, span: Span) -> Iterator[DiffPiece]:
    match sentence.fate:
        case Fate.CHANGED:
            yield from _changed(pair, sentence)
        case Fate.INSERTED:
            yield DiffPiece("ins", make_printable(span.of(text)))
        case Fate.DELETED:
            yield DiffPiece("del", make_printable(span.of(text)))
        case _:
            yield DiffPiece("", make_printable(span.of(text)))


def _changed(pair: ReportPair, sentence: AlignedSentence) -> Iterator[DiffPiece]:
    before, after = pair.candidate.text, pair.reference.text
    is_first = True
    for change in sentence.changes:
        sides = (
            [("", after, change.after)] if change.is_same else _sides((before, change.before), (after, change.after))
        )
        for tag, text, place in sides:
            if not is_first and text[max(0, place.start - 1)].isspace():
                yield DiffPiece("", " ")
            yield DiffPiece(tag, make_printable(place.of(text)))
            is_first = False


def _sides(old: tuple[str, Span], new: tuple[str, Span]) -> list[tuple[str, str, Span]]:
    sides = [("del", *old), ("ins", *new)]
    return [(tag, text, place) for tag, text, place in sides if place.start < place.end]
