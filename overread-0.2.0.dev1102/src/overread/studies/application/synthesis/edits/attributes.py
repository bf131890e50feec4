"""Rules that edit what is said of a finding: place, degree, size, and how it compares with before."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from overread.domain.findings.extents import judge_size
from overread.domain.findings.unit import Change as Course
from overread.domain.findings.unit import ClinicalUnit, Measurement
from overread.domain.reports.report import Span
from overread.domain.vocabulary.severity import Importance
from overread.domain.vocabulary.taxonomy import ErrorType
from overread.studies.application.synthesis.edits.categories import Subset
from overread.studies.application.synthesis.edits.edit import Change, Edit
from overread.studies.application.synthesis.edits.phrases import front, head, head_span
from overread.studies.application.synthesis.edits.reading import Reading
from overread.studies.application.synthesis.edits.word_exchange import exchanges, load_wording, places_of
from overread.studies.application.synthesis.phrases import plural
from overread.studies.application.synthesis.vocabulary import match_case, opens_sentence

__all__ = ["comparison", "delete_words", "inserted_before", "location", "severity", "size"]

_SIDE: Final = re.compile(
    r"\b(?:left|right)(?:-sided)?\b(?=\s+\w)(?!\s+(?:main|middle|ventric|atri|heart|upper quadrant|lower quadrant))"
    r"|\s+(?:on|to|at) the (?:left|right)(?: side)?\b(?!\s+(?:lung|lobe|base|apex|hilum|of))"
    r"|\s+(?:in|at|of|within) the (?:left|right)(?: (?:upper|lower|mid|middle))?"
    r" (?:lobe|lung(?: base| apex| zone)?|base|apex|hemithorax)\b",
    re.IGNORECASE,
)
_ONE_LOBE: Final = re.compile(r"\bin the (?:left|right) (upper|lower) lobe\b", re.IGNORECASE)
_ONE_SIDE: Final = re.compile(r"\b(?:left|right)(?:-sided)?\b", re.IGNORECASE)
_THERE: Final = re.compile(r"\bThere is an? ", re.IGNORECASE)
_ARTICLE: Final = re.compile(r"\A(?:An?|The) ", re.IGNORECASE)
_SINGULAR_VERB: Final = re.compile(r"\b(is|has)\b", re.IGNORECASE)
_ON_ONE_SIDE_ONLY: Final = re.compile(
    r"\b(?:middle lobe|lingula|hemidiaphragm|ventricle|atrium|heart)\b", re.IGNORECASE
)
"""What exists, or is told, on one side only: the other side of it is no place."""

_TAIL: Final = re.compile(
    r", (?:which (?:is|are|has|have) )?(?:been )?(?:unchanged|stable|increased|decreased|improved|worsened"
    r"|new|similar|resolved)(?: (?:significantly|in size))?"
    r"(?: (?:since|from|to|in|compared)\b[^.;,\n]*)?(?=\s*[.;\n]|$)",
    re.IGNORECASE,
)
_SIZE: Final = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)(\s*-?\s*)(mm|cm)\b", re.IGNORECASE)
_AGE: Final = re.compile(r"\b(?:acute|chronic|old|healed)\b(?! small vessel)", re.IGNORECASE)
_CENTIMETRE: Final = 10.0
_FACTORS: Final = (3.0, 2.5, 0.4, 1 / 3)
_CREDIBLE_MM: Final = {
    "nodule": (4, 29),
    "aneurysm": (30, 85),
    "cyst": (5, 70),
    "stone": (2, 20),
    "granuloma": (2, 9),
    "mass": (10, 95),
    "carina": (5, 80),
}
"""Sizes that what is so called may have."""
_ANY_MM: Final = (4, 70)
_READERS_DIFFER: Final = 0.15


def location(reading: Reading, subset: Subset, kind: ErrorType | None) -> Iterator[Edit]:
    """A place left out, added or exchanged; a harmless one is the same place, or goes without saying."""
    if subset is Subset.ROBUSTNESS:
        yield from _same_place(reading, kind)
        return
    words, text = load_wording(), reading.text
    for unit in reading.single():
        scope = reading.scope(unit)
        if kind is ErrorType.OMISSION:
            for match in _SIDE.finditer(text, scope.start, scope.end):
                summary = "the side is left out" if len(match[0].split()) == 1 else "the place is left out"
                yield Edit.of(text, [delete_words(text, match.start(), match.end())], summary)
        elif kind is ErrorType.FABRICATION:
            yield from _further_place(reading, unit, scope)
        else:
            if not _ON_ONE_SIDE_ONLY.search(text, scope.start, scope.end) and not _is_told_elsewhere(reading, scope):
                yield from Edit.each(text, exchanges(words.opposite["side"], text, scope), "the other side is named")
            yield from Edit.each(text, exchanges(words.opposite["zone"], text, scope), "another place is named")


def _same_place(reading: Reading, kind: ErrorType | None) -> Iterator[Edit]:
    same, text = load_wording().same, reading.text
    for span in reading.clinical:
        if kind is ErrorType.INACCURACY:
            yield from Edit.each(text, exchanges(same["place"], text, span), "the place is worded differently")
        elif kind is ErrorType.OMISSION:
            if "pericardial" in text.lower():
                continue
            changes = exchanges(same["dropped"], text, span)
            yield from Edit.each(text, changes, "a place that goes without saying is left out")
        else:
            units = reading.within(span)
            table = same["denied"] if all(unit.denies_finding for unit in units) else same["added"]
            for change in exchanges(table, text, span):
                if not _repeats(change, text, span):
                    yield Edit.of(text, [change], "a place is named that goes without saying")


def _repeats(change: Change, text: str, span: Span) -> bool:
    """Returns whether the sentence contains the added words already, or goes on with something more specific."""
    surroundings = f"{text[span.start : change.start]} {text[change.end : span.end]}".lower()
    old = set(text[change.start : change.end].lower().split())
    new = [word for word in change.words.lower().split() if word not in old and len(word) > 3]  # noqa: PLR2004
    follows = text[change.end : span.end].lstrip().lower()
    closer = follows.startswith(("in ", "of ", "at ", "on ", "or ", "and ", "under "))
    return closer or "both " in surroundings or any(re.search(rf"\b{re.escape(word)}\b", surroundings) for word in new)


def _is_told_elsewhere(reading: Reading, scope: Span) -> bool:
    """Returns whether a heading or other sentence without a finding names the side: the report would contradict it."""
    sides = {match[0].lower() for match in _ONE_SIDE.finditer(reading.text, scope.start, scope.end)}
    first = reading.clinical[0].start if reading.clinical else 0
    return any(match[0].lower() in sides for match in _ONE_SIDE.finditer(reading.text, 0, first))


def _further_place(reading: Reading, unit: ClinicalUnit, scope: Span) -> Iterator[Edit]:
    """A second side beside the one that is told, with everything in the sentence that is then in the plural."""
    text, noun = reading.text, head(reading, unit)
    if not noun or unit.device or unit.measurements or len(unit.place.sides) != 1:
        return
    summary = "a further side is named"
    counted = plural(noun) if noun != "consolidation" else ""
    if not counted:
        for match in _ONE_LOBE.finditer(text, scope.start, scope.end):
            words = f"in both {match[1].lower()} lobes"
            yield Edit.of(text, [Change(match.start(), match.end(), words)], summary)
    span = head_span(reading, unit)
    if span is None:
        return
    for match in _ONE_SIDE.finditer(text, unit.start, span.start):
        if re.search(r"\b(?:of|in|at|on|to)\b", text[unit.start : match.start()], re.IGNORECASE):
            continue
        if not counted:
            change = Change(match.start(), match.end(), match_case("bilateral", text, match.start(), match[0]))
            yield Edit.of(text, [change], summary)
        elif scope != unit.span:
            yield Edit((_in_the_plural(text, scope, match, span, counted),), summary)


def _in_the_plural(text: str, sentence: Span, side: re.Match[str], noun: Span, counted: str) -> Change:
    """A sentence about one of a pair said of both."""
    front_, middle = text[sentence.start : side.start()], text[side.end() : noun.start]
    several = match_case(counted, text, noun.start, text[noun.start : noun.end])
    if _THERE.search(front_):
        front_ = _THERE.sub("There are ", front_, count=1)
    elif article := _ARTICLE.match(front_):
        front_ = front_[article.end() :]
    both = "bilateral" if front_ else "Bilateral"
    rest = _SINGULAR_VERB.sub(
        lambda verb: {"is": "are", "has": "have"}[verb[1].lower()], text[noun.end : sentence.end], count=1
    )
    words = f"{front_}{both}{middle}{several}{rest}"
    return Change(
        sentence.start, sentence.end, f"{words[:1].upper()}{words[1:]}" if text[sentence.start].isupper() else words
    )


def severity(reading: Reading, subset: Subset, kind: ErrorType | None) -> Iterator[Edit]:
    """A degree left out, added or exchanged; harmless ones are slight, or another word for the same degree."""
    words, text = load_wording(), reading.text
    harmful = subset is Subset.DISCRIMINATION
    for unit in reading.single():
        scope = reading.scope(unit)
        # Even a slight degree may decide what is done, but for findings of which nothing depends.
        depends = not harmful and kind is not ErrorType.INACCURACY and not reading.is_slight(unit)
        if depends or (not harmful and reading.lexicon.importance(unit.canonical_finding) is Importance.URGENT):
            continue
        if kind is ErrorType.OMISSION:
            for match in places_of(words.degree["severe" if harmful else "mild"], text, scope):
                yield Edit.of(text, [delete_words(text, match.start(), match.end())], "the degree is left out")
        elif kind is ErrorType.FABRICATION:
            yield from _add_degree(reading, unit, harmful=harmful)
        elif harmful:
            yield from Edit.each(text, exchanges(words.opposite["degree"], text, scope), "the degree is another one")
        else:
            yield from Edit.each(text, exchanges(words.same["degree"], text, scope), "the degree is worded differently")


def size(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A size or distance two or three times as large or as small; a harmless one is within the spread of readers."""
    text, harmful = reading.text, subset is Subset.DISCRIMINATION
    for unit in reading.units:
        if not unit.measurements or not reading.is_clinical(reading.sentence(unit)) or (harmful and unit.device):
            continue
        # How large something is that asks for nothing changes nothing.
        if harmful and (reading.is_slight(unit) or not reading.is_single(unit)):
            continue
        for match in _SIZE.finditer(text, unit.start, unit.end):
            if text.count(match[0]) > 1:
                continue
            for words in _other_sizes(match, head(reading, unit), subset):
                change = Change(match.start(), match.end(), match_case(words, text, match.start()))
                yield Edit.of(text, [change], "the size is another one" if harmful else "the size hardly differs")


def comparison(reading: Reading, subset: Subset, kind: ErrorType | None) -> Iterator[Edit]:
    """A comparison left out, added or turned round; a harmless one says "unchanged", or the same in other words."""
    words, text = load_wording(), reading.text
    harmful = subset is Subset.DISCRIMINATION
    for unit in reading.single():
        if harmful and reading.is_arguable(unit):
            continue
        if kind is ErrorType.INACCURACY:
            table = words.opposite["course"] if harmful else words.same["course"]
            summary = "the comparison is turned round" if harmful else "the comparison is worded differently"
            yield from Edit.each(text, exchanges(table, text, reading.scope(unit)), summary)
        elif not harmful and not reading.is_slight(unit):
            continue
        elif kind is ErrorType.OMISSION:
            yield from _not_compared(reading, unit, harmful=harmful)
        elif unit.change is None and reading.has_prior:
            yield from _add_comparison(reading, unit, harmful=harmful)


def _not_compared(reading: Reading, unit: ClinicalUnit, *, harmful: bool) -> Iterator[Edit]:
    # Only "unchanged", of what asks for nothing, can be left out without harm: what is new or worse is news.
    if unit.change is None or (unit.change is Course.STABLE) == harmful:
        return
    text, scope = reading.text, reading.scope(unit)
    for match in places_of(load_wording().course["gone" if harmful else "stayed"], text, scope):
        if match.start() <= (front(reading, unit) or unit.start) + len(match[0]):
            yield Edit.of(text, [delete_words(text, match.start(), match.end())], "the comparison is left out")
    for match in _TAIL.finditer(text, scope.start, scope.end):
        yield Edit.of(text, [Change(match.start(), match.end(), "")], "the comparison is left out")


def delete_words(text: str, start: int, end: int) -> Change:
    """The deletion of words and of the space beside them."""
    if text[start:end][:1].isspace() or text[end : end + 1] != " ":
        while start and text[start - 1] == " " and not text[start].isspace():
            start -= 1
        return Change(start, end, "")
    return Change(start, end + 1, "")


def inserted_before(text: str, at: int, words: str) -> Change:
    """Words put before others, the capital of a sentence's first word going over to them."""
    insertion = match_case(words, text, at)
    first = text[at : at + 1]
    follows = text[at : at + 2]
    if opens_sentence(text, at) and not first.isalpha() and not text.islower():
        return Change(at, at, f"{insertion[:1].upper()}{insertion[1:]} ")
    if first.isupper() and not follows.isupper() and insertion.islower():
        return Change(at, at + 1, f"{insertion[:1].upper()}{insertion[1:]} {first.lower()}")
    return Change(at, at, f"{insertion} ")


def _add_degree(reading: Reading, unit: ClinicalUnit, *, harmful: bool) -> Iterator[Edit]:
    if unit.severity is not None or unit.measurements or unit.device:
        return
    text, table = reading.text, load_wording().added["severe" if harmful else "mild"]
    if not harmful and unit.change not in (None, Course.STABLE):
        return
    at, noun = front(reading, unit, behind_course=True), head(reading, unit)
    if at is not None:
        for degree in table.get(noun, ()):
            yield Edit.of(text, [inserted_before(text, at, degree)], "a degree is added")
        return
    for match in re.finditer(r"(?<=\b(?:is|re) )(\w+)\b", text[unit.start : unit.end]):
        for degree in table.get(match[1].lower(), ()) if match[1].lower().endswith(("ed", "ic", "us")) else ():
            yield Edit.of(text, [inserted_before(text, unit.start + match.start(1), degree)], "a degree is added")


def _add_comparison(reading: Reading, unit: ClinicalUnit, *, harmful: bool) -> Iterator[Edit]:
    words, text, noun = load_wording().course, reading.text, head(reading, unit)
    if not noun or unit.device or unit.certainty is not None:
        return
    # What is acute is new already, and what is chronic is not; a fracture is the one or the other, and does not grow.
    if noun.startswith("fracture") or _AGE.search(text, reading.scope(unit).start, reading.scope(unit).end):
        return
    kind = "grown" if noun in words["grows"] else "worse"
    kinds = ["any", kind] if harmful else ["same"]
    at = front(reading, unit)
    if at is not None:
        for adjective in (word for name in kinds for word in words[f"added_{name}"]):
            yield Edit.of(text, [inserted_before(text, at, adjective)], "a comparison is added")
    sentence = reading.sentence(unit)
    if sentence is not None and len(reading.within(sentence)) == 1 and "," not in sentence.of(text):
        end = sentence.start + len(sentence.of(text).rstrip(" ."))
        for tail in (tail for name in kinds for tail in words[f"tails_{name}"]):
            yield Edit.of(text, [Change(end, end, match_case(tail, text, end))], "a comparison is added")


def _other_sizes(match: re.Match[str], noun: str, subset: Subset) -> Iterator[str]:
    value, gap, unit = float(match[1]), match[2], match[3]
    scale = _CENTIMETRE if unit.lower() == "cm" else 1.0
    now = Measurement(value, unit, value * scale)
    if subset is Subset.DISCRIMINATION:
        least, most = _CREDIBLE_MM.get(noun, _ANY_MM)
        for factor in _FACTORS:
            other = round(value * factor, 0 if scale == 1.0 else 1)
            if least <= other * scale <= most:
                yield f"{other:g}{gap}{unit}"
        return
    if scale == 1.0:
        yield f"{value / _CENTIMETRE:g}{gap}cm"
    else:
        yield f"{value * _CENTIMETRE:g}{gap}mm"
    for millimetres in (now.millimetres - 1, now.millimetres + 1):
        judged = judge_size(now, Measurement(millimetres, "mm", millimetres))
        near = abs(millimetres - now.millimetres) <= _READERS_DIFFER * now.millimetres
        if near and (judged is None or not judged.severity.counts_as_significant):
            yield f"{millimetres / scale:g}{gap}{unit}"
