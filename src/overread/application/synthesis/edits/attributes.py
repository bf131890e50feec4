"""Rules that edit what is said of a finding: place, degree, size, and how it compares with before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from overread.application.synthesis.edits.categories import Subset
from overread.application.synthesis.edits.edit import Change, Edit
from overread.application.synthesis.edits.reading import Reading
from overread.application.synthesis.edits.wording import Table, exchanges, load_wording, places_of
from overread.application.synthesis.vocabulary import cased
from overread.domain.report import Span
from overread.domain.severity import Importance
from overread.domain.severity_rules import judge_size
from overread.domain.taxonomy import ErrorType
from overread.domain.unit import Change as Course
from overread.domain.unit import ClinicalUnit, Measurement

__all__ = ["comparison", "deleted", "inserted_before", "location", "noun_phrase_start", "severity", "size"]

_SIDE: Final = re.compile(
    r"\b(?:left|right|bilateral)(?:-sided)?\b(?=\s+\w)"
    r"|\s+(?:on|to|at) (?:the (?:left|right)|both sides)(?: side)?\b(?!\s+(?:lung|lobe|base|apex|hilum|of))"
    r"|\s+(?:in|at|of|within) the (?:left|right)(?: (?:upper|lower|mid|middle))?"
    r" (?:lobe|lung(?: base| apex| zone)?|base|apex|hemithorax)\b|\s+bilaterally\b",
    re.IGNORECASE,
)
_BEFORE_NOUN: Final = re.compile(
    r"(?:\b(?:left|right|bilateral|bibasilar|biapical|upper|lower|mid|middle|lobe|lung|apical|basilar|basal|pleural"
    r"|perihilar|lateral|anterior|posterior|diffuse|focal|patchy|acute|thoracic|lumbar|cervical|calcified|linear"
    r"|platelike|plate-like|discoid|streaky|hazy|interstitial|pulmonary|subsegmental|parenchymal|hilar|vascular)"
    r"(?:-sided)?\s+)+$",
    re.IGNORECASE,
)
_PREDICATE: Final = re.compile(r"(?<=\b(?:is|re) )(?=(\w+)\b)", re.IGNORECASE)
_TAIL: Final = re.compile(
    r",? (?:which (?:is|are|has|have)(?: not)? )?(?:been )?(?:unchanged|stable|increased|decreased|improved|worsened"
    r"|new|similar|resolved)(?: (?:significantly|in size))?"
    r"(?: (?:since|from|to|in|compared)\b[^.;,\n]*)?(?=\s*[.;\n]|$)",
    re.IGNORECASE,
)
_SIZE: Final = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)(\s*-?\s*)(mm|cm)\b", re.IGNORECASE)
_CENTIMETRE: Final = 10.0
_LARGER: Final = 3.0
_LARGEST_MM: Final = 60.0


def location(reading: Reading, subset: Subset, kind: ErrorType | None) -> Iterator[Edit]:
    """A place left out, added or exchanged; a harmless one is the same place, or goes without saying."""
    words, text = load_wording(), reading.text
    if subset is Subset.ROBUSTNESS and kind is not ErrorType.OMISSION:
        table = words.same["place"] if kind is ErrorType.INACCURACY else words.added["place"]
        told = (
            "the place is worded differently"
            if kind is ErrorType.INACCURACY
            else "a place is named that goes without saying"
        )
        yield from Edit.each(text, _in_sentences(reading, table), told)
        return
    if subset is Subset.ROBUSTNESS:
        for span in reading.sentences:
            for match in places_of(words.dropped["place"]["phrases"], text, span):
                yield Edit.of(
                    text, [deleted(text, match.start(), match.end())], "a place that goes without saying is left out"
                )
    for unit in reading.single():
        scope = reading.scope(unit)
        if kind is ErrorType.OMISSION:
            for match in _SIDE.finditer(text, scope.start, scope.end):
                yield Edit.of(text, [deleted(text, match.start(), match.end())], "the side is left out")
        elif kind is ErrorType.FABRICATION:
            yield from Edit.each(text, exchanges(words.wrong["place"], text, scope), "a further side is named")
        else:
            yield from Edit.each(text, exchanges(words.opposite["side"], text, scope), "the other side is named")
            yield from Edit.each(text, exchanges(words.opposite["zone"], text, scope), "another zone is named")


def severity(reading: Reading, subset: Subset, kind: ErrorType | None) -> Iterator[Edit]:
    """A degree left out, added or exchanged; harmless ones are slight, or another word for the same degree."""
    words, text = load_wording(), reading.text
    harmful = subset is Subset.DISCRIMINATION
    for unit in reading.single():
        scope = reading.scope(unit)
        # In an urgent finding no change of degree is harmless, however slight.
        if not harmful and reading.lexicon.importance(unit.canonical_finding) is Importance.URGENT:
            continue
        if kind is ErrorType.OMISSION:
            for match in places_of(words.degree["severe" if harmful else "mild"], text, scope):
                yield Edit.of(text, [deleted(text, match.start(), match.end())], "the degree is left out")
        elif kind is ErrorType.FABRICATION:
            yield from _graded(reading, unit, harmful=harmful)
        elif harmful:
            yield from Edit.each(text, exchanges(words.opposite["degree"], text, scope), "the degree is another one")
        else:
            yield from Edit.each(text, exchanges(words.same["degree"], text, scope), "the degree is worded differently")


def size(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A size or distance three times as large or as small; a harmless one is within the spread between readers."""
    text = reading.text
    for unit in reading.units:
        if not unit.measurements:
            continue
        for match in _SIZE.finditer(text, unit.start, unit.end):
            for words in _other_sizes(match, subset):
                change = Change(match.start(), match.end(), cased(words, text, match.start()))
                told = "the size is another one" if subset is Subset.DISCRIMINATION else "the size hardly differs"
                yield Edit.of(text, [change], told)


def comparison(reading: Reading, subset: Subset, kind: ErrorType | None) -> Iterator[Edit]:
    """A comparison left out, added or turned round; a harmless one says "unchanged", or the same in other words."""
    words, text = load_wording(), reading.text
    harmful = subset is Subset.DISCRIMINATION
    for unit in reading.single():
        scope = reading.scope(unit)
        if kind is ErrorType.OMISSION:
            # Only "unchanged" can be left out without harm: what is new or worse is news.
            if unit.change is None or not (harmful or unit.change is Course.STABLE):
                continue
            for match in places_of(words.course["adjectives"], text, scope):
                yield Edit.of(text, [deleted(text, match.start(), match.end())], "the comparison is left out")
            for match in _TAIL.finditer(text, unit.start, scope.end):
                yield Edit.of(text, [Change(match.start(), match.end(), "")], "the comparison is left out")
        elif kind is ErrorType.FABRICATION and unit.change is None:
            yield from _compared(reading, unit, harmful=harmful)
        elif kind is ErrorType.INACCURACY:
            table = words.opposite["course"] if harmful else words.same["course"]
            told = "the comparison is turned round" if harmful else "the comparison is worded differently"
            yield from Edit.each(text, exchanges(table, text, scope), told)


def deleted(text: str, start: int, end: int) -> Change:
    """The deletion of words and of the space beside them."""
    if text[start:end][:1].isspace() or text[end : end + 1] != " ":
        while start and text[start - 1] == " " and not text[start].isspace():
            start -= 1
        return Change(start, end, "")
    return Change(start, end + 1, "")


def noun_phrase_start(reading: Reading, unit: ClinicalUnit) -> Span | None:
    """From the first adjective of place before the finding's words to their end; None where they are not found."""
    surface = reading.surface(unit)
    if surface is None:
        return None
    floor = reading.scope(unit).start
    front = _BEFORE_NOUN.search(reading.text[floor : surface.start])
    return Span(surface.start - (len(front[0]) if front else 0), surface.end)


def _in_sentences(reading: Reading, table: Table) -> Iterator[Change]:
    for span in reading.sentences:
        yield from exchanges(table, reading.text, span)


def inserted_before(text: str, at: int, words: str) -> Change:
    """Words put before others, the capital of a sentence's first word going over to them."""
    said = cased(words, text, at)
    first = text[at : at + 1]
    follows = text[at : at + 2]
    if first.isupper() and not follows.isupper() and said.islower():
        return Change(at, at + 1, f"{said[:1].upper()}{said[1:]} {first.lower()}")
    return Change(at, at, f"{said} ")


def _graded(reading: Reading, unit: ClinicalUnit, *, harmful: bool) -> Iterator[Edit]:
    if unit.severity is not None or unit.measurements or unit.device:
        return
    words, text = load_wording().added["degree"], reading.text
    phrase = noun_phrase_start(reading, unit)
    noun = text[phrase.start : phrase.end].split()[-1].lower() if phrase else ""
    for group, degrees in (("sized", ("large", "small")), ("graded", ("severe", "mild"))):
        if phrase is not None and noun in words[group]:
            for degree in words[degrees[not harmful]]:
                yield Edit.of(text, [inserted_before(text, phrase.start, degree)], "a degree is added")
    for match in _PREDICATE.finditer(text, unit.start, unit.end):
        if match[1].lower() in words["predicates"]:
            for degree in words["severely" if harmful else "mildly"]:
                yield Edit.of(text, [inserted_before(text, match.start(), degree)], "a degree is added")


def _compared(reading: Reading, unit: ClinicalUnit, *, harmful: bool) -> Iterator[Edit]:
    words, text = load_wording().course, reading.text
    phrase = noun_phrase_start(reading, unit)
    if phrase is not None and phrase.start == unit.start:
        for adjective in words["added_worse" if harmful else "added_same"]:
            yield Edit.of(text, [inserted_before(text, phrase.start, adjective)], "a comparison is added")
    sentence = reading.sentence(unit)
    if sentence is not None and len(reading.within(sentence)) == 1:
        end = sentence.start + len(sentence.of(text).rstrip(" ."))
        for tail in words["tails_worse" if harmful else "tails_same"]:
            yield Edit.of(text, [Change(end, end, cased(tail, text, end))], "a comparison is added")


def _other_sizes(match: re.Match[str], subset: Subset) -> Iterator[str]:
    value, gap, unit = float(match[1]), match[2], match[3]
    scale = _CENTIMETRE if unit.lower() == "cm" else 1.0
    now = Measurement(value, unit, value * scale)
    if subset is Subset.DISCRIMINATION:
        others = [value * _LARGER, value / _LARGER]
        others = [round(v, 1) if v * scale < _CENTIMETRE else float(round(v, 0 if scale == 1.0 else 1)) for v in others]
        yield from (
            f"{v:g}{gap}{unit}"
            for v in others
            if 1.0 <= v * scale <= _LARGEST_MM * (1 + (value * scale > _LARGEST_MM / 3))
        )
        return
    if scale == 1.0:
        yield f"{value / _CENTIMETRE:g}{gap}cm"
    else:
        yield f"{value * _CENTIMETRE:g}{gap}mm"
    for millimetres in (now.millimetres - 1, now.millimetres + 1):
        judged = judge_size(now, Measurement(millimetres, "mm", millimetres))
        if millimetres > 1 and (judged is None or not judged.severity.counts_as_significant):
            yield f"{millimetres / scale:g}{gap}{unit}"
