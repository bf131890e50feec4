"""Rules that edit how things are said: slips of the keyboard and of grammar, and style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Final

from attrs import evolve

from overread.application.synthesis.edits.attributes import comparison, location, severity
from overread.application.synthesis.edits.categories import Subset
from overread.application.synthesis.edits.edit import Change, Edit
from overread.application.synthesis.edits.reading import Reading
from overread.application.synthesis.edits.wording import exchanges, load_wording
from overread.application.synthesis.phrases import telegraphic
from overread.application.synthesis.vocabulary import load_vocabulary
from overread.domain.report import Span
from overread.domain.taxonomy import ErrorType

__all__ = ["noise", "style"]

_ARTICLE: Final = re.compile(r"(?<=\w )(?:a|an|the) (?=[a-z])", re.IGNORECASE)
_SEEN: Final = re.compile(r"There (?:is|are) (?:an? )?([^.:;,]+)\.?", re.IGNORECASE)
_MOST_SLIPS: Final = 3


def noise(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A slip that reads as something else; harmless ones can be read as meant."""
    text = reading.text
    if subset is Subset.DISCRIMINATION:
        for span in reading.sentences:
            for change in exchanges(load_wording().wrong["slip"], text, span):
                yield Edit((change,), "a slip changes what is said")
        return
    slips = list(chain.from_iterable(_slips(text, span) for span in reading.sentences))
    for index, change in enumerate(slips):
        yield Edit((change,), "a slip that can be read as meant")
        more = [other for other in slips[index + 1 :: 3] if other.start >= change.end + 1]
        apart: list[Change] = [change]
        for other in more:
            if other.start > apart[-1].end and len(apart) < _MOST_SLIPS:
                apart.append(other)
        if len(apart) > 1:
            yield Edit(tuple(apart), "slips that can be read as meant")


def style(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """Another order or another turn of phrase; a harmful one says something else by the way."""
    text = reading.text
    if subset is Subset.ROBUSTNESS:
        for span in reading.sentences:
            for words in _restyled(span.of(text)):
                yield Edit.of(text, [Change(span.start, span.end, words)], "the sentence is put differently")
        yield from _reordered(reading)
        return
    edits = chain(
        location(reading, subset, ErrorType.INACCURACY),
        severity(reading, subset, ErrorType.INACCURACY),
        comparison(reading, subset, ErrorType.INACCURACY),
    )
    for edit in edits:
        yield from _along(edit, reading)


def _slips(text: str, span: Span) -> Iterator[Change]:
    vocabulary = load_vocabulary().slips
    yield from exchanges(vocabulary, text, span)
    yield from exchanges(load_wording().same["slip"], text, span)
    for match in _ARTICLE.finditer(text, span.start, span.end):
        yield Change(match.start(), match.end(), "")
        yield Change(match.start(), match.start(), match[0])


def _restyled(sentence: str) -> Iterator[str]:
    """The sentence without its verb, turned round, or with another turn of phrase."""
    if (short := telegraphic(sentence)) != sentence:
        yield short
    if (seen := _SEEN.fullmatch(sentence)) and not seen[1].lower().startswith("no "):
        verb = "are" if sentence.lower().startswith("there are") else "is"
        yield f"{seen[1][:1].upper()}{seen[1][1:]} {verb} seen{'.' if sentence.endswith('.') else ''}"
    for change in exchanges(load_wording().same["style"], sentence, Span(0, len(sentence))):
        yield Edit.of(sentence, [change], "").applied(sentence)


def _reordered(reading: Reading) -> Iterator[Edit]:
    """Two neighbouring sentences of one section in the other order."""
    text = reading.text
    for first, second in pairwise(reading.sentences):
        gap = text[first.end : second.start]
        if gap.strip() or "\n\n" in gap or not first.of(text).endswith(".") or not second.of(text).endswith("."):
            continue
        words = f"{second.of(text)}{gap}{first.of(text)}"
        yield Edit((Change(first.start, second.end, words),), "two sentences have changed places")


def _along(edit: Edit, reading: Reading) -> Iterator[Edit]:
    """The edit's sentence with the edit made, and put differently besides."""
    (change,) = edit.changes
    span = next((s for s in reading.sentences if s.start <= change.start and change.end <= s.end), None)
    if span is None:
        return
    sentence = span.of(reading.text)
    moved = Change(change.start - span.start, change.end - span.start, change.words)
    wrong = evolve(edit, changes=(moved,)).applied(sentence)
    for words in _restyled(wrong):
        if words != sentence:
            told = f"the sentence is put differently; {edit.explanation} by the way"
            yield Edit.of(reading.text, [Change(span.start, span.end, words)], told)
