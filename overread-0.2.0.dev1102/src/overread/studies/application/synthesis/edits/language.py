"""Rules that edit how things are said: slips of the keyboard and of grammar, and style."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Final

from overread.domain.reports.report import Span
from overread.domain.vocabulary.taxonomy import ErrorType
from overread.studies.application.synthesis.edits.categories import Subset
from overread.studies.application.synthesis.edits.edit import Change, Edit
from overread.studies.application.synthesis.edits.reading import Reading
from overread.studies.application.synthesis.edits.sentences import is_broken
from overread.studies.application.synthesis.edits.word_exchange import exchanges, load_wording
from overread.studies.application.synthesis.phrases import telegraphic
from overread.studies.application.synthesis.vocabulary import load_vocabulary

__all__ = ["noise", "style"]

_ARTICLE: Final = re.compile(r"(?<=\w )(?:a|an|the) (?=[a-z])", re.IGNORECASE)
_SEEN: Final = re.compile(r"There (?:is|are) (?:an? )?([^.:;,]+)\.?", re.IGNORECASE)
_MOST_SLIPS: Final = 3
_WORDS: Final = re.compile(r"[a-z0-9]+")
_SMALL_WORDS: Final = frozenset({"a", "an", "the"})
_LEANS: Final = re.compile(
    r"\A\W*(?:otherwise|also|it|this|these|that|the remain\w+|no other|other|again|however)\b", re.IGNORECASE
)
"""How a sentence begins that cannot stand before the one that it follows."""


def noise(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A slip that reads as something else; harmless ones can be read as meant."""
    text = reading.text
    if subset is Subset.DISCRIMINATION:
        for span in reading.clinical:
            # A slip in a row of denials, or against a summary, is read as what was meant.
            guessed = reading.says_all_is_well or any(reading.is_covered(unit) for unit in reading.within(span))
            for change in () if guessed else exchanges(load_wording().wrong["slip"], text, span):
                yield Edit((change,), "a slip changes what is said")
        return
    slips = list(chain.from_iterable(_slips(text, span) for span in reading.clinical))
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
    """Another order or turn of phrase; there is no harmful one: where something else is said, that is the error."""
    if subset is not Subset.ROBUSTNESS:
        return
    text = reading.text
    for span in reading.clinical:
        for words in _restyle_sentence(span.of(text)):
            yield Edit.of(text, [Change(span.start, span.end, words)], "the sentence is put differently")
    yield from _reorder_sentences(reading)


def _slips(text: str, span: Span) -> Iterator[Change]:
    yield from exchanges(load_vocabulary().slips, text, span)
    yield from exchanges(load_wording().same["slip"], text, span)
    for match in _ARTICLE.finditer(text, span.start, span.end):
        yield Change(match.start(), match.end(), "")
        yield Change(match.start(), match.start(), match[0])


def _restyle_sentence(sentence: str) -> Iterator[str]:
    """The sentence without its verb, turned round, or with another turn of phrase, and never all but the same."""
    for words in _other_turns(sentence):
        if _content_words(words) != _content_words(sentence) and not is_broken(words):
            yield words


def _content_words(sentence: str) -> list[str]:
    return [word for word in _WORDS.findall(sentence.lower()) if word not in _SMALL_WORDS]


def _other_turns(sentence: str) -> Iterator[str]:
    if (short := telegraphic(sentence)) != sentence:
        yield short
    if (seen := _SEEN.fullmatch(sentence)) and not seen[1].lower().startswith("no "):
        verb = "are" if sentence.lower().startswith("there are") else "is"
        yield f"{seen[1][:1].upper()}{seen[1][1:]} {verb} seen{'.' if sentence.endswith('.') else ''}"
    for change in exchanges(load_wording().same["style"], sentence, Span(0, len(sentence))):
        yield Edit.of(sentence, [change], "").apply(sentence)


def _reorder_sentences(reading: Reading) -> Iterator[Edit]:
    """Two neighbouring sentences of one section in the other order."""
    text = reading.text
    for first, second in pairwise(reading.sentences):
        gap = text[first.end : second.start]
        if not (reading.is_clinical(first) and reading.is_clinical(second)) or _LEANS.match(second.of(text)):
            continue
        if gap.strip() or "\n" in gap or not first.of(text).endswith(".") or not second.of(text).endswith("."):
            continue
        words = f"{second.of(text)}{gap}{first.of(text)}"
        yield Edit((Change(first.start, second.end, words),), "two sentences have changed places")
