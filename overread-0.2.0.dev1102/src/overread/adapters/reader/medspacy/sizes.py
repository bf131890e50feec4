"""Sizes in a sentence: which finding each belongs to, and which are those of an earlier examination."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from attrs import evolve, frozen

from overread.adapters.lexicon.grammar import SizeWords, any_of
from overread.adapters.lexicon.words import Words
from overread.adapters.reader.medspacy._matching import TargetMatch
from overread.domain.findings.extents import judge_size
from overread.domain.findings.unit import Change, Measurement, largest

__all__ = ["Size", "SizeReader", "change_of", "measurements", "present", "quantities"]

_NUMBER: Final = r"\d+(?:[.,]\d+)?"
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2},\d{3}")
_SIZE: Final = re.compile(
    rf"(?P<values>{_NUMBER}(?:\s*(?:x|by|×|-|–|to|and)\s*{_NUMBER}){{0,2}})[\s-]*"
    r"(?P<unit>mm|millimet(?:er|re)s?|cm|centimet(?:er|re)s?)\b",
    re.IGNORECASE,
)
_SIZE_END: Final = re.compile(r"\d\s*[mc]m[\s(]*$", re.IGNORECASE)
_REACH: Final = 64
"""Characters around a size in which words of time bear on it."""

_RANGE: Final = re.compile(r"\s*(?:now\s+)?(?:to|x|by|×)\s+(?:now\s+)?", re.IGNORECASE)
_RANGE_TO: Final = re.compile(r"\bto\b", re.IGNORECASE)


@frozen
class Size:
    """A measurement, the characters of the expression it stands in, and when it was taken."""

    value: Measurement
    start: int
    end: int
    is_earlier: bool = False
    is_present: bool = False


def measurements(text: str) -> list[tuple[Measurement, int]]:
    """Sizes in a text with their offsets; each value of "3 x 4 cm" is one measurement.

    >>> [(m.millimetres, at) for m, at in measurements("a 2.5 x 1 cm mass")]
    [(25.0, 2), (10.0, 2)]
    """
    return [(value, match.start()) for match in _SIZE.finditer(text) for value in _values(match)]


_QUANTITY: Final = re.compile(
    rf"(?<![\w.])(?P<value>[-–\u2212]?{_NUMBER})[\s-]*(?P<unit>hu\b|hounsfield\b|degrees?\b|deg\b|°)", re.IGNORECASE
)


def quantities(text: str) -> Iterator[tuple[Measurement, int, int]]:
    """Angles and attenuations in a text with the characters they stand at.

    >>> [(m.value, m.unit) for m, _, _ in quantities("Cobb angle 32 degrees, 5 HU")]
    [(32.0, 'degree'), (5.0, 'hu')]
    """
    for match in _QUANTITY.finditer(text):
        value = float(match["value"].replace("–", "-").replace("\u2212", "-").replace(",", "."))
        unit = "hu" if match["unit"].lower().startswith("h") else "degree"
        yield Measurement(value, unit, 0.0), match.start(), match.end()


class SizeReader:
    """Tells which finding a size belongs to, and whether it was taken at an earlier examination."""

    def __init__(self, rules: SizeWords) -> None:
        filler = rf"(?:{any_of(rules.fillers)}|[\s:(])*"
        start = "".join(rf"(?<!{word}\s)" for word in sorted(rules.ranging)) + "from"
        day = r"(?:\s+\d{1,2}(?:st|nd|rd|th)?\b(?!\s*[mc]m))?(?:,?\s*(?:19|20)\d\d\b)?"
        date = rf"(?:(?:\d{{1,2}}\s+)?{any_of(rules.months)}\b{day}|(?:19|20)\d\d\b)"
        dated = rf"{any_of(rules.dating)}\s+{date}"
        ago = rf"(?:{any_of(rules.counts)}|\d+)\s+{any_of(rules.spans)}\s+{any_of(rules.ago)}"
        self._earlier_before = re.compile(
            rf"\b(?:{any_of(rules.earlier_before)}|{start})[\s:(]+{filler}(?:{dated}[\s:,]*{filler})?$", re.IGNORECASE
        )
        self._dated_before = re.compile(rf"\b(?:{dated}|{ago})[\s:,(]*{filler}$", re.IGNORECASE)
        self._earlier_behind = re.compile(
            rf"\s*[)(]?\s*(?:{any_of(rules.earlier_behind)}|{dated}|{ago})\b(?!\s*{filler}\d)", re.IGNORECASE
        )
        present = any_of(rules.present)
        self._present_before = re.compile(rf"\b{present}\b[^.;]{{0,24}}$", re.IGNORECASE)
        self._present_behind = re.compile(
            rf"\s*\(?{present}\b(?=\s*(?:[,.;:()]|$|{any_of(rules.present_ends)}\b))", re.IGNORECASE
        )
        self._landmark = re.compile(rf"\s*{any_of(rules.landmarks)}\b", re.IGNORECASE)

    def by_target(
        self, text: str, words: Words, targets: Sequence[TargetMatch], devices: Sequence[int]
    ) -> list[list[Size]]:
        """Each size goes to the nearest target, measured in characters; one from a landmark to the nearest device."""
        owned: list[list[Size]] = [[] for _ in targets]
        owner, end = 0, -1
        for size in self._sizes(text):
            is_distance = bool(devices) and self._landmark.match(text, size.end) is not None
            choice = devices if is_distance else range(len(targets))
            # "From 6 mm to 11 mm" are two sizes of one thing, and so is "6 mm x 11 mm".
            if size.start != end and (end < 0 or not _RANGE.fullmatch(text, end, size.start)):
                owner = min(choice, key=lambda i: _distance(words, targets[i], size.start))
            owned[owner].append(size)
            end = size.end
        return [_mark_earlier(sizes) for sizes in owned]

    def quantities_of(
        self, text: str, words: Words, targets: Sequence[TargetMatch], units: Sequence[str]
    ) -> list[tuple[Measurement, ...]]:
        """Angles and attenuations, each with the nearest target that is measured in its unit; of earlier ones none.

        Args:
            text: the sentence.
            words: its words.
            targets: its findings.
            units: the unit of each target; "" for one that is measured in none.
        """
        owned: list[list[Measurement]] = [[] for _ in targets]
        for value, start, end in quantities(text):
            choice = [i for i, unit in enumerate(units) if unit == value.unit]
            before = text[max(0, start - _REACH) : start]
            if choice and not self._is_past(text, before, end):
                owned[min(choice, key=lambda i: _distance(words, targets[i], start))].append(value)
        return [tuple(values) for values in owned]

    def _is_past(self, text: str, before: str, end: int) -> bool:
        """Return whether the value behind ``before`` that ends at ``end`` was measured at an earlier examination."""
        if self._present_behind.match(text, end) is not None:
            return False
        is_opened = self._earlier_before.search(before) is not None or self._is_dated(before)
        return is_opened or self._earlier_behind.match(text, end) is not None

    def _sizes(self, text: str) -> Iterator[Size]:
        for match in _SIZE.finditer(text):
            before = text[max(0, match.start() - _REACH) : match.start()]
            is_now = self._present_behind.match(text, match.end()) is not None
            opened = not is_now and (self._earlier_before.search(before) is not None or self._is_dated(before))
            is_past = opened or (not is_now and self._earlier_behind.match(text, match.end()) is not None)
            is_present = is_now or (not is_past and self._present_before.search(before) is not None)
            from_to = opened and _RANGE_TO.search(match["values"]) is not None
            for number, value in enumerate(_values(match)):
                yield Size(value, match.start(), match.end(), number == 0 if from_to else is_past, is_present)

    def _is_dated(self, before: str) -> bool:
        """Return whether a date leads to a size, as in "in March 8 mm", and isn't that of a size before it."""
        date = self._dated_before.search(before)
        return date is not None and _SIZE_END.search(before, 0, date.start()) is None


def present(sizes: Sequence[Size]) -> tuple[Measurement, ...]:
    """The sizes of this examination; all of them where none is told apart."""
    now = [size for size in sizes if not size.is_earlier]
    return tuple(size.value for size in now or sizes)


def change_of(sizes: Sequence[Size]) -> Change | None:
    """Change from the largest size of the earlier examination to that of this one; None unless both are given.

    Sizes that differ by no more than readers do are no change.
    """
    before = largest(size.value for size in sizes if size.is_earlier)
    after = largest(size.value for size in sizes if not size.is_earlier)
    if before is None or after is None:
        return None
    judgement = judge_size(before, after)
    if judgement is None or not judgement.severity.counts_as_significant:
        return Change.STABLE
    return Change.WORSENED if after.millimetres > before.millimetres else Change.IMPROVED


def _mark_earlier(sizes: list[Size]) -> list[Size]:
    """A size in front of one that is said to be of now is an earlier one."""
    first = min((size.start for size in sizes if size.is_present), default=None)
    if first is None:
        return sizes
    return [evolve(size, is_earlier=size.is_earlier or size.start < first) for size in sizes]


def _values(size: re.Match[str]) -> Iterator[Measurement]:
    unit = "cm" if size["unit"].lower().startswith("c") else "mm"
    for number in re.findall(_NUMBER, size["values"]):
        value = float(number.replace(",", "") if _THOUSANDS.fullmatch(number) else number.replace(",", "."))
        yield Measurement(value, unit, value * (10.0 if unit == "cm" else 1.0))


def _distance(words: Words, target: TargetMatch, at: int) -> int:
    start, end = words.starts[target.start], words.ends[target.end - 1]
    return 0 if start <= at < end else min(abs(start - at), abs(at - end))
