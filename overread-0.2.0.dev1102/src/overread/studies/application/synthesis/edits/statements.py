"""Rules that add, drop or turn round what is stated: findings, doubts, modalities, terms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Span
from overread.domain.vocabulary.taxonomy import ErrorType
from overread.studies.application.synthesis.edits.attributes import delete_words, inserted_before
from overread.studies.application.synthesis.edits.categories import Subset
from overread.studies.application.synthesis.edits.edit import Change, Edit, article
from overread.studies.application.synthesis.edits.phrases import front, head_span
from overread.studies.application.synthesis.edits.reading import Reading
from overread.studies.application.synthesis.edits.word_exchange import (
    Table,
    exchanges,
    load_wording,
    places_of,
    region_of,
)
from overread.studies.application.synthesis.phrases import countable
from overread.studies.application.synthesis.vocabulary import match_case

__all__ = ["add_sentence", "description", "gaps", "is_counted", "is_plain", "modality", "terminology", "uncertainty"]

_LONGEST: Final = 18
"""Words of a sentence that is dropped or turned round as a whole: a longer one says more than its finding."""

_HEADING: Final = re.compile(r"(?:^|\n)[A-Z][A-Za-z]*[ \t]*\Z")
_HEADED: Final = re.compile(r"\s*[A-Z][A-Za-z ]{3,30}(?::|\n)")
_WORD: Final = re.compile(r"[a-z]{5,}")
_GENERIC: Final = frozenset({"normal", "unremarkable", "visualized", "imaged", "contours", "midline", "sharp", "clear"})
_NUMBER: Final = re.compile(r"(?<!\S)\d{1,2}[.)]\s+\Z")
_BULLET: Final = re.compile(r"(?:^|(?<=\n))[ \t]*[-*•][ \t]+\Z")
_BLANK: Final = re.compile(r"[ \t]+")
_ANY_LOOK: Final = frozenset(
    "new unchanged stable increased decreased worsening improving possible probable suspected likely mild moderate "  # noqa: SIM905
    "severe small large left right acute a an the is are there".split()
)
"""Words before a noun that suit any other noun, too."""

_DOUBTFUL: Final = (
    "possible",
    "possibly",
    "probable",
    "probably",
    "likely",
    "suspected",
    "questionable",
    "may",
    "might",
)
_MEASURED: Final = re.compile(r"\d ?[mc]m\b", re.IGNORECASE)
_INDEFINITE: Final = re.compile(r"\ban?\s+\Z", re.IGNORECASE)
_FINITE: Final = re.compile(r"\b(?:is|are|was|were)\b", re.IGNORECASE)
_UNCOUNTED: Final = frozenset({"consolidation", "calcification"})
"""What takes no article, though there may be several of it."""

_COMPOUND: Final = "/-"
"""What joins a modality to another word: PET/CT is one examination."""


def description(reading: Reading, subset: Subset, kind: ErrorType | None) -> Iterator[Edit]:
    """A finding left out, made up or taken for another one; a harmless one is a normal statement or a synonym."""
    harmful = subset is Subset.DISCRIMINATION
    if kind is ErrorType.OMISSION:
        yield from _left_out(reading, harmful=harmful)
    elif kind is ErrorType.FABRICATION:
        yield from _made_up(reading, harmful=harmful)
    elif harmful:
        for unit in reading.single():
            yield from _rename_finding(reading, unit, load_wording().wrong["finding"], "a finding is taken for another")
            changes = exchanges(load_wording().opposite["appearance"], reading.text, reading.scope(unit))
            yield from Edit.each(reading.text, changes, "the appearance is another one")
    else:
        for span in reading.clinical:
            changes = exchanges(load_wording().same["appearance"], reading.text, span)
            yield from Edit.each(reading.text, changes, "the appearance is worded differently")


def _left_out(reading: Reading, *, harmful: bool) -> Iterator[Edit]:
    summary = "a finding is left out" if harmful else "a statement that says nothing of note is left out"
    for span in reading.clinical:
        units = reading.within(span)
        if len(units) != 1 or len(span.of(reading.text).split()) > _LONGEST or _is_alone(reading.text, span):
            continue
        sought = is_plain(reading, units[0]) and not reading.is_arguable(units[0])
        if sought if harmful else _is_idle(reading, span, units[0]):
            yield Edit.of(reading.text, [_without(reading.text, span)], summary)


def _made_up(reading: Reading, *, harmful: bool) -> Iterator[Edit]:
    region = region_of(reading.text)
    summary = "a finding is made up" if harmful else "a statement that says nothing of note is added"
    for sentence, anatomy in _sentences_of(reading, region, harmful=harmful):
        for at in _gaps_near(reading, anatomy):
            yield Edit.of(reading.text, [add_sentence(reading.text, at, sentence)], summary)


def _sentences_of(reading: Reading, region: str, *, harmful: bool) -> Iterator[tuple[str, set[str]]]:
    """Sentences that a report of the region may hold and this one does not, and what they stand beside."""
    words = load_wording()
    if harmful:
        mentioned = {unit.canonical_finding for unit in reading.units}
        for entry in () if reading.says_all_is_well else words.finding:
            if entry.region == region and mentioned.isdisjoint(entry.not_beside) and _is_free(reading, entry.finding):
                near = set(reading.lexicon.findings[entry.finding].anatomy)
                yield from ((sentence, near) for sentence in entry.text)
        return
    for normal in words.harmless:
        near = set(normal.near)
        ill = any(near & ({*unit.anatomy} | set(_anatomy(reading, unit))) for unit in reading.asserted)
        if normal.region == region and not ill:
            fresh = (
                phrase
                for phrase in normal.text
                if _is_fresh(phrase, reading.text) and not _is_pertinent(phrase, reading.text)
            )
            yield from ((sentence, set(normal.near)) for sentence in fresh)


def uncertainty(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A doubt dropped or raised; a harmless one is worded differently."""
    words, text = load_wording(), reading.text
    if subset is Subset.ROBUSTNESS:
        for span in reading.clinical:
            yield from Edit.each(text, exchanges(words.same["doubt"], text, span), "the doubt is worded differently")
        return
    for unit in reading.single():
        if reading.is_arguable(unit):
            continue
        scope = reading.scope(unit)
        for match in places_of(words.doubt.adjectives, text, scope):
            yield Edit.of(text, [delete_words(text, match.start(), match.end())], "a doubt is dropped")
        yield from Edit.each(text, exchanges(words.doubt.removed, text, scope), "a doubt is dropped")
        if _can_be_doubted(reading, unit):
            yield from _raise_doubt(reading, unit)


def _can_be_doubted(reading: Reading, unit: ClinicalUnit) -> bool:
    """Returns whether the report leaves nothing open about a finding, and has no measurement or comparison of it."""
    if unit.certainty is not None or unit.measurements or unit.change is not None or unit.device:
        return False
    scope = reading.scope(unit)
    if _MEASURED.search(reading.text, scope.start, scope.end):
        return False
    return next(places_of(_DOUBTFUL, reading.text, scope), None) is None


def _raise_doubt(reading: Reading, unit: ClinicalUnit) -> Iterator[Edit]:
    text, scope, doubt = reading.text, reading.scope(unit), load_wording().doubt
    if scope != unit.span and "," not in scope.of(text):
        yield from Edit.each(text, exchanges(doubt.raised, text, scope), "a doubt is raised")
    at = front(reading, unit)
    if at is not None:
        for word in doubt.added:
            yield Edit.of(text, [inserted_before(text, at, word)], "a doubt is raised")


def modality(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """Another examination recommended; a harmless one is the same by another name."""
    words, text = load_wording(), reading.text
    harmful = subset is Subset.DISCRIMINATION
    table = words.wrong["modality"] if harmful else words.same["modality"]
    summary = "another examination is named" if harmful else "the examination is named differently"
    for span in reading.advice:
        for change in exchanges(table, text, span):
            if {text[change.start - 1 : change.start], text[change.end : change.end + 1]}.isdisjoint(_COMPOUND):
                yield Edit.of(text, [change], summary)


def terminology(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A term that is not the right one, or hides what is meant; a harmless one is a synonym."""
    words, text = load_wording(), reading.text
    if subset is Subset.ROBUSTNESS:
        for span in reading.clinical:
            yield from Edit.each(text, exchanges(words.same["term"], text, span), "the term is a synonym")
        return
    for unit in reading.single():
        # Where it is measured, slight, or something is advised, a broad term hides little.
        if not unit.measurements and not reading.advice and not reading.is_arguable(unit):
            yield from _rename_finding(reading, unit, words.wrong["broad"], "a broader term hides the finding")
        yield from _rename_finding(reading, unit, words.wrong["term"], "the term is another one")


def _rename_finding(reading: Reading, unit: ClinicalUnit, table: Table, told: str) -> Iterator[Edit]:
    """A finding by another name, where what is said of its looks suits both."""
    text, end = reading.text, head_span(reading, unit)
    start = front(reading, unit)
    if end is None or start is None or unit.device:
        return
    for change in exchanges(table, text, Span(start, end.end)):
        before = text[start : change.start].lower().split()
        if change.end == end.end and (unit.measurements or _ANY_LOOK.issuperset(before)):
            yield Edit.of(text, [_with_article(text, change, start, reading.scope(unit))], told)


def _with_article(text: str, change: Change, start: int, scope: Span) -> Change:
    """A noun exchanged, with an article where the other one is counted and this one is not, or the reverse."""
    was, now = (is_counted(words) for words in (text[change.start : change.end], change.words))
    before = _INDEFINITE.search(text[scope.start : start])
    phrase = f"{text[start : change.start]}{change.words}"
    if was and not now and before:
        begin = scope.start + before.start()
        opened = phrase if begin > scope.start else f"{phrase[:1].upper()}{phrase[1:]}"
        return Change(begin, change.end, opened)
    sentence = text[scope.start : scope.end]
    if now and not was and not before and _FINITE.search(sentence):
        small = phrase if phrase[1:2].isupper() else f"{phrase[:1].lower()}{phrase[1:]}"
        wording = f"{article(small)} {small}"
        return Change(start, change.end, wording if start > scope.start else f"{wording[:1].upper()}{wording[1:]}")
    return change


def is_counted(phrase: str) -> bool:
    """Returns whether a phrase takes an article in the singular."""
    return countable(phrase.lower()) and phrase.lower().rsplit(maxsplit=1)[-1] not in _UNCOUNTED


def gaps(reading: Reading) -> list[int]:
    """Ends of sentences that hold a clinical unit and end with a full stop: places for another."""
    return [s.end for s in reading.clinical if reading.text[s.end - 1 : s.end] == "."]


def _gaps_near(reading: Reading, anatomy: set[str]) -> list[int]:
    """The gaps behind sentences that are about a part of the body."""
    text = reading.text
    return [
        s.end
        for s in reading.clinical
        if text[s.end - 1 : s.end] == "."
        and any(anatomy & ({*u.anatomy} | set(_anatomy(reading, u))) for u in reading.within(s))
    ]


def _anatomy(reading: Reading, unit: ClinicalUnit) -> tuple[str, ...]:
    lexicon = reading.lexicon
    known = lexicon.findings.get(unit.canonical_finding) or lexicon.normals.get(unit.canonical_finding)
    return tuple(known.anatomy) if known else ()


def add_sentence(text: str, at: int, sentence: str) -> Change:
    """A sentence put behind another one, on a line of its own where the other has one."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    own_line = "\n" in text and text[at : at + 1] in ("\n", "") and line.count(". ") == 0 and "\n" in text[:at]
    bullet = re.match(r"[-*•] ", line) if own_line else None
    if bullet is None and re.match(r"\s*(?:\d{1,2}[.)] |[A-Z][A-Za-z ]{2,40}: )", line):
        own_line = False
    lead = f"\n{bullet[0] if bullet else ''}" if own_line else " "
    return Change(at, at, lead + match_case(sentence, text, at, like="S"))


def is_plain(reading: Reading, unit: ClinicalUnit) -> bool:
    """Returns whether a finding is asserted once, with no word of denial beside it."""
    known = unit.asserts_finding and unit.canonical_finding in reading.lexicon.findings
    return known and reading.is_single(unit) and not reading.is_beside_denial(unit)


def _without(text: str, span: Span) -> Change:
    """A sentence taken out with the white space, bullet or number before it."""
    start, end = span.start, span.end
    for lead in (_NUMBER, _BULLET):
        if match := lead.search(text[:start]):
            start = match.start()
    line = text.rfind("\n", 0, start) + 1
    after = _BLANK.match(text, end)
    stop = after.end() if after else end
    if not any(c.isalpha() for c in text[line:start]) and text[stop : stop + 1] in ("", "\n"):
        return Change(line - 1, end, "") if line else Change(0, min(stop + 1, len(text)), "")
    if after is not None:
        return Change(start, after.end(), "")
    while start and text[start - 1] == " ":
        start -= 1
    return Change(start, end, "")


def _is_alone(text: str, span: Span) -> bool:
    """Returns whether the sentence is alone under its heading, in its numbered list, or in the report."""
    before, after = text[: span.start].rstrip(" "), text[span.end :].lstrip(" .")
    if _NUMBER.search(text[: span.start]) or re.match(r"\s*\d{1,2}[.)]\s", after):
        return True
    before = before.rstrip()
    headed = not before or before.endswith(":") or bool(_HEADING.search(before))
    return headed and (not after.strip() or after.startswith("\n") or bool(_HEADED.match(after)))


def _is_idle(reading: Reading, span: Span, unit: ClinicalUnit) -> bool:
    """Returns whether a normal statement is one that nothing depends on."""
    about = load_wording().idle["about"]
    named = next(places_of(about, reading.text, span), None) is not None
    return unit.denies_finding and named and not _is_pertinent(span.of(reading.text), reading.text)


def _is_pertinent(sentence: str, text: str) -> bool:
    """Returns whether something in the report makes a normal statement worth knowing."""
    idle, whole = load_wording().idle, Span(0, len(text))
    return any(
        next(places_of(idle[about], sentence, Span(0, len(sentence))), None) is not None
        and next(places_of(idle[cause], text, whole), None) is not None
        for about, cause in (("pertinent", "injured"), ("of_the_heart", "failing"))
    )


def _is_free(reading: Reading, finding: str) -> bool:
    """Returns whether the report neither asserts nor denies a finding, a kind of it or a broader one."""
    lexicon = reading.lexicon
    return not any(
        lexicon.is_kind_of(unit.canonical_finding, finding)
        or lexicon.is_kind_of(finding, unit.canonical_finding)
        or lexicon.denies(unit.denies, finding)
        or unit.canonical_finding.startswith("no_acute")
        for unit in reading.units
        if unit.canonical_finding
    )


def _is_fresh(sentence: str, text: str) -> bool:
    """Returns whether the report mentions nothing that a sentence is about."""
    lower_text = text.lower()
    return not any(word in lower_text for word in _WORD.findall(sentence.lower()) if word not in _GENERIC)
