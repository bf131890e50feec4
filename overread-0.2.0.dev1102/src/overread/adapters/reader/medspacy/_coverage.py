"""Words of a sentence that its reading accounts for, and the numbers and sides in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Final

from overread.adapters.lexicon.grammar import CoverageWords
from overread.adapters.lexicon.words import Words
from overread.adapters.reader.medspacy._matching import AttributeMatch, SentenceMatches
from overread.domain.differences.unread import CLOCK, Detail, DetailKind, SentenceContent
from overread.domain.findings.unit import ClinicalUnit, largest
from overread.domain.vocabulary.numerals import cardinal

__all__ = ["ContentReader"]

_UNITS: Final = {
    "mm": ("mm", 1.0), "millimeter": ("mm", 1.0), "millimetre": ("mm", 1.0),
    "cm": ("mm", 10.0), "centimeter": ("mm", 10.0), "centimetre": ("mm", 10.0),
    "hu": ("hu", 1.0), "hounsfield": ("hu", 1.0),
    "ml": ("ml", 1.0), "cc": ("ml", 1.0), "cm3": ("ml", 1.0), "milliliter": ("ml", 1.0), "millilitre": ("ml", 1.0),
    "l": ("ml", 1000.0), "liter": ("ml", 1000.0), "litre": ("ml", 1000.0),
    "%": ("%", 1.0), "percent": ("%", 1.0),
    "degree": ("degree", 1.0), "°": ("degree", 1.0),
    "g": ("g", 1.0), "gram": ("g", 1.0), "cm/s": ("cm/s", 1.0), "m/s": ("cm/s", 100.0), "bpm": ("bpm", 1.0),
    "day": ("day", 1.0), "week": ("day", 7.0), "month": ("day", 30.0),
}  # fmt: skip
"""Units of measure: the unit that each is counted in, and how many of that it is."""

_VALUE: Final = r"\d+(?:\.\d+)?"
_NAMES: Final = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_QUANTITY: Final = re.compile(
    rf"(?<![\w.])(?P<values>-?{_VALUE}(?:\s*(?:x|by|×|-|–|to|and)\s*{_VALUE}){{0,2}})[\s-]*(?P<unit>{_NAMES})"
    r"(?:s?(?![\w/])|(?<=[%°]))",
    re.IGNORECASE,
)
_GRADED: Final = re.compile(
    rf"\b(?P<label>aspects|gleason|fazekas|suv(?:\s?max)?|(?:bi|ti|li|pi|lung)[\s-]?rads|[tz][\s-]score|score|grade|agatston(?:\s+score)?)"
    rf"(?:\s+(?:of|is|category))?\s*:?\s*(?P<value>-?{_VALUE})",
    re.IGNORECASE,
)
_CLOCK: Final = re.compile(r"\b(?P<hour>1[0-2]|[1-9])(?:(?::00)?\s?o\W?clock\b|:00\s?(?=position|axis))", re.IGNORECASE)
_SIDES: Final = frozenset({"left", "right", "bilateral", "both"})
_PLACES: Final = frozenset({"side", "zone", "organ"})
_MORE: Final = frozenset({"than", ">", "<"})
"""Words by which one side is told to show more than the other: "right greater than left"."""

_DENIALS: Final = frozenset({"no", "not", "never", "without", "cannot", "nor"})
_NO_LONGER: Final = ("no", "longer")
_MOST_BETWEEN: Final = 6
"""Most words from a number to what it counts: "three acute displaced left lateral rib fractures"."""

_LARGEST_COUNT: Final = 30
_NAMES_ONE: Final = frozenset({"single", "solitary"})
_NUMBERED: Final = frozenset(
    {
        *("grade", "stage", "type", "class", "category", "zone", "segment", "level", "rib", "day", "series", "image"),
        *("phase", "number", "no", "score", "vertebra", "disc", "disk", "c", "t", "l", "s", "#"),
    }
)
"""Words behind which a number is a name, and counts nothing."""

_RANGES: Final = frozenset({"to", "or", "of", "-", "and", "x", "by"})
"""Words between the numbers of a range or a share: "two or three", "two of three"."""

_PARTS: Final = frozenset(
    {
        *("of", "in", "at", "to", "and", "or", "with", "without", "is", "has", "have", "from", "by", "for", "on", "no"),
        *("not", "vessel", "chamber", "lead", "level", "part", "view", "lumen", "times", "x", "year", "old"),
    }
)
"""Words that part a number from what stands behind."""

_UNIT_WORDS: Final = frozenset(_UNITS) | {"unit"}


class ContentReader:
    """Counts the content words of sentences and tells those that no unit accounts for."""

    def __init__(self, rules: CoverageWords) -> None:
        self._contraries = dict(_contraries(rules.contraries))
        self._empty = rules.empty | _UNIT_WORDS

    def content(
        self,
        text: str,
        words: Words,
        matches: SentenceMatches,
        owned: Sequence[Sequence[AttributeMatch]],
        units: Sequence[ClinicalUnit],
    ) -> SentenceContent:
        """The content of a sentence that was read as ``units``.

        A sentence that no rule covers is unread as a whole, one about the report is read as a whole. In any other the
        words of findings, their attributes, cues and statements are read, and the sizes of what is asserted.
        """
        is_whole = all(unit.is_unread for unit in units)
        is_aside = bool(units) and all(unit.administrative and not unit.canonical_finding for unit in units)
        if is_aside:
            touched = set(range(len(words.words)))
        elif is_whole:
            touched = set()
        else:
            touched = _touched_words(matches, owned)
        counts = list(_counts(text, words, matches))
        counted = {i for i, _ in counts}
        denials = [i for i, word in enumerate(words.words) if word in _DENIALS]
        aside = {*counted, *denials, *(i + 1 for i in denials if words.words[i : i + 2] == _NO_LONGER)}
        content = [
            i for i, word in enumerate(words.words) if word[0].isalpha() and word not in self._empty and i not in aside
        ]
        sides = {i: a for a in matches.attributes if a.side for i in range(a.start, a.end)}
        unread = [i for i in content if i not in touched]
        sized: dict[str, set[float]] = {}
        for unit in (unit for unit in units if unit.asserts_finding):
            sized |= {size.unit: set() for size in unit.measurements if not size.is_length}
            if (size := largest(unit.measurements)) is not None:
                sized.setdefault("mm", set()).add(round(size.millimetres, 3))
        places = list(zip(words.starts, words.ends, strict=True))
        details = [
            *_numbers(text, sized=sized, whole=is_aside),
            *(detail for _, detail in counts if not is_aside),
            *_sides(words, matches.attributes, touched),
            *(
                Detail(DetailKind.DENIAL, words.words[i], words.starts[i], words.ends[i], is_read=True)
                for i in denials
                if not is_aside
            ),
            *(
                Detail(DetailKind.CONTRARY, self._contraries[words.words[i]][1], *places[i], is_read=True)
                for i in content
                if words.words[i] in self._contraries and not is_aside
            ),
            *(Detail(DetailKind.WORD, words.words[i], *places[i]) for i in unread if i not in sides),
        ]
        places_named = {i for a in matches.attributes if a.kind in _PLACES for i in range(a.start, a.end)}
        held = [words.words[i] for i in content if words.words[i] not in _SIDES]
        return SentenceContent(
            length=len(text),
            words=tuple(held),
            content_words=len(content),
            unread_words=len(unread),
            details=tuple(sorted(details, key=lambda detail: detail.start)),
            is_whole=is_whole,
            names_only=is_whole and bool(content) and places_named.issuperset(content),
            paired=tuple(self._contraries.get(word, (word,))[0] for word in held),
        )


def _contraries(pairs: Iterable[str]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Words that have a contrary, each with the name of the pair and of its own side of it."""
    for pair in sorted(pairs):
        for side in pair.split(" / "):
            yield from ((word, (pair, side)) for word in side.split(", "))


def _touched_words(matches: SentenceMatches, owned: Sequence[Iterable[AttributeMatch]]) -> set[int]:
    parts = [(target.start, target.end) for target in matches.targets]
    parts += [(cue.start, cue.end) for cue in matches.cues]
    parts += [(statement.start, statement.end) for statement in matches.statements]
    for own in (matches.pictures, *owned):
        parts += [(attribute.start, attribute.end) for attribute in own]
    return {i for start, end in parts for i in range(start, end)}


def _sides(words: Words, attributes: Iterable[AttributeMatch], touched: set[int]) -> Iterator[Detail]:
    for a in attributes:
        named = words.words[a.start : a.end]
        if {"left", "right"} <= set(named) and not _MORE.isdisjoint(named):
            for i in (i for i in range(a.start, a.end) if words.words[i] in _SIDES):
                yield Detail(DetailKind.SIDE, words.words[i], words.starts[i], words.ends[i], a.start in touched)
        elif a.side and not _SIDES.isdisjoint(named):
            end = min(a.end, len(words.words)) - 1
            yield Detail(DetailKind.SIDE, a.side, words.starts[a.start], words.ends[end], a.start in touched)


def _counts(text: str, words: Words, matches: SentenceMatches) -> Iterator[tuple[int, Detail]]:
    """Numbers of findings, devices or parts of the body, with the word that each begins at: "three rib fractures"."""
    named = {i for target in matches.targets for i in range(target.start, target.end)}
    named |= {i for a in matches.attributes if a.kind == "organ" for i in range(a.start, a.end)}
    for i, word in enumerate(words.words):
        before = words.words[max(0, i - 2) : i]
        number = 1 if word in _NAMES_ONE else int(word) if word.isdecimal() else cardinal(words.words[i : i + 2])
        is_pronoun = text[words.starts[i] : words.ends[i]].lower() == "ones"
        if not number or number > _LARGEST_COUNT or is_pronoun or _is_name_or_range(before):
            continue
        counted = _counted_word(text, words, i, named, one=number == 1)
        if counted is not None:
            at = words.starts[i], words.ends[counted]
            yield i, Detail(DetailKind.COUNT, words.words[counted], *at, number=float(number))


def _counted_word(text: str, words: Words, number: int, named: AbstractSet[int], *, one: bool) -> int | None:
    """The word that a number counts: the first plural behind it, or of one the first name's last word."""
    last = None
    for i in range(number + 1, min(number + 1 + _MOST_BETWEEN, len(words.words))):
        word, given = words.words[i], text[words.starts[i] : words.ends[i]].lower()
        if not word[0].isalpha() or word in _PARTS or word in _UNIT_WORDS:
            break
        if i in named and one:
            last = i
        elif i in named and given != word and given.endswith(("s", "ae")):
            return i
    return last


def _is_name_or_range(before: Sequence[str]) -> bool:
    """Return whether a number behind these words is a name or the end of a range."""
    if not before:
        return False
    is_range = before[-1] in _RANGES and _is_number(before[0])
    return is_range or before[-1] in _NUMBERED or _is_number(before[-1])


def _is_number(word: str) -> bool:
    return any(c.isdigit() for c in word) or cardinal([word]) is not None


def _numbers(text: str, *, sized: Mapping[str, AbstractSet[float]], whole: bool) -> Iterator[Detail]:
    """Numbers with a unit or a scale: read where a finding is measured in it, or where all of the sentence is.

    Args:
        text: of the sentence.
        sized: the lengths that findings are compared by, under "mm"; other units in which they are measured.
        whole: whether all of the sentence is read.
    """
    for match in _QUANTITY.finditer(text):
        unit, factor = _UNITS[match["unit"].lower()]
        is_read = whole or unit in sized
        for value in re.findall(rf"-?{_VALUE}" if match["values"].startswith("-") else _VALUE, match["values"]):
            number = float(value) * factor
            is_beside = not whole and unit == "mm" and is_read and round(number, 3) not in sized[unit]
            yield Detail(DetailKind.NUMBER, unit, match.start(), match.end(), is_read, number, is_beside)
    for match in _GRADED.finditer(text):
        label = re.sub(r"[\s-]", "", match["label"].lower()).removesuffix("max")
        yield Detail(DetailKind.NUMBER, label, match.start(), match.end(), whole, float(match["value"]))
    for match in _CLOCK.finditer(text):
        yield Detail(DetailKind.NUMBER, CLOCK, match.start(), match.end(), whole, float(match["hour"]))
