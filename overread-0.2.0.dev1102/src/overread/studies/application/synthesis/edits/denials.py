"""Rules about denials: turned round, worded differently, and set against what the report states elsewhere."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from overread.domain.findings.unit import ClinicalUnit
from overread.domain.reports.report import Span
from overread.domain.vocabulary.severity import Severity
from overread.domain.vocabulary.taxonomy import ErrorType
from overread.studies.application.synthesis.edits.categories import Subset
from overread.studies.application.synthesis.edits.edit import Change, Edit, article
from overread.studies.application.synthesis.edits.phrases import front, head, head_span
from overread.studies.application.synthesis.edits.reading import Reading
from overread.studies.application.synthesis.edits.statements import add_sentence, gaps, is_counted, is_plain
from overread.studies.application.synthesis.vocabulary import match_case

__all__ = ["ASSERTED", "DENIED", "contradiction", "negation"]

ASSERTED: Final = "a denied finding is asserted"
DENIED: Final = "an asserted finding is denied"
"""The two ways to turn a negation round, as an edit explains itself."""

_LONGEST: Final = 18
"""Words of a sentence that is turned round as a whole: a longer one says more than its finding."""

_DENIAL: Final = re.compile(
    r"(?P<lead>(?:there (?:is|are|has been) no|no|negative for)(?: (?:radiographic )?(?:evidence|sign) of| definite"
    r"| convincing| visible| discrete| obvious| overt| gross)*) (?P<list>[^.:;]+?)(?P<tail>(?: (?:is|are))?(?: \w+ly)? "
    r"(?:seen|identified|noted|present|evident|visualized|demonstrated|appreciated|detected|observed))?"
    r"(?P<place> (?:under|in|on|of|at|beneath|below) [^.,:;]+)?(?P<stop>\.?)",
    re.IGNORECASE,
)
_VERB: Final = re.compile(r"\b(?:is|are|was|were|has|have|seen|identified|noted|present)\b", re.IGNORECASE)
_SINGULAR: Final = ("ss", "is", "us", "ascites")
_BETWEEN: Final = re.compile(r"\s*,\s*(?:or |and |nor )?|\s+(?:or|and|nor)\s+", re.IGNORECASE)
_SEVERAL: Final = frozenset({"nodule", "mass", "fracture", "lesion", "granuloma", "cyst", "aneurysm", "hernia"})
"""What may be there more than once, so that others of it can be denied."""

_LAST_WORD: Final = re.compile(r"([A-Za-z]+)[ ]\Z")
_NO_PART_OF_NAMES: Final = frozenset(
    "a an the is are no there of left right bilateral apical basilar basal frontal parietal temporal occipital distal "  # noqa: SIM905
    "proximal new unchanged stable increased decreased worsening improving increasing possible probable suspected "
    "likely mild moderate severe small large minimal extensive marked massive mm cm dense patchy solid spiculated "
    "irregular cavitary displaced nondisplaced enhancing hypoechoic infrarenal diffuse interstitial acute focal "
    "depressed chronic central obstructing simple evidence sign".split()
)
_DENYING: Final = ("There {be} no {}.", "No {} {be} seen.", "No {}.")
_NO_OTHER: Final = ("There {be} no other {}.", "No other {} {be} seen.")
_OTHER_SIDE: Final = ("No {} {be} seen on the {side}.", "There {be} no {} on the {side}.")
_ASSERTING: Final = ("There {be} {a}{}.", "{a}{} {be} present.")
_DENIED_AGAIN: Final = (
    "There {be} no {}.",
    "No {}.",
    "No {} {be} seen.",
    "There {be} no evidence of {}.",
    "No evidence of {}.",
)


def negation(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A denial asserted or a finding denied; a harmless one denies the same in other words."""
    text = reading.text
    for span in reading.clinical:
        sentence, units = span.of(text), reading.within(span)
        if len(sentence.split()) > _LONGEST or not units:
            continue
        # A list that mixes denials with anything else cannot be taken apart by its commas.
        denial = _denial(sentence) if all(unit.denies_finding and not unit.denies for unit in units) else None
        if denial and subset is Subset.ROBUSTNESS:
            for words in _denied_again(denial, text, span):
                yield Edit.of(text, [Change(span.start, span.end, words)], "the denial is worded differently")
        elif denial and not reading.says_all_is_well and not any(reading.is_covered(unit) for unit in units):
            for words in _affirm_item(denial, text, span):
                yield Edit.of(text, [Change(span.start, span.end, words)], ASSERTED)
        elif subset is Subset.DISCRIMINATION and len(units) == 1 and is_plain(reading, units[0]):
            for words in _deny_finding(reading, units[0], span):
                yield Edit.of(text, [Change(span.start, span.end, _match_full_stop(words, sentence))], DENIED)


def contradiction(reading: Reading, subset: Subset, _kind: ErrorType | None) -> Iterator[Edit]:
    """A statement against one that stands elsewhere; a harmless one only seems to be, being of something else."""
    harmful = subset is Subset.DISCRIMINATION
    for unit in reading.single():
        name = _name(reading, unit)
        if name and not unit.device and reading.is_actionable(unit):
            if harmful:
                summary = "a finding is denied that stands elsewhere"
                yield from _state_finding(reading, gaps(reading), _DENYING, name, summary, Severity.CRITICAL)
            else:
                yield from _seeming(reading, unit, name)
    if not harmful:
        return
    for unit in reading.denied:
        name, sentence = _name(reading, unit), reading.sentence(unit)
        qualified = unit.place.sides or unit.modifiers or unit.severity or unit.change
        if name and not qualified and sentence is not None and reading.is_clinical(sentence):
            summary = "a finding is asserted that is denied elsewhere"
            yield from _state_finding(reading, gaps(reading)[-1:], _ASSERTING, name, summary, Severity.CRITICAL)


def _seeming(reading: Reading, unit: ClinicalUnit, name: str) -> Iterator[Edit]:
    """Denials of others of a finding, or of the finding on the other side: they only look like contradictions."""
    sentence = reading.sentence(unit)
    places = [at for at in gaps(reading) if sentence is not None and at == sentence.end]
    if head(reading, unit) in _SEVERAL:
        yield from _state_finding(reading, places, _NO_OTHER, name, "only others of the finding are denied", None)
    if len(unit.place.sides) == 1 and head(reading, unit) not in _SEVERAL:
        (side,) = unit.place.sides
        other = {"left": "right", "right": "left"}.get(side)
        if other is not None and other not in reading.text.lower():
            sentences = tuple(words.replace("{side}", other) for words in _OTHER_SIDE)
            yield from _state_finding(reading, places, sentences, name, "only the other side is denied", None)


def _denial(sentence: str) -> re.Match[str] | None:
    """A sentence that denies one thing or a list of things, and says no more; None where it does."""
    match = _DENIAL.fullmatch(sentence)
    return None if match is None or _VERB.search(match["list"]) else match


def _denied_again(denial: re.Match[str], text: str, span: Span) -> Iterator[str]:
    listed, place = denial["list"], denial["place"] or ""
    be = "are" if _is_plural(listed) and not _BETWEEN.search(listed) else "is"
    for form in _DENIED_AGAIN:
        words = form.format(_small(listed), be=be).removesuffix(".") + f"{place}{denial['stop']}"
        sentence = match_case(words, text, span.start, like="N")
        if sentence.lower().split() != span.of(text).lower().split():
            yield sentence


def _deny_finding(reading: Reading, unit: ClinicalUnit, span: Span) -> Iterator[str]:
    """The finding's own words denied, without degree, size and doubt."""
    if name := _short(reading, unit):
        be = "are" if _is_plural(name) else "is"
        for form in _DENYING:
            yield match_case(form.format(name, be=be), reading.text, span.start, like="N")


def _short(reading: Reading, unit: ClinicalUnit) -> str:
    """The finding and its place without degree, size and course, as worded within a sentence; "" where that fails."""
    at, surface, noun = front(reading, unit, behind_course=True), reading.surface(unit), head_span(reading, unit)
    if at is None or surface is None or noun is None or len(unit.place.sides) > 1 or unit.certainty is not None:
        return ""
    if unit.severity is not None or unit.measurements:
        return _name(reading, unit)
    return _small(reading.text[min(at, surface.start) : noun.end])


def _affirm_item(denial: re.Match[str], text: str, span: Span) -> Iterator[str]:
    """One item of a list of denials asserted, the others denied still."""
    items, place = _BETWEEN.split(denial["list"]), denial["place"] or ""
    if re.search(r"\w+ (?:or|and) \w+ \w+", denial["list"]) and len(items) > 1 and " " not in items[0]:
        # "Mediastinal or hilar nodes" is no list of two things.
        return
    for index, item in enumerate(items):
        rest = [other for i, other in enumerate(items) if i != index]
        verb, an = "are" if _is_plural(item) else "is", "" if _is_plural(item) else _an(item)
        if not rest:
            yield match_case(f"There {verb} {an}{_small(item)}{place}{denial['stop']}", text, span.start, like="There")
            continue
        listed = " or ".join(rest) if len(rest) < 3 else f"{', '.join(rest[:-1])} or {rest[-1]}"  # noqa: PLR2004
        denied = f"{denial['lead']} {listed}{denial['tail'] or ''}{place}{denial['stop']}"
        yield match_case(f"There {verb} {an}{_small(item)}{place}. {denied}", text, span.start, like="There")


def _name(reading: Reading, unit: ClinicalUnit) -> str:
    """The finding's own words as they stand within a sentence; "" where they are no plain noun phrase."""
    surface, noun = reading.surface(unit), head_span(reading, unit)
    if surface is None or noun is None:
        return ""
    before = _LAST_WORD.search(reading.text[: surface.start])
    # A word before them that belongs to the name would be lost: "subcutaneous" before "emphysema".
    if before is not None and before[1].lower() not in _NO_PART_OF_NAMES:
        return ""
    return _small(reading.text[surface.start : noun.end])


def _state_finding(
    reading: Reading,
    places: Iterable[int],
    sentences: Iterable[str],
    name: str,
    told: str,
    severity: Severity | None,
) -> Iterator[Edit]:
    several = _is_plural(name)
    for at in places:
        for sentence in sentences:
            statement = sentence.format(name, a="" if several else _an(name), be="are" if several else "is")
            change = add_sentence(reading.text, at, statement[:1].upper() + statement[1:])
            yield Edit.of(reading.text, [change], told, severity)


def _an(name: str) -> str:
    return f"{article(name)} " if is_counted(name) else ""


def _small(phrase: str) -> str:
    """A phrase as it stands within a sentence; an abbreviation keeps its capitals."""
    return phrase if phrase[1:2].isupper() else phrase[:1].lower() + phrase[1:]


def _is_plural(phrase: str) -> bool:
    return phrase.lower().endswith("s") and not phrase.lower().endswith(_SINGULAR)


def _match_full_stop(words: str, sentence: str) -> str:
    return words if sentence.rstrip().endswith(".") else words.rstrip(".")
